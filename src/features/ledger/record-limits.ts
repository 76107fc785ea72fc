/** Bounds how many records one client can cause: names, addresses and paths that it makes up are told together (SPEC 14). Pure. */
import { isViewingKind } from '../../domain/ledger.ts';
import { keyOf, type Sighting, type Subject } from './sightings.ts';

/** Spans of one user and kind at once. */
const MOST_OF_A_USER = 1000;
/**
 * The most spans of all strangers at once: of addresses and programs they have as many as they like. Names that they make up
 * are in no record of their own.
 */
const MOST_OF_STRANGERS = 300;

/** Spans that are open, by user and kind. */
export interface RecordLimits {
  /** The sighting as it is, or, where it would begin one span too many, as one of the many. */
  placed(sighting: Sighting): Sighting;
  begun(subject: Subject): void;
  ended(subject: Subject): void;
}

export function createRecordLimits(isOpen: (key: string) => boolean): RecordLimits {
  const open = new Map<string, number>();
  const change = (subject: Subject, by: number): void => {
    const crowd = crowdOf(subject);
    const left = (open.get(crowd) ?? 0) + by;
    if (left > 0) open.set(crowd, left);
    else open.delete(crowd);
  };
  return {
    placed(sighting) {
      const { key, subject } = sighting;
      if (isOpen(key)) return sighting;
      const most = subject.user === null ? MOST_OF_STRANGERS : MOST_OF_A_USER;
      const many = oneOfMany(subject);
      const joins = !isViewingKind(subject.kind) && isOpen(keyOf(many)); // until the flood is over
      if (!joins && (open.get(crowdOf(subject)) ?? 0) < most) return sighting;
      return { ...sighting, key: keyOf(many), subject: many, watched: undefined };
    },
    begun: (subject) => change(subject, 1),
    ended: (subject) => change(subject, -1),
  };
}

const crowdOf = ({ kind, user }: Subject): string => `${kind}\n${user}`;

const oneOfMany = (subject: Subject): Subject => ({
  kind: subject.kind,
  user: subject.user,
  credential: null,
  address: null,
  camera: null,
  detail: { crowd: 'too many to tell apart' },
});
