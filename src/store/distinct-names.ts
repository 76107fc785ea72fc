/** The different names in a column, by stepping through an index from one to the next: events are not read. */
import { type RawBuilder, sql } from 'kysely';
import type { DistinctColumn } from '../domain/event-question.ts';
import { allOf, isOneOf } from './event-conditions.ts';
import { type EventsPlace, inTime } from './event-shape.ts';

export const distinctCameras = (place: EventsPlace): Promise<string[]> => steps('camera', sql`1 = 1`, place);

export const distinctNames = (column: DistinctColumn, camera: string, place: EventsPlace): Promise<string[]> =>
  steps(column, sql`e.camera = ${camera}`, place);

/** Where no index knows the names of a camera, stepping would walk through all events for each name. */
export async function namesOnOneWalk(
  column: DistinctColumn,
  cameras: readonly string[] | null,
  place: EventsPlace,
): Promise<string[]> {
  const name = sql`e.${sql.ref(column)}`;
  const where = allOf([
    ...inTime(place),
    sql`${name} is not null`,
    ...(cameras ? [isOneOf(sql`e.camera`, cameras)] : []),
  ]);
  const { rows } = await sql<{ name: string }>`
    select distinct ${name} as name from ${place.shape.table} as e where ${where}`.execute(place.db);
  return rows.map((row) => row.name);
}

/** A plain `distinct` would read an index entry per event. */
async function steps(column: string, own: RawBuilder<boolean>, place: EventsPlace): Promise<string[]> {
  const { db, shape } = place;
  const where = allOf([...inTime(place), own]);
  const name = sql`e.${sql.ref(column)}`;
  const first = (beyond: RawBuilder<unknown>) =>
    sql`(select ${name} from ${shape.table} as e where ${where} and ${name} ${beyond} order by ${name} limit 1)`;
  const { rows } = await sql<{ name: string }>`
    with recursive found (name) as (
      select ${first(sql`is not null`)}
      union all
      select ${first(sql`> found.name`)} from found where found.name is not null
    )
    select name from found where name is not null`.execute(db);
  return rows.map((row) => row.name);
}
