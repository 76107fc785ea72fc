/**
 * Finds events by one statement that walks an index in the requested order and stops at the limit. A query that no index answers at once
 * is run again window by window, so that it does not delay others (SPEC 7).
 */
import { type RawBuilder, sql } from 'kysely';
import {
  type EventCondition,
  type EventQuestion,
  type EventSort,
  type FoundEvent,
  foldSubLabels,
  isOutOfTime,
  isPast,
  outOfTime,
} from '../../domain/events/event-question.ts';
import { allOf, type Dialect, isOneOf } from '../engine/engine.ts';
import { distinctCameras, distinctNames, distinctZones } from './count-events.ts';
import { behind, conditionInSql, plateTest, SORT_COLUMNS } from './event-conditions.ts';
import { type EventsPlace, inTime, selectEvents } from './event-shape.ts';
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
    found = (isByDate ? more : more.sort(sortOrder(sort))).slice(0, limit);
    if (isByDate && found.length === limit) break;
  }
  return found;
}

/** The engine's order: absent values below all others, equal ones in order of id. */
function sortOrder({ direction }: EventSort) {
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
  const sorted = SORT_COLUMNS[question.sort.key];
  const value = place.isByTime ? words.unindexed(sorted) : sorted;
  const { direction } = question.sort;
  const shared = question.conditions
    .filter((condition) => !namesLabels(condition))
    .map((condition) => conditionInSql(condition, words));
  const page = question.after ? [behind(question.after, value, question.sort)] : [];
  const streams = await openStreams(question, place);
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

/** So long the names may take; then the events are looked at, as without this. A server answers others meanwhile. */
const MILLISECONDS = { inProcess: 50, onServer: 250 };

/** Where no index has the names by camera, nothing is told. */
export async function isRuledOut(
  { cameras, conditions }: EventQuestion,
  place: EventsPlace,
  milliseconds = place.words.inTime ? MILLISECONDS.inProcess : MILLISECONDS.onServer,
): Promise<boolean> {
  const named = conditions.filter(isNamed);
  if (named.length === 0 || !place.shape.inOrderBy.camera || isPast(place.deadline)) return false;
  const at = Math.min(place.deadline?.at ?? Number.POSITIVE_INFINITY, performance.now() + milliseconds);
  try {
    return await place.words.within(milliseconds, place.db, async (db) => {
      const hurried = { ...place, db, deadline: { at } };
      const among = cameras ?? (await distinctCameras(hurried));
      for (const condition of named) if (!(await isCarried(condition, among, hurried))) return true;
      return false;
    });
  } catch (fault) {
    if (isOutOfTime(fault)) return false;
    throw fault;
  }
}

type NamedCondition = Extract<EventCondition, { kind: 'carries' | 'plate' }>;

/** Events without a name are many, and no index has them. */
const isNamed = (condition: EventCondition): condition is NamedCondition =>
  (condition.kind === 'plate' || (condition.kind === 'carries' && condition.of !== 'attribute')) && !condition.orNone;

async function isCarried(condition: NamedCondition, cameras: readonly string[], place: EventsPlace): Promise<boolean> {
  const isWanted = conditionTest(condition);
  for (const camera of cameras) if ((await storedNames(condition, camera, place)).some(isWanted)) return true;
  return false;
}

function conditionTest(condition: NamedCondition): (stored: string) => boolean {
  if (condition.kind === 'plate') return plateTest(condition);
  const { names } = condition;
  return condition.of === 'zone'
    ? (stored) => names.some((name) => stored.includes(JSON.stringify(name).slice(1, -1)))
    : (stored) => names.some((name) => foldSubLabels(stored)?.includes(`,${name},`) === true);
}

function storedNames(condition: NamedCondition, camera: string, place: EventsPlace): Promise<readonly string[]> {
  if (condition.kind === 'plate') return storedPlates(camera, place);
  return condition.of === 'zone' ? distinctZones(camera, place) : distinctNames('sub_label', camera, place);
}

/** Nearly every plate is another one: the whole index is read at once. */
async function storedPlates(camera: string, place: EventsPlace): Promise<readonly string[]> {
  const where = [...inTime(place), sql<boolean>`e.camera = ${camera}`, sql<boolean>`e.plate is not null`];
  const rows = await selectEvents<{ plate: string }>(sql`distinct e.plate as plate`, where, place);
  return rows.map(({ plate }) => plate);
}

/** The conditions that a stream has for itself. */
type Stream = readonly RawBuilder<boolean>[];

/** SQLite joins at most 500 selects in one statement; a merge this wide is still cheap. */
const MOST_STREAMS = 128;

/**
 * The streams of a list by date. An index gives the events of a camera (or of a label on a camera) in order, and the engine
 * merges such streams: it reads about as many rows as it answers. Asked for `camera in (…)` it would sort all rows of all
 * cameras. A merge begins with the first event of every stream, and where a condition has none for it, a stream is read to its
 * end. So with conditions that no index knows, streams are for a minority of the cameras; most of them are found sooner on one
 * walk through time.
 */
async function openStreams(question: EventQuestion, place: EventsPlace): Promise<readonly Stream[]> {
  const { inOrderBy } = place.shape;
  const { conditions, sort } = question;
  const labels = namedLabels(conditions);
  const isByDate = sort.key === 'date' && !conditions.some(namesIds);
  const isSearch = !conditions.some(isRare) && conditions.some(isUnindexed);
  const cameras = await namedCameras(question, place);
  const isMinority = cameras !== null && (!isSearch || cameras.length * 2 <= (await distinctCameras(place)).length);
  const splitsCameras = isByDate && inOrderBy.camera && isMinority && cameras.length <= MOST_STREAMS;
  const perCamera = split('camera', cameras, splitsCameras, place.words);
  const isFew = labels !== null && labels.length * perCamera.length <= (isSearch ? 1 : MOST_STREAMS);
  const perLabel = split('label', labels, isByDate && inOrderBy.label && isFew, place.words);
  return perCamera.flatMap((one) => perLabel.map((other) => [...one, ...other]));
}

const namesLabels = (condition: EventCondition): boolean => condition.kind === 'one-of' && condition.field === 'label';

const namesIds = (condition: EventCondition): boolean => condition.kind === 'one-of' && condition.field === 'id';

/** Conditions that few events fulfil, and an index by camera has just those few. */
const RARE_FLAGS: readonly string[] = ['in_progress', 'retain_indefinitely', 'submitted'];
const isRare = (condition: EventCondition): boolean =>
  condition.kind === 'flag' && condition.is && RARE_FLAGS.includes(condition.flag);

/** Whether events must be looked at one by one. */
const isUnindexed = (condition: EventCondition): boolean =>
  condition.kind !== 'one-of' && !(condition.kind === 'compared' && condition.measure === 'start_time');

/** Rare events stand in an index by camera, so they are asked for by camera even where all are meant. */
async function namedCameras(
  { cameras, conditions }: EventQuestion,
  place: EventsPlace,
): Promise<readonly string[] | null> {
  if (cameras !== null) return [...new Set(cameras)];
  return place.shape.inOrderBy.camera && conditions.some(isRare) ? distinctCameras(place) : null;
}

/** The labels that all label conditions allow; null when there is none. */
function namedLabels(conditions: readonly EventCondition[]): readonly string[] | null {
  const lists = conditions.flatMap((condition) =>
    condition.kind === 'one-of' && condition.field === 'label' ? [new Set(condition.values)] : [],
  );
  const [first, ...rest] = lists;
  return first ? [...first].filter((label) => rest.every((list) => list.has(label))) : null;
}

function split(
  field: 'camera' | 'label',
  values: readonly string[] | null,
  isSplit: boolean,
  words: Dialect,
): readonly Stream[] {
  const column = sql`e.${sql.ref(field)}`;
  if (values === null) return [[]];
  if (isSplit && values.length > 0) return values.map((value) => [sql`${column} = ${value}`]);
  return [[isOneOf(words.unindexed(column), values)]];
}
