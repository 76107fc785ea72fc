/** How a connection is kept: what is said on it of events, and the pauses between two tries. */
import { parsedJson } from '../../../domain/json.ts';

/** The messages are envelopes with a topic, and JSON in JSON. `new`, `update` or `end`; undefined for every other topic. */
export function eventKind(text: string): string | undefined {
  const { topic, payload } = Object(parsedJson(text));
  if (topic !== 'events' || typeof payload !== 'string') return undefined;
  const { type } = Object(parsedJson(payload));
  return typeof type === 'string' ? type : undefined;
}

/** Milliseconds. */
export const pause = (time: number): Promise<void> => new Promise((end) => setTimeout(end, time));

const FIRST_MILLISECONDS = 1000;
const LONGEST_MILLISECONDS = 60_000;

/** `tries` that failed in a row; `chance` in 0 to 1: a service that comes back is not met by all pages at once. */
export function pauseAfter(tries: number, chance: number): number {
  const usual = Math.min(FIRST_MILLISECONDS * 2 ** (tries - 1), LONGEST_MILLISECONDS);
  return Math.round(usual * (0.75 + chance / 2));
}
