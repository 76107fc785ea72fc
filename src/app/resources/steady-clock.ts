/** Milliseconds of a clock that only goes forward: durations must not change when the machine's time is set. */
export const steadyNow = (): number => performance.now();
