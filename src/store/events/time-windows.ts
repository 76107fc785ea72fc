/** Splits all time into windows of some thousand events: a query that must look at every event runs window by window, and other queries run in between (SPEC 7). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { NEWEST_FIRST } from '../../domain/events/event-filters.ts';
import { type EventCondition, type EventQuestion, isPast, outOfTime } from '../../domain/events/event-question.ts';
import type { Condition } from '../engine/engine.ts';
import { conditionInSql } from './event-conditions.ts';
import { type EventsPlace, inTime, ofCameras, selectEvents } from './event-shape.ts';

/** Reading so many events one by one takes some tens of milliseconds. */
const EVENTS_PER_WINDOW = 8192;

/** Windows that the conditions leave nothing of are passed over; sorted by anything but time, the newest come first. */
type WindowedSearch = Pick<EventQuestion, 'conditions' | 'sort'>;

/** The conditions of each window, without gap or overlap. Other queries run before the next window is given. */
export async function* timeWindows(
  span: WindowedSearch,
  place: EventsPlace,
  eventsEach = EVENTS_PER_WINDOW,
): AsyncGenerator<readonly EventCondition[]> {
  const leave = await place.walks();
  try {
    if (isPast(place.deadline)) throw outOfTime();
    const isForward = span.sort.key === 'date' && span.sort.direction === 'asc';
    let behind: readonly EventCondition[] = [];
    for (;;) {
      const last = await lastOfWindow([...span.conditions.filter(isOfStart), ...behind], isForward, eventsEach, place);
      if (last === undefined) return yield behind;
      yield [...behind, started(isForward ? '<=' : '>=', last)];
      behind = [started(isForward ? '>' : '<', last)];
      await nextTurn();
    }
  } finally {
    leave();
  }
}

/** Undefined when fewer events are left. */
async function lastOfWindow(
  conditions: readonly EventCondition[],
  isForward: boolean,
  eventsEach: number,
  place: EventsPlace,
): Promise<number | undefined> {
  const where = conditions.map((condition) => conditionInSql(condition, place.words));
  const last = sql`order by e.start_time ${sql.raw(isForward ? 'asc' : 'desc')} limit 1 offset ${eventsEach - 1}`;
  return (await selectEvents<{ start: number }>(sql`e.start_time as start`, where, place, last))[0]?.start;
}

/** Every event of the cameras (null: of all) that fulfils these, in as many statements as it takes: what each of them asks for. */
export async function* everyEvent(
  cameras: readonly string[] | null,
  conditions: readonly EventCondition[],
  place: EventsPlace,
): AsyncGenerator<Condition[]> {
  for await (const window of timeWindows({ conditions, sort: NEWEST_FIRST }, place)) {
    const wanted = [...conditions, ...window].map((condition) => conditionInSql(condition, place.words));
    yield [...inTime(place), ...ofCameras(cameras, place), ...wanted];
  }
}

type OfStart = Extract<EventCondition, { kind: 'compared' }>;

const started = (by: OfStart['by'], to: number): OfStart => ({ kind: 'compared', measure: 'start_time', by, to });

const isOfStart = (condition: EventCondition): boolean =>
  condition.kind === 'compared' && condition.measure === 'start_time';
