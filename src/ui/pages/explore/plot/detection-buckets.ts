/** Detections counted by stretch of time and by camera: what the plot draws. */
import type { TimeRange } from './plot-range.ts';

export interface Detection {
  readonly camera: string;
  /** Unix seconds. */
  readonly startTime: number;
}

export interface DetectionBuckets {
  readonly stepSeconds: number;
  /** Unix seconds, one per stretch, without gaps. */
  readonly starts: readonly number[];
  /** The busiest first. */
  readonly cameras: readonly { readonly name: string; readonly total: number; readonly counts: readonly number[] }[];
}

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** The finest step that needs no more stretches than this; an hour is the usual one. */
const MOST_STRETCHES = 96;
const STEPS_SECONDS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, DAY, 7 * DAY, 28 * DAY, 364 * DAY];

/**
 * Stretches begin at whole hours and days of the viewer: `offsetSeconds` is what their clock is ahead of UTC.
 * They reach from the first detection to the last, or over the `range` if that is longer.
 */
export function bucketDetections(
  detections: readonly Detection[],
  offsetSeconds = 0,
  range?: TimeRange,
): DetectionBuckets {
  // The end of the range is the beginning of what is no longer wanted.
  const ends = range && detections.length > 0 ? [range.from, range.to - 1] : [];
  const times = [...ends, ...detections.map(({ startTime }) => startTime)];
  const [first, last] = [least(times), most(times)];
  const stepSeconds = STEPS_SECONDS.find((step) => (last - first) / step < MOST_STRETCHES - 1) ?? 20 * 364 * DAY;
  const stretchOf = (time: number): number => Math.floor((time + offsetSeconds) / stepSeconds);
  const stretches = detections.length === 0 ? 0 : stretchOf(last) - stretchOf(first) + 1;
  const starts = Array.from({ length: stretches }, (_, at) => (stretchOf(first) + at) * stepSeconds - offsetSeconds);

  const byCamera = new Map<string, number[]>();
  for (const { camera, startTime } of detections) {
    const counts = byCamera.get(camera) ?? new Array<number>(stretches).fill(0);
    const at = stretchOf(startTime) - stretchOf(first);
    counts[at] = (counts[at] ?? 0) + 1;
    byCamera.set(camera, counts);
  }
  const cameras = [...byCamera].map(([name, counts]) => ({ name, counts, total: counts.reduce((a, b) => a + b, 0) }));
  cameras.sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1));
  return { stepSeconds, starts, cameras };
}

/** Running sums, the last row the highest: bars drawn from the last to the first look stacked. */
export function stacked(rows: readonly (readonly number[])[]): number[][] {
  const sums: number[][] = [];
  for (const row of rows) sums.push(row.map((count, at) => count + (sums.at(-1)?.[at] ?? 0)));
  return sums;
}

const least = (numbers: readonly number[]): number =>
  numbers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
const most = (numbers: readonly number[]): number => numbers.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
