/** The tables of accounts and revocations: the same code for every engine (interface 2.1, 5.1). */
import { type Selectable, sql } from 'kysely';
import type { User } from '../../domain/accounts/account.ts';
import { CLOSED_SECONDS } from '../../domain/accounts/sign-in.ts';
import { ADMIN, NO_ROLE, type Role, type UserName, VIEWER } from '../../domain/names.ts';
import { type Lock, type Queries, storePart, type Where } from '../engine/rows.ts';
import { readRecord, type Tables, tablesWhere } from '../engine/tables.ts';

export type AccountStore = ReturnType<typeof createAccountStore>;

export const createAccountStore = storePart(
  {
    countUsers: (db) => db.count('users', {}),
    /** Users in order of name, or so many of them. */
    listUsers: (db, where: Where<'users'> = {}, most?: number) => db.list('users', where, ['name'], most),
    findUser: (db, name: string) => db.find('users', { name }),

    /** The user, and whether the session of that id was ended. */
    async findHolder(db, name: string, tokenId: string) {
      const { rows } = await sql<Selectable<Tables['users']> & { is_revoked: unknown }>`select users.*,
        exists (select 1 from revoked_tokens where token_id = ${tokenId}) as is_revoked
        from (select 1) as asked left join users on name = ${name}`.execute(db.kysely);
      const [row] = rows;
      return { user: row?.name ? readRecord('users', row) : undefined, isRevoked: Boolean(row?.is_revoked) };
    },

    /** The iteration counts of all password hashes, each once. */
    async listIterations(db): Promise<readonly number[]> {
      const behind = sql`substr(password_hash, ${sql.lit('pbkdf2_sha256$'.length + 1)})`;
      const digits = sql<string>`substr(${behind}, 1, length(${behind}) - length(ltrim(${behind}, '0123456789')))`;
      const found = db.kysely
        .selectFrom('users')
        .select(digits.as('count'))
        .where('password_hash', 'like', 'pbkdf2_sha256$%');
      return (await found.distinct().execute()).map(({ count }) => Number(count));
    },

    /** A stronger hash of the same password: no session ends. */
    async rehashPassword(db, name: UserName, oldHash: string, newHash: string) {
      // The password may have been changed since it was checked: then the new hash is of the old password.
      await db.update('users', { name, password_hash: oldHash }, { password_hash: newHash });
    },

    isRevoked: (db, tokenId: string) => db.has('revoked_tokens', { token_id: tokenId }),

    /** False: it was revoked before, for as long. Of two at once the second is told so. */
    async revokeToken(db, tokenId: string, expiresAt: number) {
      // An older token of the session may live longer than the one at hand, when sessions are shorter now.
      const { numAffectedRows } = await sql`insert into revoked_tokens (token_id, expires_at)
        select cast(${tokenId} as text), max(expires_at) from (select cast(${expiresAt} as double precision) as expires_at
          union all select expires_at from seen_sessions where id = ${tokenId}) as known where true
        on conflict (token_id) do update set expires_at = excluded.expires_at
          where revoked_tokens.expires_at < excluded.expires_at`.execute(db.kysely);
      return Boolean(numAffectedRows);
    },

    /** What is over at that time, of every table that says when. */
    async forgetEnded(db, now: number) {
      for (const [table, { ends }] of tablesWhere(({ ends }) => ends))
        if (ends) await db.delete(table, { [ends.by]: { '<': now - (ends.keptSeconds ?? 0) } });
    },
  },
  {
    /** `taken` when a user of that name exists, or of one that differs in case only. */
    addUser: (locked, user: User) => locked(nameOf(user), (db) => insertUser(user, db)),

    /**
     * Also the way to reset: the hash, and when it changed. `absent` when there is no such user, or not with the hash that
     * was proven: of two changes at once the one that comes second has proven nothing. `isGenerated`: it is to be changed.
     */
    setPassword: (
      locked,
      name: UserName,
      passwordHash: string,
      changedAt: number,
      proven?: string,
      isGenerated = false,
    ) =>
      locked({ person: name }, async (db, user) => {
        if (!user || (proven !== undefined && user.passwordHash !== proven)) return 'absent';
        const changed = { password_hash: passwordHash, password_changed_at: changedAt, has_password: 1 };
        await changeSecrets(name, { ...changed, password_is_generated: Number(isGenerated) }, db);
        await db.delete('grants', { kind: 'invitation', user_name: name });
        return 'set';
      }),

    /** The role is Postern's own then. `last-admin` when this would leave no admin whose account lasts. `at`: when the role was given. */
    setRole: (locked, name: UserName, role: Role, at?: number) =>
      locked({ admins: true, person: name }, async (db, user) => {
        if (!user) return 'absent';
        if (role !== ADMIN && (await isLastAdmin(user, db))) return 'last-admin';
        await db.update('users', { name, role: { '!=': role } }, { role, role_since: at ?? null });
        await ownRole(name, db);
        await voidInvitations(name, role, db);
        return 'set';
      }),

    /** Null: without that end. `last-admin` when this would leave no admin whose account lasts. */
    setValidity: (locked, name: UserName, from: number | null, until: number | null) =>
      locked({ admins: true, person: name }, async (db, user) => {
        if (!user) return 'absent';
        if ((from !== null || until !== null) && (await isLastAdmin(user, db))) return 'last-admin';
        await db.update('users', { name }, { valid_from: from, valid_until: until });
        return 'set';
      }),

    /**
     * Forgets the sign-ins. `guest`: only one whose account had ended before that time, another is `absent`; the sign-ins of a
     * guest stay known from `at` on, closed.
     */
    deleteUser: (locked, name: UserName, guest?: { readonly endedBefore: number; readonly at: number }) =>
      locked({ admins: true, person: name }, async (db, user) => {
        // It may have been extended since it was looked for.
        if (!user || (guest && (user.validUntil ?? Number.POSITIVE_INFINITY) >= guest.endedBefore)) return 'absent';
        if (await isLastAdmin(user, db)) return 'last-admin';
        await db.delete('users', { name });
        // A proxy's user of the same name is another person without an account: those grants stay.
        await db.delete('grants', { user_name: name, user_created_at: { '!=': null } });
        await deleteInvitationsBy(name, db);
        for (const row of await db.take('sign_ins', { user_name: name })) {
          const { id, issuer, subject } = row;
          await db.delete('oidc_sessions', { issuer, subject });
          if (guest) await closeSignIn(row, guest.at, db);
          else await db.delete('closed_sign_ins', { id });
        }
        // A user made again under the same name gets nothing of what the former one had.
        for (const [table] of tablesWhere(({ isOfUser }) => isOfUser)) await db.delete(table, { user_name: name });
        return 'deleted';
      }),

    /**
     * Users whose role is not one of `known` become viewers, but those whose role a provider gives; gives their names. With
     * `among`: of these roles alone, which are some.
     */
    demoteUnknownRoles: (locked, known: readonly Role[], among?: readonly Role[]) =>
      locked({ key: 'roles' }, async (db) => {
        const gone = {
          // Admins are never demoted here: no admin would be left to repair the configuration.
          role: { 'not in': [ADMIN, VIEWER, NO_ROLE, ...known], ...(among && { in: among }) },
          // A viewer sees more than what a provider gives: such an account is worth nothing until its next login.
          role_source: null,
        };
        return namesIn(await db.change('users', gone, { role: VIEWER, role_since: null }));
      }),
  },
);

/** The sessions of before end by another password, or by other factors, so they leave the list. */
export async function changeSecrets(
  name: UserName,
  columns: Partial<Selectable<Tables['users']>>,
  db: Queries,
): Promise<void> {
  await db.update('users', { name }, columns);
  await db.delete('seen_sessions', { user_name: name });
}

/** The names, sorted. */
export const namesIn = (users: readonly { readonly name: string }[]): readonly UserName[] =>
  users.map(({ name }) => name as UserName).sort();

/** Names that differ in case only are one name. */
export const nameOf = ({ name }: Pick<User, 'name'>): Lock => ({ key: `name ${name.toLowerCase()}` });

/** `taken`: also by a name that differs in case only. */
export async function insertUser(user: User, db: Queries): Promise<'added' | 'taken'> {
  const alike = db.kysely.selectFrom('users').select('name').where(sql`lower(name)`, '=', user.name.toLowerCase());
  if (await alike.executeTakeFirst()) return 'taken';
  await db.insert('users', user);
  return 'added';
}

/** The role is Postern's own from now on. */
export async function ownRole(name: UserName, db: Queries): Promise<void> {
  await db.update('users', { name, role_source: { '!=': null } }, { role_source: null, other_roles: null });
}

/** A link opens the account with the role that its maker saw, and no link of a former admin comes back with the role. */
export async function voidInvitations(name: UserName, role: Role, db: Queries): Promise<void> {
  await db.delete('grants', { kind: 'invitation', user_name: name });
  if (role !== ADMIN) await deleteInvitationsBy(name, db);
}

async function deleteInvitationsBy(maker: UserName, db: Queries): Promise<void> {
  const made = db.kysely.selectFrom('invitation_terms').select('id').where('made_by', '=', maker);
  await db.kysely.deleteFrom('grants').where('id', 'in', made).execute();
}

/** A guest's: the next login makes no account. */
export const closeSignIn = (
  { id, subject, provider }: Pick<Tables['sign_ins'], 'id' | 'subject' | 'provider'>,
  from: number,
  db: Queries,
): Promise<void> => db.put('closed_sign_ins', { subject, provider, knownUntil: from + CLOSED_SECONDS }, { id });

/**
 * Asked with all admins locked, so that two cannot demote each other at the same moment. An admin whose account begins later or
 * ends, or whose role a provider gives, is no admin who stays.
 */
export async function isLastAdmin({ name, role }: User, db: Queries): Promise<boolean> {
  const lasting = { role: ADMIN, name: { '!=': name }, valid_from: null, valid_until: null, role_source: null };
  return role === ADMIN && !(await db.has('users', lasting));
}

/** A user cannot remove the own last way in (SPEC 12, 16): whether the user has a password, a passkey or a sign-in beside the one that is to go. */
export const hasOtherWay = async (
  { name, hasNoPassword }: User,
  { provider = '', passkey = '' }: { readonly provider?: string; readonly passkey?: string },
  db: Queries,
): Promise<boolean> =>
  !hasNoPassword ||
  (await db.has('passkeys', { user_name: name, id: { '!=': passkey } })) ||
  (await db.has('sign_ins', { user_name: name, provider: { '!=': provider } }));
