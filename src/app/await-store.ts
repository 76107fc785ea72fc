/** A start while the server of the store cannot be reached: every request is 503 and /readyz tells why, until it can be (SPEC 10). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { storeAddress } from '../config/schema/store-schema.ts';
import { withTimeLimit } from '../domain/async.ts';
import { REFUSALS, refusalBody } from '../domain/refusal.ts';
import { openCertificates } from '../gateway/certificates/certificates.ts';
import type { Handlers } from '../gateway/entry/app.ts';
import { unreachableFault } from '../store/open-store.ts';
import { connectionRefusals } from '../telemetry/health.ts';
import { createLogs, logRules } from '../telemetry/logs/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { OK, readinessOf } from '../telemetry/readiness.ts';
import { createScrape } from '../telemetry/scrape.ts';
import { createTelemetryServer } from '../telemetry/telemetry-server.ts';
import { openListeners } from './listeners.ts';
import { loadFeatures } from './resources/features.ts';
import type { StartOptions } from './start-options.ts';

const NEVER = new Promise<void>(() => {});
const BETWEEN_ATTEMPTS_MS = 1000;
const RETRY_AFTER_SECONDS = '5';

/** Says that the service was stopped before it had started. */
export class StoppedAtStart extends Error {}

/**
 * Resolves when the server of the store answers, at once for a store that is a file. Rejects with `StoppedAtStart` when
 * `options.stopped` comes first, and with a sentence when an address cannot be had.
 */
export async function awaitStore(options: StartOptions): Promise<void> {
  const { store } = options.config.settings;
  if (store.url.engine !== 'postgres') return;
  const url = storeAddress(store.url);
  const fault = await unreachableFault(url);
  if (fault) await waitFor(url, fault, options);
}

async function waitFor(url: string, first: Error, options: StartOptions): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const { config, clock, version, features, log: destination, stopped = NEVER } = options;
  const { settings } = config;
  const log = createLogs({ rules: logRules(settings), destination, clock }).named('service');
  let fault: Error | undefined = first;
  let isStopped = false;
  const metrics = createMetrics({ version, node: process.version, roles: [], identityHeaders: [] });
  metrics.storeUp.set(0);
  metrics.storeFaults.add(1, 'unreachable');
  const families = (await loadFeatures(features)).flatMap((feature) => Object.values(feature.metrics?.() ?? {}));
  const store = () => ({ kind: 'failed', reason: fault?.message ?? '' }) as const;
  const certificates = await openCertificates(config, clock, log);
  opened.defer(() => certificates?.close());
  const { drain } = await openListeners({
    settings,
    serving: { generation: { gates: { external: CLOSED, internal: CLOSED }, settings } },
    tls: certificates,
    telemetry: createTelemetryServer({
      scrape: createScrape([...Object.values(metrics), ...families]),
      readiness: () => readinessOf({ store, event_loop: () => OK, log: () => OK }),
      isStopping: () => isStopped,
      hosts: () => settings.server.internal_hosts,
    }),
    onConnectionRefused: connectionRefusals(metrics, log),
  });
  opened.defer(() => drain(0));
  log.error({ err: fault }, `the store cannot be used, every request is answered with 503: ${fault.message}`);
  void stopped.then(() => {
    isStopped = true;
  });
  while (fault) {
    await withTimeLimit(stopped, BETWEEN_ATTEMPTS_MS, () => undefined);
    if (isStopped) throw new StoppedAtStart('stopped before the store could be reached');
    fault = await unreachableFault(url);
  }
  log.info('the store can be used now');
}

const BODY = JSON.stringify(refusalBody('store-unavailable'));
const HEADERS = {
  'content-type': 'application/json',
  'content-length': String(Buffer.byteLength(BODY)),
  'cache-control': 'no-store',
  'retry-after': RETRY_AFTER_SECONDS,
  connection: 'close',
};

/** Refuses everything. No body of a request is read. */
const CLOSED: Handlers = {
  onRequest(_: IncomingMessage, response: ServerResponse) {
    response.writeHead(REFUSALS['store-unavailable'].status, HEADERS).end(BODY);
  },
  onUpgrade(_: IncomingMessage, socket: Duplex) {
    const lines = Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${REFUSALS['store-unavailable'].status} Service Unavailable\r\n${lines.join('')}\r\n${BODY}`);
  },
};
