/** `POST /invitation/{token}/passkey` and its options: a passkey instead of a password (SPEC 12). */
import Router from 'koa-router';
import { BODY_LIMITS } from '../../domain/body-limits.ts';
import { INVITATION_PATH } from '../../domain/login-path.ts';
import type { RouteState } from '../../domain/verdict.ts';
import { stringFields } from '../http/body-fields.ts';
import { readJson } from '../http/read-json.ts';
import {
  refuse,
  refuseBody,
  refuseFields,
  refuseMethod,
  refuseWhileBusy,
  refuseWhileLimited,
  respond,
} from '../http/responses.ts';
import type { AccountRouterContext } from '../http/route-guards.ts';
import { newCredential } from '../passkeys/credential-json.ts';
import { NOT_ADDED, passkeyName, USUAL_NAME } from '../passkeys/passkey-routes.ts';
import type { RelyingParty } from '../passkeys/relying-party.ts';
import { acceptByPasskey, limited, type PasskeyAttempt } from './accept-invitation.ts';
import { type InvitationRouteDeps, NO_PASSWORDS, VOID } from './invitation-routes.ts';

const PATH = `${INVITATION_PATH}/:token/passkey`;
const FOREIGN = 'The passkey was asked for by another link: begin again';
const HAS_FACTOR = 'This account has a second factor already: set a password by this link, then log in with both';

export function createInvitedPasskeyRoutes(deps: InvitationRouteDeps): Router<RouteState> {
  const router = new Router<RouteState>({ strict: true, sensitive: true });
  router.post(`${PATH}/options`, (ctx) => sendOptions(ctx, deps));
  router.post(PATH, (ctx) => accept(ctx, deps));
  router.all([PATH, `${PATH}/options`], refuseMethod('POST'));
  return router;
}

async function sendOptions(ctx: AccountRouterContext, deps: InvitationRouteDeps): Promise<void> {
  const asked = await bodyOf(ctx, deps);
  if (!asked) return;
  const { token, site } = asked;
  const outcome = await limited(ctx, deps, () => deps.invitedPasskeys.options(token, site));
  if (outcome.kind === 'asked') respond(ctx, 200, outcome.options);
  else await refuseAttempt(ctx, outcome);
}

async function accept(ctx: AccountRouterContext, deps: InvitationRouteDeps): Promise<void> {
  const asked = await bodyOf(ctx, deps);
  if (!asked) return;
  const { token, json, site } = asked;
  const fields = stringFields(json, { required: [], optional: ['name'] });
  if (!fields.ok) return refuseFields(ctx, fields.error);
  const credential = newCredential(Object(json)['credential']);
  if (!credential.ok) return refuseFields(ctx, credential.error);
  const name = passkeyName(fields.value.name || USUAL_NAME);
  if (!name.ok) return refuseFields(ctx, name.error);
  const given = { token, credential: credential.value, name: name.value, site };
  const outcome = await acceptByPasskey(given, ctx, deps);
  if (outcome.kind === 'accepted') respond(ctx, 200, { success: true, user: outcome.user });
  else await refuseAttempt(ctx, outcome);
}

async function refuseAttempt(
  ctx: AccountRouterContext,
  outcome: Exclude<PasskeyAttempt, { kind: 'accepted' }>,
): Promise<void> {
  switch (outcome.kind) {
    case 'void':
      return refuse(ctx, 404, VOID);
    case 'has-factor':
      return refuse(ctx, 409, HAS_FACTOR);
    case 'foreign':
      return refuse(ctx, 400, FOREIGN);
    case 'busy':
      return refuseWhileBusy(ctx);
    case 'limited':
      return refuseWhileLimited(ctx, outcome);
    default:
      return refuse(ctx, NOT_ADDED[outcome.kind].status, NOT_ADDED[outcome.kind].message);
  }
}

interface PasskeyRequest {
  readonly token: string;
  readonly json: unknown;
  readonly site: RelyingParty;
}

/** Undefined when the response is set already. */
async function bodyOf(ctx: AccountRouterContext, deps: InvitationRouteDeps): Promise<PasskeyRequest | undefined> {
  if (!deps.hasOwnLogin) return void refuse(ctx, 404, NO_PASSWORDS);
  const body = await readJson(ctx.req, { bytes: BODY_LIMITS.credentials, seconds: deps.bodySeconds() });
  if (!body.ok) return void refuseBody(ctx, body.error);
  const { site } = deps.invitedPasskeys;
  if (!site.ok) return void refuse(ctx, 409, site.error);
  return { token: ctx.params['token'] ?? '', json: body.value, site: site.value };
}
