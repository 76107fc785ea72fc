/** One identity header as the proxy in front sent it: believed, or why not (interface 5.5.7, SPEC 3). */
import { isUtf8 } from 'node:buffer';
import { headerLines, type RequestFacts } from '../domain/request.ts';
import { attempt } from '../domain/result.ts';

export type IdentityHeader =
  | { readonly kind: 'believed'; readonly text: string }
  /** The header counts as if it had not been sent. */
  | { readonly kind: 'absent'; readonly why: string }
  /** A trusted peer sent it and its value is not clear: it must not become a default. */
  | { readonly kind: 'unusable'; readonly why: string };

export interface IdentityHeaderRules {
  /** Lower-case names. */
  readonly allowlist: ReadonlySet<string>;
  /** Whether identity headers of this TCP peer are believed. */
  readonly trustsPeer: (peer: string) => boolean;
}

/** They never name a user, whatever is mapped and listed: a secret must not get into logs and responses. */
export const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'x-proxy-secret',
]);

const ASCII = /^[\x20-\x7e]*$/;
const ONE_BYTE_EACH = /^[\0-\xff]*$/;
const CONTROL = /\p{Cc}/u;

/** `name` is lower-case; undefined when none is mapped. */
export function readIdentityHeader(
  request: RequestFacts,
  name: string | undefined,
  rules: IdentityHeaderRules,
): IdentityHeader {
  if (name === undefined) return absent('not mapped');
  const [line, ...others] = headerLines(request, name);
  if (line === undefined) return absent('not sent');
  if (!rules.allowlist.has(name) || CREDENTIAL_HEADERS.has(name)) return absent('not on the allowlist');
  if (!rules.trustsPeer(request.peer)) return absent('sent by a peer that is not trusted');
  // Servers differ in which of two they take, and one of them may be the client's own.
  if (others.length > 0) return { kind: 'unusable', why: 'sent more than once' };
  const text = headerText(line);
  if (CONTROL.test(text)) return { kind: 'unusable', why: 'holds control characters' };
  const inner = withoutBlanks(text);
  return inner === '' ? absent('empty') : { kind: 'believed', text: inner };
}

/** Only plain blanks: `trim()` would also cut others, and make one of two names that the sign-in server tells apart. */
export function withoutBlanks(text: string): string {
  let [from, to] = [0, text.length];
  while (text[from] === ' ') from += 1;
  while (to > from && text[to - 1] === ' ') to -= 1;
  return text.slice(from, to);
}

/** Node gives the bytes as Latin-1 text; proxies mostly mean UTF-8. */
export function headerText(line: string): string {
  if (ASCII.test(line) || !ONE_BYTE_EACH.test(line)) return line;
  const bytes = Buffer.from(line, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : line;
}

/** `proxy.header_map.encoding`: how a proxy writes what is not ASCII. */
export type HeaderEncoding = 'percent' | 'rfc2047';

const ENCODED = /%[0-9a-f]{2}|=\?[\w-]+\?[bq]\?/i;

/** Whether a text looks as if a proxy had encoded it, in either way. */
export const looksEncoded = (text: string): boolean => ENCODED.test(text);

/** Undefined for a text that is not encoded so, or not in UTF-8. */
export function decodedText(text: string, encoding: HeaderEncoding | undefined): string | undefined {
  if (encoding === undefined) return text;
  return encoding === 'rfc2047' ? decodedWords(text) : attempt(() => decodeURIComponent(text));
}

/** RFC 2047 section 2. Blanks between two encoded words belong to neither (6.2). */
const WORD = /=\?(?:utf-8|us-ascii)\?(?<kind>[bq])\?(?<content>[\x21-\x3e\x40-\x7e]*)\?=/gi;
const BETWEEN_WORDS = /(?<=\?=) +(?==\?)/g;

function decodedWords(text: string): string | undefined {
  let isUnclear = false;
  const decoded = text.replace(BETWEEN_WORDS, '').replace(WORD, (...found) => {
    const { kind = '', content = '' } = found.at(-1) as Record<string, string | undefined>;
    const bytes = kind.toLowerCase() === 'b' ? Buffer.from(content, 'base64') : bytesOfQ(content);
    isUnclear ||= !isUtf8(bytes);
    return bytes.toString('utf8');
  });
  return isUnclear || decoded.includes('=?') ? undefined : decoded;
}

const bytesOfQ = (content: string): Buffer =>
  Buffer.from(
    content
      .replaceAll('_', ' ')
      .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

const absent = (why: string): IdentityHeader => ({ kind: 'absent', why });
