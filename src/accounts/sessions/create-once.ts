/** Creates a private file whole or not at all, unless it is there already (the secret of interface 5.3). */
import { randomBytes } from 'node:crypto';
import { link, open, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';

const PRIVATE = 0o600;

/**
 * Written beside, synced, then linked into place: a crash leaves no half-written file, and of two creators one wins
 * while the other's text is dropped. Throws when the directory cannot be written.
 */
export async function createOnce(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    await writeSynced(draft, text);
    await linkUnlessThere(draft, path);
    await syncDirectory(dirname(path));
  } finally {
    await unlink(draft).catch(() => {});
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  await using file = await open(path, 'wx', PRIVATE);
  await file.writeFile(text);
  await file.sync();
}

async function linkUnlessThere(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
  }
}

async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, 'r');
  await directory.sync();
}
