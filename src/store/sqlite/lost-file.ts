/** A SQLite file that is gone or emptied, seen before it is opened: SQLite would make a new one, and delete the log beside it. */
import { statSync } from 'node:fs';
import { storeFault } from '../../domain/store/store-fault.ts';
import { openingFault } from './sqlite-faults.ts';

function sizeOf(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  } catch (fault) {
    throw openingFault(fault, `the store at ${path}`, true);
  }
}

/** Not there, or without a byte. */
export const isBlank = (path: string): boolean => sizeOf(path) === 0;

/** The write-ahead log belongs to a file that was there: it may hold everything that was written since the start. */
export function assertNotLost(path: string): void {
  if (!isBlank(path) || isBlank(`${path}-wal`)) return;
  throw storeFault(
    'missing',
    `the store at ${path} is empty or gone, but ${path}-wal beside it holds data: put the file back, or restore a backup with "postern restore --replace FILE". To begin anew, move both away first`,
    undefined,
  );
}
