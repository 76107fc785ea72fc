/** The table of invitations: the same code for every engine (SPEC 12). */
import type { Kysely, Selectable, Transaction } from 'kysely';
import { type Invitation, type InvitationStore, MAKERS_WITHOUT_ACCOUNT } from '../../domain/accounts/invitation.ts';
import { ADMIN } from '../../domain/names.ts';
import type { Serialized } from '../engine/parts.ts';
import { deleteRows, hasRow, insertRecord, updateRows } from '../engine/rows.ts';
import { recordOf, type Tables } from '../engine/tables.ts';
import { afterGain, insertPasskey, isSpentNow, isTaken } from './second-factor.ts';
import { insertSignIn, isConnectable, openSignIn } from './sign-ins.ts';

export function createInvitationStore(db: Kysely<Tables>, serialized: Serialized): InvitationStore {
  return {
    putInvitation: (invitation) =>
      serialized(async (transaction) => {
        const { user, userCreatedAt } = invitation;
        if (!(await hasRow(transaction, 'users', { name: user, created_at: userCreatedAt }))) return 'absent';
        await deleteRows(transaction, 'invitations', { user_name: user });
        await insertRecord(transaction, 'invitations', invitation, { used_at: null });
        return 'put';
      }),

    async findInvitation(tokenHash, now) {
      const row = await holding(db, now).where('token_hash', '=', tokenHash).executeTakeFirst();
      return row && asInvitation(row);
    },

    async listInvitations(now) {
      return (await holding(db, now).orderBy('user_name').execute()).map(asInvitation);
    },

    acceptInvitation: (tokenHash, passwordHash, now) =>
      serialized(async (transaction) => {
        const held = await holding(transaction, now).where('token_hash', '=', tokenHash).executeTakeFirst();
        return held ? useUp(held, { password_hash: passwordHash, has_password: 1 }, now, transaction) : 'void';
      }),

    acceptByPasskey: (tokenHash, { passkey, challenge, passwordHash, epoch }, now) =>
      serialized(async (transaction) => {
        const held = await holding(transaction, now).where('token_hash', '=', tokenHash).executeTakeFirst();
        if (held?.user_name !== passkey.user) return 'void';
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

    acceptBySignIn: (tokenHash, signIn, passwordHash, now) =>
      serialized(async (transaction) => {
        const held = await holding(transaction, now).where('token_hash', '=', tokenHash).executeTakeFirst();
        if (held?.user_name !== signIn.user) return 'void';
        if (!(await isConnectable(signIn, transaction))) return 'taken';
        const outcome = await useUp(held, { password_hash: passwordHash, has_password: 0 }, now, transaction);
        if (outcome === 'void') return 'void';
        await insertSignIn(signIn, transaction);
        await openSignIn(signIn, transaction);
        return 'accepted';
      }),

    removeInvitation: async (user) =>
      (await deleteRows(db, 'invitations', { user_name: user, used_at: null })) ? 'removed' : 'absent',
  };
}

/** The sessions of before end by the new password. */
async function useUp(
  { token_hash, user_name }: Selectable<Tables['invitations']>,
  password: { readonly password_hash: string; readonly has_password: 0 | 1 },
  now: number,
  transaction: Transaction<Tables>,
): Promise<'accepted' | 'void'> {
  if (!(await updateRows(transaction, 'invitations', { token_hash, used_at: null }, { used_at: now }))) return 'void';
  const changed = { ...password, password_changed_at: now, password_is_generated: 0 };
  await updateRows(transaction, 'users', { name: user_name }, changed);
  await deleteRows(transaction, 'seen_sessions', { user_name });
  return 'accepted';
}

/** Not used, not over, for the user of now, by one who is an admin now. */
const holding = (db: Kysely<Tables>, now: number) =>
  db
    .selectFrom('invitations')
    .selectAll('invitations')
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('users as owner')
          .select('owner.name')
          .whereRef('owner.name', '=', 'invitations.user_name')
          .whereRef('owner.created_at', '=', 'invitations.user_created_at'),
      ),
    )
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('made_by', 'in', Object.values(MAKERS_WITHOUT_ACCOUNT)),
        exists(
          selectFrom('users as maker')
            .select('maker.name')
            .whereRef('maker.name', '=', 'invitations.made_by')
            .where('maker.role', '=', ADMIN)
            .where((maker) => maker.or([maker('maker.valid_until', 'is', null), maker('maker.valid_until', '>', now)])),
        ),
      ]),
    );

const asInvitation = (row: object): Invitation => recordOf('invitations', row) as Invitation;
