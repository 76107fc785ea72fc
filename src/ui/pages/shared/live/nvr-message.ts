/** What a message of the NVR's WebSocket says of an event: an envelope with a topic, and JSON in JSON. */
import { isFields } from '../forms/fields.ts';

/** `new`, `update` or `end`; undefined for every other topic. */
export function eventKind(text: string): string | undefined {
  try {
    const message: unknown = JSON.parse(text);
    if (!isFields(message) || message['topic'] !== 'events' || typeof message['payload'] !== 'string') return undefined;
    const payload: unknown = JSON.parse(message['payload']);
    return isFields(payload) && typeof payload['type'] === 'string' ? payload['type'] : undefined;
  } catch {
    return undefined;
  }
}
