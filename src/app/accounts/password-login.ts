/** Who may use a password (`auth.password_login`), and the ways in that are left where nobody may (SPEC 16). */
import type { Logger } from 'pino';
import { admitted, type LoginDeps } from '../../accounts/login/login.ts';
import { type PostLoginDeps, settle } from '../../accounts/login/post-login.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { ADMIN, type UserName } from '../../domain/names.ts';
import type { RouteContext } from '../../routes/own-route.ts';
import type { Store } from '../../store/open-store.ts';

export const passwordRule =
  ({ password_login }: Settings['auth']): LoginDeps['mayUsePassword'] =>
  ({ role }) =>
    password_login === 'everyone' || (password_login === 'admins' && role === ADMIN);

/**
 * The session of an admin who accepted an invitation of the command line: its cookie. None where the password is good for a
 * login, and none for an account with a second factor: its owner shows that at a login.
 */
export const emergencySessions =
  (deps: PostLoginDeps) =>
  async (name: UserName, ctx: RouteContext): Promise<string | undefined> => {
    const user = await deps.store.findUser(name);
    if (!user || deps.mayUsePassword(user) || (await deps.secondFactor.wantedFrom(user)).length > 0) return undefined;
    const outcome = await settle(name, (client) => admitted(user, client, deps), ctx, deps);
    return outcome.kind === 'logged-in' ? outcome.cookie : undefined;
  };

/** Where no password is accepted, an admin needs a provider or a passkey. */
export async function warnWithoutAdmin(
  { accounts, signIns, secondFactor }: Pick<Store, 'accounts' | 'signIns' | 'secondFactor'>,
  log: Logger,
): Promise<void> {
  const [users, connected, factors] = await Promise.all([
    accounts.listUsers(),
    signIns.listSignIns(),
    secondFactor.listFactors(),
  ]);
  const ways = new Set([
    ...connected.map(({ user }) => user),
    ...factors.filter(({ kinds }) => kinds.includes('passkey')).map(({ user }) => user),
  ]);
  if (users.some(({ name, role }) => role === ADMIN && ways.has(name))) return;
  log.warn(
    'auth.password_login is none, and no admin has signed in by a provider or has a passkey yet: if no provider makes one, run "postern users invite NAME" with the name of an admin; the link opens a session, in which a provider is connected under Settings > Sign-ins',
  );
}
