/** Invitations: whether one holds, and its use, in one transaction: of two uses at once, one is the first (SPEC 12). */
import { MAKERS_WITHOUT_ACCOUNT } from '../../domain/accounts/grant.ts';
import type { SpentChallenge } from '../../domain/accounts/second-factor.ts';
import { ADMIN, type UserName } from '../../domain/names.ts';
import { type Lock, type Queries, storePart, type Where } from '../engine/rows.ts';
import type { Invitation, PasskeyRecord, SignIn } from '../engine/tables.ts';
import { changeSecrets } from './accounts.ts';
import { listGrants } from './grants.ts';
import { afterGain, isSpentNow } from './second-factor.ts';
import { connectNow, openSignIn } from './sign-ins.ts';

/** `passwordHash`: of a text that no person knows; it replaces the password. `epoch` becomes the user's `factorEpoch`. */
interface InvitedPasskey {
  readonly passkey: PasskeyRecord;
  readonly challenge: SpentChallenge;
  readonly passwordHash: string;
  readonly epoch: string;
}

/** What is refused changes nothing. `void`: the invitation does not hold. */
export const createInvitationStore = storePart(
  {
    /** One that holds at `now`: not used, not over, for the user of its time, by one who is an admin now. */
    findInvitation: (db, secretHash: string, now: number) => holding(db, secretHash, now),

    /** All that hold at `now`, by user. */
    listInvitations: (db, now: number) => allHolding(db, {}, now),
  },
  {
    /** Sets the password, which ends the sessions. */
    acceptInvitation: (locked, secretHash: string, passwordHash: string, now: number) =>
      locked(invitedBy(secretHash), async (db) => {
        const held = await holding(db, secretHash, now);
        if (!held) return 'void';
        await useUp(held, { password_hash: passwordHash, has_password: 1 }, now, db);
        return 'accepted';
      }),

    /**
     * Adds the passkey and replaces the password, which ends the sessions. `has-factor`: the user has a second factor already,
     * and a new passkey would be a way around it. `taken`: a passkey of that id exists.
     */
    acceptByPasskey: (
      locked,
      secretHash: string,
      { passkey, challenge, passwordHash, epoch }: InvitedPasskey,
      now: number,
    ) =>
      locked(invitedBy(secretHash), async (db, user) => {
        const held = await holding(db, secretHash, now);
        if (!user || held?.user !== passkey.user) return 'void';
        if (user.hasFactor) return 'has-factor';
        if (await db.has('passkeys', { id: passkey.id })) return 'taken';
        if (!(await isSpentNow(challenge, db))) return 'spent';
        if (!(await db.insertNew('passkeys', passkey))) return 'taken';
        await useUp(held, { password_hash: passwordHash, has_password: 0 }, now, db);
        // A recovery code is the second step after a password, and there is none that a person knows.
        await afterGain(user, { epoch, recoveryCodes: [] }, db);
        return 'accepted';
      }),

    /**
     * Connects the account with the person at the provider and replaces the password, which ends the sessions. `taken`: the
     * person is connected with another account, or the account with another person there.
     */
    acceptBySignIn: (locked, secretHash: string, signIn: SignIn, passwordHash: string, now: number) =>
      locked(invitedBy(secretHash), async (db) => {
        const held = await holding(db, secretHash, now);
        if (held?.user !== signIn.user) return 'void';
        if (!(await connectNow(signIn, db))) return 'taken';
        await useUp(held, { password_hash: passwordHash, has_password: 0 }, now, db);
        await openSignIn(signIn, db);
        return 'accepted';
      }),
  },
);

/** The person, and behind it the invitation: what is read of them then stays so. */
const invitedBy =
  (secretHash: string) =>
  async (db: Queries): Promise<Lock> => {
    const grant = await db.findRow('grants', { kind: 'invitation', secret_hash: secretHash });
    return grant ? { person: grant.user_name as UserName, grant: grant.id } : {};
  };

async function useUp(
  { id, user }: Invitation,
  password: { readonly password_hash: string; readonly has_password: 0 | 1 },
  now: number,
  transaction: Queries,
): Promise<void> {
  await transaction.update('grants', { id }, { last_used_at: now });
  const changed = { ...password, password_changed_at: now, password_is_generated: 0 };
  await changeSecrets(user, changed, transaction);
}

const holding = async (db: Queries, secretHash: string, now: number): Promise<Invitation | undefined> =>
  (await allHolding(db, { secret_hash: secretHash }, now))[0];

async function allHolding(db: Queries, where: Where<'grants'>, now: number): Promise<readonly Invitation[]> {
  const unused = { ...where, last_used_at: null, expires_at: { '>': now } };
  const found = await listGrants(db, 'invitation', unused);
  const names = found.flatMap(({ user, madeBy }) => [user, madeBy]);
  const listed = names.length === 0 ? [] : await db.list('users', { name: names }, []);
  const users = new Map(listed.map((user) => [String(user.name), user]));
  return found.filter(({ user, userCreatedAt, madeBy }) => {
    const { role, validUntil = Number.POSITIVE_INFINITY } = users.get(madeBy) ?? {};
    const isByAdmin = MAKERS.includes(madeBy) || (role === ADMIN && validUntil > now);
    return isByAdmin && users.get(user)?.createdAt === userCreatedAt;
  });
}

const MAKERS: readonly string[] = Object.values(MAKERS_WITHOUT_ACCOUNT);
