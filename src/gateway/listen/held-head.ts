/** A request that says neither how long its body is nor that it has none: it waits until the body has proved to be empty (SPEC 5). */
import type { IncomingMessage } from 'node:http';
import { METHODS_WITHOUT_CHUNKS } from '../decision/strict-head.ts';
import type { Gate } from '../entry/gate.ts';

/** Proxies say the end of an empty body at once. */
const LONGEST_WAIT_MS = 10_000;

/**
 * HTTP/2 and HTTP/3 need not say with the head that no body follows, and proxies make `Transfer-Encoding: chunked` of that: Caddy
 * for HTTP/3, HAProxy for HTTP/2, nginx where it does not buffer requests. A body of zero bytes is no body, so its framing
 * is taken out, and the request is judged and forwarded without one. At the first byte the request goes on as it came, and is refused.
 */
export const withWholeHead =
  (serve: Gate['onRequest'], patienceMs: number, onLate: (request: IncomingMessage) => void): Gate['onRequest'] =>
  (request, response) => {
    if (!mayBeEmpty(request)) return serve(request, response);
    if (isEmpty(request)) return serve(withoutFraming(request), response); // it was sent ahead, and has waited for its turn
    const settle = (): void => {
      clearTimeout(timer);
      request.off('readable', onReadable);
      response.off('close', settle);
    };
    const onReadable = (): void => {
      settle();
      serve(request.readableLength === 0 ? withoutFraming(request) : request, response);
    };
    const giveUp = (): void => {
      settle();
      onLate(request);
      response.writeHead(408, { Connection: 'close', 'Content-Length': 0 }).end();
    };
    const timer = setTimeout(giveUp, Math.min(patienceMs, LONGEST_WAIT_MS));
    request.on('readable', onReadable);
    response.on('close', settle);
  };

/** HTTP/1.0 has no chunks. What frames a body in HTTP/2 reads as `chunked` here. */
const mayBeEmpty = ({ method = '', headers, httpVersion }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === 'chunked' &&
  headers['content-length'] === undefined &&
  METHODS_WITHOUT_CHUNKS.has(method) &&
  httpVersion !== '1.0';

const isEmpty = ({ complete, readableLength }: IncomingMessage): boolean => complete && readableLength === 0;

function withoutFraming(request: IncomingMessage): IncomingMessage {
  const { rawHeaders, headers } = request;
  const { 'transfer-encoding': _, ...kept } = headers;
  request.headers = kept;
  request.rawHeaders = rawHeaders.filter((_, at) => rawHeaders[at - (at % 2)]?.toLowerCase() !== 'transfer-encoding');
  return request;
}
