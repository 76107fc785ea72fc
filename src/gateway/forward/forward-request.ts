/** Plain requests: sent by undici, which frames them itself, and answered chunk by chunk (SPEC 6). */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { Pool } from 'undici';
import type { Upstream } from '../../domain/socket-address.ts';
import type { UpstreamWatch } from '../decision/gate-watch.ts';
import type { ForwardRules, JudgedRequest } from './forward.ts';
import { createResponseHandler } from './response-handler.ts';

export interface RequestForwarder {
  send(request: IncomingMessage, response: ServerResponse, upstream: Upstream, judged: JudgedRequest): void;
  close(): void;
}

export function createRequestForwarder(rules: ForwardRules): RequestForwarder {
  const pools = new Map<string, Pool>();
  const poolOf = (upstream: Upstream): Pool => {
    const origin = originOf(upstream);
    const known = pools.get(origin);
    if (known) return known;
    const pool = openPool(upstream, rules);
    pools.set(origin, pool);
    return pool;
  };
  return {
    send(request, response, upstream, judged) {
      const isChunked = judged.headers['transfer-encoding'] !== undefined;
      const headers = isChunked ? unframed(judged.headers) : judged.headers;
      const length = Number(headers['content-length'] ?? 0);
      if (length > rules.maxUpload) return judged.onFailure('body-too-large');
      const hasUpload = judged.body === undefined && (isChunked || length > 0);
      const body = hasUpload ? openUpload(request) : (judged.body ?? null);
      const sent = { path: judged.target, method: request.method ?? '', headers, body };
      const pool = poolOf(upstream);
      const handler = createResponseHandler(response, judged, rules.cookieName);
      if (hasUpload && isChunked)
        limitUpload(request, rules.maxUpload, judged.watch, () => handler.fail('body-too-large'));
      if (!body && isSafe(sent.method)) handler.onStaleConnection(() => void pool.dispatch(sent, handler));
      judged.watch?.onAsked();
      // The library writes it at the end of this turn, when it has seen whether the connection is still there.
      pool.dispatch(sent, handler);
    },
    close() {
      for (const pool of pools.values()) void pool.destroy();
    },
  };
}

/** The library frames what it sends. */
const unframed = ({ 'transfer-encoding': _, ...headers }: IncomingHttpHeaders): IncomingHttpHeaders => headers;

/** What may go out once more when its connection was closed under it. */
const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD';

function originOf(upstream: Upstream): string {
  if (upstream.kind === 'unix') return upstream.path;
  const host = upstream.host.includes(':') ? `[${upstream.host}]` : upstream.host;
  return `${upstream.protocol}//${host}:${upstream.port}`;
}

function openPool(upstream: Upstream, rules: ForwardRules): Pool {
  return new Pool(upstream.kind === 'unix' ? 'http://localhost' : originOf(upstream), {
    pipelining: 1,
    headersTimeout: rules.timeoutResponse * 1000,
    bodyTimeout: rules.timeoutIdle * 1000,
    connect: {
      timeout: rules.timeoutConnect * 1000,
      rejectUnauthorized: rules.verify,
      ...(rules.ca === undefined ? {} : { ca: rules.ca }),
      ...(upstream.kind === 'unix' ? { socketPath: upstream.path } : {}),
    },
  });
}

/**
 * What is not wanted any more is read and dropped: the client library destroys the body that it is given, which would
 * take the client's connection with it before anything could be answered.
 */
function openUpload(request: IncomingMessage): PassThrough {
  const upload = new PassThrough().on('error', () => {});
  upload.once('close', () => {
    request.unpipe(upload);
    request.resume();
  });
  return request.pipe(upload);
}

/** An unannounced body is counted as it streams. */
function limitUpload(
  request: IncomingMessage,
  maxUpload: number,
  watch: UpstreamWatch | undefined,
  onTooLarge: () => void,
): void {
  let received = 0;
  request.on('data', (chunk: Buffer) => {
    received += chunk.length;
    watch?.onUploaded(chunk.length);
    if (received > maxUpload) onTooLarge();
  });
}
