/** How many failed logins a client may have: sliding windows over addresses (interface 5.4, 8; SPEC 4.5). */
import { LRUCache } from 'lru-cache';
import { clientKey, networkKey } from '../../domain/addresses.ts';
import { createShares, type MaybePromise, unlessAborted } from '../../domain/async.ts';
import { upTo } from '../../domain/bounded.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Clause } from '../../domain/rate-limit.ts';
import type { LoginBlock } from '../../store/engine/tables.ts';
import type { Metrics } from '../../telemetry/metrics.ts';

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
  const isStaying = ({ costsHash }: Failure): boolean => filledBy === 'failures' || costsHash;
  const limitOf = ({ failures }: Client, now: number): Limited | undefined =>
    fullClause(failures.filter(isStaying), clauses, now);
  // Clients that logged in before have a memory of their own, which strangers cannot fill.
  const [known, strangers] = [createClientMemory(capacity, limitOf), createClientMemory(capacity, limitOf)];
  const memories = [known, strangers];

  /** A client that becomes known takes its failures along. */
  const clientAt = (key: string, isKnown: boolean, now: number): Client => {
    const ofKnown = known.clients.get(key);
    if (ofKnown) return ofKnown;
    const ofStranger = strangers.clients.get(key);
    if (ofStranger && !isKnown) return ofStranger;
    const memory = isKnown ? known : strangers;
    if (!memory.makeRoom(now)) return ofStranger ?? memory.shared;
    const client = ofStranger ?? newClient();
    memory.clients.set(key, client);
    if (isKnown) strangers.clients.delete(key);
    return client;
  };
  const peek = (address: string): Client | undefined =>
    known.clients.peek(keyOf(address)) ?? strangers.clients.peek(keyOf(address));
  const lookAgain = (): void => {
    for (const memory of memories) memory.lookAgain();
  };

  return {
    /** Clients that are remembered here. */
    size: (): number => known.clients.size + strangers.clients.size,
    /** Others from now on; the failures that were counted stay so. */
    setClauses(given: readonly Clause[]): void {
      clauses = given;
      lookAgain();
    },
    /** When the next attempt that is under way in that window ends; undefined when none is. */
    settles(address: string, isKnown?: boolean, _window?: Limited['window']): Promise<void> | undefined {
      const { underWay, next } = peek(address) ?? (isKnown ? known : strangers).shared;
      return underWay > 0 ? next.promise : undefined;
    },
    /** Clients that have to wait now, as far as this process knows. */
    limited(): number {
      const now = clock.now();
      const all = memories.flatMap(({ clients }) => [...clients.values()]);
      return all.filter(({ failures }) => fullClause(failures, clauses, now) !== undefined).length;
    },
    /** Whether an attempt would be refused now, as far as this process knows. */
    full: (address: string, _isKnown?: boolean): Limited | undefined =>
      fullClause(peek(address)?.failures ?? [], clauses, clock.now()),
    /** Forgets the failures of that window that are older than so many milliseconds. */
    lift(address: string, age: number, _window?: Limited['window']): void {
      forgetBefore(peek(address), clock.now() - age);
      lookAgain();
    },
    reserve(address: string, isKnown = false, costsHash = false): Reservation {
      if (clauses.length === 0) return NOT_COUNTED;
      const now = clock.now();
      const key = keyOf(address);
      const client = clientAt(key, isKnown, now);
      forgetBefore(client, now - Math.max(...clauses.map(milliseconds)));
      const full = fullClause(client.failures, clauses, now);
      if (full) return full;
      const failure: Failure = { at: now, costsHash };
      const isShared = memories.some(({ shared }) => shared === client);
      if (isShared && !isStaying(failure)) return NOT_COUNTED;
      client.failures.push(failure);
      client.underWay += 1;
      const settle = once(() => {
        client.underWay -= 1;
        client.next.resolve();
        client.next = Promise.withResolvers<void>();
      });
      return {
        kind: 'reserved',
        keep: settle,
        release() {
          settle();
          client.failures = client.failures.filter((other) => other !== failure);
          if (client.failures.length > 0) return;
          for (const { clients } of memories) if (clients.peek(key) === client) clients.delete(key);
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
 * Clients, as many as there is room for: a limited one is never forgotten for a new one (SPEC 4.5). `limitOf`: undefined for a
 * client that may be forgotten.
 */
function createClientMemory(capacity: number, limitOf: (client: Client, now: number) => Limited | undefined) {
  const clients = new LRUCache<string, Client>(upTo(capacity));
  let allLimitedUntil = Number.NEGATIVE_INFINITY;
  return {
    clients,
    /** One bucket for new clients while every remembered one is limited. */
    shared: newClient(),
    /** Limits have ended before their time. */
    lookAgain(): void {
      allLimitedUntil = Number.NEGATIVE_INFINITY;
    },
    /** False: there is no room for one more. */
    makeRoom(now: number): boolean {
      if (clients.size < capacity) return true;
      if (now < allLimitedUntil) return false;
      let soonest = Number.POSITIVE_INFINITY;
      for (let looked = 0; looked < capacity; looked += 1) {
        const [key = ''] = clients.rkeys();
        const full = limitOf(clients.peek(key) ?? newClient(), now);
        if (!full) return clients.delete(key);
        soonest = Math.min(soonest, now + full.retryAfterSeconds * 1000);
        clients.get(key); // marks it as used, so that the next round begins with another client
      }
      allLimitedUntil = soonest;
      return false;
    },
  };
}

interface Client {
  failures: Failure[];
  /** Attempts whose outcome is not known yet, and the end of the next of them. */
  underWay: number;
  next: PromiseWithResolvers<void>;
}

const newClient = (): Client => ({ failures: [], underWay: 0, next: Promise.withResolvers() });

/** A failure, or an attempt that may become one: an object of its own, so that it can be found again. */
interface Failure {
  /** Milliseconds of a monotonic clock. */
  readonly at: number;
  /** It costs a password hash to fail so. */
  readonly costsHash: boolean;
}

/** The full clause that one must wait longest for. A failure leaves the window when it is as old as the window is long. */
function fullClause(failures: readonly Failure[], clauses: readonly Clause[], now: number): Limited | undefined {
  const full = clauses.flatMap((clause): Limited[] => {
    const recent = failures.filter(({ at }) => at > now - milliseconds(clause));
    if (recent.length < clause.count) return [];
    const wait = milliseconds(clause) - (now - (recent[recent.length - clause.count]?.at ?? now));
    return [{ kind: 'limited', retryAfterSeconds: Math.ceil(wait / 1000), clause }];
  });
  return full.sort((a, b) => b.retryAfterSeconds - a.retryAfterSeconds)[0];
}

const milliseconds = ({ windowSeconds }: Clause): number => windowSeconds * 1000;

function forgetBefore(client: Client | undefined, past: number): void {
  if (client) client.failures = client.failures.filter(({ at }) => at > past);
}

/** The limiter of logins, whose clauses are known by their place in the configuration. */
export const countedLimiter = (limiter: LoginLimiter, clauses: readonly Clause[], metrics: Metrics): LoginLimiter => ({
  ...limiter,
  async reserve(address, isKnown, attempt) {
    const place = await limiter.reserve(address, isKnown, attempt);
    if (place.kind === 'limited') {
      // The clauses of a network have the same windows.
      const clause = clauses.findIndex(({ windowSeconds }) => windowSeconds === place.clause.windowSeconds);
      metrics.rateLimitHits.add(1, 'ip', String(clause));
    }
    return place;
  },
});

/** Addresses from which people logged in before: they keep a lane of their own when strangers fill the line (SPEC 4.5). */
export type KnownClients = ReturnType<typeof createKnownClients>;

/** Kept in memory; seeded at a start with the addresses of the sessions that go on. */
export function createKnownClients(addresses: readonly string[] = []) {
  const keys = new LRUCache<string, true>(upTo(REMEMBERED_CLIENTS));
  const note = (address: string): void => void keys.set(clientKey(address), true);
  for (const address of addresses) note(address);
  return { note, has: (address: string): boolean => keys.has(clientKey(address)) };
}
