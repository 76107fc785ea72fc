/** Header lines of a response, read strictly (RFC 9110 section 5, RFC 9112 section 5): names, values, and nothing between. */
import { decidedByName } from '../../domain/header-names.ts';

/** The headers by lower-case name: one value, or every value of a header that came in several lines. */
export type HeaderLines = Record<string, string | string[]>;

/** More than any NVR sends; a server that reads fewer lines than are sent must refuse them all. */
const MOST_LINES = 500;

/** Any byte that is no tab, no visible character and no line end, and half of a line end. Text is Latin-1: one character a byte. */
export const MALFORMED = /[^\t\r\n\x20-\x7e\x80-\xff]|\r(?!\n)|\n(?<!\r\n)/;

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Undefined for what is no name. */
const lowerCaseName = decidedByName((name) => (TOKEN.test(name) ? name.toLowerCase() : undefined));

/**
 * Makes objects that inherit nothing, because a header may be called `__proto__`. V8 keeps the objects of a constructor in a fast
 * form, and those of `Object.create(null)` as hash tables, which take twice as long to fill and to read.
 */
function EmptyLines(this: HeaderLines) {}
EmptyLines.prototype = Object.create(null);
const emptyLines = (): HeaderLines => Reflect.construct(EmptyLines, []);

const SPACE = 0x20;
const TAB = 0x09;

/**
 * `text` is lines that each end in CRLF and hold no byte that is `MALFORMED`. Undefined when a line is no header line: no
 * colon, a name that is no token (a space before the colon, a continued line), or when there are too many.
 */
export function readHeaderLines(text: string, from: number): HeaderLines | undefined {
  const headers = emptyLines();
  let lines = 0;
  for (let at = from; at < text.length; ) {
    const end = text.indexOf('\r\n', at);
    const colon = text.indexOf(':', at);
    if (colon < 0 || colon > end || ++lines > MOST_LINES) return undefined;
    const name = lowerCaseName(text.slice(at, colon));
    if (name === undefined) return undefined;
    addLine(headers, name, trimmed(text, colon + 1, end));
    at = end + 2;
  }
  return headers;
}

/** The text without the spaces and tabs around it; `trim` would take a no-break space as well, which is a byte of the value. */
function trimmed(text: string, from: number, to: number): string {
  let start = from;
  let end = to;
  while (start < end && isBlank(text.charCodeAt(start))) start += 1;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

const isBlank = (code: number): boolean => code === SPACE || code === TAB;

function addLine(headers: HeaderLines, name: string, value: string): void {
  const before = headers[name];
  if (before === undefined) headers[name] = value;
  else if (typeof before === 'string') headers[name] = [before, value];
  else before.push(value);
}
