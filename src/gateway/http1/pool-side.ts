/** What a connection to an upstream and its pool know of each other. */

import type { Patience } from './deadline.ts';
import type { Exchange } from './exchange.ts';
import type { UpstreamHead } from './response-head.ts';

/** Options of `tls.connect`: the name that is asked for and checked, and whose certificates are accepted. */
export interface TlsOptions {
  readonly servername: string;
  readonly rejectUnauthorized: boolean;
  /** PEM; absent: the authorities that Node ships. */
  readonly ca?: string;
}

export type UpstreamEndpoint =
  | { readonly host: string; readonly port: number; readonly tls?: TlsOptions }
  | { readonly path: string };

export interface PoolSide {
  /** The Host header of requests that have none. */
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
