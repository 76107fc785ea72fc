/** The events table in PostgreSQL: partitions by month, and the trigger that counts writes by day. */
import { type Kysely, sql } from 'kysely';
import type { EventTables } from '../engine/dialect.ts';
import type { Tables } from '../engine/tables.ts';
import { addEventColumns, addEventIndices } from '../events/events-schema.ts';

const TEXT = sql`text collate "C"`;

export const postgresEventTables: EventTables = {
  prepareFor: (times, db) => addPartitions(monthsOf(times), db),

  /** A unique index of a partitioned table holds its partition key: `copyEvents` keeps ids unique. */
  async create(db) {
    const table = db.schema.createTable('events').addColumn('id', TEXT, (column) => column.notNull());
    await addEventColumns(table, TEXT)
      .addPrimaryKeyConstraint('events_key', ['id', 'start_time'])
      .modifyEnd(sql`partition by range (start_time)`)
      .execute();
    await sql`create table events_other partition of events default`.execute(db);
    await addEventIndices(db);
  },

  async countWrites(db) {
    await sql`create function postern_count_event_writes() returns trigger language plpgsql as $count$
      begin
        insert into event_writes (day, writes)
          select floor(start_time / 86400)::integer as day, count(*) from changed group by 1 order by 1
          on conflict (day) do update set writes = event_writes.writes + excluded.writes;
        return null;
      end $count$`.execute(db);
    await sql`create trigger events_insert after insert on events
      referencing new table as changed for each statement execute function postern_count_event_writes()`.execute(db);
    await sql`create trigger events_delete after delete on events
      referencing old table as changed for each statement execute function postern_count_event_writes()`.execute(db);
  },

  async sortWithIds(db) {
    for (const sorted of ['score', 'speed'])
      await sql`create index ${sql.ref(`events_${sorted}_id`)} on events (${sql.ref(sorted)} asc nulls first, id)`.execute(
        db,
      );
  },
};

/** Unix seconds of the first moment of the month, and of the next one, in UTC. */
interface Month {
  readonly name: string;
  readonly from: number;
  readonly until: number;
}

/** Events outside of these years lie in the default partition. */
const FIRST_YEAR = 1970;
const LAST_YEAR = 2199;

/** The months that the times lie in, each once, in order. */
function monthsOf(times: readonly number[]): readonly Month[] {
  const months = new Map<string, Month>();
  for (const time of times) {
    const month = monthOf(time);
    if (month) months.set(month.name, month);
  }
  return [...months.values()].sort((one, other) => one.from - other.from);
}

function monthOf(time: number): Month | undefined {
  const date = new Date(time * 1000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  if (!(year >= FIRST_YEAR && year <= LAST_YEAR)) return undefined;
  return {
    name: `${year}_${String(month + 1).padStart(2, '0')}`,
    from: Date.UTC(year, month) / 1000,
    until: Date.UTC(year, month + 1) / 1000,
  };
}

/** Held while partitions are created: "if not exists" does not keep one of two transactions from failing. */
const PARTITIONS_LOCK = 0x706f7276;

/** Creating a partition locks the table: it is done once for each month, before events of that month are written. */
async function addPartitions(months: readonly Month[], db: Kysely<Tables>): Promise<void> {
  const missing = await missingOf(months, db);
  if (missing.length === 0) return;
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(PARTITIONS_LOCK)})`.execute(transaction);
    for (const { name, from, until } of missing) {
      await sql`create table if not exists ${sql.ref(`events_${name}`)} partition of events
        for values from (${sql.lit(from)}) to (${sql.lit(until)})`.execute(transaction);
    }
  });
}

async function missingOf(months: readonly Month[], db: Kysely<Tables>): Promise<readonly Month[]> {
  if (months.length === 0) return [];
  const names = months.map(({ name }) => name);
  const { rows } = await sql<{ name: string }>`select name from unnest(${names}::text[]) as name
    where to_regclass('events_' || name) is null`.execute(db);
  return months.filter(({ name }) => rows.some((row) => row.name === name));
}
