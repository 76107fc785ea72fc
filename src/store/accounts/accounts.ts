/** The tables of accounts and revocations: the same code for every engine (interface 2.1, 5.1). */
import { type Kysely, sql, type Transaction } from 'kysely';
import type { AccountStore, User } from '../../domain/accounts/account.ts';
import { CLOSED_SECONDS } from '../../domain/accounts/sign-in.ts';
import { ADMIN, NO_ROLE, type Role, type UserName, VIEWER } from '../../domain/names.ts';
import {
  countRows,
  deleteRows,
  findRecord,
  hasRow,
  insertRecord,
  listRecords,
  putRecord,
  updateRows,
} from '../engine/rows.ts';
import type { Serialized } from '../engine/serialized.ts';
import { type Tables, tablesWhere } from '../engine/tables.ts';
import { deleteLinksOf } from './link-openings.ts';

export function createAccountStore(db: Kysely<Tables>, serialized: Serialized): AccountStore {
  return {
    countUsers: () => countRows(db, 'users', {}),
    listUsers: () => listRecords(db, 'users', {}, ['name']),
    findUser: (name) => findRecord(db, 'users', { name }),

    addUser: (user) => serialized((transaction) => insertUser(user, transaction)),

    setPassword: (name, passwordHash, changedAt, proven) =>
      serialized(async (transaction) => {
        const row = {
          password_hash: passwordHash,
          password_changed_at: changedAt,
          password_is_generated: 0,
          has_password: 1,
        };
        const wanted = { name, ...(proven !== undefined && { password_hash: proven }) };
        if (!(await updateRows(transaction, 'users', wanted, row))) return 'absent';
        await deleteRows(transaction, 'seen_sessions', { user_name: name });
        await deleteRows(transaction, 'invitations', { user_name: name });
        return 'set';
      }),

    async markGenerated(name, passwordHash) {
      await updateRows(db, 'users', { name, password_hash: passwordHash }, { password_is_generated: 1 });
    },

    async rehashPassword(name, oldHash, newHash) {
      // The password may have been changed since it was checked: then the new hash is of the old password.
      await updateRows(db, 'users', { name, password_hash: oldHash }, { password_hash: newHash });
    },

    setRole: (name, role, at) =>
      serialized(async (transaction) => {
        const state = await stateOf(name, transaction);
        if (state === 'absent') return 'absent';
        if (state === 'last-admin' && role !== ADMIN) return 'last-admin';
        await updateRows(transaction, 'users', { name, role: { '!=': role } }, { role, role_since: at ?? null });
        await ownRole(name, transaction);
        await voidInvitations(name, role, transaction);
        return 'set';
      }),

    setValidity: (name, from, until) =>
      serialized(async (transaction) => {
        const state = await stateOf(name, transaction);
        if (state === 'absent') return 'absent';
        if (state === 'last-admin' && (from !== null || until !== null)) return 'last-admin';
        await updateRows(transaction, 'users', { name }, { valid_from: from, valid_until: until });
        return 'set';
      }),

    async endedBefore(time) {
      return (await listRecords(db, 'users', { valid_until: { '<': time } }, ['name'])).map(({ name }) => name);
    },

    deleteUser: (name, guest) =>
      serialized(async (transaction) => {
        // It may have been extended since it was looked for.
        if (guest && !(await hasRow(transaction, 'users', { name, valid_until: { '<': guest.endedBefore } })))
          return 'absent';
        const state = await stateOf(name, transaction);
        if (state !== 'dispensable') return state;
        await deleteRows(transaction, 'users', { name });
        // A proxy's user of the same name is another person without an account: those tokens stay.
        await deleteRows(transaction, 'api_tokens', { user_name: name, user_created_at: { '!=': null } });
        await deleteRows(transaction, 'invitations', { made_by: name });
        await deleteLinksOf(name, transaction);
        await forgetSignIns(name, guest?.at, transaction);
        for (const table of TABLES_OF_A_USER) await deleteRows(transaction, table, { user_name: name });
        return 'deleted';
      }),

    async demoteUnknownRoles(known, among) {
      const demoted = await db
        .updateTable('users')
        .set({ role: VIEWER, role_since: null })
        // Admins are never demoted here: no admin would be left to repair the configuration.
        .where('role', 'not in', [ADMIN, VIEWER, NO_ROLE, ...known])
        .$if(among !== undefined, (users) => users.where('role', 'in', [...(among ?? [])]))
        // A viewer sees more than what a provider gives: such an account is worth nothing until its next login.
        .where('role_source', 'is', null)
        .returning('name')
        .execute();
      return demoted.map((row) => row.name as UserName).sort();
    },

    revokeToken: (tokenId, expiresAt) =>
      serialized(async (transaction) => {
        const ended = transaction.deleteFrom('seen_sessions').where('id', '=', tokenId).returning('expires_at');
        const seen = await ended.executeTakeFirst();
        // An older token of the session may live longer than the one at hand, when sessions are shorter now.
        const expires_at = Math.max(expiresAt, seen?.expires_at ?? 0);
        const { numInsertedOrUpdatedRows } = await transaction
          .insertInto('revoked_tokens')
          .values({ token_id: tokenId, expires_at })
          .onConflict((conflict) =>
            conflict.column('token_id').doUpdateSet({ expires_at }).where('revoked_tokens.expires_at', '<', expires_at),
          )
          .executeTakeFirst();
        return Boolean(numInsertedOrUpdatedRows);
      }),

    isRevoked: (tokenId) => hasRow(db, 'revoked_tokens', { token_id: tokenId }),

    async forgetRevocationsBefore(expiredAt) {
      await deleteRows(db, 'revoked_tokens', { expires_at: { '<': expiredAt } });
    },
  };
}

/** `taken`: of two that differ in case only, added at once, the second finds the first here. */
export async function insertUser(user: User, transaction: Transaction<Tables>): Promise<'added' | 'taken'> {
  const alike = transaction.selectFrom('users').select('name').where(sql`lower(name)`, '=', user.name.toLowerCase());
  if (await alike.executeTakeFirst()) return 'taken';
  await insertRecord(transaction, 'users', user);
  return 'added';
}

/** The role is Postern's own from now on. */
export async function ownRole(name: UserName, transaction: Transaction<Tables>): Promise<void> {
  const isGiven = { name, role_source: { '!=': null } };
  await updateRows(transaction, 'users', isGiven, { role_source: null, other_roles: null });
}

/** A link opens the account with the role that its maker saw, and no link of a former admin comes back with the role. */
export async function voidInvitations(name: UserName, role: Role, transaction: Transaction<Tables>): Promise<void> {
  await deleteRows(transaction, 'invitations', { user_name: name });
  if (role !== ADMIN) await deleteRows(transaction, 'invitations', { made_by: name });
}

async function forgetSignIns(
  name: UserName,
  guestGoneAt: number | undefined,
  transaction: Transaction<Tables>,
): Promise<void> {
  const forgotten = await transaction.deleteFrom('sign_ins').where('user_name', '=', name).returningAll().execute();
  for (const row of forgotten) {
    const { id, issuer, subject } = row;
    await deleteRows(transaction, 'oidc_sessions', { issuer, subject });
    if (guestGoneAt === undefined) await deleteRows(transaction, 'closed_sign_ins', { id });
    else await closeSignIn(row, guestGoneAt, transaction);
  }
}

/** A guest's: the next login makes no account. */
export const closeSignIn = (
  { id, subject, provider }: Pick<Tables['sign_ins'], 'id' | 'subject' | 'provider'>,
  from: number,
  transaction: Transaction<Tables>,
): Promise<void> =>
  putRecord(transaction, 'closed_sign_ins', { subject, provider, knownUntil: from + CLOSED_SECONDS }, { id });

/** A user made again under the same name gets nothing of what the former one had. */
const TABLES_OF_A_USER = tablesWhere('isOfUser');

/**
 * Read inside the transaction that acts on it, so that two admins cannot demote each other at the same moment. An admin
 * whose account begins later or ends, or whose role a provider gives, is no admin who stays.
 */
export async function stateOf(
  name: UserName,
  transaction: Transaction<Tables>,
): Promise<'absent' | 'last-admin' | 'dispensable'> {
  const user = await findRecord(transaction, 'users', { name });
  if (!user) return 'absent';
  if (user.role !== ADMIN) return 'dispensable';
  const lasting = { role: ADMIN, name: { '!=': name }, valid_from: null, valid_until: null, role_source: null };
  return (await hasRow(transaction, 'users', lasting)) ? 'dispensable' : 'last-admin';
}

/** A user cannot remove the own last way in (SPEC 12, 16): whether the user has a password, a passkey or a sign-in beside the one that is to go. */
export async function hasOtherWay(
  user: UserName,
  { provider = '', passkey = '' }: { readonly provider?: string; readonly passkey?: string },
  transaction: Transaction<Tables>,
): Promise<boolean> {
  return (
    (await hasRow(transaction, 'users', { name: user, has_password: 1 })) ||
    (await hasRow(transaction, 'passkeys', { user_name: user, id: { '!=': passkey } })) ||
    (await hasRow(transaction, 'sign_ins', { user_name: user, provider: { '!=': provider } }))
  );
}
