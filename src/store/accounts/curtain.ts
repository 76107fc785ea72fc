/** The table of the curtain: the same code for every engine (SPEC 19). */
import type { Kysely } from 'kysely';
import type { CurtainStore } from '../../domain/accounts/curtain.ts';
import type { Serialized } from '../engine/serialized.ts';
import type { Tables } from '../engine/tables.ts';

export function createCurtainStore(db: Kysely<Tables>, serialized: Serialized): CurtainStore {
  return {
    async listDrawn() {
      const rows = await db.selectFrom('curtain').selectAll().orderBy('camera').execute();
      return rows.map(({ camera, until, drawn_by: by, drawn_at: drawnAt }) => ({
        camera,
        by,
        drawnAt,
        ...(until !== null && { until }),
      }));
    },

    changeCurtain: ({ drawn, opened }) =>
      serialized(async (transaction) => {
        for (const { camera, until = null, by, drawnAt } of drawn) {
          const terms = { until, drawn_by: by, drawn_at: drawnAt };
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
