/** What this process saw of viewings since it was last asked: one entry of a map for each, however many requests it took (SPEC 14). */
import type { LedgerEntry, LedgerKind } from './records.ts';

/** Recorded time that was asked for. */
export interface WatchedTime {
  readonly from: number;
  readonly to: number;
  /** The event whose pictures they were; of several the latest one that was asked for. */
  readonly event?: string;
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
  /** The first of the names that were made up. */
  readonly madeUp?: readonly string[] | undefined;
}

/** What passes from a process to the one that writes. */
export type LedgerNews = ReturnType<Sightings['drain']>;

/** A sighting until it is drained. One for many streams of its subject: nothing is kept for each. */
export type OpenSighting = { -readonly [Key in keyof Sighting]: Sighting[Key] } & {
  /** Streams that have begun and not ended. */
  open: number;
};

/** The most sightings between two calls of `drain`, a second apart. */
const MOST_WAITING = 20_000;
const HOUR = 3600;

const LONGEST_TEXT = 200;

/** Text from a client as every engine can keep it: PostgreSQL takes no NUL, and one bad record would hold back all others. */
export const storable = (text: string): string => text.slice(0, LONGEST_TEXT).toWellFormed().replaceAll('\0', '');

/** Seconds without a sign of life, after which a span has ended. */
export const QUIET_SECONDS = 60;

/** Requests for one recorded hour are one sighting. */
export function subjectKey(subject: Subject): string {
  const known = keys.get(subject);
  if (known !== undefined) return known;
  const { kind, user, credential, address, camera, detail } = subject;
  const key = `${kind}\n${user}\n${credential}\n${address}\n${camera}\n${detail ? JSON.stringify(detail) : ''}`;
  keys.set(subject, key);
  return key;
}

/** Many requests share one subject. */
const keys = new WeakMap<Subject, string>();

export type Sightings = ReturnType<typeof createSightings>;

export function createSightings() {
  let seen = new Map<string | OpenSighting, OpenSighting>();
  /** Ended before the last one of the same key began: the machine slept, or its clock was set. */
  let past: OpenSighting[] = [];
  let entries: LedgerEntry[] = [];
  let dropped = 0;
  /** Streams that found no room when they began. */
  const late = new Set<OpenSighting>();

  const isFull = (): boolean => seen.size + past.length + entries.length >= MOST_WAITING;
  /** Undefined: there is no room. */
  const touch = (
    subject: Subject,
    at: number,
    watched: WatchedTime | undefined,
    requests: number,
  ): OpenSighting | undefined => {
    const key = subjectKey(subject);
    const place = watched ? `${key}\n${Math.floor(watched.from / HOUR)}` : key;
    const known = seen.get(place);
    if (known && (known.open > 0 || at - known.to <= QUIET_SECONDS)) {
      known.from = Math.min(known.from, at);
      known.to = Math.max(known.to, at);
      known.requests += requests;
      if (watched && known.watched) known.watched = joined(known.watched, watched);
      return known;
    }
    if (isFull()) {
      dropped += 1;
      return undefined;
    }
    if (known) past.push(known);
    const begun = growing(subject, at, watched, requests);
    seen.set(place, begun);
    return begun;
  };
  return {
    /** A moment. */
    see(subject: Subject, at: number, watched?: WatchedTime, madeUp?: string): void {
      const sighting = touch(subject, at, watched, 1);
      if (sighting && madeUp !== undefined) sighting.madeUp = firstNames(sighting.madeUp, [madeUp]);
    },
    /** Begins a viewing that lasts until `end`, which takes what this returns. `requests`: 0 for a part of something. */
    begin(subject: Subject, at: number, watched?: WatchedTime, requests = 1): OpenSighting {
      const found = touch(subject, at, watched, requests);
      const sighting = found ?? growing(subject, at, watched, 0);
      if (!found) late.add(sighting);
      sighting.open += 1;
      return sighting;
    },
    end(sighting: OpenSighting, at: number): void {
      sighting.open -= 1;
      sighting.to = Math.max(sighting.to, at);
      if (late.size > 0) late.delete(sighting);
    },
    /** What is no viewing: one record each. */
    add(entry: LedgerEntry): void {
      if (isFull()) dropped += 1;
      else entries.push(entry);
    },
    /** What was seen since the last call; streams that are open count as seen until now. `dropped`: there were too many. */
    drain(now: number) {
      const open = [...seen].filter(([, sighting]) => sighting.open > 0);
      for (const [, sighting] of open) sighting.to = Math.max(sighting.to, now);
      // A stream that began before a picture comes before it, also when the clock was set in between.
      const sightings = [...past, ...seen.values()].sort((one, other) => one.from - other.from).map(toSighting);
      const news = { sightings, entries, dropped };
      seen = new Map(open);
      past = [];
      entries = [];
      dropped = 0;
      for (const stream of late) {
        if (isFull()) break;
        late.delete(stream);
        stream.to = Math.max(stream.to, now);
        seen.set(stream, stream);
      }
      for (const sighting of seen.values()) Object.assign(sighting, { from: sighting.to, requests: 0 });
      return news;
    },
  };
}

const growing = (subject: Subject, at: number, watched: WatchedTime | undefined, requests: number): OpenSighting => ({
  key: subjectKey(subject),
  subject,
  watched,
  from: at,
  to: at,
  requests,
  open: 0,
});

const toSighting = ({ open: _, ...sighting }: OpenSighting): Sighting => sighting;

const MOST_NAMES = 5;

/** The first names of both lists, each once. */
export const firstNames = (some: readonly string[] = [], more: readonly string[] = []): readonly string[] =>
  some.length >= MOST_NAMES || more.length === 0 ? some : [...new Set([...some, ...more])].slice(0, MOST_NAMES);

/** `other` is the later one. */
export const joined = (one: WatchedTime, other: WatchedTime): WatchedTime => ({
  ...one,
  ...other,
  from: Math.min(one.from, other.from),
  to: Math.max(one.to, other.to),
});
