/** Deletes events that began before a time, a few at a time (SPEC 10). */
import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../engine/tables.ts';

/** Deletes what began before `time` (Unix seconds) and is not marked to be kept; resolves with how many. */
export type ForgetEvents = (time: number, signal: AbortSignal) => Promise<number>;

/** So many take some milliseconds, for which SQLite stops the event loop. */
const EVENTS_PER_STEP = 50;
/** The pause between two steps, in times of what the last one took. */
const PAUSE = 4;

export const forgetEventsOf =
  (db: Kysely<Tables>): ForgetEvents =>
  async (time, signal) => {
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
