/** How many failed logins a client may have: sliding windows over addresses (interface 5.4, 8; SPEC 4.5). */
import { LRUCache } from 'lru-cache';
import { unlessAborted } from '../../domain/async/time-limit.ts';
import { upTo } from '../../domain/bounded.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Clause } from '../../domain/rate-limit.ts';
import { clientKey } from './client-key.ts';
import { type Failure, forgetBefore, fullClause, longestOf, remove } from './sliding-window.ts';

export type Reservation =
  /** The attempt counts as failed until it is released; `keep` says that it did fail. Each acts once. */
  { readonly kind: 'reserved'; release(): void; keep(): void } | Limited;

export interface Limited {
  readonly kind: 'limited';
  readonly retryAfterSeconds: number;
  readonly clause: Clause;
  /** The window that is full: the client's own, or that of its network. */
  readonly window?: 'network';
}

/** `busy`: too many attempts wait already. */
export type LimiterPlace = Reservation | { readonly kind: 'busy' };

/** An attempt that may wait for the outcome of others. */
export interface Attempt {
  /** The account that is tried: one account's attempts leave room for others. Absent: the limiter's own key. */
  readonly account?: string | undefined;
  /** Aborted when the client has left: the wait ends, by rejecting with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What attempts are limited by, in memory or in the store that replicas share. */
export interface LoginLimiter extends LimiterCounts {
  /**
   * Takes a place before anything is hashed: parallel guesses must not all pass while none has failed yet. An attempt that
   * finds no place waits for the outcome of others that are under way, so that parallel right passwords all pass.
   */
  reserve(address: string, isKnown?: boolean, attempt?: Attempt): Promise<LimiterPlace>;
}

/** The limiter in the memory of this process, which answers at once. */
export interface MemoryLimiter extends LimiterCounts {
  reserve(address: string, isKnown?: boolean): Reservation;
  /** When the next attempt that is under way in that window ends; undefined when none is. */
  settles(address: string, window?: 'network'): Promise<void> | undefined;
}

interface LimiterCounts {
  /** Clients that have to wait now, as far as this process knows. */
  limited(): number;
  /** Clients that are remembered here. */
  size(): number;
  /** Others from now on; the failures that were counted stay so. */
  setClauses(clauses: readonly Clause[]): void;
  /** Whether an attempt would be refused now, as far as this process knows. */
  full(address: string, isKnown?: boolean): Limited | undefined;
  /** Forgets the failures of that window that are older than so many milliseconds. */
  lift(address: string, age: number, window?: 'network'): void;
}

export interface LimiterDeps {
  /** None: no limit. */
  readonly clauses: readonly Clause[];
  /** A monotonic clock: setting the time back would lengthen every limit. */
  readonly clock: Clock;
  /** Clients remembered at once. */
  readonly capacity?: number;
  /** Which addresses count as one; an IPv4 address or an IPv6 /64 unless told otherwise. */
  readonly keyOf?: (address: string) => string;
  /** A client was evicted for lack of room; `active` when it had failures that still counted. */
  readonly onEvict?: (state: 'idle' | 'active') => void;
}

/** Attempts of one client whose outcome is not known yet, and who waits for one of them. */
interface UnderWay {
  attempts: number;
  next: PromiseWithResolvers<void>;
}

const REMEMBERED_CLIENTS = 10_000;

/** Attempts that may wait for others, for one account and for all; of clients that logged in before as many beside. */
const MOST_WAITING = { account: 64, total: 512 } as const;

/** An attempt without a place waits for the outcome of another one and asks again. */
export function inTurn(memory: MemoryLimiter): LoginLimiter {
  const lines = { known: createLine(), strangers: createLine() };
  return {
    limited: memory.limited,
    size: memory.size,
    setClauses: memory.setClauses,
    full: memory.full,
    lift: memory.lift,
    async reserve(address, isKnown, { account = address, signal } = {}) {
      const line = isKnown ? lines.known : lines.strangers;
      let leave: (() => void) | undefined;
      try {
        for (;;) {
          const place = memory.reserve(address, isKnown);
          const settles = place.kind === 'limited' ? memory.settles(address, place.window) : undefined;
          if (!settles) return place;
          leave ??= line.enter(account);
          if (!leave) return { kind: 'busy' };
          await unlessAborted(settles, signal);
        }
      } finally {
        leave?.();
      }
    },
  };
}

function createLine() {
  const waiting = new Map<string, number>();
  let total = 0;
  const add = (account: string, number: 1 | -1): void => {
    total += number;
    const ofAccount = (waiting.get(account) ?? 0) + number;
    if (ofAccount === 0) waiting.delete(account);
    else waiting.set(account, ofAccount);
  };
  return {
    /** The function that gives the place back; undefined when there is none. */
    enter(account: string): (() => void) | undefined {
      if (total >= MOST_WAITING.total || (waiting.get(account) ?? 0) >= MOST_WAITING.account) return undefined;
      add(account, 1);
      return () => add(account, -1);
    },
  };
}

export function createLoginLimiter(deps: LimiterDeps): MemoryLimiter {
  const { clock, capacity = REMEMBERED_CLIENTS, keyOf = clientKey, onEvict } = deps;
  let { clauses } = deps;
  let longestWindow = longestOf(clauses);
  const clients = new LRUCache<string, Failure[]>(upTo(capacity));
  /** One shared bucket for new clients while every remembered client is limited. */
  const strangers: Failure[] = [];
  let allLimitedUntil = Number.NEGATIVE_INFINITY;
  const underWay = new Map<string, UnderWay>();

  const begin = (key: string): (() => void) => {
    const those = underWay.get(key) ?? { attempts: 0, next: Promise.withResolvers<void>() };
    those.attempts += 1;
    underWay.set(key, those);
    return () => {
      those.attempts -= 1;
      those.next.resolve();
      those.next = Promise.withResolvers<void>();
      if (those.attempts === 0) underWay.delete(key);
    };
  };

  /** Makes room by evicting the client that was idle longest; never a limited one, for eviction would lift its limit. */
  const makeRoom = (now: number): boolean => {
    if (clients.size < capacity) return true;
    if (now < allLimitedUntil) return false;
    let soonest = Number.POSITIVE_INFINITY;
    for (let looked = 0; looked < capacity; looked += 1) {
      const [key] = clients.rkeys();
      const failures = key === undefined ? undefined : clients.peek(key);
      if (key === undefined || failures === undefined) return true;
      const full = fullClause(failures, clauses, now);
      if (!full) {
        onEvict?.(failures.some(({ at }) => at > now - longestWindow) ? 'active' : 'idle');
        return clients.delete(key);
      }
      soonest = Math.min(soonest, now + full.retryAfterSeconds * 1000);
      clients.get(key); // marks it as used, so that the next round begins with another client
    }
    allLimitedUntil = soonest;
    return false;
  };

  const failuresOf = (key: string, now: number): Failure[] => {
    const known = clients.get(key);
    if (known) return known;
    if (!makeRoom(now)) return strangers;
    const failures: Failure[] = [];
    clients.set(key, failures);
    return failures;
  };

  return {
    size: () => clients.size,
    setClauses(given) {
      clauses = given;
      longestWindow = longestOf(given);
      allLimitedUntil = Number.NEGATIVE_INFINITY;
    },
    settles: (address) => underWay.get(keyOf(address))?.next.promise,
    limited() {
      const now = clock.now();
      return [...clients.values()].filter((failures) => fullClause(failures, clauses, now) !== undefined).length;
    },
    full(address) {
      return fullClause(clients.peek(keyOf(address)) ?? [], clauses, clock.now());
    },
    lift(address, age) {
      forgetBefore(clients.peek(keyOf(address)) ?? [], clock.now() - age);
      allLimitedUntil = Number.NEGATIVE_INFINITY;
    },
    reserve(address) {
      if (clauses.length === 0) return { kind: 'reserved', release() {}, keep() {} };
      const now = clock.now();
      const key = keyOf(address);
      const failures = failuresOf(key, now);
      forgetBefore(failures, now - longestWindow);
      const full = fullClause(failures, clauses, now);
      if (full) return full;
      const failure: Failure = { at: now };
      failures.push(failure);
      const settle = once(begin(key));
      return {
        kind: 'reserved',
        keep: settle,
        release() {
          settle();
          remove(failures, failure);
          if (failures.length === 0 && clients.peek(key) === failures) clients.delete(key);
        },
      };
    },
  };
}

/** The place is kept when the work's outcome is a failure, and given back otherwise: also when the work rejects. */
export async function settled<Outcome>(
  place: Extract<Reservation, { kind: 'reserved' }>,
  work: () => Promise<Outcome>,
  isFailure: (outcome: Outcome) => boolean,
): Promise<Outcome> {
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
