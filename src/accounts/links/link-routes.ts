/** `/api/links`: makes, lists and revokes links: the caller's own, for an admin those of all users (SPEC 13). */
import { z } from 'zod';
import type { LinkMaker, UsedLink } from '../../domain/accounts/link.ts';
import { type Caller, isDrawnFor } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import type { SharedThing } from '../../domain/shared-thing.ts';
import { BODY_NO, named, SUCCESS } from '../../routes/shapes.ts';
import { seesAllGrants } from '../grants/grants.ts';
import { LINK, MADE_LINK, SHARED_THING } from '../http/answers.ts';
import type { AccountResponseDeps } from '../http/kernel.ts';
import { type Call, declaring, Refused } from '../http/kernel.ts';
import { type LinkJudge, type LinkMaking, makerOf, requestLink, type WantedLink } from './make-link.ts';

type RouteServices = AccountResponseDeps &
  LinkMaking & {
    readonly judge: LinkJudge;
    /** The page at that path for people, or undefined while `server.public_url` is not set. */
    readonly publicAddressOf: (path: string) => string | undefined;
  };

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
const NO_ADDRESS = 'server.public_url is not set: put the address of this service in front of the path';

const route = declaring<RouteServices>();

/** Links are made by who may export, for what they may see. */
// biome-ignore format: a table
export const LINK_ROUTES = [
  route({ route: 'GET /api/links', access: 'any', note: "the caller's own; for an admin all", summary: "One's own links, with who opened them; as an admin, all", yes: [200, z.array(LINK)], run: list }),
  route({ route: 'POST /api/links', access: 'any', writes: true, verb: 'export', times: ['own-route'], note: 'never more than the maker sees', summary: 'Make a link: an address that shows one thing without an account', body: NEW_LINK, reads: 'names', yes: [201, MADE_LINK], no: [...BODY_NO, 404, 409, 502, 504], act: 'link-created',
    before: ({ caller }, services) => makerFor(caller, services), run: create }),
  route({ route: 'DELETE /api/links/{id}', access: 'any', writes: true, note: "the caller's own; for an admin any", summary: 'Revoke a link', yes: [200, SUCCESS], no: [404], act: 'link-revoked', run: revoke }),
];

async function makerFor(caller: Caller, services: RouteServices): Promise<LinkMaker> {
  if (services.longest === 0) throw new Refused(404, NO_LINKS);
  const maker = await makerOf(caller, services);
  if (!maker) throw new Refused(403, NO_MAKER);
  return maker;
}

/** A link of more than a day asks for a proof: by it a stolen session could leave more behind than it is worth itself. */
const LONG_SECONDS = 86_400;

async function create({ caller, body, note, prove, ctx }: Call<WantedLink>, services: RouteServices): Promise<object> {
  const seconds = body['expires_in'];
  // What is no number of seconds is refused afterwards.
  if (typeof seconds === 'number' && seconds > LONG_SECONDS && caller.credential.kind === 'session')
    prove('credentials');
  const { link, path } = await requestLink(body, caller, await makerFor(caller, services), services);
  note({ linkId: link.id });
  const url = services.publicAddressOf(path);
  const { id, expiresAt: expires_at } = link;
  const files = services.judge.filesOf(link.thing);
  return url === undefined
    ? { id, url: `${ctx?.state.basePath ?? ''}${path}`, expires_at, files, note: NO_ADDRESS }
    : { id, url, expires_at, files };
}

async function list({ caller }: Call, { store, clock }: RouteServices): Promise<object> {
  const links = await store.links.listLinks(seesAllGrants(caller) ? undefined : caller.name);
  const now = unixSeconds(clock);
  return links
    .filter((link) => mayKnow(caller, link) && !isDrawnFor(caller, link.thing.camera))
    .map((link) => linkResponse(link, now));
}

/** A token knows the links that were made by it. A proxy's user and an account of the same name are two people. */
function mayKnow(caller: Caller, { maker }: Pick<UsedLink, 'maker'>): boolean {
  if (seesAllGrants(caller)) return true;
  const { name, credential } = caller;
  if (credential.kind === 'api-token') return maker.tokenId === credential.tokenId;
  const isProxys = credential.kind === 'proxy-headers';
  return (
    (isProxys || credential.kind === 'session') && maker.user === name && (maker.userCreatedAt === null) === isProxys
  );
}

/** The link of another user answers 404, as an unknown one does. */
async function revoke({ caller, params, note }: Call, { store, clock }: RouteServices): Promise<void> {
  const { id = '' } = params;
  const link = await store.links.findLink({ id });
  const isKnown = link !== undefined && mayKnow(caller, link);
  if (!isKnown || (await store.links.revokeLink(id, unixSeconds(clock))) === 'absent')
    throw new Refused(404, 'There is no such link');
  note({ linkId: id, user: link.maker.user });
}

type LinkState = 'active' | 'spent' | 'revoked' | 'expired';

function stateOf({ revokedAt, expiresAt, uses, opened }: UsedLink, now: number): LinkState {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt <= now) return 'expired';
  return uses !== null && opened >= uses ? 'spent' : 'active';
}

const linkResponse = (link: UsedLink, now: number): z.output<typeof LINK> => ({
  id: link.id,
  what: whatOf(link.thing),
  camera: link.thing.camera,
  name: link.name,
  user: link.maker.user,
  token_id: link.maker.tokenId,
  state: stateOf(link, now),
  uses: link.uses,
  opened: link.opened,
  has_pin: link.pinHash !== null,
  notify_on_open: link.notifiesOnOpen,
  created_at: link.createdAt,
  expires_at: link.expiresAt,
  revoked_at: link.revokedAt,
  openings: [...link.openings],
});

/** The thing as it is asked for. */
function whatOf(thing: SharedThing): z.output<typeof SHARED_THING> {
  const { camera } = thing;
  switch (thing.kind) {
    case 'event':
      return { event: thing.id };
    case 'review':
      return { review: thing.id };
    case 'recording':
      return { recording: { camera, from: thing.from, to: thing.to } };
    case 'live':
      return { live: { camera } };
    case 'snapshot':
      return { snapshot: { camera } };
  }
}
