/** Builds `/readyz` from the parts of the service, and the health of store and process behind it (SPEC 9, 10). */
import type { Logger } from 'pino';
import type { Settings } from '../../config/schema.ts';
import type { Clock } from '../../domain/clock.ts';
import type { HeldRevocationDeps } from '../../store/held-revocations.ts';
import { createStoreHealth, type StoreHealth } from '../../store/store-health.ts';
import type { ConsoleStream } from '../../telemetry/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { createProcessHealth, type ProcessHealth } from '../../telemetry/process-health.ts';
import { type Check, checked, OK, type Reached, type Readiness } from '../../telemetry/readiness.ts';
import type { EventsBackend } from '../resources/events.ts';
import { ticks } from '../resources/ticks.ts';
import type { Certificates } from '../resources/tls.ts';
import { nvrCheck } from '../resources/upstreams.ts';

export interface Health {
  readonly store: StoreHealth;
  readonly process: ProcessHealth;
  log(): Check;
  /** What is told of revocations that could not be written. */
  revocations(clock: Clock): HeldRevocationDeps;
  close(): Promise<void>;
}

export function openHealth(metrics: Metrics, log: Logger, clock: Clock, console: ConsoleStream): Health {
  metrics.storeUp.set(1);
  const store = createStoreHealth({
    now: ticks,
    onFault: (kind) => metrics.storeFaults.add(1, kind),
    onChange(fault) {
      metrics.storeUp.set(fault ? 0 : 1);
      if (fault)
        log.error(
          { err: fault },
          `the store cannot be used, logins and changes are answered with 503: ${fault.message}`,
        );
      else log.info('the store can be used again');
    },
  });
  const process = createProcessHealth({
    clock,
    ticks,
    onClockJump(seconds) {
      metrics.clockJumps.add(1);
      log.warn(
        { seconds },
        'the clock of the machine was set: sessions end earlier or later than they should; check its time synchronization',
      );
    },
  });
  const dropped = console.dropped ?? (() => 0);
  let droppedBefore = 0;
  return {
    store,
    process,
    log() {
      const now = dropped();
      metrics.logLinesDropped.add(now - droppedBefore);
      droppedBefore = now;
      return now === 0
        ? OK
        : { kind: 'degraded', reason: `${now} log lines were dropped: nothing reads the output, or too slowly` };
    },
    revocations: (clock) => ({
      clock,
      onHeld: (fault) =>
        log.error(
          { err: fault },
          'the end of a session could not be stored: it holds in memory until the store can be written; see the cause, and do not restart before',
        ),
      onWritten: (count) => log.info({ count }, 'ended sessions that were held in memory are stored now'),
    }),
    async close() {
      process.close();
      await store.close();
    },
  };
}

/** What `/readyz` says. */
export function readinessOf(
  settings: Settings,
  { health, certificates }: { readonly health: Health; readonly certificates: Certificates | undefined },
  backend: EventsBackend | undefined,
) {
  return async (): Promise<Readiness> => {
    const [store, nvr, events, descriptors] = await Promise.all([
      storeCheck(health.store),
      nvrCheck(settings),
      backend ? backend.health() : ({ kind: 'unused' } as const),
      health.process.descriptors(),
    ]);
    const refused = certificates?.problem();
    return {
      store,
      nvr,
      events,
      certificate: certificates
        ? refused === undefined
          ? OK
          : { kind: 'degraded', reason: refused }
        : { kind: 'unused' },
      descriptors,
      event_loop: health.process.eventLoop(),
      clock: health.process.clock(),
      log: health.log(),
    };
  };
}

const storeCheck = (store: StoreHealth): Promise<Reached> =>
  checked(async () => {
    const fault = await store.fault();
    if (fault) throw fault;
  });
