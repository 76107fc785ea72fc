/** `POST /invitation/{token}/passkey` and its options: a passkey instead of a password (SPEC 12). */

import { INVITATION_PATH } from '../../domain/login-path.ts';
import { BODY_LIMITS } from '../../domain/read-body.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { ANY, BODY_NO } from '../../routes/shapes.ts';
import { ACCEPTED } from '../http/answers.ts';
import { fieldsIn, readJson } from '../http/json-body.ts';
import { refuse, refuseBody, refuseFields, refuseWhileBusy, refuseWhileLimited, respond } from '../http/responses.ts';
import { newCredential, type RelyingParty } from '../passkeys/credential.ts';
import { NEW_PASSKEY, NOT_ADDED, passkeyName, USUAL_NAME } from '../passkeys/passkey-routes.ts';
import { acceptByPasskey, limited, type PasskeyAttempt } from './accept-invitation.ts';
import { type InvitationRouteDeps, NO_PASSWORDS, VOID } from './invitation-routes.ts';

type InvitedPasskeyDeps = Omit<InvitationRouteDeps, 'invitationForm'>;

const PATH = `${INVITATION_PATH}/{token}/passkey`;
const FOREIGN = 'The passkey was asked for by another link: begin again';
const HAS_FACTOR = 'This account has a second factor already: set a password by this link, then log in with both';

// biome-ignore format: a table
export const INVITED_PASSKEY_ROUTES: readonly OwnRoute<InvitedPasskeyDeps>[] = [
  { route: `POST ${PATH}/options`, access: 'public', secret: true, summary: 'What to ask an authenticator for, instead of a password', yes: [200, ANY], no: [...BODY_NO, 404, 408, 409, 429], handler: sendOptions },
  { route: `POST ${PATH}`, access: 'public', secret: true, summary: 'Set a passkey that verifies its user; the password is replaced by one that no person knows', body: NEW_PASSKEY, yes: [200, ACCEPTED], no: [...BODY_NO, 404, 408, 409, 429], handler: accept },
];

async function sendOptions(ctx: RouteContext, deps: InvitedPasskeyDeps): Promise<void> {
  const asked = await bodyOf(ctx, deps);
  if (!asked) return;
  const { token, site } = asked;
  const outcome = await limited(ctx, deps, () => deps.invitedPasskeys.options(token, site));
  if (outcome.kind === 'asked') respond(ctx, 200, outcome.options);
  else await refuseAttempt(ctx, outcome);
}

async function accept(ctx: RouteContext, deps: InvitedPasskeyDeps): Promise<void> {
  const asked = await bodyOf(ctx, deps);
  if (!asked) return;
  const { token, json, site } = asked;
  const fields = fieldsIn(NEW_PASSKEY, json);
  if (!fields.ok) return refuseFields(ctx, fields.error);
  const credential = newCredential(fields.value.credential);
  if (!credential.ok) return refuseFields(ctx, credential.error);
  const name = passkeyName(fields.value.name || USUAL_NAME);
  if (!name.ok) return refuseFields(ctx, name.error);
  const given = { token, credential: credential.value, name: name.value, site };
  const outcome = await acceptByPasskey(given, ctx, deps);
  if (outcome.kind === 'accepted') respond(ctx, 200, { success: true, user: outcome.user });
  else await refuseAttempt(ctx, outcome);
}

async function refuseAttempt(ctx: RouteContext, outcome: Exclude<PasskeyAttempt, { kind: 'accepted' }>): Promise<void> {
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
async function bodyOf(ctx: RouteContext, deps: InvitedPasskeyDeps): Promise<PasskeyRequest | undefined> {
  if (!deps.hasOwnLogin) return void refuse(ctx, 404, NO_PASSWORDS);
  const body = await readJson(ctx.req, { bytes: BODY_LIMITS.credentials, seconds: deps.bodySeconds() });
  if (!body.ok) return void refuseBody(ctx, body.error);
  const { site } = deps.invitedPasskeys;
  if (!site.ok) return void refuse(ctx, 409, site.error);
  return { token: ctx.params['token'] ?? '', json: body.value, site: site.value };
}
