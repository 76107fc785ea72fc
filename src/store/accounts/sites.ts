/** The table of sites, several services on one store: the same code for every engine (SPEC 20). */
import type { Kysely, Transaction } from 'kysely';
import type { SiteRecord, SiteStore } from '../../domain/accounts/site.ts';
import type { Serialized } from '../engine/serialized.ts';
import { recordOf, rowOf, type Tables } from '../engine/tables.ts';
import { addressRow } from './settings.ts';

/** Their rows are of one site each. */
const OF_ONE_SITE = ['links', 'screens', 'screen_codes'] as const;

export function createSiteStore(db: Kysely<Tables>, serialized: Serialized): SiteStore {
  return {
    async listSites() {
      const rows = await db.selectFrom('sites').selectAll().orderBy('site').execute();
      return rows.map((row) => recordOf('sites', row) as SiteRecord);
    },

    async publishSite(record) {
      const { site, ...terms } = rowOf('sites', record);
      await db
        .insertInto('sites')
        .values({ site, ...terms })
        .onConflict((conflict) => conflict.column('site').doUpdateSet(terms))
        .execute();
    },

    renameSite: (from, to) =>
      serialized(async (transaction) => {
        if (await isThere(to, transaction)) return 'taken';
        const renamed = transaction.updateTable('sites').set({ site: to }).where('site', '=', from);
        if ((await renamed.executeTakeFirst()).numUpdatedRows === 0n) return 'absent';
        for (const table of OF_ONE_SITE)
          await transaction.updateTable(table).set({ site: to }).where('site', '=', from).execute();
        const id = addressRow(to);
        await transaction.deleteFrom('settings').where('id', '=', id).execute();
        await transaction.updateTable('settings').set({ id }).where('id', '=', addressRow(from)).execute();
        return 'renamed';
      }),

    forgetSite: (site) =>
      serialized(async (transaction) => {
        const { numDeletedRows } = await transaction.deleteFrom('sites').where('site', '=', site).executeTakeFirst();
        if (!numDeletedRows) return 'absent';
        await transaction.deleteFrom('settings').where('id', '=', addressRow(site)).execute();
        return 'forgotten';
      }),
  };
}

const isThere = async (site: string, transaction: Transaction<Tables>): Promise<boolean> =>
  (await transaction.selectFrom('sites').select('site').where('site', '=', site).executeTakeFirst()) !== undefined;
