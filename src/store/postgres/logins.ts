/** The beginning of a login in PostgreSQL, in one round trip (SPEC 10). */
import { type Kysely, sql } from 'kysely';
import type { BegunLogin } from '../../domain/accounts/logins.ts';
import { surplusOf, unchanged } from '../accounts/logins.ts';
import type { Dialect } from '../engine/engine.ts';
import { readRecord, writeRow } from '../engine/tables.ts';

/** So that no other lock of this database is meant. */
const LOCK_SEED = 0x626567696e;

/**
 * Logins of one user wait for each other and for a deletion of the user. Each statement of the function sees what was committed
 * before it began, so the later login counts the earlier one.
 */
export async function createLogins(db: Kysely<unknown>): Promise<void> {
  const [name, own, at, most] = [sql`person`, sql`own`, sql`told`, sql`most`];
  await sql`create or replace function postern_begin_login(login jsonb) returns jsonb language plpgsql as $begin$
    declare
      person text := login #>> '{user,name}';
      own text := coalesce(login #>> '{session,id}', '');
      told double precision := login ->> 'at';
      most bigint := login ->> 'most';
      holder jsonb;
      was_known boolean;
      new_parts jsonb;
    begin
      perform pg_advisory_xact_lock(hashtextextended(person, ${sql.lit(LOCK_SEED)}));
      select to_jsonb(u) into holder from users as u
        where u.name = person and to_jsonb(u) @> (login -> 'user') and strpos(u.password_hash, login ->> 'salt') > 0
        for key share;
      if holder is null then return null; end if;
      was_known := exists (select from known_clients where user_name = person);
      with noted as (
        insert into known_clients (id, user_name, last_seen)
          select value, person, told from jsonb_each_text(login -> 'place')
          on conflict (id) do update set last_seen = excluded.last_seen returning id, xmax = 0 as is_new)
        select coalesce(jsonb_agg(key order by key) filter (where is_new and was_known), '[]') into new_parts
          from noted join jsonb_each_text(login -> 'place') on value = id;
      insert into seen_sessions select (jsonb_populate_record(null::seen_sessions, login -> 'session')).*
        where login ? 'session' on conflict (id) do nothing;
      return jsonb_build_object('user', holder, 'unseen', new_parts, 'surplus',
        (select coalesce(jsonb_agg(too_many), '[]') from (${surplusOf({ name, own, at, most })}) as too_many));
    end $begin$`.execute(db);
}

export const beginLogin: Dialect['beginLogin'] = async ({ user, session, ...login }, db) => {
  const rows = { ...login, user: unchanged(user), session: session && writeRow('seen_sessions', session) };
  const begun = sql<{ begun: BegunLogin | null }>`select postern_begin_login(${JSON.stringify(rows)}::jsonb) as begun`;
  const noted = (await begun.execute(db)).rows[0]?.begun;
  return noted ? { ...noted, user: readRecord('users', noted.user) } : undefined;
};
