/** Reads a file that a person wrote, up to a size, tells a database from it, makes a file once, and gives a written file its name. */
import { randomUUID } from 'node:crypto';
import { link, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** 1 MiB: a configuration, a route table, a list of headers. */
export const LARGEST_TEXT_BYTES = 2 ** 20;

/** The code `EFBIG` of the system: the file is larger than it may be. */
export async function readBounded(file: string, most: number = LARGEST_TEXT_BYTES): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const bytes = Buffer.alloc(most + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length);
      length += bytesRead;
      if (length > most) throw Object.assign(new Error(`${file} is larger than ${most} bytes`), { code: 'EFBIG' });
      if (bytesRead === 0) return bytes.toString('utf8', 0, length);
    }
  } finally {
    await handle.close();
  }
}

/** The text, undefined of a file that is not there. Errs with a sentence that ends with what to do. */
export async function readIfThere(
  file: string,
  advice: string,
): Promise<{ ok: true; value: string | undefined } | { ok: false; error: string }> {
  try {
    return { ok: true, value: await readBounded(file) };
  } catch (fault) {
    const { code = 'unknown fault', message } = fault as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { ok: true, value: undefined };
    return { ok: false, error: code === 'EFBIG' ? message : `${file} cannot be read (${code}): ${advice}` };
  }
}

/** File systems without hard links. */
const NO_LINKS: ReadonlySet<string | undefined> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** The draft may stay beside it: remove it afterwards. Rejects with `EEXIST` when something has the name. */
export async function putInPlace(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
  } catch (fault) {
    if (!NO_LINKS.has((fault as NodeJS.ErrnoException).code)) throw fault;
    // A new name would replace what has it: of several one takes it first.
    await (await open(file, 'wx')).close();
    await rename(draft, file);
  }
}

const PRIVATE = 0o600;

/**
 * Written beside its place, synced, then given its name: a crash leaves no half-written file. Of several creators one wins; false:
 * something has the name, and stays. The file may hold secrets: it is readable by its owner alone.
 */
export async function createOnce(file: string, text: string): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { flag: 'wx', mode: PRIVATE, flush: true });
    await putInPlace(draft, file);
    await using directory = await open(dirname(file));
    await directory.sync();
    return true;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault;
    return false;
  } finally {
    await rm(draft, { force: true });
  }
}

/** The first bytes of a database (SQLite file format, section 1.3). */
export const SQLITE = 'SQLite format 3\0';

/** Rejects when the file cannot be opened. */
export async function isSqlite(file: string): Promise<boolean> {
  const handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(SQLITE.length), 0, SQLITE.length, 0).finally(() => handle.close());
  return buffer.toString('latin1') === SQLITE;
}
