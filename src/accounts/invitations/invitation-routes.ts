/** Invitations made, listed and revoked by admins, and used by those who have the link, as JSON (SPEC 12). */
import { z } from 'zod';
import { type Invitation, MAKERS_WITHOUT_ACCOUNT } from '../../domain/accounts/grant.ts';
import type { Caller } from '../../domain/caller.ts';
import { INVITATION_PATH } from '../../domain/page-paths.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { ANY, BODY_NO, named, SUCCESS } from '../../routes/shapes.ts';
import { shownAddress } from '../grants/grants.ts';
import { ACCEPTED, INVITATION, MADE_INVITATION } from '../http/answers.ts';
import { fieldsIn, MAYBE_GIVEN_TEXT, NEW_PASSWORD } from '../http/json-body.ts';
import {
  type AccountResponseDeps,
  type Call,
  declaring,
  type OpenCall,
  orByForm,
  orRefusedFields,
  Refused,
  refusedWhileBusy,
  refusedWhileLimited,
  unfit,
} from '../http/kernel.ts';
import { newCredential } from '../passkeys/credential.ts';
import { NEW_PASSKEY, NOT_ADDED, passkeyName, requireSite, USUAL_NAME } from '../passkeys/passkey-routes.ts';
import { toValidity, VALIDITY } from '../users/users.ts';
import {
  type AcceptDeps,
  acceptByPasskey,
  acceptInvitation,
  type InvitationAttempt,
  limited,
  type PasskeyAttempt,
} from './accept-invitation.ts';
import type { Invitations } from './invitations.ts';

export interface InvitationRouteDeps extends AccountResponseDeps, AcceptDeps {
  readonly invitations: Invitations;
  /** `auth.enabled`. */
  readonly hasOwnLogin: boolean;
  /** The page at that path for people, or undefined while `server.public_url` is not set. */
  readonly publicAddressOf: (path: string) => string | undefined;
  /** The page takes a form, and whatever else is not JSON. */
  readonly invitationForm: (ctx: RouteContext) => Promise<void>;
}

/** The answer to a stranger: a link that was never made and one that is over are the same. */
const VOID =
  'This link does not hold: it was used, is over, was replaced by a newer one, or never existed. Ask an administrator for a new one.';
const FOREIGN = 'The passkey was asked for by another link: begin again';
const HAS_FACTOR = 'This account has a second factor already: set a password by this link, then log in with both';
const NOT_OWN = 'For the own password there is PUT /api/users/{name}/password, with the current one';
const NO_PASSWORDS = 'Authentication is disabled';
const NO_LOGIN = 'auth.enabled is false: users log in at the authentication proxy, and have no password here';

const NEW_INVITATION = named(
  'NewInvitation',
  z.object({
    role: MAYBE_GIVEN_TEXT.meta({ description: 'Makes the user, with this role' }),
    ...VALIDITY.shape,
  }),
);
const INVITED_PASSWORD = named('InvitedPassword', z.object({ password: NEW_PASSWORD }));

const route = declaring<InvitationRouteDeps>();
const CHANGE = { access: 'admin', who: 'admin', proof: 'credentials' } as const;
const OPEN = { access: 'public', who: 'anyone', secret: true, before: unlessDisabled } as const;
const PASSKEY_PATH = `${INVITATION_PATH}/{token}/passkey`;

// biome-ignore format: a table
export const INVITATION_ROUTES: readonly OwnRoute<InvitationRouteDeps>[] = [
  route({ route: 'POST /api/users/{user}/invitation', ...CHANGE, summary: 'A link, good once, by which the user sets the own password; with a role the user is made', body: NEW_INVITATION, reads: 'maybe', yes: [201, MADE_INVITATION], no: [...BODY_NO, 404, 409], act: 'invitation-made', before: unlessDisabled, run: make }),
  route({ route: 'DELETE /api/users/{user}/invitation', ...CHANGE, summary: 'Revoke the link', yes: [200, SUCCESS], no: [404], act: 'invitation-revoked', run: revoke }),
  route({ route: 'GET /api/invitations', access: 'admin', who: 'admin', summary: 'Links that hold', yes: [200, z.array(INVITATION)],
    run: async (_, { invitations }) => (await invitations.list()).map(shown) }),
  // The token in the address is the credential.
  orByForm(route({ route: `POST ${INVITATION_PATH}/{token}`, ...OPEN, summary: 'Set the password, as JSON or by the form of the page', body: INVITED_PASSWORD, yes: [200, ACCEPTED], no: [...BODY_NO, 403, 404, 408, 429], type: 'text/html', run: accept }), (ctx, deps) => deps.invitationForm(ctx)),
  route({ route: `POST ${PASSKEY_PATH}/options`, ...OPEN, summary: 'What to ask an authenticator for, instead of a password', body: ANY, reads: 'json', yes: [200, ANY], no: [...BODY_NO, 404, 408, 409, 429], run: options }),
  route({ route: `POST ${PASSKEY_PATH}`, ...OPEN, summary: 'Set a passkey that verifies its user; the password is replaced by one that no person knows', body: NEW_PASSKEY, reads: 'json', yes: [200, ACCEPTED], no: [...BODY_NO, 404, 408, 409, 429], run: acceptPasskey }),
];

const shown = ({ user, madeBy, createdAt, expiresAt }: Invitation): z.output<typeof INVITATION> => ({
  user,
  made_by: madeBy.replace(/^:/, ''),
  created_at: createdAt,
  expires_at: expiresAt,
});

function unlessDisabled(
  { caller, params, note }: Pick<OpenCall<unknown>, 'caller' | 'params' | 'note'>,
  { hasOwnLogin }: InvitationRouteDeps,
): void {
  if (hasOwnLogin) return;
  if (caller?.credential.kind !== 'command-line') throw new Refused(404, NO_PASSWORDS);
  // A command is told so by the name of the key.
  note({ user: params['user'] ?? '' });
  throw unfit('user-absent', NO_LOGIN, 404);
}

async function make(
  call: Call<z.output<typeof NEW_INVITATION> | undefined>,
  deps: InvitationRouteDeps,
): Promise<object> {
  const { caller, body, note, ctx } = call;
  const user = userIn(call);
  note({ user });
  if (user === caller.name && caller.credential.kind === 'session') throw unfit('own-account', NOT_OWN, 409);
  const wanted = { user, role: body?.role, validity: body && toValidity(body), madeBy: makerName(caller) };
  const made = await deps.invitations.make(wanted);
  return { user: made.user, expires_at: made.expiresAt, ...shownAddress(made.path, ctx, deps.publicAddressOf) };
}

const userIn = ({ params }: Call<unknown>): string => params['user'] ?? '';

const makerName = ({ name, credential }: Caller): string =>
  credential.kind === 'internal-listener' ? MAKERS_WITHOUT_ACCOUNT.internalListener : name;

async function revoke(call: Call, { invitations }: InvitationRouteDeps): Promise<void> {
  const user = userIn(call);
  if ((await invitations.revoke(user)) === 'absent') throw new Refused(404, 'There is no such invitation');
  call.note({ user });
}

async function accept(
  { ctx, params, body }: OpenCall<{ password: string }>,
  deps: InvitationRouteDeps,
): Promise<object> {
  const outcome = await acceptInvitation({ token: params['token'] ?? '', password: body.password }, ctx, deps);
  if (outcome.kind !== 'accepted') throw refusedAttempt(outcome);
  return { success: true, user: outcome.user };
}

async function options({ ctx, params }: OpenCall, deps: InvitationRouteDeps): Promise<object> {
  const site = requireSite(deps.invitedPasskeys);
  const outcome = await limited(ctx, deps, () => deps.invitedPasskeys.options(params['token'] ?? '', site));
  if (outcome.kind !== 'asked') throw refusedAttempt(outcome);
  return outcome.options;
}

async function acceptPasskey({ ctx, params, body }: OpenCall, deps: InvitationRouteDeps): Promise<object> {
  const site = requireSite(deps.invitedPasskeys);
  const fields = orRefusedFields(fieldsIn(NEW_PASSKEY, body));
  const credential = orRefusedFields(newCredential(fields.credential));
  const name = orRefusedFields(passkeyName(fields.name || USUAL_NAME));
  const given = { token: params['token'] ?? '', credential, name, site };
  const outcome = await acceptByPasskey(given, ctx, deps);
  if (outcome.kind !== 'accepted') throw refusedAttempt(outcome);
  return { success: true, user: outcome.user };
}

type Failure = Exclude<InvitationAttempt | PasskeyAttempt, { readonly kind: 'accepted' }>;

function refusedAttempt(outcome: Failure): Refused {
  switch (outcome.kind) {
    case 'void':
      return new Refused(404, VOID);
    case 'password-unfit':
      return new Refused(400, outcome.message);
    case 'has-factor':
      return new Refused(409, HAS_FACTOR);
    case 'foreign':
      return new Refused(400, FOREIGN);
    case 'busy':
      return refusedWhileBusy();
    case 'limited':
      return refusedWhileLimited(outcome);
    default:
      return new Refused(NOT_ADDED[outcome.kind].status, NOT_ADDED[outcome.kind].message);
  }
}
