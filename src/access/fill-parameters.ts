import type { PolicyRow } from '../domain/policy.ts';

/** The path of a row with values in the place of its parameters, encoded for where they stand, and the address of a page row (SPEC 15, 20). */

const PARAMETER = /\{(?<name>\w+)(?::(?<shape>[\w-]+))?(?<rest>\.\.\.)?\}/g;

export interface PathParameter {
  readonly name: string;
  readonly shape: string | undefined;
  /** The path before it. */
  readonly before: string;
}

/** The slashes of a value separate segments in `{name...}` alone. */
export const fillParameters = (path: string, valueFor: (parameter: PathParameter) => string): string =>
  path.replaceAll(PARAMETER, (...found) => {
    const { name = '', shape, rest } = found.at(-1) as Readonly<Record<string, string | undefined>>;
    const value = valueFor({ name, shape, before: path.slice(0, Number(found.at(-3))) });
    return rest === undefined ? encodeURIComponent(value) : value.split('/').map(encodeURIComponent).join('/');
  });

const parametersIn = (path: string): readonly PathParameter[] =>
  [...path.matchAll(PARAMETER)].map(({ groups, index }) => ({
    name: groups?.['name'] ?? '',
    shape: groups?.['shape'],
    before: path.slice(0, index),
  }));

/** Undefined for a row that needs a camera where there is none, or another parameter. */
export function pageAddress({ path, cameras = [] }: PolicyRow, camera: string | undefined): string | undefined {
  if (cameras.length > 0 && camera === undefined) return undefined;
  const named = (source: 'path' | 'query'): readonly string[] =>
    cameras.filter((locator) => locator.source === source).map(({ name }) => name);
  const inPath = named('path');
  if (parametersIn(path).some(({ name }) => !inPath.includes(name))) return undefined;
  const filled = fillParameters(path, () => camera ?? '');
  const query = new URLSearchParams(named('query').map((name): [string, string] => [name, camera ?? '']));
  return query.size > 0 ? `${filled}?${query}` : filled;
}
