/** `postern backup`: the store, every file of the configuration directory that a key names, and what of it lies elsewhere (SPEC 15). */

import { existsSync } from 'node:fs';
import { mkdtemp, readdir, realpath, rm, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { presentSigningSecret } from '../../accounts/sessions/signing-secret.ts';
import type { CommandPlace } from '../../config/load-config.ts';
import { SHIPPED } from '../../config/policy/load-policy.ts';
import { formatProblems, type Problem, pathText } from '../../config/problems/problems.ts';
import { loadServiceConfig } from '../../config/service-config.ts';
import { MOUNTED } from '../../identity/trusted-headers.ts';
import { assertNotLost } from '../../store/sqlite/sqlite-faults.ts';
import { type BackedUp, writeBackup } from './archive.ts';
import { snapshot } from './store-file.ts';

export type ReadableConfig = Awaited<ReturnType<typeof readableConfig>>;

/**
 * A configuration as far as it can be read: one key that is wrong, or a secret that is not there, is no reason to lose the rest.
 * Rejects with all problems when too little can be read.
 */
export async function readableConfig(place: CommandPlace) {
  const config = await loadServiceConfig({ ...place, whenMissing: 'read' });
  const isLoaded = config.kind === 'loaded';
  const settings = isLoaded ? config.settings : config.readable;
  const problems: readonly Problem[] = isLoaded ? [] : config.problems;
  if (!settings) throw new Error(formatProblems(config.file, problems));
  const named = [...(config.namedFiles ?? [])].map(([path, file]) => [file, pathText(path)] as const);
  const looked = [...config.files, settings.tls.certificate, settings.tls.private_key, MOUNTED];
  /** Every file that it names or that was looked for; the key where a key names it. */
  const files = new Map<string, string | undefined>([...looked.map((file) => [file, undefined] as const), ...named]);
  return { settings, problems, files };
}

/** The store cannot be found by such a configuration. */
export const isOfStore = ({ path }: Problem): boolean => /^store\.url(?:_file)?$/.test(path);

/** `missing`: what a backup does not hold, a line each. */
export async function lastingFiles({ directory, env }: CommandPlace, config: ReadableConfig) {
  const base = resolve(directory);
  const { store, events } = config.settings;
  const ofStore = store.url.engine === 'sqlite' ? store.url.file : undefined;
  const found = new Map<string, string>();
  const missing: string[] = [];
  for (const [file, key] of new Map([
    ...(await byName(base)).map((each) => [each, undefined] as const),
    ...config.files,
  ])) {
    if (dirname(file) === SHIPPED || file === ofStore) continue;
    const called = key === undefined ? file : `${file} (${key})`;
    const [isThere, name] = [await isFile(file), await nameIn(base, file)];
    if (file === events.nvr_database) missing.push(`${called}: it belongs to the NVR`);
    else if (!isThere) missing.push(...(key === undefined ? [] : [`${called}: there is no such file`]));
    else if (name === undefined) missing.push(`${called}: it is not in ${base}`);
    else found.set(name, file);
  }
  const files: readonly BackedUp[] = [...found]
    .map(([name, path]) => ({ name, path }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  return { files, missing: [...missing, ...(await secretElsewhere(base, env)), ...setVariables(env)] };
}

/** Finds what the directory itself holds: configuration, route tables, header lists, the signing secret and certificates, named by a key or not. */
async function byName(directory: string): Promise<readonly string[]> {
  const here = (await filesIn(directory)).filter((name) => name === SECRET_FILE || CONFIG_FILE.test(name));
  const certificates = (await filesIn(join(directory, 'tls'))).filter((name) => name.endsWith('.pem'));
  return [...here, ...certificates.map((name) => join('tls', name))].map((name) => join(directory, name));
}

const CONFIG_FILE = /\.(?:ya?ml|conf)$/;
const SECRET_FILE = '.jwt_secret';

async function filesIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map(({ name }) => name);
}

const isFile = (file: string): Promise<boolean> =>
  stat(file).then(
    (found) => found.isFile(),
    () => false,
  );

/** Undefined outside of the directory, also where that is a link to another place. */
async function nameIn(directory: string, file: string): Promise<string | undefined> {
  const real = async (path: string): Promise<string> => realpath(path).catch(() => path);
  const names = [relative(directory, file), relative(await real(directory), await real(file))];
  return names.find((name) => !isAbsolute(name) && name !== '..' && !name.startsWith('../'));
}

async function secretElsewhere(directory: string, env: CommandPlace['env']): Promise<readonly string[]> {
  const places = { environment: env, configDirectory: directory };
  const secret = await presentSigningSecret(places);
  const source = secret.ok ? secret.value?.source : undefined;
  return source === undefined || source === join(directory, SECRET_FILE)
    ? []
    : [`the secret that signs sessions: it is ${source}`];
}

/** Keys of the configuration, and what stands for {SERVICE_X} in it. */
function setVariables(env: CommandPlace['env']): readonly string[] {
  const names = Object.keys(env).filter((name) => /^(?:POSTERN__|(?:SERVICE|FRIGATE)_(?!JWT_SECRET$))/.test(name));
  return names.length === 0 ? [] : [`variables of the environment: ${names.sort().join(', ')}`];
}

/** The name of the store's file in the archive, wherever the store is. */
export const STORE = 'postern.db';

/** Gives the names of the files, the bytes, and what a restore needs beside it, a line each. Rejects with a sentence. */
export async function backUp(target: string, place: CommandPlace) {
  const config = await readableConfig(place);
  const unknown = config.problems.filter(isOfStore);
  if (unknown.length > 0) throw new Error(formatProblems(resolve(place.directory), unknown));
  const { url } = config.settings.store;
  if (url.engine !== 'sqlite')
    throw new Error(
      'store.url is a PostgreSQL server: back it up with pg_dump, and the configuration directory beside it',
    );
  if (!existsSync(url.file)) throw new Error(`there is no store at ${url.file}: check --config-dir`);
  assertNotLost(url.file);
  if (existsSync(target)) throw new Error(`${target} is there already: choose another name`);
  const scratch = await mkdtemp(join(dirname(resolve(target)), '.postern-backup-'));
  try {
    const copy = join(scratch, STORE);
    await snapshot(url.file, copy);
    const lasting = await lastingFiles(place, config);
    const files = [...lasting.files, { name: STORE, path: copy }];
    const size = await writeBackup(files, target, place.clock.now() / 1000);
    return { files: files.map(({ name }) => name), size, missing: lasting.missing };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
