/** Strict target: the path must have one meaning for every server behind; others are refused before any other step (SPEC 5). */
import type { RefusalReason } from '../../domain/refusal.ts';
import type { RequestFacts, RequestTarget } from '../../domain/request.ts';
import { headFault } from './strict-head.ts';

export type StrictTargetVerdict =
  | { readonly kind: 'plain'; readonly target: RequestTarget }
  | { readonly kind: 'refused'; readonly reason: RefusalReason };

/** SPEC 5; RFC 9112 section 3 asks for at least 8000 bytes. */
const LONGEST_TARGET = 16 * 1024;

/** Only characters that a WHATWG URL parser leaves as they are; no `;`, which some servers cut off (CVE-2026-73511). */
const PATH = /^\/[A-Za-z0-9\-._~!$&'()*+,/:=@|[\]%]*$/;
/** Likewise, and `'`: parsers write `%27` for it, which reads the same. */
const QUERY = /^[A-Za-z0-9\-._~!$&'()*+,/:;=?@|[\]{}^`%]*$/;
/** Some readers cut off one more `?`, and find another first parameter; any may come first when the query is narrowed. */
const QUESTION_MARK_FIRST = /(?:^|&)\?/;
const BROKEN_ESCAPE = /%(?![0-9A-Fa-f]{2})/;

/** Characters that a second decoder takes for structure: `/api%2fusers`, `/api/users%0a`, `/api/%2575sers`. */
const NOT_IN_SEGMENTS = /[\p{Cc}/\\?#;%]/u;

export function strictTarget(facts: RequestFacts): StrictTargetVerdict {
  const reason = headFault(facts) ?? queryFault(facts.target);
  if (reason) return { kind: 'refused', reason };
  const target = parseTarget(facts.target);
  if (!target) return { kind: 'refused', reason: isDoubled(facts.target) ? 'slash-doubled' : 'target-not-plain' };
  return facts.target.length > LONGEST_TARGET
    ? { kind: 'refused', reason: 'target-too-long' }
    : { kind: 'plain', target };
}

/** Whether a slash too many is all that is wrong: an address that ends in one, before a path that begins with one. */
const isDoubled = (text: string): boolean =>
  parseTarget(text.replace(/^[^?]*/, (path) => path.replaceAll(/\/{2,}/g, '/'))) !== undefined;

/** SPEC 5: each pair is decoded and compared, and a target has room for thousands of them. */
const MOST_PARAMETERS = 200;

function queryFault(target: string): RefusalReason | undefined {
  let pairs = 1;
  for (let at = target.indexOf('&'); at >= 0; at = target.indexOf('&', at + 1)) pairs += 1;
  return pairs > MOST_PARAMETERS ? 'parameters-too-many' : undefined;
}

/** Undefined when the text could mean another path to the next server. A lone `?` at its end is not kept. */
export function parseTarget(text: string): RequestTarget | undefined {
  const cut = text.indexOf('?');
  const path = inOneSpelling(cut < 0 ? text : text.slice(0, cut));
  const query = cut < 0 ? '' : text.slice(cut + 1);
  if (!PATH.test(path) || !QUERY.test(query) || BROKEN_ESCAPE.test(query)) return undefined;
  if (QUESTION_MARK_FIRST.test(query)) return undefined;
  const segments = decodedSegments(path);
  return segments && { path, segments, query };
}

/** `%41` to `%5A`, `%61` to `%7A`, digits and `-._~`: the characters that need no encoding (RFC 3986 2.3). */
const ENCODED_UNRESERVED = /%(?:2[DdEe]|3[0-9]|4[1-9A-Fa-f]|5[0-9Aa]|5[Ff]|6[1-9A-Fa-f]|7[0-9Aa]|7[Ee])/g;

/**
 * The path with encoded unreserved characters decoded (RFC 3986 6.2.2.2). `/api/log%69n` and `/api/login` are one path to
 * every server, so they are one path here too: judged, routed, logged and sent in the same spelling. A path with a broken
 * escape stays as it is, and is refused: `%%37%35` would become the escape `%75`.
 */
const inOneSpelling = (path: string): string =>
  path.includes('%') && !BROKEN_ESCAPE.test(path)
    ? path.replace(ENCODED_UNRESERVED, (encoded) => decodeURIComponent(encoded))
    : path;

/** A whole target in that spelling; its query stays as it was received. */
export function targetInOneSpelling(target: string): string {
  const cut = target.indexOf('?');
  return cut < 0 ? inOneSpelling(target) : inOneSpelling(target.slice(0, cut)) + target.slice(cut);
}

function decodedSegments(path: string): readonly string[] | undefined {
  const segments = path.slice(1).split('/');
  const empty = segments.indexOf('');
  if (empty >= 0 && empty < segments.length - 1) return undefined;
  const decoded = path.includes('%') ? decodeEach(segments) : segments;
  return decoded?.includes('.') || decoded?.includes('..') ? undefined : decoded;
}

function decodeEach(segments: readonly string[]): readonly string[] | undefined {
  try {
    const decoded = segments.map(decodeURIComponent);
    return decoded.some((segment) => NOT_IN_SEGMENTS.test(segment)) ? undefined : decoded;
  } catch {
    // A broken escape, or bytes that are no UTF-8, such as the overlong %c0%af.
    return undefined;
  }
}
