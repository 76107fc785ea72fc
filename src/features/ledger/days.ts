/** Sums of viewings by local day, person, kind and camera: for plots, and for what is usual (SPEC 14). Pure. */

import { qualified } from '../../domain/accounts/site.ts';
import { detailOf, isViewingKind, type LedgerDay, type LedgerEntry } from '../../domain/ledger.ts';

export interface LocalTime {
  /** `2026-11-22` */
  readonly day: string;
  /** 0 to 23. */
  readonly hour: number;
}

/** Sums of what is a viewing. It counts for the day on which it began. */
export function daysOf(entries: readonly LedgerEntry[], localTime: (at: number) => LocalTime): readonly LedgerDay[] {
  const days = new Map<string, LedgerDay>();
  for (const entry of entries) {
    const { kind, user, camera, from, to } = entry;
    if (!isViewingKind(kind)) continue;
    const { day } = localTime(from);
    const place = { day, user: user ?? '', viewer: viewerOf(entry), kind, camera: atSite(camera ?? '', entry.site) };
    const key = JSON.stringify(place);
    const { seconds, records, hours } = days.get(key) ?? { seconds: 0, records: 0, hours: 0 };
    days.set(key, {
      ...place,
      seconds: seconds + (to - from),
      records: records + timesOf(entry),
      hours: hours | hoursOf(entry, localTime),
    });
  }
  return [...days.values()];
}

/** Sums have no column for the site. */
const atSite = (camera: string, site: string | undefined): string =>
  camera === '' || camera.includes(':') ? camera : qualified(site, camera);

/**
 * Tokens, links, screens and the internal port are told apart from the person: what they show day and night says nothing about the person.
 * The links of a person are one: an automation makes hundreds a week, and each would have rows of its own for ever.
 */
function viewerOf({ credential }: LedgerEntry): string {
  if (credential === null) return '';
  if (credential.startsWith('link:')) return 'link';
  return credential === 'internal' || /^(?:token|screen):/.test(credential) ? credential : '';
}

/** Exports that follow each other are one span, which tells their number. */
function timesOf(entry: LedgerEntry): number {
  if (entry.kind !== 'export') return 1;
  const times = Number(detailOf(entry)['times'] ?? 1);
  return Number.isSafeInteger(times) ? times : 1;
}

/** A bit for each hour of the local clock from the begin to the end. */
function hoursOf({ from, to }: LedgerEntry, localTime: (at: number) => LocalTime): number {
  let hours = 1 << localTime(to).hour;
  for (let at = from; at < Math.min(to, from + DAY); at += HOUR) hours |= 1 << localTime(at).hour;
  return hours;
}

const HOUR = 3600;
const DAY = 86_400;
