/** The write-ahead log of the store: a commit writes to it without waiting for the disk, and its answer waits beside the event loop (SPEC 10). */
import { once } from 'node:events';
import { closeSync, fdatasync, fstatSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

/**
 * SQLite itself waits for the disk only where the file could be damaged else: when it moves the log into the file, and when it
 * begins a log. A thread does both. A commit is on the disk when the log was synced after it, which `watchLog` does.
 */
export const LOG_SETTINGS = 'PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;';

const LARGEST_NUMBER = 2 ** 31;

/** Writes a number in the header that means nothing: one page goes to the log, and no table changes. */
export function beginLog(connection: DatabaseSync): void {
  const before = Number(connection.prepare('PRAGMA user_version').get()?.['user_version']);
  connection.exec(`PRAGMA user_version = ${(before + 1) % LARGEST_NUMBER}`);
}

/** A longer log is moved into the file of the store. */
const LONGEST_LOG_BYTES = 4 * 1024 * 1024;

const sync = promisify(fdatasync);

export type StoreLog = ReturnType<typeof watchLog>;

/** `named`: the service's fault for the engine's. */
export function watchLog(path: string, named: (fault: unknown) => unknown, descriptors: DisposableStack) {
  const handle = descriptors.adopt(openSync(`${path}-wal`, 'r+'), closeSync);
  let underWay = Promise.resolve();
  let next: Promise<void> | undefined;
  let longest = LONGEST_LOG_BYTES;
  let moving: Promise<void> | undefined;
  /**
   * The system tells once that pages did not reach the disk, and forgets them: a later sync succeeds, and what stands behind them
   * in the log would be lost with them. So all fail, until the whole log is in the file.
   */
  let doubt: unknown;

  const begin = async (): Promise<void> => {
    next = undefined;
    try {
      if (doubt === undefined) await sync(handle);
    } catch (fault) {
      doubt = named(fault);
    }
    if (doubt !== undefined) throw doubt;
  };
  const move = async (): Promise<void> => {
    longest = fstatSync(handle).size + LONGEST_LOG_BYTES; // who is in the way may be so for long
    const worker = new Worker(new URL('./move-log.ts', import.meta.url), { workerData: path, execArgv: [] });
    const [code] = await once(worker, 'exit');
    if (code !== 0) return;
    longest = LONGEST_LOG_BYTES;
    if (doubt !== undefined) [doubt, underWay] = [undefined, Promise.resolve()];
  };
  return {
    /** Called before a write, in its turn: no other one of this process may come between. */
    async ready(): Promise<void> {
      const { size } = fstatSync(handle);
      // Another process that ends leaves it empty.
      if (doubt === undefined && size > 0 && size < longest) return;
      moving = move().catch((fault: unknown) => {
        const told = named(fault);
        doubt &&= told; // without doubt the write that follows may succeed
      });
      await moving;
      if (doubt !== undefined) throw doubt;
    },
    /** Resolves when all that was written until now is on the disk; `hasWritten`: the caller just did. Changes that wait together share one wait. */
    synced(hasWritten: boolean): Promise<void> {
      if (hasWritten) underWay = next ??= underWay.then(begin, begin);
      return underWay;
    },
    /** Called before the connections are closed. */
    async settled(): Promise<void> {
      await Promise.allSettled([underWay, moving]);
    },
  };
}
