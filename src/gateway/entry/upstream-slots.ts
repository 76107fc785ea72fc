/** How many connections an upstream is given at a time: requests beyond that wait for one in the order in which they came. */
import { originOf, type Upstream } from '../../domain/addresses/socket-address.ts';

export interface UpstreamSlots {
  /** `begin` is called at once, or when a slot is free; `refuse` when none is in time. Returns what to call at the end, once. */
  take(upstream: Upstream, begin: () => void, refuse: () => void): () => void;
  /** Slots of all upstreams that are taken, and requests that wait for one. */
  inUse(): { readonly taken: number; readonly waiting: number };
}

export interface SlotRules {
  /** Requests under way at one upstream. */
  readonly most: number;
  readonly mostWaiting: number;
  readonly patienceMs: number;
}

/** Web servers in front of recorders mostly take 1,024 connections. */
export const UPSTREAM_SLOTS: SlotRules = { most: 1024, mostWaiting: 1024, patienceMs: 30_000 };

interface WaitingRequest {
  begin(): void;
  readonly timer: NodeJS.Timeout;
}

interface Slots {
  taken: number;
  /** The waiting requests, in the order in which they came. */
  readonly waiting: Set<WaitingRequest>;
}

export function createUpstreamSlots({ most, mostWaiting, patienceMs }: SlotRules = UPSTREAM_SLOTS): UpstreamSlots {
  const all = new Map<string, Slots>();
  /** The slots of each `Upstream` object, found without building its origin. */
  const known = new WeakMap<Upstream, Slots>();

  const slotsOf = (upstream: Upstream): Slots => {
    const before = known.get(upstream);
    if (before) return before;
    const origin = originOf(upstream);
    const slots = all.get(origin) ?? { taken: 0, waiting: new Set() };
    all.set(origin, slots);
    known.set(upstream, slots);
    return slots;
  };

  const wait = (slots: Slots, begin: () => void, refuse: () => void): WaitingRequest => {
    const waiting: WaitingRequest = {
      begin,
      timer: setTimeout(() => {
        if (slots.waiting.delete(waiting)) refuse();
      }, patienceMs).unref(),
    };
    slots.waiting.add(waiting);
    return waiting;
  };

  const sumOf = (count: (slots: Slots) => number): number =>
    [...all.values()].reduce((sum, slots) => sum + count(slots), 0);

  return {
    inUse: () => ({ taken: sumOf(({ taken }) => taken), waiting: sumOf(({ waiting }) => waiting.size) }),
    take(upstream, begin, refuse) {
      const slots = slotsOf(upstream);
      let [hasPlace, waiting]: [boolean, WaitingRequest | undefined] = [false, undefined];
      const enter = (): void => {
        slots.taken += 1;
        hasPlace = true;
        begin();
      };
      if (slots.taken < most) enter();
      else if (slots.waiting.size >= mostWaiting) refuse();
      else waiting = wait(slots, enter, refuse);
      return () => {
        if (waiting) clearTimeout(waiting.timer);
        if (waiting && slots.waiting.delete(waiting)) return;
        if (!hasPlace) return;
        hasPlace = false;
        slots.taken -= 1;
        letIn(slots);
      };
    },
  };
}

function letIn(slots: Slots): void {
  const [next] = slots.waiting;
  if (!next) return;
  slots.waiting.delete(next);
  clearTimeout(next.timer);
  next.begin();
}
