/** The direction in which a key's value allows more: each row of the schema names one, so that a lost key never widens rights. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

/**
 * `any`: every other value may allow more. `limit`: the same, but nothing allows more than null. `more`, `fewer`: of the
 * entries of a list. `entries`: a map in which a missing entry allows more. `proof`, `identity`, `providers`, `roles`: keys that are
 * compared by rules of their own (`wider-trust.ts`). A list: the values, from the narrowest to the widest.
 */
export type Widens =
  | 'never'
  | 'any'
  | 'limit'
  | 'true'
  | 'false'
  | 'higher'
  | 'lower'
  | 'more'
  | 'fewer'
  | 'entries'
  | 'proof'
  | 'identity'
  | 'providers'
  | 'roles'
  | readonly (string | boolean)[];

declare module 'zod' {
  interface GlobalMeta {
    widens?: Widens;
    /** The value is the name of a file, relative to the configuration directory. */
    isFile?: boolean;
  }
}

type Judge = (from: unknown, to: unknown) => boolean;

/** Null is no limit at all. */
const size = (value: unknown): number => (typeof value === 'number' ? value : Number.POSITIVE_INFINITY);
const entries = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const lacks = (list: unknown, other: unknown): boolean =>
  entries(other).some((entry) => !entries(list).some((known) => isDeepStrictEqual(known, entry)));

const JUDGES: Readonly<Record<Extract<Widens, string>, Judge>> = {
  never: () => false,
  any: () => true,
  limit: (from) => from !== null,
  true: (_, to) => to === true,
  false: (_, to) => to === false,
  higher: (from, to) => size(to) > size(from),
  lower: (from, to) => size(to) < size(from),
  more: (from, to) => lacks(from, to),
  fewer: (from, to) => lacks(to, from),
  entries: () => true,
  proof: () => false,
  identity: () => false,
  providers: () => false,
  roles: () => false,
};

/** Whether a value that takes the place of another one may allow more. */
export function isWider(widens: Widens, from: unknown, to: unknown): boolean {
  if (isDeepStrictEqual(from, to)) return false;
  if (typeof widens === 'string') return JUDGES[widens](from, to);
  return widens.indexOf(to as string) > widens.indexOf(from as string);
}

/** A part of the schema with its direction, and whether it names a file. */
export interface DirectedSchema {
  readonly widens?: Widens;
  readonly isFile?: boolean;
  readonly properties?: Readonly<Record<string, DirectedSchema>>;
  readonly additionalProperties?: DirectedSchema | boolean;
  readonly anyOf?: readonly DirectedSchema[];
  readonly items?: DirectedSchema;
  readonly default?: unknown;
}

/** The keys of a zod schema as in the file, each with the direction that its row names. */
export const directed = (schema: z.ZodType): DirectedSchema =>
  z.toJSONSchema(schema, { io: 'input' }) as DirectedSchema;
