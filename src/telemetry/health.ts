/** The health of store, process and log output, kept up to date (SPEC 9, 10). */

import { readdir, readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { sharedRun, withTimeLimit } from '../domain/async.ts';
import { type Clock, createReminder, steadyNow } from '../domain/clock.ts';
import { CONNECTION_REFUSALS, type ConnectionRefusal, type OnConnectionRefused } from '../domain/refusal.ts';
import { findStoreFault, thrownBy } from '../domain/store/store-fault.ts';
import type { ConsoleStream } from './logs/log.ts';
import type { Metrics } from './metrics.ts';
import { createKnownCheck, degradedBy, OK, type PartState, type Parts, UNUSED, watchFault } from './readiness.ts';

/** A login reads a file, and writes its attempt to a server. */
const WITHOUT_STORE = {
  sqlite: 'changes are answered with 503, and logins too where accounts cannot be read',
  postgres: 'logins and changes are answered with 503',
} as const;
const UNHEARD = 'changes of other replicas are not received, so each request asks the store';

/** The parts that outlive every reload. */
export function openHealth(
  metrics: Metrics,
  log: Logger,
  clock: Clock,
  console: ConsoleStream,
  engine: keyof typeof WITHOUT_STORE,
) {
  const store = createStoreHealth(metrics, log, WITHOUT_STORE[engine]);
  const process = createProcessHealth(clock, (seconds) =>
    log.warn(
      { seconds },
      'the clock of the machine was set, so sessions end earlier or later than they should: check time synchronization (NTP)',
    ),
  );
  const hearing = watchFault<{ readonly err: Error | undefined }>({
    up: metrics.storeChangesHeard,
    onFault: (fault) => log.error(fault, `${UNHEARD}: see the cause, or check store.listen_url`),
    onReturn: () => log.info('changes of other replicas are received again'),
  });
  let dropped = 0;
  /** Counts the log lines that were dropped since the last time. */
  const countDropped = (): number => {
    const before = dropped;
    dropped = console.dropped?.() ?? 0;
    metrics.logLinesDropped.add(dropped - before);
    return dropped;
  };
  return {
    /** Each is counted; the log says each cause once a minute. */
    onConnectionRefused: connectionRefusals(metrics, log),
    store,
    /** Called once at each change: whether changes of other replicas are heard. */
    onHeard: (isHeard: boolean, err?: Error): void => hearing.found(isHeard ? undefined : { err }),
    countDropped,
    parts: {
      store: store.part,
      store_changes: () => (engine === 'postgres' ? degradedBy(hearing.fault() && UNHEARD) : UNUSED),
      descriptors: descriptorsPart,
      event_loop: process.eventLoop,
      clock: process.clock,
      log() {
        const lines = countDropped();
        return degradedBy(
          lines > 0 && `${lines} log lines were dropped: check what reads the output of the service, it is too slow`,
        );
      },
    } satisfies Parts,
    async close(): Promise<void> {
      process.close();
      await store.close();
    },
  };
}

/** Counts connections and heads that never became a request, and logs each cause once a minute with its peer (SPEC 5). */
export function connectionRefusals(metrics: Metrics, log: Pick<Logger, 'warn' | 'error'>): OnConnectionRefused {
  const isDue = createReminder<ConnectionRefusal>();
  return (cause, peer, code) => {
    metrics.connectionsRefused.add(1, cause);
    if (!isDue(cause)) return;
    log[cause === 'full' ? 'error' : 'warn']({ peer, cause, ...(code && { code }) }, CONNECTION_REFUSALS[cause]);
  };
}

/** The process itself: event-loop lag, file descriptors against their limit, and jumps of the clock (SPEC 9). */
const EVERY_MS = 1000;
/** A lag or a jump is told for so long. */
const TOLD_LAG_MS = 60_000;
const TOLD_JUMP_MS = 600_000;
const LAG_MS = 1000;
const JUMP_MS = 10_000;
/** Share of the limit, beyond which connections may soon be refused. */
const NEAR_LIMIT = 0.8;

/** `onClockJump` gets seconds, negative when the clock was set back. `ticks`: milliseconds of a clock that is never set. */
export function createProcessHealth(clock: Clock, onClockJump: (seconds: number) => void, ticks = steadyNow) {
  let last = { wall: clock.now(), steady: ticks() };
  let lag = { ms: 0, at: Number.NEGATIVE_INFINITY };
  let jump = { seconds: 0, at: Number.NEGATIVE_INFINITY };
  const look = (): void => {
    const now = { wall: clock.now(), steady: ticks() };
    const late = now.steady - last.steady - EVERY_MS;
    if (late >= LAG_MS && (late > lag.ms || now.steady - lag.at > TOLD_LAG_MS)) lag = { ms: late, at: now.steady };
    const moved = now.wall - last.wall - (now.steady - last.steady);
    if (Math.abs(moved) >= JUMP_MS) {
      jump = { seconds: Math.round(moved / 1000), at: now.steady };
      onClockJump(jump.seconds);
    }
    last = now;
  };
  const timer = setInterval(look, EVERY_MS).unref();
  return {
    eventLoop: () =>
      degradedBy(
        ticks() - lag.at < TOLD_LAG_MS &&
          `the event loop was blocked for ${Math.round(lag.ms)} ms within the last minute`,
      ),
    clock() {
      look();
      return degradedBy(
        ticks() - jump.at < TOLD_JUMP_MS &&
          `the clock was set ${jump.seconds < 0 ? 'back' : 'forward'} by ${Math.abs(jump.seconds)} s`,
      );
    },
    close: () => clearInterval(timer),
  };
}

/** Open file descriptors against their limit; unused where the machine does not tell. */
export async function descriptorsPart(): Promise<PartState> {
  try {
    const [open, limits] = await Promise.all([readdir('/proc/self/fd'), readFile('/proc/self/limits', 'utf8')]);
    const limit = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1]);
    if (Number.isNaN(limit)) return UNUSED;
    return degradedBy(open.length > limit * NEAR_LIMIT && `${open.length} of ${limit} file descriptors are in use`);
  } catch (fault) {
    // Looking takes a descriptor itself.
    if (!['EMFILE', 'ENFILE'].includes(Object(fault).code)) return UNUSED;
    return degradedBy('no file descriptor is left and connections are refused: raise the limit (ulimit -n)');
  }
}

const PROBE_EVERY_MS = 15_000;
const FRESH_MS = 1000;
const GLANCE_MS = 500;
/** Longer than a probe waits for a lock. It goes on, and its answer counts. */
const SILENT_MS = 1500;
const DOUBT_MS = 250;
const SILENT = new Error('the store gives no answer');

/**
 * The health of the store, known by a probe every 15 s, by one for each `/readyz`, and by each write that failed: the source
 * of `postern_store_up` (SPEC 9, 10). `consequence`: what does not work without it.
 */
function createStoreHealth(metrics: Metrics, log: Logger, consequence: string) {
  let probe = async (): Promise<void> => {};
  /** Damage that a query met stays reported, even where the probe does not look: a backup is restored with the service stopped. */
  let damage: Error | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let isAway = false;
  let again: NodeJS.Timeout | undefined;
  let isClosed = false;
  let timers: readonly NodeJS.Timeout[] = [];
  const state = watchFault<Error>({
    up: metrics.storeUp,
    onFault: (err) => log.error({ err }, `the store cannot be used, ${consequence}: ${err.message}`),
    onReturn: () => log.info('the store can be used again'),
  });
  state.found();

  const settle = (fault: Error | undefined): Error | undefined => {
    askedAt = fault ? Number.NEGATIVE_INFINITY : steadyNow();
    state.found(fault);
    return fault;
  };
  const ask = sharedRun(async (): Promise<Error | undefined> => {
    const silence = setTimeout(() => settle(SILENT), SILENT_MS).unref();
    try {
      await probe();
      return settle(damage);
    } catch (fault) {
      return settle(fault instanceof Error ? fault : new Error(String(fault)));
    } finally {
      clearTimeout(silence);
    }
  });
  const look = (glance: () => void): void => {
    const was = isAway;
    isAway = thrownBy(glance) !== undefined;
    if (isAway === was) return;
    // What was damaged while the file was away is in place again with it, or found by the probe.
    if (was) damage = undefined;
    void ask();
  };
  /** Undefined when the store works; asked anew unless it worked within the last second. */
  const fault = async (): Promise<Error | undefined> => (steadyNow() - askedAt < FRESH_MS ? state.fault() : ask());
  const toPart = (why: Error | undefined): PartState =>
    why ? { kind: 'failed', reason: why.message, problem: 'store-unavailable' } : OK;
  return {
    fault,
    part: createKnownCheck({
      name: 'the store',
      problem: 'store-unavailable',
      ask: async () => toPart(await fault()),
      known: () => toPart(state.fault()),
    }),
    /** Something has happened to the store: asks it now, and waits no longer than a moment. */
    look: (): void => void withTimeLimit(ask(), DOUBT_MS, () => isClosed || settle(SILENT)),
    /** Notes each statement that failed; called by the engine. A write that failed counts until a probe has written. */
    note(fault: unknown, by: 'read' | 'write'): void {
      const kind = findStoreFault(fault);
      if (kind === undefined || !(fault instanceof Error)) return;
      if (kind === 'corrupt') damage = fault;
      askedAt = Number.NEGATIVE_INFINITY;
      metrics.storeFaults.add(1, kind);
      if (by === 'read' || isClosed) return;
      settle(fault);
      clearTimeout(again);
      again = setTimeout(() => void ask(), FRESH_MS).unref();
    },
    /** Probes every 15 s from now on; what `glance` throws, which costs nothing, is seen within a second. */
    watch(work: () => Promise<void>, glance?: () => void): void {
      probe = work;
      timers = [setInterval(() => void ask(), PROBE_EVERY_MS).unref()];
      if (glance) timers = [...timers, setInterval(() => look(glance), GLANCE_MS).unref()];
    },
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(again);
      for (const timer of timers) clearInterval(timer);
      await ask.underWay();
    },
  };
}
