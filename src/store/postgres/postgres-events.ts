/** Events in PostgreSQL: the triggers that count writes by day, and the way from the tables by month of 0.2.0 into one. */
import { type Kysely, type QueryExecutorProvider, sql, type Transaction } from 'kysely';
import type { MovedEvents } from '../engine/engine.ts';
import type { Tables } from '../engine/tables.ts';
import { EVENT_COLUMNS } from '../events/write-events.ts';

export async function completeEvents(db: QueryExecutorProvider): Promise<void> {
  // Many a camera never sees a label: without this the planner walks through all events to find none.
  await sql`create statistics events_camera_label (mcv) on camera, label from events`.execute(db);
  await sql`create or replace function postern_count_event_writes() returns trigger language plpgsql as $count$
    begin
      insert into event_writes (day, writes)
        select floor(start_time / 86400)::integer as day, count(*) from changed group by 1 order by 1
        on conflict (day) do update set writes = event_writes.writes + excluded.writes;
      return null;
    end $count$`.execute(db);
  for (const [change, rows] of Object.entries(CHANGES))
    for (const [at, given] of rows.entries())
      await sql`${sql.raw(`create trigger events_${change}${at || ''} after ${change} on events
        referencing ${given} table as changed for each statement execute function postern_count_event_writes()`)}`.execute(
        db,
      );
}

const CHANGES = { insert: ['new'], update: ['old', 'new'], delete: ['old'] };

const OLD = sql.table('events_by_month');
/** So many are moved in a second at most, with pictures and on a slow disk too. */
const EVENTS_PER_STEP = 2000;
const STEPS_TOLD_AT = 50;
/** Held by each step, so that replicas that start at once take turns. */
const MONTHS_LOCK = 0x706f7276;

/** Each step is a transaction of its own and can be taken again: a start after a kill goes on with the month that it was at. */
export async function joinMonths(
  db: Kysely<Tables>,
  create: (db: QueryExecutorProvider) => Promise<void>,
  told: (moved: MovedEvents) => void,
): Promise<void> {
  const step = <Answer>(act: (transaction: Transaction<Tables>) => Promise<Answer>): Promise<Answer> =>
    db.transaction().execute(async (transaction) => {
      await sql`select pg_advisory_xact_lock(${sql.lit(MONTHS_LOCK)})`.execute(transaction);
      return act(transaction);
    });
  await step((transaction) => setAside(transaction, create));
  let [events, steps] = [0, 0];
  for (let months = await monthsLeft(db); months.length > 0; months = await monthsLeft(db)) {
    const [month = ''] = months;
    for (let last: string | undefined, count = EVENTS_PER_STEP; count === EVENTS_PER_STEP; ) {
      const moved = await step((transaction) => moveSome(month, last, transaction));
      ({ last, count } = moved);
      events += count;
      steps += 1;
      if (steps % STEPS_TOLD_AT === 0 || count < EVENTS_PER_STEP) told({ events, monthsLeft: months.length - 1 });
    }
    await step((transaction) => sql`drop table if exists ${sql.table(month)}`.execute(transaction));
  }
  await step((transaction) => sql`drop table if exists ${OLD}`.execute(transaction));
}

/** The indices of the table of before give their names to those of the new one; each month keeps its primary key. */
async function setAside(db: Transaction<Tables>, create: (db: QueryExecutorProvider) => Promise<void>): Promise<void> {
  const { rows } = await sql<{ name: string | null }>`select i.relname as name from pg_class as e
    left join pg_index on indrelid = e.oid and not indisprimary left join pg_class as i on i.oid = indexrelid
    where e.oid = to_regclass('events') and e.relkind = 'p'`.execute(db);
  if (rows.length === 0) return;
  for (const { name } of rows) if (name !== null) await sql`drop index ${sql.ref(name)}`.execute(db);
  await sql`alter table events rename to ${OLD}`.execute(db);
  await create(db);
}

async function monthsLeft(db: Kysely<Tables>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`select relname as name from pg_inherits
    join pg_class as c on c.oid = inhrelid where inhparent = to_regclass('events_by_month') order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

const COLUMNS = sql.join(EVENT_COLUMNS.map((column) => sql.ref(column)));

/** The events behind that id, in order of id. */
async function moveSome(month: string, after: string | undefined, db: Transaction<Tables>) {
  // Another replica may have been faster.
  if (!(await monthsLeft(db)).includes(month)) return { last: after, count: 0 };
  const behind = after === undefined ? sql`` : sql`where id > ${after}`;
  const { rows } = await sql<{ last: string; count: number }>`
    with taken as (select ${COLUMNS} from ${sql.table(month)} ${behind} order by id limit ${sql.lit(EVENTS_PER_STEP)}),
      moved as (insert into events (${COLUMNS}) select * from taken on conflict (id) do nothing)
    select max(id) as last, count(*) as count from taken`.execute(db);
  return rows[0] ?? { last: after, count: 0 };
}
