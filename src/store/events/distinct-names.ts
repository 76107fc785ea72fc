/** The distinct names in a column, by stepping through an index from one name to the next: events are not read. */
import { type RawBuilder, sql } from 'kysely';
import type { DistinctColumn } from '../../domain/events/event-question.ts';
import { allOf, isOneOf } from './event-conditions.ts';
import { type EventsPlace, inTime } from './event-shape.ts';
import { everyEvent } from './time-windows.ts';

export const distinctCameras = (place: EventsPlace): Promise<string[]> => steps('camera', sql`1 = 1`, place);

export const distinctNames = (column: DistinctColumn, camera: string, place: EventsPlace): Promise<string[]> =>
  steps(column, sql`e.camera = ${camera}`, place);

/** Lists of zones as they are stored, without the empty one. In words of the partial index. */
export const distinctZones = (camera: string, place: EventsPlace): Promise<string[]> =>
  steps('zones', sql`e.camera = ${camera} and e.zones <> '[]'`, place);

/** Labels are few: an index leads from one to the next, and to events of each until one is of these cameras. */
export async function labelsOf(cameras: readonly string[] | null, place: EventsPlace): Promise<string[]> {
  const found: string[] = [];
  for (const label of await steps('label', sql`1 = 1`, place)) {
    const shown = cameras ? [isOneOf(place.words.unindexed(sql`e.camera`), cameras)] : [];
    const where = allOf([...inTime(place), sql`e.label = ${label}`, ...shown]);
    const { rows } = await sql`select 1 from ${place.shape.table} as e where ${where} limit 1`.execute(place.db);
    if (rows.length > 0) found.push(label);
  }
  return found;
}

/** Where no index knows the names of a camera, stepping would walk through all events for each name. */
export async function namesOfAll(
  column: DistinctColumn,
  cameras: readonly string[] | null,
  place: EventsPlace,
): Promise<string[]> {
  const name = sql`e.${sql.ref(column)}`;
  const names = new Set<string>();
  for await (const these of everyEvent(cameras, place)) {
    const { rows } = await sql<{ name: string }>`
      select distinct ${name} as name from ${place.shape.table} as e
      where ${these} and ${name} is not null`.execute(place.db);
    for (const row of rows) names.add(row.name);
  }
  return [...names];
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
