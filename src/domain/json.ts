/** JSON from outside: what is an object, how deep a text is nested, and text with numbers that are none. */
import { attempt } from './result.ts';

export type JsonRecord = Readonly<Record<string, unknown>>;

/** No list, and not null. */
export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members as `change` makes them, less those of which it makes nothing. */
export function mapMembers(record: JsonRecord, change: (value: unknown, key: string) => unknown): JsonRecord {
  const changed: [string, unknown][] = [];
  for (const key of Object.keys(record)) {
    const value = change(record[key], key);
    if (value !== undefined) changed.push([key, value]);
  }
  return Object.fromEntries(changed);
}

/** The same of a list, whose elements have no key, or an object; any other value stays as it is. */
export function mapJson(json: unknown, change: (value: unknown, key?: string) => unknown): unknown {
  if (!Array.isArray(json)) return isRecord(json) ? mapMembers(json, change) : json;
  const changed = json.map((element) => change(element));
  return changed.includes(undefined) ? changed.filter((element) => element !== undefined) : changed;
}

/** Undefined of text that is no JSON. */
export const parsedJson = (text: string): unknown => attempt(() => JSON.parse(text));

/** A parser takes seconds for megabytes of `[` (SPEC 5). The NVR's configuration, its deepest response, has about ten levels. */
const DEEPEST = 100;

const [QUOTE, BACKSLASH, LIST, LIST_END, MAP, MAP_END] = ['"', '\\', '[', ']', '{', '}'].map((sign) =>
  sign.charCodeAt(0),
);

/** One pass, no memory. The result means nothing for text that is not JSON, which the parser refuses afterwards. */
export function isNestedTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) at = endOfString(text, at);
    else if (sign === LIST || sign === MAP) {
      depth += 1;
      if (depth > DEEPEST) return true;
    } else if (sign === LIST_END || sign === MAP_END) depth -= 1;
  }
  return false;
}

/** Undefined of text that is no JSON, or nested too deep. */
export const boundedJson = (text: string): unknown => (isNestedTooDeep(text) ? undefined : parsedJson(text));

/** Where the string that begins at `start` has its closing quote, or the end of the text. A quote behind an odd number of backslashes is a part of it. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}

/** Strings are matched to be passed over. */
const STRING_OR_NOT_NUMBER = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g;
const SUSPICIOUS = /NaN|Infinity/;

/** An old NVR writes such numbers into `data`; they become null. Other text comes back as it is. */
export function plainJson(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  return text.replaceAll(STRING_OR_NOT_NUMBER, (match) => (match.startsWith('"') ? match : 'null'));
}

/** The fault of an upstream whose response is JSON, but not what its route gives. */
export class UnexpectedForm extends Error {}
