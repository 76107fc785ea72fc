/** What a database engine gives to the store. */
import type { Dialect as KyselyDialect } from 'kysely';
import type { AttemptStore } from '../../domain/store/attempt-store.ts';
import type { HeardChanges } from '../../domain/store/heard-changes.ts';
import type { Dialect } from './dialect.ts';

/** A statement failed, which wrote or may have written, or only read. */
export type OnFault = (fault: unknown, by: 'read' | 'write') => void;

export interface Engine {
  readonly dialect: KyselyDialect;
  readonly words: Dialect;
  /** Changes with every change that may change a verdict, by this process or another. */
  version(): string;
  /** Which rows have changed, as far as this process has heard; undefined for a store that is never out of reach. */
  readonly heard: HeardChanges | undefined;
  /** Attempts at a login, as all processes on this store count them; undefined for a file. */
  readonly attempts?: AttemptStore;
  /** Unix seconds of the server's clock; undefined for a file. */
  readonly serverTime?: () => Promise<number>;
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
