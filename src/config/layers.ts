/** Environment over file over store: one tree of values, and which layer each came from (SPEC 1, precedence). */

import { isScalar, parseDocument } from 'yaml';
import { isRecord, parsedJson } from '../domain/json.ts';
import { err, ok, type Result } from '../domain/result.ts';
import type { StoredSettings } from '../domain/stored-settings.ts';
import { type KeyPath, type Problem, valueAt } from './problems/problems.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What set a value: a variable, the page Security. */
export interface Origin {
  readonly path: readonly string[];
  readonly source: string;
}

interface Setting extends Origin {
  readonly value: unknown;
}

const VARIABLE = /^POSTERN__(?<path>[A-Za-z0-9_.]+)$/;
const PAGE = '(page Security; the configuration file comes before it)';

/** What is known of keys by the schema, which the health check does without. */
export interface KnownKeys {
  isSecret(path: KeyPath): boolean;
  /** The variable that was meant by one that is nearly the name of a key. */
  meantVariable(name: string): string | undefined;
}

/**
 * `POSTERN__AUTH__SESSION_LENGTH=3600`: a double underscore between levels; lists and maps as JSON, the rest as in YAML.
 */
export function layered(tree: unknown, environment: Environment, keys: KnownKeys) {
  const problems: Problem[] = [];
  const settings = [...fromEnvironment(environment, keys, problems)];
  const base = structuredClone(tree ?? {});
  for (const { path, value } of settings) setAt(base, path, value);
  return {
    tree: base,
    problems,
    /** Sets keys that have no value yet: those of the page Security. Gives the keys that were set. */
    setBelow(values: StoredSettings): readonly string[] {
      const unset = Object.entries(values).filter(([key]) => valueAt(base, key.split('.')) === undefined);
      for (const [key, value] of unset) {
        const path = key.split('.');
        setAt(base, path, value);
        settings.push({ path, value, source: PAGE });
      }
      return unset.map(([key]) => key);
    },
    /** Values are left out: they may be secrets. The last one at a key, or above it, holds. */
    origins: (): readonly Origin[] => settings.map(({ path, source }) => ({ path, source })),
  };
}

function fromEnvironment(environment: Environment, keys: KnownKeys, problems: Problem[]): readonly Setting[] {
  const settings: Setting[] = [];
  for (const [name, text] of Object.entries(environment).sort()) {
    const meant = text === undefined ? undefined : keys.meantVariable(name);
    if (meant !== undefined) {
      problems.push({ path: '', source: name, message: `is not a key: write ${meant}` });
      continue;
    }
    const path = VARIABLE.exec(name)?.groups?.['path']?.toLowerCase().split('__');
    if (!path || text === undefined) continue;
    const read = readVariable(keys.isSecret(path), text);
    if (read.ok) settings.push({ path, value: read.value, source: name });
    else problems.push({ path: path.join('.'), source: name, message: read.error });
  }
  // A whole section first, so that a single key of it wins.
  return settings.sort((left, right) => left.path.length - right.path.length);
}

function readVariable(isSecret: boolean, text: string): Result<unknown, string> {
  if (isSecret && !/^\s*\[/.test(text)) return ok(text);
  if (!/^\s*[[{]/.test(text)) return ok(parseScalar(text));
  const value = parsedJson(text);
  return value === undefined
    ? err('is not valid JSON: write lists as ["one","two"] and maps as {"key":"value"}')
    : ok(value);
}

/** A YAML scalar that is the whole text, else the text: `x #y` is no comment in a variable. */
function parseScalar(text: string): unknown {
  const document = parseDocument(text, { prettyErrors: false });
  const { contents } = document;
  const isWhole = document.errors.length === 0 && isScalar(contents) && contents.range?.[1] === text.trimEnd().length;
  return isWhole && !contents.commentBefore && !contents.tag ? contents.value : text;
}

/** Stops where the file has something else than a map: that is reported as it stands. */
function setAt(tree: unknown, path: readonly string[], value: unknown): void {
  let node = tree;
  for (const step of path.slice(0, -1)) {
    if (!isRecord(node)) return;
    if (!Object.hasOwn(node, step) || node[step] === null) define(node, step, {});
    node = node[step];
  }
  const last = path.at(-1);
  if (isRecord(node) && last !== undefined) define(node, last, value);
}

/** Also for a key called `__proto__`, which an assignment would lose. */
const define = (node: Record<string, unknown>, key: string, value: unknown): void => {
  Object.defineProperty(node, key, { value, writable: true, enumerable: true, configurable: true });
};
