/** The table of the curtain: the same code for every engine (SPEC 19). */
import type { Kysely } from 'kysely';
import type { CurtainStore, DrawnEntry } from '../../domain/accounts/curtain.ts';
import type { Serialized } from '../engine/serialized.ts';
import { recordOf, rowOf, type Tables } from '../engine/tables.ts';

export function createCurtainStore(db: Kysely<Tables>, serialized: Serialized): CurtainStore {
  return {
    async listDrawn() {
      const rows = await db.selectFrom('curtain').selectAll().orderBy('camera').execute();
      return rows.map((row) => recordOf('curtain', row) as DrawnEntry);
    },

    changeCurtain: ({ drawn, opened }) =>
      serialized(async (transaction) => {
        for (const one of drawn) {
          const { camera, ...terms } = rowOf('curtain', one);
          await transaction
            .insertInto('curtain')
            .values({ camera, ...terms })
            .onConflict((conflict) => conflict.column('camera').doUpdateSet(terms))
            .execute();
        }
        if (opened.length > 0) await transaction.deleteFrom('curtain').where('camera', 'in', opened).execute();
      }),

    async forgetDrawnBefore(time) {
      await db.deleteFrom('curtain').where('until', '<=', time).execute();
    },
  };
}
