/** Finds records of the ledger, newest first, in windows of time: no statement reads more than some days (SPEC 14). */
import { setImmediate } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { PICTURE_KINDS } from '../../domain/policy.ts';
import { allOf, anyOf, type Condition, isOneOf } from '../../store/engine/engine.ts';
import { readRecord, type Tables } from '../../store/engine/tables.ts';
import {
  LEDGER_KINDS,
  type LedgerCursor,
  type LedgerDay,
  type LedgerEntry,
  type LedgerQuestion,
  type LedgerSight,
  type ListedRecord,
  type StoredRecord,
} from './records.ts';

/** A span is at most as long: what began earlier has ended before. */
const LONGEST_SPAN_SECONDS = 86_400;
const FIRST_WINDOW_SECONDS = 86_400;
const LARGEST_WINDOW_SECONDS = 4 * 86_400;

export function asEntry(row: object): LedgerEntry {
  const { id: _, ...entry } = readRecord('ledger_open', row);
  return entry;
}

/** The number is that of the id; not a number where the id has none. */
export const asStored = (row: Tables['ledger_records']): StoredRecord => ({
  id: row.id,
  ...asEntry(row),
  chain: row.chain,
  seq: Number(row.id.slice(row.chain.length + 1)),
  hash: row.hash,
});

/** Open spans are listed with ended ones. */
export async function findRecords(
  db: Kysely<Tables>,
  question: LedgerQuestion,
  limit: number,
  cursor?: LedgerCursor,
): Promise<readonly ListedRecord[]> {
  const where = conditions(question, cursor);
  const newest = async (table: string, window: readonly Condition[], most: number) => {
    const rows = sql<Tables['ledger_records']>`select * from ${sql.table(table)} where ${allOf([...window, ...where])}
      order by from_at desc, id desc limit ${most}`;
    return (await rows.execute(db)).rows;
  };
  const found: ListedRecord[] = (await newest('ledger_open', [], limit)).map((row) => ({
    ...readRecord('ledger_open', row),
    hash: null,
  }));
  const oldest = (question.after ?? Number.NEGATIVE_INFINITY) - LONGEST_SPAN_SECONDS;
  let left = limit;
  let end = await latestUntil(db, Math.min(question.before ?? Number.MAX_VALUE, cursor?.from ?? Number.MAX_VALUE));
  for (let width = FIRST_WINDOW_SECONDS; end !== undefined && end >= oldest && left > 0; ) {
    const start = end - width;
    const rows = await newest('ledger_records', [sql`from_at <= ${end}`, sql`from_at > ${start}`], left);
    for (const row of rows) found.push({ id: row.id, ...asEntry(row), hash: row.hash });
    left -= rows.length;
    await setImmediate(); // other requests come first
    end = await latestUntil(db, start); // there may be years between two records
    width = Math.min(width * 2, LARGEST_WINDOW_SECONDS);
  }
  return found.sort((one, other) => other.from - one.from || (one.id < other.id ? 1 : -1)).slice(0, limit);
}

async function latestUntil(db: Kysely<Tables>, at: number): Promise<number | undefined> {
  const rows = db.selectFrom('ledger_records').select('from_at').where('from_at', '<=', at).orderBy('from_at', 'desc');
  return (await rows.limit(1).executeTakeFirst())?.from_at;
}

function conditions(question: LedgerQuestion, cursor: LedgerCursor | undefined): Condition[] {
  const { about, after, before, site, sight } = question;
  const since = sight?.ownSince;
  const all = named(question, since ? [sql`from_at >= ${since.at}`] : []);
  if (about) all.push(isAbout(about));
  if (site !== undefined) all.push(sql`site = ${site}`);
  if (question.credential !== undefined) all.push(sql`credential = ${question.credential}`);
  if (after !== undefined) all.push(sql`to_at >= ${after}`);
  if (before !== undefined) all.push(sql`from_at <= ${before}`);
  if (cursor) all.push(sql`(from_at < ${cursor.from} or (from_at = ${cursor.from} and id < ${cursor.id}))`);
  return all;
}

/** Conditions on the columns that records and sums have in common. */
function named({ kinds, user, cameras, sight }: LedgerQuestion, ownSince: readonly Condition[]): Condition[] {
  const all: Condition[] = [];
  if (kinds && kinds.length < LEDGER_KINDS.length) all.push(isOneOf(sql`kind`, kinds));
  if (user !== undefined) all.push(sql`user_name = ${user}`);
  if (cameras !== undefined) all.push(isOneOf(sql`camera`, cameras));
  if (sight) all.push(visible(sight, ownSince));
  return all;
}

function visible({ own, cameras, others }: LedgerSight, ownSince: readonly Condition[]): Condition {
  const seen = cameras ? [isOneOf(sql`camera`, cameras)] : [];
  // Sums have no null: there the camera is an empty text.
  const ownCameras = cameras ? [anyOf([sql`camera is null`, sql`camera = ''`, ...seen])] : [];
  const ownOnes = allOf([sql`user_name = ${own}`, ...ownSince, ...ownCameras]);
  return others ? anyOf([ownOnes, allOf([isOneOf(sql`kind`, PICTURE_KINDS), ...seen])]) : ownOnes;
}

/** Quotes inside a text of the detail are escaped, so that no text passes for a member. */
function isAbout({ user, acts }: NonNullable<LedgerQuestion['about']>): Condition {
  const ofActs = acts.map((act) => holds(`"what":${JSON.stringify(act)}`));
  const ofUser = allOf([sql`user_name = ${user}`, sql`not ${holds('"user":')}`]);
  return allOf([anyOf(ofActs), anyOf([ofUser, holds(`"user":${JSON.stringify(user)}`)])]);
}

/** The one comparison of texts that is the same in both engines. */
const holds = (text: string) => sql<boolean>`(replace(detail, ${text}, '') <> detail)`;

export async function findDays(
  db: Kysely<Tables>,
  question: LedgerQuestion,
  firstDay: string,
  lastDay: string,
): Promise<readonly LedgerDay[]> {
  const { site, sight } = question;
  const since = sight?.ownSince;
  const where = allOf([
    sql`day >= ${firstDay}`,
    sql`day <= ${lastDay}`,
    // Sums have no site: of cameras, the name begins with the site.
    ...(site === undefined ? [] : [sql<boolean>`camera >= ${`${site}:`}`, sql<boolean>`camera < ${`${site};`}`]),
    ...(question.credential === undefined ? [] : [sql<boolean>`viewer = ${question.credential}`]),
    ...named(question, since ? [sql`day >= ${since.day}`] : []),
  ]);
  const { rows } = await sql<Tables['ledger_days']>`select * from ledger_days where ${where}`.execute(db);
  return rows.map((row) => readRecord('ledger_days', row));
}
