/** The process itself: event-loop lag, file descriptors against their limit, and jumps of the clock (SPEC 9). */
import { readdir, readFile } from 'node:fs/promises';
import type { Clock } from '../domain/clock.ts';
import { type CheckResult, OK } from './readiness.ts';

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
