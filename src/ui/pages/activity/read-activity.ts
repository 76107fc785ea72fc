/** Records and sums of the ledger as the pages show them, read from whatever the answer holds (SPEC 14). */
import { type Fields, isFields, numberOf, textOf, timeOf } from '../shared/forms/fields.ts';

export interface ActivityRecord {
  readonly id: string;
  readonly kind: string;
  readonly user: string | undefined;
  readonly credential: string | undefined;
  readonly address: string | undefined;
  readonly camera: string | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly watchedFrom: number | undefined;
  readonly watchedTo: number | undefined;
  /** Undefined where there is one site. */
  readonly site: string | undefined;
  readonly detail: Fields;
  readonly goesOn: boolean;
}

export const readRecords = (body: unknown): readonly ActivityRecord[] =>
  (Array.isArray(body) ? body : []).filter(isFields).flatMap((record) => {
    const [id, kind] = [textOf(record['id']), textOf(record['kind'])];
    if (id === undefined || kind === undefined) return [];
    return [
      {
        id,
        kind,
        user: textOf(record['user']),
        credential: textOf(record['credential']),
        address: textOf(record['address']),
        camera: textOf(record['camera']),
        from: timeOf(record['from']),
        to: timeOf(record['to']),
        watchedFrom: timeOf(record['watched_from']),
        watchedTo: timeOf(record['watched_to']),
        site: textOf(record['site']),
        detail: isFields(record['detail']) ? record['detail'] : {},
        goesOn: record['hash'] === null,
      },
    ];
  });

export interface WatchedDay {
  readonly day: string;
  readonly user: string;
  readonly minutes: number;
}

export const readDays = (body: unknown): readonly WatchedDay[] =>
  (Array.isArray(body) ? body : []).filter(isFields).flatMap((sum) => {
    const [day, user, minutes] = [textOf(sum['day']), textOf(sum['user']), numberOf(sum['minutes'])];
    return day === undefined || minutes === undefined ? [] : [{ day, user: user ?? '', minutes }];
  });

const DAY = 86_400;

/** A bar for each day of the range, in the clock of the viewer, stacked by person; the one who watched most first. */
export interface WatchedDays {
  /** Unix seconds, one a day. */
  readonly starts: readonly number[];
  readonly stepSeconds: number;
  /** Who watched most first; minutes, one a day. */
  readonly people: readonly { readonly name: string; readonly total: number; readonly counts: readonly number[] }[];
}

export function bucketDays(days: readonly WatchedDay[], firstDay: number, count: number): WatchedDays {
  const starts = Array.from({ length: count }, (_, at) => firstDay + at * DAY);
  const keys = starts.map(dayKey);
  const people = [...new Set(days.map(({ user }) => user))].map((name) => {
    const counts = keys.map((key) =>
      days.filter(({ user, day }) => user === name && day === key).reduce((sum, { minutes }) => sum + minutes, 0),
    );
    return { name, counts, total: Math.round(counts.reduce((sum, minutes) => sum + minutes, 0)) };
  });
  return { stepSeconds: DAY, starts, people: people.sort((one, other) => other.total - one.total) };
}

/** `2026-11-22`; the middle of the day, so that a change to summer time moves no day. */
const dayKey = (start: number): string => {
  const noon = new Date((start + DAY / 2) * 1000);
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${noon.getFullYear()}-${two(noon.getMonth() + 1)}-${two(noon.getDate())}`;
};

/** Midnight of the viewer's clock, so many days ago. */
export function midnight(daysAgo: number, now: Date): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo).getTime() / 1000;
}
