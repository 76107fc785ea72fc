/** What SQLite cannot do at once: a statement that finds the file locked waits outside of SQLite, and trouble with the file has a name. */
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseConnection, Driver } from 'kysely';
import { unreadable } from '../domain/unreadable.ts';

/** A statement that finds the file locked is tried again, 500 times at most, and the event loop goes on. */
const BUSY_RETRIES = 500;
const BUSY_PAUSE_MILLISECONDS = 10;

/** SQLite's own waiting would stop the event loop, and with it the very transaction that is waited for. */
export function retryWhenBusy(driver: Driver): Driver {
  const { acquireConnection } = driver;
  return Object.assign(driver, {
    acquireConnection: async () => patientConnection(await acquireConnection.call(driver)),
  });
}

const patientConnection = (connection: DatabaseConnection): DatabaseConnection => ({
  streamQuery: (query, chunkSize) => connection.streamQuery(query, chunkSize),
  async executeQuery(query) {
    for (let retries = 0; ; retries++) {
      try {
        return await connection.executeQuery(query);
      } catch (fault) {
        const code = codeOf(fault);
        if (code !== BUSY || retries === BUSY_RETRIES) throw TROUBLES.has(code) ? asUnreadable(fault) : fault;
        await delay(BUSY_PAUSE_MILLISECONDS);
      }
    }
  },
});

const BUSY = 5;
/** SQLITE_BUSY, LOCKED, IOERR, CORRUPT, CANTOPEN, PROTOCOL, NOTADB: the file's trouble, and not the statement's. */
const TROUBLES: ReadonlySet<number | undefined> = new Set([BUSY, 6, 10, 11, 14, 15, 26]);

/** The primary code: extended ones have it in the low byte. */
const codeOf = (fault: unknown): number | undefined =>
  fault instanceof Error && 'errcode' in fault ? Number(fault.errcode) & 0xff : undefined;

const asUnreadable = (fault: unknown): Error =>
  unreadable(fault instanceof Error ? fault.message : String(fault), fault);
