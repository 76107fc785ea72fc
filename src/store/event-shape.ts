/** Where each searched value of an event stands: in the store's own table, or in the NVR's (facts of both in one place). */
import { type RawBuilder, sql } from 'kysely';

type Expression = RawBuilder<unknown>;

/** `e` is the table's alias in every query. Columns that both tables have alike are named where they are used. */
export interface EventShape {
  readonly table: RawBuilder<unknown>;
  readonly score: Expression;
  readonly speed: Expression;
  readonly plate: Expression;
  /** `,bob,john,`: folded, trimmed, whole elements between commas. */
  readonly subLabelsFolded: Expression;
}

export const STORE_SHAPE: EventShape = {
  table: sql`events`,
  score: sql`e.score`,
  speed: sql`e.speed`,
  plate: sql`e.plate`,
  subLabelsFolded: sql`e.sub_labels_folded`,
};
