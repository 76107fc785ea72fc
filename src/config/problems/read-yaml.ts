/** YAML text as a tree of values, and where in the text each of them stands. */
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import { err, faultMessage, ok, type Result } from '../../domain/result.ts';
import type { KeyPath, Problem } from './problems.ts';

/** What a YAML text may hold, looked at before it is parsed: parsing an entry takes some 20 microseconds of the event loop. */
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
 * The number of entries of a tree of values, without end where it holds itself. A part that stands in several places counts at
 * each. Ends as soon as it is too much.
 */
export function entriesIn(tree: unknown, sizes: Map<object, number> = new Map()): number {
  if (typeof tree !== 'object' || tree === null) return 1;
  const known = sizes.get(tree);
  if (known !== undefined) return known;
  sizes.set(tree, Number.POSITIVE_INFINITY); // of what holds itself
  let size = 1;
  for (const part of Object.values(tree)) {
    size += entriesIn(part, sizes);
    if (size > MOST_ENTRIES) break;
  }
  sizes.set(tree, size);
  return size;
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Where the entries of a text stand. Plain data, which a thread can hand on. */
export interface Places {
  readonly entries: ReturnType<typeof placesIn>;
  readonly lineStarts: number[];
}

/**
 * The position of a value, or of its key when that says more (an unknown key, a nested value); undefined when it is not in the
 * text.
 */
export function locate({ entries, lineStarts }: Places, path: KeyPath, what: 'key' | 'value' = 'value') {
  const offset = entries.get(placeOf(path))?.[what];
  return offset === undefined ? undefined : positionAt(Object.assign(new LineCounter(), { lineStarts }), offset);
}

export interface YamlText {
  readonly tree: unknown;
  readonly places: Places;
}

/** Everything wrong with the syntax at once; duplicate keys are wrong, for one of them would be ignored. */
export function readYaml(text: string): Result<YamlText, readonly Problem[]> {
  const beyond = beyondLimits(text);
  if (beyond) return err([beyond]);
  const lines = new LineCounter();
  // The library would compare each key with all before it.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const syntax = [...document.errors, ...document.warnings].map(
    ({ pos, message }): Fault => [pos[0], syntaxMessage(message)],
  );
  const faults = [...syntax, ...keyFaults(document)];
  if (faults.length > 0) return err(faults.map(([at, message]) => ({ path: '', ...positionAt(lines, at), message })));
  const tree = plainTree(document);
  const { lineStarts } = lines;
  return tree.ok ? ok({ tree: tree.value, places: { entries: placesIn(document), lineStarts } }) : tree;
}

const placeOf = (path: KeyPath): string => path.map(String).join('\0');

/** Where each entry begins, by its path: its key, and its value where that is short. The tree must have been found small enough. */
function placesIn(document: Document) {
  const places = new Map<string, { readonly key: number | undefined; readonly value: number | undefined }>();
  const walk = (path: KeyPath, node: unknown): void => {
    const pairs = isMap(node) ? node.items.map(({ key, value }) => [isScalar(key) ? key.value : key, key, value]) : [];
    for (const [name, key, given] of isSeq(node) ? node.items.map((item, at) => [at, item, item]) : pairs) {
      const value = resolved(document, given);
      const here = [...path, String(name)];
      const ofKey = startOffset(resolved(document, key));
      places.set(placeOf(here), {
        key: ofKey,
        value: isScalar(value) && value.value !== null ? startOffset(value) : ofKey,
      });
      walk(here, value);
    }
  };
  walk([], resolved(document, document.contents));
  return places;
}

/** Where it stands, and what it is. */
type Fault = readonly [offset: number, message: string];

const COMPOUND_KEY =
  'not valid here: a list or a map stands in the place of a key; put quotes around a key that begins with [ or {';

const REPEATED_KEY = 'not valid YAML: Map keys must be unique';

/** Keys that stand twice in a map; and keys that are lists or maps: they would become texts, which a warning of the parser would print. */
function keyFaults(document: Document): readonly Fault[] {
  const found: Fault[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const message = isCollection(resolved(document, key)) ? COMPOUND_KEY : REPEATED_KEY;
        const name = isScalar(key) ? key.value : key;
        if (message === COMPOUND_KEY || seen.has(name)) found.push([(key as Node).range?.[0] ?? 0, message]);
        seen.add(name);
      }
    },
  });
  return found;
}

function plainTree(document: Document): Result<unknown, readonly Problem[]> {
  try {
    const tree: unknown = document.toJS();
    const size = entriesIn(tree);
    if (size <= MOST_ENTRIES) return ok(tree);
    return err([{ path: '', message: Number.isFinite(size) ? TOO_MANY : CIRCULAR }]);
  } catch (fault) {
    // An alias without its anchor, or a bomb of aliases, is found only now.
    return err([{ path: '', message: syntaxMessage(faultMessage(fault)) }]);
  }
}

const CIRCULAR = 'not valid YAML here: an anchor holds an alias of itself';

export const TOO_MANY = `has more than ${MOST_ENTRIES} entries, with what its aliases stand for: write fewer`;

/** The message without the piece of text that some end in: `auth_secret: *abc` and `!abc` may well be secrets. */
const syntaxMessage = (message: string): string => `not valid YAML: ${message.replace(/: .*$/s, '')}`;

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
}

const resolved = (document: Document, node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node);

const startOffset = (node: unknown): number | undefined =>
  isScalar(node) || isCollection(node) ? (node as Node).range?.[0] : undefined;
