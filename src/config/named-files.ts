/** Where keys of the schema stand in a configuration, and the files that they name: a backup takes them, `check` opens them (SPEC 1, 15). */
import { stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { isRecord } from '../domain/json.ts';
import { isThere } from './config-file.ts';
import type { Finding, KeyPath, Problem } from './problems/problems.ts';
import { type Keys, placeAmong } from './schema/keys.ts';
import type { Settings } from './schema/schema.ts';
import { isFilePath } from './schema/value-types.ts';

/** A map of the tree that may hold a key, and where it stands. */
export interface Place {
  readonly section: Record<string, unknown>;
  readonly above: KeyPath;
  readonly key: string;
}

/** The maps that may hold the key of a place such as `section.*.key`. */
export function findPlaces(tree: unknown, place: string): readonly Place[] {
  const steps = place.split('.');
  const key = steps.pop() ?? '';
  let found: readonly { readonly node: unknown; readonly above: KeyPath }[] = [{ node: tree, above: [] }];
  for (const step of steps)
    found = found.flatMap(({ node, above }) => {
      if (step !== '*') return isRecord(node) ? [{ node: node[step], above: [...above, step] }] : [];
      return Array.isArray(node) ? node.map((entry, index) => ({ node: entry, above: [...above, index] })) : [];
    });
  return found.flatMap(({ node, above }) => (isRecord(node) ? [{ section: node, above, key }] : []));
}

/** Absolute paths, by the place of the key. */
export type NamedFiles = ReadonlyMap<KeyPath, string>;

/** Whether the file holds a secret: the value of the key without `_file`. */
export const isTwin = (path: KeyPath, keys: Keys): boolean => keys.get(placeAmong(keys, path))?.isTwin === true;

/** Gives the files, and makes their names in the tree absolute; a twin keeps its name for the messages about it. */
export function nameFiles(tree: unknown, keys: Keys, directory: string): NamedFiles {
  const named = new Map<KeyPath, string>();
  for (const [place, key] of keys)
    for (const { section, above, key: name } of key.isFile || key.isTwin ? findPlaces(tree, place) : []) {
      const value = section[name];
      if (typeof value !== 'string' || !isFilePath(value)) continue;
      const file = resolve(directory, value);
      named.set([...above, name], file);
      if (!key.isTwin) section[name] = file;
    }
  return named;
}

/** Bits of a mode: reading by the group and by everybody. */
const READ_BY_OTHERS = 0o044;
/** Written by the service itself, in its directory. */
const OWN_FILES = ['.jwt_secret', 'postern.db', 'postern.db-wal'];
/** Docker and Kubernetes put secrets there, with modes of their own, for this container alone. */
const CONTAINER_SECRETS = `${sep}run${sep}secrets${sep}`;

/** Files with secrets that others on the machine may read: a warning of `postern check` for each (SPEC 1). */
export async function openSecrets(
  { tls }: Pick<Settings, 'tls'>,
  namedFiles: NamedFiles,
  keys: Keys,
  directory: string,
): Promise<readonly Finding[]> {
  const files: (readonly [path: KeyPath, file: string])[] = [
    ...[...namedFiles].filter(([path]) => isTwin(path, keys)),
    ...(tls.enabled ? [[['tls', 'private_key'], tls.private_key] as const] : []),
    ...OWN_FILES.map((name) => [[], join(resolve(directory), name)] as const),
  ];
  const asked = files.filter(([, file]) => !file.startsWith(CONTAINER_SECRETS));
  const modes = await Promise.all(asked.map(async ([path, file]) => ({ path, file, mode: await fileMode(file) })));
  return modes
    .filter(({ mode }) => (mode & READ_BY_OTHERS) !== 0)
    .map(({ path, file, mode }) => ({
      path,
      message: `${file} holds a secret that other users of this machine can read (mode ${mode.toString(8)}): run chmod 600 ${file}`,
    }));
}

/** 0 for a file that is not there: other lines say so. */
const fileMode = (file: string): Promise<number> =>
  stat(file).then(
    ({ mode }) => mode & 0o777,
    () => 0,
  );

/** Certificate and key that the configuration names and that are not there: a self-signed pair must not take their place. */
interface TlsConfig {
  readonly settings: Pick<Settings, 'tls'>;
  readonly given: ReadonlySet<string>;
  readonly placed: (finding: Finding) => Problem;
}

export async function missingTlsFiles({ settings: { tls }, given, placed }: TlsConfig): Promise<readonly Problem[]> {
  if (!tls.enabled) return [];
  const problems: Problem[] = [];
  for (const key of ['certificate', 'private_key'] as const) {
    if (!given.has(`tls.${key}`) || (await isThere(tls[key]))) continue;
    const message = `there is no file ${tls[key]}: put it there, or remove the key to use a self-signed certificate`;
    problems.push(placed({ path: ['tls', key], message }));
  }
  return problems;
}
