/** The rhythm of a day in front of sample cameras, and where on it an event stands. */

/** Events an hour, by the hour of the day: nights are quiet, and people leave and come home. */
// biome-ignore format: a table
const EVENTS_PER_HOUR = [
   1, 0.5, 0.5, 0.5,  1,  3, 8, 16, 14, 8, 7, 8,
  10,   8,   7,   9, 12, 18, 17, 12, 8, 5, 3, 2,
];
export const EVENTS_PER_DAY = EVENTS_PER_HOUR.reduce((sum, rate) => sum + rate, 0);
export const HOUR = 3600;
export const DAY = 24 * HOUR;
/** Events since 1970, if every day had been as busy. */
export function eventsExpectedBy(time: number): number {
  const hours = (time % DAY) / HOUR;
  const today = EVENTS_PER_HOUR.reduce((sum, rate, hour) => sum + rate * Math.min(1, Math.max(0, hours - hour)), 0);
  return Math.floor(time / DAY) * EVENTS_PER_DAY + today;
}

/** The inverse: the time at which so many events are expected. */
export function whenExpected(events: number): number {
  const day = Math.floor(events / EVENTS_PER_DAY);
  let rest = events - day * EVENTS_PER_DAY;
  let hour = 0;
  for (const rate of EVENTS_PER_HOUR) {
    if (rest < rate) return day * DAY + (hour + rest / rate) * HOUR;
    rest -= rate;
    hour++;
  }
  return (day + 1) * DAY;
}
