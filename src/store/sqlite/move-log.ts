/** The thread that waits for the disk while the log goes into the file of the store, and a new log begins. It ends with 1 where a reader or a writer is in the way. */
import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { beginLog, LOG_SETTINGS } from './sqlite-log.ts';

const connection = new DatabaseSync(String(workerData));
connection.exec(LOG_SETTINGS);
const { busy } = { ...connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() };
if (busy === 0) beginLog(connection);
connection.close();
process.exitCode = Number(busy);
