/** The tables of what an admin sets for the house: custom roles, settings, and the sites that share the store (interface 2.2; SPEC 4.3, 8, 20). */

import { type Role, VIEWER } from '../../domain/names.ts';
import { STORED_KEYS, type StoredKey, type StoredSettings } from '../../domain/stored-settings.ts';
import { storePart } from '../engine/rows.ts';
import { type Here, SITE, type SiteRecord, type StoredRole, tablesWhere } from '../engine/tables.ts';
import { namesIn } from './accounts.ts';
import { localKinds } from './grants.ts';

export type RoleStore = ReturnType<typeof createRoleStore>;

export const createRoleStore = storePart(
  {
    /** All roles, in order of name. */
    listRoles: (db) => db.list('custom_roles', {}, ['role']),
    /** The roles of the configuration files of the other services on the store. */
    rolesElsewhere: async (db, { site }: Here) =>
      (await db.list('sites', { site: { '!=': site } }, [])).flatMap(({ roles }) => roles),
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
        for (const role of saved) await db.put('custom_roles', role);
        if (deleted.length === 0) return [];
        await db.delete('custom_roles', { role: deleted });
        return namesIn(await db.change('users', { role: deleted, role_source: null }, { role: VIEWER }));
      }),
  },
);

/** The row of `server.public_url`, of which each site has its own. Without a name of the site it is the key alone. */
const addressRow = (site: string): string => `server.public_url ${site}`.trimEnd();

export type SettingStore = ReturnType<ReturnType<typeof settingStoreOf>>;

export const settingStoreOf = ({ site }: Here) => {
  const keys = Object.values(STORED_KEYS);
  const rowOf = (key: StoredKey): string => (key === 'server.public_url' ? addressRow(site) : key);
  return storePart(
    {
      async readSettings(db) {
        const rows = await db.list('settings', {}, []);
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
            if (value === null) await db.delete('settings', { id });
            else if (value !== undefined) await db.put('settings', { id, value });
          }
        }),
    },
  );
};

export const createSiteStore = storePart(
  {
    listSites: (db) => db.list('sites', {}, ['site']),
    publishSite: (db, record: SiteRecord) => db.put('sites', record),
  },
  {
    /** All that is of one site goes along. */
    renameSite: (locked, from: string, to: string) =>
      locked({ key: 'sites' }, async (db) => {
        if (await db.has('sites', { site: to })) return 'taken';
        if (!(await db.update('sites', { site: from }, { site: to }))) return 'absent';
        for (const [table] of tablesWhere(({ columns }) => columns['site'] === SITE))
          await db.update(table, { ...(table === 'grants' && { kind: localKinds() }), site: from }, { site: to });
        const id = addressRow(to);
        await db.delete('settings', { id });
        await db.update('settings', { id: addressRow(from) }, { id });
        return 'renamed';
      }),

    forgetSite: (locked, site: string) =>
      locked({ key: 'sites' }, async (db) => {
        if (!(await db.delete('sites', { site }))) return 'absent';
        await db.delete('settings', { id: addressRow(site) });
        return 'forgotten';
      }),
  },
);
