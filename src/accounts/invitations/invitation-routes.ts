/** Invitations made, listed and revoked by admins, and used by those who have the link, as JSON (SPEC 12). */
import { z } from 'zod';
import { type Invitation, MAKERS_WITHOUT_ACCOUNT } from '../../domain/accounts/grant.ts';
import type { Caller } from '../../domain/caller.ts';
import { INVITATION_PATH } from '../../domain/login-path.ts';
import { BODY_LIMITS } from '../../domain/read-body.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { BODY_NO, named, SUCCESS } from '../../routes/shapes.ts';
import { ACCEPTED, INVITATION, MADE_INVITATION } from '../http/answers.ts';
import { fieldsIn, isJson, MAYBE_GIVEN_TEXT, NEW_PASSWORD, readJson } from '../http/json-body.ts';
import { type AccountResponseDeps, type Call, declaring, Refused } from '../http/kernel.ts';
import { refuse, refuseBody, refuseFields, refuseWhileBusy, refuseWhileLimited, respond } from '../http/responses.ts';
import { orUserRefusal } from '../users/user-routes.ts';
import { VALIDITY, validityOf } from '../users/users.ts';
import { type AcceptDeps, acceptInvitation } from './accept-invitation.ts';
import type { Invitations, MadeInvitation } from './invitations.ts';

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
export const VOID =
  'This link does not hold: it was used, is over, was replaced by a newer one, or never existed. Ask an administrator for a new one.';
const NOT_OWN = 'For the own password there is PUT /api/users/{name}/password, with the current one';
export const NO_PASSWORDS = 'Authentication is disabled';
const NO_ADDRESS = 'server.public_url is not set: put the address of this service in front of the path';

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

// biome-ignore format: a table
export const INVITATION_ROUTES: readonly OwnRoute<InvitationRouteDeps>[] = [
  route({ route: 'POST /api/users/{user}/invitation', ...CHANGE, summary: 'A link, good once, by which the user sets the own password; with a role the user is made', body: NEW_INVITATION, reads: 'maybe', yes: [201, MADE_INVITATION], no: [...BODY_NO, 404, 409], act: 'invitation-made', before: unlessDisabled, run: make }),
  route({ route: 'DELETE /api/users/{user}/invitation', ...CHANGE, summary: 'Revoke the link', yes: [200, SUCCESS], no: [404], act: 'invitation-revoked', run: revoke }),
  route({ route: 'GET /api/invitations', access: 'admin', who: 'admin', summary: 'Links that hold', yes: [200, z.array(INVITATION)],
    run: async (_, { invitations }) => (await invitations.list()).map(shown) }),
  // The token in the address is the credential.
  { route: `POST ${INVITATION_PATH}/{token}`, access: 'public', secret: true, summary: 'Set the password, as JSON or by the form of the page', body: INVITED_PASSWORD, yes: [200, ACCEPTED], no: [...BODY_NO, 403, 404, 408, 429], type: 'text/html',
    handler: (ctx, deps) => (isJson(ctx) ? accept(ctx, deps) : deps.invitationForm(ctx)) },
];

const shown = ({ user, madeBy, createdAt, expiresAt }: Invitation): z.output<typeof INVITATION> => ({
  user,
  made_by: madeBy.replace(/^:/, ''),
  created_at: createdAt,
  expires_at: expiresAt,
});

function unlessDisabled(_: Call, { hasOwnLogin }: InvitationRouteDeps): void {
  if (!hasOwnLogin) throw new Refused(404, NO_PASSWORDS);
}

async function make(
  call: Call<z.output<typeof NEW_INVITATION> | undefined>,
  deps: InvitationRouteDeps,
): Promise<object> {
  const { caller, body, note, ctx } = call;
  const user = userIn(call);
  note({ user });
  if (user === caller.name && caller.credential.kind === 'session')
    throw new Refused(409, NOT_OWN, { recorded: 'own-account' });
  const wanted = { user, role: body?.role, validity: body && validityOf(body), madeBy: makerOf(caller) };
  return told(orUserRefusal(await deps.invitations.make(wanted)), ctx?.state.basePath, deps);
}

const userIn = ({ params }: Call<unknown>): string => params['user'] ?? '';

const makerOf = ({ name, credential }: Caller): string =>
  credential.kind === 'internal-listener' ? MAKERS_WITHOUT_ACCOUNT.internalListener : name;

function told({ user, path, expiresAt }: MadeInvitation, basePath = '', deps: InvitationRouteDeps) {
  const url = deps.publicAddressOf(path);
  const made = { user, expires_at: expiresAt };
  return url === undefined ? { url: `${basePath}${path}`, ...made, note: NO_ADDRESS } : { url, ...made };
}

async function revoke(call: Call, { invitations }: InvitationRouteDeps): Promise<void> {
  const user = userIn(call);
  if ((await invitations.revoke(user)) === 'absent') throw new Refused(404, 'There is no such invitation');
  call.note({ user });
}

async function accept(ctx: RouteContext, deps: InvitationRouteDeps): Promise<void> {
  if (!deps.hasOwnLogin) return refuse(ctx, 404, NO_PASSWORDS);
  const body = await readJson(ctx.req, { bytes: BODY_LIMITS.credentials, seconds: deps.bodySeconds() });
  if (!body.ok) return refuseBody(ctx, body.error);
  const fields = fieldsIn(INVITED_PASSWORD, body.value);
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
