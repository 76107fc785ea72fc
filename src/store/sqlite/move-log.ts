/** The thread that waits for the disk while the log goes into the file of the store, and a new log begins. It ends with 1 where a reader or a writer is in the way. */
import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { thrownBy } from '../../domain/store/store-fault.ts';
import { beginLog, LOG_SETTINGS } from './sqlite-log.ts';

const connection = new DatabaseSync(String(workerData));
connection.exec(LOG_SETTINGS);
const { busy } = { ...connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() };
// Another process may have begun it, or the next write does.
if (busy === 0) thrownBy(() => beginLog(connection));
connection.close();
process.exitCode = Number(busy);
