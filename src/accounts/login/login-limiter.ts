/** How many failed logins a client may have: sliding windows over addresses (interface 5.4, 8; SPEC 4.5). */
import { LRUCache } from 'lru-cache';
import { createShares, type MaybePromise, unlessAborted } from '../../domain/async.ts';
import { upTo } from '../../domain/bounded.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Clause } from '../../domain/rate-limit.ts';
import type { LoginBlock } from '../../store/engine/tables.ts';
import { clientKey, networkKey } from './client-key.ts';

/** The attempt counts as failed until it is released; `keep` says that it did fail. Each acts once. */
export interface Reserved {
  readonly kind: 'reserved';
  release(): void;
  keep(): void;
}
export type Reservation = Reserved | Limited;

export interface Limited {
  readonly kind: 'limited';
  readonly retryAfterSeconds: number;
  readonly clause: Clause;
  /** The one that is full, where there are several. */
  readonly window?: Window;
}

/** Which keys of attempts count as one. */
export interface Window {
  readonly keyOf: (key: string) => string;
  /** What it is called in the store that replicas share. */
  readonly prefix: string;
  /** So many times what the clauses allow. */
  readonly times: number;
  /** Clients that logged in before do not count in it. */
  readonly isOfStrangers?: true;
  /** Who must wait when it is full. */
  readonly block: (key: string) => Pick<LoginBlock, 'kind' | 'subject'>;
}

/** A network may fail as often as ten of its clients: many addresses of one owner are one guesser, but neighbours of one provider share a /24 (SPEC 4.5). */
// biome-ignore format: a table
export const BY_ADDRESS: Windows = [
  { keyOf: clientKey, prefix: 'client', times: 1, block: (address) => ({ kind: 'address', subject: clientKey(address) }) },
  { keyOf: networkKey, prefix: 'network', times: 10, isOfStrangers: true, block: (address) => ({ kind: 'network', subject: networkKey(address) }) },
];

/** The narrowest first. */
export type Windows = readonly [Window, ...Window[]];

/** The windows of an attempt. */
export const windowsFor = (windows: Windows, isKnown: boolean): readonly Window[] =>
  isKnown ? windows.filter(({ isOfStrangers }) => !isOfStrangers) : windows;

export const clausesOf = ({ times }: Window, clauses: readonly Clause[]): readonly Clause[] =>
  clauses.map(({ count, windowSeconds, text }) => ({
    ...{ count: count * times, windowSeconds },
    text: text.replace(/^\d+/, String(count * times)),
  }));

/** `busy`: too many attempts wait already. */
export type LimiterPlace = Reservation | { readonly kind: 'busy' };

/** An attempt that may wait for the outcome of others. */
export interface Attempt {
  /** The account that is tried: one account's attempts leave room for others. Absent: the limiter's own key. */
  readonly account?: string | undefined;
  /** Its failure costs a password hash. Any other one is cheap enough to come from thousands of addresses at once. */
  readonly costsHash?: boolean;
  /** Aborted when the client has left: the wait ends, by rejecting with its reason. */
  readonly signal?: AbortSignal | undefined;
}

const REMEMBERED_CLIENTS = 10_000;

/** Attempts that may wait for others, for one account and for all; of clients that logged in before as many beside. */
const MOST_WAITING = { account: 64, total: 512 } as const;

/** What attempts are limited by, in memory or in the store that replicas share. */
export type LoginLimiter = ReturnType<typeof inTurn>;

export function inTurn(memory: MemoryLimiter) {
  const waiting = createShares();
  return {
    ...memory,
    /**
     * Takes a place before anything is hashed: parallel guesses must not all pass while none has failed yet. An attempt that
     * finds no place waits for the outcome of others that are under way and asks again, so that parallel right passwords all pass.
     */
    async reserve(
      address: string,
      isKnown?: boolean,
      { account = address, costsHash, signal }: Attempt = {},
    ): Promise<LimiterPlace> {
      const line = isKnown ? 'known' : 'strangers';
      const wait = waiting.hold([
        [line, MOST_WAITING.total],
        [`${line} ${account}`, MOST_WAITING.account],
      ]);
      try {
        for (let isWaiting = false; ; isWaiting = true) {
          const place = memory.reserve(address, isKnown, costsHash);
          const settles = place.kind === 'limited' ? memory.settles(address, isKnown, place.window) : undefined;
          if (!settles) return place;
          if (!isWaiting && !wait.take()) return { kind: 'busy' };
          await unlessAborted(settles, signal);
        }
      } finally {
        wait.release();
      }
    },
  };
}

const NOT_COUNTED: Reservation = { kind: 'reserved', release() {}, keep() {} };

export interface LimiterRules {
  /** None: no limit. */
  readonly clauses: readonly Clause[];
  /** A monotonic clock: setting the time back would lengthen every limit. */
  readonly clock: Clock;
  /** Clients remembered at once. */
  readonly capacity?: number;
  /** Which failures keep a client from being evicted. `failures`: all of them, where keys are no addresses, which are cheap to have. */
  readonly filledBy?: 'hashes' | 'failures';
  /** Which addresses count as one; an IPv4 address or an IPv6 /64 unless told otherwise. */
  readonly keyOf?: (address: string) => string;
}

/** The limiter in the memory of this process, which answers at once. */
export type MemoryLimiter = ReturnType<typeof createLoginLimiter>;

export function createLoginLimiter(rules: LimiterRules) {
  const { clock, capacity = REMEMBERED_CLIENTS, filledBy = 'hashes', keyOf = clientKey } = rules;
  let { clauses } = rules;
  let longestWindow = longestOf(clauses);
  const isStaying = ({ costsHash }: Failure): boolean => filledBy === 'failures' || costsHash;
  const limitOf = (failures: readonly Failure[], now: number): Limited | undefined =>
    fullClause(failures.filter(isStaying), clauses, now);
  // Clients that logged in before have a memory of their own, which strangers cannot fill.
  const [known, strangers] = [createFailureMemory(capacity, limitOf), createFailureMemory(capacity, limitOf)];
  const memories = [known, strangers];
  /** Attempts of one client whose outcome is not known yet, and the end of the next of them. */
  const underWay = new Map<Failure[], { attempts: number; next: PromiseWithResolvers<void> }>();

  const begin = (failures: Failure[]): (() => void) => {
    const those = underWay.get(failures) ?? { attempts: 0, next: Promise.withResolvers<void>() };
    those.attempts += 1;
    underWay.set(failures, those);
    return () => {
      those.attempts -= 1;
      those.next.resolve();
      those.next = Promise.withResolvers<void>();
      if (those.attempts === 0) underWay.delete(failures);
    };
  };

  /** A client has one list, also when it becomes known. */
  const failuresOf = (key: string, isKnown: boolean, now: number): Failure[] => {
    const ofKnown = known.find(key);
    if (ofKnown) return ofKnown;
    const ofStranger = strangers.find(key);
    if (ofStranger && !isKnown) return ofStranger;
    const memory = isKnown ? known : strangers;
    const failures = ofStranger ?? [];
    if (!memory.add(key, failures, now)) return ofStranger ?? memory.shared;
    if (isKnown) strangers.forget(key);
    return failures;
  };
  const peek = (address: string): Failure[] | undefined => known.peek(keyOf(address)) ?? strangers.peek(keyOf(address));
  const lookAgain = (): void => {
    for (const memory of memories) memory.lookAgain();
  };

  return {
    /** Clients that are remembered here. */
    size: (): number => known.size() + strangers.size(),
    /** Others from now on; the failures that were counted stay so. */
    setClauses(given: readonly Clause[]): void {
      clauses = given;
      longestWindow = longestOf(given);
      lookAgain();
    },
    /** When the next attempt that is under way in that window ends; undefined when none is. */
    settles: (address: string, isKnown?: boolean, _window?: Limited['window']): Promise<void> | undefined =>
      underWay.get(peek(address) ?? (isKnown ? known : strangers).shared)?.next.promise,
    /** Clients that have to wait now, as far as this process knows. */
    limited(): number {
      const now = clock.now();
      const all = memories.flatMap((memory) => memory.all());
      return all.filter((failures) => fullClause(failures, clauses, now) !== undefined).length;
    },
    /** Whether an attempt would be refused now, as far as this process knows. */
    full: (address: string, _isKnown?: boolean): Limited | undefined =>
      fullClause(peek(address) ?? [], clauses, clock.now()),
    /** Forgets the failures of that window that are older than so many milliseconds. */
    lift(address: string, age: number, _window?: Limited['window']): void {
      forgetBefore(peek(address) ?? [], clock.now() - age);
      lookAgain();
    },
    reserve(address: string, isKnown = false, costsHash = false): Reservation {
      if (clauses.length === 0) return NOT_COUNTED;
      const now = clock.now();
      const key = keyOf(address);
      const failures = failuresOf(key, isKnown, now);
      forgetBefore(failures, now - longestWindow);
      const full = fullClause(failures, clauses, now);
      if (full) return full;
      const failure: Failure = { at: now, costsHash };
      const isShared = memories.some(({ shared }) => shared === failures);
      if (isShared && !isStaying(failure)) return NOT_COUNTED;
      failures.push(failure);
      const settle = once(begin(failures));
      return {
        kind: 'reserved',
        keep: settle,
        release() {
          settle();
          remove(failures, failure);
          if (failures.length > 0) return;
          for (const memory of memories) if (memory.peek(key) === failures) memory.forget(key);
        },
      };
    },
  };
}

/** The limiter with several windows: an attempt has a place in each, or in none. */
export function createWindowLimiter(windows: Windows, rules: LimiterRules): MemoryLimiter {
  const limiterOf = (window: Window): MemoryLimiter =>
    createLoginLimiter({ ...rules, clauses: clausesOf(window, rules.clauses), keyOf: window.keyOf });
  const limiters = new Map(windows.map((window) => [window, limiterOf(window)]));
  const of = (window: Window = windows[0]): MemoryLimiter => limiters.get(window) ?? limiterOf(window);
  const { limited, size } = of();
  return {
    limited,
    size,
    setClauses(clauses) {
      for (const [window, limiter] of limiters) limiter.setClauses(clausesOf(window, clauses));
    },
    full(key, isKnown = false) {
      const window = windowsFor(windows, isKnown).find((one) => of(one).full(key));
      const full = window && of(window).full(key);
      return full && { ...full, window };
    },
    lift: (key, age, window) => of(window).lift(key, age),
    settles: (key, isKnown, window) => of(window).settles(key, isKnown),
    reserve(key, isKnown = false, costsHash = false) {
      const places: Reserved[] = [];
      const all = (settle: 'keep' | 'release') => () => {
        for (const place of places) place[settle]();
      };
      for (const window of windowsFor(windows, isKnown)) {
        const place = of(window).reserve(key, isKnown, costsHash);
        if (place.kind === 'reserved') places.push(place);
        else {
          all('release')();
          return { ...place, window };
        }
      }
      return { kind: 'reserved', keep: all('keep'), release: all('release') };
    },
  };
}

/**
 * What comes of the work, where there is a place for it. The place is kept when that is a failure, and given back otherwise: also
 * when the work rejects.
 */
export async function settled<Place extends LimiterPlace, Outcome>(
  placing: MaybePromise<Place>,
  work: () => MaybePromise<Outcome>,
  isFailure: (outcome: Outcome) => boolean,
): Promise<Outcome | Exclude<Place, Reserved>> {
  const place: LimiterPlace = await placing;
  if (place.kind !== 'reserved') return place as Exclude<Place, Reserved>;
  let hasFailed = false;
  try {
    const outcome = await work();
    hasFailed = isFailure(outcome);
    return outcome;
  } finally {
    if (hasFailed) place.keep();
    else place.release();
  }
}

export function once<Given extends unknown[]>(act: (...given: Given) => void): (...given: Given) => void {
  let isDone = false;
  return (...given) => {
    if (!isDone) act(...given);
    isDone = true;
  };
}

/**
 * Failures of clients, for as many clients as there is room: a limited one is never forgotten for a new one (SPEC 4.5).
 * `limitOf`: undefined for a client that may be forgotten.
 */
function createFailureMemory(
  capacity: number,
  limitOf: (failures: readonly Failure[], now: number) => Limited | undefined,
) {
  const clients = new LRUCache<string, Failure[]>(upTo(capacity));
  let allLimitedUntil = Number.NEGATIVE_INFINITY;

  const makeRoom = (now: number): boolean => {
    if (clients.size < capacity) return true;
    if (now < allLimitedUntil) return false;
    let soonest = Number.POSITIVE_INFINITY;
    for (let looked = 0; looked < capacity; looked += 1) {
      const [key] = clients.rkeys();
      const failures = key === undefined ? undefined : clients.peek(key);
      if (key === undefined || failures === undefined) return true;
      const full = limitOf(failures, now);
      if (!full) return clients.delete(key);
      soonest = Math.min(soonest, now + full.retryAfterSeconds * 1000);
      clients.get(key); // marks it as used, so that the next round begins with another client
    }
    allLimitedUntil = soonest;
    return false;
  };

  return {
    /** One bucket for new clients while every remembered one is limited. */
    shared: [] as Failure[],
    /** Marks the client as used. */
    find: (key: string): Failure[] | undefined => clients.get(key),
    peek: (key: string): Failure[] | undefined => clients.peek(key),
    /** False: there is no room. */
    add(key: string, failures: Failure[], now: number): boolean {
      const isRoom = makeRoom(now);
      if (isRoom) clients.set(key, failures);
      return isRoom;
    },
    forget: (key: string): void => void clients.delete(key),
    all: (): readonly Failure[][] => [...clients.values()],
    size: (): number => clients.size,
    /** Limits have ended before their time. */
    lookAgain(): void {
      allLimitedUntil = Number.NEGATIVE_INFINITY;
    },
  };
}

/** A failure, or an attempt that may become one: an object of its own, so that it can be found again. */
interface Failure {
  /** Milliseconds of a monotonic clock. */
  readonly at: number;
  /** It costs a password hash to fail so. */
  readonly costsHash: boolean;
}

/** The full clause that one must wait longest for. */
function fullClause(failures: readonly Failure[], clauses: readonly Clause[], now: number): Limited | undefined {
  const full = clauses.map((clause) => whenFull(failures, clause, now)).filter((found) => found !== undefined);
  return full.sort((a, b) => b.retryAfterSeconds - a.retryAfterSeconds)[0];
}

/** A failure leaves the window when it is as old as the window is long. */
function whenFull(failures: readonly Failure[], clause: Clause, now: number): Limited | undefined {
  const recent = failures.filter(({ at }) => at > now - milliseconds(clause));
  if (recent.length < clause.count) return undefined;
  const first = recent[recent.length - clause.count];
  const wait = milliseconds(clause) - (first ? now - first.at : 0);
  return { kind: 'limited', retryAfterSeconds: Math.ceil(wait / 1000), clause };
}

const milliseconds = ({ windowSeconds }: Clause): number => windowSeconds * 1000;
const longestOf = (clauses: readonly Clause[]): number => Math.max(0, ...clauses.map(milliseconds));

function forgetBefore(failures: Failure[], past: number): void {
  const kept = failures.findIndex(({ at }) => at > past);
  failures.splice(0, kept === -1 ? failures.length : kept);
}

function remove(failures: Failure[], failure: Failure): void {
  const place = failures.indexOf(failure);
  if (place !== -1) failures.splice(place, 1);
}
