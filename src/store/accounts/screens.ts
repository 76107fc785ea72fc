/** The tables of screens and of the codes that pair them: the same code for every engine (SPEC 18). */
import type { Kysely, Transaction } from 'kysely';
import type { Screen, ScreenCode, ScreenStore } from '../../domain/accounts/screen.ts';
import type { Serialized } from '../engine/parts.ts';
import { deleteRows, findRecord, hasRow, insertRecord, listRecords, updateRows } from '../engine/rows.ts';
import type { Tables } from '../engine/tables.ts';

/** `site`: the screens of other sites on the same store are none here, and their codes pair nothing. */
export function createScreenStore(db: Kysely<Tables>, serialized: Serialized, site: string): ScreenStore {
  return {
    addCode: (code, most) =>
      serialized(async (transaction) => {
        const codes = transaction.selectFrom('screen_codes');
        const waiting = await codes
          .select('device_hash')
          .where('expires_at', '>', code.createdAt)
          .limit(most)
          .execute();
        if (waiting.length >= most) return 'too-many';
        if (await hasRow(transaction, 'screen_codes', { user_hash: code.userHash })) return 'taken';
        await insertRecord(transaction, 'screen_codes', code, { site });
        return 'added';
      }),

    async findCode(by) {
      const one = 'userHash' in by ? { user_hash: by.userHash } : { device_hash: by.deviceHash };
      return (await findRecord(db, 'screen_codes', { site, ...one })) as ScreenCode | undefined;
    },

    async notePoll(deviceHash, at, seconds) {
      const { numUpdatedRows } = await db
        .updateTable('screen_codes')
        .set({ polled_at: at })
        .where('device_hash', '=', deviceHash)
        // After the clock was set back the last poll lies ahead.
        .where(({ or, eb }) =>
          or([eb('polled_at', 'is', null), eb('polled_at', '<=', at - seconds), eb('polled_at', '>', at)]),
        )
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    confirmCode: (userHash, screen, most) =>
      serialized(async (transaction) => {
        const account = { name: screen.user, created_at: screen.userCreatedAt };
        if (!(await hasRow(transaction, 'users', account))) return 'absent';
        const own = transaction.selectFrom('screens').select('id').where('user_name', '=', screen.user);
        if ((await own.limit(most).execute()).length >= most) return 'too-many';
        const { numUpdatedRows } = await waitingCode(transaction, site, userHash, screen.createdAt)
          .set({ state: 'confirmed', screen_id: screen.id })
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return 'gone';
        await insertRecord(transaction, 'screens', screen, { site });
        return 'confirmed';
      }),

    async denyCode(userHash, now) {
      const denied = waitingCode(db, site, userHash, now).set({ state: 'denied' });
      return (await denied.executeTakeFirst()).numUpdatedRows ? 'denied' : 'gone';
    },

    pickUp: (deviceHash, secretHash, now) =>
      serialized(async (transaction) => {
        const confirmed = transaction
          .deleteFrom('screen_codes')
          .where('device_hash', '=', deviceHash)
          .where('state', '=', 'confirmed')
          .where('expires_at', '>', now);
        const code = await confirmed.returning('screen_id').executeTakeFirst();
        if (!code?.screen_id) return 'gone';
        const unfetched = { id: code.screen_id, secret_hash: null };
        return (await updateRows(transaction, 'screens', unfetched, { secret_hash: secretHash }))
          ? 'picked-up'
          : 'gone';
      }),

    async findScreen(by) {
      const one = 'id' in by ? { id: by.id } : { secret_hash: by.secretHash };
      return (await findRecord(db, 'screens', { site, ...one })) as Screen | undefined;
    },

    listScreens: async (user) =>
      (await listRecords(db, 'screens', { site, user_name: user }, ['-created_at', 'id'])) as readonly Screen[],

    async changeScreen(id, { name, cameras }) {
      const change = {
        ...(name !== undefined && { name }),
        ...(cameras !== undefined && { cameras: camerasText(cameras) }),
      };
      return (await updateRows(db, 'screens', { id, site }, change)) ? 'changed' : 'absent';
    },

    deleteScreen: async (id) => ((await deleteRows(db, 'screens', { id, site })) ? 'deleted' : 'absent'),

    noteUses: (uses) =>
      serialized(async (transaction) => {
        for (const { id, at, from } of uses)
          await updateRows(transaction, 'screens', { id }, { last_seen_at: at, last_seen_from: from });
      }),

    forgetBefore: (endedAt) =>
      serialized(async (transaction) => {
        await deleteRows(transaction, 'screen_codes', { expires_at: { '<': endedAt } });
        await deleteRows(transaction, 'screens', { ends_at: { '<': endedAt } });
        await deleteRows(transaction, 'screens', { secret_hash: null, created_at: { '<': endedAt } });
      }),
  };
}

const waitingCode = (db: Kysely<Tables> | Transaction<Tables>, site: string, userHash: string, now: number) =>
  db
    .updateTable('screen_codes')
    .where('site', '=', site)
    .where('user_hash', '=', userHash)
    .where('state', '=', 'pending')
    .where('expires_at', '>', now);

const camerasText = (cameras: readonly string[] | null): string | null =>
  cameras === null ? null : JSON.stringify(cameras);
