/** Sightings that follow each other within a minute are one span; a span is a record when it has ended (SPEC 14). Pure. */

import { isPictureKind } from '../../domain/policy.ts';
import { type LedgerEntry, type OpenSpan, type OwnEntry, readDetail } from './records.ts';
import {
  firstNames,
  joined,
  type OpenSighting,
  QUIET_SECONDS,
  type Sighting,
  type Subject,
  subjectKey,
  type WatchedTime,
} from './sightings.ts';

/** What was seen in a second is told at its end, and a busy event loop tells it later. */
const LATE_SECONDS = 3;
/** Spans that go on are written together this often, so that no other process takes them for left. After a crash they end at most so long before their last sign of life. */
const RENEWED_SECONDS = 20;
/** A longer viewing goes on in a record of its own, so that a reader need not look back for ever. */
export const LONGEST_SPAN_SECONDS = 86_400;
/** Recorded times that lie further apart are two viewings. */
const WATCHED_GAP_SECONDS = 3600;
/** The most spans of one subject at once: pictures from all over a month are not hundreds of records. */
const MOST_AT_ONCE = 8;

type SpanState = Omit<OpenSighting, 'key' | 'open'> & { readonly id: string; isNew: boolean };

/** `newId` names open spans. */
export function createSpans(newId: () => string) {
  const byKey = new Map<string, SpanState[]>();
  let ended: OwnEntry[] = [];
  let renewedAt = Number.NEGATIVE_INFINITY;

  const isOpen = (key: string): boolean => byKey.has(key);
  const crowds = createRecordLimits(isOpen);
  const close = (span: SpanState): void => {
    crowds.ended(span.subject);
    ended.push({ id: span.id, entry: spanEntry(span) });
  };
  return {
    isOpen,
    see(seen: Sighting): void {
      const sighting = crowds.placed(seen);
      const spans = byKey.get(sighting.key) ?? [];
      for (const over of spans.filter((span) => !goesOn(span, sighting))) {
        close(over);
        spans.splice(spans.indexOf(over), 1);
      }
      const span = continued(spans, sighting);
      if (span) extend(span, sighting);
      else {
        const { key: _, ...begun } = sighting;
        spans.push({ ...begun, id: newId(), isNew: true });
        crowds.begun(begun.subject);
      }
      byKey.set(sighting.key, spans);
    },
    /** Spans that have ended by now, those that began since the last call, and every `RENEWED_SECONDS` all that are open. */
    settle(now: number): { readonly ended: readonly OwnEntry[]; readonly open: readonly OpenSpan[] } {
      const open: OpenSpan[] = [];
      const isDue = now - renewedAt >= RENEWED_SECONDS || now < renewedAt; // or the clock was set back
      if (isDue) renewedAt = now;
      for (const [key, spans] of byKey) {
        const left = spans.filter((span) => now - span.to <= QUIET_SECONDS + LATE_SECONDS);
        for (const span of spans) if (!left.includes(span)) close(span);
        for (const span of left.filter(({ isNew }) => isNew || isDue)) {
          open.push({ id: span.id, ...spanEntry(span) });
          span.isNew = false;
        }
        if (left.length === 0) byKey.delete(key);
        else if (left.length < spans.length) byKey.set(key, left);
      }
      const settled = { ended, open };
      ended = [];
      return settled;
    },
    /** All of them end. */
    end(): readonly OwnEntry[] {
      for (const spans of byKey.values()) for (const span of spans) close(span);
      byKey.clear();
      const all = ended;
      ended = [];
      return all;
    },
    size: (): number => byKey.size,
  };
}

const goesOn = (span: SpanState, { from, to }: Sighting): boolean =>
  from - span.to <= QUIET_SECONDS && to - span.from <= LONGEST_SPAN_SECONDS;

/** The span of the same recorded time; of too many the nearest. */
function continued(spans: readonly SpanState[], { watched }: Sighting): SpanState | undefined {
  const byDistance = spans
    .map((span) => ({ span, distance: distanceBetween(span.watched, watched) }))
    .sort((one, other) => one.distance - other.distance);
  const nearest = byDistance[0];
  if (!nearest) return undefined;
  const fits = nearest.distance <= WATCHED_GAP_SECONDS;
  return fits || (spans.length >= MOST_AT_ONCE && Number.isFinite(nearest.distance)) ? nearest.span : undefined;
}

function distanceBetween(one: WatchedTime | undefined, other: WatchedTime | undefined): number {
  if (!one || !other) return one === other ? 0 : Number.POSITIVE_INFINITY;
  return Math.max(0, one.from - other.to, other.from - one.to);
}

function extend(span: SpanState, { from, to, watched, requests, madeUp }: Sighting): void {
  span.from = Math.min(span.from, from);
  span.to = Math.max(span.to, to);
  span.requests += requests;
  if (madeUp) span.madeUp = firstNames(span.madeUp, madeUp);
  if (watched && span.watched) span.watched = joined(span.watched, watched);
}

/** Milliseconds: every engine gives back the same number. */
const rounded = (at: number): number => Math.round(at * 1000) / 1000;

function spanEntry({ subject, watched, from, to, requests, madeUp = [] }: SpanState): LedgerEntry {
  const { kind, user, credential, address, camera } = subject;
  // Attempts and exports are counted; of other pictures the number of requests tells about the player only.
  const isCounted = kind === 'export' || !isPictureKind(kind);
  const detail = {
    ...subject.detail,
    ...(watched?.event !== undefined && { event: watched.event }),
    ...(madeUp.length > 0 && { names: madeUp.join(', ') }),
    ...(isCounted && requests > 1 && { times: String(requests) }),
  };
  return {
    kind,
    user,
    credential,
    address,
    camera,
    from: rounded(from),
    to: rounded(to),
    watchedFrom: watched ? rounded(watched.from) : null,
    watchedTo: watched ? rounded(watched.to) : null,
    detail: Object.keys(detail).length > 0 ? JSON.stringify(detail) : null,
  };
}

/** A span that was found open after a crash: it ends with its last sign of life, and says so. */
export function cutOff({ id, ...entry }: OpenSpan): OwnEntry {
  return { id, entry: { ...entry, detail: JSON.stringify({ ...readDetail(entry), ended: 'unknown' }) } };
}

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
    /** The sighting as it is, or, where it would begin one span too many, as one of the many. */
    placed(sighting: Sighting): Sighting {
      const { key, subject } = sighting;
      if (isOpen(key)) return sighting;
      const most = subject.user === null ? MOST_OF_STRANGERS : MOST_OF_A_USER;
      const many = oneOfMany(subject);
      const joins = !isPictureKind(subject.kind) && isOpen(subjectKey(many)); // until the flood is over
      if (!joins && (open.get(crowdKey(subject)) ?? 0) < most) return sighting;
      return { ...sighting, key: subjectKey(many), subject: many, watched: undefined };
    },
    begun: (subject: Subject): void => change(subject, 1),
    ended: (subject: Subject): void => change(subject, -1),
  };
}

const crowdKey = ({ kind, user }: Subject): string => `${kind}\n${user}`;

const oneOfMany = (subject: Subject): Subject => ({
  kind: subject.kind,
  user: subject.user,
  credential: null,
  address: null,
  camera: null,
  detail: { crowd: 'too many to tell apart' },
});
