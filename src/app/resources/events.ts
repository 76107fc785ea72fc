/** Introduces the gate to the events backend: a worker beside it, that is kept running and told who may see what (SPEC 7). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Settings } from '../../config/schema.ts';
import { storeAddress } from '../../config/store-schema.ts';
import type { CustomRoles } from '../../domain/camera-scope.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { CameraName } from '../../domain/names.ts';
import type { Upstream } from '../../domain/socket-address.ts';
import { keepWorker } from '../../events/keep-worker.ts';
import { generateSampleEvents } from '../../events/sample-events.ts';
import { startEventsWorker } from '../../events/worker-handle.ts';
import type { Store } from '../../store/open-store.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Check } from '../../telemetry/telemetry-server.ts';
import { ticks } from './ticks.ts';

export interface EventsBackend {
  readonly upstream: Upstream;
  setCameras(cameras: readonly CameraName[]): void;
  /** Custom roles have changed. */
  tellRoles(): void;
  health(): Check;
  /** Answers what is in flight, then ends. */
  close(): Promise<void>;
}

export interface EventsDeps {
  /** As last read. */
  readonly roles: () => CustomRoles;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Undefined when the NVR answers for events itself. Sample events are made only in a store that has none. */
export async function openEvents(settings: Settings, deps: EventsDeps): Promise<EventsBackend | undefined> {
  const { source, nvr_database, max_limit, query_timeout } = settings.events;
  const { roles, log, metrics } = deps;
  if (source === 'nvr') return undefined;
  if (source === 'store') await makeSampleEvents(settings, deps);
  // Nobody but this process may enter the directory: who reaches the socket is believed.
  const directory = await mkdtemp(join(tmpdir(), 'postern-'));
  const socketPath = join(directory, 'events.sock');
  let cameras: readonly CameraName[] | null = settings.nvr.cameras ?? null;
  const start = (onCrash: (fault: Error) => void) =>
    startEventsWorker({
      roles: roles(),
      cameras,
      storeUrl: storeAddress(settings.store.url),
      nvrDatabase: source === 'nvr-database' ? nvr_database : undefined,
      socketPath,
      maxLimit: max_limit,
      queryTimeout: query_timeout,
      onFault: (message) => log.error({ fault: message }, 'the events backend could not answer a request'),
      onCrash,
    });
  const worker = await keepWorker({
    start,
    now: ticks,
    onDown(fault, pause) {
      metrics.eventsUp.set(0);
      log.error({ err: fault, inSeconds: pause / 1000 }, 'the events backend has ended: it is started again');
    },
    onUp() {
      metrics.eventsUp.set(1);
      metrics.eventsRestarts.add(1);
      log.info('the events backend runs again');
    },
  });
  metrics.eventsUp.set(1);
  return {
    upstream: { kind: 'unix', path: socketPath },
    setCameras(known) {
      cameras = known;
      worker.setRoles(roles(), cameras);
    },
    tellRoles: () => worker.setRoles(roles(), cameras),
    health() {
      const fault = worker.fault();
      return fault ? { kind: 'failed', reason: `it has ended and is started again: ${fault.message}` } : { kind: 'ok' };
    },
    async close() {
      await worker.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

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
