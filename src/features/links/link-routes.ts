/** `/api/links`: makes, lists and revokes links: the caller's own, for an admin those of all users (SPEC 13). */
import { z } from 'zod';
import { findMaker, knownGrants, revokeGrant, shownAddress } from '../../accounts/grants/grants.ts';
import { MAYBE_TEXT, MAYBE_TIME, PAGE_URL } from '../../accounts/http/answers.ts';
import type { AccountResponseDeps } from '../../accounts/http/kernel.ts';
import { type Call, declaring, Refused } from '../../accounts/http/kernel.ts';
import type { Services } from '../../app/services.ts';
import type { GrantMaker } from '../../domain/accounts/grant.ts';
import { isDrawnFor, type SharedThing } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { VIEWER } from '../../domain/names.ts';
import { answer, BODY_NO, named, SUCCESS, TEXT, TIME } from '../../routes/shapes.ts';
import { longestLife } from './keys.ts';
import { type LinkMaking, requestLink, type WantedLink } from './make-link.ts';
import type { Opening, Openings } from './openings.ts';
import type { Link } from './tables.ts';

type RouteServices = LinkMaking &
  AccountResponseDeps &
  Pick<Services, 'publicAddressOf'> & { readonly openings: Openings };

const CAMERA = z.object({ camera: TEXT });
/** What a link shows: as it is asked for, and as it is listed. */
const SHARED_THING = z.union([
  z.object({ event: TEXT.meta({ description: 'The id of an event' }) }),
  z.object({ review: TEXT.meta({ description: 'The id of a review' }) }),
  z.object({ recording: z.object({ camera: TEXT, from: z.number(), to: z.number() }) }),
  z.object({ live: CAMERA }),
  z.object({ snapshot: CAMERA }),
]);
export const LINK = named(
  'Link',
  z.object({
    id: TEXT,
    what: SHARED_THING,
    camera: TEXT,
    name: MAYBE_TEXT,
    user: TEXT.meta({ description: 'Who made it' }),
    token_id: MAYBE_TEXT.meta({ description: 'The API token that made it' }),
    state: z.enum(['active', 'spent', 'revoked', 'expired']),
    uses: z.int().nullable().meta({ description: 'How many viewers may open it; null: any number' }),
    opened: z.int().meta({ description: 'How many viewers have' }),
    has_pin: z.boolean(),
    notify_on_open: z.boolean(),
    created_at: TIME,
    expires_at: TIME,
    revoked_at: MAYBE_TIME,
    openings: z.array(z.object({ at: TIME, address: TEXT, agent: MAYBE_TEXT })),
  }),
);
export const MADE_LINK = named(
  'MadeLink',
  z.object({
    id: TEXT,
    url: PAGE_URL,
    expires_at: TIME,
    files: z.array(TEXT).meta({ description: 'What can be asked for below the address' }),
    note: TEXT.optional(),
  }),
);

/** Any other field is refused: a misspelt `expires_in` must not become a longer link, nor a misspelt `pin` one without. */
const NEW_LINK = named(
  'NewLink',
  z.object({
    what: SHARED_THING,
    expires_in: z.int().min(60).optional().meta({ description: 'Seconds; at most links.max_lifetime' }),
    uses: z.int().min(1).max(1000).nullish(),
    pin: z.string().min(4).max(64).optional(),
    name: z.string().min(1).max(100).optional(),
    notify_on_open: z
      .boolean()
      .optional()
      .meta({ description: 'Tell the maker and notify.webhook of the first opening' }),
  }),
);

const NO_LINKS = 'Links are turned off: set links.max_lifetime';
const NO_MAKER = 'A link belongs to a user: log in, or use an API token, and make it as that user';

const route = declaring<RouteServices>();

/** Links are made by who may export, for what they may see. */
// biome-ignore format: a table
export const LINK_ROUTES = [
  route({ route: 'GET /api/links', access: 'any', note: "the caller's own; for an admin all", summary: "One's own links, with who opened them; as an admin, all", yes: [200, z.array(LINK)], run: list }),
  route({ route: 'POST /api/links', access: 'any', writes: true, verb: 'export', times: ['own-route'], note: 'never more than the maker sees', summary: 'Make a link: an address that shows one thing without an account', body: NEW_LINK, reads: 'names', yes: [201, MADE_LINK], no: [...BODY_NO, 404, 409, 502, 504], act: 'link-created',
    before: makerFor, run: create }),
  route({ route: 'DELETE /api/links/{id}', access: 'any', writes: true, note: "the caller's own; for an admin any", summary: 'Revoke a link', yes: [200, SUCCESS], no: [404], act: 'link-revoked', run: revoke }),
];

async function makerFor(call: Call<unknown>, services: RouteServices): Promise<GrantMaker> {
  const { caller } = call;
  // A command is told so by the name of the key.
  if (longestLife(services.settings) === 0 && caller.credential.kind !== 'command-line')
    throw new Refused(404, 'links-off', NO_LINKS);
  const maker = await findMaker(call, VIEWER, services);
  if (!maker) throw new Refused(403, 'account-needed', NO_MAKER);
  return maker;
}

/** A link of more than a day asks for a proof: by it a stolen session could leave more behind than it is worth itself. */
const LONG_SECONDS = 86_400;

async function create(call: Call<WantedLink>, services: RouteServices): Promise<object> {
  const { caller, body, note, prove, ctx } = call;
  const seconds = body['expires_in'];
  // What is no number of seconds is refused afterwards.
  if (typeof seconds === 'number' && seconds > LONG_SECONDS && caller.credential.kind === 'session')
    prove('credentials');
  const { link, path } = await requestLink(call, await makerFor(call, services), services);
  note({ linkId: link.id });
  const { id, expiresAt: expires_at } = link;
  const files = ctx ? services.judge.filesOf(link.thing) : [];
  return { id, expires_at, files, ...shownAddress(path, ctx, services.publicAddressOf) };
}

async function list({ caller }: Call, services: RouteServices): Promise<object> {
  const { openings, clock, store } = services;
  const known = await knownGrants('link', caller, { store });
  const links = known.filter(({ thing }) => !isDrawnFor(caller, thing.camera));
  const used = await openings.openings(links.map(({ id }) => id));
  const now = unixSeconds(clock);
  return links.map((link) => linkResponse(link, used.get(link.id) ?? UNOPENED, now));
}

const UNOPENED = { opened: 0, openings: [] } as const;
type Use = Pick<z.output<typeof LINK>, 'opened'> & { readonly openings: readonly Opening[] };

async function revoke(call: Call, services: RouteServices): Promise<void> {
  const { id, user } = await revokeGrant('link', call, services);
  call.note({ linkId: id, user });
}

function linkState({ revokedAt, expiresAt, uses }: Link, opened: number, now: number): z.output<typeof LINK>['state'] {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt <= now) return 'expired';
  return uses !== null && opened >= uses ? 'spent' : 'active';
}

const linkResponse = (link: Link, { opened, openings }: Use, now: number): z.output<typeof LINK> =>
  answer(LINK, {
    ...link,
    what: describeThing(link.thing),
    camera: link.thing.camera,
    state: linkState(link, opened, now),
    opened,
    hasPin: link.pinHash !== null,
    notifyOnOpen: link.notifiesOnOpen,
    openings: [...openings],
  });

/** The thing as it is asked for. */
const describeThing = ({ kind, ...thing }: SharedThing) =>
  ({ [kind]: 'id' in thing ? thing.id : thing }) as z.output<typeof SHARED_THING>;
