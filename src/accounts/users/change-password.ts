/** Who may change whose password, and what they must know for it (interface 5.1.6; SPEC 4.3). */
import type { Services } from '../../app/services.ts';
import type { User } from '../../domain/accounts/account.ts';
import { type Caller, isAdministrator } from '../../domain/caller.ts';
import { onAccountOf } from '../login/code-guess.ts';
import { type GuessOutcome, type GuessServices, judgeGuess } from '../login/password-guess.ts';
import type { UserFault } from './users.ts';

export interface PasswordChange {
  readonly caller: Caller;
  readonly address: string;
  /** Whose password. */
  readonly name: string;
  readonly password: string;
  readonly oldPassword: string | undefined;
  /** Aborted when the client has left. */
  readonly signal?: AbortSignal | undefined;
}

export type ChangeServices = GuessServices & Pick<Services, 'store' | 'users' | 'codeLimiter'>;

export type ChangeFault = UserFault | 'not-own' | 'old-password-missing' | 'old-password-wrong';

export type ChangeOutcome =
  | { readonly kind: 'changed'; readonly user: User }
  | { readonly kind: 'refused'; readonly reason: ChangeFault; readonly message: string }
  | Extract<GuessOutcome, { kind: 'limited' | 'busy' }>;

/**
 * An administrator sets the password of another account without the old one. The own password always needs it:
 * an open browser or a stolen session must not be enough to take an account over.
 */
export async function changePassword(change: PasswordChange, deps: ChangeServices): Promise<ChangeOutcome> {
  const { caller, name, password } = change;
  const isOwn = name === caller.name;
  if (!isOwn && !isAdministrator(caller)) return refused('not-own', 'You can only change your own password');
  const user = await deps.store.accounts.findUser(name);
  if (!user) return refused('user-absent', 'User not found');
  const proof = isOwn ? await prove(change, user, deps) : { kind: 'match' as const };
  if (proof.kind !== 'match') return proof;
  const outcome = await deps.users.setPassword(name, password, isOwn ? user.passwordHash : undefined);
  if (outcome.ok) return { kind: 'changed', user: outcome.value };
  // The proven hash has been replaced since: the user or an administrator changed the password at the same time.
  return isOwn && outcome.error.reason === 'user-absent' ? OLD_PASSWORD_WRONG : { kind: 'refused', ...outcome.error };
}

/**
 * Guessing here is guessing all the same: it counts as a failed login does, and by account too, for a right guess gives more
 * than the password does at a login that asks for a second factor.
 */
async function prove(
  { caller: { credential }, oldPassword, address, signal }: PasswordChange,
  user: User,
  deps: ChangeServices,
): Promise<{ readonly kind: 'match' } | Exclude<ChangeOutcome, { kind: 'changed' }>> {
  if (!oldPassword) return refused('old-password-missing', 'Current password is required');
  const knownSession = credential.kind === 'session' ? credential.tokenId : undefined;
  const guess = {
    password: oldPassword,
    address,
    account: user.name,
    signal,
    storedHash: async () => user.passwordHash,
  };
  const outcome = await onAccountOf({ user, knownSession, signal }, deps, () => judgeGuess(guess, deps));
  return outcome.kind === 'mismatch' ? OLD_PASSWORD_WRONG : outcome;
}

const refused = (reason: ChangeFault, message: string) => ({ kind: 'refused', reason, message }) as const;

/** The NVR's own page looks for these words. */
const OLD_PASSWORD_WRONG = refused('old-password-wrong', 'Current password is incorrect');
