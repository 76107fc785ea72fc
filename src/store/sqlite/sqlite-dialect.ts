/** What SQLite says in words of its own. */
import type { SQLOutputValue } from 'node:sqlite';
import { sql } from 'kysely';
import { foldCase } from '../../domain/events/event-question.ts';
import { parsedJson } from '../../domain/json.ts';
import type { Dialect } from '../engine/engine.ts';

/** A power of two. */
const ROWS_PER_LOOK = 1024;

export const sqliteDialect: Dialect = {
  text: sql`text`,

  /** The column, but not as a way in: the planner shall walk in the order that is asked for. */
  unindexed: (column) => sql`+${column}`,

  /** SQLite has no way to interrupt a statement from its own thread but a function that throws. One row in so many
   *  asks: every row would cost more than all other conditions. */
  inTime: (deadline) => sql`(e.rowid & ${sql.lit(ROWS_PER_LOOK - 1)} <> 0 or in_time(${deadline}))`,

  within: (_, db, ask) => ask(db),

  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,

  hasElement: (jsonArray, values) =>
    sql`exists (select 1 from json_each(${jsonArray}) where value in (${sql.join(values)}))`,

  isEmptyArray: (jsonArray) => sql`json_array_length(${jsonArray}) = 0`,

  hasMemberText: (jsonObject, values) =>
    sql`exists (select 1 from json_tree(${jsonObject}) where type = 'text' and typeof(key) = 'text' and atom in (${sql.join(values)}))`,

  /** Most events have neither a sub-label nor a description: the function is called for the others. */
  hasWord: (subLabel, data, word) =>
    sql`((${subLabel} is not null or instr(${data}, '"description"') > 0) and has_word(${subLabel}, ${data}, ${foldCase(word)}))`,

  /** SQLite sorts absent values below all others. */
  ordered: (value, direction) => sql`${value} ${sql.raw(direction)}`,

  limitsStreams: false,

  /** A transaction that writes holds the only write lock from its start. */
  lockedRows: sql``,
  beginLogin: undefined,

  tableNamed: (name) => sql`select name from sqlite_schema where type = 'table' and name = ${name}`,

  async completeEvents(db) {
    for (const [name, rows] of Object.entries(TRIGGERS)) {
      const counts = rows.map((row) => `${COUNT_DAY} (cast(${row}.start_time / 86400 as integer), 1) ${AGAIN};`);
      await sql.raw(`create trigger events_${name} after ${name} on events begin ${counts.join(' ')} end`).execute(db);
    }
  },
};

const TRIGGERS = { insert: ['new'], update: ['old', 'new'], delete: ['old'] };
const COUNT_DAY = 'insert into event_writes (day, writes) values';
const AGAIN = 'on conflict (day) do update set writes = writes + 1';

/** A search for words, as a function for statements: SQLite itself folds the case of ASCII alone. `word` is folded. 1 where the sub-label or the description in the JSON of `data` holds it, else 0. */
export function hasWord(subLabel: SQLOutputValue, data: SQLOutputValue, word: SQLOutputValue): number {
  const holds = (text: unknown): boolean => typeof text === 'string' && foldCase(text).includes(String(word));
  const json = String(data); // the NVR's own file may hold anything
  const hasText = holds(subLabel) || (json.includes('"description"') && holds(Object(parsedJson(json)).description));
  return hasText ? 1 : 0;
}
