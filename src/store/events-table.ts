/** Detection events in the store: read by the backend, written by imports (interface 2.4). */
import type { Kysely } from 'kysely';
import type { EventSource, StoredEvent } from '../domain/event-question.ts';
import { countByLabel, firstStart, groupEvents } from './count-events.ts';
import { distinctCameras, distinctNames } from './distinct-names.ts';
import { STORE_SHAPE } from './event-shape.ts';
import { findEvents } from './find-events.ts';
import { sqliteWords } from './sqlite-words.ts';
import type { EventsTable, Tables } from './tables.ts';

export function createEventSource(db: Kysely<Tables>): EventSource {
  const place = { db, shape: STORE_SHAPE, words: sqliteWords };
  return {
    find: (question) => findEvents(question, place),

    async read(ids, include) {
      if (ids.length === 0) return [];
      const rows = await db
        .selectFrom('events')
        .select(RECORD_COLUMNS)
        .$if(include.thumbnails, (query) => query.select('thumbnail'))
        .where('id', 'in', ids)
        .execute();
      const byId = new Map(rows.map((row) => [row.id, asStoredEvent({ thumbnail: null, ...row })]));
      return ids.flatMap((id) => byId.get(id) ?? []);
    },

    cameras: () => distinctCameras(db),
    countByLabel: (cameras) => countByLabel(cameras, place),
    groups: (question) => groupEvents(question, place),
    firstStart: (time) => firstStart(time, place),

    async distinct(column, cameras) {
      const found = await Promise.all(
        (cameras ?? (await distinctCameras(db))).map((camera) => distinctNames(column, camera, db)),
      );
      return [...new Set(found.flat())];
    },
  };
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
] as const satisfies readonly (keyof EventsTable)[];

const asStoredEvent = (row: Pick<EventsTable, (typeof RECORD_COLUMNS)[number] | 'thumbnail'>): StoredEvent => ({
  id: row.id,
  label: row.label,
  sub_label: row.sub_label,
  camera: row.camera,
  start_time: row.start_time,
  end_time: row.end_time,
  false_positive: row.false_positive === null ? null : Boolean(row.false_positive),
  zonesJson: row.zones,
  thumbnail: row.thumbnail,
  has_clip: Boolean(row.has_clip),
  has_snapshot: Boolean(row.has_snapshot),
  retain_indefinitely: Boolean(row.retain_indefinitely),
  plus_id: row.plus_id,
  model_hash: row.model_hash,
  detector_type: row.detector_type,
  model_type: row.model_type,
  dataJson: row.data,
});
