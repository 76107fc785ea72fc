/** Whether the clock may be believed so far that something is deleted because of its age (SPEC 14). Pure but for the clocks. */
import type { Clock } from './clock.ts';

/** Asked before each deletion by age, and as often as may be: a step between two questions is found by the second. */
export type DeletionGuard = () => boolean;

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
/** NTP slews by less between two questions. */
const STEP_MS = 10 * SECOND_MS;
const AFTER_STEP_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const SECOND_LOOK_MS = 15 * MINUTE_MS;

/**
 * Nothing is deleted within an hour of a step of the clock. At the start, and where more than a day has passed since the
 * last question, the clock must have run on for a quarter of an hour first: a second look, before more than a day's worth
 * is deleted in one go. `steady` is a clock that is never set.
 */
export function createDeletionGuard(clock: Clock, steady: Clock): DeletionGuard {
  let last = { wall: clock.now(), steady: steady.now() };
  let heldUntil = last.steady + SECOND_LOOK_MS;
  return () => {
    const now = { wall: clock.now(), steady: steady.now() };
    const passed = now.wall - last.wall;
    const isStep = Math.abs(passed - (now.steady - last.steady)) >= STEP_MS;
    const held = isStep ? AFTER_STEP_MS : passed > DAY_MS ? SECOND_LOOK_MS : 0;
    if (held > 0) heldUntil = Math.max(heldUntil, now.steady + held);
    last = now;
    return now.steady >= heldUntil;
  };
}
