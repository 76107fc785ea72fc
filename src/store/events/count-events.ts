/** Counts events, by label and by day for the summary, and finds the distinct names in a column (SPEC 7). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { EARLIEST_TIME, LATEST_TIME } from '../../domain/events/event.ts';
import {
  type DayCount,
  type DayQuestion,
  type DistinctColumn,
  type EventCondition,
  type EventGroup,
  type GroupQuestion,
  isPast,
  outOfTime,
} from '../../domain/events/event-question.ts';
import { allOf, type Condition, isOneOf } from '../engine/engine.ts';
import { Queries } from '../engine/rows.ts';
import { conditionInSql, offsetAt } from './event-conditions.ts';
import { type EventsPlace, inTime, ofCameras, selectEvents } from './event-shape.ts';
import { everyEvent } from './time-windows.ts';

export async function countByLabel(
  cameras: readonly string[] | null,
  conditions: readonly EventCondition[],
  place: EventsPlace,
): Promise<ReadonlyMap<string, number>> {
  const isByCamera = place.shape.inOrderBy.camera && conditions.length === 0;
  const columns = sql`e.label as label, count(*) as events`;
  const counts = new Map<string, number>();
  for await (const these of isByCamera ? cameraByCamera(cameras, place) : everyEvent(cameras, conditions, place))
    for (const row of await selectEvents<{ label: string; events: number }>(columns, these, place, sql`group by 1`))
      counts.set(row.label, (counts.get(row.label) ?? 0) + Number(row.events));
  return counts;
}

/** An index has the labels of a camera in order: by label alone everything would be sorted. */
async function* cameraByCamera(cameras: readonly string[] | null, place: EventsPlace): AsyncGenerator<Condition[]> {
  for (const camera of new Set(cameras ?? (await distinctCameras(place)))) {
    yield [...inTime(place), sql`e.camera = ${camera}`];
    await nextTurn();
  }
}

export function groupEvents(question: GroupQuestion, place: EventsPlace): Promise<EventGroup[]> {
  const { cameras, conditions, offsets, from, until } = question;
  const where = [
    ...inTime(place),
    sql<boolean>`e.start_time >= ${from}`,
    sql<boolean>`e.start_time < ${until}`,
    // The slice of time is the way in; by camera all events would be read for every slice.
    ...ofCameras(cameras, place),
    ...conditions.map((condition) => conditionInSql(condition, place.words)),
  ];
  const columns = sql`${dayIn(offsets)} as day, e.camera as camera, e.label as label, e.sub_label as sub_label,
    e.zones as "zonesJson", count(*) as count`;
  return selectEvents(columns, where, place, sql`group by 1, 2, 3, 4, 5`);
}

/** Days since 1 January 1970 on the local calendar. */
const dayIn = (offsets: DayQuestion['offsets']) =>
  sql`cast(floor((e.start_time + ${offsetAt(offsets)}) / ${sql.lit(DAY)}.0) as integer)`;

/** An index has camera, label and start: its ways in are named, and no event is read. */
export async function countByDay(
  { cameras, conditions, offsets }: DayQuestion,
  place: EventsPlace,
): Promise<readonly DayCount[]> {
  const { shape, words, deadline } = place;
  const where = [
    ...inTime(place),
    ...(shape.inOrderBy.camera
      ? [isOneOf(sql`e.camera`, cameras ?? (await distinctCameras(place)))]
      : ofCameras(cameras, place)),
    ...conditions.map((condition) => dayCondition(condition, place)),
  ];
  const columns = sql`${dayIn(offsets)} as day, e.camera as camera, count(*) as count`;
  const ask = (db: EventsPlace['db']) => selectEvents<DayCount>(columns, where, { ...place, db }, sql`group by 1, 2`);
  if (deadline === undefined) return ask(place.db);
  const rows = await words.within(Math.max(1, Math.round(deadline.at - performance.now())), place.db, ask);
  if (isPast(deadline)) throw outOfTime(); // rows are grouped after the last look at the clock
  return rows;
}

const dayCondition = (condition: EventCondition, { shape, words }: EventsPlace) =>
  condition.kind === 'one-of' && condition.field === 'label' && shape.inOrderBy.camera
    ? isOneOf(sql`e.label`, condition.values)
    : conditionInSql(condition, words);

export async function firstStart(time: number, place: EventsPlace): Promise<number | undefined> {
  const later = [sql<boolean>`e.start_time >= ${time}`];
  const [first] = await selectEvents<{ start: number | null }>(sql`min(e.start_time) as start`, later, place);
  return first?.start ?? undefined;
}

const DAY = 86_400;

export async function writesByDay({ db, shape }: EventsPlace): Promise<ReadonlyMap<number, number> | null> {
  if (!shape.countsWrites) return null;
  // Days beyond every calendar, of events that an earlier version imported, are no numbers that can be read.
  const calendar = { '>=': Math.floor(EARLIEST_TIME / DAY), '<=': Math.floor(LATEST_TIME / DAY) };
  const rows = await new Queries(db).list('event_writes', { day: calendar }, []);
  return new Map(rows.map(({ day, writes }) => [day, writes]));
}

/** The distinct names in a column, by stepping through an index from one name to the next: events are not read. */
export const distinctCameras = (place: EventsPlace): Promise<string[]> => steps('camera', sql`1 = 1`, place);

export const distinctNames = (column: DistinctColumn, camera: string, place: EventsPlace): Promise<string[]> =>
  steps(column, sql`e.camera = ${camera}`, place);

/** Lists of zones as they are stored, without the empty one. In words of the partial index. */
export const distinctZones = (camera: string, place: EventsPlace): Promise<string[]> =>
  steps('zones', sql`e.camera = ${camera} and e.zones <> '[]'`, place);

/** Labels are few: an index leads from one to the next, and to events of each until one is of these cameras and fulfils the conditions. */
export async function labelsOf(
  cameras: readonly string[] | null,
  conditions: readonly EventCondition[],
  place: EventsPlace,
): Promise<string[]> {
  const wanted = conditions.map((condition) => conditionInSql(condition, place.words));
  const found: string[] = [];
  for (const label of await steps('label', sql`1 = 1`, place)) {
    const where = [...inTime(place), sql<boolean>`e.label = ${label}`, ...ofCameras(cameras, place), ...wanted];
    if ((await selectEvents(sql`1`, where, place, sql`limit 1`)).length > 0) found.push(label);
  }
  return found;
}

/** Where no index knows the names of a camera, or only some of its events count, stepping would walk through all events for each name. */
export async function namesOfAll(
  column: DistinctColumn,
  cameras: readonly string[] | null,
  conditions: readonly EventCondition[],
  place: EventsPlace,
): Promise<string[]> {
  const name = sql`e.${sql.ref(column)}`;
  const names = new Set<string>();
  for await (const these of everyEvent(cameras, conditions, place)) {
    const where = [...these, sql<boolean>`${name} is not null`];
    for (const row of await selectEvents<{ name: string }>(sql`distinct ${name} as name`, where, place))
      names.add(row.name);
  }
  return [...names];
}

/** A plain `distinct` would read an index entry per event. */
async function steps(column: string, own: RawBuilder<boolean>, place: EventsPlace): Promise<string[]> {
  const { db, shape } = place;
  const where = allOf([...inTime(place), own]);
  const name = sql`e.${sql.ref(column)}`;
  const first = (beyond: RawBuilder<unknown>) =>
    sql`(select ${name} from ${shape.table} as e where ${where} and ${name} ${beyond} order by ${name} limit 1)`;
  const { rows } = await sql<{ name: string }>`
    with recursive found (name) as (
      select ${first(sql`is not null`)}
      union all
      select ${first(sql`> found.name`)} from found where found.name is not null
    )
    select name from found where name is not null`.execute(db);
  return rows.map((row) => row.name);
}
