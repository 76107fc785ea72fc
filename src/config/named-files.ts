/** The files that keys of the configuration name, found by the schema: a backup takes them, `check` opens them (SPEC 1, 15). */
import { resolve } from 'node:path';
import { isRecord } from '../domain/json.ts';
import type { KeyPath } from './problems/problems.ts';
import { keyDirections } from './schema/schema.ts';
import { isSecretKey } from './schema/secret-keys.ts';
import { isFilePath } from './schema/value-types.ts';
import type { DirectedSchema } from './schema/widening.ts';
import { secretFiles } from './secrets.ts';

/** Absolute paths, by the place of the key. */
export type NamedFiles = ReadonlyMap<KeyPath, string>;

/** Whether the file holds a secret: the value of the key without `_file`. */
export const isTwin = (path: KeyPath): boolean =>
  isSecretKey([...path.slice(0, -1), String(path.at(-1)).replace(/_file$/, '')]);

/** Gives the files, and makes their names in the tree absolute; a twin keeps its name for the messages about it. */
export function nameFiles(tree: unknown, directory: string): NamedFiles {
  const named = new Map<KeyPath, string>();
  const look = (node: unknown, schema: DirectedSchema | undefined, path: KeyPath): void => {
    if (schema?.items && Array.isArray(node))
      for (const [index, entry] of node.entries()) look(entry, schema.items, [...path, index]);
    if (!isRecord(node)) return;
    for (const [key, below] of Object.entries(schema?.properties ?? {})) {
      const [value, place] = [node[key], [...path, key]];
      look(value, below, place);
      if (!below.isFile || typeof value !== 'string' || !isFilePath(value)) continue;
      const file = resolve(directory, value);
      named.set(place, file);
      Object.assign(node, { [key]: file });
    }
  };
  look(tree, keyDirections(), []);
  for (const [place, file] of secretFiles(tree)) named.set(place, resolve(directory, file));
  return named;
}
