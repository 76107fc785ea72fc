/** The counts of events where the NVR keeps them: it lists them once, and is asked for new ones then (SPEC 7). */

import { LRUCache } from 'lru-cache';
import type { CameraView } from '../../access/camera-view.ts';
import type { AskNvr } from '../../access/nvr-adapter.ts';
import { queryValues } from '../../access/query.ts';
import { isOwn } from '../../access/route-table.ts';
import { createTaskQueue } from '../../domain/async/task-queue.ts';
import { countsOf, NO_COUNTS, spanOf } from '../../domain/events/counts.ts';
import { COUNTS_PATH } from '../../domain/events/event-paths.ts';
import type { SliceCount } from '../../domain/events/event-question.ts';
import { numberOf } from '../../domain/events/parse-value.ts';
import { sliceOf, sliceTime } from '../../domain/events/time-slices.ts';
import { canonicalZone, createZoneOffsets } from '../../domain/events/zone-offsets.ts';
import type { RequestTarget } from '../../domain/request.ts';
import type { Admitted } from '../decision/admit.ts';
import { createNvrList, type ListedEvent, type NvrList } from './listed-at-nvr.ts';

export const asksForCounts = ({ route }: Admitted): boolean => isOwn(route) && route.row.path === COUNTS_PATH;

/** Lists of so many filters are kept. */
const MOST_LISTS = 8;
/**
 * A list is up to fifty questions to the NVR, and ten megabytes while it is read: a client that makes up filters would
 * otherwise have hundreds of them read at once.
 */
const MOST_AT_ONCE = 3;
const MOST_WAITING = 30;

/** So many lists wait to be read that another one is not taken. */
export class TooManyLists extends Error {}
/** What the NVR is not asked for: by these its list is cut here, so that one list is good for all of them. */
// biome-ignore format: a table
const CUT_HERE: readonly string[] = [
  'camera', 'cameras', 'after', 'before', 'until', 'slices', 'series', 'by', 'limit', 'sort', 'page_after', 'include_thumbnails',
];

export interface CountQuestion {
  readonly target: RequestTarget;
  /** Undefined for a caller who sees everything. */
  readonly view: CameraView | undefined;
  /** Tells one NVR from another. */
  readonly upstream: string;
  readonly ask: AskNvr;
  /** Where the NVR lists its events. */
  readonly path: string;
}

/** The body of the response. Rejects when the NVR does not give its list. */
export type NvrCounts = (question: CountQuestion) => Promise<string>;

/** `now`: milliseconds of a clock that is never set. `startedAt`: Unix seconds. */
export function createNvrCounts({
  now,
  startedAt,
}: {
  readonly now: () => number;
  readonly startedAt: number;
}): NvrCounts {
  const lists = new LRUCache<string, NvrList>({ max: MOST_LISTS });
  const offsetsOf = createZoneOffsets(startedAt);
  const inTurn = boundedTurns();
  return async ({ target, view, upstream, ask, path }) => {
    const query = new URLSearchParams(target.query);
    const filter = new URLSearchParams([...query].filter(([name]) => !CUT_HERE.includes(name)).sort());
    if (!filter.has('time_range')) filter.delete('timezone');
    const key = JSON.stringify([upstream, filter.toString()]);
    const after = numberIn(query, 'after');
    const { events, complete } = await inTurn(() => {
      const list = lists.get(key) ?? createNvrList({ ask, path, filter, now });
      lists.set(key, list);
      return list.read(after ?? Number.NEGATIVE_INFINITY);
    });
    const shown = [...events.values()].filter(isShown(target, view, query));
    if (shown.length === 0) return JSON.stringify({ ...NO_COUNTS, complete });
    const zone = canonicalZone(query.get('timezone') ?? '') ?? 'UTC';
    const { from, to } = spanOf({
      ...endsOf(shown),
      after,
      before: numberIn(query, 'before'),
      until: numberIn(query, 'until'),
    });
    const slices = sliceTime(from, to, offsetsOf(zone), within(numberIn(query, 'slices') ?? 96, 2, 1000));
    const by = query.getAll('by').at(-1) === 'label' ? 'label' : 'camera';
    const rows: SliceCount[] = shown.map((event) => ({
      name: event[by],
      slice: sliceOf(event.start, slices.slicing),
      count: 1,
    }));
    const series = within(numberIn(query, 'series') ?? 8, 0, 1000);
    return JSON.stringify(countsOf(rows, slices, { series, by, complete }));
  };
}

/** Rejects at once when too many wait. */
function boundedTurns() {
  const { enter, waiting } = createTaskQueue(MOST_AT_ONCE);
  return async <Read>(read: () => Promise<Read>): Promise<Read> => {
    if (waiting() >= MOST_WAITING) throw new TooManyLists();
    const leave = await enter();
    try {
      return await read();
    } finally {
      leave();
    }
  };
}

/** The cameras that the judged query names, and again what the caller may see. */
function isShown({ query }: RequestTarget, view: CameraView | undefined, parameters: URLSearchParams) {
  const lists = ['camera', 'cameras'].flatMap((name) => {
    const value = queryValues(query, name).at(-1) ?? 'all';
    return value === 'all' ? [] : [new Set(value.split(',').map((camera) => camera.trim()))];
  });
  const after = numberIn(parameters, 'after') ?? Number.NEGATIVE_INFINITY;
  const before = numberIn(parameters, 'before') ?? Number.POSITIVE_INFINITY;
  return ({ camera, start }: ListedEvent): boolean =>
    start > after &&
    start < before &&
    lists.every((cameras) => cameras.has(camera)) &&
    (view === undefined || (view.sees(camera) && (view.since === undefined || start >= view.since)));
}

const numberIn = (query: URLSearchParams, name: string): number | undefined => numberOf(query.getAll(name).at(-1));

const within = (number: number, least: number, most: number): number =>
  Math.min(Math.max(Math.round(number), least), most);

const endsOf = (events: readonly ListedEvent[]): { readonly first: number; readonly last: number } =>
  events.reduce((ends, { start }) => ({ first: Math.min(ends.first, start), last: Math.max(ends.last, start) }), {
    first: Number.POSITIVE_INFINITY,
    last: Number.NEGATIVE_INFINITY,
  });
