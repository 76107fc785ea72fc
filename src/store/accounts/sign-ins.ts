/** The tables of sign-ins and of sessions that began by a provider: the same code for every engine (SPEC 16). */
import type { User } from '../../domain/accounts/account.ts';
import { NO_ROLE, type Role, type UserName } from '../../domain/names.ts';
import { type Queries, storePart } from '../engine/rows.ts';
import { type RecordOf, readRecord, type SignIn } from '../engine/tables.ts';
import { closeSignIn, hasOtherWay, insertUser, isLastAdmin, nameOf, ownRole, voidInvitations } from './accounts.ts';

export const createSignInStore = storePart(
  {
    findSignIn: (db, issuer: string, subject: string) => db.find('sign_ins', { id: idOf(issuer, subject) }),
    /** Whether the person was a guest here whose account is gone: no account is made at a login. */
    isClosed: (db, issuer: string, subject: string) => db.has('closed_sign_ins', { id: idOf(issuer, subject) }),

    /** Closed sign-ins that no account is connected with, in order of provider and subject. */
    async listClosed(db) {
      const rows = await db.kysely
        .selectFrom('closed_sign_ins')
        .selectAll()
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('sign_ins').select('sign_ins.id').whereRef('sign_ins.id', '=', 'closed_sign_ins.id'))),
        )
        .orderBy('provider')
        .orderBy('subject')
        .execute();
      return rows.map((row) => readRecord('closed_sign_ins', row));
    },

    /** A login may make an account again. */
    forgetClosed: async (db, provider: string, subject: string) =>
      (await db.delete('closed_sign_ins', { provider, subject })) ? 'forgotten' : 'absent',

    /** Those of a user, or of all without `user`, in order of user and provider. */
    listSignIns: (db, user?: UserName) => db.list('sign_ins', { user_name: user }, ['user_name', 'provider']),

    /** False: the account has it no more. */
    async noteUsed(db, { issuer, subject, user }: Pick<SignIn, 'issuer' | 'subject' | 'user'>, at: number) {
      const own = { id: idOf(issuer, subject), user_name: user };
      return (await db.update('sign_ins', own, { last_used_at: at })) > 0;
    },

    noteSession: (db, session: RecordOf<'oidc_sessions'>) => db.put('oidc_sessions', session),

    /** A session that goes on under another id. */
    async renameSession(db, from: string, to: string) {
      await db.update('oidc_sessions', { session_id: from }, { session_id: to });
    },

    /** Those of a subject, of the provider's session `sid`, or of both together; none without either. */
    sessionsOf: async (db, issuer: string, subject: string | undefined, sid: string | undefined) =>
      subject === undefined && sid === undefined
        ? []
        : db.list('oidc_sessions', { issuer, subject, sid }, ['session_id']),
  },
  {
    /** `taken`: the subject has an account already, or the account a sign-in of that provider; `absent`: no such user of that time. */
    connect: (locked, signIn: SignIn, userCreatedAt: number) =>
      locked({ person: signIn.user }, async (db, user) => {
        if (user?.createdAt !== userCreatedAt) return 'absent';
        return (await connectNow(signIn, db)) ? 'connected' : 'taken';
      }),

    /** `taken`: a user of that name, or of one that differs in case only; `connected`: the subject has an account already. */
    addUserWithSignIn: (locked, user: User, signIn: SignIn) =>
      locked(nameOf(user), async (db) => {
        const own = { ...signIn, user: user.name };
        if (await db.has('sign_ins', { id: idOf(own.issuer, own.subject) })) return 'connected';
        if ((await insertUser(user, db)) === 'taken') return 'taken';
        if (await connectNow(own, db)) return 'added';
        // The subject's other first login, by another name, was quicker.
        await db.delete('users', { name: user.name });
        return 'connected';
      }),

    /**
     * `last-way-in`: the account has no password, no passkey and no other sign-in. By an admin a role that the provider gave
     * becomes Postern's own; by the owner, who would keep it for good, it is `gives-role`.
     */
    disconnect: (locked, user: UserName, provider: string, by: 'owner' | 'admin') =>
      locked({ person: user }, async (db, owner) => {
        if (!owner || !(await hasProvider(user, provider, db))) return 'absent';
        if (!(await hasOtherWay(owner, { provider }, db))) return 'last-way-in';
        const givesRole = owner.roleSource === provider;
        if (givesRole && by === 'owner') return 'gives-role';
        const removed = await db.take('sign_ins', { user_name: user, provider });
        // A guest's account has an end: the provider makes none beside it, or after it, without one.
        if (owner.validUntil !== undefined) for (const row of removed) await closeSignIn(row, owner.validUntil, db);
        if (givesRole) await ownRole(user, db);
        return 'disconnected';
      }),

    /**
     * The roles that the provider gives now, as role resolution found them; none: the account is worth nothing. `absent` where
     * its role is not of that provider. An admin who is the last one may lose the role: the provider decides.
     */
    setProviderRoles: (locked, user: UserName, provider: string, roles: readonly Role[], at: number) =>
      // A login waits for no lock where nothing changes.
      locked({}, async (db) => {
        const [role = NO_ROLE, ...others] = roles;
        const given = { name: user, role_source: provider };
        const row = await db.findRow('users', given);
        if (!row) return 'absent';
        const other_roles = others.length > 0 ? JSON.stringify(others) : null;
        if (row.role === role && row.other_roles === other_roles) return 'same';
        // An admin may have made the role Postern's own meanwhile.
        if (!(await db.update('users', given, { role, other_roles, role_since: at }))) return 'absent';
        await voidInvitations(user, role, db);
        return 'set';
      }),

    /**
     * Undefined: the role is Postern's own from now on. Else that of the provider, from its next login on. `absent`: no such
     * user, or not with a sign-in of that provider; `last-admin` when no admin with a lasting role of Postern's own would be left.
     */
    setRoleSource: (locked, user: UserName, provider: string | undefined) =>
      locked({ admins: true, person: user }, async (db, owner) => {
        if (!owner) return 'absent';
        if (provider === undefined) {
          await ownRole(user, db);
          return 'set';
        }
        if (!(await hasProvider(user, provider, db))) return 'absent';
        if (await isLastAdmin(owner, db)) return 'last-admin';
        if (owner.roleSource !== provider)
          await db.update('users', { name: user }, { role_source: provider, other_roles: null });
        return 'set';
      }),
  },
);

/** False where the subject is connected with an account, or the account with a person at that provider. The user is locked. */
export const connectNow = async (signIn: SignIn, db: Queries): Promise<boolean> => {
  if (await hasProvider(signIn.user, signIn.provider, db)) return false;
  return db.insertNew('sign_ins', signIn, { id: idOf(signIn.issuer, signIn.subject) });
};

/** A closed guest may come back: an admin invited the person. */
export async function openSignIn({ issuer, subject }: SignIn, db: Queries): Promise<void> {
  await db.delete('closed_sign_ins', { id: idOf(issuer, subject) });
}

const idOf = (issuer: string, subject: string): string => `${issuer} ${subject}`;

const hasProvider = (user: UserName, provider: string, db: Queries): Promise<boolean> =>
  db.has('sign_ins', { user_name: user, provider });
