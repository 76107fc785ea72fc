/** Introduces the gate to what stands behind it: the events backend, the NVR, and the cameras that they know (SPEC 6, 7). */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { layoutOfConfig, layoutOfNames } from './access/recorder-layout.ts';
import type { Settings } from './config/schema.ts';
import type { CustomRoles } from './domain/camera-scope.ts';
import { type Clock, unixSeconds } from './domain/clock.ts';
import { ADMIN, ANONYMOUS, type CameraName } from './domain/names.ts';
import type { Upstream } from './domain/socket-address.ts';
import { generateSampleEvents } from './events/sample-events.ts';
import { startEventsWorker } from './events/worker-handle.ts';
import { ask, askJson, type Question } from './gateway/ask-upstream.ts';
import type { ForwardRules } from './gateway/forward.ts';
import { type KnownCameraList, watchKnownCameras } from './gateway/known-cameras.ts';
import type { Store } from './store/open-store.ts';
import type { Check, Readiness } from './telemetry/telemetry-server.ts';

export interface EventsBackend {
  readonly upstream: Upstream;
  setCameras(cameras: readonly CameraName[]): void;
  /** Custom roles have changed. */
  tellRoles(): void;
  health(): Check;
  close(): Promise<void>;
}

/** Undefined when the NVR answers for events itself. Sample events are made only in a store that has none. */
export async function openEvents(
  settings: Settings,
  roles: () => CustomRoles,
  store: Store,
  clock: Clock,
  log: Logger,
): Promise<EventsBackend | undefined> {
  const { source, nvr_database, max_limit, query_timeout } = settings.events;
  if (source === 'nvr') return undefined;
  if (source === 'store') await makeSampleEvents(settings, store, clock);
  // Nobody but this process may enter the directory: who reaches the socket is believed.
  const directory = await mkdtemp(join(tmpdir(), 'postern-'));
  const socketPath = join(directory, 'events.sock');
  let crash: string | undefined;
  let cameras: readonly CameraName[] | null = settings.nvr.cameras ?? null;
  const worker = await startEventsWorker({
    roles: roles(),
    cameras,
    storeUrl: `sqlite:${settings.store.url.file}`,
    nvrDatabase: source === 'nvr-database' ? nvr_database : undefined,
    socketPath,
    maxLimit: max_limit,
    queryTimeout: query_timeout,
    onFault: (message) => log.error({ fault: message }, 'the events backend could not answer a request'),
    onCrash: (fault) => {
      crash = fault.message;
      log.error({ err: fault }, 'the events backend has ended: restart the service');
    },
  });
  return {
    upstream: { kind: 'unix', path: socketPath },
    setCameras(known) {
      cameras = known;
      worker.setRoles(roles(), cameras);
    },
    tellRoles: () => worker.setRoles(roles(), cameras),
    health: () => (crash === undefined ? { kind: 'ok' } : { kind: 'failed', reason: crash }),
    async close() {
      await worker.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function makeSampleEvents({ events, nvr }: Settings, store: Store, clock: Clock): Promise<void> {
  if (events.sample === 0 || (await store.events.cameras()).length > 0) return;
  const sample = generateSampleEvents({
    count: events.sample,
    seed: 1,
    cameras: nvr.cameras,
    until: unixSeconds(clock),
  });
  await store.writeEvents([...sample]);
}

export function watchCameras(settings: Settings, backend: EventsBackend | undefined, log: Logger): KnownCameraList {
  const { nvr } = settings;
  return watchKnownCameras({
    configured: nvr.cameras,
    ask: layoutAsker(settings, backend),
    // The store's own cameras need no telling: they are where they were found.
    onChange: (cameras) => nvr.url && backend?.setCameras(cameras),
    onFault: (fault) => log.warn({ err: fault }, 'the list of cameras could not be read: it will be asked for again'),
  });
}

function layoutAsker(settings: Settings, backend: EventsBackend | undefined) {
  const { url, cameras } = settings.nvr;
  const ask = askerOf(settings);
  if (url) return async () => layoutOfConfig(await ask(url, '/api/config'), cameras);
  if (!backend || cameras) return undefined;
  return async () => layoutOfNames((await ask(backend.upstream, '/cameras')) as CameraName[]);
}

/** The JSON of a 200 answer, undefined of a 404. */
export const askerOf = (settings: Settings) => (upstream: Upstream, path: string) =>
  askJson(questionFor(settings, upstream, path));

const PATIENCE_SECONDS = 5;

/** Asked in the service's own name, with an admin's rights. */
export const questionFor = ({ nvr }: Settings, upstream: Upstream, path: string): Question => ({
  upstream,
  path,
  headers: {
    [nvr.user_header]: ANONYMOUS,
    [nvr.role_header]: ADMIN,
    ...(nvr.auth_secret === undefined ? {} : { 'x-proxy-secret': nvr.auth_secret }),
  },
  timeout: PATIENCE_SECONDS,
  ca: undefined,
  verify: nvr.verify,
});

export async function forwardRulesOf({ nvr, auth }: Settings): Promise<ForwardRules> {
  return {
    cookieName: auth.cookie_name,
    maxUpload: nvr.max_upload,
    timeoutConnect: nvr.timeout_connect,
    timeoutResponse: nvr.timeout_response,
    timeoutIdle: nvr.timeout_idle,
    ca: nvr.ca === undefined ? undefined : await readFile(nvr.ca, 'utf8'),
    verify: nvr.verify,
  };
}

/** What `/readyz` says (SPEC 9). */
export function readinessOf(settings: Settings, store: Store, backend: EventsBackend | undefined) {
  return async (): Promise<Readiness> => ({
    store: await checked(() => store.accounts.countUsers()),
    nvr: await nvrCheck(settings),
    events: backend ? backend.health() : { kind: 'unused' },
  });
}

export async function nvrCheck(settings: Settings): Promise<Check> {
  const { url } = settings.nvr;
  if (!url) return { kind: 'unused' };
  return checked(async () => (await ask(questionFor(settings, url, '/api/version'))).destroy());
}

async function checked(look: () => Promise<unknown>): Promise<Check> {
  try {
    await look();
    return { kind: 'ok' };
  } catch (fault) {
    return { kind: 'failed', reason: fault instanceof Error ? fault.message : String(fault) };
  }
}
