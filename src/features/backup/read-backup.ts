/** An archive back into files, in a directory of its own: nothing that is there is touched (SPEC 15). */
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import { messageOf } from '../../domain/result.ts';
import { readTar, type TarEntry } from './tar.ts';

/** A relative path that does not lead out of the directory. */
const isOwnName = (name: string): boolean =>
  !/[\p{Cc}\\]/u.test(name) && name.split('/').every((step) => !['', '.', '..'].includes(step));

export interface ReadBackup {
  readonly names: readonly string[];
  /** Unix seconds. */
  readonly madeAt: number;
}

/** Rejects with a sentence for a file that is no backup, or a cut one. */
export async function readBackup(file: string, directory: string): Promise<ReadBackup> {
  const names: string[] = [];
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
    const reason = messageOf(cause);
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
const unpacked = (file: string): Gunzip => pipeline(createReadStream(file), createGunzip(), () => {});
