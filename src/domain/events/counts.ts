/** How many events of each camera, or label, begin in each slice of time: what Explore's plot draws (SPEC 7). */
import type { CountedBy, SliceCount } from './event-question.ts';
import type { TimeSlices } from './time-slices.ts';

/** The body of the answer to GET /api/events/counts. */
export interface EventCounts {
  readonly total: number;
  /** False when there are older events that were not counted. */
  readonly complete: boolean;
  /** How long a slice is, in seconds; days with a change of clocks are longer or shorter. */
  readonly seconds: number;
  /** Unix seconds: where each slice begins. */
  readonly starts: readonly number[];
  /** Unix seconds: where the last slice ends. */
  readonly end: number | null;
  /** The most frequent first; only the first `series` have `counts`, one a slice. */
  readonly cameras: readonly CameraCount[];
  /** They replace the cameras where counts by label were asked for. */
  readonly labels?: readonly LabelCount[];
  /** All the other cameras, or labels, one a slice. */
  readonly others: readonly number[];
}

interface SeriesCount {
  readonly total: number;
  readonly counts?: readonly number[];
}
export interface CameraCount extends SeriesCount {
  readonly camera: string;
}
export interface LabelCount extends SeriesCount {
  readonly label: string;
}

export const NO_COUNTS: EventCounts = {
  total: 0,
  complete: true,
  seconds: 0,
  starts: [],
  end: null,
  cameras: [],
  others: [],
};

interface CountsLayout {
  /** How many cameras, or labels, are told slice by slice. */
  readonly series: number;
  readonly by: CountedBy;
  readonly complete?: boolean;
}

/** An event that came after the slices were cut counts in the last one. */
export function countsOf(
  rows: readonly SliceCount[],
  { slicing, first, starts, end }: TimeSlices,
  { series, by, complete = true }: CountsLayout,
): EventCounts {
  const zeros = (): number[] => new Array<number>(starts.length).fill(0);
  const byName = new Map<string, number[]>();
  for (const { slice, name, count } of rows) {
    const counts = byName.get(name) ?? zeros();
    const at = Math.min(Math.max(slice - first, 0), starts.length - 1);
    counts[at] = (counts[at] ?? 0) + count;
    byName.set(name, counts);
  }
  const ranked = [...byName]
    .map(([name, counts]) => ({ name, total: counts.reduce((sum, count) => sum + count, 0), counts }))
    .sort((one, other) => other.total - one.total || (one.name < other.name ? -1 : 1));
  const others = zeros();
  for (const { counts } of ranked.slice(series))
    for (const [at, count] of counts.entries()) others[at] = (others[at] ?? 0) + count;
  const told = ranked.map(({ counts, ...named }, at): Named => (at < series ? { ...named, counts } : named));
  return {
    total: ranked.reduce((sum, { total }) => sum + total, 0),
    complete,
    seconds: slicing.seconds,
    starts,
    end,
    ...(by === 'camera'
      ? { cameras: told.map(({ name: camera, ...counted }) => ({ camera, ...counted })) }
      : { cameras: [], labels: told.map(({ name: label, ...counted }) => ({ label, ...counted })) }),
    others,
  };
}

interface Named extends SeriesCount {
  readonly name: string;
}

/** Unix seconds: what was asked for, and where the events that were found begin. */
export interface AskedSpan {
  readonly after: number | undefined;
  readonly before: number | undefined;
  /** Slices go on to here when there is a beginning, with nothing in them where there is nothing. */
  readonly until: number | undefined;
  readonly first: number;
  readonly last: number;
}

/** A beginning so long ago that a mistyped address must have named it is none. */
const LONGEST_SECONDS = 20 * 366 * 86_400;

/** The span to count: from the beginning that was asked for, else from the first event. */
export function spanOf({ after, before, until, first, last }: AskedSpan): {
  readonly from: number;
  readonly to: number;
} {
  // An end is the beginning of what is no longer wanted.
  const reached = until === undefined ? last : Math.ceil(Math.min(before ?? until, until)) - 1;
  const to = Math.max(last, reached);
  return after === undefined || to - after > LONGEST_SECONDS ? { from: first, to: last } : { from: after, to };
}
