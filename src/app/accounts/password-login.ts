/** Who may use a password (`auth.password_login`), and the ways in that are left where nobody may (SPEC 16). */
import type { Logger } from 'pino';
import type { AcceptDeps } from '../../accounts/invitations/accept-invitation.ts';
import { admitted } from '../../accounts/login/login.ts';
import { type AttemptServices, settle } from '../../accounts/login/post-login.ts';
import { ADMIN } from '../../domain/names.ts';
import type { Store } from '../../store/open-store.ts';

/**
 * The session of a person who has accepted an invitation. A password begins none where it is no good for a login (but that of
 * an admin's invitation of the command line does), and none beside a second factor: its owner shows that at a login.
 */
export const invitedSessions =
  (deps: AttemptServices): AcceptDeps['beginSession'] =>
  async ({ user: name, since, isEmergency = false, factor }, ctx) => {
    const user = await deps.store.accounts.findUser(name);
    // Deleted, and perhaps made again, since the link was used.
    if (!user || user.createdAt !== since) return LOGIN_OWED;
    const mayBegin = factor !== undefined || isEmergency || deps.mayUsePassword(user);
    if (!mayBegin || (!factor && (await deps.secondFactor.wantedFrom(user)).length > 0)) return LOGIN_OWED;
    const closed = await deps.closedOf(user);
    if (closed) return { ...LOGIN_OWED, ...(closed.opens && { opensAt: closed.opens.at }) };
    const outcome = await settle(name, (client) => admitted(user, client, deps, factor), ctx, deps);
    return outcome.kind === 'logged-in' ? { kind: 'begun', cookie: outcome.cookie } : LOGIN_OWED;
  };

const LOGIN_OWED = { kind: 'login-owed' } as const;

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
