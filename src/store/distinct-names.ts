/** The different names in a column, by stepping through an index from one to the next: events are not read. */
import { type Kysely, sql } from 'kysely';
import type { DistinctColumn } from '../domain/event-question.ts';
import type { Tables } from './tables.ts';

/** A plain `distinct` would read an index entry per event. */
export async function distinctCameras(db: Kysely<Tables>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    with recursive found (name) as (
      select min(camera) from events
      union all
      select (select min(camera) from events where camera > found.name) from found where found.name is not null
    )
    select name from found where name is not null`.execute(db);
  return rows.map(({ name }) => name);
}

export async function distinctNames(column: DistinctColumn, camera: string, db: Kysely<Tables>): Promise<string[]> {
  const name = sql.ref(column);
  const { rows } = await sql<{ name: string }>`
    with recursive found (name) as (
      select min(${name}) from events where camera = ${camera} and ${name} is not null
      union all
      select (select min(${name}) from events where camera = ${camera} and ${name} > found.name)
      from found where found.name is not null
    )
    select name from found where name is not null`.execute(db);
  return rows.map((row) => row.name);
}
