/** Finds records of the ledger, newest first, in windows of time: no statement reads more than some days (SPEC 14). */
import { setImmediate } from 'node:timers/promises';
import { type ExpressionBuilder, type ExpressionWrapper, type Kysely, type SqlBool, sql } from 'kysely';
import {
  LEDGER_KINDS,
  type LedgerCursor,
  type LedgerDay,
  type LedgerQuestion,
  type LedgerSight,
  type ListedRecord,
  VIEWING_KINDS,
} from '../../domain/ledger.ts';
import { recordOf, type Tables } from '../engine/tables.ts';
import { asEntry } from './ledger-rows.ts';

/** A span is at most as long: what began earlier has ended before. */
const LONGEST_SPAN_SECONDS = 86_400;
const FIRST_WINDOW_SECONDS = 86_400;
const LARGEST_WINDOW_SECONDS = 4 * 86_400;

type Columns = 'kind' | 'user_name' | 'camera';
type RecordTables = { ledger_records: Tables['ledger_records'] };
type RecordExpressions = ExpressionBuilder<RecordTables, 'ledger_records'>;
type RecordCondition = ExpressionWrapper<RecordTables, 'ledger_records', SqlBool>;

/** Spans that go on are listed with those that have ended. */
export async function findRecords(
  db: Kysely<Tables>,
  question: LedgerQuestion,
  limit: number,
  cursor: LedgerCursor | undefined,
): Promise<readonly ListedRecord[]> {
  const open = await db
    .withTables<{ ledger_records: Tables['ledger_records'] }>()
    .selectFrom(sql<Tables['ledger_open']>`ledger_open`.as('ledger_records'))
    .selectAll()
    .where((build) => build.and(conditions(build as unknown as RecordExpressions, question, cursor)))
    .orderBy('from_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  const ended = await endedRecords(db, question, limit, cursor);
  return [...open.map((row) => ({ ...recordOf('ledger_open', row), hash: null })), ...ended]
    .sort((one, other) => other.from - one.from || (one.id < other.id ? 1 : -1))
    .slice(0, limit);
}

async function endedRecords(
  db: Kysely<Tables>,
  question: LedgerQuestion,
  limit: number,
  cursor: LedgerCursor | undefined,
): Promise<readonly ListedRecord[]> {
  const found: ListedRecord[] = [];
  const oldest = (question.after ?? Number.NEGATIVE_INFINITY) - LONGEST_SPAN_SECONDS;
  const end = Math.min(question.before ?? Number.MAX_VALUE, cursor?.from ?? Number.MAX_VALUE);
  let newest = await latestUntil(db, end);
  for (let width = FIRST_WINDOW_SECONDS; newest !== undefined && newest >= oldest && found.length < limit; ) {
    const start = newest - width;
    const rows = await db
      .selectFrom('ledger_records')
      .selectAll()
      .where('from_at', '<=', newest)
      .where('from_at', '>', start)
      .where((build) => build.and(conditions(build as unknown as RecordExpressions, question, cursor)))
      .orderBy('from_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit - found.length)
      .execute();
    for (const row of rows) found.push({ id: row.id, ...asEntry(row), hash: row.hash });
    await setImmediate(); // whoever waits comes first
    newest = await latestUntil(db, start); // there may be years between two records
    width = Math.min(width * 2, LARGEST_WINDOW_SECONDS);
  }
  return found;
}

async function latestUntil(db: Kysely<Tables>, at: number): Promise<number | undefined> {
  const rows = db.selectFrom('ledger_records').select('from_at').where('from_at', '<=', at).orderBy('from_at', 'desc');
  return (await rows.limit(1).executeTakeFirst())?.from_at;
}

function conditions(
  build: RecordExpressions,
  question: LedgerQuestion,
  cursor: LedgerCursor | undefined,
): RecordCondition[] {
  const { after, before } = question;
  const since = question.sight?.ownSince;
  const all = named(build, question, since ? [build('from_at', '>=', since.at) as RecordCondition] : []);
  if (question.about) all.push(isAbout(build, question.about));
  if (question.site !== undefined) all.push(build('site', '=', question.site) as RecordCondition);
  if (after !== undefined) all.push(build('to_at', '>=', after) as RecordCondition);
  if (before !== undefined) all.push(build('from_at', '<=', before) as RecordCondition);
  if (cursor) {
    const { from, id } = cursor;
    const same = build.and([build('from_at', '=', from), build('id', '<', id)]);
    all.push(build.or([build('from_at', '<', from), same]) as RecordCondition);
  }
  return all;
}

/** Conditions on the columns that records and sums have in common. */
function named(
  build: RecordExpressions,
  { kinds, user, cameras, sight }: LedgerQuestion,
  ownSince: readonly RecordCondition[],
): RecordCondition[] {
  const all: RecordCondition[] = [];
  if (kinds && kinds.length < LEDGER_KINDS.length) all.push(isOneOf(build, 'kind', kinds));
  if (user !== undefined) all.push(build('user_name', '=', user) as RecordCondition);
  if (cameras !== undefined) all.push(isOneOf(build, 'camera', cameras));
  if (sight) all.push(visible(build, sight, ownSince));
  return all;
}

function visible(
  build: RecordExpressions,
  { own, cameras, others }: LedgerSight,
  ownSince: readonly RecordCondition[],
): RecordCondition {
  const seen = cameras && isOneOf(build, 'camera', cameras);
  // Sums have no null: there the camera is an empty text.
  const none = build.or([build('camera', 'is', null), build('camera', '=', '')]) as RecordCondition;
  const ofUser = [build('user_name', '=', own) as RecordCondition, ...ownSince];
  const ownOnes = [...ofUser, ...(seen ? [build.or([none, seen]) as RecordCondition] : [])];
  if (!others) return build.and(ownOnes) as RecordCondition;
  const viewings = [isOneOf(build, 'kind', VIEWING_KINDS), ...(seen ? [seen] : [])];
  return build.or([build.and(ownOnes), build.and(viewings)]) as RecordCondition;
}

/** Quotes inside a text of the detail are escaped, so that no text passes for a member. */
function isAbout(build: RecordExpressions, { user, acts }: NonNullable<LedgerQuestion['about']>): RecordCondition {
  const ofActs = acts.map((act) => holds(`"what":${JSON.stringify(act)}`));
  const ofUser = build.and([build('user_name', '=', user), build.not(holds('"user":'))]);
  return build.and([build.or(ofActs), build.or([ofUser, holds(`"user":${JSON.stringify(user)}`)])]) as RecordCondition;
}

/** The one comparison of texts that is the same in both engines. */
const holds = (text: string) => sql<SqlBool>`replace(detail, ${text}, '') <> detail`;

/** `in ()` is an error in SQL, and means nothing. */
const isOneOf = (build: RecordExpressions, column: Columns, values: readonly string[]): RecordCondition =>
  (values.length === 0 ? sql<SqlBool>`1 = 0` : build(column, 'in', [...values])) as RecordCondition;

export async function findDays(
  db: Kysely<Tables>,
  question: LedgerQuestion,
  firstDay: string,
  lastDay: string,
): Promise<readonly LedgerDay[]> {
  const { site, sight } = question;
  const ownSince = sight?.ownSince;
  const rows = await db
    .selectFrom('ledger_days')
    .selectAll()
    .where('day', '>=', firstDay)
    .where('day', '<=', lastDay)
    // Sums have no site: of cameras, the name begins with the site.
    .$if(site !== undefined, (days) => days.where('camera', '>=', `${site}:`).where('camera', '<', `${site};`))
    .where((build) =>
      build.and(
        named(
          build as unknown as RecordExpressions,
          question,
          ownSince ? [build('day', '>=', ownSince.day) as unknown as RecordCondition] : [],
        ),
      ),
    )
    .execute();
  return rows.map((row) => recordOf('ledger_days', row));
}
