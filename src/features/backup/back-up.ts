/** `postern backup`: everything that must last, of a running server too (SPEC 15). */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { CommandPlace } from '../../config/load-config.ts';
import { formatProblems } from '../../config/problems/problems.ts';
import { snapshot } from '../../store/backup-file.ts';
import { assertNotLost } from '../../store/sqlite/sqlite-faults.ts';
import { writeBackup } from './archive.ts';
import { isOfStore, lastingFiles, readableConfig } from './lasting-files.ts';

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
