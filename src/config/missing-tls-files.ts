/** Certificate and key that the configuration names and that are not there: a self-signed pair must not take their place. */
import { access } from 'node:fs/promises';
import type { Problem } from './problems/problems.ts';
import type { ServiceConfig } from './service-config.ts';

type TlsConfig = Pick<ServiceConfig, 'settings' | 'given' | 'placed'>;

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

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    (fault: NodeJS.ErrnoException) => fault.code !== 'ENOENT' && fault.code !== 'ENOTDIR',
  );
