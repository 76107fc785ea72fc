/** Counts events by camera and slice of time: in one statement where that is quick, else window by window (SPEC 7). */
import { sql } from 'kysely';
import type { EventCondition, SliceCount, SliceQuestion } from '../../domain/events/event-question.ts';
import { isOutOfTime, isPast, outOfTime } from '../../domain/events/out-of-time.ts';
import { distinctCameras } from './distinct-names.ts';
import { allOf, conditionInSql, isOneOf, offsetAt } from './event-conditions.ts';
import { type EventsPlace, inTime } from './event-shape.ts';
import { plateTest } from './find-events.ts';
import { timeWindows } from './time-windows.ts';

/** Other questions wait so long at most; what takes longer is counted again in windows. */
const ONE_GO_MILLISECONDS = 50;

export async function countSlices(
  question: SliceQuestion,
  place: EventsPlace,
  oneGo = ONE_GO_MILLISECONDS,
): Promise<readonly SliceCount[]> {
  const { deadline } = place;
  // An index has the start times by camera, and is all that is read when only cameras, labels and times are asked for.
  const cameras = question.cameras ?? (place.shape.inOrderBy.camera ? await distinctCameras(place) : null);
  const named = { ...question, cameras };
  if (deadline === undefined || !place.words.inTime) return countAtOnce(named, place);
  const at = Math.min(deadline.at, performance.now() + oneGo);
  try {
    return await countAtOnce(named, { ...place, deadline: { at } });
  } catch (fault) {
    if (!isOutOfTime(fault) || isPast(deadline)) throw fault;
    return countInWindows(named, place);
  }
}

export async function countInWindows(
  question: SliceQuestion,
  place: EventsPlace,
  eventsEach?: number,
): Promise<readonly SliceCount[]> {
  const { conditions } = question;
  const sums = createSums();
  for await (const window of timeWindows({ conditions, sort: NEWEST_FIRST }, place, eventsEach))
    sums.add(await countAtOnce({ ...question, conditions: [...conditions, ...window] }, place));
  return sums.all();
}

/** A slice that two windows share, or events of several plates, have a row each. */
function createSums() {
  const sums = new Map<string, SliceCount>();
  return {
    all: (): readonly SliceCount[] => [...sums.values()],
    add(rows: readonly SliceCount[]): void {
      for (const row of rows) {
        const key = `${row.slice} ${row.name}`;
        sums.set(key, { ...row, count: row.count + (sums.get(key)?.count ?? 0) });
      }
    },
  };
}

const NEWEST_FIRST = { key: 'date', direction: 'desc' } as const;

interface SliceRow {
  readonly slice: number | string;
  readonly name: string;
  readonly plate?: string | null;
  readonly count: number | string;
}

async function countAtOnce(question: SliceQuestion, place: EventsPlace): Promise<readonly SliceCount[]> {
  const { db, shape, words, deadline } = place;
  const { cameras, conditions, slicing, by } = question;
  const tests = conditions.flatMap((condition) =>
    condition.kind === 'plate' && condition.isWanted.matches ? [plateTest(condition)] : [],
  );
  const isIndexed = shape.inOrderBy.camera;
  const where = allOf([
    ...inTime(place),
    ...(cameras ? [isOneOf(isIndexed ? sql`e.camera` : words.unindexed(sql`e.camera`), cameras)] : []),
    ...conditions.map((condition) => asCondition(condition, place)),
  ]);
  const offset = sql`(${offsetAt(slicing.offsets)}) + ${sql.lit(slicing.phase)}`;
  const plate = tests.length > 0 ? sql`, e.plate as plate` : sql``;
  const { rows } = await sql<SliceRow>`
    select ${words.sliceNumber(sql`e.start_time`, offset, slicing.seconds)} as slice,
      e.${sql.ref(by)} as name,
      count(*) as count ${plate}
    from ${shape.table} as e where ${where} group by 1, 2 ${tests.length > 0 ? sql`, e.plate` : sql``}`.execute(db);
  const kept = rows.filter((row) => {
    // A pattern may cost more than the walk.
    if (tests.length > 0 && isPast(deadline)) throw outOfTime();
    return tests.every((passes) => passes(row.plate ?? null));
  });
  const sums = createSums();
  sums.add(kept.map(({ slice, name, count }) => ({ slice: Number(slice), name, count: Number(count) })));
  return sums.all();
}

/** Labels, too, are a way in: an index has camera, label and start. */
function asCondition(condition: EventCondition, { shape, words }: EventsPlace) {
  return condition.kind === 'one-of' && condition.field === 'label' && shape.inOrderBy.camera
    ? isOneOf(sql`e.label`, condition.values)
    : conditionInSql(condition, words);
}
