/** The events backend: a worker that is kept running and told the roles and the cameras (SPEC 7). */
import { chmod, lstat, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Services } from '../app/services.ts';
import type { Settings } from '../config/schema/schema.ts';
import { storeAddress } from '../config/schema/store-schema.ts';
import type { Upstream } from '../domain/addresses.ts';
import type { CustomRoles } from '../domain/camera-scope.ts';
import { type DeletionGuard, steadyNow, unixSeconds } from '../domain/clock.ts';
import type { CameraName } from '../domain/names.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import type { Store } from '../store/open-store.ts';
import type { PartState } from '../telemetry/readiness.ts';
import { keepEvents } from './event-upkeep.ts';
import { generateSampleEvents } from './sample-events.ts';
import { askWorker, keepWorker, startEventsWorker } from './worker.ts';

export type EventsBackend = NonNullable<Awaited<ReturnType<typeof openEvents>>>;

/** Longer questions end with 503, which says how to narrow them. */
export const QUERY_SECONDS = 10;

export interface EventsDeps extends Pick<Services, 'clock' | 'log' | 'metrics'> {
  readonly roles: () => CustomRoles;
  /** Tells the other services on the store which cameras the NVR has. Never rejects. */
  readonly publishCameras: (cameras: readonly string[]) => Promise<void>;
  readonly store: Store;
  readonly mayDelete: DeletionGuard;
}

/** Undefined when the NVR answers for events itself. Sample events are made only in a store that has none. */
export async function openEvents(settings: Settings, deps: EventsDeps) {
  const { source, nvr_database, retention } = settings.events;
  const { roles, log, metrics } = deps;
  if (source === 'nvr') return undefined;
  if (source === 'store') await makeSampleEvents(settings, deps);
  const upkeep =
    source === 'store' &&
    keepEvents(
      deps,
      retention,
      (events) => events > 0 && log.info({ events }, 'events older than events.retention were deleted'),
      (err) =>
        log.warn({ err }, 'events older than events.retention could not be deleted: see the cause; retrying in 1 h'),
    );
  // Only this process may enter the directory: the backend believes every request on its socket.
  const directory = await mkdtemp(join(tmpdir(), 'postern-'));
  const { uid } = await stat(directory);
  const socketPath = join(directory, 'events.sock');
  let cameras: readonly CameraName[] | null = settings.nvr.cameras ?? null;
  /** A damaged page is met by some queries only: it is told until a restart, which a restored backup needs. */
  let damage: string | undefined;
  const start = async (onCrash: (fault: Error) => void) => {
    await makeReady(directory, socketPath, uid);
    return startEventsWorker({
      roles: roles(),
      cameras,
      storeUrl: storeAddress(settings.store.url),
      nvrDatabase: source === 'nvr-database' ? nvr_database : undefined,
      socketPath,
      queryTimeout: QUERY_SECONDS,
      onFault(message, storeFault) {
        if (storeFault) metrics.storeFaults.add(1, storeFault);
        if (storeFault === 'corrupt') damage ??= message.split('\n', 1)[0];
        log.error({ fault: message }, 'the events backend failed to answer a request: see the cause');
      },
      onCrash,
    });
  };
  const worker = keepWorker({
    start,
    ask: () => askWorker(socketPath),
    longestWork: QUERY_SECONDS * 1000,
    now: steadyNow,
    onDown(fault, pause) {
      metrics.eventsUp.set(0);
      log.error({ err: fault, inSeconds: pause / 1000 }, 'the events backend has ended: it is being restarted');
    },
    onUp(isAnother) {
      metrics.eventsUp.set(1);
      worker.setRoles(roles(), cameras); // they may have changed while it started
      if (!isAnother) return;
      metrics.eventsRestarts.add(1);
      log.info('the events backend runs again');
    },
  });
  const isAtOnce = isStartedAtOnce(settings);
  if (isAtOnce) await worker.start();
  const upstream: Upstream = { kind: 'unix', path: socketPath, ...(isAtOnce ? {} : { wake: worker.wake }) };
  return {
    upstream,
    setCameras(known: readonly CameraName[]): void {
      cameras = known;
      worker.setRoles(roles(), cameras);
    },
    /** Custom roles have changed. */
    tellRoles: (): void => worker.setRoles(roles(), cameras),
    async health(): Promise<PartState> {
      await worker.wake();
      if (damage !== undefined) return failed(damage, 'events-unreadable');
      const fault = worker.fault();
      if (fault) return failed(`it has ended and is started again: ${fault.message}`);
      const status = await worker.look();
      return status.kind === 'ok'
        ? status
        : failed(status.reason, status.kind === 'unreadable' ? 'events-unreadable' : undefined);
    },
    /** Answers what is in flight, then ends. */
    async close(): Promise<void> {
      if (upkeep) await upkeep.close();
      await worker.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const failed = (reason: string, problem: RefusalReason = 'backend-unavailable'): PartState => ({
  kind: 'failed',
  reason,
  problem,
});

/**
 * Many instances are never asked for events: the worker, 20 MB and half the time of a start, waits for the first question. Not
 * where it may fail at once by what the operator has set.
 */
const isStartedAtOnce = ({ events }: Settings): boolean => events.source === 'nvr-database';

async function makeSampleEvents({ events, nvr }: Settings, { store, clock }: EventsDeps): Promise<void> {
  if (events.sample === 0 || (await store.events.cameras()).length > 0) return;
  const sample = generateSampleEvents({
    count: events.sample,
    seed: 1,
    cameras: nvr.cameras,
    until: unixSeconds(clock),
  });
  await store.writeEvents([...sample]);
}

const OWNER_ONLY = 0o700;

/**
 * A cleaner of temporary files may have removed the directory. Another user could then make one of its name, and
 * listen in our place: a directory that is not ours alone is not used.
 */
async function makeReady(directory: string, socketPath: string, uid: number): Promise<void> {
  await mkdir(directory, { mode: OWNER_ONLY }).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'EEXIST') throw fault;
  });
  const found = await lstat(directory);
  if (!found.isDirectory() || found.uid !== uid) throw new Error(`${directory} belongs to another user: remove it`);
  await chmod(directory, OWNER_ONLY);
  await rm(socketPath, { force: true });
}
