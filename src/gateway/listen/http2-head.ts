/** The head of an HTTP/2 request in the form of HTTP/1, so that every later step reads one form (RFC 9113 8.3). */

export interface Http1Head {
  /** Names and values in turn; a header that was sent twice stands here twice, to be refused. */
  readonly rawHeaders: string[];
  /** The headers by lower-case name, with the repeats joined or dropped by Node. */
  readonly headers: Record<string, string | string[] | undefined>;
}

export interface Http2Head {
  readonly rawHeaders: readonly string[];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Whether bytes of a body may follow. */
  readonly hasBody: boolean;
}

/** The first of each is read elsewhere (method, target, scheme). A second one stays, and is refused by its name. */
const READ_ELSEWHERE = new Set([':method', ':path', ':scheme']);

export function http1Head(head: Http2Head): Http1Head {
  const rawHeaders = linesOf(head.rawHeaders, head.headers[':authority']);
  const entries = Object.entries(head.headers)
    .filter(([name]) => !name.startsWith(':'))
    .map(([name, value]) => [name, typeof value === 'string' ? withoutBlanks(value) : value?.map(withoutBlanks)]);
  const headers = { ...Object.fromEntries(entries), host: head.headers[':authority'] ?? head.headers['host'] };
  const isUnframed = head.hasBody && head.headers['content-length'] === undefined;
  if (!isUnframed && head.headers['transfer-encoding'] === undefined) return { rawHeaders, headers };
  // A body of unknown length: the next hop speaks HTTP/1, where this is its framing. A client's own makes it two.
  return {
    rawHeaders: [...rawHeaders, 'transfer-encoding', 'chunked'],
    headers: { ...headers, 'transfer-encoding': 'chunked' },
  };
}

/** `:authority` is the Host. A Host line with the same value is dropped; one with another value stays, as a second Host. */
function linesOf(rawHeaders: readonly string[], authority: string | string[] | undefined): string[] {
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
function withoutBlanks(value: string): string {
  let [from, to] = [0, value.length];
  while (from < to && isBlank(value.charCodeAt(from))) from += 1;
  while (to > from && isBlank(value.charCodeAt(to - 1))) to -= 1;
  return value.slice(from, to);
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;
