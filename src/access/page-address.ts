/** The address of a page row for a caller: its parameters that name cameras are filled with the caller's first camera (SPEC 20). */
import type { PolicyRow } from '../domain/policy.ts';
import { fillParameters, parametersIn } from './fill-parameters.ts';

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
