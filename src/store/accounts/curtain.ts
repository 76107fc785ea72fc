/** The table of the curtain: the same code for every engine (SPEC 19). */
import type { Kysely } from 'kysely';
import type { CurtainStore } from '../../domain/accounts/curtain.ts';
import { deleteRows, listRecords, putRecord } from '../engine/rows.ts';
import type { Serialized } from '../engine/serialized.ts';
import type { Tables } from '../engine/tables.ts';

export function createCurtainStore(db: Kysely<Tables>, serialized: Serialized): CurtainStore {
  return {
    listDrawn: () => listRecords(db, 'curtain', {}, ['camera']),

    changeCurtain: ({ drawn, opened }) =>
      serialized(async (transaction) => {
        for (const entry of drawn) await putRecord(transaction, 'curtain', entry);
        if (opened.length > 0) await deleteRows(transaction, 'curtain', { camera: opened });
      }),

    async forgetDrawnBefore(time) {
      await deleteRows(db, 'curtain', { until: { '<=': time } });
    },
  };
}
