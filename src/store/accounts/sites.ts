/** The table of sites, several services on one store: the same code for every engine (SPEC 20). */
import type { Kysely } from 'kysely';
import type { SiteStore } from '../../domain/accounts/site.ts';
import { deleteRows, hasRow, listRecords, putRecord, updateRows } from '../engine/rows.ts';
import type { Serialized } from '../engine/serialized.ts';
import type { Tables } from '../engine/tables.ts';
import { addressRow } from './settings.ts';

/** Their rows are of one site each. */
const OF_ONE_SITE = ['links', 'screens', 'screen_codes'] as const;

export function createSiteStore(db: Kysely<Tables>, serialized: Serialized): SiteStore {
  return {
    listSites: () => listRecords(db, 'sites', {}, ['site']),
    publishSite: (record) => putRecord(db, 'sites', record),

    renameSite: (from, to) =>
      serialized(async (transaction) => {
        if (await hasRow(transaction, 'sites', { site: to })) return 'taken';
        if (!(await updateRows(transaction, 'sites', { site: from }, { site: to }))) return 'absent';
        for (const table of OF_ONE_SITE) await updateRows(transaction, table, { site: from }, { site: to });
        const id = addressRow(to);
        await deleteRows(transaction, 'settings', { id });
        await updateRows(transaction, 'settings', { id: addressRow(from) }, { id });
        return 'renamed';
      }),

    forgetSite: (site) =>
      serialized(async (transaction) => {
        if (!(await deleteRows(transaction, 'sites', { site }))) return 'absent';
        await deleteRows(transaction, 'settings', { id: addressRow(site) });
        return 'forgotten';
      }),
  };
}
