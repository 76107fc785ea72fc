/** The connections to one upstream: kept for the next requests, and ended by one clock when something takes too long. */
import { hostInUrl, type Upstream } from '../../domain/addresses.ts';
import { openConnection } from './connection.ts';
import { type Connection, type Exchange, isLast, type PoolSide, type TlsOptions } from './exchange.ts';
import { type UpstreamHead, upstreamError } from './response-head.ts';

export interface PoolRules {
  /** Seconds: to connect; to the head of the response; of silence on a stream. */
  readonly timeoutConnect: number;
  readonly timeoutResponse: number;
  readonly timeoutIdle: number;
}

export type ConnectionPool = ReturnType<typeof createConnectionPool>;

/** Kept ones with those in use: as many as requests may be under way at one upstream. */
const MOST_CONNECTIONS = 1024;
const LONGEST_TICK_MS = 500;
const TICKS_OF_SHORTEST = 5;
/** Seconds that a connection is kept without a request, unless the upstream says how long it does. */
const KEPT_SECONDS = 4;
const LONGEST_KEPT_SECONDS = 600;
/** The upstream may be about to close it: the next request would be lost. */
const BEFORE_ITS_END_SECONDS = 2;
const KEEP_ALIVE_TIMEOUT = /(?:^|,)\s*timeout=(\d{1,9})\s*(?:,|$)/i;

/** `tls`: for upstreams that speak it. */
export function createConnectionPool(upstream: Upstream, rules: PoolRules, tls: TlsOptions) {
  const all = new Set<Connection>();
  const free: Connection[] = [];
  const tickMs = tickLength(rules);
  let ticks = 0;
  let clock: NodeJS.Timeout | undefined;
  let isClosed = false;
  let isRetired = false;

  const tick = (): void => {
    ticks += 1;
    for (const connection of all) connection.check();
  };
  const inTicks = (seconds: number): number => Math.ceil((seconds * 1000) / tickMs) + 1;

  const side: PoolSide = {
    host: upstream.kind === 'unix' ? 'localhost' : `${hostInUrl(upstream.host)}:${upstream.port}`,
    patience: {
      connect: inTicks(rules.timeoutConnect),
      head: inTicks(rules.timeoutResponse),
      idle: inTicks(rules.timeoutIdle),
    },
    ticks: () => ticks,
    keptFor: (head) => inTicks(keptSeconds(head)),
    onFree: (connection) => void (isRetired ? connection.destroy() : free.push(connection)),
    onClosed(connection) {
      all.delete(connection);
      const at = free.indexOf(connection);
      if (at >= 0) free.splice(at, 1);
      if (all.size > 0) return;
      clearInterval(clock);
      clock = undefined;
    },
    again(exchange, isSent) {
      if (isClosed) return exchange.onError(upstreamError('ECONNRESET'));
      // When one kept connection was stale, so are the others: the second and last attempt gets a new one.
      (isSent ? open() : (free.pop() ?? open())).give(exchange);
    },
  };

  const open = (): Connection => {
    if (all.size >= MOST_CONNECTIONS) free.shift()?.destroy();
    const connection = openConnection(upstream, tls, side);
    all.add(connection);
    clock ??= setInterval(tick, tickMs).unref();
    return connection;
  };

  return {
    // What is the last anyway takes no kept one away. What may not be sent again, as a DELETE, gets one that cannot be stale.
    dispatch: (exchange: Exchange): void =>
      ((isLast(exchange) || !exchange.isRepeatable ? undefined : free.pop()) ?? open()).give(exchange),
    /** Keeps no connection any more: each ends with its exchange. */
    retire(): void {
      isRetired = true;
      for (const connection of [...free]) connection.destroy();
    },
    /** Breaks what is under way. */
    close(): void {
      isClosed = true;
      for (const connection of all) connection.destroy();
    },
  };
}

/** The tick of the clock, in milliseconds: what is late is found out a fifth later at most. */
function tickLength({ timeoutConnect, timeoutResponse, timeoutIdle }: PoolRules): number {
  const shortest = Math.min(timeoutConnect, timeoutResponse, timeoutIdle) * 1000;
  return Math.max(1, Math.min(LONGEST_TICK_MS, shortest / TICKS_OF_SHORTEST));
}

function keptSeconds({ headers }: UpstreamHead): number {
  const hint = headers['keep-alive'];
  const said = typeof hint === 'string' ? KEEP_ALIVE_TIMEOUT.exec(hint)?.[1] : undefined;
  if (said === undefined) return KEPT_SECONDS;
  return Math.min(LONGEST_KEPT_SECONDS, Math.max(0, Number(said) - BEFORE_ITS_END_SECONDS));
}
