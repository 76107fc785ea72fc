/** Sets keys in the text of a configuration. Comments, order and every other value stay as the operator wrote them. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { isRecord } from '../domain/json.ts';
import { readYaml } from './problems/read-yaml.ts';

/** A key of a section, with a text as its value. */
export interface NewValue {
  readonly section: string;
  readonly key: string;
  readonly value: string;
}

interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Undefined when the file is written in a form that this does not change, such as a section in braces, or an alias. */
export function withValues(text: string, values: readonly NewValue[]): string | undefined {
  const changed = values.reduce<string | undefined>(
    (before, value) => (before === undefined ? undefined : spliced(before, value)),
    /(?:^|\n)$/.test(text) ? text : `${text}${lineEnd(text)}`,
  );
  if (changed === undefined) return undefined;
  // The text is only taken when it says what was wanted, and nothing else.
  const [before, after] = [readYaml(text), readYaml(changed)];
  return before.ok && after.ok && isDeepStrictEqual(after.value.tree, withAll(before.value.tree, values))
    ? changed
    : undefined;
}

const lineEnd = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

function spliced(text: string, value: NewValue): string | undefined {
  const splice = spliceFor(text, value);
  return splice && text.slice(0, splice.from) + splice.text + text.slice(splice.to);
}

function spliceFor(text: string, { section, key, value }: NewValue): Splice | undefined {
  const { contents } = parseDocument(text, { prettyErrors: false });
  const written = JSON.stringify(value);
  const line = lineEnd(text);
  const block = `${line}  ${key}: ${written}`;
  const whole = `${section}:${block}`;
  if (isNothing(contents)) return at(text.length, `${whole}${line}`);
  if (!isMap(contents)) return undefined;
  if (isEmptyBraces(contents)) return over(contents, whole);
  if (contents.flow) return undefined;
  const found = pairOf(contents, section);
  if (!found) return at(text.length, `${whole}${line}`);
  const { value: keys } = found;
  if (isNothing(keys)) return inPlaceOf(found, text, block);
  if (!isMap(keys)) return undefined;
  if (isEmptyBraces(keys)) return over(keys, block);
  if (keys.flow) return undefined;
  const present = pairOf(keys, key);
  if (present) return inPlaceOf(present, text, ` ${written}`);
  const first = startOf(keys.items[0]?.key);
  return first === undefined ? undefined : at(first, `${key}: ${written}${line}${indentAt(text, first)}`);
}

const at = (from: number, text: string): Splice => ({ from, to: from, text });

function over(node: unknown, text: string): Splice | undefined {
  const [from, to] = (Object(node).range ?? []) as readonly (number | undefined)[];
  return from === undefined || to === undefined ? undefined : { from, to, text };
}

/** Replaces what stands behind the colon, which may be nothing at all. */
function inPlaceOf({ key, value }: Pair, whole: string, text: string): Splice | undefined {
  if (!isScalar(key) || !isScalar(value) || !key.range) return undefined;
  const from = whole.indexOf(':', key.range[1]) + 1;
  return { from, to: value.source ? (value.range?.[1] ?? from) : from, text };
}

const isNothing = (node: unknown): boolean => node === null || (isScalar(node) && node.value === null);
const isEmptyBraces = (node: YAMLMap): boolean => node.flow === true && node.items.length === 0;
const startOf = (node: unknown): number | undefined => (isScalar(node) ? node.range?.[0] : undefined);
const pairOf = (map: YAMLMap, name: string): Pair | undefined =>
  map.items.find(({ key }) => isScalar(key) && key.value === name);

const indentAt = (text: string, offset: number): string => text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);

function withAll(tree: unknown, values: readonly NewValue[]): unknown {
  const sections = isRecord(tree) ? { ...tree } : {};
  for (const { section, key, value } of values) {
    const keys = sections[section];
    sections[section] = { ...(isRecord(keys) ? keys : {}), [key]: value };
  }
  return sections;
}
