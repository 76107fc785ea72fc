/** The archive of a backup: a compressed tar of plain files, written and read as streams (SPEC 15). */
import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { packTar, type TarSource, unpackTar } from 'modern-tar/fs';
import { faultMessage } from '../../domain/result.ts';
import { putInPlace } from '../../files/files.ts';

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
    const packed = await Promise.all(files.map((file) => sourceOf(file, now)));
    const tar = packTar(packed, { map: (header) => ({ ...header, name: header.name.slice(GUARD.length) }) });
    await pipeline(tar, createGzip(), written.createWriteStream({ flush: true }));
    await putInPlace(unfinished, target);
  } catch (fault) {
    throw isThere(fault) ? new Error(`${target} is there already: choose another name`) : fault;
  } finally {
    await rm(unfinished, { force: true });
  }
  return (await stat(target)).size;
}

const PRIVATE = 0o600;
/** Stands before each name that the library is given: it would take a letter with a colon for a drive, and leave it out. */
const GUARD = './';
const isThere = (fault: unknown): boolean => (fault as NodeJS.ErrnoException).code === 'EEXIST';

async function sourceOf({ name, path }: BackedUp, now: number): Promise<TarSource> {
  const { size } = await stat(path);
  const header = { target: GUARD + name, mode: PRIVATE, mtime: new Date(now * 1000) };
  if (size === 0) return { ...header, type: 'content', content: '' };
  return { ...header, type: 'stream', content: Readable.from(bytesOf(path, size)), size };
}

/** No more than the header says, should the file grow meanwhile. It is opened when its turn comes. */
async function* bytesOf(path: string, size: number): AsyncGenerator<Buffer> {
  let left = size;
  for await (const chunk of createReadStream(path, { end: size - 1 })) {
    left -= chunk.length;
    yield chunk;
  }
  if (left !== 0) throw new Error(`${path} became shorter while it was read`);
}

/** A relative path that does not lead out of the directory. */
const isOwnName = (name: string): boolean =>
  !/[\p{Cc}\\]/u.test(name) && name.split('/').every((step) => !['', '.', '..'].includes(step));

const NO_BACKUP = 'it is not a backup of Postern';

export type ReadBackup = Awaited<ReturnType<typeof readBackup>>;

/** An archive back into files, in an empty directory. Rejects with a sentence for a file that is no backup, or a cut one. */
export async function readBackup(file: string, directory: string) {
  const names: string[] = [];
  /** Unix seconds. */
  let madeAt = 0;
  const unpacking = unpackTar(directory, {
    strict: true,
    fmode: PRIVATE,
    dmode: 0o700,
    map({ mtime = new Date(0), ...header }) {
      const { name, type } = header;
      if (type !== 'file' || names.includes(name)) throw new Error(NO_BACKUP);
      if (!isOwnName(name))
        throw new Error(`it holds ${JSON.stringify(name)}, which is not allowed in a backup of Postern`);
      names.push(name);
      madeAt = mtime.getTime() / 1000;
      return { ...header, name: GUARD + name };
    },
  });
  try {
    await pipeline(createReadStream(file), createGunzip(), unpacking);
    return { names, madeAt };
  } catch (cause) {
    throw new Error(`${file} cannot be restored: ${reasonOf(cause)}`, { cause });
  }
}

/** The sentences of the library are those for programmers. */
function reasonOf(cause: unknown): string {
  const message = faultMessage(cause);
  if (message === 'Tar archive is truncated.') return 'it ends too early: the file is incomplete';
  return /^(?:Invalid (?:tar|EOF)|Tar metadata)/.test(message) ? NO_BACKUP : message;
}
