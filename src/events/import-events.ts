/** Brings events from a file into the store, in batches; running it again changes nothing (SPEC 1). */
import type { EventRecord } from '../domain/events/event.ts';
import type { EventSource, StoredEvent } from '../domain/events/event-question.ts';
import { err, type Result } from '../domain/result.ts';
import { asEvent, parseEventText } from './parse-event.ts';
import { splitEvents } from './split-events.ts';

/** What was skipped for one reason. */
export interface Skipped {
  readonly reason: string;
  readonly count: number;
  /** Where the first of them stand. */
  readonly places: readonly string[];
}

export interface ImportCounts {
  readonly read: number;
  readonly stored: number;
  readonly skipped: number;
}

export type ImportOutcome =
  | ({ readonly kind: 'imported'; readonly skips: readonly Skipped[] } & ImportCounts)
  | { readonly kind: 'not-events'; readonly reason: string };

export interface ImportDeps {
  /** All or none of a batch; the same id replaces. */
  readonly writeEvents: (events: readonly EventRecord[]) => Promise<void>;
  readonly onProgress?: (counts: ImportCounts) => void;
}

/** A transaction of this many takes some ten milliseconds, so that other writers hardly wait. */
const EVENTS_PER_BATCH = 500;
/** The places named for each reason; there are few reasons, however many events are skipped. */
const PLACES_NAMED = 5;

export async function importEvents(chunks: AsyncIterable<Uint8Array>, deps: ImportDeps): Promise<ImportOutcome> {
  const intake = createIntake(deps);
  for await (const item of splitEvents(chunks)) {
    if (item.kind === 'not-events') return item;
    await intake.take(item.at, item.kind === 'event' ? parseEventText(item.text) : err(item.reason));
  }
  return intake.end();
}

/** Everything of another place, such as the NVR's own database, page by page. */
export async function copyEvents(source: EventSource, deps: ImportDeps): Promise<ImportOutcome> {
  const intake = createIntake(deps);
  const page = { cameras: null, conditions: [], sort: OLDEST_FIRST, limit: EVENTS_PER_BATCH };
  let found = await source.find(page);
  while (found.length > 0) {
    const ids = found.map(({ id }) => id);
    for (const event of await source.read(ids, { thumbnails: true }))
      await intake.take(`event ${event.id}`, asRecord(event));
    found = await source.find({ ...page, after: found.at(-1) });
  }
  return intake.end();
}

const OLDEST_FIRST = { key: 'date', direction: 'asc' } as const;

function asRecord({ zonesJson, dataJson, ...plain }: StoredEvent): Result<EventRecord, string> {
  try {
    return asEvent({ ...plain, zones: JSON.parse(zonesJson), data: JSON.parse(dataJson) });
  } catch {
    return err('its zones or its data are not JSON');
  }
}

/** Gathers batches, writes them, counts. */
function createIntake({ writeEvents, onProgress }: ImportDeps) {
  const skips = new Map<string, Skipped>();
  const counts = { read: 0, stored: 0, skipped: 0 };
  let batch: EventRecord[] = [];

  const store = async (): Promise<void> => {
    await writeEvents(batch);
    counts.stored += batch.length;
    batch = [];
    onProgress?.({ ...counts });
  };

  const skip = (at: string, reason: string): void => {
    const { count, places } = skips.get(reason) ?? { count: 0, places: [] };
    skips.set(reason, { reason, count: count + 1, places: count < PLACES_NAMED ? [...places, at] : places });
    counts.skipped++;
  };

  return {
    async take(at: string, event: Result<EventRecord, string>): Promise<void> {
      counts.read++;
      if (event.ok) batch.push(event.value);
      else skip(at, event.error);
      if (batch.length === EVENTS_PER_BATCH) await store();
    },
    async end(): Promise<ImportOutcome> {
      if (batch.length > 0) await store();
      return { kind: 'imported', ...counts, skips: [...skips.values()] };
    },
  };
}
