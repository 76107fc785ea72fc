/** How many connections an upstream is given at a time, and how many of them one caller has: requests beyond that wait in turn. */
import { type Upstream, upstreamOrigin } from '../domain/addresses.ts';
import { boundsOf, createShares, type Hold, type Sharer } from '../domain/async.ts';

export type UpstreamSlots = ReturnType<typeof createUpstreamSlots>;

export interface SlotRules {
  /** Requests under way at one upstream. */
  readonly most: number;
  readonly mostWaiting: number;
  /** The part of both that one caller may have. */
  readonly ofCaller: number;
  /** So many slots are left to callers that have less than `FEW`. */
  readonly kept: number;
  readonly patienceMs: number;
}

/** Web servers in front of recorders mostly take 1,024 connections. */
export const UPSTREAM_SLOTS: SlotRules = {
  most: 1024,
  mostWaiting: 1024,
  ofCaller: 1 / 4,
  kept: 64,
  patienceMs: 30_000,
};
const FEW = 8;

/** `waiting`: the requests that wait, in the order in which they came. Each begins if there is a slot for it. */
const newSlots = () => ({ taken: createShares(), places: createShares(), waiting: new Set<() => boolean>() });
type Slots = ReturnType<typeof newSlots>;

const ALL = '';

export function createUpstreamSlots(rules: SlotRules = UPSTREAM_SLOTS) {
  const { most, mostWaiting, ofCaller, kept, patienceMs } = rules;
  const slotsByUpstream = keptByUpstream(newSlots);
  const slotFor = ({ taken }: Slots, sharer: Sharer): Hold => {
    const hasFew = sharer.length > 0 && sharer.every(([key]) => taken.taken(key) < FEW);
    return taken.hold([[ALL, hasFew ? most : most - kept], ...boundsOf(sharer, most * ofCaller)]);
  };
  /** The first that may begins: one whose caller has its share is passed over, and keeps its turn. */
  const letOneIn = ({ waiting }: Slots): void => {
    for (const begin of waiting) if (begin()) return;
  };
  const sumOf = (count: (slots: Slots) => number): number =>
    slotsByUpstream.all().reduce((sum, slots) => sum + count(slots), 0);

  return {
    /** Slots of all upstreams that are taken, and requests that wait for one. */
    inUse: () => ({ taken: sumOf(({ taken }) => taken.taken(ALL)), waiting: sumOf(({ waiting }) => waiting.size) }),
    /** `begin` is called at once, or when a slot is free; `refuse` when none is in time. Returns what to call at the end, once. */
    take(upstream: Upstream, sharer: Sharer, begin: () => void, refuse: () => void): () => void {
      const slots = slotsByUpstream.get(upstream);
      let slot: Hold | undefined;
      let stopWaiting = (): void => {};
      const enter = (): boolean => {
        const free = slotFor(slots, sharer);
        if (!free.take()) return false;
        slot = free;
        stopWaiting();
        begin();
        return true;
      };
      const wait = (): void => {
        const place = slots.places.hold([[ALL, mostWaiting], ...boundsOf(sharer, mostWaiting * ofCaller)]);
        if (!place.take()) {
          refuse();
          return;
        }
        slots.waiting.add(enter);
        const timer = setTimeout(() => {
          stopWaiting();
          refuse();
        }, patienceMs).unref();
        stopWaiting = () => {
          slots.waiting.delete(enter);
          clearTimeout(timer);
          place.release();
        };
      };
      if (!enter()) wait();
      return () => {
        stopWaiting();
        slot?.release();
        if (slot) letOneIn(slots);
        slot = undefined;
      };
    },
  };
}

/** One for each server that is asked, made at the first request; found by the `Upstream` object without building its origin. */
export function keptByUpstream<Kept>(make: (upstream: Upstream) => Kept) {
  const byOrigin = new Map<string, Kept>();
  const known = new WeakMap<Upstream, Kept>();
  return {
    all: (): Kept[] => [...byOrigin.values()],
    get(upstream: Upstream): Kept {
      const before = known.get(upstream);
      if (before) return before;
      const origin = upstreamOrigin(upstream);
      const kept = byOrigin.get(origin) ?? make(upstream);
      byOrigin.set(origin, kept);
      known.set(upstream, kept);
      return kept;
    },
  };
}
