/** What a YAML text may hold, looked at before it is parsed: parsing an entry takes some 20 microseconds of the event loop. */
import type { Problem } from './problems.ts';

export const MOST_ENTRIES = 20_000;
const MOST_LEVELS = 32;
const MOST_ALIASES = 100;

const QUOTED = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g;
const COMMENT = /(?:^|\s)#.*$/;
const ALIAS = /(?:^|[\s,[{:])\*[^\s,[\]{}*]+/g;
const BRACKETS = /[[\]{}]/g;
/** `- - - a`: lists in lists on one line. */
const COMPACT = /^(?:[-?:]\s+)*/;

/** The first thing that is too much, with its line. */
export function beyondLimits(text: string): Problem | undefined {
  let [entries, depth, aliases] = [0, 0, 0];
  const indents: number[] = [];
  for (const [at, written] of text.split('\n').entries()) {
    const line = written.replace(QUOTED, '""').replace(COMMENT, '');
    const content = line.trim();
    if (content === '') continue;
    const problem = (message: string): Problem => ({ path: '', line: at + 1, column: 1, message });
    entries += 1 + count(content, ',');
    if (entries > MOST_ENTRIES)
      return problem(
        `has more than ${MOST_ENTRIES} entries up to here: write patterns of cameras such as patio_*, or make roles in the console`,
      );
    aliases += content.match(ALIAS)?.length ?? 0;
    if (aliases > MOST_ALIASES)
      return problem(`has more than ${MOST_ALIASES} aliases up to here: write the values out`);
    const brackets = bracketsIn(content, depth);
    depth = brackets.end;
    const indent = line.length - line.trimStart().length;
    while ((indents.at(-1) ?? -1) >= indent) indents.pop();
    indents.push(indent);
    const levels = indents.length + brackets.deepest + count(COMPACT.exec(content)?.[0] ?? '', ' ');
    if (levels > MOST_LEVELS) return problem(`is nested deeper than ${MOST_LEVELS} levels: write it flatter`);
  }
  return undefined;
}

function bracketsIn(text: string, before: number): { readonly deepest: number; readonly end: number } {
  let [end, deepest] = [before, before];
  for (const [bracket] of text.matchAll(BRACKETS)) {
    end = bracket === '[' || bracket === '{' ? end + 1 : Math.max(0, end - 1);
    deepest = Math.max(deepest, end);
  }
  return { deepest, end };
}

function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) found += 1;
  return found;
}

/**
 * The number of entries of a tree of values. A part that stands in several places counts at each. Ends as soon as it is too
 * much.
 */
export function entriesIn(tree: unknown, sizes: Map<object, number> = new Map()): number {
  if (typeof tree !== 'object' || tree === null) return 1;
  const known = sizes.get(tree);
  if (known !== undefined) return known;
  sizes.set(tree, Number.POSITIVE_INFINITY); // should it hold itself
  let size = 1;
  for (const part of Object.values(tree)) {
    size += entriesIn(part, sizes);
    if (size > MOST_ENTRIES) break;
  }
  sizes.set(tree, size);
  return size;
}
