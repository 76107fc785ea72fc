/** The tables of the ledger: one chain, whichever process writes it (SPEC 14). */
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { PICTURE_KINDS } from '../../domain/policy.ts';
import { findStoreFault } from '../../domain/store/store-fault.ts';
import { allOf, anyOf, type Condition, isOneOf } from '../../store/engine/engine.ts';
import { type Locked, Queries } from '../../store/engine/rows.ts';
import { readRecord, type Tables, writeRow } from '../../store/engine/tables.ts';
import type { PlaceOfPart } from '../../store/open-store.ts';
import { beginningEntry, deletionEntry, emptyHead, linkEntries, toldDeletion } from './chain.ts';
import {
  type ChainClosing,
  type ChainHead,
  chainNamed,
  chainNumber,
  currentHead,
  type Forgetting,
  LEDGER_KINDS,
  type LedgerBatch,
  type LedgerCursor,
  type LedgerDay,
  type LedgerEntry,
  type LedgerKind,
  type LedgerRecord,
  type ListedRecord,
  type OwnEntry,
  recordId,
  type StoredRecord,
} from './records.ts';
import { LONGEST_SPAN_SECONDS } from './spans.ts';
import { inOneStatement, inTransaction, type Step } from './steps.ts';
import { type AskedAt, namesHere, recorded, recordedNames, recordsAt, summed, sumsAt } from './tables.ts';

/** Which records a caller may see; all that is given must hold. */
export interface LedgerSight {
  readonly own: string;
  /** The account's own records count since it was made: another person may have had the name before. Absent: all. */
  readonly ownSince?: { readonly at: number; readonly day: string } | undefined;
  /** Cameras that the caller sees; undefined: all. */
  readonly cameras: readonly string[] | undefined;
  /** Whether viewings of other people on these cameras are shown. */
  readonly others: boolean;
}

export interface LedgerQuestion extends AskedAt {
  readonly kinds?: readonly LedgerKind[] | undefined;
  readonly user?: string | undefined;
  /** `token:<id>` or the like: what was done with it alone. */
  readonly credential?: string | undefined;
  /** One of these. */
  readonly cameras?: readonly string[] | undefined;
  /** Records with one of `acts` as `detail.what` that name this user, or that this user did and that name no user. */
  readonly about?: { readonly user: string; readonly acts: readonly string[] } | undefined;
  /** The bounds of time: some part of a span lies between the two. */
  readonly after?: number | undefined;
  readonly before?: number | undefined;
  /** Undefined: everything. */
  readonly sight: LedgerSight | undefined;
}

/** A process that has not renewed its spans for so long is gone, or cut off. */
const LEFT_SECONDS = 90;
/** The most records of one step: SQLite writes in the main thread. */
const FORGOTTEN_AT_ONCE = 1000;

/** The sums of entries that are new. */
type DaysOf = (entries: readonly LedgerEntry[]) => readonly LedgerDay[];

/** What is written behind a head. */
type Plan = Pick<Step, 'over' | 'open' | 'now' | 'forgotten'> & {
  readonly fresh: readonly OwnEntry[];
  readonly daysOf?: DaysOf | undefined;
};

export type LedgerStore = ReturnType<typeof ledgerPart>;

/** Its calls reject with a store fault. */
export function ledgerPart(db: Kysely<Tables>, _: Locked, { isFile, here }: PlaceOfPart) {
  const rows = new Queries(db);
  const take = (isFile ? inTransaction : inOneStatement)(db);
  const recordedHere = (entry: OwnEntry): OwnEntry => recorded(entry, here);
  const placed = ({ sight, ...question }: LedgerQuestion): LedgerQuestion => ({
    ...question,
    cameras: question.cameras?.flatMap((camera) => recordedNames(camera, here)),
    sight: sight && { ...sight, cameras: sight.cameras?.flatMap((camera) => namesHere(camera, here)) },
  });
  const heads = (): Promise<readonly ChainHead[]> => rows.list('ledger_chains', {}, ['chain']);
  const closings = (): Promise<readonly ChainClosing[]> =>
    db.selectFrom('ledger_closings').select(['chain', 'seq', 'hash', 'day', 'records']).orderBy('id').execute();
  const beginChain = (number: number): Promise<boolean> =>
    rows.insertNew('ledger_chains', emptyHead(chainNamed(number)));
  /** Its number is one that no chain has had, also where a head was deleted. */
  const beginFirst = async (): Promise<void> => {
    const ours = selectRecords(db)
      .where('id', '>', chainNamed(1))
      .where('id', '<', 'store:')
      .where('chain', 'not like', '%:%');
    const newest = await ours.orderBy('id', 'desc').limit(1).execute();
    const used = [...(await closings()), ...newest].map(({ chain }) => chainNumber(chain));
    // Another process may have begun it, and written it, in the meantime.
    if (!currentHead(await heads())) await beginChain(Math.max(0, ...used) + 1);
  };
  /**
   * Reads the head, plans what is written behind it, and writes it if the head has not moved meanwhile; else again. A head that
   * has not moved and still refuses the rows, because others stand in their place, is that of a chain that does not fit: a new
   * one begins.
   */
  const moveHead = async (plan: (heads: readonly ChainHead[], head: ChainHead) => Promise<Plan | undefined>) => {
    for (;;) {
      const known = await heads();
      const head = currentHead(known);
      if (!head) {
        await beginFirst();
        continue;
      }
      const planned = await plan(known, head);
      if (!planned) return undefined;
      const { fresh, daysOf, ...rest } = planned;
      const others = known.filter(({ chain }) => chain !== head.chain);
      const isFirst = head.seq === 0 && fresh.length > 0 && others.length > 0;
      const first = isFirst ? [{ id: randomUUID(), ...beginningEntry(head.chain, others, rest.now) }] : [];
      const own = [...first, ...fresh].map(recordedHere);
      const records = linkEntries(head, own);
      const rows = records.map((record, at) => ({
        ...writeRow('ledger_records', { ...record, id: recordId(record) }),
        own_id: own[at]?.id ?? randomUUID(),
      }));
      const { chain, seq, hash } = records.at(-1) ?? head;
      const days = daysOf?.(own.map(summed)) ?? [];
      const step = { ...rest, from: head, to: { chain, seq, hash }, records: rows, days };
      try {
        if (await take(step)) return records;
      } catch (fault) {
        // A store that is away, full or locked refuses whatever stands in it.
        if (findStoreFault(fault) !== undefined) throw fault;
        if (currentHead(await heads())?.hash !== head.hash) continue;
        if (!(await isBlocked(head, db))) throw fault;
        await beginChain(chainNumber(head.chain) + 1);
      }
    }
  };
  /** What of it is not recorded yet: of a span that another process ended meanwhile, the time since then. */
  const freshOf = (ended: readonly OwnEntry[], found: ReadonlyMap<string, StoredRecord>): readonly OwnEntry[] =>
    ended.flatMap((entry) => {
      const recorded = found.get(entry.id);
      if (!recorded) return [entry];
      const rest = restId(entry.id);
      return recorded.to < entry.to && !found.has(rest) ? [{ ...entry, id: rest, from: recorded.to }] : [];
    });
  const forgetSome =
    (forgetting: Forgetting, closed: readonly ChainClosing[]) =>
    async (known: readonly ChainHead[], head: ChainHead): Promise<Plan | undefined> => {
      const chains = [...known].sort((one, other) => chainNumber(one.chain) - chainNumber(other.chain));
      for (const one of chains) {
        const { chain } = one;
        const behind = Math.max(0, ...closed.filter((closing) => closing.chain === chain).map(({ seq }) => seq));
        const over = await oldest({ chain, seq: behind }, forgetting.before, db);
        const end = over.at(-1);
        // Records of deletions are not deleted alone: each time a record of that would take their place.
        if (!end || (chain === head.chain && over.every((record) => toldDeletion(record)))) continue;
        const closing = { chain, day: forgetting.day, seq: end.seq, hash: end.hash, records: over.length };
        const isWhole = chain !== head.chain && end.seq === one.seq;
        const forgotten = { closing, ids: [`${chain}-`, recordId(end)] as const, isWhole };
        const fresh = [{ id: randomUUID(), ...deletionEntry(closing, forgetting) }];
        return { fresh, over: [], open: [], now: forgetting.at, forgotten };
      }
      return undefined;
    };
  return {
    /** All chains, those of former versions too. */
    heads,
    closings,

    /**
     * Adds ended spans, open ones and the sums of what is new behind the head of the one chain of the store, all or nothing.
     * What is recorded already, as after a write whose outcome was not known, is not recorded again. Gives the records.
     */
    async append({ ended, open }: LedgerBatch, now: number, daysOf?: DaysOf): Promise<readonly LedgerRecord[]> {
      if (ended.length + open.length === 0) return [];
      const ids = ended.flatMap(({ id }) => [id, restId(id)]);
      let recorded: readonly StoredRecord[] = [];
      const added = await moveHead(async () => {
        const rows = ids.length === 0 ? [] : await selectRecords(db).where('own_id', 'in', ids).orderBy('id').execute();
        recorded = rows.map(asStored);
        const fresh = freshOf(ended, new Map(rows.map((row) => [row.own_id ?? '', asStored(row)])));
        return { fresh, over: ended.map(({ id }) => id), open: open.map(recordedHere), now, daysOf };
      });
      return [...recorded, ...(added ?? [])];
    },

    /** Spans that no process has renewed for 90 s. */
    left: (now: number): Promise<readonly OwnEntry[]> =>
      rows.list('ledger_open', { seen_at: { '<': now - LEFT_SECONDS } }, ['id']),

    /** All rows in the order of their ids, behind this one: chain by chain, each in its order. */
    async rows(behind: string, limit: number): Promise<readonly StoredRecord[]> {
      return (await selectRecords(db).where('id', '>', behind).orderBy('id').limit(limit).execute()).map(asStored);
    },

    /** Deletes records of all chains, and adds a record that tells of it. Gives how many were deleted. */
    async forgetBefore(forgetting: Forgetting): Promise<number> {
      for (let forgotten = 0; ; ) {
        let some = 0;
        const plan = forgetSome(forgetting, await closings());
        const told = await moveHead(async (...given) => {
          const planned = await plan(...given);
          some = planned?.forgotten?.closing.records ?? 0;
          return planned;
        });
        if (!told) return forgotten;
        forgotten += some;
        await setImmediate(); // other requests come first
      }
    },

    /** Newest first. */
    find: (question: LedgerQuestion, limit: number, cursor?: LedgerCursor): Promise<readonly ListedRecord[]> =>
      findRecords(db, placed(question), limit, cursor),
    days: (question: LedgerQuestion, firstDay: string, lastDay: string): Promise<readonly LedgerDay[]> =>
      findDays(db, placed(question), firstDay, lastDay),

    /** Sums. */
    async forgetDaysBefore(day: string): Promise<void> {
      await rows.delete('ledger_days', { day: { '<': day } });
    },
  };
}

/** The own id of what a span was after another process had ended it. */
const restId = (id: string): string => `${id}+`;

const selectRecords = (db: Kysely<Tables>) => db.selectFrom('ledger_records').selectAll();

/** Ids of one chain lie between its name with a hyphen and its name with the character behind it. */
const behind = (head: Pick<ChainHead, 'chain' | 'seq'>, db: Kysely<Tables>) =>
  selectRecords(db).where('id', '>', recordId(head)).where('id', '<', `${head.chain}.`).orderBy('id');

/** Whether a row stands where the next records belong. */
const isBlocked = async (head: ChainHead, db: Kysely<Tables>): Promise<boolean> =>
  (await behind(head, db).limit(1).execute()).length > 0;

/** The records that ended before, up to the first that did not. A row without a place in the chain goes with those around it. */
async function oldest(
  from: Pick<ChainHead, 'chain' | 'seq'>,
  before: number,
  db: Kysely<Tables>,
): Promise<readonly StoredRecord[]> {
  const rows = await behind(from, db).limit(FORGOTTEN_AT_ONCE).execute();
  const records = rows.map(asStored).filter((row) => row.id === recordId(row));
  const kept = records.findIndex(({ to }) => to >= before);
  return kept < 0 ? records : records.slice(0, kept);
}

/** Records are found in windows of time: no statement reads more than some days. */
const FIRST_WINDOW_SECONDS = 86_400;
const LARGEST_WINDOW_SECONDS = 4 * 86_400;

function asEntry(row: object): LedgerEntry {
  const { id: _, ...entry } = readRecord('ledger_open', row);
  return entry;
}

/** The number is that of the id; not a number where the id has none. */
const asStored = (row: Tables['ledger_records']): StoredRecord => ({
  id: row.id,
  ...asEntry(row),
  chain: row.chain,
  seq: Number(row.id.slice(row.chain.length + 1)),
  hash: row.hash,
});

/** Newest first; open spans are listed with ended ones. */
async function findRecords(
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
  const { about, after, before, sight } = question;
  const since = sight?.ownSince;
  const all = named(question, recordsAt(question), since ? [sql`from_at >= ${since.at}`] : []);
  if (about) all.push(isAbout(about));
  if (question.credential !== undefined) all.push(sql`credential = ${question.credential}`);
  if (after !== undefined) all.push(sql`to_at >= ${after}`);
  if (before !== undefined) all.push(sql`from_at <= ${before}`);
  if (cursor) all.push(sql`(from_at < ${cursor.from} or (from_at = ${cursor.from} and id < ${cursor.id}))`);
  return all;
}

/** Conditions on the columns that records and sums have in common. */
function named(
  { kinds, user, cameras, sight }: LedgerQuestion,
  comparisons: ReturnType<typeof recordsAt | typeof sumsAt>,
  ownSince: readonly Condition[],
): Condition[] {
  const all = comparisons.map(([column, by, value]) => sql<boolean>`${sql.ref(column)} ${sql.raw(by)} ${value}`);
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

async function findDays(
  db: Kysely<Tables>,
  question: LedgerQuestion,
  firstDay: string,
  lastDay: string,
): Promise<readonly LedgerDay[]> {
  const since = question.sight?.ownSince;
  const where = allOf([
    sql`day >= ${firstDay}`,
    sql`day <= ${lastDay}`,
    ...(question.credential === undefined ? [] : [sql<boolean>`viewer = ${question.credential}`]),
    ...named(question, sumsAt(question), since ? [sql`day >= ${since.day}`] : []),
  ]);
  const { rows } = await sql<Tables['ledger_days']>`select * from ledger_days where ${where}`.execute(db);
  return rows.map((row) => readRecord('ledger_days', row));
}
