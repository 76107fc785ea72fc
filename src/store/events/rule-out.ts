/** Tells from indices of names alone that no event can be what is asked for: else every event would be read to find none (SPEC 7). */
import { sql } from 'kysely';
import { type EventCondition, type EventQuestion, foldSubLabels } from '../../domain/events/event-question.ts';
import { isOutOfTime, isPast } from '../../domain/events/out-of-time.ts';
import { distinctCameras, distinctNames, distinctZones } from './distinct-names.ts';
import { allOf, plateTest } from './event-conditions.ts';
import { type EventsPlace, inTime } from './event-shape.ts';

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
  const isWanted = testOf(condition);
  for (const camera of cameras) if ((await namesOf(condition, camera, place)).some(isWanted)) return true;
  return false;
}

function testOf(condition: NamedCondition): (stored: string) => boolean {
  if (condition.kind === 'plate') return plateTest(condition);
  const { names } = condition;
  return condition.of === 'zone'
    ? (stored) => names.some((name) => stored.includes(JSON.stringify(name).slice(1, -1)))
    : (stored) => names.some((name) => foldSubLabels(stored)?.includes(`,${name},`) === true);
}

function namesOf(condition: NamedCondition, camera: string, place: EventsPlace): Promise<readonly string[]> {
  if (condition.kind === 'plate') return platesOf(camera, place);
  return condition.of === 'zone' ? distinctZones(camera, place) : distinctNames('sub_label', camera, place);
}

/** Nearly every plate is another one: the whole index is read at once. */
async function platesOf(camera: string, place: EventsPlace): Promise<readonly string[]> {
  const where = allOf([...inTime(place), sql`e.camera = ${camera}`, sql`e.plate is not null`]);
  const { rows } = await sql<{ plate: string }>`
    select distinct e.plate as plate from ${place.shape.table} as e where ${where}`.execute(place.db);
  return rows.map(({ plate }) => plate);
}
