/** GET /api/events/counts: how many events a filter leaves, by camera or label and slice of time (SPEC 7). */
import { LRUCache } from 'lru-cache';
import { countsOf, NO_COUNTS, spanOf } from '../domain/events/counts.ts';
import { NEWEST_FIRST } from '../domain/events/event-filters.ts';
import type { EventSource, SliceQuestion, ZoneOffset } from '../domain/events/event-question.ts';
import { parseCount, parseCountedBy, parseDecimal, parseSlices, parseZone } from '../domain/events/parse-value.ts';
import { sliceTime, type TimeSlices } from '../domain/events/time-slices.ts';
import type { EventDeps, EventsHandler } from './event-routes.ts';
import { createParameters } from './read-parameters.ts';
import { readEventsQuery } from './read-query.ts';
import { sendBadParameters, sendJson, sendRefusal } from './responses.ts';
import { namedCameras } from './seen-cameras.ts';

/** The answers to so many questions are kept until an event is written: a few kilobytes each. */
const MOST_KEPT = 100;
const DEFAULT_SERIES = 8;
const DEFAULT_SLICES = 96;

interface CachedCounts {
  /** How often events had been written then. */
  readonly writes: number;
  readonly json: string;
}

export function countEvents({ offsetsOf, seen }: EventDeps): EventsHandler {
  const kept = new LRUCache<string, CachedCounts>({ max: MOST_KEPT });
  return async (ctx) => {
    const { events, scope } = ctx.state;
    const query = new URLSearchParams(ctx.querystring);
    const { bad, ...layout } = readLayout(query);
    const asked = readEventsQuery(query, offsetsOf);
    if (!asked.ok) return sendBadParameters(ctx, [...asked.error, ...bad]);
    if (bad.length > 0) return sendBadParameters(ctx, bad);
    const visible = await seen(scope, asked.value.cameras, namedCameras(query, ['camera', 'cameras']));
    if (visible.kind === 'foreign') return sendRefusal(ctx, 'camera-not-in-role');
    const question = { cameras: visible.cameras, conditions: asked.value.conditions };
    const writes = await writesTo(events);
    const key = JSON.stringify([visible.cameras, [...query].sort()]);
    const known = writes === null ? undefined : kept.get(key);
    if (known && known.writes === writes) return sendJson(ctx, known.json);
    const slices = await slicesOf(question, layout, events, offsetsOf(layout.zone));
    const counts = slices
      ? countsOf(await events.countSlices({ ...question, slicing: slices.slicing, by: layout.by }), slices, layout)
      : NO_COUNTS;
    const json = JSON.stringify(counts);
    if (writes !== null) kept.set(key, { writes, json });
    sendJson(ctx, json);
  };
}

/** What the plot asks for beside the filter. A bad `timezone`, `after` or `before` is told with the filter's parameters. */
function readLayout(query: URLSearchParams) {
  const parameters = createParameters(query);
  const filter = createParameters(query);
  return {
    series: parameters.read('series', parseCount) ?? DEFAULT_SERIES,
    most: parameters.read('slices', parseSlices) ?? DEFAULT_SLICES,
    until: parameters.read('until', parseDecimal),
    by: parameters.read('by', parseCountedBy) ?? 'camera',
    bad: parameters.bad,
    zone: filter.read('timezone', parseZone) ?? 'UTC',
    after: filter.read('after', parseDecimal),
    before: filter.read('before', parseDecimal),
  };
}

/** Undefined when no event is left. */
async function slicesOf(
  question: Omit<SliceQuestion, 'slicing' | 'by'>,
  { most, ...asked }: Omit<ReturnType<typeof readLayout>, 'bad'>,
  events: EventSource,
  offsets: readonly ZoneOffset[],
): Promise<TimeSlices | undefined> {
  const startAt = async (direction: 'asc' | 'desc'): Promise<number | undefined> => {
    const [found] = await events.find({ ...question, sort: { ...NEWEST_FIRST, direction }, limit: 1 });
    return found?.value ?? undefined;
  };
  const last = await startAt('desc');
  if (last === undefined) return undefined;
  const { from, to } = spanOf({ ...asked, first: (await startAt('asc')) ?? last, last });
  return sliceTime(from, to, offsets, most);
}

async function writesTo(events: EventSource): Promise<number | null> {
  const byDay = await events.writesByDay();
  return byDay && [...byDay.values()].reduce((sum, count) => sum + count, 0);
}
