/** Writes events in one short transaction per batch, so that other writers wait for milliseconds only. */
import type { Kysely, OnConflictBuilder } from 'kysely';
import type { EventRecord } from '../../domain/events/event.ts';
import { foldSubLabels } from '../../domain/events/event-question.ts';
import type { Dialect } from '../engine/dialect.ts';
import type { Tables } from '../engine/tables.ts';

/** Rows per statement: 21 values each, and an engine takes only so many. */
const ROWS_PER_STATEMENT = 100;

/** The same id replaces what was there. */
export async function writeEvents(
  records: readonly EventRecord[],
  db: Kysely<Tables>,
  { lockEvents }: Dialect,
): Promise<void> {
  // An engine refuses to replace one row twice in one statement: the last of an id is the one that counts. Halves of
  // surrogate pairs are written as U+FFFD, so ids that differ in these alone are one.
  const rows = [...new Map(records.map((event) => [event.id.toWellFormed(), asRow(event)])).values()];
  if (rows.length === 0) return;
  await db.transaction().execute(async (transaction) => {
    // Two that replace the same events in another order would wait for each other.
    await lockEvents(transaction);
    for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT)
      await transaction
        .insertInto('events')
        .values(rows.slice(at, at + ROWS_PER_STATEMENT))
        .onConflict(replacing)
        .execute();
  });
}

const replacing = (conflict: OnConflictBuilder<Tables, 'events'>) =>
  conflict
    .column('id')
    .doUpdateSet((excluded) =>
      Object.fromEntries(REPLACED_COLUMNS.map((column) => [column, excluded.ref(`excluded.${column}`)])),
    );

function asRow(event: EventRecord): Tables['events'] {
  const { zones, data, thumbnail, sub_label, ...same } = event;
  return {
    ...same,
    sub_label,
    score: asNumber(data['score']),
    speed: asNumber(data['average_estimated_speed']),
    plate: asText(data['recognized_license_plate']),
    sub_labels_folded: sub_label === null ? null : foldSubLabels(sub_label),
    zones: JSON.stringify(zones),
    data: JSON.stringify(data),
    thumbnail: thumbnail || null,
  };
}

const asNumber = (value: unknown): number | null => (typeof value === 'number' ? value : null);
const asText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

export const REPLACED_COLUMNS = [
  'camera',
  'label',
  'start_time',
  'end_time',
  'score',
  'speed',
  'has_clip',
  'has_snapshot',
  'retain_indefinitely',
  'false_positive',
  'plus_id',
  'plate',
  'sub_label',
  'sub_labels_folded',
  'zones',
  'model_hash',
  'detector_type',
  'model_type',
  'data',
  'thumbnail',
] as const satisfies readonly (keyof Tables['events'])[];
