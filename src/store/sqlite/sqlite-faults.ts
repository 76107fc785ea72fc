/** SQLite's result codes as faults of the store: what happened, to which file, and the next step (SPEC 10). */

import { statSync } from 'node:fs';
import { faultMessage } from '../../domain/result.ts';
import { findStoreFault, type StoreFault, storeFault } from '../../domain/store/store-fault.ts';

interface FaultWords {
  readonly kind: StoreFault;
  readonly happened: (file: string) => string;
  readonly nextStep: string;
}

// biome-ignore format: a table
const [LOCKED, READ_ONLY, FULL, CLOSED, BROKEN, FAILING, ALIEN] = [
  { kind: 'locked', happened: (file) => `${file} is locked by another process`, nextStep: 'wait for the import or the backup that holds it, or end that process' },
  { kind: 'read-only', happened: (file) => `${file} cannot be written`, nextStep: 'make the file, its directory and the file system writable for the user of this process' },
  { kind: 'full', happened: (file) => `the disk that holds ${file} is full`, nextStep: 'free some space' },
  { kind: 'unreachable', happened: (file) => `${file} cannot be opened`, nextStep: 'check that its directory exists, and that the user of this process may read and write there' },
  { kind: 'corrupt', happened: (file) => `${file} is damaged`, nextStep: 'stop the service and restore a backup of the file' },
  { kind: 'unreachable', happened: (file) => `the disk failed while ${file} was read or written`, nextStep: 'check the disk and the log of the system' },
  { kind: 'corrupt', happened: (file) => `${file} is not a SQLite database`, nextStep: 'name another file, or restore a backup of this one' },
] as const satisfies readonly FaultWords[];

/** The faults by primary code of SQLite, or by code of the file system, where SQLite is not asked. */
// biome-ignore format: a table
const WORDS: ReadonlyMap<number | string | undefined, FaultWords> = new Map<number | string, FaultWords>([
  /* SQLITE_PERM     */ [3,  READ_ONLY],
  /* SQLITE_BUSY     */ [5,  LOCKED],
  /* SQLITE_LOCKED   */ [6,  LOCKED],
  /* SQLITE_READONLY */ [8,  READ_ONLY],
  /* SQLITE_IOERR    */ [10, FAILING],
  /* SQLITE_CORRUPT  */ [11, BROKEN],
  /* SQLITE_FULL     */ [13, FULL],
  /* SQLITE_CANTOPEN */ [14, CLOSED],
  /* SQLITE_PROTOCOL */ [15, LOCKED],
  /* SQLITE_NOTADB   */ [26, ALIEN],
  ['ENOENT', CLOSED], ['ENOTDIR', CLOSED], ['EISDIR', CLOSED], ['EACCES', CLOSED],
  ['EPERM', READ_ONLY], ['EROFS', READ_ONLY], ['ENOSPC', FULL], ['EDQUOT', FULL],
]);

const BUSY = 5;
export const isBusy = (fault: unknown): boolean => faultCode(fault) === BUSY;

/** The fault with a sentence where the file is the trouble; any other fault as it is. */
export function namedFault(fault: unknown, file: string): unknown {
  if (findStoreFault(fault)) return fault;
  const words = wordsFor(fault);
  if (!words) return fault;
  return storeFault(words.kind, `${words.happened(file)} (${faultMessage(fault)}): ${words.nextStep}`, fault);
}

export function openingFault(fault: unknown, file: string, readOnly: boolean): Error {
  const words = wordsFor(fault);
  const step = readOnly
    ? 'check that the file and the files beside it are there'
    : 'check that the directory exists and is writable';
  const said = faultMessage(fault);
  const why =
    words && words !== CLOSED ? `${words.happened('the file')} (${said}): ${words.nextStep}` : `${step} (${said})`;
  return storeFault(words?.kind ?? 'unreachable', `cannot open ${file}: ${why}`, fault);
}

/** Found by a check of one table, with what SQLite said of it. */
export const damagedFault = (file: string, table: string, said: string): Error =>
  storeFault('corrupt', `the table ${table} in ${file} is damaged (${said}): ${BROKEN.nextStep}`);

export const fullFault = (file: string, free: number): Error =>
  storeFault('full', `${FULL.happened(file)} (${free} bytes are free): ${FULL.nextStep}`);

/**
 * The file at the path is not the one that is open: what is written now is gone when the process ends. Or pages at its end are
 * gone, or its header is: what is written now cannot be read again.
 */
export const lostFault = (file: string, how: 'removed or replaced' | 'cut'): Error =>
  storeFault(
    'missing',
    `${file} was ${how} while in use: stop the service, put the file back or restore a backup, and start again`,
  );

/** A code of SQLite that is not listed is a mistake in the statement; one of the file system is a failure of the disk. */
const wordsFor = (fault: unknown): FaultWords | undefined =>
  WORDS.get(faultCode(fault)) ??
  (fault instanceof Error && 'syscall' in fault && 'code' in fault
    ? (WORDS.get(String(fault.code)) ?? FAILING)
    : undefined);

/** The primary code: extended ones have it in the low byte. */
const faultCode = (fault: unknown): number | undefined =>
  fault instanceof Error && 'errcode' in fault ? Number(fault.errcode) & 0xff : undefined;

function fileSize(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  } catch (fault) {
    throw openingFault(fault, `the store at ${path}`, true);
  }
}

/** Not there, or without a byte. */
export const isBlank = (path: string): boolean => fileSize(path) === 0;

/**
 * A file that is gone or emptied is seen before it is opened: SQLite would make a new one, and delete the log beside it. The
 * log may hold everything that was written since the start.
 */
export function assertNotLost(path: string): void {
  if (!isBlank(path) || isBlank(`${path}-wal`)) return;
  throw storeFault(
    'missing',
    `the store at ${path} is empty or gone, but ${path}-wal beside it holds data: put the file back, or restore a backup with "postern restore --replace FILE". To begin anew, move both away first`,
  );
}
