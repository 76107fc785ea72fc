/** `postern restore`: the files of a backup in their places, and what comes back with them (SPEC 15). */
import { existsSync, statSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { CommandPlace } from '../../config/load-config.ts';
import { markRestored } from '../../config/marks.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { isSqlite } from '../../files/files.ts';
import { type ReadBackup, readBackup } from './archive.ts';
import { isOfStore, lastingFiles, type ReadableConfig, readableConfig, STORE } from './back-up.ts';
import { endReturned, findFault, returnedBy } from './store-file.ts';

export interface RestoreOptions extends CommandPlace {
  /** What is there is set aside, and not in the way. */
  readonly replace: boolean;
  /** Ends all sessions, tokens, links, invitations and screens of the backup. */
  readonly revoke: boolean;
  /** Whether a server answers for this configuration. */
  readonly isRunning: (settings: Settings) => Promise<boolean>;
}

export type RestoreDone = Awaited<ReturnType<typeof restore>>;

/** Needs none of the secrets. Rejects with a sentence; what was there is untouched then. */
export async function restore(file: string, options: RestoreOptions) {
  const directory = resolve(options.directory);
  // On the same file system, so that a move is one step.
  const made = await mkdir(directory, { recursive: true, mode: 0o700 });
  const scratch = await mkdtemp(join(directory, '.postern-restore-'));
  try {
    // A store by itself, such as the copy that an update keeps beside it.
    const isStore = await isSqlite(file).catch(() => false);
    const { names, madeAt } = isStore ? await readStoreFile(file, scratch) : await readBackup(file, scratch);
    if (!names.includes(STORE)) throw new Error(`${file} cannot be restored: it holds no store`);
    const store = join(scratch, STORE);
    const fault = findFault(store);
    if (fault !== undefined) throw new Error(`${file} cannot be restored: its store is broken: ${fault}`);
    // With the configuration that will hold: it says where the store is.
    const config = await readableConfig(isStore ? options : { ...options, directory: scratch }).catch(
      (cause: Error) => {
        const reason = cause.message.replaceAll(`${scratch}/`, '');
        throw new Error(`${file} cannot be restored: its configuration cannot be read: ${reason}`, { cause });
      },
    );
    const moves = movesFor(names, scratch, directory, config.settings);
    await refuseWhere(moves, options);
    const now = options.clock.now() / 1000;
    const returned = returnedBy(store, now);
    if (options.revoke) endReturned(store, now);
    for (const { to } of moves) await setAside(to, options.clock.now());
    for (const { from, to } of moves) {
      await mkdir(dirname(to), { recursive: true, mode: 0o700 });
      await rename(from, to);
    }
    await markRestored(directory, { madeAt, restoredAt: now, isRevoked: options.revoke });
    /** `returned`: what works again, or was ended. `missing`: what the configuration needs and the backup does not hold. */
    return { names, madeAt, returned, missing: await missingNow(options, config, moves) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
    if (made !== undefined) await rmdir(directory).catch(() => {}); // only when nothing was restored
  }
}

async function missingNow(
  options: RestoreOptions,
  { problems }: ReadableConfig,
  moves: FileMoves,
): Promise<readonly string[]> {
  const { missing } = await lastingFiles(options, await readableConfig(options));
  const store = moves.find(({ from }) => basename(from) === STORE)?.to;
  const place = `the store is at ${store}; move it to where store.url leads`;
  return [...missing, ...problems.filter(isOfStore).map(({ path }) => `the address of the store (${path}): ${place}`)];
}

/** The log of a store stands beside it, also where both were set aside: without it the file is not whole. */
async function readStoreFile(file: string, scratch: string): Promise<ReadBackup> {
  for (const log of [`${file}-wal`, file.replace(/\.before-[^/]*$/, '-wal$&')])
    if (log !== file && existsSync(log) && statSync(log).size > 0)
      throw new Error(`${file} cannot be restored: it is not whole without ${basename(log)}`);
  await copyFile(file, join(scratch, STORE));
  return { names: [STORE], madeAt: statSync(file).mtimeMs / 1000 };
}

type FileMoves = ReturnType<typeof movesFor>;

function movesFor(names: readonly string[], scratch: string, directory: string, { store }: Settings) {
  const { url } = store;
  if (url.engine !== 'sqlite')
    throw new Error('the configuration names a PostgreSQL server: restore that with pg_restore');
  const place = url.file.startsWith(`${scratch}/`) ? join(directory, url.file.slice(scratch.length + 1)) : url.file;
  return names.map((name) => ({ from: join(scratch, name), to: name === STORE ? place : join(directory, name) }));
}

async function refuseWhere(moves: FileMoves, options: RestoreOptions): Promise<void> {
  const there = moves.filter(({ to }) => existsSync(to));
  if (there.length === 0) return;
  if (!options.replace) {
    const names = there.map(({ to }) => basename(to)).join(', ');
    throw new Error(
      `${names} would be replaced: give --replace to do that; the old files are kept beside the new ones`,
    );
  }
  const active = await readableConfig(options).catch(() => undefined);
  if (active && (await options.isRunning(active.settings)))
    throw new Error('the server is running: stop it first, and start it after the restore');
}

/** Renames a file with its write-ahead log, which would be taken for that of the new file. */
async function setAside(path: string, now: number): Promise<void> {
  const stamp = new Date(now).toISOString().replaceAll(/[:.]/g, '-');
  for (const each of [path, `${path}-wal`, `${path}-shm`]) {
    if (existsSync(each)) await rename(each, `${each}.before-${stamp}`);
  }
}
