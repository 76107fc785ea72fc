/** The table of sessions, with when and from where each was last seen: the same code for every engine (SPEC 4.2). */
import type { Kysely, Transaction } from 'kysely';
import type { SeenSession, SessionStore } from '../../domain/accounts/session-store.ts';
import { deleteRows, findRecord, hasRow, insertRecord, listRecords, updateRows } from '../engine/rows.ts';
import type { Serialized } from '../engine/serialized.ts';
import { rowOf, type Tables } from '../engine/tables.ts';

/** The most rows of one list: a page with more sessions cannot be read. */
const MOST_LISTED = 1000;

export function createSessionStore(db: Kysely<Tables>, serialized: Serialized): SessionStore {
  return {
    noteSessions: (seen) =>
      serialized(async (transaction) => {
        for (const session of seen) {
          if (await isOver(session, transaction)) continue;
          const { since: _, expires_at, ...latest } = rowOf('seen_sessions', session);
          const { id } = session;
          if (!(await updateRows(transaction, 'seen_sessions', { id }, latest)))
            await insertRecord(transaction, 'seen_sessions', session);
          await updateRows(transaction, 'seen_sessions', { id, expires_at: { '<': expires_at } }, { expires_at });
        }
      }),

    listSessions: (now, user) =>
      listRecords(
        db,
        'seen_sessions',
        { expires_at: { '>': now }, user_name: user },
        ['-last_seen', 'id'],
        MOST_LISTED,
      ),

    findSession: (id) => findRecord(db, 'seen_sessions', { id }),

    async forgetSessionsBefore(expiredAt) {
      await deleteRows(db, 'seen_sessions', { expires_at: { '<': expiredAt } });
    },

    async forgetSessionsUnlessSignedWith(keyId) {
      await deleteRows(db, 'seen_sessions', { signed_with: { '!=': keyId } });
    },
  };
}

/** Sightings are written with a delay: the session may have ended since. */
async function isOver({ id, user, since }: SeenSession, transaction: Transaction<Tables>): Promise<boolean> {
  if (await hasRow(transaction, 'revoked_tokens', { token_id: id })) return true;
  const account = await findRecord(transaction, 'users', { name: user });
  return !account || since < Math.floor(account.passwordChangedAt ?? 0);
}
