/** What both clients for upstreams are given: a request that was judged, and who is told of its response. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Upstream } from '../../domain/addresses/socket-address.ts';
import type { JudgedRequest } from './forwarder.ts';
import type { ResponseHandler } from './response-handler.ts';

export interface AskedUpstream {
  readonly upstream: Upstream;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly judged: JudgedRequest;
  /** The request's own body, which streams; `length` is undefined where it comes in chunks. */
  readonly upload: { readonly length: number | undefined } | undefined;
  readonly handler: ResponseHandler;
}

export interface UpstreamClient {
  dispatch(asked: AskedUpstream): void;
  /** Breaks what is under way. */
  close(): void;
}

/** What may go out once more when its connection was closed under it. */
export const isRepeatable = ({ request, judged, upload }: AskedUpstream): boolean =>
  !upload && !judged.body && (request.method === 'GET' || request.method === 'HEAD');

/** Where the library chooses the connection. To delete twice is to delete once (RFC 9110 section 9.2.2). */
export const isIdempotent = ({ request, judged, upload }: AskedUpstream): boolean =>
  !upload && !judged.body && IDEMPOTENT.includes(request.method ?? '');

const IDEMPOTENT: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'DELETE'];
