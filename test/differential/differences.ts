/** What two answers to one question differ in, less what differs between any two runs and what is meant. */
import type { Answer } from './side.ts';

export interface Difference {
  readonly part: 'status' | 'headers' | 'body' | 'forwarded';
  readonly before: string;
  readonly after: string;
}

/** A difference that is meant: the first row whose patterns all match excuses it. */
export interface Meant {
  /** On `stage: caller METHOD target`. */
  readonly question: string;
  readonly part?: Difference['part'];
  /** On the differing text of either side. */
  readonly text?: string;
  readonly why: string;
}

export function differencesOf(before: Answer, after: Answer): Difference[] {
  const parts: Difference[] = [
    { part: 'status', before: String(before.status), after: String(after.status) },
    ...headerDifferences(before, after),
    { part: 'body', before: before.body, after: after.body },
    { part: 'forwarded', before: before.forwarded.join('\n\n'), after: after.forwarded.join('\n\n') },
  ];
  return parts.filter((one) => one.before !== one.after && plain(one.before) !== plain(one.after)).map(narrowed);
}

export const isMeant = (name: string, difference: Difference, rows: readonly Meant[]): Meant | undefined =>
  rows.find(
    ({ question, part, text }) =>
      new RegExp(question).test(name) &&
      (part === undefined || part === difference.part) &&
      (text === undefined || new RegExp(text).test(`${difference.before}\n${difference.after}`)),
  );

/** One for each name, so that a difference that is meant excuses no other. */
function headerDifferences(before: Answer, after: Answer): Difference[] {
  const [left, right] = [linesByName(before), linesByName(after)];
  const names = new Set([...left.keys(), ...right.keys()]);
  return [...names].map((name) => ({
    part: 'headers',
    before: (left.get(name) ?? []).join('\n'),
    after: (right.get(name) ?? []).join('\n'),
  }));
}

/** These differ with the body, the clock or the connection. */
const INCIDENTAL = /^(date|content-length|etag|last-modified|keep-alive):/;

const linesByName = ({ headers }: Answer): Map<string, string[]> =>
  Map.groupBy(
    headers.filter((line) => !INCIDENTAL.test(line)),
    (line) => line.slice(0, line.indexOf(':')),
  );

/** Secrets, ids and times are made anew by each side; whole numbers of seconds differ by when they were read. */
const plain = (text: string): string =>
  inOrder(text)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\b(?:pst|dev)_[\w-]{16,}/g, '<secret>')
    .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]*/g, '<token>')
    .replaceAll(/\b[0-9a-f]{16,}\b/g, '<hex>')
    .replaceAll(/[\w+/-]{22,}={0,2}/g, '<random>')
    .replaceAll(/\b[B-Z]{4}-[B-Z]{4}\b/g, '<code>')
    .replaceAll(/(?<=^set-cookie: \w+=)[^;]+/gm, '<value>')
    .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\dZ]*/g, '<time>')
    .replaceAll(/\b1[789]\d{8}(?:\.\d+)?(?:e\d+)?\b/g, '<seconds>')
    .replaceAll(/<path[^>]*>|d=\\?"[^"]*"/g, '<drawn>')
    .replaceAll(/(?<=(?:seconds|[Aa]ge|expires_in|uptime|max-age|retry-after)["=: ]+)\d+(?:\.\d+)?/g, '<n>')
    .replaceAll(/\b(?:nonce|boundary)[-=][^"';,]+/g, '<nonce>');

/** A list of JSON whose order goes by random ids. */
function inOrder(text: string): string {
  if (!text.startsWith('[{"id":"')) return text;
  const listed = JSON.parse(text) as object[];
  return JSON.stringify(
    listed.map((one) => ({ ...one, id: '' })).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  );
}

/** Without the lines that are the same, and of a long line what stands around the first place that differs. */
function narrowed({ part, before, after }: Difference): Difference {
  const [left, right] = [before.split('\n'), after.split('\n')];
  const only = (lines: readonly string[], others: readonly string[]): string => {
    const known = new Set(others.map(plain));
    return lines.filter((line) => !known.has(plain(line))).join('\n');
  };
  const [removed, added] = [only(left, right), only(right, left)];
  const from = Math.max(0, firstDifference(removed, added) - AROUND);
  return { part, before: removed.slice(from, from + 3 * AROUND), after: added.slice(from, from + 3 * AROUND) };
}

const AROUND = 160;

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
