/** Statements of the schema, and the events table with what it is searched by: the same on every engine. */
import { type QueryExecutorProvider, sql } from 'kysely';
import type { Dialect } from './engine.ts';

/** `statements` are separated by `;` at the end of a line; the type `text` is that of the engine; a column may have that name, too. */
export async function runAll(statements: string, db: QueryExecutorProvider, { text }: Dialect): Promise<void> {
  for (const statement of statements.split(/;\n/)) {
    const parts = statement.split(/(?<=\w )text(?=[ ,)])/).map((part) => sql.raw(part));
    await sql.join(parts, text).execute(db);
  }
}

/**
 * Bulky columns stand last: SQLite reads a row from its start, and a scan need not touch what lies behind. `score`,
 * `speed` and `plate` repeat what is in `data`; `sub_labels_folded` is `,bob,john,`. `event_writes` counts the writes of
 * each day of UTC in which events begin. Equal start times are put in order of id while walking: the id in every index
 * would double its size. Partial indices are for what few events have: other events cost nothing.
 */
const EVENTS = `
create table events (id text primary key not null, camera text not null, label text not null,
  start_time double precision not null, end_time double precision, score double precision, speed double precision,
  has_clip boolean not null, has_snapshot boolean not null, retain_indefinitely boolean not null,
  false_positive boolean, plus_id text, plate text, sub_label text, sub_labels_folded text, zones text not null,
  model_hash text, detector_type text, model_type text, data text not null, thumbnail text);
create index events_start_time on events (start_time);
create index events_camera_start_time on events (camera, start_time);
create index events_label_start_time on events (label, start_time);
create index events_camera_label_start_time on events (camera, label, start_time);
create index events_camera_sub_label on events (camera, sub_label) where sub_label is not null;
create index events_camera_plate on events (camera, plate) where plate is not null;
create index events_camera_zones on events (camera, zones) where zones <> '[]';
create index events_in_progress on events (camera, start_time) where end_time is null;
create index events_retained on events (camera, start_time) where retain_indefinitely = true;
create index events_submitted on events (camera, start_time) where plus_id <> ''`;

/** Score and speed: many events have none, and a page must not sort them all, so their indices hold the id. */
export async function createEvents(db: QueryExecutorProvider, words: Dialect): Promise<void> {
  await runAll(EVENTS, db, words);
  for (const sorted of ['score', 'speed'])
    await sql`create index ${sql.ref(`events_${sorted}_id`)} on events (${words.ordered(sql.ref(sorted), 'asc', false)}, id)`.execute(
      db,
    );
  await words.completeEvents(db);
}
