/**
 * The newest months of a table that is kept by month are asked first, and events are read where they were found (SPEC 7, 10).
 */
import type { EventCondition, EventQuestion, FoundEvent } from '../../domain/events/event-question.ts';
import type { EventsPlace } from './event-shape.ts';
import { findEvents } from './find-events.ts';

const NEAR_SECONDS = 31 * 86_400;

/**
 * Most lists are full before older months are reached: planning and reading those costs more than the answer. When the
 * newest months do not fill the list, all are asked.
 */
export async function findNewestFirst(question: EventQuestion, place: EventsPlace): Promise<readonly FoundEvent[]> {
  const newest = newestAsked(question, place);
  if (newest !== undefined) {
    const near = startsFrom(newest - NEAR_SECONDS);
    const found = await findEvents({ ...question, conditions: [...question.conditions, near] }, place);
    if (found.length >= question.limit) return found;
  }
  const found = await findEvents(question, place);
  const { sort, after } = question;
  const [first] = found;
  if (sort.key === 'date' && sort.direction === 'desc' && !after && first?.value)
    place.newest.at = Math.max(first.value, place.newest.at ?? first.value);
  return found;
}

const startsFrom = (to: number): EventCondition => ({ kind: 'compared', measure: 'start_time', by: '>=', to });

/** Undefined when the list does not begin with the newest events, or when nothing is known of them yet. */
function newestAsked({ sort, after, conditions }: EventQuestion, { newest }: EventsPlace): number | undefined {
  if (sort.key !== 'date' || sort.direction !== 'desc' || newest.at === undefined) return undefined;
  const bounds = conditions.flatMap((condition) =>
    condition.kind === 'compared' && condition.measure === 'start_time' && condition.by.startsWith('<')
      ? [condition.to]
      : [],
  );
  return Math.min(newest.at, after?.value ?? newest.at, ...bounds);
}

/** The first and the last start of these events, as the latest list by date told them; undefined when it did not. */
export function spanOf(
  ids: readonly string[],
  starts: ReadonlyMap<string, number>,
): { readonly from: number; readonly until: number } | undefined {
  const times = ids.flatMap((id) => starts.get(id) ?? []);
  if (times.length < ids.length || times.length === 0) return undefined;
  return { from: times.reduce((a, b) => Math.min(a, b)), until: times.reduce((a, b) => Math.max(a, b)) };
}
