/** One request and its response, as the connections of an upstream see it: what is sent, how long is waited for what, and what a connection and its pool know of each other. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { decidedByName } from '../../domain/bounded.ts';
import type { tlsOptionsFor } from '../../outbound/ask-upstream.ts';
import type { ResponseControl } from '../narrow/held-body.ts';
import type { HeaderLines, UpstreamHead } from './response-head.ts';

/** The control of an exchange that has not begun. */
export const NOTHING_BEGUN: ResponseControl = { abort() {}, pause() {}, resume() {} };

export interface Exchange {
  readonly head: RequestHead;
  /** A body that is there already, or one that streams. */
  readonly body?: Buffer | undefined;
  readonly upload?: { readonly request: IncomingMessage; readonly length: number | undefined } | undefined;
  /** Whether it may go out once more when its connection was closed under it. */
  readonly isRepeatable: boolean;
  /** Whether long parts of a body may be lent to it, until it says that they are used up. */
  readonly mayBorrow: boolean;
  onStart(control: ResponseControl): void;
  onHead(head: UpstreamHead): void;
  /**
   * `bytes` are there during the call, and must be copied to be kept; with `onTaken` they are lent until that is called.
   */
  onBody(bytes: Buffer, onTaken: (() => void) | undefined): void;
  onEnd(trailers: HeaderLines): void;
  onError(error: Error): void;
}

/**
 * Whether it is the last on its connection. Servers that are wrong send a body behind HEAD, or do not read the one that they
 * are sent: it would be the response to another request, or another request, in the name that its sender chose.
 */
export const isLast = ({ head, body, upload }: Exchange): boolean =>
  head.method === 'HEAD' || body !== undefined || upload !== undefined;

/** The ticks of the pool's clock that each wait may take. */
export interface Patience {
  readonly connect: number;
  readonly head: number;
  readonly idle: number;
}

/** Options of `tls.connect`: the name that is asked for and checked, and whose certificates are accepted. */
export type TlsOptions = ReturnType<typeof tlsOptionsFor>;

export interface PoolSide {
  /** The Host header of requests that have none. */
  readonly host: string;
  readonly patience: Patience;
  ticks(): number;
  /** How many ticks the connection may wait for its next request. */
  keptFor(head: UpstreamHead): number;
  onFree(connection: Connection): void;
  onClosed(connection: Connection): void;
  /** Nothing of it was sent, or it may go out once more. */
  again(exchange: Exchange, isSent: boolean): void;
}

export interface Connection {
  give(exchange: Exchange): void;
  /** Ends what takes too long. */
  check(): void;
  destroy(): void;
}

/** The head of a request as one text: exactly the line and the headers that were judged. */
export interface RequestHead {
  readonly method: string;
  readonly target: string;
  /** Lower-case names. */
  readonly headers: IncomingHttpHeaders;
}

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const isToken = decidedByName((name) => TOKEN.test(name));
const isTarget = /^[\x21-\x7e\x80-\xff]+$/;
const isValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * `host` is sent where the request has none, as HTTP/1.0 has. Throws where a part could become another line: all of them
 * were read by Node's parser and judged, so that is a fault of this program.
 */
export function requestText({ method, target, headers }: RequestHead, host: string, isLast: boolean): string {
  if (!isToken(method) || !isTarget.test(target)) throw notOneLine('the request line');
  let text = `${method} ${target} HTTP/1.1\r\n`;
  if (headers.host === undefined) text += `host: ${host}\r\n`;
  text += isLast ? 'connection: close\r\n' : 'connection: keep-alive\r\n';
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined) continue;
    if (!isToken(name)) throw notOneLine('the name of a header');
    if (typeof value === 'string') text += headerLine(name, value);
    else for (const each of value) text += headerLine(name, each);
  }
  return `${text}\r\n`;
}

function headerLine(name: string, value: string): string {
  if (!isValue.test(value)) throw notOneLine(`the header ${name}`);
  return `${name}: ${value}\r\n`;
}

const notOneLine = (what: string): Error => new Error(`${what} of a judged request cannot be sent in one line`);
