/** Day and hour of a moment on the clock of the service: the ledger adds up by them. */
import type { LocalTime } from './days.ts';

const HOUR = 3600;

/** `timeZone` absent: the zone of the service. Offsets change at full quarters of an hour, so one quarter is worked out once. */
export function localClock(timeZone?: string): (at: number) => LocalTime {
  const timeAt = timeZone === undefined ? timeHere : clockIn(timeZone);
  let last: { readonly quarter: number; readonly time: LocalTime } | undefined;
  return (at) => {
    const quarter = Math.floor(at / (HOUR / 4));
    if (last?.quarter !== quarter) last = { quarter, time: timeAt(new Date(quarter * (HOUR / 4) * 1000)) };
    return last.time;
  };
}

/**
 * A clock of the active zone: a reload may change it. `null`: that of the service. The zone is asked for when a time is, for
 * the clock is made before a configuration is active.
 */
export function activeLocalClock(activeZone: () => string | null): (at: number) => LocalTime {
  let known: { readonly zone: string | null; readonly timeAt: (at: number) => LocalTime } | undefined;
  return (at) => {
    const zone = activeZone();
    if (known === undefined || known.zone !== zone) known = { zone, timeAt: localClock(zone ?? undefined) };
    return known.timeAt(at);
  };
}

/** The local time without Intl, whose tables of zones and languages are 5 MB of memory: they wait until a zone is named. */
function timeHere(moment: Date): LocalTime {
  const [year, month, day] = [moment.getFullYear(), moment.getMonth() + 1, moment.getDate()];
  return { day: `${year}-${twoDigits(month)}-${twoDigits(day)}`, hour: moment.getHours() };
}

const twoDigits = (number: number): string => String(number).padStart(2, '0');

function clockIn(timeZone: string): (moment: Date) => LocalTime {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return (moment) => {
    const [day = '', time = ''] = format.format(moment).split(' ');
    return { day, hour: Number(time.slice(0, 2)) };
  };
}
