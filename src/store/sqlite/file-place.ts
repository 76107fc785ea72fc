/** Looks before each write whether the open file is still the one at its path, and whole: what is written elsewhere is lost. */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { cutFault, removedFault } from './sqlite-faults.ts';

export interface FilePlace {
  /** Takes some microseconds. Throws a fault of the store. */
  check(): void;
  /**
   * Closes the descriptor. Call it after the connections are closed: closing any descriptor of the file gives up SQLite's
   * locks on it.
   */
  close(): void;
}

interface Header {
  readonly changes: number;
  readonly pages: number;
  readonly pageSize: number;
  readonly owner: number;
}

/** The database header, by the SQLite file format, section 1.3. */
const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
const LARGEST_PAGE = 65_536;

/** `owner`: the application id of this store; a file without one is of an earlier version. `file`: for messages. */
export function watchPlace(path: string, owner: number, file: string): FilePlace {
  const handle = openSync(path, 'r');
  const bytes = Buffer.alloc(HEADER_BYTES);
  const opened = fstatSync(handle);
  let log: number | undefined;
  let [size, changes] = [0, 0];

  const isSame = (): boolean => {
    const now = statSync(path, { throwIfNoEntry: false });
    return now?.dev === opened.dev && now.ino === opened.ino;
  };
  const isSameLog = (): boolean => {
    const now = statSync(`${path}-wal`, { throwIfNoEntry: false })?.ino;
    log ??= now;
    return log === now;
  };
  return {
    check() {
      if (!isSame() || !isSameLog()) throw removedFault(file);
      const length = readSync(handle, bytes, 0, HEADER_BYTES, 0);
      const header = length === HEADER_BYTES ? headerOf(bytes) : undefined;
      const found = fstatSync(handle).size;
      // While another process moves its log into a file that grows, the header is written first.
      const isShorter = found < size && found < (header?.pages ?? 0) * (header?.pageSize ?? 0);
      if (!header || isShorter) throw cutFault(file);
      if ((header.owner !== owner && header.owner !== 0) || header.changes < changes) throw removedFault(file);
      [size, changes] = [found, header.changes];
    },
    close: () => closeSync(handle),
  };
}

function headerOf(bytes: Buffer): Header | undefined {
  if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
  return {
    pageSize: bytes.readUInt16BE(16) === 1 ? LARGEST_PAGE : bytes.readUInt16BE(16),
    changes: bytes.readUInt32BE(24),
    pages: bytes.readUInt32BE(28),
    owner: bytes.readUInt32BE(68),
  };
}
