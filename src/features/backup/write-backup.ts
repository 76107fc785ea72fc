/** Files into one archive that its owner alone may read: compressed, on the disk before it has its name (SPEC 15). */
import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { putInPlace } from '../../files/files.ts';
import { tarEnd, tarHeader, tarPadding } from './tar.ts';

export interface BackedUp {
  /** The name in the archive. */
  readonly name: string;
  readonly path: string;
}

/** A file is never half there: it is written beside its place. Gives its size in bytes. Rejects when `target` is there already. */
export async function writeBackup(files: readonly BackedUp[], target: string, now: number): Promise<number> {
  const unfinished = `${target}.unfinished`;
  // `wx` makes the file or fails: no link is followed, and no other file's mode is kept.
  const written = await open(unfinished, 'wx', PRIVATE).catch((fault: unknown) => {
    throw isThere(fault) ? new Error(`${unfinished} is there already: remove it, or choose another name`) : fault;
  });
  try {
    await pipeline(archive(files, now), createGzip(), written.createWriteStream({ flush: true }));
    await putInPlace(unfinished, target);
  } catch (fault) {
    throw isThere(fault) ? new Error(`${target} is there already: choose another name`) : fault;
  } finally {
    await rm(unfinished, { force: true });
  }
  return (await stat(target)).size;
}

const PRIVATE = 0o600;
const isThere = (fault: unknown): boolean => (fault as NodeJS.ErrnoException).code === 'EEXIST';

async function* archive(files: readonly BackedUp[], now: number): AsyncGenerator<Buffer> {
  for (const { name, path } of files) {
    const { size } = await stat(path);
    yield tarHeader({ name, size }, now);
    let left = size;
    // No more than the header says, should the file grow meanwhile.
    if (size > 0) for await (const chunk of createReadStream(path, { end: size - 1 })) yield counted(chunk);
    if (left !== 0) throw new Error(`${path} became shorter while it was read`);
    yield tarPadding(size);

    function counted(chunk: Buffer): Buffer {
      left -= chunk.length;
      return chunk;
    }
  }
  yield tarEnd();
}
