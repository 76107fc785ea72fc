/** GET /api/events/summary: how many events a day, by camera, label, sub-label and zones (SPEC 7). */
import type { EventCondition, EventGroup, EventSource, GroupQuestion, ZoneOffset } from '../domain/event-question.ts';
import { answerBadParameters, answerJson } from './answers.ts';
import type { EventDesk, EventsHandler } from './event-routes.ts';
import { parseWhole, parseZone } from './parse-value.ts';
import { createParameters, flagCondition } from './read-parameters.ts';

const DAY = 86_400;
/** So many days are counted at a time: between two slices other questions get their turn. */
const DAYS_PER_SLICE = 16;

export function summarizeEvents({ offsetsOf, seen }: EventDesk): EventsHandler {
  return async (ctx) => {
    const parameters = createParameters(new URLSearchParams(ctx.querystring));
    const zone = parameters.read('timezone', parseZone) ?? 'UTC';
    const conditions = [
      ...flagCondition('has_clip', parameters.read('has_clip', parseWhole)),
      ...flagCondition('has_snapshot', parameters.read('has_snapshot', parseWhole)),
    ];
    if (parameters.bad.length > 0) return answerBadParameters(ctx, parameters.bad);
    const visible = await seen(ctx.state.scope, null, []);
    const cameras = visible.kind === 'foreign' ? [] : visible.cameras;
    // All of it before the first byte: what takes too long can still be refused then.
    const json = await Array.fromAsync(
      summaryJson({ cameras, conditions, offsets: offsetsOf(zone) }, ctx.state.events),
    );
    answerJson(ctx, json);
  };
}

interface Calendar {
  readonly cameras: readonly string[] | null;
  readonly conditions: readonly EventCondition[];
  readonly offsets: readonly ZoneOffset[];
}

async function* summaryJson(calendar: Calendar, events: EventSource): AsyncIterable<string> {
  let separator = '[';
  for await (const groups of dayByDay(calendar, events)) {
    if (groups.length === 0) continue;
    yield separator + groups.map(groupJson).join(',');
    separator = ',';
  }
  yield separator === '[' ? '[]' : ']';
}

/** Slices are cut in UTC and days are local, so a day may lie in two slices: its groups wait for the second. */
async function* dayByDay(calendar: Calendar, events: EventSource): AsyncIterable<EventGroup[]> {
  let waiting: EventGroup[] = [];
  for await (const slice of slices(calendar, events)) {
    const groups = addedUp([...waiting, ...slice]);
    const lastDay = groups.at(-1)?.day;
    yield groups.filter(({ day }) => day !== lastDay);
    waiting = groups.filter(({ day }) => day === lastDay);
  }
  yield waiting;
}

async function* slices(calendar: Calendar, events: EventSource): AsyncIterable<readonly EventGroup[]> {
  let from = await events.firstStart(Number.NEGATIVE_INFINITY);
  while (from !== undefined) {
    const question: GroupQuestion = { ...calendar, from, until: from + DAYS_PER_SLICE * DAY };
    yield await events.groups(question);
    // Years without an event are stepped over.
    from = await events.firstStart(question.until);
  }
}

/** One group of each kind, in order of day. */
function addedUp(groups: readonly EventGroup[]): EventGroup[] {
  const byKind = new Map<string, EventGroup>();
  for (const group of groups) {
    const { count, ...kind } = group;
    const key = JSON.stringify(kind);
    byKind.set(key, { ...group, count: count + (byKind.get(key)?.count ?? 0) });
  }
  return [...byKind.values()].sort((one, other) => one.day - other.day);
}

/**
 * The reference groups by the whole of `data` too, which makes a row of nearly every event and an answer as large as
 * the table. Who counts adds the rows up again; so `data` is there and empty.
 */
function groupJson({ day, zonesJson, count, ...names }: EventGroup): string {
  const date = new Date(day * DAY * 1000).toISOString().slice(0, 10);
  return `${JSON.stringify(names).slice(0, -1)},"data":{},"day":"${date}","zones":${zonesJson},"count":${count}}`;
}
