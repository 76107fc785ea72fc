/** GET /api/events/days: how many events a day, by camera (SPEC 7). */
import { LRUCache } from 'lru-cache';
import { dayText, isTooManyDays, MOST_DAYS, USUAL_DAYS } from '../domain/events/days.ts';
import { EARLIEST_TIME, LATEST_TIME } from '../domain/events/event.ts';
import { FILTERS, NEWEST_FIRST } from '../domain/events/event-filters.ts';
import type { DayQuestion, EventCondition, EventSource } from '../domain/events/event-question.ts';
import { parseDecimal, parseZone } from '../domain/events/parse-value.ts';
import type { ZoneOffsets } from '../domain/zone-offsets.ts';
import { callerSince, namedCameras } from './caller.ts';
import type { EventsHandler } from './event-routes.ts';
import { readEventsQuery, readParameters } from './read-query.ts';
import { badParameters, sendJson } from './responses.ts';

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
    if (isTooManyDays({ after: start, before: end }, time())) throw badParameters([tooManyDays(start)]);
    const cameras = await seen(asked, namedCameras(query, ['cameras']));
    // What a role sees of older events may differ from what another one sees of the same cameras.
    const key = JSON.stringify([cameras, conditions, zone, callerSince(ctx.req.headers)]);
    const known = kept.get(key);
    if (known !== undefined) return sendJson(ctx, known);
    const question = { cameras, conditions: [...conditions, ...IN_CALENDAR], offsets: offsetsOf(zone) };
    const json = JSON.stringify(await daysOf(question, start, events));
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

async function daysOf(question: DayQuestion, start: number | undefined, events: EventSource) {
  const from = start ?? (await ofNewestDays(question, events));
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
async function ofNewestDays(question: DayQuestion, events: EventSource): Promise<number> {
  const [newest] = await events.find({ ...question, sort: NEWEST_FIRST, limit: 1 });
  return (newest?.value ?? 0) - (USUAL_DAYS + 1) * 86_400;
}

/** Every change of clocks is a case more for each event. */
const offsetsSince = (from: number, offsets: DayQuestion['offsets']): DayQuestion['offsets'] =>
  offsets.slice(
    Math.max(
      0,
      offsets.findLastIndex(({ since }) => since <= from),
    ),
  );
