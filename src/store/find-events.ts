/** A question as one statement that walks an index in the asked order and stops at the limit. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { EventCondition, EventQuestion, FoundEvent } from '../domain/event-question.ts';
import { allOf, behind, conditionInSql, isOneOf, sortValue } from './event-conditions.ts';
import type { EventShape } from './event-shape.ts';
import type { EngineWords } from './sqlite-words.ts';
import type { Tables } from './tables.ts';

interface Candidate extends FoundEvent {
  readonly plate: string | null;
}

/** Where events are looked for: a database, how its table is laid out, and what its engine is told. */
export interface EventsPlace {
  readonly db: Kysely<Tables>;
  readonly shape: EventShape;
  readonly words: EngineWords;
}

/** SQLite joins at most 500 selects in one statement; a merge this wide is still cheap. */
const MOST_STREAMS = 128;
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

const plateTest =
  ({ isWanted: { plates, matches }, orNone }: Extract<EventCondition, { kind: 'plate' }>) =>
  (plate: string | null): boolean =>
    plate === null ? orNone : plates.includes(plate) || (matches?.(plate) ?? false);

/** Page after page of candidates until enough have passed: no statement stays open, and others get their turn. */
async function sifted(
  question: EventQuestion,
  place: EventsPlace,
  passes: (candidate: Candidate) => boolean,
): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  let after = question.after;
  while (found.length < question.limit) {
    const page = await candidates({ ...question, after, limit: CANDIDATES_PER_STEP }, place);
    found.push(...page.filter(passes));
    const last = page.at(-1);
    if (page.length < CANDIDATES_PER_STEP || !last) break;
    after = { value: last.value, id: last.id };
  }
  return found.slice(0, question.limit);
}

async function candidates(question: EventQuestion, { db, shape, words }: EventsPlace): Promise<Candidate[]> {
  if (question.limit === 0) return [];
  const value = sortValue(question.sort.key);
  const direction = sql.raw(question.sort.direction);
  const shared = question.conditions.filter(isNotSplit).map((condition) => conditionInSql(condition, words));
  const page = question.after ? [behind(question.after, value, question.sort.direction)] : [];
  const streams = streamsOf(question, shape, words).map(
    (own) => sql`select e.id as id, ${value} as value, e.plate as plate from ${shape.table} as e
      where ${allOf([...own, ...shared, ...page])}`,
  );
  const { rows } = await sql<Candidate>`${sql.join(streams, sql` union all `)}
    order by value ${direction}, id ${direction} limit ${question.limit}`.execute(db);
  return rows;
}

/** Labels are a stream's own condition. */
const isNotSplit = (condition: EventCondition): boolean =>
  !(condition.kind === 'one-of' && condition.field === 'label');

/**
 * By date, every camera (and label) is a stream of its own, which an index gives in order, and the engine merges the
 * streams: it reads about as many rows as it answers. Asked for `camera in (…)` it would sort all rows of all cameras.
 */
function streamsOf(question: EventQuestion, { inOrderBy }: EventShape, words: EngineWords): RawBuilder<boolean>[][] {
  const cameras = question.cameras && [...new Set(question.cameras)];
  const labels = labelsOf(question.conditions);
  const isByDate = question.sort.key === 'date' && !question.conditions.some(namesIds);
  const camerasSplit = inOrderBy.camera && isByDate && cameras && isSplittable(cameras.length);
  const labelsSplit =
    inOrderBy.label && isByDate && labels && isSplittable(labels.length * (camerasSplit ? cameras.length : 1));
  return crossed(
    split('camera', cameras, Boolean(camerasSplit), words),
    split('label', labels, Boolean(labelsSplit), words),
  );
}

const isSplittable = (count: number): boolean => count > 0 && count <= MOST_STREAMS;

const namesIds = (condition: EventCondition): boolean => condition.kind === 'one-of' && condition.field === 'id';

function split(
  field: 'camera' | 'label',
  values: readonly string[] | null,
  isSplit: boolean,
  words: EngineWords,
): RawBuilder<boolean>[][] {
  const column = sql`e.${sql.ref(field)}`;
  if (values === null) return [[]];
  if (isSplit) return values.map((value) => [sql`${column} = ${value}`]);
  return [[isOneOf(words.unindexed(column), values)]];
}

const crossed = <Item>(ones: readonly Item[][], others: readonly Item[][]): Item[][] =>
  ones.flatMap((one) => others.map((other) => [...one, ...other]));

/** The labels that all label conditions allow; null when there is none. */
function labelsOf(conditions: readonly EventCondition[]): readonly string[] | null {
  const lists = conditions.flatMap((condition) =>
    condition.kind === 'one-of' && condition.field === 'label' ? [new Set(condition.values)] : [],
  );
  const [first, ...rest] = lists;
  return first ? [...first].filter((label) => rest.every((list) => list.has(label))) : null;
}
