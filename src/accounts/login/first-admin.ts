/** The admin of the first start, and the admin's new password when a reset is asked for (interface 2.1, 5.2). */

import { randomBytes } from 'node:crypto';
import type { Services } from '../../app/services.ts';
import { unixSeconds } from '../../domain/clock.ts';
import { ADMIN, type Role, type UserName } from '../../domain/names.ts';
import type { AccountStore } from '../../store/accounts/accounts.ts';

export interface NewAdminPassword {
  readonly user: UserName;
  readonly password: string;
  /** `auth.password_login` is `none`: the password opens nothing. */
  readonly isPasswordOff?: true;
}

interface FirstAdminParts extends Pick<Services, 'clock' | 'hasher'> {
  readonly store: Pick<AccountStore, 'countUsers' | 'addUser' | 'setPassword' | 'setRole'>;
  /** `auth.reset_admin_password`. */
  readonly reset: boolean;
  /** Begun before; absent: it is made when it is needed. */
  readonly made?: ReturnType<typeof makePassword> | undefined;
}

export const FIRST_ADMIN = 'admin' as UserName;
const PASSWORD_BYTES = 16;

/** Undefined when there is nothing to print: users are there, and no reset is asked for. */
export async function ensureFirstAdmin(deps: FirstAdminParts): Promise<NewAdminPassword | undefined> {
  const { store, reset } = deps;
  if (!reset && (await store.countUsers()) > 0) return undefined;
  const { password, passwordHash } = await (deps.made ?? makePassword(deps.hasher));
  const isSet = await setAdminPassword(passwordHash, deps);
  return isSet ? { user: FIRST_ADMIN, password } : undefined;
}

/** Takes a tenth of a second in a thread: a first start does the rest beside it. */
export async function makePassword(hasher: FirstAdminParts['hasher']) {
  const password = randomBytes(PASSWORD_BYTES).toString('hex');
  const passwordHash = await hasher.hash(password);
  if (passwordHash === undefined) throw new Error('no password can be hashed at start: too many are waiting');
  return { password, passwordHash };
}

/** What `GET /api/auth/first_time_login` tells the login page. */
export type FirstTimeLogin = ReturnType<typeof createFirstTimeLogin>;

/** Awaited from the making of an admin's password until an admin has logged in. */
export function createFirstTimeLogin(isPasswordNew: boolean) {
  let isAwaited = isPasswordNew;
  return {
    isAwaited: (): boolean => isAwaited,
    onNewPassword(): void {
      isAwaited = true;
    },
    onLogin(role: Role): void {
      if (role === ADMIN) isAwaited = false;
    },
  };
}

/** False when another process, started at the same time, was first: the password that it prints is the one. */
async function setAdminPassword(passwordHash: string, { store, clock, reset }: FirstAdminParts): Promise<boolean> {
  const row = { passwordHash, createdAt: unixSeconds(clock), passwordChangedAt: null };
  const added = await store.addUser({ name: FIRST_ADMIN, role: ADMIN, ...row, passwordIsGenerated: true });
  if (added === 'added' || !reset) return added === 'added';
  const changed = await store.setPassword(FIRST_ADMIN, passwordHash, unixSeconds(clock), undefined, true);
  if (changed === 'absent')
    throw new Error(
      `the admin "${FIRST_ADMIN}" cannot be made: a user has a name that differs in case only; remove it with "postern users delete"`,
    );
  await store.setRole(FIRST_ADMIN, ADMIN);
  return true;
}

/** Where no password is accepted, an admin needs a provider or a passkey. */
export async function warnWithoutAdmin({ store, log }: Pick<Services, 'store' | 'log'>): Promise<void> {
  const [admins, connected, holders] = await Promise.all([
    store.accounts.listUsers({ role: ADMIN }),
    store.signIns.listSignIns(),
    store.secondFactor.passkeyUsers(),
  ]);
  const ways = new Set([...connected.map(({ user }) => user), ...holders]);
  if (admins.some(({ name }) => ways.has(name))) return;
  log.warn(
    'auth.password_login is none, and no admin has signed in by a provider or has a passkey yet: if no provider makes one, run "postern users invite NAME" with the name of an admin; the link opens a session, in which a provider is connected under Settings > Sign-ins',
  );
}
