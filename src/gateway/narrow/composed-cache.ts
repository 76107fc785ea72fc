/** Composed lists, kept for a moment: making one asks the NVR up to some hundred questions. */
import { LRUCache } from 'lru-cache';
import type { CameraView } from '../../access/camera-view.ts';
import type { Composition, ListRule } from '../../access/nvr-adapter.ts';
import type { ComposedList } from '../../domain/policy/policy-terms.ts';

/** Characters of all lists together. */
const MOST_KEPT = 8 * 1024 * 1024;

export interface KeptList {
  readonly name: ComposedList;
  readonly rule: ListRule;
  /** Tells one NVR from another. */
  readonly upstream: string;
}

/** The list as JSON. */
export type ComposeKept = (list: KeptList, composition: Composition) => Promise<string>;

/** Requests for the same list at the same time share one. A role with other cameras has another list. */
export function createComposedCache(): ComposeKept {
  const kept = new LRUCache<string, string>({ maxSize: MOST_KEPT, sizeCalculation: (json) => json.length + 1, ttl: 1 });
  const underWay = new Map<string, Promise<string>>();
  return ({ name, rule, upstream }, asked) => {
    const composition = { ...asked, view: inSteps(asked.view) };
    const { cameras, since = null } = composition.view;
    const key = JSON.stringify([upstream, name, cameras, since, composition.limit ?? null]);
    const known = kept.get(key);
    if (known !== undefined) return Promise.resolve(known);
    const running = underWay.get(key) ?? composed(rule, composition).finally(() => underWay.delete(key));
    underWay.set(key, running);
    return running.then((json) => {
      kept.set(key, json, { ttl: rule.keptFor });
      return json;
    });
  };
}

const composed = async ({ compose }: ListRule, composition: Composition): Promise<string> =>
  JSON.stringify(await compose(composition));

const STEP_SECONDS = 10;

/** A moment that goes on with the clock would make another list each second: it goes on in steps, and never too early. */
const inSteps = ({ since, ...view }: CameraView): CameraView =>
  since === undefined ? view : { ...view, since: Math.ceil(since / STEP_SECONDS) * STEP_SECONDS };
