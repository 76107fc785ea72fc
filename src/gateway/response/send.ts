/** Sends a response of Postern's own, all of it at once. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { RequestWatch } from '../decision/gate-watch.ts';
import { atEndOfTurn } from './end-of-turn.ts';
import type { CompressedResponse, OwnResponse } from './error-responses.ts';
import { endWith } from './unread.ts';

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
