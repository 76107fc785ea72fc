/** The tables of sign-ins and of sessions that began by a provider: the same code for every engine (SPEC 16). */
import type { Kysely, Transaction } from 'kysely';
import type { ProviderSession, SignIn, SignInStore } from '../../domain/accounts/sign-in.ts';
import { NO_ROLE, type UserName } from '../../domain/names.ts';
import type { Serialized } from '../engine/serialized.ts';
import { recordOf, rowOf, type Tables } from '../engine/tables.ts';
import { closeSignIn, insertUser, ownRole, stateOf, voidInvitations } from './accounts.ts';
import { hasOtherWay } from './ways-in.ts';

export function createSignInStore(db: Kysely<Tables>, serialized: Serialized): SignInStore {
  return {
    async findSignIn(issuer, subject) {
      const row = await db
        .selectFrom('sign_ins')
        .selectAll()
        .where('id', '=', idOf(issuer, subject))
        .executeTakeFirst();
      return row && asSignIn(row);
    },

    async isClosed(issuer, subject) {
      const known = db.selectFrom('closed_sign_ins').select('id').where('id', '=', idOf(issuer, subject));
      return (await known.executeTakeFirst()) !== undefined;
    },

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
      return rows.map(({ provider, subject, known_until }) => ({ provider, subject, knownUntil: known_until }));
    },

    async forgetClosed(provider, subject) {
      const removal = db.deleteFrom('closed_sign_ins').where('provider', '=', provider).where('subject', '=', subject);
      return (await removal.executeTakeFirst()).numDeletedRows ? 'forgotten' : 'absent';
    },

    async forgetClosedBefore(knownUntil) {
      await db.deleteFrom('closed_sign_ins').where('known_until', '<', knownUntil).execute();
    },

    async listSignIns(user) {
      const all = db.selectFrom('sign_ins').selectAll().orderBy('user_name').orderBy('provider');
      return (await (user === undefined ? all : all.where('user_name', '=', user)).execute()).map(asSignIn);
    },

    connect: (signIn, userCreatedAt) =>
      serialized(async (transaction) => {
        const owner = transaction.selectFrom('users').select('name').where('name', '=', signIn.user);
        if (!(await owner.where('created_at', '=', userCreatedAt).executeTakeFirst())) return 'absent';
        if (!(await isConnectable(signIn, transaction))) return 'taken';
        await insertSignIn(signIn, transaction);
        return 'connected';
      }),

    addUserWithSignIn: (user, signIn) =>
      serialized(async (transaction) => {
        if (await hasSubject(signIn, transaction)) return 'connected';
        if ((await insertUser(user, transaction)) === 'taken') return 'taken';
        await transaction
          .insertInto('sign_ins')
          .values(asRow({ ...signIn, user: user.name }))
          .execute();
        return 'added';
      }),

    async noteUsed({ issuer, subject, user }, at) {
      const used = db.updateTable('sign_ins').set({ last_used_at: at }).where('id', '=', idOf(issuer, subject));
      return (await used.where('user_name', '=', user).executeTakeFirst()).numUpdatedRows > 0;
    },

    disconnect: (user, provider, by) =>
      serialized(async (transaction) => {
        if (!(await hasProvider(user, provider, transaction))) return 'absent';
        if (!(await hasOtherWay(user, { provider }, transaction))) return 'last-way-in';
        const owner = transaction.selectFrom('users').select(['role_source', 'valid_until']).where('name', '=', user);
        const { role_source, valid_until } = await owner.executeTakeFirstOrThrow();
        const givesRole = role_source === provider;
        if (givesRole && by === 'owner') return 'gives-role';
        const removal = transaction.deleteFrom('sign_ins').where('user_name', '=', user);
        const removed = await removal.where('provider', '=', provider).returningAll().execute();
        // A guest's account has an end: the provider makes none beside it, or after it, without one.
        if (valid_until !== null) for (const row of removed) await closeSignIn(row, valid_until, transaction);
        if (givesRole) await ownRole(user, transaction);
        return 'disconnected';
      }),

    setProviderRoles: (user, provider, [role = NO_ROLE, ...others], at) =>
      serialized(async (transaction) => {
        const known = transaction.selectFrom('users').select(['role', 'other_roles']).where('name', '=', user);
        const row = await known.where('role_source', '=', provider).executeTakeFirst();
        if (!row) return 'absent';
        const other_roles = others.length > 0 ? JSON.stringify(others) : null;
        if (row.role === role && row.other_roles === other_roles) return 'same';
        const change = transaction.updateTable('users').set({ role, other_roles, role_since: at });
        await change.where('name', '=', user).execute();
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
        const given = transaction.updateTable('users').set({ role_source: provider, other_roles: null });
        await given
          .where('name', '=', user)
          .where(({ eb, or }) => or([eb('role_source', 'is', null), eb('role_source', '!=', provider)]))
          .execute();
        return 'set';
      }),

    async noteSession(session) {
      const { session_id: _, ...latest } = asSessionRow(session);
      await db
        .insertInto('oidc_sessions')
        .values(asSessionRow(session))
        .onConflict((conflict) => conflict.column('session_id').doUpdateSet(latest))
        .execute();
    },

    async renameSession(from, to) {
      await db.updateTable('oidc_sessions').set({ session_id: to }).where('session_id', '=', from).execute();
    },

    async sessionsOf(issuer, subject, sid) {
      if (subject === undefined && sid === undefined) return [];
      const all = db.selectFrom('oidc_sessions').selectAll().where('issuer', '=', issuer).orderBy('session_id');
      const ofSubject = subject === undefined ? all : all.where('subject', '=', subject);
      const wanted = sid === undefined ? ofSubject : ofSubject.where('sid', '=', sid);
      return (await wanted.execute()).map(asSession);
    },

    async forgetSessionsBefore(expiredAt) {
      await db.deleteFrom('oidc_sessions').where('expires_at', '<', expiredAt).execute();
    },
  };
}

/** Neither is the subject connected with an account, nor the account with a person at that provider. */
export const isConnectable = async (signIn: SignIn, transaction: Transaction<Tables>): Promise<boolean> =>
  !(await hasSubject(signIn, transaction)) && !(await hasProvider(signIn.user, signIn.provider, transaction));

/** A closed guest may come back: an admin invited the person. */
export async function openSignIn({ issuer, subject }: SignIn, transaction: Transaction<Tables>): Promise<void> {
  await transaction.deleteFrom('closed_sign_ins').where('id', '=', idOf(issuer, subject)).execute();
}

export async function insertSignIn(signIn: SignIn, transaction: Transaction<Tables>): Promise<void> {
  await transaction.insertInto('sign_ins').values(asRow(signIn)).execute();
}

const idOf = (issuer: string, subject: string): string => `${issuer} ${subject}`;

async function hasSubject({ issuer, subject }: SignIn, transaction: Transaction<Tables>): Promise<boolean> {
  const known = transaction.selectFrom('sign_ins').select('id').where('id', '=', idOf(issuer, subject));
  return (await known.executeTakeFirst()) !== undefined;
}

async function hasProvider(user: UserName, provider: string, transaction: Transaction<Tables>): Promise<boolean> {
  const known = transaction.selectFrom('sign_ins').select('id').where('user_name', '=', user);
  return (await known.where('provider', '=', provider).executeTakeFirst()) !== undefined;
}

const asSignIn = (row: object): SignIn => recordOf('sign_ins', row) as SignIn;

const asRow = (signIn: SignIn) => ({ id: idOf(signIn.issuer, signIn.subject), ...rowOf('sign_ins', signIn) });

const asSession = (row: object): ProviderSession => recordOf('oidc_sessions', row) as ProviderSession;

const asSessionRow = (session: ProviderSession) => rowOf('oidc_sessions', session);
