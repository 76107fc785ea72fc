/** Reads detection events, from the store or from the NVR's own file (interface 2.4). */
import { type Kysely, sql } from 'kysely';
import { createTaskQueue } from '../../domain/async/task-queue.ts';
import type { BoundedEventSource, EventSource, StoredEvent } from '../../domain/events/event-question.ts';
import { plainJson } from '../../domain/json.ts';
import type { Dialect } from '../engine/dialect.ts';
import type { Tables } from '../engine/tables.ts';
import { countByDay, countByLabel, firstStart, groupEvents, writesByDay } from './count-events.ts';
import { distinctCameras, distinctNames, labelsOf, namesOfAll } from './distinct-names.ts';
import type { EventShape, EventsPlace } from './event-shape.ts';
import { windowedFind } from './windowed-find.ts';

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
    countByLabel: (visible) => countByLabel(visible, place),
    groups: (question) => groupEvents(question, place),
    countByDay: (question) => countByDay(question, place),
    firstStart: (time) => firstStart(time, place),
    writesByDay: () => writesByDay(place),

    async distinct(column, visible) {
      const { inOrderBy } = place.shape;
      if (!inOrderBy.camera)
        return column === 'label' && inOrderBy.label ? labelsOf(visible, place) : namesOfAll(column, visible, place);
      const found = await Promise.all(
        (visible ?? (await cameras())).map((camera) => distinctNames(column, camera, place)),
      );
      return [...new Set(found.flat())];
    },
  };
}

async function readEvents(
  ids: readonly string[],
  include: { readonly thumbnails: boolean },
  { db, shape }: EventsPlace,
): Promise<StoredEvent[]> {
  if (ids.length === 0) return [];
  const columns = RECORD_COLUMNS.map((column) => sql`e.${sql.ref(column)}`);
  const thumbnail = include.thumbnails ? sql`e.thumbnail` : sql`null`;
  const { rows } = await sql<RecordRow>`
    select ${sql.join(columns)}, ${thumbnail} as thumbnail from ${shape.table} as e
    where e.id in (${sql.join(ids)})`.execute(db);
  const byId = new Map(rows.map((row) => [row.id, asStoredEvent(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const RECORD_COLUMNS = [
  'id',
  'label',
  'sub_label',
  'camera',
  'start_time',
  'end_time',
  'false_positive',
  'zones',
  'has_clip',
  'has_snapshot',
  'retain_indefinitely',
  'plus_id',
  'model_hash',
  'detector_type',
  'model_type',
  'data',
] as const satisfies readonly (keyof Tables['events'])[];

type RecordRow = Pick<Tables['events'], (typeof RECORD_COLUMNS)[number] | 'thumbnail'>;

const asStoredEvent = (row: RecordRow): StoredEvent => ({
  id: row.id,
  label: row.label,
  sub_label: row.sub_label,
  camera: row.camera,
  start_time: row.start_time,
  end_time: row.end_time,
  false_positive: row.false_positive === null ? null : Boolean(row.false_positive),
  zonesJson: row.zones,
  thumbnail: row.thumbnail || null,
  has_clip: Boolean(row.has_clip),
  has_snapshot: Boolean(row.has_snapshot),
  retain_indefinitely: Boolean(row.retain_indefinitely),
  plus_id: row.plus_id,
  model_hash: row.model_hash,
  detector_type: row.detector_type,
  model_type: row.model_type,
  dataJson: plainJson(row.data),
});
