/** Invitations made, listed and revoked by admins, and used by guests who have the link, as JSON (SPEC 12). */
import { z } from 'zod';
import type { Services } from '../../app/services.ts';
import { MAKERS_WITHOUT_ACCOUNT, NEW_GRANT } from '../../domain/accounts/grant.ts';
import type { Caller } from '../../domain/caller.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { INVITATION_PATH } from '../../domain/page-paths.ts';
import type { OwnRoute } from '../../routes/own-route.ts';
import { ANY, answer, BODY_NO, described, SUCCESS } from '../../routes/shapes.ts';
import type { Invitation } from '../../store/engine/tables.ts';
import { newGrant, shownAddress } from '../grants/grants.ts';
import { ACCEPTED, INVITATION, MADE_INVITATION } from '../http/answers.ts';
import { MAYBE_GIVEN_TEXT, NEW_PASSWORD, thingName } from '../http/json-body.ts';
import { type Call, declaring, type OpenCall, orByForm, orRefusedFields, Refused, unfit } from '../http/kernel.ts';
import { NEW_PASSKEY, USUAL_NAME } from '../passkeys/passkey-routes.ts';
import { requireParty } from '../passkeys/passkeys.ts';
import { addUser, userAbsent, VALIDITY } from '../users/users.ts';
import { acceptByPasskey, acceptByPassword, passkeyOptions } from './invitations.ts';

const NOT_OWN = 'For the own password there is PUT /api/users/{name}/password, with the current one';
const NO_PASSWORDS = 'Authentication is disabled';
const NO_LOGIN = 'auth.enabled is false: users log in at the authentication proxy, and have no password here';

const NEW_INVITATION = described('NewInvitation', {
  role: MAYBE_GIVEN_TEXT.meta({ description: 'Makes the user, with this role' }),
  ...VALIDITY.shape,
});
const INVITED_PASSWORD = described('InvitedPassword', { password: NEW_PASSWORD });

const route = declaring<Services>();
const CHANGE = { access: 'admin', who: 'admin', proof: 'credentials' } as const;
const OPEN = { access: 'public', who: 'anyone', secret: true, before: unlessDisabled } as const;
const PASSKEY_PATH = `${INVITATION_PATH}/{token}/passkey`;

// biome-ignore format: a table
export const INVITATION_ROUTES: readonly OwnRoute<Services>[] = [
  route({ route: 'POST /api/users/{user}/invitation', ...CHANGE, summary: 'A link, good once, by which the user sets the own password; with a role the user is made', body: NEW_INVITATION, reads: 'maybe', yes: [201, MADE_INVITATION], no: [...BODY_NO, 404, 409], act: 'invitation-made', before: unlessDisabled, run: make }),
  route({ route: 'DELETE /api/users/{user}/invitation', ...CHANGE, summary: 'Revoke the link', yes: [200, SUCCESS], no: [404], act: 'invitation-revoked', run: revoke }),
  route({ route: 'GET /api/invitations', access: 'admin', who: 'admin', summary: 'Links that hold', yes: [200, z.array(INVITATION)],
    run: async (_, { store, clock }) => (await store.invitations.listInvitations(unixSeconds(clock))).map(shown) }),
  // The token in the address is the credential.
  orByForm(route({ route: `POST ${INVITATION_PATH}/{token}`, ...OPEN, summary: 'Set the password, as JSON or by the form of the page', body: INVITED_PASSWORD, yes: [200, ACCEPTED], no: [...BODY_NO, 403, 404, 408, 429], type: 'text/html', run: accept }), (ctx, deps) => deps.invitationForm(ctx)),
  route({ route: `POST ${PASSKEY_PATH}/options`, ...OPEN, summary: 'What to ask an authenticator for, instead of a password', body: ANY, yes: [200, ANY], no: [...BODY_NO, 404, 408, 409, 429], run: options }),
  route({ route: `POST ${PASSKEY_PATH}`, ...OPEN, summary: 'Set a passkey that verifies its user; the password is replaced by one that no person knows', body: NEW_PASSKEY, yes: [200, ACCEPTED], no: [...BODY_NO, 404, 408, 409, 429], before: unlessOff, run: acceptPasskey }),
];

const shown = (held: Invitation) => answer(INVITATION, { ...held, madeBy: held.madeBy.replace(/^:/, '') });

function unlessDisabled(
  { caller, params, note }: Pick<OpenCall<unknown>, 'caller' | 'params' | 'note'>,
  { settings }: Services,
): void {
  if (settings.auth.enabled) return;
  if (caller?.credential.kind !== 'command-line') throw new Refused(404, 'login-off', NO_PASSWORDS);
  // A command is told so by the name of the key.
  note({ user: params['user'] ?? '' });
  throw unfit('user-absent', NO_LOGIN, 404);
}

async function make(call: Call<z.output<typeof NEW_INVITATION> | undefined>, deps: Services): Promise<object> {
  const { caller, body, note, ctx } = call;
  const { store, clock, settings } = deps;
  const name = userIn(call);
  note({ user: name });
  if (name === caller.name && caller.credential.kind === 'session') throw unfit('own-account', NOT_OWN, 409);
  // Without a role the account is there already, and keeps its own.
  if (body?.role !== undefined) await addUser({ name, role: body.role, validity: body }, deps);
  const user = await store.accounts.findUser(name);
  if (!user) throw userAbsent();
  const createdAt = unixSeconds(clock);
  const { validFrom = createdAt, validUntil = Number.POSITIVE_INFINITY } = user;
  if (validUntil <= createdAt)
    throw unfit(['validity-unfit', { why: 'ended' }], 'The account has ended: extend it first');
  // A guest's link holds until the account has begun, too, and never longer than the account.
  const expiresAt = Math.min(Math.max(createdAt, validFrom) + settings.auth.invitation_lifetime, validUntil);
  const { secret, ...made } = newGrant();
  const bound = { user: user.name, userCreatedAt: user.createdAt, madeBy: makerName(caller) };
  const invitation = { ...NEW_GRANT, ...made, ...bound, createdAt, expiresAt };
  if ((await store.grants.add('invitation', invitation)) === 'absent') throw userAbsent();
  const address = shownAddress(`${INVITATION_PATH}/${secret}`, ctx, deps.publicAddressOf);
  return { user: user.name, expires_at: expiresAt, ...address };
}

const userIn = ({ params }: Call<unknown>): string => params['user'] ?? '';

const makerName = ({ name, credential }: Caller): string =>
  credential.kind === 'internal-listener' ? MAKERS_WITHOUT_ACCOUNT.internalListener : name;

async function revoke(call: Call, { store, clock }: Services): Promise<void> {
  const user = userIn(call);
  const outcome = await store.grants.revoke('invitation', { user }, unixSeconds(clock));
  if (outcome === 'absent') throw new Refused(404, 'absent', 'There is no such invitation');
  call.note({ user });
}

async function accept({ ctx, params, body }: OpenCall<{ password: string }>, deps: Services): Promise<object> {
  const { user } = await acceptByPassword({ token: params['token'] ?? '', password: body.password }, ctx, deps);
  return { success: true, user };
}

function options({ ctx, params }: OpenCall, deps: Services): Promise<object> {
  return passkeyOptions(params['token'] ?? '', requireParty(deps), ctx, deps);
}

function unlessOff(call: OpenCall<unknown>, deps: Services): void {
  unlessDisabled(call, deps);
  requireParty(deps);
}

async function acceptPasskey(
  { ctx, params, body }: OpenCall<z.output<typeof NEW_PASSKEY>>,
  deps: Services,
): Promise<object> {
  const [name, party] = [orRefusedFields(thingName(body.name || USUAL_NAME)), requireParty(deps)];
  const { user } = await acceptByPasskey({ token: params['token'] ?? '', name, party }, body.credential, ctx, deps);
  return { success: true, user };
}
