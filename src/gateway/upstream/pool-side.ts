/** What a connection to an upstream and its pool know of each other. */
import type { Exchange } from './exchange.ts';
import type { Patience } from './patience.ts';
import type { UpstreamHead } from './response-head.ts';

export type Place = { readonly host: string; readonly port: number } | { readonly path: string };

export interface PoolSide {
  /** For requests that have no Host header. */
  readonly host: string;
  readonly patience: Patience;
  ticks(): number;
  /** How many ticks the connection may wait for its next request. */
  keptFor(head: UpstreamHead): number;
  onFree(connection: Connection): void;
  onClosed(connection: Connection): void;
  /** Nothing of it was sent, or it may go out once more. */
  again(exchange: Exchange, isSent: boolean): void;
}

export interface Connection {
  give(exchange: Exchange): void;
  /** Ends what takes too long. */
  check(): void;
  destroy(): void;
}
