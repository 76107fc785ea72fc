/** What each database engine says in words of its own: text columns, JSON, arithmetic of time, and hints to the planner. */
import type { Kysely, RawBuilder, Transaction } from 'kysely';
import type { Tables } from './tables.ts';

export type Expression = RawBuilder<unknown>;
export type Condition = RawBuilder<boolean>;

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
  /** The second of the local day: whole seconds since midnight. */
  secondOfDay(time: Expression, offset: Expression): Expression;
  /** Days since 1 January 1970 on the local calendar. */
  dayNumber(time: Expression, offset: Expression): Expression;
  /** `value asc` or `value desc`, with absent values below all others; `isNeverAbsent` lets an index of the plain order be used. */
  ordered(value: Expression, direction: 'asc' | 'desc', isNeverAbsent: boolean): Expression;
  /**
   * Whether events are kept in parts by time: a condition on the start spares the other parts, and each stream of a merge
   * needs a limit of its own, else the planner reads it to its end.
   */
  readonly isPartitioned: boolean;
  /** Creates the events table and everything that belongs to it, by the steps of the migration of that name. */
  readonly events: EventTables;
  /** Lets no other transaction on accounts begin until this one ends; an engine with one writer does so by itself. */
  lockAccounts(transaction: Transaction<Tables>): Promise<void>;
  /** Triggers that tell every replica of a change, where several processes on several machines share a store. */
  noticeChanges(db: Kysely<unknown>): Promise<void>;
  /** The same for a table that came later. `events` as SQL has them: `insert or update of name or delete`. */
  noticeTable(db: Kysely<unknown>, table: string, events: string): Promise<void>;
  /** The same for each row, which is named by that column. */
  noticeRow(db: Kysely<unknown>, table: string, key: string, events: string): Promise<void>;
  /** Makes notices name the row that has changed, from this step of the schema on. */
  noticeRows(db: Kysely<unknown>): Promise<void>;
  /** Makes the connection that changes a row hear its name, too. */
  nameRows(db: Kysely<unknown>): Promise<void>;
  /** A table and a function for attempts at a login, where several processes share a store. */
  countAttempts(db: Kysely<unknown>): Promise<void>;
}

/** The steps of the migrations on events that each engine writes in its own way. */
export interface EventTables {
  create(db: Kysely<unknown>): Promise<void>;
  /** `event_writes` counts the writes of each day of UTC in which events begin. */
  countWrites(db: Kysely<unknown>): Promise<void>;
  /** Indices of score and speed hold the id, and lie in the order that `ordered` asks for. */
  sortWithIds(db: Kysely<unknown>): Promise<void>;
  /** Prepares the tables for events that begin at these times. */
  prepareFor(times: readonly number[], db: Kysely<Tables>): Promise<void>;
  /**
   * Deletes the events of these ids, and lets no other process write the same ones until the transaction ends. Undefined where
   * an insert replaces a row of the same id.
   */
  readonly makeWay: ((ids: readonly string[], transaction: Transaction<Tables>) => Promise<void>) | undefined;
  /** Drops parts all of whose events began before `time` and are not marked to be kept; resolves with how many those were. */
  dropBefore(time: number, db: Kysely<Tables>): Promise<number>;
}
