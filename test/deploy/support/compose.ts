/** A compose file as Compose reads it: interpolated, then parsed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CollectionTag, parse } from 'yaml';

export const ROOT = join(import.meta.dirname, '../../..');

export interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly (string | { readonly type: string })[];
  readonly networks?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly configs?: readonly { readonly source: string; readonly target: string }[];
  readonly depends_on?: readonly string[];
  readonly read_only?: boolean;
  readonly logging?: { readonly driver: string };
}

export interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
  readonly networks?: Readonly<Record<string, unknown>>;
  readonly configs?: Readonly<Record<string, { readonly content: string }>>;
}

/** `${NAME}`, `${NAME:-default}` and `${NAME:?}`, and `$$` for a dollar sign (Compose specification, interpolation). */
const INTERPOLATION = /\$(?:(?<escaped>\$)|\{(?<name>\w+)(?::(?<kind>[-?])(?<rest>[^}]*))?\}|(?<bare>.))/g;

/** Throws for a variable that must be given and is not, as Compose does. */
export function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(INTERPOLATION, (...found) => {
    const { escaped, name, kind, rest, bare } = found.at(-1) as Record<string, string | undefined>;
    if (escaped) return '$';
    if (bare !== undefined || name === undefined) throw new Error(`a dollar sign alone: ${found[0]}`);
    const value = variables[name] ?? (kind === '-' ? rest : undefined);
    if (value === undefined) throw new Error(`${name} is not given`);
    return value;
  });
}

export const composeText = (file: string): string => readFileSync(join(ROOT, 'deploy/compose', file), 'utf8');

/** Compose's own tag: what other files have for this key is dropped. */
export const RESET: CollectionTag = { tag: '!reset', collection: 'seq', resolve: (seq) => seq };

/** Only the lines that are no comments are interpolated: the head explains in words of its own. */
export function readCompose(file: string, variables: Readonly<Record<string, string>>): Compose {
  const lines = composeText(file).split('\n');
  return parse(lines.map((line) => (/^\s*#/.test(line) ? line : interpolate(line, variables))).join('\n'), {
    merge: true,
    customTags: [RESET],
  }) as Compose;
}

/** The names that must be given in `.env`. */
export const wantedVariables = (file: string): string[] => [
  ...new Set([...composeText(file).matchAll(/\$\{(\w+):\?\}/g)].map(([, name = '']) => name)),
];

export const networksOf = ({ networks = [] }: Service): readonly string[] =>
  Array.isArray(networks) ? networks : Object.keys(networks);
