/** What a database engine gives to the store. */
import type { Dialect as KyselyDialect } from 'kysely';
import type { Dialect } from './dialect.ts';

export interface Engine {
  readonly dialect: KyselyDialect;
  readonly words: Dialect;
  /** Another text after any change of the store, whichever process makes it. */
  version(): string;
  /** False while changes of others may go unheard; then `version` differs at each call. */
  isCurrent(): boolean;
  close(): Promise<void>;
}
