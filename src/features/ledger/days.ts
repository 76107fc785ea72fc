/** Sums of viewings by local day, person, kind and camera: for plots; days are those of the clock of the service (SPEC 14). */
import { dayOf } from '../../domain/events/event.ts';
import { isViewingKind } from '../../domain/policy.ts';
import { offsetReader } from '../../domain/zone-offsets.ts';
import { type LedgerDay, type LedgerEntry, qualified, readDetail } from './records.ts';

/** The local day of a moment: `2026-11-22`. */
export type LocalDay = (at: number) => string;

/** Sums of what is a viewing. It counts for the day on which it began. */
export function groupByDay(entries: readonly LedgerEntry[], localDay: LocalDay): readonly LedgerDay[] {
  const days = new Map<string, LedgerDay>();
  for (const entry of entries) {
    const { kind, user, camera, from, to } = entry;
    if (!isViewingKind(kind)) continue;
    const place = {
      day: localDay(from),
      user: user ?? '',
      viewer: viewerName(entry),
      kind,
      camera: atSite(camera ?? '', entry.site),
    };
    const key = JSON.stringify(place);
    const { seconds, records } = days.get(key) ?? { seconds: 0, records: 0 };
    days.set(key, { ...place, seconds: seconds + (to - from), records: records + countTimes(entry) });
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

/** Days of the active zone, which a reload may change; `null`: that of the service. It is asked for with each time: the clock is made before a configuration is active. */
export function localClock(activeZone: () => string | null): LocalDay {
  let clock: { readonly zone: string | null; readonly offsetAt: (at: number) => number } | undefined;
  return (at) => {
    const zone = activeZone();
    if (clock?.zone !== zone) clock = { zone, offsetAt: zone === null ? offsetHere : offsetReader(zone) };
    return dayOf(at, clock.offsetAt);
  };
}

/** The offset is asked without Intl, whose tables of zones and languages are 5 MB of memory: they wait until a zone is named. */
const offsetHere = (at: number): number => -60 * new Date(at * 1000).getTimezoneOffset();
