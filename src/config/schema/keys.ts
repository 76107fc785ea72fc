/** What the row of a key says besides its type, and the keys of a schema as one flat table: what is true of a key is derived from here. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { KeyPath } from '../problems/problems.ts';

/** Whether a value that takes the place of another one, because the key is gone from the file, may allow more. */
export type Widens = (running: unknown, read: unknown) => boolean;

/** Null is no limit at all. */
const size = (value: unknown): number => (typeof value === 'number' ? value : Number.POSITIVE_INFINITY);
const entries = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const lacks = (list: unknown, other: unknown): boolean =>
  entries(other).some((entry) => !entries(list).some((known) => isDeepStrictEqual(known, entry)));

export const never: Widens = () => false;
export const always: Widens = () => true;
/** A rule of the key itself compares the two configurations: the rules beside the section have it. */
export const byRule: Widens = () => false;
/** Nothing allows more than null. */
export const fromLimit: Widens = (running) => running !== null;
export const toTrue: Widens = (_, read) => read === true;
export const toFalse: Widens = (_, read) => read === false;
export const higher: Widens = (running, read) => size(read) > size(running);
export const lower: Widens = (running, read) => size(read) < size(running);
export const moreEntries: Widens = lacks;
export const fewerEntries: Widens = (running, read) => lacks(read, running);
/** `values`: from the narrowest to the widest. */
export const along =
  (...values: readonly unknown[]): Widens =>
  (running, read) =>
    values.indexOf(read) > values.indexOf(running);

interface Traits {
  widens?: Widens;
  /** The value is the name of a file, relative to the configuration directory. */
  isFile?: boolean;
  /** Never shown in a message. It has a twin `<key>_file`, and `{SERVICE_X}` in it is replaced. */
  isSecret?: boolean;
  /** Read at a start only: another value waits for the next one. */
  fromStart?: boolean;
}

declare module 'zod' {
  interface GlobalMeta extends Traits {}
}

/** A key as the file has it: its type, with the default; what is true of it; and what it means. */
export const key = <Type extends z.ZodType>(
  type: Type,
  traits: Traits & { readonly example?: unknown },
  description: string,
): Type => type.meta({ description, ...traits });

export const TRAITS: readonly (keyof Traits)[] = ['widens', 'isFile', 'isSecret', 'fromStart'];

export interface Key extends Readonly<Traits> {
  /** A section has keys of the schema, a map those of the user. */
  readonly form: 'section' | 'map' | 'list' | 'value';
  readonly default?: unknown;
  /** The key beside a secret that names a file with it: a rule of the loader. */
  readonly isTwin?: true;
}

/** Keys by place: `section.*.key`, with `*` for an entry of a list or of a map. */
export type Keys = ReadonlyMap<string, Key>;

export function readKeys(schema: z.core.$ZodType): Keys {
  const keys = new Map<string, Key>();
  collect(schema as z.core.$ZodTypes, '', {}, keys);
  for (const [place, { isSecret }] of [...keys])
    if (isSecret && !place.endsWith('.*')) keys.set(fileTwin(place), { form: 'value', isTwin: true });
  return keys;
}

export const fileTwin = (key: string): string => `${key}_file`;

const below = (place: string, step: string): string => (place === '' ? step : `${place}.${step}`);

/** `outer`: what is said of the value by what is around its type, such as a default. */
function collect(schema: z.core.$ZodTypes, place: string, outer: Partial<Key>, keys: Map<string, Key>): void {
  const { def } = schema._zod;
  const said = { ...z.globalRegistry.get(schema), ...outer };
  const add = (form: Key['form']): void => void keys.set(place, { form, ...keys.get(place), ...said });
  const look = (part: z.core.$ZodType, at: string, around: Partial<Key> = {}): void =>
    collect(part as z.core.$ZodTypes, at, around, keys);
  if (def.type === 'object') {
    add('section');
    for (const [name, part] of Object.entries(def.shape)) look(part, below(place, name));
  } else if (def.type === 'record') {
    add('map');
    look(def.valueType, below(place, '*'));
  } else if (def.type === 'array') {
    add('list');
    look(def.element, below(place, '*'));
  } else if (def.type === 'union') {
    for (const option of def.options) look(option, place, said);
  } else if (def.type === 'pipe') {
    look((def.in as z.core.$ZodTypes)._zod.def.type === 'transform' ? def.out : def.in, place, said);
  } else if ('innerType' in def) {
    look(def.innerType, place, 'defaultValue' in def ? { default: def.defaultValue, ...said } : said);
  } else {
    add('value');
  }
}

/** Where the value at a path stands among the keys. */
export const placeAmong = (keys: Keys, path: KeyPath): string =>
  path.reduce<string>((above, step) => {
    const named = below(above, String(step));
    return typeof step !== 'number' && keys.has(named) ? named : below(above, '*');
  }, '');

/** The names of the keys of a section. */
export function namesIn(keys: Keys, section: string): readonly string[] {
  const start = section === '' ? '' : `${section}.`;
  const names = [...keys.keys()].filter((place) => place.startsWith(start)).map((place) => place.slice(start.length));
  return names.filter((name) => name !== '' && name !== '*' && !name.includes('.'));
}

/** Whether a value that takes the place of another one may allow more. A key of which nothing is said is held. */
export const isWider = (key: Key | undefined, running: unknown, read: unknown): boolean =>
  !isDeepStrictEqual(running, read) && (key?.widens ?? always)(running, read);
