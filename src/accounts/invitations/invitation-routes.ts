/** Invitations made, listed and revoked by admins, and used by those who have the link, as JSON (SPEC 12). */
import Router from 'koa-router';
import { type Invitation, MAKERS_WITHOUT_ACCOUNT } from '../../domain/accounts/invitation.ts';
import { BODY_LIMITS } from '../../domain/body-limits.ts';
import type { Caller } from '../../domain/caller.ts';
import { INVITATION_PATH } from '../../domain/login-path.ts';
import type { RouteState } from '../../domain/verdict.ts';
import { stringFields } from '../http/body-fields.ts';
import { readJson } from '../http/read-json.ts';
import {
  refuse,
  refuseBody,
  refuseFields,
  refuseFor,
  refuseMethod,
  refuseWhileBusy,
  refuseWhileLimited,
  respond,
} from '../http/responses.ts';
import {
  type AccountResponseDeps,
  type AccountRouterContext,
  afterProof,
  forAdmins,
  jsonOf,
  record,
} from '../http/route-guards.ts';
import { STATUS_OF } from '../users/user-responses.ts';
import { validityIn } from '../users/validity.ts';
import { type AcceptDeps, acceptInvitation } from './accept-invitation.ts';
import type { Invitations, MadeInvitation } from './invitations.ts';

export interface InvitationRouteDeps extends AccountResponseDeps, AcceptDeps {
  readonly invitations: Invitations;
  /** `auth.enabled`. */
  readonly hasOwnLogin: boolean;
  /** The page at that path for people, or undefined while `server.public_url` is not set. */
  readonly publicAddressOf: (path: string) => string | undefined;
}

/** The answer to a stranger: a link that was never made and one that is over are the same. */
export const VOID =
  'This link does not hold: it was used, is over, was replaced by a newer one, or never existed. Ask an administrator for a new one.';
const NOT_OWN = 'For the own password there is PUT /api/users/{name}/password, with the current one';
export const NO_PASSWORDS = 'Authentication is disabled';
const NO_ADDRESS = 'server.public_url is not set: put the address of this service in front of the path';

export function createInvitationRoutes(deps: InvitationRouteDeps): Router<RouteState> {
  const router = new Router<RouteState>({ strict: true, sensitive: true });
  const ofUser = '/api/users/:user/invitation';
  router.post(ofUser, forAdmins(afterProof('credentials', deps, (ctx) => make(ctx, deps))));
  router.delete(ofUser, forAdmins(afterProof('credentials', deps, (ctx) => revoke(ctx, deps))));
  router.all(ofUser, refuseMethod('POST, DELETE'));
  router.get(
    '/api/invitations',
    forAdmins(async (ctx) => respond(ctx, 200, (await deps.invitations.list()).map(shown))),
  );
  router.all('/api/invitations', refuseMethod('GET, HEAD'));
  // A form, and whatever else is not JSON, is for the page.
  router.post(`${INVITATION_PATH}/:token`, (ctx, next) => (isJson(ctx) ? accept(ctx, deps) : next()));
  return router;
}

const isJson = (ctx: AccountRouterContext): boolean => /^application\/json/i.test(ctx.get('Content-Type'));

const shown = ({ user, madeBy, createdAt, expiresAt }: Invitation) => ({
  user,
  made_by: madeBy.replace(/^:/, ''),
  created_at: createdAt,
  expires_at: expiresAt,
});

async function make(ctx: AccountRouterContext, deps: InvitationRouteDeps): Promise<void> {
  const name = ctx.params['user'] ?? '';
  const { caller } = ctx.state;
  if (!caller) return refuseFor(ctx, 'no-credentials');
  if (!deps.hasOwnLogin) return refuse(ctx, 404, NO_PASSWORDS);
  const hasBody = Number(ctx.get('Content-Length') || 0) > 0 || ctx.get('Transfer-Encoding') !== '';
  const read = hasBody ? await jsonOf(ctx, deps) : { json: {} };
  if (!read) return;
  const body = stringFields(read.json, { required: [], optional: ['role'] });
  if (!body.ok) return refuseFields(ctx, body.error);
  const validity = validityIn(read.json);
  if (!validity.ok) return refuseFields(ctx, validity.error);
  const act = { what: 'invitation-made', user: name } as const;
  if (name === caller.name && caller.credential.kind === 'session') {
    record(ctx, deps, act, 'own-account');
    return refuse(ctx, 409, NOT_OWN);
  }
  const made = await deps.invitations.make({
    user: name,
    role: body.value.role,
    validity: validity.value,
    madeBy: makerOf(caller),
  });
  record(ctx, deps, act, made.ok ? undefined : made.error.reason);
  if (made.ok) respond(ctx, 201, told(made.value, ctx, deps));
  else if (made.error.reason === 'busy') refuseWhileBusy(ctx);
  else refuse(ctx, STATUS_OF[made.error.reason], made.error.message);
}

const makerOf = ({ name, credential }: Caller): string =>
  credential.kind === 'internal-listener' ? MAKERS_WITHOUT_ACCOUNT.internalListener : name;

function told({ user, path, expiresAt }: MadeInvitation, ctx: AccountRouterContext, deps: InvitationRouteDeps) {
  const url = deps.publicAddressOf(path);
  const made = { user, expires_at: expiresAt };
  return url === undefined
    ? { url: `${ctx.state.basePath ?? ''}${path}`, ...made, note: NO_ADDRESS }
    : { url, ...made };
}

async function revoke(ctx: AccountRouterContext, deps: InvitationRouteDeps): Promise<void> {
  const name = ctx.params['user'] ?? '';
  if ((await deps.invitations.revoke(name)) === 'absent') return refuse(ctx, 404, 'There is no such invitation');
  record(ctx, deps, { what: 'invitation-revoked', user: name });
  respond(ctx, 200, { success: true });
}

async function accept(ctx: AccountRouterContext, deps: InvitationRouteDeps): Promise<void> {
  if (!deps.hasOwnLogin) return refuse(ctx, 404, NO_PASSWORDS);
  const body = await readJson(ctx.req, { bytes: BODY_LIMITS.credentials, seconds: deps.bodySeconds() });
  if (!body.ok) return refuseBody(ctx, body.error);
  const fields = stringFields(body.value, { required: ['password'] });
  if (!fields.ok) return refuseFields(ctx, fields.error);
  const given = { token: ctx.params['token'] ?? '', password: fields.value.password };
  const outcome = await acceptInvitation(given, ctx, deps);
  switch (outcome.kind) {
    case 'accepted':
      return respond(ctx, 200, { success: true, user: outcome.user });
    case 'void':
      return refuse(ctx, 404, VOID);
    case 'password-unfit':
      return refuse(ctx, 400, outcome.message);
    case 'busy':
      return refuseWhileBusy(ctx);
    case 'limited':
      return refuseWhileLimited(ctx, outcome);
  }
}
