/** The table of the codes that pair screens: a code makes one screen, for one display (SPEC 18). */
import type { Screen, ScreenCode } from '../../domain/accounts/grant.ts';
import type { Serialized } from '../engine/rows.ts';
import { countRows, deleteRows, findRecord, hasRow, insertRecord, type Queries, updateRows } from '../engine/rows.ts';
import { insertGrant } from './grants.ts';

/** `site`: the codes of other sites on the same store pair nothing here. */
export function createScreenCodeStore(db: Queries, serialized: Serialized, site: string) {
  const waiting = (userHash: string, now: number) =>
    ({ site, user_hash: userHash, state: 'pending', expires_at: { '>': now } }) as const;
  return {
    /** `too-many` when so many wait already; `taken` when the letters are in use. */
    addCode: (code: ScreenCode, most: number): Promise<'added' | 'too-many' | 'taken'> =>
      serialized(async (transaction) => {
        if ((await countRows(transaction, 'screen_codes', { expires_at: { '>': code.createdAt } })) >= most)
          return 'too-many';
        if (await hasRow(transaction, 'screen_codes', { user_hash: code.userHash })) return 'taken';
        await insertRecord(transaction, 'screen_codes', code, { site });
        return 'added';
      }),

    findCode: (by: { readonly deviceHash: string } | { readonly userHash: string }): Promise<ScreenCode | undefined> =>
      findRecord(db, 'screen_codes', {
        site,
        ...('userHash' in by ? { user_hash: by.userHash } : { device_hash: by.deviceHash }),
      }),

    /** False when the display polled less than so many seconds ago. */
    async notePoll(deviceHash: string, at: number, seconds: number): Promise<boolean> {
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

    /** Adds the screen. `gone`: the code is over or used; `absent`: the account is gone; `too-many`: it has so many screens. */
    confirmCode: (
      userHash: string,
      screen: Screen,
      most: number,
    ): Promise<'confirmed' | 'gone' | 'absent' | 'too-many'> =>
      serialized(async (transaction) => {
        const added = await insertGrant(transaction, 'screen', screen, { site, most });
        if (added !== 'added') return added;
        const confirmed = { state: 'confirmed', screen_id: screen.id } as const;
        if ((await updateRows(transaction, 'screen_codes', waiting(userHash, screen.createdAt), confirmed)) > 0)
          return 'confirmed';
        await deleteRows(transaction, 'grants', { id: screen.id });
        return 'gone';
      }),

    denyCode: async (userHash: string, now: number): Promise<'denied' | 'gone'> =>
      (await updateRows(db, 'screen_codes', waiting(userHash, now), { state: 'denied' })) > 0 ? 'denied' : 'gone',

    /** Gives the confirmed screen its secret and ends the code: of several at once one gets it. */
    pickUp: (deviceHash: string, secretHash: string, now: number): Promise<'picked-up' | 'gone'> =>
      serialized(async (transaction) => {
        const code = { device_hash: deviceHash, state: 'confirmed', expires_at: { '>': now } } as const;
        const { screenId = null } = (await findRecord(transaction, 'screen_codes', code)) ?? {};
        if (screenId === null || (await deleteRows(transaction, 'screen_codes', code)) === 0) return 'gone';
        const unfetched = { id: screenId, kind: 'screen', secret_hash: null };
        return (await updateRows(transaction, 'grants', unfetched, { secret_hash: secretHash })) > 0
          ? 'picked-up'
          : 'gone';
      }),
  };
}
