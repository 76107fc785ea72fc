/** Requests over HTTP/2, and all that came back for each. */
import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from 'node:http2';

export interface Http2Answer {
  /** Undefined when the stream was reset before one came. */
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly trailers: Readonly<Record<string, string | string[] | undefined>>;
  /** Statuses below 200. */
  readonly interim: readonly number[];
  /** How the stream ended: `NGHTTP2_NO_ERROR` when the answer is whole. */
  readonly end: string;
}

export interface Http2Client {
  readonly session: ClientHttp2Session;
  /** Sends a request; without a body it ends with its head. */
  ask(path: string, headers?: OutgoingHttpHeaders, body?: Buffer | string): Promise<Http2Answer>;
  /** A stream to be left; a POST's is open, to be written to. */
  open(path: string, headers?: OutgoingHttpHeaders): ClientHttp2Stream;
  close(): void;
}

export async function http2Client(url: string, ca: string): Promise<Http2Client> {
  const session = connect(url, { ca });
  session.on('error', () => {});
  await once(session, 'connect');
  return {
    session,
    open: (path, headers = {}) => {
      const stream = session.request({ ':path': path, ...headers }, { endStream: headers[':method'] !== 'POST' });
      return stream.on('error', () => {});
    },
    ask(path, headers = {}, body) {
      const stream = session.request({ ':path': path, ...headers }, { endStream: body === undefined });
      if (body !== undefined) stream.end(body);
      return answerOf(stream);
    },
    close: () => session.destroy(),
  };
}

const NAMES = new Map(
  Object.entries(constants)
    .filter(
      ([name, value]) =>
        /^NGHTTP2_(?!ERR|FLAG|HCAT|NV|SESSION|STREAM|SETTINGS|DEFAULT)/.test(name) && Number(value) < 14,
    )
    .map(([name, value]) => [value, name]),
);

export function answerOf(stream: ClientHttp2Stream): Promise<Http2Answer> {
  const [chunks, interim]: [Buffer[], number[]] = [[], []];
  let head: Readonly<Record<string, string | string[] | undefined>> = {};
  let trailers: Readonly<Record<string, string | string[] | undefined>> = {};
  stream.on('error', () => {});
  stream.on('headers', (received) => interim.push(Number(received[':status'])));
  stream.on('response', (received) => {
    head = Object.fromEntries(Object.entries(received));
  });
  stream.on('trailers', (received) => {
    trailers = Object.fromEntries(Object.entries(received));
  });
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    stream.once('close', () => {
      const { ':status': status, ...headers } = head;
      resolve({
        status: status === undefined ? undefined : Number(status),
        headers,
        body: Buffer.concat(chunks),
        trailers,
        interim,
        end: NAMES.get(stream.rstCode) ?? String(stream.rstCode),
      });
    });
  });
}
