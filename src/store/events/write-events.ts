/** Writes events in one short transaction per batch, so that other writers wait for milliseconds only, and deletes old ones a few at a time (SPEC 10). */
import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, type OnConflictBuilder, sql } from 'kysely';
import type { EventRecord } from '../../domain/events/event.ts';
import { foldSubLabels } from '../../domain/events/event-question.ts';
import type { Dialect } from '../engine/engine.ts';
import { inChunks } from '../engine/rows.ts';
import { TABLES, type Tables } from '../engine/tables.ts';

export const EVENT_COLUMNS = Object.keys(TABLES.events.columns) as (keyof Tables['events'])[];

/** Rows per statement: 21 values each, and an engine takes only so many. */
const ROWS_PER_STATEMENT = 100;

/** The same id replaces what was there. */
export async function writeEvents(records: readonly EventRecord[], db: Kysely<Tables>, words: Dialect): Promise<void> {
  // An engine refuses to replace one row twice in one statement: the last of an id is the one that counts. Halves of
  // surrogate pairs are written as U+FFFD, so ids that differ in these alone are one.
  const rows = [...new Map(records.map((event) => [event.id.toWellFormed(), asRow(event)])).values()];
  if (rows.length === 0) return;
  await db.transaction().execute(async (transaction) => {
    // Two that replace the same events in another order would wait for each other.
    await words.lockKey?.('events', transaction);
    for (const some of inChunks(rows, ROWS_PER_STATEMENT))
      await transaction.insertInto('events').values(some).onConflict(replacing).execute();
  });
}

const replacing = (conflict: OnConflictBuilder<Tables, 'events'>) =>
  conflict
    .column('id')
    .doUpdateSet((excluded) =>
      Object.fromEntries(
        EVENT_COLUMNS.filter((column) => column !== 'id').map((column) => [column, excluded.ref(`excluded.${column}`)]),
      ),
    );

function asRow(event: EventRecord): Tables['events'] {
  const { zones, data, thumbnail, sub_label, ...same } = event;
  return {
    ...same,
    sub_label,
    score: asNumber(data['score']),
    speed: asNumber(data['average_estimated_speed']),
    plate: asText(data['recognized_license_plate']),
    sub_labels_folded: sub_label === null ? null : foldSubLabels(sub_label),
    zones: JSON.stringify(zones),
    data: JSON.stringify(data),
    thumbnail: thumbnail || null,
  };
}

const asNumber = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** So many take some milliseconds, for which SQLite stops the event loop. */
const EVENTS_PER_STEP = 50;
/** The pause between two steps, in times of what the last one took. */
const PAUSE = 4;

/** Deletes what began before `time` (Unix seconds) and is not marked to be kept; resolves with how many. */
export const forgetEventsOf =
  (db: Kysely<Tables>) =>
  async (time: number, signal: AbortSignal): Promise<number> => {
    let deleted = 0;
    for (let from: number | undefined; !signal.aborted; ) {
      const startedAt = performance.now();
      const step = await deleteStep(time, from, db);
      if (!step) break;
      deleted += step.deleted;
      from = step.until;
      await delay((performance.now() - startedAt) * PAUSE);
    }
    return deleted;
  };

/** The oldest events from `from` on; undefined when there are none. */
async function deleteStep(
  time: number,
  from: number | undefined,
  db: Kysely<Tables>,
): Promise<{ readonly deleted: number; readonly until: number } | undefined> {
  // Events that are kept stand at the old end for ever: they are not passed over again at each step.
  const passed = from === undefined ? sql`` : sql`and start_time >= ${from}`;
  const { rows } = await sql<{ id: string; start_time: number }>`
    select id, start_time from events where start_time < ${time} ${passed} and not retain_indefinitely
    order by start_time limit ${EVENTS_PER_STEP}`.execute(db);
  const [first, last] = [rows[0]?.start_time, rows.at(-1)?.start_time];
  if (first === undefined || last === undefined) return undefined;
  const ids = rows.map(({ id }) => id);
  const { numAffectedRows = 0n } =
    await sql`delete from events where id in (${sql.join(ids)}) and start_time >= ${first} and start_time <= ${last}
    and not retain_indefinitely`.execute(db);
  return { deleted: Number(numAffectedRows), until: last };
}
