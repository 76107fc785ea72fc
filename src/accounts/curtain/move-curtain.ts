/** Draws the curtain and opens it: what is asked for, checked, and what is drawn then (SPEC 19). */
import { type Curtain, type DrawnEntry, isDrawn } from '../../domain/accounts/curtain.ts';
import { maySee, scopeOf, wildcardsFault } from '../../domain/camera-scope.ts';
import { err, ok, type Result } from '../../domain/result.ts';
import { cameraEntriesIn, shown } from '../http/json-body.ts';

/** What was asked for, not yet checked. */
export interface WantedCurtain {
  readonly cameras: readonly unknown[];
  /** Unix seconds. Null or absent: until it is opened. */
  readonly until?: unknown;
}

export interface CurtainFacts {
  /** What is drawn at `now`. */
  readonly drawn: Curtain;
  /** Unix seconds. */
  readonly now: number;
  readonly by: string;
}

export interface CurtainRefusal {
  readonly status: 400 | 409;
  readonly message: string;
}

/** Drawn entries, all patterns together. */
export const MOST_DRAWN = 200;

const refused = (message: string, status: CurtainRefusal['status'] = 400) => err({ status, message });

/** The entries to draw: they take the place of those of the same text. */
export function entriesToDraw(
  wanted: WantedCurtain,
  { drawn, now, by }: CurtainFacts,
): Result<readonly DrawnEntry[], CurtainRefusal> {
  const cameras = camerasIn(wanted.cameras);
  if (!cameras.ok) return cameras;
  const until = untilIn(wanted.until ?? null, now);
  if (!until.ok) return until;
  const all = new Set([...drawn.map(({ camera }) => camera), ...cameras.value]);
  const fault = wildcardsFault([...all]);
  if (fault !== undefined) return refused(`cameras: the curtain ${fault}`);
  if (all.size > MOST_DRAWN)
    return refused(`cameras: ${all.size} entries would be drawn, and ${MOST_DRAWN} are the most: use "*" in names`);
  const end = until.value !== null && { until: until.value };
  return ok(cameras.value.map((camera) => ({ camera, ...end, by, drawnAt: now })));
}

/** The texts of the entries to open; none of those that are not drawn. Errs where a camera would stay drawn by a pattern. */
export function entriesToOpen(
  wanted: readonly unknown[],
  { drawn }: Pick<CurtainFacts, 'drawn'>,
): Result<readonly string[], CurtainRefusal> {
  const cameras = camerasIn(wanted);
  if (!cameras.ok) return cameras;
  for (const camera of cameras.value.filter((entry) => !entry.includes('*'))) {
    const pattern = drawn.find(
      (entry) => !cameras.value.includes(entry.camera) && maySee(scopeOf([entry.camera]), camera),
    );
    if (pattern)
      return refused(
        `cameras: ${camera} is drawn by the pattern ${pattern.camera}: open that, and draw the cameras that shall stay so`,
        409,
      );
  }
  return ok(cameras.value.filter((camera) => drawn.some((entry) => entry.camera === camera)));
}

export const drawnNow = (curtain: Curtain, now: number): Curtain => curtain.filter((entry) => isDrawn(entry, now));

function camerasIn(wanted: readonly unknown[]): Result<readonly string[], CurtainRefusal> {
  if (wanted.length === 0 || wanted.length > MOST_DRAWN)
    return refused(`cameras: give a list of 1 to ${MOST_DRAWN} names`);
  const cameras = cameraEntriesIn(wanted);
  return cameras.ok ? cameras : refused(`cameras: ${cameras.error}`);
}

function untilIn(wanted: unknown, now: number): Result<number | null, CurtainRefusal> {
  if (wanted === null) return ok(null);
  if (typeof wanted !== 'number' || !Number.isSafeInteger(wanted))
    return refused(`until: ${shown(wanted)} is no time: give whole Unix seconds, or null for no end`);
  return wanted > now
    ? ok(wanted)
    : refused(`until: ${wanted} has passed already: give a later time, or null for no end`);
}
