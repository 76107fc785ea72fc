/** What a database engine gives to the store, and what it says in words of its own: text columns, JSON, arithmetic of time, hints to the planner. And the table of events, which is the same on every engine. */
import { Kysely, type Dialect as KyselyDialect, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import type { User } from '../../domain/accounts/account.ts';
import type { LoginPlace } from '../../domain/accounts/notice.ts';
import type { Clause } from '../../domain/rate-limit.ts';
import type { Here, SeenSession, Tables } from './tables.ts';

/** A statement failed, which wrote or may have written, or only read. */
export type OnFault = (fault: unknown, by: 'read' | 'write') => void;

/** A change of the tables by a newer version. */
export interface TablesUpdate {
  /** Migrations: the latest of before and of now. */
  readonly from: string;
  readonly to: string;
  /** The copy of the store as it was before; undefined where a server keeps the store. */
  readonly copy: string | undefined;
}

export interface StoreOptions {
  /** `sqlite:/absolute/path`, or `postgres://…`. */
  readonly url: string;
  /** Whose rows count here: links and screens are of one service, and records say theirs. Default: of the only one. */
  readonly here?: Here;
  /** PostgreSQL: another address for LISTEN, where `url` is that of a transaction pooler. */
  readonly listenUrl?: string | undefined;
  /** PostgreSQL: seconds after which the server ends a statement. */
  readonly statementSeconds?: number | undefined;
  /** Whether the store is opened beside its writer: changes nothing, not even the tables, so the file must be there. */
  readonly readOnly?: boolean;
  /** The service that asks for it has looked at the tables. A newer replica may have added to them since. */
  readonly isBeside?: boolean;
  /** Whether it is read only for a moment, to see what a start would: no file is made beside a store that no process has open. */
  readonly isBrief?: boolean;
  /** `postern store copy` fills it: a copy that was interrupted is no fault. */
  readonly isCopyTarget?: boolean;
  /** Called for each statement that failed. */
  readonly onFault?: OnFault;
  /** Called before anything is made where no store is yet, with its name for messages; it may throw to keep it so. */
  readonly onEmpty?: (name: string) => void;
  /** Called when the tables were those of an older version. */
  readonly onUpdated?: (update: TablesUpdate) => void;
  /** Told again and again while events of 0.2.0 are moved into one table. */
  readonly onMoved?: (moved: MovedEvents) => void;
  /** PostgreSQL: told once at each change whether changes of other replicas are heard. */
  readonly onCurrent?: (isCurrent: boolean, fault?: Error) => void;
}

export interface Engine {
  readonly dialect: KyselyDialect;
  readonly words: Dialect;
  /**
   * Changes with every change that may change a verdict, by this process or another: accounts, roles, tokens, links, screens and
   * revocations that were read earlier may be cached as long as the text is the same.
   */
  version(): string;
  /** Which rows have changed, as far as this process has heard; undefined for a store that is never out of reach. */
  readonly heard?: HeardChanges | undefined;
  /** Attempts at a login, as all processes on this store count them; undefined for a file. */
  readonly attempts?: AttemptStore | undefined;
  /** Unix seconds of the server's clock; undefined for a file. */
  readonly serverTime?: (() => Promise<number>) | undefined;
  /** False while changes of others may go unheard; then `version` differs at each call. */
  isCurrent(): boolean;
  /** The store's name in error messages: `the store at /config/postern.db`. */
  readonly name: string;
  /** Undefined when a server keeps the store: then backups are made there. */
  readonly file: string | undefined;
  /** Throws a fault of the store when it can be told at once, without a question, that it cannot be used. */
  glance(): void;
  /** Writes what changes nothing, and checks the tables: rejects with a fault of the store when either fails. */
  probe(tables: readonly string[]): Promise<void>;
  /** A consistent copy, readable by the owner alone. The file must not be in use. */
  copyTo(path: string): Promise<void>;
  /** Closes the engine, after the query builder was closed. */
  close(): Promise<void>;
}

export function databaseOn({ dialect, close }: Pick<Engine, 'dialect' | 'close'>) {
  const db = new Kysely<Tables>({ dialect });
  return {
    db,
    async close(): Promise<void> {
      await db.destroy();
      await close();
    },
  };
}

export type Expression = RawBuilder<unknown>;
export type Condition = RawBuilder<boolean>;

/** What each database engine says in words of its own: text columns, JSON, arithmetic of time, and hints to the planner. */
export interface Dialect {
  /** The column type of text that is compared and sorted by its bytes, as SQLite does by default. */
  readonly text: Expression;
  /** The column, hidden from the planner as a way into the table: rows are read in the order that is asked for. */
  unindexed(column: Expression): Expression;
  /**
   * Ends a statement that runs past the deadline (milliseconds of the machine's monotonic clock). Undefined where the
   * server ends it (`statement_timeout`); then a long statement stops no other one.
   */
  readonly inTime: ((deadline: number) => Condition) | undefined;
  /** Asks with a time that the server ends it by, where that is what ends it. */
  within<Answer>(
    milliseconds: number,
    db: Kysely<Tables>,
    ask: (db: Kysely<Tables>) => Promise<Answer>,
  ): Promise<Answer>;
  contains(text: Expression, part: string): Condition;
  hasElement(jsonArray: Expression, values: readonly string[]): Condition;
  isEmptyArray(jsonArray: Expression): Condition;
  /** One of the texts is the value of a key, at any depth. */
  hasMemberText(jsonObject: Expression, values: readonly string[]): Condition;
  /** The sub-label, or the `description` in the JSON of `data`, holds the word, whatever the case. */
  hasWord(subLabel: Expression, data: Expression, word: string): Condition;
  /** `value asc` or `value desc`, with absent values below all others; `isNeverAbsent` lets an index of the plain order be used. */
  ordered(value: Expression, direction: 'asc' | 'desc', isNeverAbsent: boolean): Expression;
  /** Whether each stream of a merge needs a limit of its own: else the planner reads it to its end. */
  readonly limitsStreams: boolean;
  /** Lets no other transaction with that key go on until this one ends, where the engine does not do so by itself. */
  lockKey?(key: string, transaction: Kysely<Tables>): Promise<void>;
  /** The end of a question whose rows stay as they are until the transaction ends. They can still be read. */
  readonly lockedRows: Expression;
  /** Begins a login, whose place is ids of known clients, in one statement. Undefined: the store is in this process, and no round trip is saved. */
  readonly beginLogin: ((login: BeginningLogin, db: Kysely<Tables>) => Promise<BegunLogin | undefined>) | undefined;
  /** The name of the table as a row, where it is there. Kysely's own look at all tables fails while another process drops one. */
  tableNamed(name: string): RawBuilder<unknown>;
  /** Functions that the schema calls, where the server runs them; made anew where they are there. */
  createFunctions?(db: Kysely<unknown>): Promise<void>;
  /** Tells every replica, where there are any, of each row that has changed, by that column. `changes` as SQL has them: `insert or update of name`. */
  noticeRow?(db: Kysely<unknown>, table: string, key: string, changes: string): Promise<void>;
  /** Triggers on `events`, so that every writer counts its writes, and what the planner must be told. */
  completeEvents(db: QueryExecutorProvider): Promise<void>;
  /** Moves the events of 0.2.0 into the table that `create` makes, where they lay in tables by month. */
  joinMonths?(
    db: Kysely<Tables>,
    create: (db: QueryExecutorProvider) => Promise<void>,
    told: (moved: MovedEvents) => void,
  ): Promise<void>;
}

/** A login that is about to succeed. */
export interface BeginningLogin {
  /** The account when the password, the passkey or the answer of a provider was checked. */
  readonly user: User;
  /** The part of the hash that is new with each password, and stays when a hash is strengthened. */
  readonly salt: string;
  /** Undefined: an API token was given in the place of the password. */
  readonly session: SeenSession | undefined;
  readonly place: LoginPlace;
  readonly at: number;
  /** How many sessions the user may have. */
  readonly most: number;
}

export interface BegunLogin {
  /** The account at that moment: its rights may have changed since it was read. */
  readonly user: User;
  /** What the user's logins have not shown before. Of a first login ever: nothing. */
  readonly unseen: readonly (keyof LoginPlace)[];
  /** The user's oldest sessions that are too many now. */
  readonly surplus: readonly Pick<SeenSession, 'id' | 'expiresAt'>[];
}

export interface MovedEvents {
  /** How many since the start. */
  readonly events: number;
  readonly monthsLeft: number;
}

/** The lock row of the migrations is written with what it holds: that takes the lock of writes, and finds a full disk and a standby. */
export const WRITE_NOTHING = 'update kysely_migration_lock set is_locked = is_locked';

/** The condition that no row fulfils: `in ()` is an error in SQL. */
export const NEVER: Condition = sql<boolean>`1 = 0`;

export const isOneOf = (column: Expression, values: readonly string[]): Condition =>
  values.length === 0 ? NEVER : sql`${column} in (${sql.join(values)})`;

export const allOf = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? sql<boolean>`1 = 1` : sql<boolean>`${sql.join([...conditions], sql` and `)}`;

export const anyOf = (conditions: readonly Condition[]): Condition =>
  conditions.length === 0 ? NEVER : sql<boolean>`(${sql.join([...conditions], sql` or `)})`;

/** A row is named by its table and its key, `users vera`; a table's name alone stands for all of its rows. */
export interface HeardChanges {
  /** Rises with each change that was heard of. */
  revision(): number;
  /** Whether one of these rows was changed after that revision, or may have been. */
  haveChanged(rows: readonly string[], since: number): boolean;
  /** Calls `act` after each change of a row of that table, and after changes may have gone unheard. */
  watch(table: string, act: () => void): void;
}

/** The attempts of one client, network, account or link. */
export interface AttemptWindow {
  /** Digested: the store holds no address. */
  readonly key: string;
  readonly clauses: readonly Clause[];
}

/** The first window that is full, by the clause that takes longest. */
export interface FullWindow {
  readonly window: number;
  readonly clause: Clause;
  readonly retryAfterSeconds: number;
  /** An attempt in it, on whichever replica, may yet give its place back. */
  readonly isUnderWay: boolean;
}

/** Each method rejects with a fault of the store when it cannot be reached: what was asked may be done all the same. */
export interface AttemptStore {
  /**
   * One atomic step: a place for the attempt in every window, or in none. `now` is in milliseconds; the server's own
   * clock, which all replicas share, when absent.
   */
  reserve(attempt: string, windows: readonly AttemptWindow[], now?: number): Promise<FullWindow | undefined>;
  /** The attempt failed: no other attempt waits for its outcome any more. */
  keep(attempt: string): Promise<void>;
  /** The attempts did not fail: their places are free. */
  release(attempts: readonly string[]): Promise<void>;
  /** All attempts in that window are forgotten. */
  forget(window: string): Promise<void>;
}

/** `statements` are separated by `;` at the end of a line; the type `text` is that of the engine; a column may have that name, too. */
export async function runAll(statements: string, db: QueryExecutorProvider, { text }: Dialect): Promise<void> {
  for (const statement of statements.split(/;\n/)) {
    const parts = statement.split(/(?<=\w )text(?=[ ,)])/).map((part) => sql.raw(part));
    await sql.join(parts, text).execute(db);
  }
}

/**
 * Bulky columns stand last: SQLite reads a row from its start, and a scan need not touch what lies behind. `score`,
 * `speed` and `plate` repeat what is in `data`; `sub_labels_folded` is `,bob,john,`. `event_writes` counts the writes of
 * each day of UTC in which events begin. Equal start times are put in order of id while walking: the id in every index
 * would double its size. Partial indices are for what few events have: other events cost nothing.
 */
const EVENTS = `
create table events (id text primary key not null, camera text not null, label text not null,
  start_time double precision not null, end_time double precision, score double precision, speed double precision,
  has_clip boolean not null, has_snapshot boolean not null, retain_indefinitely boolean not null,
  false_positive boolean, plus_id text, plate text, sub_label text, sub_labels_folded text, zones text not null,
  model_hash text, detector_type text, model_type text, data text not null, thumbnail text);
create index events_start_time on events (start_time);
create index events_camera_start_time on events (camera, start_time);
create index events_label_start_time on events (label, start_time);
create index events_camera_label_start_time on events (camera, label, start_time);
create index events_camera_sub_label on events (camera, sub_label) where sub_label is not null;
create index events_camera_plate on events (camera, plate) where plate is not null;
create index events_camera_zones on events (camera, zones) where zones <> '[]';
create index events_in_progress on events (camera, start_time) where end_time is null;
create index events_retained on events (camera, start_time) where retain_indefinitely = true;
create index events_submitted on events (camera, start_time) where plus_id <> ''`;

/** Score and speed: many events have none, and a page must not sort them all, so their indices hold the id. */
export async function createEvents(db: QueryExecutorProvider, words: Dialect): Promise<void> {
  await runAll(EVENTS, db, words);
  for (const sorted of ['score', 'speed'])
    await sql`create index ${sql.ref(`events_${sorted}_id`)} on events (${words.ordered(sql.ref(sorted), 'asc', false)}, id)`.execute(
      db,
    );
  await words.completeEvents(db);
}
