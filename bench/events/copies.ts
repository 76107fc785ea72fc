/** More events than can be generated in good time: copies of those that are there, a little later, made by the database itself. */
import { sql } from 'kysely';
import { EVENT_COLUMNS } from '../../src/store/events/write-events.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';

/** A copy begins so much later than its event: the months stay as full as each other. */
const LATER_SECONDS = 37.5;
const A_DAY = 86_400;

/** Ten times as many events at most. */
export async function multiplyEvents(url: string, times: number): Promise<void> {
  const store = await openStore({ url, statementSeconds: A_DAY });
  const { db } = store;
  const indices = url.startsWith('postgres') ? await indicesOf(store) : [];
  for (const { name } of indices) await sql`drop index ${sql.ref(name)}`.execute(db);
  const same = sql.join(
    EVENT_COLUMNS.filter((name) => !['id', 'start_time', 'end_time'].includes(name)).map((name) => sql.ref(name)),
  );
  for (let copy = 1; copy < times; copy += 1) {
    const later = sql.lit(copy * LATER_SECONDS);
    await sql`insert into events (id, start_time, end_time, ${same})
      select id || ${sql.lit(`-${copy}`)}, start_time + ${later}, end_time + ${later}, ${same}
      from events where id not like '%-_'`.execute(db);
    console.log(`  ${copy + 1} times as many events`);
  }
  for (const { definition } of indices) await sql.raw(definition).execute(db);
  await store.close();
}

/** Of the whole table: they are faster made anew than kept. */
async function indicesOf({ db }: Store): Promise<readonly { name: string; definition: string }[]> {
  const { rows } = await sql<{ name: string; definition: string }>`
    select indexname as name, indexdef as definition from pg_indexes
    where tablename = 'events' and indexname <> 'events_pkey'`.execute(db);
  return rows;
}
