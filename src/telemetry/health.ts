/** The health of store, process and log output: kept up to date, and told to log and metrics (SPEC 9, 10). */

import { readdir, readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { type Clock, createReminder, steadyNow } from '../domain/clock.ts';
import { CONNECTION_REFUSALS, type ConnectionRefusal, type OnConnectionRefused } from '../domain/refusal.ts';
import { findStoreFault, type StoreFault, thrownBy } from '../domain/store/store-fault.ts';
import type { ConsoleStream } from './logs/log.ts';
import type { Metrics } from './metrics.ts';
import { type CheckResult, OK } from './readiness.ts';

export type Health = ReturnType<typeof openHealth>;

/** A login reads a file, and writes its attempt to a server. */
const WITHOUT_STORE = {
  sqlite: 'changes are answered with 503, and logins too where accounts cannot be read',
  postgres: 'logins and changes are answered with 503',
} as const;

export function openHealth(
  metrics: Metrics,
  log: Logger,
  clock: Clock,
  console: ConsoleStream,
  engine: keyof typeof WITHOUT_STORE,
) {
  metrics.storeUp.set(1);
  const store = createStoreHealth({
    now: steadyNow,
    onFault: (kind) => metrics.storeFaults.add(1, kind),
    onChange(fault) {
      metrics.storeUp.set(fault ? 0 : 1);
      if (fault) log.error({ err: fault }, `the store cannot be used, ${WITHOUT_STORE[engine]}: ${fault.message}`);
      else log.info('the store can be used again');
    },
  });
  const process = createProcessHealth({
    clock,
    ticks: steadyNow,
    onClockJump(seconds) {
      log.warn(
        { seconds },
        'the clock of the machine was set, so sessions end earlier or later than they should: check time synchronization (NTP)',
      );
    },
  });
  const dropped = console.dropped ?? (() => 0);
  let droppedBefore = 0;
  return {
    /** Each is counted; the log says each cause once a minute. */
    onConnectionRefused: connectionRefusals(metrics, log),
    store,
    process,
    changes: changesHealth(metrics, log),
    log(): CheckResult {
      const now = dropped();
      metrics.logLinesDropped.add(now - droppedBefore);
      droppedBefore = now;
      if (now === 0) return OK;
      return degraded(`${now} log lines were dropped: check what reads the output of the service, it is too slow`);
    },
    /** What is told of revocations that could not be written. */
    revocations: () => ({
      onHeld: (fault: unknown) =>
        log.error(
          { err: fault },
          'the end of a session could not be stored and is held in memory: see the cause, and do not restart before the store can be written',
        ),
      onWritten: (count: number) => log.info({ count }, 'ended sessions that were held in memory are stored now'),
    }),
    async close(): Promise<void> {
      process.close();
      await store.close();
    },
  };
}

/** The health of a store that several replicas share. */
function changesHealth(metrics: Metrics, log: Logger) {
  let state: CheckResult = { kind: 'unused' };
  return {
    check: () => state,
    /** Called once at each change: whether changes of other replicas are heard. */
    onHeard(isHeard: boolean, fault?: Error): void {
      metrics.storeChangesHeard.set(isHeard ? 1 : 0);
      const reason = 'changes of other replicas are not received, so each request asks the store';
      if (!isHeard) log.error({ err: fault }, `${reason}: see the cause, or check store.listen_url`);
      else if (state.kind === 'degraded') log.info('changes of other replicas are received again');
      state = isHeard ? OK : degraded(reason);
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

/** `ticks`: milliseconds of a clock that is never set. `onClockJump` gets seconds, negative when the clock was set back. */
export function createProcessHealth({
  clock,
  ticks,
  onClockJump,
}: {
  readonly clock: Clock;
  readonly ticks: () => number;
  readonly onClockJump: (seconds: number) => void;
}) {
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
    eventLoop: (): CheckResult =>
      ticks() - lag.at < TOLD_LAG_MS
        ? degraded(`the event loop was blocked for ${Math.round(lag.ms)} ms within the last minute`)
        : OK,
    clock(): CheckResult {
      look();
      return ticks() - jump.at < TOLD_JUMP_MS
        ? degraded(`the clock was set ${jump.seconds < 0 ? 'back' : 'forward'} by ${Math.abs(jump.seconds)} s`)
        : OK;
    },
    async descriptors(): Promise<CheckResult> {
      const use = await descriptorUse();
      if (!use) return { kind: 'unused' };
      if (use === 'none-left')
        return degraded('no file descriptor is left and connections are refused: raise the limit (ulimit -n)');
      const { open, limit } = use;
      return open > limit * NEAR_LIMIT ? degraded(`${open} of ${limit} file descriptors are in use`) : OK;
    },
    close: () => clearInterval(timer),
  };
}

const degraded = (reason: string): CheckResult => ({ kind: 'degraded', reason });

/** Undefined where the machine does not tell. */
async function descriptorUse(): Promise<{ readonly open: number; readonly limit: number } | 'none-left' | undefined> {
  try {
    const [open, limits] = await Promise.all([readdir('/proc/self/fd'), readFile('/proc/self/limits', 'utf8')]);
    const limit = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1]);
    return Number.isNaN(limit) ? undefined : { open: open.length, limit };
  } catch (fault) {
    // Looking takes a descriptor itself.
    const code = fault instanceof Error && 'code' in fault ? fault.code : '';
    return code === 'EMFILE' || code === 'ENFILE' ? 'none-left' : undefined;
  }
}

const PROBE_EVERY_MS = 15_000;
const FRESH_MS = 1000;
const GLANCE_MS = 500;
/** Longer than a probe waits for a lock. It goes on, and its answer counts. */
const SILENT_MS = 1500;
const DOUBT_MS = 250;
const SILENT = new Error('the store gives no answer');

/** The health of the store, known by a probe every 15 s, by one for each `/readyz`, and by each write that failed: the source of `postern_store_up` (SPEC 9, 10). */
function createStoreHealth({
  now,
  onFault,
  onChange,
}: {
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
  /** Each statement that failed because of the store. */
  readonly onFault: (kind: StoreFault) => void;
  /** Undefined: the store works again. */
  readonly onChange: (fault: Error | undefined) => void;
}) {
  let probe = async (): Promise<void> => {};
  /** Damage that a query met stays reported, even where the probe does not look: a backup is restored with the service stopped. */
  let damage: Error | undefined;
  let known: Error | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<Error | undefined> | undefined;
  let isAway = false;
  let doubt: NodeJS.Timeout | undefined;
  let again: NodeJS.Timeout | undefined;
  let isClosed = false;
  let timers: readonly NodeJS.Timeout[] = [];

  const settle = (fault: Error | undefined): Error | undefined => {
    const isChanged = (fault === undefined) !== (known === undefined);
    known = fault;
    askedAt = fault ? Number.NEGATIVE_INFINITY : now();
    if (isChanged) onChange(fault);
    return fault;
  };
  const ask = (): Promise<Error | undefined> => {
    if (asking) return asking;
    const silence = setTimeout(() => settle(SILENT), SILENT_MS).unref();
    asking = probe()
      .then(
        () => settle(damage),
        (fault: unknown) => settle(fault instanceof Error ? fault : new Error(String(fault))),
      )
      .finally(() => {
        clearTimeout(silence);
        asking = undefined;
      });
    return asking;
  };
  const look = (glance: () => void): void => {
    const was = isAway;
    isAway = thrownBy(glance) !== undefined;
    if (isAway === was) return;
    // What was damaged while the file was away is in place again with it, or found by the probe.
    if (was) damage = undefined;
    void ask();
  };
  return {
    /** Something has happened to the store: asks it now, and waits no longer than a moment. */
    look(): void {
      void ask();
      clearTimeout(doubt);
      doubt = setTimeout(() => asking && settle(SILENT), DOUBT_MS).unref();
    },
    /** Notes each statement that failed; called by the engine. A write that failed counts until a probe has written. */
    note(fault: unknown, by: 'read' | 'write'): void {
      const kind = findStoreFault(fault);
      if (kind === undefined || !(fault instanceof Error)) return;
      if (kind === 'corrupt') damage = fault;
      askedAt = Number.NEGATIVE_INFINITY;
      onFault(kind);
      if (by === 'read' || isClosed) return;
      settle(fault);
      clearTimeout(again);
      again = setTimeout(() => void ask(), FRESH_MS).unref();
    },
    /** Undefined when the store works, as far as it is known. */
    known: () => known,
    /** Probes every 15 s from now on; what `glance` throws, which costs nothing, is seen within a second. */
    watch(work: () => Promise<void>, glance?: () => void): void {
      probe = work;
      timers = [setInterval(() => void ask(), PROBE_EVERY_MS).unref()];
      if (glance) timers = [...timers, setInterval(() => look(glance), GLANCE_MS).unref()];
    },
    /** The same; asked anew unless it worked within the last second. */
    fault: async (): Promise<Error | undefined> => (now() - askedAt < FRESH_MS ? known : ask()),
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(again);
      clearTimeout(doubt);
      for (const timer of timers) clearInterval(timer);
      await asking;
    },
  };
}
