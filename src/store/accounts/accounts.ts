/** The tables of accounts and revocations: the same code for every engine (interface 2.1, 5.1). */
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { AccountStore, User } from '../../domain/accounts/account.ts';
import { CLOSED_SECONDS } from '../../domain/accounts/sign-in.ts';
import { ADMIN, NO_ROLE, type Role, type UserName, VIEWER } from '../../domain/names.ts';
import type { Serialized } from '../engine/serialized.ts';
import { recordOf, rowOf, type Tables, tablesWhere } from '../engine/tables.ts';
import { deleteLinksOf } from './link-openings.ts';

export function createAccountStore(db: Kysely<Tables>, serialized: Serialized): AccountStore {
  return {
    async countUsers() {
      const counted = await db.selectFrom('users').select(sql<number>`count(*)`.as('users')).executeTakeFirstOrThrow();
      return Number(counted.users);
    },

    async listUsers() {
      const rows = await db.selectFrom('users').selectAll().orderBy('name').execute();
      return rows.map(asUser);
    },

    async findUser(name) {
      const row = await db.selectFrom('users').selectAll().where('name', '=', name).executeTakeFirst();
      return row && asUser(row);
    },

    addUser: (user) => serialized((transaction) => insertUser(user, transaction)),

    setPassword: (name, passwordHash, changedAt, proven) =>
      serialized(async (transaction) => {
        const row = {
          password_hash: passwordHash,
          password_changed_at: changedAt,
          password_is_generated: 0,
          has_password: 1,
        };
        const change = transaction.updateTable('users').set(row).where('name', '=', name);
        const wanted = proven === undefined ? change : change.where('password_hash', '=', proven);
        const { numUpdatedRows } = await wanted.executeTakeFirst();
        if (!numUpdatedRows) return 'absent';
        await transaction.deleteFrom('seen_sessions').where('user_name', '=', name).execute();
        await transaction.deleteFrom('invitations').where('user_name', '=', name).execute();
        return 'set';
      }),

    async markGenerated(name, passwordHash) {
      const marked = db.updateTable('users').set({ password_is_generated: 1 }).where('name', '=', name);
      await marked.where('password_hash', '=', passwordHash).execute();
    },

    async rehashPassword(name, oldHash, newHash) {
      await db
        .updateTable('users')
        .set({ password_hash: newHash })
        .where('name', '=', name)
        // The password may have been changed since it was checked: then the new hash is of the old password.
        .where('password_hash', '=', oldHash)
        .execute();
    },

    setRole: (name, role, at) =>
      serialized(async (transaction) => {
        const state = await stateOf(name, transaction);
        if (state === 'absent') return 'absent';
        if (state === 'last-admin' && role !== ADMIN) return 'last-admin';
        const given = transaction
          .updateTable('users')
          .set({ role, role_since: at ?? null })
          .where('name', '=', name);
        await given.where('role', '!=', role).execute();
        await ownRole(name, transaction);
        await voidInvitations(name, role, transaction);
        return 'set';
      }),

    setValidity: (name, from, until) =>
      serialized(async (transaction) => {
        const state = await stateOf(name, transaction);
        if (state === 'absent') return 'absent';
        if (state === 'last-admin' && (from !== null || until !== null)) return 'last-admin';
        const row = { valid_from: from, valid_until: until };
        await transaction.updateTable('users').set(row).where('name', '=', name).execute();
        return 'set';
      }),

    async endedBefore(time) {
      const ended = db.selectFrom('users').select('name').where('valid_until', '<', time);
      return (await ended.orderBy('name').execute()).map(({ name }) => name as UserName);
    },

    deleteUser: (name, guest) =>
      serialized(async (transaction) => {
        // It may have been extended since it was looked for.
        if (guest) {
          const ended = transaction.selectFrom('users').select('name').where('valid_until', '<', guest.endedBefore);
          if (!(await ended.where('name', '=', name).executeTakeFirst())) return 'absent';
        }
        const state = await stateOf(name, transaction);
        if (state !== 'dispensable') return state;
        await transaction.deleteFrom('users').where('name', '=', name).execute();
        // A proxy's user of the same name is another person without an account: those tokens stay.
        const bound = transaction.deleteFrom('api_tokens').where('user_created_at', 'is not', null);
        await bound.where('user_name', '=', name).execute();
        await transaction.deleteFrom('invitations').where('made_by', '=', name).execute();
        await deleteLinksOf(name, transaction);
        await forgetSignIns(name, guest?.at, transaction);
        for (const table of TABLES_OF_A_USER)
          await transaction.deleteFrom(table).where('user_name', '=', name).execute();
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

    async isRevoked(tokenId) {
      const row = await db
        .selectFrom('revoked_tokens')
        .select('token_id')
        .where('token_id', '=', tokenId)
        .executeTakeFirst();
      return row !== undefined;
    },

    async forgetRevocationsBefore(expiredAt) {
      await db.deleteFrom('revoked_tokens').where('expires_at', '<', expiredAt).execute();
    },
  };
}

/** `taken`: of two that differ in case only, added at once, the second finds the first here. */
export async function insertUser(user: User, transaction: Transaction<Tables>): Promise<'added' | 'taken'> {
  const alike = transaction.selectFrom('users').select('name').where(sql`lower(name)`, '=', user.name.toLowerCase());
  if (await alike.executeTakeFirst()) return 'taken';
  await transaction.insertInto('users').values(asRow(user)).execute();
  return 'added';
}

/** The role is Postern's own from now on. */
export async function ownRole(name: UserName, transaction: Transaction<Tables>): Promise<void> {
  const given = transaction.updateTable('users').set({ role_source: null, other_roles: null }).where('name', '=', name);
  await given.where('role_source', 'is not', null).execute();
}

/** A link opens the account with the role that its maker saw, and no link of a former admin comes back with the role. */
export async function voidInvitations(name: UserName, role: Role, transaction: Transaction<Tables>): Promise<void> {
  await transaction.deleteFrom('invitations').where('user_name', '=', name).execute();
  if (role !== ADMIN) await transaction.deleteFrom('invitations').where('made_by', '=', name).execute();
}

async function forgetSignIns(
  name: UserName,
  guestGoneAt: number | undefined,
  transaction: Transaction<Tables>,
): Promise<void> {
  const forgotten = await transaction.deleteFrom('sign_ins').where('user_name', '=', name).returningAll().execute();
  for (const row of forgotten) {
    const { id, issuer, subject } = row;
    await transaction.deleteFrom('oidc_sessions').where('issuer', '=', issuer).where('subject', '=', subject).execute();
    if (guestGoneAt === undefined) await transaction.deleteFrom('closed_sign_ins').where('id', '=', id).execute();
    else await closeSignIn(row, guestGoneAt, transaction);
  }
}

/** A guest's: the next login makes no account. */
export async function closeSignIn(
  { id, subject, provider }: Pick<Tables['sign_ins'], 'id' | 'subject' | 'provider'>,
  from: number,
  transaction: Transaction<Tables>,
): Promise<void> {
  const known_until = from + CLOSED_SECONDS;
  await transaction
    .insertInto('closed_sign_ins')
    .values({ id, subject, provider, known_until })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ provider, known_until }))
    .execute();
}

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
  const user = await transaction.selectFrom('users').select('role').where('name', '=', name).executeTakeFirst();
  if (!user) return 'absent';
  if (user.role !== ADMIN) return 'dispensable';
  const admins = transaction.selectFrom('users').select('name').where('role', '=', ADMIN).where('name', '!=', name);
  const lasting = admins
    .where('valid_from', 'is', null)
    .where('valid_until', 'is', null)
    .where('role_source', 'is', null);
  return (await lasting.executeTakeFirst()) ? 'dispensable' : 'last-admin';
}

const asUser = (row: Selectable<Tables['users']>): User => ({
  ...(recordOf('users', row) as User),
  ...(row.has_password === 0 && { hasNoPassword: true }),
});

const asRow = (user: User) => ({ ...rowOf('users', user), has_password: user.hasNoPassword ? 0 : 1 });
