/** Reads detection events, from the store or from the NVR's own file (interface 2.4). */
import { type Kysely, sql } from 'kysely';
import { createTaskQueue } from '../../domain/async.ts';
import type { BoundedEventSource, EventSource, StoredEvent } from '../../domain/events/event-question.ts';
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

export const createEventSource = (place: EventsPlace): BoundedEventSource => ({
  ...sourceAt(place),
  until: (deadline) => sourceAt({ ...place, deadline }),
});

function sourceAt(place: EventsPlace): EventSource {
  const cameras = (): Promise<string[]> => distinctCameras(place);
  return {
    cameras,
    find: (question) => windowedFind(question, place),
    read: (ids, include) => readEvents(ids, include, place),
    countByLabel: (visible, conditions = []) => countByLabel(visible, conditions, place),
    groups: (question) => groupEvents(question, place),
    countByDay: (question) => countByDay(question, place),
    firstStart: (time) => firstStart(time, place),
    writesByDay: () => writesByDay(place),

    async distinct(column, visible, conditions = []) {
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
