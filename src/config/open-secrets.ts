/** Files with secrets that others on the machine may read: a warning of `postern check` for each (SPEC 1). */
import { stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { isTwin } from './named-files.ts';
import type { Finding, KeyPath } from './problems/problems.ts';
import type { ServiceConfig } from './service-config.ts';

/** Bits of a mode: reading by the group and by everybody. */
const READ_BY_OTHERS = 0o044;
/** Written by the service itself, in its directory. */
const OWN_FILES = ['.jwt_secret', 'postern.db', 'postern.db-wal'];
/** Docker and Kubernetes put secrets there, with modes of their own, for this container alone. */
const CONTAINER_SECRETS = `${sep}run${sep}secrets${sep}`;

export async function openSecrets(
  { settings: { tls }, namedFiles }: Pick<ServiceConfig, 'settings' | 'namedFiles'>,
  directory: string,
): Promise<readonly Finding[]> {
  const files: (readonly [path: KeyPath, file: string])[] = [
    ...[...namedFiles].filter(([path]) => isTwin(path)),
    ...(tls.enabled ? [[['tls', 'private_key'], tls.private_key] as const] : []),
    ...OWN_FILES.map((name) => [[], join(resolve(directory), name)] as const),
  ];
  const asked = files.filter(([, file]) => !file.startsWith(CONTAINER_SECRETS));
  const modes = await Promise.all(asked.map(async ([path, file]) => ({ path, file, mode: await modeOf(file) })));
  return modes
    .filter(({ mode }) => (mode & READ_BY_OTHERS) !== 0)
    .map(({ path, file, mode }) => ({
      path: [...path],
      message: `${file} holds a secret that other users of this machine can read (mode ${mode.toString(8)}): run chmod 600 ${file}`,
    }));
}

/** 0 for a file that is not there: other lines say so. */
const modeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ mode }) => mode & 0o777,
    () => 0,
  );
