/** Reads detection events, from the store or from the NVR's own file (interface 2.4). */
import { type Kysely, sql } from 'kysely';
import { createTaskQueue } from '../../domain/async.ts';
import type {
  DayQuestion,
  Deadline,
  DistinctColumn,
  EventCondition,
  EventGroup,
  EventQuestion,
  GroupQuestion,
  StoredEvent,
} from '../../domain/events/event-question.ts';
import { plainJson } from '../../domain/json.ts';
import { type Dialect, isOneOf } from '../engine/engine.ts';
import { TABLES, type Table, type Tables, withBooleans } from '../engine/tables.ts';
import {
  countByDay,
  countByLabel,
  distinctCameras,
  distinctNames,
  firstStart,
  groupEvents,
  labelsOf,
  namesOfAll,
  writesByDay,
} from './count-events.ts';
import { type EventShape, type EventsPlace, selectEvents } from './event-shape.ts';
import { windowedFind } from './find-events.ts';

export const eventsPlace = (db: Kysely<Tables>, shape: EventShape, words: Dialect): EventsPlace => ({
  db,
  shape,
  words,
  walks: createTaskQueue(1).enter,
});

/** What can be asked about events. `cameras` null: all cameras. */
export type EventSource = ReturnType<typeof sourceAt>;
export type BoundedEventSource = ReturnType<typeof createEventSource>;

export const createEventSource = (place: EventsPlace) =>
  Object.assign(sourceAt(place), {
    /** The same; what takes longer rejects with `outOfTime`. */
    until: (deadline: Deadline): EventSource => sourceAt({ ...place, deadline }),
  });

function sourceAt(place: EventsPlace) {
  /** Cameras that have events, in order of name. */
  const cameras = (): Promise<readonly string[]> => distinctCameras(place);
  return {
    cameras,
    /** The events that answer the question, in its order. */
    find: (question: EventQuestion) => windowedFind(question, place),
    /** The events in the order of `ids`; deleted ones are left out. Without `thumbnails` these fields are null. */
    read: (ids: readonly string[], include: { readonly thumbnails: boolean }): Promise<readonly StoredEvent[]> =>
      readEvents(ids, include, place),
    /** How many events each label has. */
    countByLabel: (cameras: readonly string[] | null, conditions: readonly EventCondition[] = []) =>
      countByLabel(cameras, conditions, place),
    groups: (question: GroupQuestion): Promise<readonly EventGroup[]> => groupEvents(question, place),
    /** A day and camera without events are left out; in no order. */
    countByDay: (question: DayQuestion) => countByDay(question, place),
    /** The first start time that is not before `time`. */
    firstStart: (time: number) => firstStart(time, place),
    /** A number for each day of UTC on which events begin: it grows with every write to them. Null where the store does not count. */
    writesByDay: () => writesByDay(place),

    /** Each once, in no order; absent ones are left out. */
    async distinct(
      column: DistinctColumn,
      visible: readonly string[] | null,
      conditions: readonly EventCondition[] = [],
    ): Promise<readonly string[]> {
      const { inOrderBy } = place.shape;
      if (!inOrderBy.camera || conditions.length > 0)
        return column === 'label' && inOrderBy.label
          ? labelsOf(visible, conditions, place)
          : namesOfAll(column, visible, conditions, place);
      const found = await Promise.all(
        (visible ?? (await cameras())).map((camera) => distinctNames(column, camera, place)),
      );
      return [...new Set(found.flat())];
    },
  };
}

const { columns }: Table = TABLES.events;
const inRecords = Object.keys(columns).filter((name) => columns[name]?.field !== false);
const WITH_THUMBNAIL = sql.join(inRecords.map((name) => sql`e.${sql.ref(name)}`));
const WITHOUT_THUMBNAIL = sql.join(
  inRecords.map((name) => (name === 'thumbnail' ? sql`null as thumbnail` : sql`e.${sql.ref(name)}`)),
);

async function readEvents(
  ids: readonly string[],
  include: { readonly thumbnails: boolean },
  place: EventsPlace,
): Promise<StoredEvent[]> {
  if (ids.length === 0) return [];
  const selected = include.thumbnails ? WITH_THUMBNAIL : WITHOUT_THUMBNAIL;
  const rows = await selectEvents<Tables['events']>(selected, [isOneOf(sql`e.id`, ids)], place);
  const byId = new Map(rows.map((row) => [row.id, asStoredEvent(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

function asStoredEvent({ zones, data, ...row }: Tables['events']): StoredEvent {
  const plain = withBooleans('events', row) as unknown as Omit<StoredEvent, 'zonesJson' | 'dataJson'>;
  return { ...plain, zonesJson: zones, thumbnail: row.thumbnail || null, dataJson: plainJson(data) };
}
