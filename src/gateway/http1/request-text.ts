/** The head of a request as one text: exactly the line and the headers that were judged. */
import type { IncomingHttpHeaders } from 'node:http';
import { decidedByName } from '../../domain/header-names.ts';

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
    if (typeof value === 'string') text += lineOf(name, value);
    else for (const each of value) text += lineOf(name, each);
  }
  return `${text}\r\n`;
}

function lineOf(name: string, value: string): string {
  if (!isValue.test(value)) throw notOneLine(`the header ${name}`);
  return `${name}: ${value}\r\n`;
}

const notOneLine = (what: string): Error => new Error(`${what} of a judged request cannot be sent in one line`);
