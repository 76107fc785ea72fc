/** The second composition root: the events backend as a thread beside the gate, with the events opened read-only (SPEC 7). */
import { createServer } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { MOST_HEAD_BYTES } from './domain/request.ts';
import { findStoreFault } from './domain/store/store-fault.ts';
import { createEventsBackend } from './events/backend.ts';
import type { EventsWorkerSettings, FromEventsWorker, ToEventsWorker } from './events/worker.ts';
import { openNvrDatabase } from './store/nvr-database.ts';
import { openStore } from './store/open-store.ts';

const settings = workerData as EventsWorkerSettings;
const tell = (message: FromEventsWorker): void => parentPort?.postMessage(message);

let { roles, cameras } = settings;
const place = settings.nvrDatabase
  ? await openNvrDatabase(settings.nvrDatabase)
  : await openStore({
      url: settings.storeUrl,
      readOnly: true,
      isBeside: true,
      statementSeconds: settings.queryTimeout,
    });
const stopping = new AbortController();
const backend = createEventsBackend({
  stopping: stopping.signal,
  events: place.events,
  roles: () => roles,
  cameras: () => cameras,
  showsUnlisted: settings.nvrDatabase === undefined,
  queryTimeout: settings.queryTimeout,
  now: () => performance.now(),
  startedAt: Date.now() / 1000,
  onFault: (fault) =>
    tell({
      kind: 'fault',
      message: fault instanceof Error ? (fault.stack ?? fault.message) : `${fault}`,
      storeFault: findStoreFault(fault),
    }),
});
// The gate adds what it knows of the caller.
const server = createServer({ maxHeaderSize: 2 * MOST_HEAD_BYTES }, backend);

parentPort?.on('message', (message: ToEventsWorker) => {
  if (message.kind === 'roles') ({ roles, cameras } = message);
  else stop();
});

function stop(): void {
  parentPort?.close();
  stopping.abort();
  server.close(() => void place.close());
  server.closeIdleConnections();
}

server.listen(settings.socketPath, () => tell({ kind: 'ready' }));
