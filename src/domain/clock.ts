/** The time as an argument: nothing below `app.ts` asks the machine for it. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
}

/** Whole Unix seconds, the unit of tokens and cookies (interface 2.3). */
export const unixSeconds = (clock: Clock): number => Math.floor(clock.now() / 1000);
