/** `/api/links`: makes, lists and revokes links: the caller's own, for an admin those of all users (SPEC 13). */
import { z } from 'zod';
import type { LinkStore, UsedLink } from '../../domain/accounts/link.ts';
import { type Caller, isAdministrator, isDrawnFor } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { mayManageAccounts } from '../../domain/credentials.ts';
import type { SharedThing } from '../../domain/shared-thing.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { BODY_NO, named, SUCCESS } from '../../routes/shapes.ts';
import { LINK, MADE_LINK, SHARED_THING } from '../http/answers.ts';
import { unknownFields } from '../http/body-fields.ts';
import { refuse, refuseFields, refuseFor, respond } from '../http/responses.ts';
import { type AccountResponseDeps, jsonOf, record } from '../http/route-guards.ts';
import type { MadeLink } from './make-link.ts';
import { makerOf, type RequestLinkDeps, requestLink } from './request-link.ts';
import type { LinkRefusal } from './wanted-link.ts';

export interface LinkRouteDeps extends RequestLinkDeps, AccountResponseDeps {
  readonly linkStore: LinkStore;
  /** Whether `links.max_lifetime` is more than 0. */
  readonly hasLinks: boolean;
  /** The page at that path for people, or undefined while `server.public_url` is not set. */
  readonly publicAddressOf: (path: string) => string | undefined;
}

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

// biome-ignore format: a table
const STATUS_OF: Readonly<Record<LinkRefusal['reason'], number>> = {
  'what-invalid':   400,
  'expiry-invalid': 400,
  'uses-invalid':   400,
  'pin-invalid':    400,
  'name-invalid':   400,
  'notify-invalid': 400,
  'too-many':       409,
  'maker-gone':     403,
};

/** Links are made by who may export, for what they may see. */
// biome-ignore format: a table
export const LINK_ROUTES: readonly OwnRoute<LinkRouteDeps>[] = [
  { route: 'GET /api/links', access: 'any', note: "the caller's own; for an admin all", summary: "One's own links, with who opened them; as an admin, all", yes: [200, z.array(LINK)], handler: list },
  { route: 'POST /api/links', access: 'any', writes: true, verb: 'export', times: ['own-route'], note: 'never more than the maker sees', summary: 'Make a link: an address that shows one thing without an account', body: NEW_LINK, yes: [201, MADE_LINK], no: [...BODY_NO, 404, 409, 502, 504], handler: create },
  { route: 'DELETE /api/links/{id}', access: 'any', writes: true, note: "the caller's own; for an admin any", summary: 'Revoke a link', yes: [200, SUCCESS], no: [404], handler: revoke },
];

async function create(ctx: RouteContext, deps: LinkRouteDeps): Promise<void> {
  const { caller } = ctx.state;
  if (!caller) return refuseFor(ctx, 'no-credentials');
  if (!deps.hasLinks) return refuse(ctx, 404, NO_LINKS);
  const maker = await makerOf(caller, deps);
  if (!maker) return refuse(ctx, 403, NO_MAKER);
  const body = await jsonOf(ctx, deps);
  if (!body) return;
  const unknown = unknownFields(NEW_LINK, body.json);
  if (unknown.length > 0) return refuseFields(ctx, unknown);
  if (lastsLong(body.json) && caller.credential.kind === 'session' && deps.asksProof(caller, 'credentials'))
    return refuseFor(ctx, 'reauthentication-required');
  const made = await requestLink(Object(body.json), caller, maker, deps);
  if (made.ok) {
    record(ctx, deps, { what: 'link-created', linkId: made.value.link.id });
    return respond(ctx, 201, told(made.value, ctx, deps));
  }
  const { error } = made;
  record(ctx, deps, { what: 'link-created' }, typeof error === 'string' ? error : error.reason);
  if (typeof error === 'string') refuseFor(ctx, error);
  else refuse(ctx, STATUS_OF[error.reason], error.message);
}

/**
 * The longest life of a link without a fresh proof: by a longer one a stolen session could leave more behind than it is worth
 * itself.
 */
const LONG_SECONDS = 86_400;

/** What is no number of seconds is refused afterwards. */
function lastsLong(json: unknown): boolean {
  const seconds: unknown = Object(json).expires_in ?? 0;
  return typeof seconds === 'number' && seconds > LONG_SECONDS;
}

function told({ link, path }: MadeLink, ctx: RouteContext, { publicAddressOf, judge }: LinkRouteDeps) {
  const url = publicAddressOf(path);
  const { id, thing, expiresAt: expires_at } = link;
  const files = judge.filesOf(thing);
  return url === undefined
    ? { id, url: `${ctx.state.basePath ?? ''}${path}`, expires_at, files, note: NO_ADDRESS }
    : { id, url, expires_at, files };
}

async function list(ctx: RouteContext, { linkStore, clock }: LinkRouteDeps): Promise<void> {
  const { caller } = ctx.state;
  if (!caller) return refuseFor(ctx, 'no-credentials');
  const links = await linkStore.listLinks(seesAll(caller) ? undefined : caller.name);
  const now = unixSeconds(clock);
  respond(
    ctx,
    200,
    links
      .filter((link) => mayKnow(caller, link) && !isDrawnFor(caller, link.thing.camera))
      .map((link) => linkResponse(link, now)),
  );
}

const seesAll = (caller: Caller): boolean => isAdministrator(caller) && mayManageAccounts(caller);

/** A token knows the links that were made by it. A proxy's user and an account of the same name are two people. */
function mayKnow(caller: Caller, { maker }: Pick<UsedLink, 'maker'>): boolean {
  if (seesAll(caller)) return true;
  const { name, credential } = caller;
  if (credential.kind === 'api-token') return maker.tokenId === credential.tokenId;
  const isProxys = credential.kind === 'proxy-headers';
  return (
    (isProxys || credential.kind === 'session') && maker.user === name && (maker.userCreatedAt === null) === isProxys
  );
}

/** The link of another user answers 404, as an unknown one does. */
async function revoke(ctx: RouteContext, deps: LinkRouteDeps): Promise<void> {
  const { caller } = ctx.state;
  if (!caller) return refuseFor(ctx, 'no-credentials');
  const id = ctx.params['id'] ?? '';
  const link = await deps.linkStore.findLink({ id });
  const outcome =
    link && mayKnow(caller, link) ? await deps.linkStore.revokeLink(id, unixSeconds(deps.clock)) : 'absent';
  if (!link || outcome === 'absent') return refuse(ctx, 404, 'There is no such link');
  record(ctx, deps, { what: 'link-revoked', linkId: id, user: link.maker.user });
  respond(ctx, 200, { success: true });
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
