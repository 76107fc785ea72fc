/** Files into one archive that its owner alone may read: compressed, on the disk before it has its name (SPEC 15). */
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { tarEnd, tarHeader, tarPadding } from './tar.ts';

export interface BackedUp {
  /** In the archive. */
  readonly name: string;
  readonly path: string;
}

/** A file is never half there: it is written beside its place. Gives its size in bytes. Rejects when `target` is there already. */
export async function writeBackup(files: readonly BackedUp[], target: string, now: number): Promise<number> {
  const taken = await open(target, 'wx', 0o600);
  await taken.close();
  const unfinished = `${target}.unfinished`;
  try {
    await pipeline(archive(files, now), createGzip(), createWriteStream(unfinished, { mode: 0o600, flush: true }));
    await rename(unfinished, target);
  } catch (fault) {
    await rm(unfinished, { force: true });
    await rm(target, { force: true });
    throw fault;
  }
  return (await stat(target)).size;
}

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
