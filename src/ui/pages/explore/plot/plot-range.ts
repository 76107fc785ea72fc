/** Which stretch of time the plot shows: the chosen one, with nothing in it where nothing was. */
import type { EventFilter } from '../filter/event-filter.ts';

export interface TimeRange {
  /** Unix seconds. */
  readonly from: number;
  readonly to: number;
}

const LONGEST_SECONDS = 20 * 366 * 86_400;

/**
 * Undefined: as far as the detections go. That is so without a beginning, when there are older ones that the answer
 * does not hold, and for a beginning so long ago that a mistyped address must have named it.
 */
export function plotRange(
  { after, before }: Pick<EventFilter, 'after' | 'before'>,
  isAll: boolean,
  now: number,
): TimeRange | undefined {
  if (after === undefined || !isAll) return undefined;
  const to = Math.min(before ?? now, now);
  return after < to && to - after <= LONGEST_SECONDS ? { from: after, to } : undefined;
}
