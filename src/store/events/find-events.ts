/** Finds events by one statement that walks an index in the requested order and stops at the limit. */
import { sql } from 'kysely';
import type { EventCondition, EventQuestion, FoundEvent } from '../../domain/events/event-question.ts';
import { isPast, outOfTime } from '../../domain/events/out-of-time.ts';
import { allOf, behind, conditionInSql, sortValue } from './event-conditions.ts';
import { type EventsPlace, inTime } from './event-shape.ts';
import { namesLabels, streamsOf } from './event-streams.ts';

interface Candidate extends FoundEvent {
  readonly plate: string | null;
}

/** How many candidates are fetched at a time when plates are tested in code. */
const CANDIDATES_PER_STEP = 1000;

export async function findEvents(question: EventQuestion, place: EventsPlace): Promise<readonly FoundEvent[]> {
  const tests = question.conditions.flatMap((condition) =>
    condition.kind === 'plate' && condition.isWanted.matches ? [plateTest(condition)] : [],
  );
  const found =
    tests.length === 0
      ? await candidates(question, place)
      : await sifted(question, place, (candidate) => tests.every((passes) => passes(candidate.plate)));
  return found.map(({ id, value }) => ({ id, value }));
}

export const plateTest =
  ({ isWanted: { plates, matches }, orNone }: Extract<EventCondition, { kind: 'plate' }>) =>
  (plate: string | null): boolean =>
    plate === null ? orNone : plates.includes(plate) || (matches?.(plate) ?? false);

/** Page after page of candidates until enough have passed. A pattern may cost more than the walk: each test is timed. */
async function sifted(
  question: EventQuestion,
  place: EventsPlace,
  passes: (candidate: Candidate) => boolean,
): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  let after = question.after;
  while (found.length < question.limit) {
    const page = await candidates({ ...question, after, limit: CANDIDATES_PER_STEP }, place);
    for (const candidate of page) {
      if (isPast(place.deadline)) throw outOfTime();
      if (passes(candidate)) found.push(candidate);
    }
    const last = page.at(-1);
    if (page.length < CANDIDATES_PER_STEP || !last) break;
    after = { value: last.value, id: last.id };
  }
  return found.slice(0, question.limit);
}

async function candidates(question: EventQuestion, place: EventsPlace): Promise<Candidate[]> {
  if (question.limit === 0) return [];
  const { db, shape, words } = place;
  const sorted = sortValue(question.sort.key);
  const value = place.isByTime ? words.unindexed(sorted) : sorted;
  const { direction } = question.sort;
  const shared = question.conditions
    .filter((condition) => !namesLabels(condition))
    .map((condition) => conditionInSql(condition, words));
  const page = question.after ? [behind(question.after, value, question.sort)] : [];
  const streams = await streamsOf(question, place);
  const order = words.ordered(sql`value`, direction, question.sort.key === 'date');
  const ordered = sql`order by ${order}, id ${sql.raw(direction)} limit ${question.limit}`;
  const selects = streams.map((own) => {
    const select = sql`select e.id as id, ${value} as value, e.plate as plate from ${shape.table} as e
      where ${allOf([...inTime(place), ...own, ...shared, ...page])}`;
    return words.limitsStreams && streams.length > 1 ? sql`(${select} ${ordered})` : select;
  });
  const { rows } = await sql<Candidate>`${sql.join(selects, sql` union all `)} ${ordered}`.execute(db);
  return rows;
}
