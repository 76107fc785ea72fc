/** How many connections an upstream is given at a time: requests beyond that wait for one in the order in which they came. */
import { originOf, type Upstream } from '../../domain/addresses/socket-address.ts';

export interface UpstreamPlaces {
  /** `begin` is called at once, or when a place is free; `refuse` when none is in time. Returns what to call at the end, once. */
  take(upstream: Upstream, begin: () => void, refuse: () => void): () => void;
}

export interface PlaceRules {
  /** Requests under way at one upstream. */
  readonly most: number;
  readonly mostWaiting: number;
  readonly patienceMs: number;
}

/** Web servers in front of recorders mostly take 1,024 connections. */
export const PLACES: PlaceRules = { most: 1024, mostWaiting: 1024, patienceMs: 30_000 };

interface WaitingRequest {
  begin(): void;
  readonly timer: NodeJS.Timeout;
}

interface Places {
  taken: number;
  /** The waiting requests, in the order in which they came. */
  readonly waiting: Set<WaitingRequest>;
}

export function createUpstreamPlaces({ most, mostWaiting, patienceMs }: PlaceRules = PLACES): UpstreamPlaces {
  const all = new Map<string, Places>();
  /** The places of each `Upstream` object, found without building its origin. */
  const known = new WeakMap<Upstream, Places>();

  const placesOf = (upstream: Upstream): Places => {
    const before = known.get(upstream);
    if (before) return before;
    const origin = originOf(upstream);
    const places = all.get(origin) ?? { taken: 0, waiting: new Set() };
    all.set(origin, places);
    known.set(upstream, places);
    return places;
  };

  const wait = (places: Places, begin: () => void, refuse: () => void): WaitingRequest => {
    const waiting: WaitingRequest = {
      begin,
      timer: setTimeout(() => {
        if (places.waiting.delete(waiting)) refuse();
      }, patienceMs).unref(),
    };
    places.waiting.add(waiting);
    return waiting;
  };

  return {
    take(upstream, begin, refuse) {
      const places = placesOf(upstream);
      let [hasPlace, waiting]: [boolean, WaitingRequest | undefined] = [false, undefined];
      const enter = (): void => {
        places.taken += 1;
        hasPlace = true;
        begin();
      };
      if (places.taken < most) enter();
      else if (places.waiting.size >= mostWaiting) refuse();
      else waiting = wait(places, enter, refuse);
      return () => {
        if (waiting) clearTimeout(waiting.timer);
        if (waiting && places.waiting.delete(waiting)) return;
        if (!hasPlace) return;
        hasPlace = false;
        places.taken -= 1;
        letIn(places);
      };
    },
  };
}

function letIn(places: Places): void {
  const [next] = places.waiting;
  if (!next) return;
  places.waiting.delete(next);
  clearTimeout(next.timer);
  next.begin();
}
