/** GET /api/events/days: how many events a day, by camera (SPEC 7). */
import { LRUCache } from 'lru-cache';
import { dayText, isTooManyDays, MOST_DAYS, USUAL_DAYS } from '../domain/events/days.ts';
import { EARLIEST_TIME, LATEST_TIME } from '../domain/events/event.ts';
import { FILTERS, NEWEST_FIRST } from '../domain/events/event-filters.ts';
import type { DayQuestion, EventCondition, EventSource } from '../domain/events/event-question.ts';
import { parseDecimal, parseZone } from '../domain/events/parse-value.ts';
import type { EventDeps, EventsHandler } from './event-routes.ts';
import { createParameters } from './read-parameters.ts';
import { readEventsQuery } from './read-query.ts';
import { callerSince } from './remote-role.ts';
import { sendBadParameters, sendJson, sendRefusal } from './responses.ts';
import { namedCameras } from './seen-cameras.ts';

/** An answer is some ten kilobytes. */
const MOST_KEPT = 100;
const KEPT_MILLISECONDS = 60_000;

const { cameras, labels, after, before, timezone } = FILTERS;
const PARAMETERS = { cameras, labels, after, before, timezone } as typeof FILTERS;

export function countDays({ offsetsOf, seen, ticks, time }: EventDeps): EventsHandler {
  const kept = new LRUCache<string, string>({ max: MOST_KEPT, ttl: KEPT_MILLISECONDS, perf: { now: ticks } });
  return async (ctx) => {
    const { events, scope } = ctx.state;
    const query = new URLSearchParams(ctx.querystring);
    const asked = readEventsQuery(query, offsetsOf, PARAMETERS);
    if (!asked.ok) return sendBadParameters(ctx, asked.error);
    const { read } = createParameters(query);
    const [start, end] = [read('after', parseDecimal), read('before', parseDecimal)];
    if (isTooManyDays({ after: start, before: end }, time())) return sendBadParameters(ctx, [tooManyDays(start)]);
    const visible = await seen(scope, asked.value.cameras, namedCameras(query, ['cameras']));
    if (visible.kind === 'foreign') return sendRefusal(ctx, 'camera-not-in-role');
    const zone = read('timezone', parseZone) ?? 'UTC';
    const { conditions } = asked.value;
    // What a role sees of older events may differ from what another one sees of the same cameras.
    const key = JSON.stringify([visible.cameras, conditions, zone, callerSince(ctx.req.headers)]);
    const known = kept.get(key);
    if (known !== undefined) return sendJson(ctx, known);
    const question = { ...visible, conditions: [...conditions, ...IN_CALENDAR], offsets: offsetsOf(zone) };
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
