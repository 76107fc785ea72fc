/** What this process saw of viewings since it was last asked: one entry of a map for each, however many requests it took (SPEC 14). */
import type { LedgerEntry, LedgerKind } from '../domain/ledger.ts';

/** Recorded time that was asked for. */
export interface WatchedTime {
  readonly from: number;
  readonly to: number;
}

/** Who watches what: requests that agree in it, and follow each other, are one viewing. */
export interface Subject {
  readonly kind: LedgerKind;
  readonly user: string | null;
  readonly credential: string | null;
  readonly address: string | null;
  readonly camera: string | null;
  /** What else is told: a JSON object. */
  readonly detail?: Readonly<Record<string, string>>;
}

/** A subject was seen from the one moment to the other. */
export interface Sighting {
  readonly key: string;
  readonly subject: Subject;
  readonly watched: WatchedTime | undefined;
  readonly from: number;
  readonly to: number;
  readonly requests: number;
}

/** What passes from a process to the one that writes. */
export interface LedgerNews {
  readonly sightings: readonly Sighting[];
  readonly entries: readonly LedgerEntry[];
  /** Left out because there were too many. */
  readonly dropped: number;
}

export interface Sightings {
  /** A moment. */
  see(subject: Subject, at: number, watched?: WatchedTime): void;
  /** From now until the returned function is called. `requests`: 0 for a part of something. */
  begin(subject: Subject, at: number, watched?: WatchedTime, requests?: number): (at: number) => void;
  /** What is no viewing: one record each. */
  add(entry: LedgerEntry): void;
  /** Streams that are open count as seen until now. */
  drain(now: number): LedgerNews;
}

type Growing = { -readonly [Key in keyof Sighting]: Sighting[Key] };

interface Running {
  readonly key: string;
  readonly subject: Subject;
  readonly watched: WatchedTime | undefined;
  since: number;
}

/** Between two calls of `drain`, a second apart. */
const MOST_WAITING = 20_000;
const HOUR = 3600;

const LONGEST_TEXT = 200;

/** Text from a client as every engine can keep it: PostgreSQL takes no NUL, and one bad record would hold back all others. */
export const storable = (text: string): string => text.slice(0, LONGEST_TEXT).toWellFormed().replaceAll('\0', '');

/** Seconds without a sign of life, after which a span has ended. */
export const QUIET_SECONDS = 60;

/** Requests for one recorded hour are one sighting. */
export function keyOf(subject: Subject): string {
  const known = keys.get(subject);
  if (known !== undefined) return known;
  const { kind, user, credential, address, camera, detail } = subject;
  const key = `${kind}\n${user}\n${credential}\n${address}\n${camera}\n${detail ? JSON.stringify(detail) : ''}`;
  keys.set(subject, key);
  return key;
}

/** Many requests share one subject. */
const keys = new WeakMap<Subject, string>();

export function createSightings(): Sightings {
  let seen = new Map<string, Growing>();
  /** Ended before the last one of the same key began: the machine slept, or its clock was set. */
  let past: Growing[] = [];
  let entries: LedgerEntry[] = [];
  let dropped = 0;
  const running = new Set<Running>();

  const isFull = (): boolean => seen.size + past.length + entries.length >= MOST_WAITING;
  const touch = (
    { key, subject, watched }: Omit<Running, 'since'>,
    from: number,
    to: number,
    requests: number,
  ): void => {
    const place = watched ? `${key}\n${Math.floor(watched.from / HOUR)}` : key;
    const known = seen.get(place);
    if (known && from - known.to <= QUIET_SECONDS) {
      known.from = Math.min(known.from, from);
      known.to = Math.max(known.to, to);
      known.requests += requests;
      if (watched && known.watched) known.watched = joined(known.watched, watched);
    } else if (isFull()) dropped += 1;
    else {
      if (known) past.push(known);
      seen.set(place, { key, subject, watched, from, to, requests });
    }
  };
  return {
    see: (subject, at, watched) => touch({ key: keyOf(subject), subject, watched }, at, at, 1),
    begin(subject, at, watched, requests = 1) {
      const stream: Running = { key: keyOf(subject), subject, watched, since: at };
      touch(stream, at, at, requests);
      running.add(stream);
      return (end) => {
        if (running.delete(stream)) touch(stream, stream.since, Math.max(end, stream.since), 0);
      };
    },
    add(entry) {
      if (isFull()) dropped += 1;
      else entries.push(entry);
    },
    drain(now) {
      for (const stream of running) {
        const to = Math.max(now, stream.since);
        touch(stream, stream.since, to, 0);
        stream.since = to;
      }
      // A stream that began before a picture comes before it, also when the clock was set in between.
      const sightings = [...past, ...seen.values()].sort((one, other) => one.from - other.from);
      const news = { sightings, entries, dropped };
      seen = new Map();
      past = [];
      entries = [];
      dropped = 0;
      return news;
    },
  };
}

export const joined = (one: WatchedTime, other: WatchedTime): WatchedTime => ({
  from: Math.min(one.from, other.from),
  to: Math.max(one.to, other.to),
});
