/** Attempts at a login in PostgreSQL: places in sliding windows, reserved by one statement (SPEC 4.5, 10). */
import { type Kysely, sql } from 'kysely';
import type { AttemptStore } from '../engine/engine.ts';

/** An attempt that took longer has ended with its process. */
const LONGEST_ATTEMPT_MILLISECONDS = 30_000;
/** Attempts of any client whose windows are over, deleted at each reservation: more than it adds. */
const DELETED_AT_ONCE = 100;
/** So that no other lock of this database is meant. */
const LOCK_SEED = 0x6c6f67696e;

/**
 * Times are milliseconds. `valid_until`: the end of its longest window. The function locks each window, the narrowest
 * first, so that two attempts are never judged by the same count. Its statements see what was committed before they
 * began. No statement in it waits for a row, so that it and a release cannot wait for each other.
 */
export async function createLoginAttempts(db: Kysely<unknown>): Promise<void> {
  await sql`create table if not exists login_attempts (
    attempt text collate "C" not null, key text collate "C" not null, at double precision not null,
    valid_until double precision not null, is_over boolean not null default false, primary key (attempt, key))`.execute(
    db,
  );
  await sql`create index if not exists login_attempts_key on login_attempts (key, at)`.execute(db);
  await sql`create index if not exists login_attempts_valid_until on login_attempts (valid_until)`.execute(db);
  await sql`create or replace function postern_reserve_attempt(new_attempt text, windows jsonb, told double precision)
    returns table (full_window integer, full_clause integer, wait double precision, is_under_way boolean)
    language plpgsql as $reserve$
    declare
      asked record;
      now_ms double precision;
    begin
      for asked in select value ->> 'key' as key from jsonb_array_elements(windows) with ordinality order by ordinality loop
        perform pg_advisory_xact_lock(hashtextextended(asked.key, ${sql.lit(LOCK_SEED)}));
      end loop;
      now_ms := coalesce(told, extract(epoch from clock_timestamp()) * 1000);
      -- The clock was set back, or another server took over: such an attempt is taken for one of now.
      update login_attempts as late set at = now_ms, valid_until = now_ms + late.valid_until - late.at
        from (select a.attempt, a.key from login_attempts as a
          where a.key in (select value ->> 'key' from jsonb_array_elements(windows)) and a.at > now_ms
          for update skip locked) as ahead
        where late.attempt = ahead.attempt and late.key = ahead.key;
      return query
        select w.number::integer - 1, c.number::integer - 1,
            case when c.count = 0 then c.length else c.length - (now_ms - nth.at) end,
            exists (select from login_attempts as a
              where a.key = w.value ->> 'key' and not a.is_over and a.at > now_ms - ${sql.lit(LONGEST_ATTEMPT_MILLISECONDS)})
          from jsonb_array_elements(windows) with ordinality as w (value, number)
          cross join lateral (
            select (value ->> 'count')::bigint as count, (value ->> 'length')::double precision as length, ordinality as number
              from jsonb_array_elements(w.value -> 'clauses') with ordinality) as c
          left join lateral (
            select a.at from login_attempts as a where a.key = w.value ->> 'key' and a.at > now_ms - c.length
              order by a.at desc offset greatest(c.count - 1, 0) limit 1) as nth on true
          where c.count = 0 or nth.at is not null
          order by w.number, 3 desc, c.number limit 1;
      if found then return; end if;
      delete from login_attempts as old using (select a.attempt, a.key from login_attempts as a
        where a.valid_until <= now_ms limit ${sql.lit(DELETED_AT_ONCE)} for update skip locked) as past
        where old.attempt = past.attempt and old.key = past.key;
      insert into login_attempts (attempt, key, at, valid_until)
        select new_attempt, w.value ->> 'key', now_ms, now_ms + max((c.value ->> 'length')::double precision)
          from jsonb_array_elements(windows) as w (value), jsonb_array_elements(w.value -> 'clauses') as c (value)
          group by 2;
    end $reserve$`.execute(db);
}

/** Each call is one statement, so that a pooler of transactions will do. */
type Query = <Row>(text: string, values: readonly unknown[]) => Promise<readonly Row[]>;

interface FullRow {
  readonly full_window: number;
  readonly full_clause: number;
  readonly wait: number;
  readonly is_under_way: boolean;
}

export const loginAttempts = (query: Query): AttemptStore => ({
  async reserve(attempt, windows, now) {
    const asked = windows.map(({ key, clauses }) => ({
      key,
      clauses: clauses.map(({ count, windowSeconds }) => ({ count, length: windowSeconds * 1000 })),
    }));
    const values = [attempt, JSON.stringify(asked), now ?? null];
    const [full] = await query<FullRow>('select * from postern_reserve_attempt($1, $2, $3)', values);
    if (full === undefined) return undefined;
    const clause = windows[full.full_window]?.clauses[full.full_clause];
    if (!clause) throw new Error('PostgreSQL named a window of login attempts that was not asked for');
    const retryAfterSeconds = Math.ceil(full.wait / 1000);
    return { window: full.full_window, clause, retryAfterSeconds, isUnderWay: full.is_under_way };
  },
  async keep(attempt) {
    await query('update login_attempts set is_over = true where attempt = $1', [attempt]);
  },
  async release(attempts) {
    await query('delete from login_attempts where attempt = any($1)', [attempts]);
  },
  async forget(window) {
    await query('delete from login_attempts where key = $1', [window]);
  },
});
