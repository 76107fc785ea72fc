/** Plain requests: sent by undici, which frames them itself; the response is streamed (SPEC 6). */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Upstream } from '../../domain/addresses/socket-address.ts';
import { limitUpload, openUpload } from './body-limit.ts';
import type { ForwardRules, JudgedRequest } from './forwarder.ts';
import { createResponseHandler } from './response-handler.ts';
import { createUpstreamPools, servernameFor } from './upstream-pool.ts';

export interface RequestForwarder {
  send(request: IncomingMessage, response: ServerResponse, upstream: Upstream, judged: JudgedRequest): void;
  close(): void;
}

export function createRequestForwarder(rules: ForwardRules): RequestForwarder {
  const pools = createUpstreamPools(rules);
  return {
    send(request, response, upstream, judged) {
      const isChunked = judged.headers['transfer-encoding'] !== undefined;
      const headers = isChunked ? unframed(judged.headers) : judged.headers;
      const length = Number(headers['content-length'] ?? 0);
      if (length > rules.maxUpload) return judged.onFailure('body-too-large');
      const hasUpload = judged.body === undefined && (isChunked || length > 0);
      const body = hasUpload ? openUpload(request) : (judged.body ?? null);
      const servername = servernameFor(upstream);
      const sent = { path: judged.target, method: request.method ?? '', headers, body, servername };
      const pool = pools.of(upstream);
      const handler = createResponseHandler(response, judged, rules.cookieName);
      if (hasUpload && isChunked)
        limitUpload(request, rules.maxUpload, judged.watch, () => handler.fail('body-too-large'));
      if (!body && isSafe(sent.method)) handler.onStaleConnection(() => void pool.dispatch(sent, handler));
      judged.watch?.onAsked();
      // The library writes it at the end of this turn, when it has seen whether the connection is still there.
      pool.dispatch(sent, handler);
    },
    close: pools.close,
  };
}

/** The library frames what it sends. */
const unframed = ({ 'transfer-encoding': _, ...headers }: IncomingHttpHeaders): IncomingHttpHeaders => headers;

/** What may go out once more when its connection was closed under it. */
const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD';
