/** An HTTP/2 request and response in the shape of HTTP/1, which the gate is written for: what Node's compatibility API leaves different. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { constants, Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { trimmed } from '../http1/response-head.ts';
import { byName } from '../response/response-headers.ts';

/** Gives an HTTP/2 exchange the form of HTTP/1; an HTTP/1 exchange of a listener that speaks both is given back as it is. */
export function likeHttp1(
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
) {
  if (request instanceof Http2ServerRequest) {
    const { stream } = request;
    const { headers, rawHeaders } = request;
    const head = http1Head({ headers, rawHeaders, hasBody: !stream.endAfterHeaders });
    Object.defineProperties(request, asDescriptors({ httpVersion: '2', ...head }));
    cutWithStream(request);
    const http2Response = response as Http2ServerResponse;
    Object.defineProperties(http2Response, responseLikeHttp1(http2Response));
    closeWithStream(http2Response);
    stream.once('finish', () => freeUnreadUpload(http2Response));
  }
  // Node gives its HTTP/2 classes no type in common with these, though they are made to stand in for them.
  return { request: request as IncomingMessage, response: response as ServerResponse };
}

/** Node ends the body of a request whose client has left, as if it were whole: a cut upload would look like a short one. */
function cutWithStream(request: Http2ServerRequest): void {
  request.on('error', () => {});
  request.stream.once('aborted', () => request.destroy(new Error('the client closed the request')));
}

// biome-ignore format: a table
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'http2-settings', 'te',
]);
type WriteHead = (this: Http2ServerResponse, status: number, headers: OutgoingHttpHeaders) => Http2ServerResponse;
const NOT_WHOLE = new Error('the response was cut off');

function responseLikeHttp1(response: Http2ServerResponse): PropertyDescriptorMap {
  const { stream } = response;
  const { setHeader, end, destroy } = response;
  const writeHead: WriteHead = response.writeHead;
  const isWhole = (): boolean =>
    response.writableEnded && stream.writableFinished && stream.rstCode === constants.NGHTTP2_NO_ERROR;
  const methods = {
    // Connection headers are about a connection, which serves many requests at once (RFC 9113 8.2.2).
    setHeader(name: string, value: string | string[]): Http2ServerResponse {
      if (!CONNECTION_HEADERS.has(name.toLowerCase())) setHeader.call(response, name, value);
      return response;
    },
    // Of lines in turn Node would keep the last one of each name.
    writeHead(status: number, headers: OutgoingHttpHeaders | readonly string[] = {}): Http2ServerResponse {
      const kept = Object.entries(Array.isArray(headers) ? byName(headers) : headers).filter(
        ([name]) => !CONNECTION_HEADERS.has(name.toLowerCase()),
      );
      return writeHead.call(response, status, Object.fromEntries(kept));
    },
    end(...last: unknown[]): Http2ServerResponse {
      Reflect.apply(end, response, last);
      if (response.req.method === 'HEAD') freeUnreadUpload(response); // of such a response Node tells no finish
      return response;
    },
    // Without an error Node resets the stream with NO_ERROR, which some clients take for the end of a whole response.
    destroy(error: Error = NOT_WHOLE): void {
      destroy.call(response, error);
    },
  };
  return {
    ...asDescriptors(methods),
    destroyed: { get: () => stream.destroyed },
    writableFinished: { get: isWhole },
  };
}

/** Node emits no `close` for a response to HEAD that was never sent. */
function closeWithStream(response: Http2ServerResponse): void {
  let isClosed = false;
  response.once('close', () => {
    isClosed = true;
  });
  response.stream.once('close', () => {
    if (!isClosed) response.emit('close');
  });
}

/** The response is out and the rest of the upload is not read: without this the stream would stay open (RFC 9113 8.1). */
function freeUnreadUpload({ stream, writableEnded }: Http2ServerResponse): void {
  if (writableEnded && !stream.endAfterHeaders && !stream.readableEnded)
    setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
}

const asDescriptors = (record: Readonly<Record<string, unknown>>): PropertyDescriptorMap =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, { value, writable: true }]));

interface Http2Head {
  /** Names and values in turn; a header that was sent twice stands here twice, to be refused. */
  readonly rawHeaders: readonly string[];
  /** The headers by lower-case name, with the repeats joined or dropped by Node. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Whether bytes of a body may follow. */
  readonly hasBody: boolean;
}

/** The first of each is read elsewhere (method, target, scheme). A second one stays, and is refused by its name. */
const READ_ELSEWHERE = new Set([':method', ':path', ':scheme']);

/** The same as HTTP/1 would have it. */
export function http1Head(head: Http2Head) {
  const rawHeaders = headerLines(head.rawHeaders, head.headers[':authority']);
  const entries = Object.entries(head.headers)
    .filter(([name]) => !name.startsWith(':'))
    .map(([name, value]) => [name, typeof value === 'string' ? withoutBlanks(value) : value?.map(withoutBlanks)]);
  const host = head.headers[':authority'] ?? head.headers['host'];
  const headers: Record<string, string | string[] | undefined> = { ...Object.fromEntries(entries), host };
  const isUnframed = head.hasBody && head.headers['content-length'] === undefined;
  if (!isUnframed && head.headers['transfer-encoding'] === undefined) return { rawHeaders, headers };
  // A body of unknown length: the next hop speaks HTTP/1, where this is its framing. A client's own makes it two.
  return {
    rawHeaders: [...rawHeaders, 'transfer-encoding', 'chunked'],
    headers: { ...headers, 'transfer-encoding': 'chunked' },
  };
}

/** `:authority` is the Host. A Host line with the same value is dropped; one with another value stays, as a second Host. */
function headerLines(rawHeaders: readonly string[], authority: string | string[] | undefined): string[] {
  const lines: string[] = [];
  const left = new Set(READ_ELSEWHERE);
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], withoutBlanks(rawHeaders[at + 1] ?? '')];
    if (left.delete(name) || (name === 'host' && value === authority)) continue;
    lines.push(name === ':authority' ? 'host' : name, value);
  }
  return lines;
}

/** Blanks around a value are no part of it (RFC 9110 section 5.5); of HTTP/1 Node's parser takes them off. */
const withoutBlanks = (value: string): string => trimmed(value, 0, value.length);
