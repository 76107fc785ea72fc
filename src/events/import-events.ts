/** Brings events from a file into the store, in batches; running it again changes nothing (SPEC 1). */
import type { EventRecord } from '../domain/event.ts';
import { parseEventText } from './parse-event.ts';
import { splitEvents } from './split-events.ts';

export interface Skipped {
  readonly at: string;
  readonly reason: string;
}

export interface ImportCounts {
  readonly read: number;
  readonly stored: number;
  readonly skipped: number;
}

export type ImportOutcome =
  /** `reasons` are those of the first few that were skipped. */
  | ({ readonly kind: 'imported'; readonly reasons: readonly Skipped[] } & ImportCounts)
  | { readonly kind: 'not-events'; readonly reason: string };

export interface ImportDesk {
  /** All or none of a batch; the same id replaces. */
  readonly writeEvents: (events: readonly EventRecord[]) => Promise<void>;
  /** After each batch. */
  readonly onProgress?: (counts: ImportCounts) => void;
}

/** A transaction of this many takes some ten milliseconds: whoever else writes hardly waits. */
const EVENTS_PER_BATCH = 500;
const REASONS_KEPT = 10;

export async function importEvents(chunks: AsyncIterable<Uint8Array>, desk: ImportDesk): Promise<ImportOutcome> {
  const reasons: Skipped[] = [];
  const counts = { read: 0, stored: 0, skipped: 0 };
  let batch: EventRecord[] = [];

  const skip = (at: string, reason: string): void => {
    counts.skipped++;
    if (reasons.length < REASONS_KEPT) reasons.push({ at, reason });
  };
  const store = async (): Promise<void> => {
    await desk.writeEvents(batch);
    counts.stored += batch.length;
    batch = [];
    desk.onProgress?.({ ...counts });
  };

  for await (const item of splitEvents(chunks)) {
    if (item.kind === 'not-events') return item;
    counts.read++;
    const event = item.kind === 'event' ? parseEventText(item.text) : { ok: false as const, error: item.reason };
    if (event.ok) batch.push(event.value);
    else skip(item.at, event.error);
    if (batch.length === EVENTS_PER_BATCH) await store();
  }
  if (batch.length > 0) await store();
  return { kind: 'imported', ...counts, reasons };
}
