/** What each database engine says in words of its own: text columns, JSON, arithmetic of time, and hints to the planner. */
import type { Kysely, QueryExecutorProvider, RawBuilder, Transaction } from 'kysely';
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
  /** Whether each stream of a merge needs a limit of its own: else the planner reads it to its end. */
  readonly limitsStreams: boolean;
  /** Lets no other transaction on accounts begin until this one ends; an engine with one writer does so by itself. */
  lockAccounts(transaction: Transaction<Tables>): Promise<void>;
  /** The same for transactions that write events. */
  lockEvents(transaction: Transaction<Tables>): Promise<void>;
  /** The name of the table as a row, where it is there. Kysely's own look at all tables fails while another process drops one. */
  tableNamed(name: string): RawBuilder<unknown>;
  /** Functions that the schema calls, where the server runs them; made anew where they are there. */
  createFunctions(db: Kysely<unknown>): Promise<void>;
  /** Tells every replica of each row that has changed, by that column. `changes` as SQL has them: `insert or update of name`. */
  noticeRow(db: Kysely<unknown>, table: string, key: string, changes: string): Promise<void>;
  /** Triggers on `events`, so that every writer counts its writes, and what the planner must be told. */
  completeEvents(db: QueryExecutorProvider): Promise<void>;
  /** Moves the events of 0.2.0 into the table that `create` makes, where they lay in tables by month. */
  readonly joinMonths:
    | ((
        db: Kysely<Tables>,
        create: (db: QueryExecutorProvider) => Promise<void>,
        told: (moved: MovedEvents) => void,
      ) => Promise<void>)
    | undefined;
}

export interface MovedEvents {
  /** How many since the start. */
  readonly events: number;
  readonly monthsLeft: number;
}
