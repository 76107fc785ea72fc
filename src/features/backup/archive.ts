/** The archive of a backup: a compressed tar (POSIX ustar) of plain files, written and read as streams (SPEC 15). */
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline as flow } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip, type Gunzip } from 'node:zlib';
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

/** A relative path that does not lead out of the directory. */
const isOwnName = (name: string): boolean =>
  !/[\p{Cc}\\]/u.test(name) && name.split('/').every((step) => !['', '.', '..'].includes(step));

export type ReadBackup = Awaited<ReturnType<typeof readBackup>>;

/** An archive back into files, in a directory of its own: nothing that is there is touched. Rejects with a sentence for a file that is no backup, or a cut one. */
export async function readBackup(file: string, directory: string) {
  const names: string[] = [];
  /** Unix seconds. */
  let madeAt = 0;
  let current: FileHandle | undefined;
  try {
    for await (const part of readTar(unpacked(file))) {
      if (part.kind === 'bytes') {
        await current?.writeFile(part.bytes);
        continue;
      }
      await current?.close();
      current = undefined;
      current = await placeFor(part.entry, directory);
      names.push(part.entry.name);
      madeAt = part.modified;
    }
    return { names, madeAt };
  } catch (cause) {
    const reason = faultMessage(cause);
    throw new Error(`${file} cannot be restored: ${reason}`, { cause });
  } finally {
    await current?.close();
  }
}

async function placeFor({ name }: TarEntry, directory: string): Promise<FileHandle> {
  if (!isOwnName(name))
    throw new Error(`it holds ${JSON.stringify(name)}, which is not allowed in a backup of Postern`);
  const path = join(directory, name);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return open(path, 'wx', 0o600);
}

/** A file that cannot be read fails where it is iterated over. */
const unpacked = (file: string): Gunzip => flow(createReadStream(file), createGunzip(), () => {});

interface TarEntry {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
}

const BLOCK = 512;
const OWNER_ONLY = '0000600';
const LARGEST_SIZE = 8 ** 11 - 1;
const CHECKSUM = { at: 148, length: 8 } as const;

/** `modified`: Unix seconds. Throws for a name or a size that the format has no room for. */
export function tarHeader({ name, size }: TarEntry, modified: number): Buffer {
  if (Buffer.byteLength(name) > 99 || size > LARGEST_SIZE) throw new Error(`${name} does not fit into an archive`);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0);
  header.write(`${OWNER_ONLY}\0`, 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${octal(size)}\0`, 124);
  header.write(`${octal(Math.floor(modified))}\0`, 136);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(`${checksum(header).toString(8).padStart(6, '0')}\0 `, CHECKSUM.at);
  return header;
}

const octal = (value: number): string => value.toString(8).padStart(11, '0');

/** What stands behind a file of that size, up to the next block. */
export const tarPadding = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

export const tarEnd = (): Buffer => Buffer.alloc(2 * BLOCK);

/** The checksum of the header, with blanks in the place of its own checksum. */
function checksum(header: Buffer): number {
  let sum = CHECKSUM.length * 0x20;
  for (let at = 0; at < BLOCK; at++)
    if (at < CHECKSUM.at || at >= CHECKSUM.at + CHECKSUM.length) sum += header.readUInt8(at);
  return sum;
}

/** `modified`: Unix seconds. */
export type TarPart =
  | { readonly kind: 'file'; readonly entry: TarEntry; readonly modified: number }
  /** Bytes of the file that was named last. */
  | { readonly kind: 'bytes'; readonly bytes: Buffer };

/** Throws a sentence for what is no archive, and for one that ends too early. */
export async function* readTar(chunks: AsyncIterable<Buffer>): AsyncGenerator<TarPart> {
  let waiting: Buffer = Buffer.alloc(0);
  let left = 0;
  let padding = 0;
  let isEnded = false;
  for await (const chunk of chunks) {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    while (!isEnded) {
      if (left > 0) {
        if (waiting.length === 0) break;
        const bytes = waiting.subarray(0, left);
        left -= bytes.length;
        waiting = waiting.subarray(bytes.length);
        yield { kind: 'bytes', bytes };
      } else {
        if (waiting.length < padding + BLOCK) break;
        const header = waiting.subarray(padding, padding + BLOCK);
        waiting = waiting.subarray(padding + BLOCK);
        isEnded = header.every((byte) => byte === 0);
        if (isEnded) break;
        const entry = entryOf(header);
        left = entry.entry.size;
        padding = tarPadding(left).length;
        yield { kind: 'file', ...entry };
      }
    }
  }
  if (!isEnded) throw new Error('it ends too early: the file is incomplete');
}

function entryOf(header: Buffer): Omit<Extract<TarPart, { kind: 'file' }>, 'kind'> {
  const text = (from: number, length: number): string =>
    header.toString('utf8', from, from + length).split('\0')[0] ?? '';
  const stated = Number.parseInt(text(CHECKSUM.at, CHECKSUM.length), 8);
  if (stated !== checksum(header) || header.toString('latin1', 156, 157) !== '0')
    throw new Error('it is not a backup of Postern');
  const number = (from: number): number => Number.parseInt(text(from, 12), 8);
  return { entry: { name: text(0, 100), size: number(124) }, modified: number(136) };
}
