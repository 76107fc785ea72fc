/** The table of sessions, with when and from where each was last seen: the same code for every engine (SPEC 4.2). */
import type { Kysely, Transaction } from 'kysely';
import type { SeenSession, SessionStore } from '../../domain/accounts/session-store.ts';
import type { Serialized } from '../engine/serialized.ts';
import { recordOf, rowOf, type Tables } from '../engine/tables.ts';

/** The most rows of one list: a page with more sessions cannot be read. */
const MOST_LISTED = 1000;

export function createSessionStore(db: Kysely<Tables>, serialized: Serialized): SessionStore {
  return {
    noteSessions: (seen) =>
      serialized(async (transaction) => {
        for (const session of seen) {
          if (await isOver(session, transaction)) continue;
          const { since: _, expires_at, ...latest } = asRow(session);
          await transaction
            .insertInto('seen_sessions')
            .values(asRow(session))
            .onConflict((conflict) => conflict.column('id').doUpdateSet(latest))
            .execute();
          await transaction
            .updateTable('seen_sessions')
            .set({ expires_at })
            .where('id', '=', session.id)
            .where('expires_at', '<', expires_at)
            .execute();
        }
      }),

    async listSessions(now, user) {
      const all = db.selectFrom('seen_sessions').selectAll().where('expires_at', '>', now);
      const wanted = user === undefined ? all : all.where('user_name', '=', user);
      const rows = await wanted.orderBy('last_seen', 'desc').orderBy('id').limit(MOST_LISTED).execute();
      return rows.map(asSession);
    },

    async findSession(id) {
      const row = await db.selectFrom('seen_sessions').selectAll().where('id', '=', id).executeTakeFirst();
      return row && asSession(row);
    },

    async forgetSessionsBefore(expiredAt) {
      await db.deleteFrom('seen_sessions').where('expires_at', '<', expiredAt).execute();
    },

    async forgetSessionsUnlessSignedWith(keyId) {
      await db.deleteFrom('seen_sessions').where('signed_with', '<>', keyId).execute();
    },
  };
}

/** Sightings are written with a delay: the session may have ended since. */
async function isOver({ id, user, since }: SeenSession, transaction: Transaction<Tables>): Promise<boolean> {
  const revoked = transaction.selectFrom('revoked_tokens').select('token_id').where('token_id', '=', id);
  if (await revoked.executeTakeFirst()) return true;
  const account = transaction.selectFrom('users').select('password_changed_at').where('name', '=', user);
  const row = await account.executeTakeFirst();
  return !row || since < Math.floor(row.password_changed_at ?? 0);
}

const asSession = (row: object): SeenSession => recordOf('seen_sessions', row) as SeenSession;

const asRow = (session: SeenSession) => rowOf('seen_sessions', session);
