/** What a message of the NVR's WebSocket says of an event: an envelope with a topic, and JSON in JSON. */
import { parsedJson } from '../../../../domain/json.ts';

/** `new`, `update` or `end`; undefined for every other topic. */
export function eventKind(text: string): string | undefined {
  const { topic, payload } = Object(parsedJson(text));
  if (topic !== 'events' || typeof payload !== 'string') return undefined;
  const { type } = Object(parsedJson(payload));
  return typeof type === 'string' ? type : undefined;
}
