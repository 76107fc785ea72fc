/**
 * Finds events by one statement that walks an index in the requested order and stops at the limit. A query that no index answers at once
 * is run again window by window, so that it does not delay others (SPEC 7).
 */
import { sql } from 'kysely';
import type { EventQuestion, EventSort, FoundEvent } from '../../domain/events/event-question.ts';
import { isOutOfTime, isPast, outOfTime } from '../../domain/events/out-of-time.ts';
import { allOf, behind, conditionInSql, plateTest, sortValue } from './event-conditions.ts';
import { type EventsPlace, inTime } from './event-shape.ts';
import { namesLabels, streamsOf } from './event-streams.ts';
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
