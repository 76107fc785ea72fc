/**
 * Requests by undici, which frames them itself: to upstreams over TLS, and where the response is narrowed. One with a body is
 * the last on its connection (`isLast` of `upstream/exchange.ts`).
 */
import type { IncomingHttpHeaders } from 'node:http';
import { openUpload } from './body-limit.ts';
import type { ForwardRules } from './forwarder.ts';
import { isIdempotent, type UpstreamClient } from './upstream-client.ts';
import { createUpstreamPools, servernameFor } from './upstream-pool.ts';

export function createUndiciClient(rules: ForwardRules): UpstreamClient {
  const pools = createUpstreamPools(rules);
  return {
    dispatch(asked) {
      const { request, upstream, judged, upload, handler } = asked;
      const isChunked = judged.headers['transfer-encoding'] !== undefined;
      const headers = isChunked ? unframed(judged.headers) : judged.headers;
      const body = upload ? openUpload(request) : (judged.body ?? null);
      const servername = servernameFor(upstream);
      const sent = {
        path: judged.target,
        method: request.method ?? '',
        headers,
        body,
        servername,
        reset: body !== null,
      };
      const pool = pools.of(upstream);
      if (isIdempotent(asked)) handler.onStaleConnection(() => void pool.dispatch(sent, handler));
      // The library writes it at the end of this turn, when it has seen whether the connection is still there.
      pool.dispatch(sent, handler);
    },
    close: pools.close,
  };
}

/** The library frames what it sends. */
const unframed = ({ 'transfer-encoding': _, ...headers }: IncomingHttpHeaders): IncomingHttpHeaders => headers;
