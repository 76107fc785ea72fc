/** The months of events in PostgreSQL, a partition each: made ahead, and dropped when they are older than they must be kept (SPEC 10). */
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../engine/tables.ts';

/** Unix seconds of the first moment of the month, and of the next one, in UTC. */
interface Month {
  readonly name: string;
  readonly from: number;
  readonly until: number;
}

/** Events outside of these years lie in the default partition. */
const FIRST_YEAR = 1970;
const LAST_YEAR = 2199;
const DAY = 86_400;

/** Creating a partition locks the table: it is done once for each month, before events of that month are written. */
export async function addMonthsOf(times: readonly number[], db: Kysely<Tables>): Promise<void> {
  const missing = await missingOf(monthsOf(times), db);
  if (missing.length === 0) return;
  await db.transaction().execute(async (transaction) => {
    await takeTurn(transaction);
    for (const { name, from, until } of missing) {
      await sql`create table if not exists ${tableOf(name)} partition of events
        for values from (${sql.lit(from)}) to (${sql.lit(until)})`.execute(transaction);
    }
  });
}

/** Months that have an event that is marked to be kept stay. Resolves with the number of events that are gone. */
export async function dropMonthsBefore(time: number, db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ name: string }>`select substr(c.relname, 8) as name from pg_inherits
    join pg_class as c on c.oid = inhrelid where inhparent = 'events'::regclass
    and c.relname ~ '^events_[0-9]{4}_[0-9]{2}$' order by 1`.execute(db);
  let events = 0;
  for (const { name } of rows) {
    const month = monthNamed(name);
    if (month.until > time) break;
    events += await db.transaction().execute((transaction) => dropMonth(month, transaction));
  }
  return events;
}

/** Questions about events wait for the lock as long as it waits for those before it: rather than longer, it is tried again later. */
const LOCK_MILLISECONDS = 2000;

async function dropMonth({ name, from, until }: Month, db: Transaction<Tables>): Promise<number> {
  await takeTurn(db);
  const { rows } = await sql<{ is: boolean }>`select to_regclass(${`events_${name}`}) is null as is`.execute(db);
  if (rows[0]?.is || (await hasKept(name, db))) return 0; // another replica was faster
  const events = await countOf(name, from, until, db);
  await sql`set local lock_timeout = ${sql.lit(LOCK_MILLISECONDS)}`.execute(db);
  // Before that of the partition, as questions do: else the two would wait for each other.
  await sql`lock table only events in access exclusive mode`.execute(db);
  if (await hasKept(name, db)) return 0;
  await sql`drop table ${tableOf(name)}`.execute(db);
  // No trigger tells of it, and summaries that were counted with these events are over.
  await sql`update event_writes set writes = writes + 1
    where day >= ${sql.lit(from / DAY)} and day < ${sql.lit(until / DAY)}`.execute(db);
  return events;
}

/** Day by day: no statement takes long, however many there are. */
async function countOf(name: string, from: number, until: number, db: Kysely<Tables>): Promise<number> {
  let events = 0;
  for (let day = from; day < until; day += DAY) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${tableOf(name)}
      where start_time >= ${sql.lit(day)} and start_time < ${sql.lit(day + DAY)}`.execute(db);
    events += rows[0]?.count ?? 0;
  }
  return events;
}

async function hasKept(name: string, db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select from ${tableOf(name)} where retain_indefinitely = true) as has`.execute(db);
  return rows[0]?.has ?? true;
}

const tableOf = (name: string) => sql.ref(`events_${name}`);

/** Held while partitions are created or dropped: "if not exists" does not keep one of two transactions from failing. */
const PARTITIONS_LOCK = 0x706f7276;

async function takeTurn(transaction: Transaction<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(PARTITIONS_LOCK)})`.execute(transaction);
}

async function missingOf(months: readonly Month[], db: Kysely<Tables>): Promise<readonly Month[]> {
  if (months.length === 0) return [];
  const names = months.map(({ name }) => name);
  const { rows } = await sql<{ name: string }>`select name from unnest(${names}::text[]) as name
    where to_regclass('events_' || name) is null`.execute(db);
  return months.filter(({ name }) => rows.some((row) => row.name === name));
}

/** The months that the times lie in, each once, in order. */
function monthsOf(times: readonly number[]): readonly Month[] {
  const months = new Map<string, Month>();
  for (const time of times) {
    const date = new Date(time * 1000);
    const year = date.getUTCFullYear();
    if (!(year >= FIRST_YEAR && year <= LAST_YEAR)) continue;
    const month = monthAt(year, date.getUTCMonth());
    months.set(month.name, month);
  }
  return [...months.values()].sort((one, other) => one.from - other.from);
}

const monthNamed = (name: string): Month => monthAt(Number(name.slice(0, 4)), Number(name.slice(5)) - 1);

const monthAt = (year: number, month: number): Month => ({
  name: `${year}_${String(month + 1).padStart(2, '0')}`,
  from: Date.UTC(year, month) / 1000,
  until: Date.UTC(year, month + 1) / 1000,
});
