/** The tables of what an admin sets for the house: custom roles, settings, and the sites that share the store (interface 2.2; SPEC 4.3, 8, 20). */

import { type Role, type UserName, VIEWER } from '../../domain/names.ts';
import { STORED_KEYS, type StoredKey, type StoredSettings } from '../../domain/stored-settings.ts';
import { deleteRows, hasRow, listRecords, putRecord, storePart, updateRows } from '../engine/rows.ts';
import type { SiteRecord, StoredRole } from '../engine/tables.ts';
import { SITE, tablesWhere } from '../engine/tables.ts';
import { kindsOfSite } from './grants.ts';

export type RoleStore = ReturnType<typeof createRoleStore>;

export const createRoleStore = storePart(
  {
    /** All roles, in order of name. */
    listRoles: (db) => listRecords(db, 'custom_roles', {}, ['role']),
  },
  {
    /**
     * All or none of them: `saved` are new roles, and new cameras of known ones. Users of a deleted role become viewers with it;
     * gives their names.
     */
    changeRoles: (
      locked,
      { saved, deleted }: { readonly saved: readonly StoredRole[]; readonly deleted: readonly Role[] },
    ) =>
      locked({ key: 'roles' }, async (db) => {
        for (const role of saved) await putRecord(db, 'custom_roles', role);
        if (deleted.length === 0) return [];
        await deleteRows(db, 'custom_roles', { role: deleted });
        const demoted = await db
          .updateTable('users')
          .set({ role: VIEWER })
          .where('role', 'in', deleted)
          .where('role_source', 'is', null)
          .returning('name')
          .execute();
        return demoted.map(({ name }) => name as UserName).sort();
      }),
  },
);

/** The row of `server.public_url`, of which each site has its own. Without a name of the site it is the key alone. */
const addressRow = (site: string): string => `server.public_url ${site}`.trimEnd();

export type SettingStore = ReturnType<ReturnType<typeof settingStoreOf>>;

export const settingStoreOf = (site: string) => {
  const keys = Object.values(STORED_KEYS);
  const rowOf = (key: StoredKey): string => (key === 'server.public_url' ? addressRow(site) : key);
  return storePart(
    {
      async readSettings(db) {
        const rows = await listRecords(db, 'settings', {}, []);
        const values = new Map(rows.map(({ id, value }) => [id, value]));
        const known = keys.map((key) => [key, values.get(rowOf(key))] as const);
        return Object.fromEntries(known.filter(([, value]) => value !== undefined)) as StoredSettings;
      },
    },
    {
      /** All or none of them. Null takes the key out. */
      changeSettings: (locked, values: Readonly<Partial<Record<StoredKey, string | null>>>) =>
        locked({ key: 'settings' }, async (db) => {
          for (const key of keys) {
            const [id, value] = [rowOf(key), values[key]];
            if (value === null) await deleteRows(db, 'settings', { id });
            else if (value !== undefined) await putRecord(db, 'settings', { id, value });
          }
        }),
    },
  );
};

export const createSiteStore = storePart(
  {
    listSites: (db) => listRecords(db, 'sites', {}, ['site']),
    publishSite: (db, record: SiteRecord) => putRecord(db, 'sites', record),
  },
  {
    /** All that is of one site goes along. */
    renameSite: (locked, from: string, to: string) =>
      locked({ key: 'sites' }, async (db) => {
        if (await hasRow(db, 'sites', { site: to })) return 'taken';
        if (!(await updateRows(db, 'sites', { site: from }, { site: to }))) return 'absent';
        for (const [table] of tablesWhere(({ columns }) => columns['site'] === SITE))
          await updateRows(db, table, { ...(table === 'grants' && { kind: kindsOfSite() }), site: from }, { site: to });
        const id = addressRow(to);
        await deleteRows(db, 'settings', { id });
        await updateRows(db, 'settings', { id: addressRow(from) }, { id });
        return 'renamed';
      }),

    forgetSite: (locked, site: string) =>
      locked({ key: 'sites' }, async (db) => {
        if (!(await deleteRows(db, 'sites', { site }))) return 'absent';
        await deleteRows(db, 'settings', { id: addressRow(site) });
        return 'forgotten';
      }),
  },
);
