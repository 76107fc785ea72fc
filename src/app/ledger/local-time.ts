/** Day and hour of a moment on the clock of the service: the ledger adds up by them. */
import type { LocalTime } from '../../ledger/days.ts';

const HOUR = 3600;

/** Offsets change at full quarters of an hour, and whole hours of UTC are remembered: a quarter is added by hand. */
export function localClock(timeZone?: string): (at: number) => LocalTime {
  const format = new Intl.DateTimeFormat('sv-SE', {
    ...(timeZone !== undefined && { timeZone }),
    dateStyle: 'short',
    timeStyle: 'short',
  });
  let last: { readonly quarter: number; readonly time: LocalTime } | undefined;
  return (at) => {
    const quarter = Math.floor(at / (HOUR / 4));
    if (last?.quarter !== quarter) {
      const [day = '', time = ''] = format.format(quarter * (HOUR / 4) * 1000).split(' ');
      last = { quarter, time: { day, hour: Number(time.slice(0, 2)) } };
    }
    return last.time;
  };
}
