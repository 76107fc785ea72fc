/** The tables of sign-ins and of sessions that began by a provider: the same code for every engine (SPEC 16). */
import type { Kysely, Transaction } from 'kysely';
import type { SignIn, SignInStore } from '../../domain/accounts/sign-in.ts';
import { NO_ROLE, type UserName } from '../../domain/names.ts';
import {
  deleteRows,
  findRecord,
  findRow,
  hasRow,
  insertRecord,
  listRecords,
  putRecord,
  updateRows,
} from '../engine/rows.ts';
import type { Serialized } from '../engine/serialized.ts';
import { recordOf, type Tables } from '../engine/tables.ts';
import { closeSignIn, hasOtherWay, insertUser, ownRole, stateOf, voidInvitations } from './accounts.ts';

export function createSignInStore(db: Kysely<Tables>, serialized: Serialized): SignInStore {
  return {
    findSignIn: (issuer, subject) => findRecord(db, 'sign_ins', { id: idOf(issuer, subject) }),
    isClosed: (issuer, subject) => hasRow(db, 'closed_sign_ins', { id: idOf(issuer, subject) }),

    async listClosed() {
      const rows = await db
        .selectFrom('closed_sign_ins')
        .selectAll()
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('sign_ins').select('sign_ins.id').whereRef('sign_ins.id', '=', 'closed_sign_ins.id'))),
        )
        .orderBy('provider')
        .orderBy('subject')
        .execute();
      return rows.map((row) => recordOf('closed_sign_ins', row));
    },

    forgetClosed: async (provider, subject) =>
      (await deleteRows(db, 'closed_sign_ins', { provider, subject })) ? 'forgotten' : 'absent',

    async forgetClosedBefore(knownUntil) {
      await deleteRows(db, 'closed_sign_ins', { known_until: { '<': knownUntil } });
    },

    listSignIns: (user) => listRecords(db, 'sign_ins', { user_name: user }, ['user_name', 'provider']),

    connect: (signIn, userCreatedAt) =>
      serialized(async (transaction) => {
        if (!(await hasRow(transaction, 'users', { name: signIn.user, created_at: userCreatedAt }))) return 'absent';
        if (!(await isConnectable(signIn, transaction))) return 'taken';
        await insertSignIn(signIn, transaction);
        return 'connected';
      }),

    addUserWithSignIn: (user, signIn) =>
      serialized(async (transaction) => {
        if (await hasSubject(signIn, transaction)) return 'connected';
        if ((await insertUser(user, transaction)) === 'taken') return 'taken';
        await insertSignIn({ ...signIn, user: user.name }, transaction);
        return 'added';
      }),

    async noteUsed({ issuer, subject, user }, at) {
      const own = { id: idOf(issuer, subject), user_name: user };
      return (await updateRows(db, 'sign_ins', own, { last_used_at: at })) > 0;
    },

    disconnect: (user, provider, by) =>
      serialized(async (transaction) => {
        if (!(await hasProvider(user, provider, transaction))) return 'absent';
        if (!(await hasOtherWay(user, { provider }, transaction))) return 'last-way-in';
        const owner = await findRecord(transaction, 'users', { name: user });
        const givesRole = owner?.roleSource === provider;
        if (givesRole && by === 'owner') return 'gives-role';
        const removal = transaction.deleteFrom('sign_ins').where('user_name', '=', user);
        const removed = await removal.where('provider', '=', provider).returningAll().execute();
        // A guest's account has an end: the provider makes none beside it, or after it, without one.
        if (owner?.validUntil !== undefined)
          for (const row of removed) await closeSignIn(row, owner.validUntil, transaction);
        if (givesRole) await ownRole(user, transaction);
        return 'disconnected';
      }),

    setProviderRoles: (user, provider, [role = NO_ROLE, ...others], at) =>
      serialized(async (transaction) => {
        const row = await findRow(transaction, 'users', { name: user, role_source: provider });
        if (!row) return 'absent';
        const other_roles = others.length > 0 ? JSON.stringify(others) : null;
        if (row.role === role && row.other_roles === other_roles) return 'same';
        await updateRows(transaction, 'users', { name: user }, { role, other_roles, role_since: at });
        await voidInvitations(user, role, transaction);
        return 'set';
      }),

    setRoleSource: (user, provider) =>
      serialized(async (transaction) => {
        const state = await stateOf(user, transaction);
        if (state === 'absent') return 'absent';
        if (provider === undefined) {
          await ownRole(user, transaction);
          return 'set';
        }
        if (!(await hasProvider(user, provider, transaction))) return 'absent';
        if (state === 'last-admin') return 'last-admin';
        if (!(await hasRow(transaction, 'users', { name: user, role_source: provider })))
          await updateRows(transaction, 'users', { name: user }, { role_source: provider, other_roles: null });
        return 'set';
      }),

    noteSession: (session) => putRecord(db, 'oidc_sessions', session),

    async renameSession(from, to) {
      await updateRows(db, 'oidc_sessions', { session_id: from }, { session_id: to });
    },

    sessionsOf: async (issuer, subject, sid) =>
      subject === undefined && sid === undefined
        ? []
        : listRecords(db, 'oidc_sessions', { issuer, subject, sid }, ['session_id']),

    async forgetSessionsBefore(expiredAt) {
      await deleteRows(db, 'oidc_sessions', { expires_at: { '<': expiredAt } });
    },
  };
}

/** Neither is the subject connected with an account, nor the account with a person at that provider. */
export const isConnectable = async (signIn: SignIn, transaction: Transaction<Tables>): Promise<boolean> =>
  !(await hasSubject(signIn, transaction)) && !(await hasProvider(signIn.user, signIn.provider, transaction));

/** A closed guest may come back: an admin invited the person. */
export async function openSignIn({ issuer, subject }: SignIn, transaction: Transaction<Tables>): Promise<void> {
  await deleteRows(transaction, 'closed_sign_ins', { id: idOf(issuer, subject) });
}

export const insertSignIn = (signIn: SignIn, transaction: Transaction<Tables>): Promise<void> =>
  insertRecord(transaction, 'sign_ins', signIn, { id: idOf(signIn.issuer, signIn.subject) });

const idOf = (issuer: string, subject: string): string => `${issuer} ${subject}`;

const hasSubject = ({ issuer, subject }: SignIn, transaction: Transaction<Tables>): Promise<boolean> =>
  hasRow(transaction, 'sign_ins', { id: idOf(issuer, subject) });

const hasProvider = (user: UserName, provider: string, transaction: Transaction<Tables>): Promise<boolean> =>
  hasRow(transaction, 'sign_ins', { user_name: user, provider });
