/** Composed lists, kept for a moment: making one asks the NVR up to some hundred questions. */
import { LRUCache } from 'lru-cache';
import type { PlainView } from '../../access/camera-view.ts';
import type { ComposedList } from '../../domain/policy.ts';

/** Characters of all lists together. */
const MOST_KEPT = 8 * 1024 * 1024;

export interface KeptList {
  readonly name: ComposedList;
  /** Tells one NVR from another. */
  readonly upstream: string;
  readonly limit: number | undefined;
  /** Milliseconds. */
  readonly keptFor: number;
}

/** The list as JSON. */
export type ComposeKept = (
  list: KeptList,
  view: PlainView,
  compose: (view: PlainView) => Promise<unknown>,
) => Promise<string>;

/** Requests for the same list at the same time share one. A role with other cameras has another list. */
export function createComposedCache(): ComposeKept {
  const kept = new LRUCache<string, string>({ maxSize: MOST_KEPT, sizeCalculation: (json) => json.length + 1, ttl: 1 });
  const underWay = new Map<string, Promise<string>>();
  return ({ name, upstream, limit, keptFor }, asked, compose) => {
    const view = inSteps(asked);
    const { cameras, since = null } = view;
    const key = JSON.stringify([upstream, name, cameras, since, limit ?? null]);
    const known = kept.get(key);
    if (known !== undefined) return Promise.resolve(known);
    const running =
      underWay.get(key) ??
      compose(view)
        .then(String)
        .finally(() => underWay.delete(key));
    underWay.set(key, running);
    return running.then((json) => {
      kept.set(key, json, { ttl: keptFor });
      return json;
    });
  };
}

const STEP_SECONDS = 10;

/** A moment that goes on with the clock would make another list each second: it goes on in steps, and never too early. */
const inSteps = ({ since, ...view }: PlainView): PlainView =>
  since === undefined ? view : { ...view, since: Math.ceil(since / STEP_SECONDS) * STEP_SECONDS };
