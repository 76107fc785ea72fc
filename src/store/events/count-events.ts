/** Counts events: by label, and by day for the summary (SPEC 7). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { EARLIEST_TIME, LATEST_TIME } from '../../domain/events/event.ts';
import type {
  DayCount,
  DayQuestion,
  EventCondition,
  EventGroup,
  GroupQuestion,
} from '../../domain/events/event-question.ts';
import { isPast, outOfTime } from '../../domain/events/out-of-time.ts';
import { distinctCameras } from './distinct-names.ts';
import { allOf, conditionInSql, isOneOf, offsetAt } from './event-conditions.ts';
import { type EventsPlace, inTime } from './event-shape.ts';
import { everyEvent } from './time-windows.ts';

export async function countByLabel(
  cameras: readonly string[] | null,
  place: EventsPlace,
): Promise<ReadonlyMap<string, number>> {
  const { db, shape } = place;
  const counts = new Map<string, number>();
  for await (const these of shape.inOrderBy.camera ? cameraByCamera(cameras, place) : everyEvent(cameras, place)) {
    const { rows } = await sql<{ label: string; events: number }>`
      select e.label as label, count(*) as events from ${shape.table} as e where ${these} group by 1`.execute(db);
    for (const { label, events } of rows) counts.set(label, (counts.get(label) ?? 0) + Number(events));
  }
  return counts;
}

/** An index has the labels of a camera in order: by label alone everything would be sorted. */
async function* cameraByCamera(
  cameras: readonly string[] | null,
  place: EventsPlace,
): AsyncGenerator<RawBuilder<boolean>> {
  for (const camera of new Set(cameras ?? (await distinctCameras(place)))) {
    yield allOf([...inTime(place), sql`e.camera = ${camera}`]);
    await nextTurn();
  }
}

export async function groupEvents(question: GroupQuestion, place: EventsPlace): Promise<EventGroup[]> {
  const { db, shape, words } = place;
  const { cameras, conditions, offsets, from, until } = question;
  const where = allOf([
    ...inTime(place),
    sql`e.start_time >= ${from}`,
    sql`e.start_time < ${until}`,
    // The slice of time is the way in; by camera all events would be read for every slice.
    ...(cameras ? [isOneOf(words.unindexed(sql`e.camera`), cameras)] : []),
    ...conditions.map((condition) => conditionInSql(condition, words)),
  ]);
  const { rows } = await sql<EventGroup>`
    select ${words.dayNumber(sql`e.start_time`, offsetAt(offsets))} as day, e.camera as camera, e.label as label,
      e.sub_label as sub_label, e.zones as "zonesJson", count(*) as count
    from ${shape.table} as e where ${where} group by 1, 2, 3, 4, 5`.execute(db);
  return rows;
}

/** An index has camera, label and start: its ways in are named, and no event is read. */
export async function countByDay(
  { cameras, conditions, offsets }: DayQuestion,
  place: EventsPlace,
): Promise<readonly DayCount[]> {
  const { shape, words, deadline } = place;
  const { camera: isIndexed } = shape.inOrderBy;
  const among = cameras ?? (isIndexed ? await distinctCameras(place) : null);
  const where = allOf([
    ...inTime(place),
    ...(among ? [isOneOf(isIndexed ? sql`e.camera` : words.unindexed(sql`e.camera`), among)] : []),
    ...conditions.map((condition) => dayCondition(condition, place)),
  ]);
  const statement = sql<DayCount>`
    select ${words.dayNumber(sql`e.start_time`, offsetAt(offsets))} as day, e.camera as camera, count(*) as count
    from ${shape.table} as e where ${where} group by 1, 2`;
  const ask = async (db: EventsPlace['db']) => (await statement.execute(db)).rows;
  if (deadline === undefined) return ask(place.db);
  const rows = await words.within(Math.max(1, Math.round(deadline.at - performance.now())), place.db, ask);
  if (isPast(deadline)) throw outOfTime(); // rows are grouped after the last look at the clock
  return rows;
}

const dayCondition = (condition: EventCondition, { shape, words }: EventsPlace) =>
  condition.kind === 'one-of' && condition.field === 'label' && shape.inOrderBy.camera
    ? isOneOf(sql`e.label`, condition.values)
    : conditionInSql(condition, words);

export async function firstStart(time: number, { db, shape }: EventsPlace): Promise<number | undefined> {
  const { rows } = await sql<{ start: number | null }>`
    select min(e.start_time) as start from ${shape.table} as e where e.start_time >= ${time}`.execute(db);
  return rows[0]?.start ?? undefined;
}

const DAY = 86_400;

export async function writesByDay({ db, shape }: EventsPlace): Promise<ReadonlyMap<number, number> | null> {
  if (!shape.countsWrites) return null;
  // Days beyond every calendar, of events that an earlier version imported, are no numbers that can be read.
  const rows = await db
    .selectFrom('event_writes')
    .select(['day', 'writes'])
    .where('day', '>=', Math.floor(EARLIEST_TIME / DAY))
    .where('day', '<=', Math.floor(LATEST_TIME / DAY))
    .execute();
  return new Map(rows.map(({ day, writes }) => [day, writes]));
}
