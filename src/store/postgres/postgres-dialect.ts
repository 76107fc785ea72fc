/** What PostgreSQL says in words of its own. */
import { type Kysely, sql } from 'kysely';
import { surplusOf, unchanged } from '../accounts/logins.ts';
import { anyOf, type BeginningLogin, type BegunLogin, type Dialect, type Expression } from '../engine/engine.ts';
import { readRecord, type Tables, writeRow } from '../engine/tables.ts';
import { createLoginAttempts } from './login-attempts.ts';
import { CHANGED, CHANGES_CHANNEL } from './postgres-changes.ts';
import { completeEvents, joinMonths } from './postgres-events.ts';

/** Escapes that JSON allows and `jsonb` refuses: NUL, and half of a surrogate pair. A backslash that is escaped begins none. */
const REFUSED = sql.lit(String.raw`(?<!\\)((?:\\\\)*)\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})`);

/** Such a text is read without them. Almost none has an escape by number, so most are not searched for them. */
const asJsonb = (json: Expression): Expression =>
  sql`(case when strpos(${json}, '\\u') = 0 then ${json} else regexp_replace(${json}, ${REFUSED}, '\\1', 'g') end)::jsonb`;

const folded = (text: Expression): Expression => sql`lower((${text}) collate "default")`;

/** The path in strict mode, so that a list is not taken for its elements: only the value of a key counts. */
const MEMBER_TEXT = sql.lit('strict $.** ? (@.type() == "object").* ? (@ == $text)');

export const postgresDialect: Dialect = {
  text: sql`text collate "C"`,

  /** The planner has statistics of its own and needs no hint. */
  unindexed: (column) => column,

  inTime: undefined,

  within: (milliseconds, db, ask) =>
    db.transaction().execute(async (transaction) => {
      // Compiling takes longer than such a question, and is not ended in time.
      await sql`select set_config('statement_timeout', ${`${milliseconds}`}, true), set_config('jit', 'off', true)`.execute(
        transaction,
      );
      return ask(transaction);
    }),

  contains: (text, part) => sql`strpos(${text}, ${part}) > 0`,

  hasElement: (jsonArray, values) =>
    sql`exists (select 1 from jsonb_array_elements_text(${asJsonb(jsonArray)}) as element (value)
      where element.value in (${sql.join(values)}))`,

  isEmptyArray: (jsonArray) => sql`jsonb_array_length(${asJsonb(jsonArray)}) = 0`,

  hasMemberText: (jsonObject, values) =>
    anyOf(
      values.map(
        (text) =>
          sql<boolean>`jsonb_path_exists(${asJsonb(jsonObject)}, ${MEMBER_TEXT}::jsonpath, jsonb_build_object('text', ${text}::text), true)`,
      ),
    ),

  /** Compares by the collation of the database: the column's own compares bytes, and knows the case of ASCII alone. */
  hasWord: (subLabel, data, word) =>
    sql`((${subLabel} is not null or strpos(${data}, '"description"') > 0) and (
      strpos(${folded(subLabel)}, ${folded(sql`${word}::text`)}) > 0
      or strpos(${folded(sql`${asJsonb(data)} ->> 'description'`)}, ${folded(sql`${word}::text`)}) > 0))`,

  ordered: (value, direction, isNeverAbsent) => {
    if (isNeverAbsent) return sql`${value} ${sql.raw(direction)}`;
    return direction === 'asc' ? sql`${value} asc nulls first` : sql`${value} desc nulls last`;
  },

  limitsStreams: true,

  async lockKey(key, transaction) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${key}, ${sql.lit(LOCK_SEED)}))`.execute(transaction);
  },

  lockedRows: sql`for no key update`,

  beginLogin,

  tableNamed: (name) => sql`select 1 where to_regclass(${name}) is not null`,

  async createFunctions(db) {
    await noticeFunction(db);
    await createLoginAttempts(db);
    await createLogins(db);
  },

  /** A notice is sent with the commit. */
  async noticeRow(db, table, key, changes) {
    await sql`create trigger postern_changed after ${sql.raw(changes)} on ${sql.table(table)}
      for each row execute function postern_notice_row(${sql.lit(key)})`.execute(db);
  },

  completeEvents,
  joinMonths,
};

/** Who changes the row hears the same on the connection that does it: by the answer it is known which rows were changed. */
async function noticeFunction(db: Kysely<unknown>): Promise<void> {
  await sql`create or replace function postern_notice_row() returns trigger language plpgsql as $notice$
    declare
      changed jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
      row_name text := tg_table_name || ' ' || left(changed ->> tg_argv[0], ${sql.lit(LONGEST_KEY)});
    begin
      perform pg_notify(${sql.lit(CHANGES_CHANNEL)}, row_name);
      -- INFO is sent whatever client_min_messages says.
      raise info using message = ${sql.lit(CHANGED)} || row_name;
      return null;
    end $notice$`.execute(db);
}

/** So that no other lock of this database is meant. */
const LOCK_SEED = 0x706f7374;

/** A notice has room for 8,000 bytes. */
const LONGEST_KEY = 1000;

/** So that no other lock of this database is meant. */
const LOGIN_LOCK_SEED = 0x626567696e;

/**
 * Logins of one user wait for each other and for a deletion of the user. Each statement of the function sees what was committed
 * before it began, so the later login counts the earlier one.
 */
async function createLogins(db: Kysely<unknown>): Promise<void> {
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
      perform pg_advisory_xact_lock(hashtextextended(person, ${sql.lit(LOGIN_LOCK_SEED)}));
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

async function beginLogin({ user, session, ...login }: BeginningLogin, db: Kysely<Tables>) {
  const rows = { ...login, user: unchanged(user), session: session && writeRow('seen_sessions', session) };
  const begun = sql<{ begun: BegunLogin | null }>`select postern_begin_login(${JSON.stringify(rows)}::jsonb) as begun`;
  const noted = (await begun.execute(db)).rows[0]?.begun;
  return noted ? { ...noted, user: readRecord('users', noted.user) } : undefined;
}
