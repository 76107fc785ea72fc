/** The codes that pair screens, in the store: a code makes one screen, for one display (SPEC 18). */
import { insertGrant } from '../../store/accounts/grants.ts';
import { type Locked, type Queries, storePart } from '../../store/engine/rows.ts';
import type { PlaceOfPart } from '../../store/open-store.ts';
import type { Screen, ScreenCode } from './tables.ts';

export type ScreenCodes = ReturnType<typeof screenCodePart>;

/** The codes of other services on the same store pair nothing here. */
export const screenCodePart = (kysely: Queries['kysely'], locked: Locked, { here }: Pick<PlaceOfPart, 'here'>) => {
  const waiting = (userHash: string, now: number) =>
    ({ ...here, user_hash: userHash, state: 'pending', expires_at: { '>': now } }) as const;
  return storePart(
    {
      findCode: (db, by: { readonly deviceHash: string } | { readonly userHash: string }) =>
        db.find('screen_codes', {
          ...here,
          ...('userHash' in by ? { user_hash: by.userHash } : { device_hash: by.deviceHash }),
        }),

      /** False when the display polled less than so many seconds ago. */
      async notePoll(db, deviceHash: string, at: number, seconds: number) {
        const { numUpdatedRows } = await db.kysely
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

      denyCode: async (db, userHash: string, now: number) =>
        (await db.update('screen_codes', waiting(userHash, now), { state: 'denied' })) ? 'denied' : 'gone',

      /** False: it was revoked. */
      async changeScreen(db, id: string, { name, cameras }: Partial<Pick<Screen, 'name' | 'cameras'>>) {
        const text = cameras && JSON.stringify(cameras);
        const change = { ...(name !== undefined && { name }), ...(text !== undefined && { cameras: text }) };
        return (await db.update('grants', { id, kind: 'screen', ...here }, change)) > 0;
      },
    },
    {
      /** `too-many` when so many wait already; `taken` when the letters are in use. */
      addCode: (locked, code: ScreenCode, most: number) =>
        locked({ key: 'screen codes' }, async (db) => {
          if ((await db.count('screen_codes', { expires_at: { '>': code.createdAt } })) >= most) return 'too-many';
          if (await db.has('screen_codes', { user_hash: code.userHash })) return 'taken';
          await db.insert('screen_codes', code, here);
          return 'added';
        }),

      /** Adds the screen. `gone`: the code is over or used; `absent`: the account is gone; `too-many`: it has so many screens. */
      confirmCode: (locked, userHash: string, screen: Screen, most: number) =>
        locked({ person: screen.user }, async (db, user) => {
          const added = await insertGrant('screen', screen, user, { here, most }, db);
          if (added !== 'added') return added;
          const confirmed = { state: 'confirmed', screen_id: screen.id } as const;
          if (await db.update('screen_codes', waiting(userHash, screen.createdAt), confirmed)) return 'confirmed';
          await db.delete('grants', { id: screen.id });
          return 'gone';
        }),

      /** Gives the confirmed screen its secret and ends the code: of several at once one gets it. */
      pickUp: (locked, deviceHash: string, secretHash: string, now: number) =>
        locked({}, async (db) => {
          const code = { device_hash: deviceHash, state: 'confirmed', expires_at: { '>': now } } as const;
          const [taken] = await db.take('screen_codes', code);
          if (!taken?.screen_id) return 'gone';
          const unfetched = { id: taken.screen_id, kind: 'screen', secret_hash: null };
          return (await db.update('grants', unfetched, { secret_hash: secretHash })) ? 'picked-up' : 'gone';
        }),
    },
  )(kysely, locked);
};
