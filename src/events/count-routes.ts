/** GET /api/events/summary and /api/events/days: how many events a day, by camera, label, sub-label and zones, or by camera alone (SPEC 7). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { dayText, EARLIEST_TIME, isTooManyDays, LATEST_TIME, MOST_DAYS, USUAL_DAYS } from '../domain/events/event.ts';
import { FILTERS, NEWEST_FIRST } from '../domain/events/event-filters.ts';
import type { DayQuestion, EventCondition, EventGroup, GroupQuestion } from '../domain/events/event-question.ts';
import { parseDecimal, parseWhole, parseZone } from '../domain/events/parse-value.ts';
import type { ZoneOffset, ZoneOffsets } from '../domain/zone-offsets.ts';
import type { EventSource } from '../store/events/events-table.ts';
import { callerSince, namedCameras } from './caller.ts';
import type { EventsHandler } from './event-routes.ts';
import { readEventsQuery, readParameters } from './read-query.ts';
import { badParameters, sendJson } from './responses.ts';

/** Two years of a busy NVR are some 25 MB. */
const BYTES_KEPT = 64 * 1024 * 1024;

/** What was counted of a slice, as JSON without brackets, and how often its events had been written then. */
type CountedSlices = LRUCache<string, { readonly writes: number; readonly json: Buffer }>;

export function summarizeEvents(offsetsOf: ZoneOffsets): EventsHandler {
  const kept: CountedSlices = new LRUCache({
    maxSize: BYTES_KEPT,
    sizeCalculation: ({ json }, key) => json.length + key.length,
  });
  return async (ctx) => {
    const { events, seen } = ctx.state;
    const readers = { timezone: parseZone, has_clip: parseWhole, has_snapshot: parseWhole };
    const { timezone: zone = 'UTC', ...flags } = readParameters(ctx, readers);
    // Every whole number but 0 is "yes".
    const conditions = (['has_clip', 'has_snapshot'] as const).flatMap((flag): EventCondition[] =>
      flags[flag] === undefined ? [] : [{ kind: 'flag', flag, is: flags[flag] !== 0 }],
    );
    const cameras = await seen(null);
    // All of it before the first byte: what takes too long can still be refused then.
    const slices = await countedSlices({ cameras, conditions, zone, offsets: offsetsOf(zone) }, events, kept);
    sendJson(ctx, inBrackets(slices));
  };
}

type Calendar = DayQuestion & { readonly zone: string };

/** Most slices are of days long past: they are counted again only after one of their events was written. */
async function countedSlices(calendar: Calendar, events: EventSource, kept: CountedSlices): Promise<Buffer[]> {
  // Asked before anything is counted: a write in between is noticed the next time.
  const writes = await events.writesByDay();
  const found: Buffer[] = [];
  let start = await events.firstStart(EARLIEST_TIME);
  // What an earlier version imported may lie beyond every calendar.
  while (start !== undefined && start <= LATEST_TIME) {
    const slice = sliceAround(start, calendar.offsets);
    found.push(await countedSlice(slice, calendar, events, writes && { kept, writes: writesTo(slice, writes) }));
    // Years without an event are stepped over.
    start = await events.firstStart(slice.until);
    await nextTurn();
  }
  return found.filter((json) => json.length > 0);
}

async function countedSlice(
  slice: CalendarSlice,
  calendar: Calendar,
  events: EventSource,
  memory: { readonly kept: CountedSlices; readonly writes: number } | null,
): Promise<Buffer> {
  const key = JSON.stringify([slice, calendar.cameras, calendar.conditions, calendar.zone]);
  const known = memory?.kept.get(key);
  if (known && known.writes === memory?.writes) return known.json;
  const groups = await events.groups({ ...calendar, ...slice });
  const inOrder = [...groups].sort((one, other) => one.day - other.day);
  const json = Buffer.from(inOrder.map(groupJson).join(','));
  memory?.kept.set(key, { writes: memory.writes, json });
  return json;
}

/** A number that has grown when any day of the slice was written to. Days are counted towards zero, as SQLite does. */
function writesTo({ from, until }: CalendarSlice, writes: ReadonlyMap<number, number>): number {
  let sum = 0;
  for (let day = Math.trunc(from / DAY); day <= Math.trunc(until / DAY); day++) sum += writes.get(day) ?? 0;
  return sum;
}

const inBrackets = (slices: readonly Buffer[]): (Buffer | string)[] => [
  ...slices.flatMap((json, at) => [at === 0 ? '[' : ',', json]),
  slices.length === 0 ? '[]' : ']',
];

/**
 * The reference also groups by all of `data`, which gives a row for nearly every event and a response as large as the
 * table. Clients add the rows up again, so `data` is there and empty.
 */
function groupJson({ day, zonesJson, count, ...names }: EventGroup): string {
  return `${JSON.stringify(names).slice(0, -1)},"data":{},"day":"${dayText(day)}","zones":${zonesJson},"count":${count}}`;
}

export const DAY = 86_400;
/** So many days are counted at a time: between two slices other questions get their turn. */
const DAYS_PER_SLICE = 4;

/** Time is cut into slices of whole local days, the same cuts for every caller, so that the count of a slice can be cached (SPEC 7). */
type CalendarSlice = Pick<GroupQuestion, 'from' | 'until'>;

/** The slice that holds the time. */
export function sliceAround(time: number, offsets: readonly ZoneOffset[]): CalendarSlice {
  const day = Math.floor((time + offsetAt(time, offsets)) / DAY);
  let number = Math.floor(day / DAYS_PER_SLICE);
  if (time < startOfSlice(number, offsets)) number -= 1;
  return { from: startOfSlice(number, offsets), until: startOfSlice(number + 1, offsets) };
}

const offsetAt = (time: number, offsets: readonly ZoneOffset[]): number =>
  (offsets.findLast(({ since }) => since <= time) ?? offsets[0])?.seconds ?? 0;

/** A local midnight. Where clocks change about then, a day may come twice: the cut is made two days later. */
function startOfSlice(number: number, offsets: readonly ZoneOffset[]): number {
  const midnight = number * DAYS_PER_SLICE * DAY;
  const calm = [midnight, midnight + 2 * DAY].find((at) => offsetAt(at - DAY, offsets) === offsetAt(at + DAY, offsets));
  return (calm ?? midnight) - offsetAt(calm ?? midnight, offsets);
}

/** An answer is some ten kilobytes. */
const MOST_KEPT = 100;
const KEPT_MILLISECONDS = 60_000;

const { cameras, labels, after, before, timezone } = FILTERS;
const PARAMETERS = { cameras, labels, after, before, timezone } as typeof FILTERS;

/** `ticks`: milliseconds of a clock that is never set; `time`: Unix seconds. */
export function countDays(offsetsOf: ZoneOffsets, ticks: () => number, time: () => number): EventsHandler {
  const kept = new LRUCache<string, string>({ max: MOST_KEPT, ttl: KEPT_MILLISECONDS, perf: { now: ticks } });
  return async (ctx) => {
    const { events, seen } = ctx.state;
    const query = new URLSearchParams(ctx.querystring);
    const { cameras: asked, conditions } = readEventsQuery(query, offsetsOf, PARAMETERS);
    const readers = { after: parseDecimal, before: parseDecimal, timezone: parseZone };
    const { after: start, before: end, timezone: zone = 'UTC' } = readParameters(ctx, readers);
    if (isTooManyDays(start, end, time())) throw badParameters([tooManyDays(start)]);
    const cameras = await seen(asked, namedCameras(query, ['cameras']));
    // What a role sees of older events may differ from what another one sees of the same cameras.
    const key = JSON.stringify([cameras, conditions, zone, callerSince(ctx.req.headers)]);
    const known = kept.get(key);
    if (known !== undefined) return sendJson(ctx, known);
    const question = { cameras, conditions: [...conditions, ...IN_CALENDAR], offsets: offsetsOf(zone) };
    const json = JSON.stringify(await listDays(question, start, events));
    kept.set(key, json);
    sendJson(ctx, json);
  };
}

const tooManyDays = (after: number | undefined) => ({
  name: 'after',
  input: String(after),
  type: 'value_error',
  message: `Input should be at most ${MOST_DAYS} days before the end`,
});

/** What an earlier version imported may lie beyond every calendar. */
const IN_CALENDAR: readonly EventCondition[] = [
  { kind: 'compared', measure: 'start_time', by: '>=', to: EARLIEST_TIME },
  { kind: 'compared', measure: 'start_time', by: '<=', to: LATEST_TIME },
];

async function listDays(question: DayQuestion, start: number | undefined, events: EventSource) {
  const from = start ?? (await startOfNewestDays(question, events));
  const sinceThen = { kind: 'compared', measure: 'start_time', by: '>=', to: from } as const;
  const rows = await events.countByDay({
    ...question,
    conditions: [...question.conditions, sinceThen],
    offsets: offsetsSince(from, question.offsets),
  });
  const last = rows.reduce((latest, { day }) => Math.max(latest, day), Number.NEGATIVE_INFINITY);
  return rows
    .filter(({ day }) => start !== undefined || day > last - USUAL_DAYS)
    .sort((one, other) => one.day - other.day || (one.camera < other.camera ? -1 : 1))
    .map(({ day, camera, count }) => ({ day: dayText(day), camera, count: Number(count) }));
}

/** Unix seconds: a day more than are told, so that the first one is whole, wherever midnight is. */
async function startOfNewestDays(question: DayQuestion, events: EventSource): Promise<number> {
  const [newest] = await events.find({ ...question, sort: NEWEST_FIRST, limit: 1 });
  return (newest?.value ?? 0) - (USUAL_DAYS + 1) * DAY;
}

/** Every change of clocks is a case more for each event. */
const offsetsSince = (from: number, offsets: DayQuestion['offsets']): DayQuestion['offsets'] =>
  offsets.slice(
    Math.max(
      0,
      offsets.findLastIndex(({ since }) => since <= from),
    ),
  );
