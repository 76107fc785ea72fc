/** Forwarding: sends an admitted request to its upstream over kept connections, and the response back, both as streams (SPEC 6). */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { originOf, type Upstream, wakeUp } from '../../domain/addresses.ts';
import { tlsOptionsFor } from '../../outbound/ask-upstream.ts';
import { type ConnectionPool, createConnectionPool } from '../http1/connection-pool.ts';
import { ForwardedExchange, type ForwardRules } from './forwarded-exchange.ts';
import type { JudgedRequest } from './judged-request.ts';

export type Forwarder = ReturnType<typeof createForwarder>;

export function createForwarder(rules: ForwardRules) {
  const pools = new Map<string, ConnectionPool>();
  /** The pool of each `Upstream` object, found without building its origin. */
  const known = new WeakMap<Upstream, ConnectionPool>();
  let isRetired = false;
  const poolOf = (upstream: Upstream): ConnectionPool => {
    const before = known.get(upstream);
    if (before) return before;
    const origin = originOf(upstream);
    const pool = pools.get(origin) ?? createConnectionPool(upstream, rules, tlsOptionsFor(upstream, rules));
    if (isRetired) pool.retire();
    pools.set(origin, pool);
    known.set(upstream, pool);
    return pool;
  };
  return {
    /** Returns what gives the request up, and says whether nothing of a response was sent: it may be another one then. */
    web(request: IncomingMessage, response: ServerResponse, upstream: Upstream, judged: JudgedRequest): () => boolean {
      // The connection of a client that left before the verdict closes no second time: the upstream's would stay open.
      if (request.socket.destroyed) return () => false;
      const isChunked = judged.headers['transfer-encoding'] !== undefined;
      const length = Number(judged.headers['content-length'] ?? 0);
      if (length > rules.maxUpload) {
        judged.onFailure('body-too-large');
        return () => false;
      }
      const hasUpload = judged.body === undefined && (isChunked || length > 0);
      const upload = hasUpload ? { request, length: isChunked ? undefined : length } : undefined;
      const exchange = new ForwardedExchange(request, response, upload, judged, rules);
      if (hasUpload && isChunked) limitUpload(request, rules.maxUpload, judged, exchange);
      judged.watch?.onAsked();
      const waking = wakeUp(upstream);
      if (!waking) poolOf(upstream).dispatch(exchange);
      else
        void waking.then(() => {
          if (!response.destroyed) poolOf(upstream).dispatch(exchange);
        });
      return () => exchange.giveUp();
    },
    /** Keeps no connection any more: each ends with its request. */
    retire() {
      isRetired = true;
      for (const pool of pools.values()) pool.retire();
    },
    /** Breaks what is under way. */
    close() {
      for (const pool of pools.values()) pool.close();
    },
  };
}

/** Counts the bytes of a body without an announced length as they stream. `maxUpload` is in bytes. */
function limitUpload(
  request: IncomingMessage,
  maxUpload: number,
  { watch }: JudgedRequest,
  exchange: ForwardedExchange,
): void {
  let received = 0;
  // Not `on`: it starts the flow, and who sends the body on may begin to listen later.
  request.prependListener('data', (chunk: Buffer) => {
    received += chunk.length;
    watch?.onUploaded(chunk.length);
    if (received > maxUpload) exchange.fail('body-too-large');
  });
}
