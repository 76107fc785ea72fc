/** Bounds how many records one client can cause: names, addresses and paths that it makes up are told together (SPEC 14). Pure. */
import { keyOf, type Sighting, type Subject } from './sightings.ts';

/** Spans of one user and kind at once. */
const MOST_OF_A_USER = 1000;
/** Of all that strangers do: of names, addresses and programs they have as many as they like. */
const MOST_OF_STRANGERS = 300;

/** Spans that are open, by user and kind. */
export interface Crowds {
  /** The sighting as it is, or, where it would begin one span too many, as one of the many. */
  placed(sighting: Sighting): Sighting;
  begun(subject: Subject): void;
  ended(subject: Subject): void;
}

export function createCrowds(isOpen: (key: string) => boolean): Crowds {
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
      const most = userOf(subject) === null ? MOST_OF_STRANGERS : MOST_OF_A_USER;
      if (isOpen(key) || (open.get(crowdOf(subject)) ?? 0) < most) return sighting;
      const many = oneOfMany(subject);
      return { ...sighting, key: keyOf(many), subject: many, watched: undefined };
    },
    begun: (subject) => change(subject, 1),
    ended: (subject) => change(subject, -1),
  };
}

/** Strangers choose the user names that they try. */
const userOf = ({ kind, user }: Subject): string | null => (kind === 'login-failed' ? null : user);

const crowdOf = (subject: Subject): string => `${subject.kind}\n${userOf(subject)}`;

const oneOfMany = (subject: Subject): Subject => ({
  kind: subject.kind,
  user: userOf(subject),
  credential: null,
  address: null,
  camera: null,
  detail: { crowd: 'too many to tell apart' },
});
