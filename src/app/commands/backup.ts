/** `postern backup` and `postern restore`: everything that must last, of a running server too (SPEC 15). */
import { existsSync, statSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, open, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readBackup } from '../../backup/read-backup.ts';
import { type BackedUp, writeBackup } from '../../backup/write-backup.ts';
import { loadConfig } from '../../config/load-config.ts';
import { formatProblems } from '../../config/problems/problems.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { faultOf, snapshot } from '../../store/snapshot.ts';
import { assertNotLost } from '../../store/sqlite/lost-file.ts';
import type { CommandPlace } from './commands.ts';

/** The name of the store's file in the archive, wherever the store is. */
const STORE = 'postern.db';
const CONFIG_FILE = /\.(?:ya?ml|conf)$/;
const SECRET_FILE = '.jwt_secret';

export interface BackupDone {
  readonly files: readonly string[];
  /** Bytes. */
  readonly size: number;
}

/** Rejects with a sentence. */
export async function backUp(target: string, place: CommandPlace): Promise<BackupDone> {
  const settings = await settingsIn(place);
  const { url } = settings.store;
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
    const files = [...(await lastingFiles(resolve(place.directory))), { name: STORE, path: copy }];
    const size = await writeBackup(files, target, place.clock.now() / 1000);
    return { files: files.map(({ name }) => name), size };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Configuration, route tables, header lists, the signing secret and certificates. */
async function lastingFiles(directory: string): Promise<readonly BackedUp[]> {
  const isKept = (name: string): boolean => name === SECRET_FILE || CONFIG_FILE.test(name);
  const here = (await filesIn(directory)).filter(isKept);
  const certificates = (await filesIn(join(directory, 'tls'))).filter((name) => name.endsWith('.pem'));
  const names = [...here, ...certificates.map((name) => `tls/${name}`)];
  return names.sort().map((name) => ({ name, path: join(directory, name) }));
}

async function filesIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map(({ name }) => name);
}

export interface RestoreOptions extends CommandPlace {
  /** What is there is set aside, and not in the way. */
  readonly replace: boolean;
  /** Whether a server answers for this configuration. */
  readonly isRunning: (settings: Settings) => Promise<boolean>;
}

/** Gives the names. Rejects with a sentence; what was there is untouched then. */
export async function restore(file: string, options: RestoreOptions): Promise<readonly string[]> {
  const directory = resolve(options.directory);
  // On the same file system, so that a move is one step.
  const made = await mkdir(directory, { recursive: true, mode: 0o700 });
  const scratch = await mkdtemp(join(directory, '.postern-restore-'));
  try {
    const isStore = await isStoreFile(file);
    const names = isStore ? await readStoreFile(file, scratch) : await readBackup(file, scratch);
    if (!names.includes(STORE)) throw new Error(`${file} cannot be restored: it holds no store`);
    const fault = faultOf(join(scratch, STORE));
    if (fault !== undefined) throw new Error(`${file} cannot be restored: its store is broken: ${fault}`);
    // With the configuration that will hold: it says where the store is.
    const settings = await settingsIn(isStore ? options : { ...options, directory: scratch });
    const moves = movesFor(names, scratch, directory, settings);
    await refuseWhere(moves, options);
    for (const { to } of moves) await setAside(to, options.clock.now());
    for (const { from, to } of moves) {
      await mkdir(dirname(to), { recursive: true, mode: 0o700 });
      await rename(from, to);
    }
    return names;
  } finally {
    await rm(scratch, { recursive: true, force: true });
    if (made !== undefined) await rmdir(directory).catch(() => {}); // only when nothing was restored
  }
}

const SQLITE = Buffer.from('SQLite format 3\0');

/** Whether the file is a store by itself, such as the copy that an update keeps beside it. */
async function isStoreFile(file: string): Promise<boolean> {
  const opened = await open(file).catch(() => undefined);
  if (!opened) return false;
  const { buffer } = await opened.read(Buffer.alloc(SQLITE.length), 0).finally(() => opened.close());
  return buffer.equals(SQLITE);
}

/** The log of a store stands beside it, also where both were set aside: without it the file is not whole. */
async function readStoreFile(file: string, scratch: string): Promise<readonly string[]> {
  for (const log of [`${file}-wal`, file.replace(/\.before-[^/]*$/, '-wal$&')])
    if (log !== file && existsSync(log) && statSync(log).size > 0)
      throw new Error(`${file} cannot be restored: it is not whole without ${basename(log)}`);
  await copyFile(file, join(scratch, STORE));
  return [STORE];
}

interface FileMove {
  readonly from: string;
  readonly to: string;
}

function movesFor(
  names: readonly string[],
  scratch: string,
  directory: string,
  { store }: Settings,
): readonly FileMove[] {
  const { url } = store;
  if (url.engine !== 'sqlite')
    throw new Error('the configuration names a PostgreSQL server: restore that with pg_restore');
  const place = url.file.startsWith(`${scratch}/`) ? join(directory, url.file.slice(scratch.length + 1)) : url.file;
  return names.map((name) => ({ from: join(scratch, name), to: name === STORE ? place : join(directory, name) }));
}

async function refuseWhere(moves: readonly FileMove[], options: RestoreOptions): Promise<void> {
  const there = moves.filter(({ to }) => existsSync(to));
  if (there.length === 0) return;
  if (!options.replace) {
    const names = there.map(({ to }) => basename(to)).join(', ');
    throw new Error(
      `${names} would be replaced: give --replace to do that; the old files are kept beside the new ones`,
    );
  }
  const settings = await settingsIn(options).catch(() => undefined);
  if (settings && (await options.isRunning(settings)))
    throw new Error('the server is running: stop it first, and start it after the restore');
}

/** Renames a file with its write-ahead log, which would be taken for that of the new file. */
async function setAside(path: string, now: number): Promise<void> {
  const stamp = new Date(now).toISOString().replaceAll(/[:.]/g, '-');
  for (const each of [path, `${path}-wal`, `${path}-shm`]) {
    if (existsSync(each)) await rename(each, `${each}.before-${stamp}`);
  }
}

async function settingsIn(place: CommandPlace): Promise<Settings> {
  const config = await loadConfig({ ...place, whenMissing: 'read' });
  if (config.kind === 'loaded') return config.settings;
  throw new Error(formatProblems(config.file, config.problems));
}
