/** Sums of viewings by local day, person, kind and camera: for plots, and for what is usual (SPEC 14). Pure. */
import { isViewingKind, type LedgerDay, type LedgerEntry } from '../domain/ledger.ts';

export interface LocalTime {
  /** `2026-11-22` */
  readonly day: string;
  /** 0 to 23. */
  readonly hour: number;
}

/** A viewing counts for the day on which it began. */
export function daysOf(entries: readonly LedgerEntry[], localTime: (at: number) => LocalTime): readonly LedgerDay[] {
  const days = new Map<string, LedgerDay>();
  for (const { kind, user, camera, from, to } of entries) {
    if (!isViewingKind(kind)) continue;
    const { day, hour } = localTime(from);
    const place = { day, user: user ?? '', kind, camera: camera ?? '' };
    const key = JSON.stringify(place);
    const { seconds, records, hours } = days.get(key) ?? { seconds: 0, records: 0, hours: 0 };
    days.set(key, { ...place, seconds: seconds + (to - from), records: records + 1, hours: hours | (1 << hour) });
  }
  return [...days.values()];
}
