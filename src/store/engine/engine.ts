/** What a database engine gives to the store. */
import type { Dialect as KyselyDialect } from 'kysely';
import type { AttemptStore } from '../../domain/store/attempt-store.ts';
import type { HeardChanges } from '../../domain/store/heard-changes.ts';
import type { Dialect, MovedEvents } from './dialect.ts';

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
  /** `server.site`: links and screens are of one site, and records of the ledger say theirs. Default: the only one, which has no name. */
  readonly site?: string | undefined;
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
  readonly heard: HeardChanges | undefined;
  /** Attempts at a login, as all processes on this store count them; undefined for a file. */
  readonly attempts: AttemptStore | undefined;
  /** Unix seconds of the server's clock; undefined for a file. */
  readonly serverTime: (() => Promise<number>) | undefined;
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
