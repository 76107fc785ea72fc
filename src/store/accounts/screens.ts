/** The tables of screens and of the codes that pair them: the same code for every engine (SPEC 18). */
import type { Kysely, Transaction } from 'kysely';
import type { Screen, ScreenCode, ScreenStore } from '../../domain/accounts/screen.ts';
import type { Serialized } from '../engine/serialized.ts';
import { recordOf, rowOf, type Tables } from '../engine/tables.ts';

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
        const same = codes.select('device_hash').where('user_hash', '=', code.userHash);
        if (await same.executeTakeFirst()) return 'taken';
        await transaction
          .insertInto('screen_codes')
          .values({ ...rowOf('screen_codes', code), site })
          .execute();
        return 'added';
      }),

    async findCode(by) {
      const all = db.selectFrom('screen_codes').selectAll().where('site', '=', site);
      const one =
        'userHash' in by ? all.where('user_hash', '=', by.userHash) : all.where('device_hash', '=', by.deviceHash);
      const row = await one.executeTakeFirst();
      return row && asCode(row);
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
        const account = transaction.selectFrom('users').select('name').where('name', '=', screen.user);
        if (!(await account.where('created_at', '=', screen.userCreatedAt).executeTakeFirst())) return 'absent';
        const own = transaction.selectFrom('screens').select('id').where('user_name', '=', screen.user);
        if ((await own.limit(most).execute()).length >= most) return 'too-many';
        const { numUpdatedRows } = await waitingCode(transaction, site, userHash, screen.createdAt)
          .set({ state: 'confirmed', screen_id: screen.id })
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return 'gone';
        await transaction
          .insertInto('screens')
          .values({ ...rowOf('screens', screen), site })
          .execute();
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
        const { numUpdatedRows } = await transaction
          .updateTable('screens')
          .set({ secret_hash: secretHash })
          .where('id', '=', code.screen_id)
          .where('secret_hash', 'is', null)
          .executeTakeFirst();
        return numUpdatedRows ? 'picked-up' : 'gone';
      }),

    async findScreen(by) {
      const all = db.selectFrom('screens').selectAll().where('site', '=', site);
      const one = 'id' in by ? all.where('id', '=', by.id) : all.where('secret_hash', '=', by.secretHash);
      const row = await one.executeTakeFirst();
      return row && asScreen(row);
    },

    async listScreens(user) {
      const ofSite = db.selectFrom('screens').selectAll().where('site', '=', site);
      const all = ofSite.orderBy('created_at', 'desc').orderBy('id');
      return (await (user === undefined ? all : all.where('user_name', '=', user)).execute()).map(asScreen);
    },

    async changeScreen(id, { name, cameras }) {
      const change = {
        ...(name !== undefined && { name }),
        ...(cameras !== undefined && { cameras: camerasText(cameras) }),
      };
      const changed = db.updateTable('screens').set(change).where('id', '=', id).where('site', '=', site);
      return (await changed.executeTakeFirst()).numUpdatedRows ? 'changed' : 'absent';
    },

    async deleteScreen(id) {
      const deleted = db.deleteFrom('screens').where('id', '=', id).where('site', '=', site);
      const { numDeletedRows } = await deleted.executeTakeFirst();
      return numDeletedRows ? 'deleted' : 'absent';
    },

    noteUses: (uses) =>
      serialized(async (transaction) => {
        for (const { id, at, from } of uses) {
          const use = { last_seen_at: at, last_seen_from: from };
          await transaction.updateTable('screens').set(use).where('id', '=', id).execute();
        }
      }),

    forgetBefore: (endedAt) =>
      serialized(async (transaction) => {
        await transaction.deleteFrom('screen_codes').where('expires_at', '<', endedAt).execute();
        const over = transaction
          .deleteFrom('screens')
          .where(({ or, and, eb }) =>
            or([eb('ends_at', '<', endedAt), and([eb('secret_hash', 'is', null), eb('created_at', '<', endedAt)])]),
          );
        await over.execute();
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

const asScreen = (row: object): Screen => recordOf('screens', row) as Screen;

const asCode = (row: object): ScreenCode => recordOf('screen_codes', row) as ScreenCode;
