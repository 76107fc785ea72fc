/** Sums of viewings by local day, person, kind and camera: for plots, and for what is usual; days are those of the clock of the service (SPEC 14). */

import { isViewingKind } from '../../domain/policy.ts';
import { offsetReader } from '../../domain/zone-offsets.ts';
import { type LedgerDay, type LedgerEntry, qualified, readDetail } from './records.ts';

const HOUR = 3600;
const QUARTER = HOUR / 4;
const DAY = 86_400;

export interface LocalTime {
  /** `2026-11-22` */
  readonly day: string;
  /** 0 to 23. */
  readonly hour: number;
}

/** Sums of what is a viewing. It counts for the day on which it began. */
export function groupByDay(
  entries: readonly LedgerEntry[],
  localTime: (at: number) => LocalTime,
): readonly LedgerDay[] {
  const days = new Map<string, LedgerDay>();
  for (const entry of entries) {
    const { kind, user, camera, from, to } = entry;
    if (!isViewingKind(kind)) continue;
    const { day } = localTime(from);
    const place = { day, user: user ?? '', viewer: viewerName(entry), kind, camera: atSite(camera ?? '', entry.site) };
    const key = JSON.stringify(place);
    const { seconds, records, hours } = days.get(key) ?? { seconds: 0, records: 0, hours: 0 };
    days.set(key, {
      ...place,
      seconds: seconds + (to - from),
      records: records + countTimes(entry),
      hours: hours | hoursWatched(entry, localTime),
    });
  }
  return [...days.values()];
}

/** Sums have no column for the site. */
const atSite = (camera: string, site: string | undefined): string =>
  camera === '' || camera.includes(':') ? camera : qualified(site, camera);

/**
 * Tokens, links, screens and the internal port are told apart from the person: what they show day and night says nothing about the person.
 */
function viewerName({ credential }: LedgerEntry): string {
  return /^(?:internal$|token:|link:|screen:)/.test(credential ?? '') ? (credential ?? '') : '';
}

/** Exports that follow each other are one span, which tells their number. */
function countTimes(entry: LedgerEntry): number {
  if (entry.kind !== 'export') return 1;
  const times = Number(readDetail(entry)['times'] ?? 1);
  return Number.isSafeInteger(times) ? times : 1;
}

/** A bit for each hour of the local clock from the begin to the end. */
function hoursWatched({ from, to }: LedgerEntry, localTime: (at: number) => LocalTime): number {
  let hours = 1 << localTime(to).hour;
  for (let at = from; at < Math.min(to, from + DAY); at += HOUR) hours |= 1 << localTime(at).hour;
  return hours;
}

/**
 * A clock of the active zone: a reload may change it. `null`: that of the service. The zone is asked for when a time is, for
 * the clock is made before a configuration is active. Offsets change at full quarters of an hour, so one quarter is worked out once.
 */
export function localClock(activeZone: () => string | null): (at: number) => LocalTime {
  let clock: { readonly zone: string | null; readonly offsetAt: (at: number) => number } | undefined;
  let last: { readonly quarter: number; readonly time: LocalTime } | undefined;
  return (at) => {
    const zone = activeZone();
    if (clock?.zone !== zone) {
      clock = { zone, offsetAt: zone === null ? offsetHere : offsetReader(zone) };
      last = undefined;
    }
    const quarter = Math.floor(at / QUARTER) * QUARTER;
    if (last?.quarter !== quarter) {
      const local = new Date((quarter + clock.offsetAt(quarter)) * 1000);
      last = { quarter, time: { day: local.toISOString().slice(0, 10), hour: local.getUTCHours() } };
    }
    return last.time;
  };
}

/** The offset is asked without Intl, whose tables of zones and languages are 5 MB of memory: they wait until a zone is named. */
const offsetHere = (at: number): number => -60 * new Date(at * 1000).getTimezoneOffset();
