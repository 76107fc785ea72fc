/** What is watched, as spans: what is seen within a minute of each other is one, and a span is a record when it has ended (SPEC 14). Pure. */
import { decidedByObject } from '../../domain/bounded.ts';
import { isPictureKind } from '../../domain/policy.ts';
import { type LedgerEntry, NOBODY, type OwnEntry, readDetail } from './records.ts';

/** Recorded time that was asked for. */
export interface WatchedTime {
  readonly from: number;
  readonly to: number;
  /** The event whose pictures they were; of several the latest one that was asked for. */
  readonly event?: string;
}

/** Who watches what: requests that agree in it, and follow each other, are one viewing. */
export interface Subject extends Pick<LedgerEntry, 'kind' | 'user' | 'credential' | 'address' | 'camera'> {
  /** What else is told: a JSON object. */
  readonly detail?: Readonly<Record<string, string>>;
}

/** A span that goes on: one for many requests and streams of its subject, nothing is kept for each. */
export interface Span {
  id: string;
  readonly subject: Subject;
  watched: WatchedTime | undefined;
  from: number;
  to: number;
  requests: number;
  /** The first of the names that were made up. */
  madeUp: readonly string[];
  /** Streams that have begun and not ended. */
  open: number;
  isNew: boolean;
}

const LONGEST_TEXT = 200;

/** Text from a client as every engine can keep it: PostgreSQL takes no NUL, and one bad record would hold back all others. */
export const storable = (text: string): string => text.slice(0, LONGEST_TEXT).toWellFormed().replaceAll('\0', '');

/** Seconds without a sign of life, after which a span has ended. */
const QUIET_SECONDS = 60;
/** A busy event loop sees late what came in time. */
const LATE_SECONDS = 3;
/** Spans that go on are written together this often, so that no other process takes them for left. After a crash they end at most so long before their last sign of life. */
const RENEWED_SECONDS = 20;
/** A longer viewing goes on in a record of its own, so that a reader need not look back for ever. */
export const LONGEST_SPAN_SECONDS = 86_400;
/** Recorded times that lie further apart are two viewings. */
const WATCHED_GAP_SECONDS = 3600;
/** The most spans of one subject at once: pictures from all over a month are not hundreds of records. */
const MOST_AT_ONCE = 8;
/** The most subjects at once. */
const MOST_OPEN = 20_000;
const MOST_NAMES = 5;

/** `newId` names spans. */
export function createSpans(newId: () => string) {
  const byKey = new Map<string, Span[]>();
  /** Streams that found no room when they began. */
  const late = new Set<Span>();
  const limits = createRecordLimits((key) => byKey.has(key));
  let ended: OwnEntry[] = [];
  let dropped = 0;
  let renewedAt = Number.NEGATIVE_INFINITY;

  const begun = (subject: Subject, at: number, watched: WatchedTime | undefined, requests: number): Span => ({
    id: newId(),
    subject,
    watched,
    from: at,
    to: at,
    requests,
    madeUp: [],
    open: 0,
    isNew: true,
  });
  const record = (span: Span): void => void ended.push(spanEntry(span));
  /** Whether the span goes on. One that has lasted too long goes on in a record of its own while a stream of it does. */
  const goesOn = (span: Span, at: number, quiet = QUIET_SECONDS): boolean => {
    const isLong = at - span.from > LONGEST_SPAN_SECONDS;
    if (span.open === 0 ? !isLong && at - span.to <= quiet : !isLong) return true;
    record(span);
    if (span.open > 0) Object.assign(span, { id: newId(), from: span.to, requests: 0, madeUp: [], isNew: true });
    else limits.ended(span.subject);
    return span.open > 0;
  };
  const keep = (span: Span, spans: readonly Span[]): void => {
    byKey.set(subjectKey(span.subject), [...spans, span]);
    limits.begun(span.subject);
  };
  /** Undefined: there is no room. */
  const touch = (seen: Subject, at: number, watched: WatchedTime | undefined, requests: number): Span | undefined => {
    const subject = limits.placed(seen);
    const asked = subject === seen ? watched : undefined;
    const key = subjectKey(subject);
    const known = byKey.get(key);
    const spans = known?.filter((span) => goesOn(span, at)) ?? [];
    const span = continued(spans, asked);
    if (!span) {
      if (byKey.size >= MOST_OPEN && !known) {
        dropped += 1;
        return undefined;
      }
      const first = begun(subject, at, asked, requests);
      keep(first, spans);
      return first;
    }
    if (known && spans.length < known.length) byKey.set(key, spans);
    span.from = Math.min(span.from, at);
    span.to = Math.max(span.to, at);
    span.requests += requests;
    if (asked && span.watched) span.watched = joined(span.watched, asked);
    return span;
  };
  return {
    /** Whether the span is one of these, or has ended since `settle`. */
    has: (id: string): boolean =>
      ended.some((one) => one.id === id) || [...byKey.values()].some((spans) => spans.some((span) => span.id === id)),
    /** A moment. */
    see(subject: Subject, at: number, watched?: WatchedTime, madeUp?: string): void {
      const span = touch(subject, at, watched, 1);
      if (span && madeUp !== undefined && span.madeUp.length < MOST_NAMES)
        span.madeUp = [...new Set([...span.madeUp, madeUp])];
    },
    /** Begins a viewing that lasts until `end`, which takes what this returns. `requests`: 0 for a part of something. */
    begin(subject: Subject, at: number, watched?: WatchedTime, requests = 1): Span {
      const found = touch(subject, at, watched, requests);
      const span = found ?? begun(subject, at, watched, 0);
      if (!found) late.add(span);
      span.open += 1;
      return span;
    },
    end(span: Span, at: number): void {
      span.open -= 1;
      span.to = Math.max(span.to, at);
      if (late.size > 0) late.delete(span);
    },
    /**
     * Spans that have ended by now, spans that began since the last call, and every `RENEWED_SECONDS` all that are open. Streams count
     * as seen until now. `dropped`: there were too many. `isLast`: all of them end.
     */
    settle(now: number, isLast = false) {
      const open: OwnEntry[] = [];
      const isDue = now - renewedAt >= RENEWED_SECONDS || now < renewedAt; // or the clock was set back
      if (isDue) renewedAt = now;
      for (const [key, spans] of byKey) {
        const left = spans.filter((span) => goesOn(span, now, QUIET_SECONDS + LATE_SECONDS));
        for (const span of left) {
          if (span.open > 0) span.to = Math.max(span.to, now);
          if (isLast) record(span);
          else if (span.isNew || isDue) open.push(spanEntry(span));
          span.isNew = false;
        }
        if (left.length === 0 || isLast) byKey.delete(key);
        else if (left.length < spans.length) byKey.set(key, left);
      }
      for (const span of late) {
        if (byKey.size >= MOST_OPEN) break;
        late.delete(span);
        Object.assign(span, { from: Math.max(span.to, now), to: Math.max(span.to, now) });
        keep(span, byKey.get(subjectKey(span.subject)) ?? []);
      }
      const settled = { ended: ended as readonly OwnEntry[], open: open as readonly OwnEntry[], dropped };
      ended = [];
      dropped = 0;
      return settled;
    },
  };
}

export type Spans = ReturnType<typeof createSpans>;

/** Many requests share one subject. */
const subjectKey = decidedByObject(
  ({ kind, user, credential, address, camera, detail }: Subject): string =>
    `${kind}\n${user}\n${credential}\n${address}\n${camera}\n${detail ? JSON.stringify(detail) : ''}`,
);

/** The span of the same recorded time; of too many the nearest. */
function continued(spans: readonly Span[], watched: WatchedTime | undefined): Span | undefined {
  let nearest: Span | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const span of spans) {
    const distance = distanceBetween(span.watched, watched);
    if (distance >= least) continue;
    nearest = span;
    least = distance;
  }
  return least <= WATCHED_GAP_SECONDS || spans.length >= MOST_AT_ONCE ? nearest : undefined;
}

function distanceBetween(one: WatchedTime | undefined, other: WatchedTime | undefined): number {
  if (!one || !other) return one === other ? 0 : Number.POSITIVE_INFINITY;
  return Math.max(0, one.from - other.to, other.from - one.to);
}

/** `other` is the later one. */
const joined = (one: WatchedTime, other: WatchedTime): WatchedTime => ({
  ...one,
  ...other,
  from: Math.min(one.from, other.from),
  to: Math.max(one.to, other.to),
});

/** Milliseconds: every engine gives back the same number. */
const rounded = (at: number): number => Math.round(at * 1000) / 1000;

/** What was done in that time, and the recorded time that was watched; `more` is told beside the subject's own detail. */
export function subjectEntry(
  { detail: own, ...who }: Subject,
  { from, to }: Pick<Span, 'from' | 'to'>,
  watched?: WatchedTime,
  more: object = {},
): LedgerEntry {
  const detail = { ...own, ...more };
  return {
    ...who,
    from: rounded(from),
    to: rounded(to),
    watchedFrom: watched ? rounded(watched.from) : null,
    watchedTo: watched ? rounded(watched.to) : null,
    detail: Object.keys(detail).length > 0 ? JSON.stringify(detail) : null,
  };
}

function spanEntry({ id, subject, watched, requests, madeUp, ...span }: Span): OwnEntry {
  // Attempts and exports are counted; of other pictures the number of requests tells about the player only.
  const isCounted = subject.kind === 'export' || !isPictureKind(subject.kind);
  const more = {
    ...(watched?.event !== undefined && { event: watched.event }),
    ...(madeUp.length > 0 && { names: madeUp.join(', ') }),
    ...(isCounted && requests > 1 && { times: String(requests) }),
  };
  return { id, ...subjectEntry(subject, span, watched, more) };
}

/** A span that was found open after a crash: it ends with its last sign of life, and says so. */
export const cutOff = (span: OwnEntry): OwnEntry => ({
  ...span,
  detail: JSON.stringify({ ...readDetail(span), ended: 'unknown' }),
});

/** Spans of one user and kind at once. */
const MOST_OF_A_USER = 1000;
/**
 * The most spans of all strangers at once: of addresses and programs they have as many as they like. Names that they make up
 * are in no record of their own.
 */
const MOST_OF_STRANGERS = 300;

/** Spans that are open, by user and kind. */
function createRecordLimits(isOpen: (key: string) => boolean) {
  const open = new Map<string, number>();
  const change = (subject: Subject, by: number): void => {
    const crowd = crowdKey(subject);
    const left = (open.get(crowd) ?? 0) + by;
    if (left > 0) open.set(crowd, left);
    else open.delete(crowd);
  };
  return {
    /** The subject as it is, or, where it would begin one span too many, the one of the many. */
    placed(subject: Subject): Subject {
      if (isOpen(subjectKey(subject))) return subject;
      const most = subject.user === null ? MOST_OF_STRANGERS : MOST_OF_A_USER;
      const many = oneOfMany(subject);
      const joins = !isPictureKind(subject.kind) && isOpen(subjectKey(many)); // until the flood is over
      return joins || (open.get(crowdKey(subject)) ?? 0) >= most ? many : subject;
    },
    begun: (subject: Subject): void => change(subject, 1),
    ended: (subject: Subject): void => change(subject, -1),
  };
}

const crowdKey = ({ kind, user }: Subject): string => `${kind}\n${user}`;

const oneOfMany = ({ kind, user }: Subject): Subject => ({
  ...{ kind, ...NOBODY, user },
  detail: { crowd: 'too many to tell apart' },
});
