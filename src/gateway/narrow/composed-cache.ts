/** Composed lists, kept for a moment: making one asks the NVR up to some hundred questions. */
import { LRUCache } from 'lru-cache';
import type { CameraView } from '../../access/camera-view.ts';
import type { ComposedList } from '../../domain/policy-terms.ts';
import { type Composition, composeList } from '../../nvr/frigate/compose-list.ts';

/** Milliseconds. The pages ask for the newest events again and again; names hardly change. */
const KEPT_FOR: Readonly<Record<ComposedList, number>> = {
  explore: 10_000,
  labels: 60_000,
  sub_labels: 60_000,
  plates: 60_000,
};
/** Characters of all lists together. */
const MOST_KEPT = 8 * 1024 * 1024;

export type ComposeKept = (list: ComposedList, composition: Composition, upstream: string) => Promise<string>;

/** Requests for the same list at the same time share one. A role with other cameras has another list. */
export function createComposedCache(): ComposeKept {
  const kept = new LRUCache<string, string>({ maxSize: MOST_KEPT, sizeCalculation: (json) => json.length + 1, ttl: 1 });
  const underWay = new Map<string, Promise<string>>();
  return (list, asked, upstream) => {
    const composition = { ...asked, view: inSteps(asked.view) };
    const { cameras, since = null } = composition.view;
    const key = JSON.stringify([upstream, list, cameras, since, composition.limit ?? null]);
    const known = kept.get(key);
    if (known !== undefined) return Promise.resolve(known);
    const running = underWay.get(key) ?? composeList(list, composition).finally(() => underWay.delete(key));
    underWay.set(key, running);
    return running.then((json) => {
      kept.set(key, json, { ttl: KEPT_FOR[list] });
      return json;
    });
  };
}

const STEP_SECONDS = 10;

/** A moment that goes on with the clock would make another list each second: it goes on in steps, and never too early. */
const inSteps = ({ since, ...view }: CameraView): CameraView =>
  since === undefined ? view : { ...view, since: Math.ceil(since / STEP_SECONDS) * STEP_SECONDS };
