/** Invitations: whether one holds, and its use, in one transaction: of two uses at once, one is the first (SPEC 12). */
import { type Invitation, type InvitedPasskey, MAKERS_WITHOUT_ACCOUNT } from '../../domain/accounts/grant.ts';
import type { SignIn } from '../../domain/accounts/sign-in.ts';
import { ADMIN } from '../../domain/names.ts';
import type { Serialized } from '../engine/rows.ts';
import { deleteRows, hasRow, listRecords, type Queries, updateRows, type Where } from '../engine/rows.ts';
import { listGrants } from './grants.ts';
import { afterGain, insertPasskey, isSpentNow, isTaken } from './second-factor.ts';
import { insertSignIn, isConnectable, openSignIn } from './sign-ins.ts';

/** What is refused changes nothing. `void`: the invitation does not hold. */
export const createInvitationStore = (db: Queries, serialized: Serialized) => ({
  /** One that holds at `now`: not used, not over, for the user of its time, by one who is an admin now. */
  findInvitation: (secretHash: string, now: number): Promise<Invitation | undefined> => holding(db, secretHash, now),

  /** All that hold at `now`, by user. */
  listInvitations: (now: number): Promise<readonly Invitation[]> => allHolding(db, {}, now),

  /** Sets the password, which ends the sessions. */
  acceptInvitation: (secretHash: string, passwordHash: string, now: number): Promise<'accepted' | 'void'> =>
    serialized(async (transaction) => {
      const held = await holding(transaction, secretHash, now);
      return held ? useUp(held, { password_hash: passwordHash, has_password: 1 }, now, transaction) : 'void';
    }),

  /**
   * Adds the passkey and replaces the password, which ends the sessions. `has-factor`: the user has a second factor already,
   * and a new passkey would be a way around it. `taken`: a passkey of that id exists.
   */
  acceptByPasskey: (
    secretHash: string,
    { passkey, challenge, passwordHash, epoch }: InvitedPasskey,
    now: number,
  ): Promise<'accepted' | 'void' | 'spent' | 'taken' | 'has-factor'> =>
    serialized(async (transaction) => {
      const held = await holding(transaction, secretHash, now);
      if (held?.user !== passkey.user) return 'void';
      if (await hasRow(transaction, 'users', { name: passkey.user, has_factor: 1 })) return 'has-factor';
      if (await isTaken(passkey, transaction)) return 'taken';
      if (!(await isSpentNow(challenge, transaction))) return 'spent';
      const outcome = await useUp(held, { password_hash: passwordHash, has_password: 0 }, now, transaction);
      if (outcome === 'void') return 'void';
      await insertPasskey(passkey, transaction);
      // A recovery code is the second step after a password, and there is none that a person knows.
      await afterGain(passkey.user, { epoch, recoveryCodes: [] }, transaction);
      return 'accepted';
    }),

  /**
   * Connects the account with the person at the provider and replaces the password, which ends the sessions. `taken`: the
   * person is connected with another account, or the account with another person there.
   */
  acceptBySignIn: (
    secretHash: string,
    signIn: SignIn,
    passwordHash: string,
    now: number,
  ): Promise<'accepted' | 'void' | 'taken'> =>
    serialized(async (transaction) => {
      const held = await holding(transaction, secretHash, now);
      if (held?.user !== signIn.user) return 'void';
      if (!(await isConnectable(signIn, transaction))) return 'taken';
      const outcome = await useUp(held, { password_hash: passwordHash, has_password: 0 }, now, transaction);
      if (outcome === 'void') return 'void';
      await insertSignIn(signIn, transaction);
      await openSignIn(signIn, transaction);
      return 'accepted';
    }),
});

/** The sessions of before end by the new password. */
async function useUp(
  { id, user }: Invitation,
  password: { readonly password_hash: string; readonly has_password: 0 | 1 },
  now: number,
  transaction: Queries,
): Promise<'accepted' | 'void'> {
  if (!(await updateRows(transaction, 'grants', { id, last_used_at: null }, { last_used_at: now }))) return 'void';
  const changed = { ...password, password_changed_at: now, password_is_generated: 0 };
  await updateRows(transaction, 'users', { name: user }, changed);
  await deleteRows(transaction, 'seen_sessions', { user_name: user });
  return 'accepted';
}

const holding = async (db: Queries, secretHash: string, now: number): Promise<Invitation | undefined> =>
  (await allHolding(db, { secret_hash: secretHash }, now))[0];

async function allHolding(db: Queries, where: Where<'grants'>, now: number): Promise<readonly Invitation[]> {
  const unused = { ...where, last_used_at: null, expires_at: { '>': now } };
  const found = await listGrants(db, 'invitation', unused);
  const names = found.flatMap(({ user, madeBy }) => [user, madeBy]);
  const listed = names.length === 0 ? [] : await listRecords(db, 'users', { name: names }, []);
  const users = new Map(listed.map((user) => [String(user.name), user]));
  return found.filter(({ user, userCreatedAt, madeBy }) => {
    const { role, validUntil = Number.POSITIVE_INFINITY } = users.get(madeBy) ?? {};
    const isByAdmin = MAKERS.includes(madeBy) || (role === ADMIN && validUntil > now);
    return isByAdmin && users.get(user)?.createdAt === userCreatedAt;
  });
}

const MAKERS: readonly string[] = Object.values(MAKERS_WITHOUT_ACCOUNT);
