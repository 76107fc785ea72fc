/** The table of the settings of the house: the same code for every engine (SPEC 8). */
import type { Kysely } from 'kysely';
import { type SettingStore, STORED_KEYS, type StoredKey, type StoredSettings } from '../../domain/stored-settings.ts';
import { deleteRows, listRecords, putRecord } from '../engine/rows.ts';
import type { Serialized } from '../engine/serialized.ts';
import type { Tables } from '../engine/tables.ts';

/** The row of `server.public_url`, of which each site has its own. Without a name of the site it is the key alone. */
export const addressRow = (site: string): string => `server.public_url ${site}`.trimEnd();

export function createSettingStore(db: Kysely<Tables>, serialized: Serialized, site: string): SettingStore {
  const keys = Object.values(STORED_KEYS);
  const rowOf = (key: StoredKey): string => (key === 'server.public_url' ? addressRow(site) : key);
  return {
    async readSettings() {
      const rows = await listRecords(db, 'settings', {}, []);
      const values = new Map(rows.map(({ id, value }) => [id, value]));
      return Object.fromEntries(
        keys.flatMap((key) => {
          const value = values.get(rowOf(key));
          return value === undefined ? [] : [[key, value]];
        }),
      ) as StoredSettings;
    },

    changeSettings: (values) =>
      serialized(async (transaction) => {
        for (const key of keys) {
          const [id, value] = [rowOf(key), values[key]];
          if (value === undefined) continue;
          if (value === null) await deleteRows(transaction, 'settings', { id });
          else await putRecord(transaction, 'settings', { id, value });
        }
      }),
  };
}
