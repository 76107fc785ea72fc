/** A time zone's offsets from UTC, change by change, so that an event's local time is that of its own day. */
import { decidedByName } from './bounded.ts';
import { attempt } from './result.ts';

/** An offset of local time: UTC plus `seconds`, from `since` (Unix seconds) on. */
export interface ZoneOffset {
  readonly since: number;
  readonly seconds: number;
}

/** No zone changes its clocks twice within so short a time: one look a week finds every change. */
const STEP_SECONDS = 7 * 86_400;
/** Changes are known as long ahead as laws are: a cheap margin over the clock. */
const AHEAD_SECONDS = 400 * 86_400;

export type ZoneOffsets = (zone: string) => readonly ZoneOffset[];

/** The zone's own spelling (`europe/berlin` is Europe/Berlin), or undefined when there is no such zone. */
export function canonicalZone(name: string): string | undefined {
  // A plain offset such as +01:00 is no zone, though Intl would take it.
  return /^[A-Za-z]/.test(name) ? spelledZone(name.toLowerCase()) : undefined;
}

/** The name is in small letters. To ask for a format costs more than the rest of a request. */
const spelledZone = decidedByName((name) =>
  attempt(() => new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone),
);

let local: string | undefined;

/** The zone of the service, as an IANA name. Found out when it is asked for: that loads 5 MB of tables of zones and languages. */
export function localZone(): string {
  local ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return local;
}

/** Worked out once per zone, from 1970 to a year from now. There are some six hundred zones and each is small. */
export const createZoneOffsets = (nowSeconds: number): ZoneOffsets =>
  decidedByName((zone) => listChanges(zone, nowSeconds + AHEAD_SECONDS));

function listChanges(zone: string, until: number): readonly ZoneOffset[] {
  const offsetAt = offsetReader(zone);
  const changes: ZoneOffset[] = [{ since: 0, seconds: offsetAt(0) }];
  let current = offsetAt(0);
  for (let time = 0; time < until; time += STEP_SECONDS) {
    const later = offsetAt(time + STEP_SECONDS);
    if (later !== current) changes.push({ since: momentOfChange(time, time + STEP_SECONDS, offsetAt), seconds: later });
    current = later;
  }
  return changes;
}

/** The first second of another offset, between two times whose offsets differ. */
export function momentOfChange(from: number, until: number, offsetAt: (time: number) => number): number {
  const before = offsetAt(from);
  let [same, changed] = [from, until];
  while (changed - same > 1) {
    const middle = Math.floor((same + changed) / 2);
    if (offsetAt(middle) === before) same = middle;
    else changed = middle;
  }
  return changed;
}

const OFFSET = /GMT(?<sign>[+-])(?<hours>\d{2}):(?<minutes>\d{2})(?::(?<seconds>\d{2}))?$/;

/** Seconds that the clocks of a zone are ahead of UTC, at a time in Unix seconds. `zone`: in its own spelling. */
export const offsetReader = decidedByName((zone) => {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  return (time: number): number => {
    const groups = OFFSET.exec(format.format(time * 1000))?.groups;
    if (!groups) return 0;
    const { sign, hours, minutes, seconds = 0 } = groups;
    return (sign === '-' ? -1 : 1) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
  };
});
