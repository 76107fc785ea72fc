/** Reads and rewrites a query, and leaves the bytes of all other parameters as they are; narrows a list in the query, before the NVR is asked (SPEC 5). */

import type { CameraName } from '../domain/names.ts';
import type { RequestTarget } from '../domain/request.ts';
import { splitCommas } from '../domain/text.ts';
import type { Paging, PolicyRow } from '../routes/policy-row.ts';

/** Every pair, decoded, in order. */
export const queryPairs = (query: string): readonly Readonly<{ name: string; value: string }>[] => pairs(query);

/** Decoded values of every pair whose decoded name is `name`, in order. */
export const queryValues = (query: string, name: string): string[] =>
  pairs(query)
    .filter((pair) => pair.name === name)
    .map((pair) => pair.value);

/** The target without the pairs of these names (compared decoded), and with the given ones at the end of its query. */
export function withParameters(target: RequestTarget, given: Readonly<Record<string, string>>): RequestTarget {
  const kept = pairs(target.query).filter(({ name }) => !Object.hasOwn(given, name));
  const added = Object.entries(given).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return { ...target, query: [...kept.map(({ raw }) => raw), ...added].join('&') };
}

interface Pair {
  readonly raw: string;
  readonly name: string;
  readonly value: string;
}

let latest: { readonly query: string; readonly pairs: readonly Pair[] } | undefined;

/** Several steps read the query of one request: it is parsed for the first of them. */
function pairs(query: string): readonly Pair[] {
  if (latest?.query !== query) latest = { query, pairs: parsed(query) };
  return latest.pairs;
}

const parsed = (query: string): Pair[] =>
  query
    .split('&')
    .filter((raw) => raw !== '')
    .map((raw) => {
      const cut = raw.indexOf('=');
      const [name, value] = cut < 0 ? [raw, ''] : [raw.slice(0, cut), raw.slice(cut + 1)];
      return { raw, name: decoded(name), value: decoded(value) };
    });

/** Form decoding, as servers read a query: `+` is a blank. Bytes that are no UTF-8 become U+FFFD, never a fault. */
const decoded = (text: string): string =>
  ENCODED.test(text) ? (new URLSearchParams(`x=${text}`).get('x') ?? '') : text;

const ENCODED = /[%+]/;

/** The target with the parameter set to these cameras. */
export const withCameras = (target: RequestTarget, parameter: string, cameras: readonly string[]): RequestTarget =>
  withParameters(target, { [parameter]: cameras.join(',') });

/** The cameras that either parameter names, each once, or all visible ones: the NVR never gets a word for "all". */
export function askedCameras(target: RequestTarget, parameter: string, visible: readonly CameraName[]): string[] {
  for (const name of [parameter, 'camera']) {
    const value = queryValues(target.query, name).at(-1) ?? 'all';
    if (value !== 'all') return [...new Set(splitCommas(value))];
  }
  return [...visible];
}

/** Plain data, which can be sent to a thread. */
export interface AnswerReading {
  /** The member of an object by which it names its camera; absent: `camera`. */
  readonly namedBy?: string;
  /** Members that only admins get, at any depth. */
  readonly hidden?: readonly string[];
  readonly page?: AskedPage;
}

/** The page that was asked for, of a list that comes whole. */
interface AskedPage extends Paging {
  readonly asked: { readonly size: number; readonly number: number };
}

/** Undefined where the row's answer is read as all others are. */
export function answerReading(
  { named_by, hidden, paging }: PolicyRow,
  target: RequestTarget,
): AnswerReading | undefined {
  if (named_by === undefined && !hidden && !paging) return undefined;
  return {
    ...(named_by !== undefined && { namedBy: named_by }),
    ...(hidden && { hidden }),
    ...(paging && { page: { ...paging, asked: askedPage(target, paging) } }),
  };
}

const COUNT = /^\d{1,9}$/;

function askedPage({ query }: RequestTarget, { size, number, usual }: Paging): AskedPage['asked'] {
  const [asked = ''] = queryValues(query, size);
  const [at = ''] = queryValues(query, number);
  const isSize = COUNT.test(asked) && Number(asked) > 0;
  return { size: isSize ? Number(asked) : usual, number: COUNT.test(at) ? Number(at) : 0 };
}

/** More elements than any list has: the answer would be larger than what is narrowed. */
const ALL = '1000000';

/** The same request for the whole list: a reader of some cameras gets pages of what is left of it. */
export const askingForAll = (target: RequestTarget, { size, number }: Paging): RequestTarget =>
  withParameters(target, { [size]: ALL, [number]: '0' });
