/** Keeps a slow query from delaying others: a query that no index answers at once is run again window by window (SPEC 7). */
import type { EventQuestion, EventSort, FoundEvent } from '../../domain/events/event-question.ts';
import { isOutOfTime, isPast } from '../../domain/events/out-of-time.ts';
import type { EventsPlace } from './event-shape.ts';
import { findEvents } from './find-events.ts';
import { isRuledOut } from './rule-out.ts';
import { timeWindows } from './time-windows.ts';

/** A query that takes longer in one statement is run again in windows. */
const ONE_GO_MILLISECONDS = 50;

export async function windowedFind(
  question: EventQuestion,
  place: EventsPlace,
  oneGo = ONE_GO_MILLISECONDS,
): Promise<readonly FoundEvent[]> {
  const { deadline } = place;
  if (await isRuledOut(question, place)) return [];
  if (deadline === undefined || !place.words.inTime) return findEvents(question, place);
  const at = Math.min(deadline.at, performance.now() + oneGo);
  try {
    return await findEvents(question, { ...place, deadline: { at } });
  } catch (fault) {
    if (!isOutOfTime(fault) || isPast(deadline)) throw fault;
    return findInWindows(question, place);
  }
}

export async function findInWindows(
  question: EventQuestion,
  place: EventsPlace,
  eventsEach?: number,
): Promise<readonly FoundEvent[]> {
  const { sort, limit, conditions } = question;
  const isByDate = sort.key === 'date';
  let found: readonly FoundEvent[] = [];
  for await (const window of timeWindows(question, place, eventsEach)) {
    const inWindow = { ...question, conditions: [...conditions, ...window] };
    const more = [...found, ...(await findEvents(inWindow, { ...place, isByTime: !isByDate }))];
    found = (isByDate ? more : more.sort(orderOf(sort))).slice(0, limit);
    if (isByDate && found.length === limit) break;
  }
  return found;
}

/** The engine's order: absent values below all others, equal ones in order of id. */
function orderOf({ direction }: EventSort) {
  const sign = direction === 'asc' ? 1 : -1;
  const rank = ({ value }: FoundEvent): number => value ?? Number.NEGATIVE_INFINITY;
  return (one: FoundEvent, other: FoundEvent): number => {
    const [a, b] = [rank(one), rank(other)];
    return a === b ? sign * (one.id < other.id ? -1 : 1) : sign * (a < b ? -1 : 1);
  };
}
