import { type Upstream, upstreamOrigin } from '../domain/addresses.ts';
import { boundsOf, createShares, type Hold, type Sharer, type Shares } from '../domain/async.ts';
/** How many connections an upstream is given at a time, and how many of them one caller has: requests beyond that wait in turn. */

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

interface Slots {
  readonly taken: Shares;
  readonly places: Shares;
  /** The requests that wait, in the order in which they came. Each begins if there is a slot for it. */
  readonly waiting: Set<() => boolean>;
}

const ALL = '';

export function createUpstreamSlots(rules: SlotRules = UPSTREAM_SLOTS) {
  const { most, mostWaiting, ofCaller, kept, patienceMs } = rules;
  const all = new Map<string, Slots>();
  /** The slots of each `Upstream` object, found without building its origin. */
  const known = new WeakMap<Upstream, Slots>();

  const slotsOf = (upstream: Upstream): Slots => {
    const before = known.get(upstream);
    if (before) return before;
    const origin = upstreamOrigin(upstream);
    const slots = all.get(origin) ?? { taken: createShares(), places: createShares(), waiting: new Set() };
    all.set(origin, slots);
    known.set(upstream, slots);
    return slots;
  };
  const slotFor = ({ taken }: Slots, sharer: Sharer): Hold => {
    const hasFew = sharer.length > 0 && sharer.every(([key]) => taken.taken(key) < FEW);
    return taken.hold([[ALL, hasFew ? most : most - kept], ...boundsOf(sharer, most * ofCaller)]);
  };
  /** The first that may begins: one whose caller has its share is passed over, and keeps its turn. */
  const letOneIn = ({ waiting }: Slots): void => {
    for (const begin of waiting) if (begin()) return;
  };
  const sumOf = (count: (slots: Slots) => number): number =>
    [...all.values()].reduce((sum, slots) => sum + count(slots), 0);

  return {
    /** Slots of all upstreams that are taken, and requests that wait for one. */
    inUse: () => ({ taken: sumOf(({ taken }) => taken.taken(ALL)), waiting: sumOf(({ waiting }) => waiting.size) }),
    /** `begin` is called at once, or when a slot is free; `refuse` when none is in time. Returns what to call at the end, once. */
    take(upstream: Upstream, sharer: Sharer, begin: () => void, refuse: () => void): () => void {
      const slots = slotsOf(upstream);
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
