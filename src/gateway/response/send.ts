/** Sends a response of Postern's own, all of it at once; to an admin who sees it as another person with the head of such a view. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Caller } from '../../domain/caller.ts';
import type { RequestWatch } from '../decision/gate-watch.ts';
import { atEndOfTurn, endWith } from './client-socket.ts';
import type { CompressedResponse, OwnResponse } from './error-responses.ts';
import { variesBy } from './response-headers.ts';

export interface Wire {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly watch: Pick<RequestWatch, 'onBytes'>;
}

/** A response that has begun cannot become another one: its connection is closed. */
export function send(
  { request, response, watch }: Wire,
  content: OwnResponse | CompressedResponse,
  requestId: string,
  cookie?: string,
): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const length = Buffer.byteLength(content.body);
  const headers: OutgoingHttpHeaders = {
    ...content.headers,
    'content-length': length,
    'x-request-id': requestId,
  };
  if (cookie !== undefined) {
    headers['set-cookie'] = cookie;
    if (headers['cache-control'] !== 'no-store') headers['cache-control'] = 'private, no-store';
  }
  // The rest of the request's body is not read, so the connection cannot be used for another request.
  if (hasBody(request)) headers.connection = 'close';
  response.writeHead(content.status, headers);
  if (request.method !== 'HEAD' && length > 0) watch.onBytes(length);
  atEndOfTurn(() => endWith(response, content.body));
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** Undefined: the caller sees it as itself. */
export function viewedHeaders(caller: Caller | undefined): Readonly<Record<string, string>> | undefined {
  if (caller?.credential.kind !== 'view-as') return undefined;
  return {
    'cache-control': 'private, no-store',
    vary: `${variesBy()}, X-Postern-View-As`,
    // The page shows nothing without it: something in between may have dropped the header of the request.
    'x-postern-view-as': encodeURIComponent(caller.name),
  };
}

/** A response of Postern's own. */
export function viewedResponse<Response extends OwnResponse | CompressedResponse>(
  response: Response,
  caller: Caller | undefined,
): Response {
  const viewed = viewedHeaders(caller);
  return viewed ? { ...response, headers: { ...response.headers, ...viewed } } : response;
}
