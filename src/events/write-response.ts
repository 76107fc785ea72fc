/** Events as JSON text, a few at a time: their zones and data are written as they are kept (interface 2.4). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventSource, FoundEvent, StoredEvent } from '../domain/events/event-question.ts';

/** So many rows are read at a time: the memory of a response does not grow with its size. */
const ROWS_PER_CHUNK = 200;

/** The interface's seventeen fields; `top_score` and `box` are read by older clients. */
export function eventJson(event: StoredEvent, more = ''): string {
  const { zonesJson, dataJson, ...plain } = event;
  const [zones, data] = [written(zonesJson, '[]'), written(dataJson, '{}')];
  return `${JSON.stringify(plain).slice(0, -1)},"zones":${zones},"data":${data},"top_score":null,"box":null${more}}`;
}

/** Zones or data that cannot be read are null in the source, and empty in a response. */
export const written = (json: string, empty: string): string => (json === 'null' ? empty : json);

/** A response of one chunk is a string, so that it has a length; a longer one is streamed. */
export async function eventsJson(
  found: readonly FoundEvent[],
  include: { readonly thumbnails: boolean },
  events: EventSource,
): Promise<string | AsyncIterable<string>> {
  const ids = found.map(({ id }) => id);
  if (ids.length > ROWS_PER_CHUNK) return chunks(ids, include, events);
  const rows = await events.read(ids, include);
  return `[${rows.map((row) => eventJson(row)).join(',')}]`;
}

async function* chunks(
  ids: readonly string[],
  include: { readonly thumbnails: boolean },
  events: EventSource,
): AsyncIterable<string> {
  let separator = '[';
  for (let at = 0; at < ids.length; at += ROWS_PER_CHUNK) {
    const rows = await events.read(ids.slice(at, at + ROWS_PER_CHUNK), include);
    if (rows.length === 0) continue;
    yield separator + rows.map((row) => eventJson(row)).join(',');
    separator = ',';
    await nextTurn();
  }
  yield separator === '[' ? '[]' : ']';
}
