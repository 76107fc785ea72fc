/** How the events of a query are read: in one stream, or in one stream per camera and label, which the engine merges. */
import { type RawBuilder, sql } from 'kysely';
import type { EventCondition, EventQuestion } from '../../domain/events/event-question.ts';
import type { Dialect } from '../engine/dialect.ts';
import { distinctCameras } from './distinct-names.ts';
import { isOneOf } from './event-conditions.ts';
import type { EventsPlace } from './event-shape.ts';

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
export async function streamsOf(question: EventQuestion, place: EventsPlace): Promise<readonly Stream[]> {
  const { inOrderBy } = place.shape;
  const { conditions, sort } = question;
  const labels = labelsOf(conditions);
  const isByDate = sort.key === 'date' && !conditions.some(namesIds);
  const isSearch = !conditions.some(isRare) && conditions.some(isUnindexed);
  const cameras = await camerasOf(question, place);
  const isMinority = cameras !== null && (!isSearch || cameras.length * 2 <= (await distinctCameras(place)).length);
  const splitsCameras = isByDate && inOrderBy.camera && isMinority && cameras.length <= MOST_STREAMS;
  const perCamera = split('camera', cameras, splitsCameras, place.words);
  const isFew = labels !== null && labels.length * perCamera.length <= (isSearch ? 1 : MOST_STREAMS);
  const perLabel = split('label', labels, isByDate && inOrderBy.label && isFew, place.words);
  return perCamera.flatMap((one) => perLabel.map((other) => [...one, ...other]));
}

export const namesLabels = (condition: EventCondition): boolean =>
  condition.kind === 'one-of' && condition.field === 'label';

const namesIds = (condition: EventCondition): boolean => condition.kind === 'one-of' && condition.field === 'id';

/** Conditions that few events fulfil, and an index by camera has just those few. */
const RARE_FLAGS: readonly string[] = ['in_progress', 'retain_indefinitely', 'submitted'];
const isRare = (condition: EventCondition): boolean =>
  condition.kind === 'flag' && condition.is && RARE_FLAGS.includes(condition.flag);

/** Whether events must be looked at one by one. */
const isUnindexed = (condition: EventCondition): boolean =>
  condition.kind !== 'one-of' && !(condition.kind === 'compared' && condition.measure === 'start_time');

/** Rare events stand in an index by camera, so they are asked for by camera even where all are meant. */
async function camerasOf(
  { cameras, conditions }: EventQuestion,
  place: EventsPlace,
): Promise<readonly string[] | null> {
  if (cameras !== null) return [...new Set(cameras)];
  return place.shape.inOrderBy.camera && conditions.some(isRare) ? distinctCameras(place) : null;
}

/** The labels that all label conditions allow; null when there is none. */
function labelsOf(conditions: readonly EventCondition[]): readonly string[] | null {
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
