/** The cameras of a viewing: named by the request, found by the route table, or the owners of an id (SPEC 14). */

import { locate } from '../../access/camera-locators.ts';
import { camerasInBody } from '../../access/judge-body.ts';
import { layoutOfNames, type RecorderLayout } from '../../access/recorder-layout.ts';
import type { MaybePromise } from '../../domain/async/maybe-promise.ts';
import { createTaskQueue } from '../../domain/async/task-queue.ts';
import type { OwnerKind } from '../../domain/policy/policy-terms.ts';
import type { Admitted } from '../../gateway/decision/admit.ts';
import type { OwnerCameras } from '../../gateway/decision/owner-lookup.ts';
import type { AskedPictures } from '../../gateway/entry/viewing-watch.ts';

/** The most cameras of one request: others may be about hundreds of ids. */
const MOST_CAMERAS = 64;
const MOST_ITEMS = 500;
/** Questions to the NVR for the ledger alone: what comes beyond is recorded without its camera. */
const MOST_QUESTIONS = 200;
const AT_ONCE = 4;
const REMEMBERED = 5000;

/** Null: not known. Never empty; a camera stands there as often as it was exported. */
export type ViewedCameras = readonly (string | null)[];

export function createViewedCameras(
  layout: () => RecorderLayout | undefined,
  camerasOf: OwnerCameras,
): (asked: AskedPictures) => MaybePromise<ViewedCameras> {
  const owned = createOwned(camerasOf);
  return ({ admission, method, body }) => {
    const { named, asked } = namedIn(admission, layout() ?? NO_LAYOUT, body);
    if (asked.length === 0) return named.length > 0 ? named : [null];
    const found = asked.map(({ of, id }) => owned(of, id, admission, method));
    return Promise.all(found).then((owners) => unique([...named, ...owners.flat()]));
  };
}

const NO_LAYOUT = layoutOfNames([]);

const unique = (cameras: ViewedCameras): ViewedCameras => {
  const all = [...new Set(cameras)];
  return all.length > 0 ? all.slice(0, MOST_CAMERAS) : [null];
};

/** Cameras that the request names; a stream without a camera, such as the NVR's own of all cameras, by its own name. */
function namedIn(
  { route, target }: Admitted,
  layout: RecorderLayout,
  body: Buffer | undefined,
): {
  readonly named: readonly string[];
  readonly asked: readonly { readonly of: OwnerKind; readonly id: string }[];
} {
  if (route.kind !== 'listed') return { named: [], asked: [] };
  const located = locate(route, target, layout);
  if (located.kind === 'repeated') return { named: [], asked: [] };
  const { camera, stream } = route.parameters;
  // A body with locators was judged, and written anew as JSON; it may be empty. Offers of live pictures are no JSON.
  const isNaming = body !== undefined && body.length > 0 && located.inBody.length > 0;
  const inBody = isNaming ? camerasInBody(JSON.parse(body.toString()), located.inBody) : [];
  const named = [...new Set([...located.named.flat(), ...inBody])];
  const own = camera ?? stream ?? new URLSearchParams(target.query).get('src');
  const asked = located.owners.flatMap(({ of, ids }) => ids.map((id) => ({ of, id })));
  const isNamed = named.length > 0 || asked.length > 0 || own === null;
  const cameras = [...named.slice(0, MOST_CAMERAS), ...again(inBody)];
  return { named: isNamed ? cameras : [own], asked: asked.slice(0, MOST_CAMERAS) };
}

/** A batch is as many exports as it has items, also of one camera. */
function again(cameras: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return cameras.filter((camera) => seen.size === seen.add(camera).size).slice(0, MOST_ITEMS);
}

/** The cameras of ids, remembered; a few questions at a time, so that a page of pictures does not load the NVR twice. */
function createOwned(camerasOf: OwnerCameras) {
  const known = new Map<string, ViewedCameras>();
  const { enter, waiting } = createTaskQueue(AT_ONCE);
  return async (kind: OwnerKind, id: string, { target }: Admitted, method: string): Promise<ViewedCameras> => {
    const key = `${kind} ${id}`;
    const remembered = known.get(key);
    if (remembered) return remembered;
    if (waiting() >= MOST_QUESTIONS) return [null];
    const leave = await enter();
    try {
      const cameras = await camerasOf(kind, id, { method, target });
      if (!cameras || cameras.length === 0) return [null];
      if (known.size >= REMEMBERED) known.clear();
      known.set(key, cameras);
      return cameras;
    } finally {
      leave();
    }
  };
}
