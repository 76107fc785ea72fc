/** Brings events from a file into the store, in batches; running it again changes nothing (SPEC 1; interface 2.4). */
import { EARLIEST_TIME, EVENT_FIELDS, type EventField, type EventRecord, LATEST_TIME } from '../domain/events/event.ts';
import type { StoredEvent } from '../domain/events/event-question.ts';
import { isNestedTooDeep, isRecord, parsedJson, plainJson } from '../domain/json.ts';
import { attempt, err, ok, type Result } from '../domain/result.ts';
import type { EventSource } from '../store/events/events-table.ts';

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
  const json = attempt(() => ({ zones: JSON.parse(zonesJson), data: JSON.parse(dataJson) }));
  return json ? asEvent({ ...plain, ...json }) : err('its zones or its data are not JSON');
}

/** Gathers batches, writes them, counts. Samples are taken in like a file. */
export function createIntake({ writeEvents, onProgress }: ImportDeps) {
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

/** One imported JSON text as an event record, or the reason why it is not one (interface 2.4). */
function parseEventText(text: string): Result<EventRecord, string> {
  // A parser and a writer of JSON go down one step for each level.
  if (isNestedTooDeep(text)) return err('nested too deeply');
  const json = parsedJson(plainJson(text));
  return json === undefined ? err('not JSON') : asEvent(json);
}

const FLAGS = new Set(['false_positive', 'has_clip', 'has_snapshot', 'retain_indefinitely']);

/** Names are shown, compared and put into addresses; a picture in base64 is long. */
const LONGEST_NAME = 256;
const MOST_ZONES = 1000;

/** What is wrong with a value of the right kind: stores and calendars take less than JSON does. */
function boundFault(name: string, value: unknown): string | undefined {
  if (typeof value === 'number' && !FLAGS.has(name) && (value < EARLIEST_TIME || value > LATEST_TIME))
    return `${name} is not a time of the years 1 to 9999`;
  if (typeof value !== 'string' && !Array.isArray(value)) return undefined;
  const texts = [value].flat() as readonly string[];
  if (texts.length > MOST_ZONES) return `${name} has more than ${MOST_ZONES} members`;
  if (!texts.every((text) => text.isWellFormed() && !text.includes('\0'))) return `${name} is not plain text`;
  const isLong = name !== 'thumbnail' && texts.some((text) => text.length > LONGEST_NAME);
  return isLong ? `${name} is longer than ${LONGEST_NAME} letters` : undefined;
}

/** Fields other than the seventeen are dropped. */
export function asEvent(value: unknown): Result<EventRecord, string> {
  if (!isRecord(value)) return err('not an object');
  const given = value as Readonly<Record<string, unknown>>;
  const event: Record<string, unknown> = {};
  for (const [name, { is, kind, absent }] of Object.entries<EventField>(EVENT_FIELDS)) {
    const field = given[name] === undefined ? absent : given[name];
    if (field === undefined) return err(`${name} is missing`);
    if (!is(field)) return err(`${name} is not ${kind}`);
    const fault = boundFault(name, field);
    if (fault !== undefined) return err(fault);
    event[name] = FLAGS.has(name) && field !== null ? Boolean(field) : field;
  }
  return ok(event as unknown as EventRecord);
}

/** The single events of a file while it is being read: lines of NDJSON, or elements of a JSON array (SPEC 1). */
type SplitEvent =
  /** `at` is where it stands: `line 7` or `event 7`. */
  | { readonly kind: 'event'; readonly at: string; readonly text: string }
  | { readonly kind: 'unreadable'; readonly at: string; readonly reason: string }
  /** The file is of another kind; nothing follows. */
  | { readonly kind: 'not-events'; readonly reason: string };

/** A longer text is no event, and is not kept in memory. */
const LONGEST_EVENT = 16 * 1024 * 1024;
const TOO_LONG = 'longer than any event';

export async function* splitEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SplitEvent> {
  const decoder = new TextDecoder();
  let splitter: ReturnType<typeof createSplitter> | undefined;
  for await (const chunk of chunks) {
    const piece = decoder.decode(chunk, { stream: true });
    if (!splitter && piece.trim() === '') continue;
    const first = piece.trim().charAt(0);
    if (!splitter && first !== '[' && first !== '{')
      return yield { kind: 'not-events', reason: 'it begins with neither "{" nor "[", so it is not JSON' };
    splitter ??= createSplitter(first === '[' ? createArray() : undefined);
    yield* splitter.push(piece);
  }
  yield* splitter?.end() ?? [];
}

/** Fed with a text in pieces. Without an array an event is a line, and blank lines are counted. */
function createSplitter(array: ReturnType<typeof createArray> | undefined) {
  let number = 1;
  let parts: string[] = [];
  let length = 0;
  const add = (part: string): void => {
    length += part.length;
    if (length <= LONGEST_EVENT) parts.push(part);
    else parts = [];
  };
  const take = (): SplitEvent[] => {
    const at = `${array ? 'event' : 'line'} ${number}`;
    const text = parts.join('').trim();
    const isTooLong = length > LONGEST_EVENT;
    [parts, length] = [[], 0];
    if (!array || isTooLong || text !== '') number++;
    if (isTooLong) return [{ kind: 'unreadable', at, reason: TOO_LONG }];
    return text === '' ? [] : [{ kind: 'event', at, text }];
  };
  return {
    push(piece: string): SplitEvent[] {
      const found: SplitEvent[] = [];
      let start = 0;
      for (let at = 0; at < piece.length; at++) {
        const code = piece.charCodeAt(at);
        if (array ? !array.passes(code) : code !== NEWLINE) continue;
        add(piece.slice(start, at));
        found.push(...take());
        start = at + 1;
      }
      add(piece.slice(start));
      return found;
    },
    end(): SplitEvent[] {
      if (!array) return take();
      const at = `event ${number}`;
      if (!array.isOver()) return [{ kind: 'unreadable', at, reason: 'the file ends before the array does' }];
      return take().length === 0 ? [] : [{ kind: 'unreadable', at, reason: 'stands behind the array' }];
    },
  };
}

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Depth 1 is inside the array. Commas there end an element; brackets count only outside of strings. */
function createArray() {
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let isOver = false;
  return {
    isOver: () => isOver,
    /** Whether an element ends before this character. */
    passes(code: number): boolean {
      if (isOver) return false;
      if (isInString) {
        isInString = isEscaped || code !== QUOTE;
        isEscaped = !isEscaped && code === BACKSLASH;
        return false;
      }
      if (code === QUOTE) isInString = true;
      if (OPENING.has(code)) return ++depth === 1;
      if (CLOSING.has(code)) {
        isOver = --depth === 0;
        return isOver;
      }
      return code === COMMA && depth === 1;
    },
  };
}
