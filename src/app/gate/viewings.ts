/** Viewings for the ledger: the cameras of an admitted request, found by the route table or by the owner of an id (SPEC 14). */
import type { OwnerKind } from '../../access/access-verdict.ts';
import { locate } from '../../access/camera-locators.ts';
import { camerasInBody } from '../../access/judge-body.ts';
import { layoutOfNames, type RecorderLayout } from '../../access/recorder-layout.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import type { MaybePromise } from '../../domain/maybe-promise.ts';
import type { Admitted } from '../../gateway/decision/admit.ts';
import type { OwnerCameras } from '../../gateway/decision/owner-lookup.ts';
import type { Shown, ViewingWatch } from '../../gateway/entry/viewing-watch.ts';
import type { Sightings, Subject, WatchedTime } from '../../ledger/sightings.ts';
import { type SeenOf, subjectOf, watchedTime } from '../../ledger/viewing.ts';

export interface ViewingDeps {
  readonly sightings: Sightings;
  readonly layout: () => RecorderLayout | undefined;
  readonly camerasOf: OwnerCameras;
  readonly clock: Clock;
}

/** Of one request: others may be about hundreds of ids. */
const MOST_CAMERAS = 64;
const MOST_ITEMS = 500;
/** Questions to the NVR for the ledger alone: what comes beyond is recorded without its camera. */
const MOST_QUESTIONS = 200;
const AT_ONCE = 4;
const REMEMBERED = 5000;

type Cameras = readonly (string | null)[];

export function createViewings({ sightings, layout, camerasOf, clock }: ViewingDeps): ViewingWatch {
  const now = (): number => clock.now() / 1000;
  const owned = createOwned(camerasOf);
  const camerasFor = (admission: Admitted, method: string, body: Buffer | undefined): Cameras | Promise<Cameras> => {
    const { named, asked } = namedIn(admission, layout() ?? NO_LAYOUT, body);
    if (asked.length === 0) return named.length > 0 ? named : [null];
    const found = asked.map(({ of, id }) => owned(of, id, admission, method));
    return Promise.all(found).then((owners) => unique([...named, ...owners.flat()]));
  };
  const plans = createPlans();
  const planOf = (
    admission: Admitted,
    { method, body }: Omit<Shown, 'isWhole'>,
    seen?: SeenOf,
  ): MaybePromise<readonly Subject[]> => {
    const { route, caller, client } = admission;
    if (route.kind !== 'listed' || !route.row.views) return [];
    const { views } = route.row;
    const subjects = (cameras: Cameras): readonly Subject[] =>
      cameras.map((camera) => subjectOf({ caller, address: client.address }, views, camera, seen));
    const cameras = camerasFor(admission, method, body);
    return cameras instanceof Promise ? cameras.catch(() => [null]).then(subjects) : subjects(cameras);
  };
  const each = (subjects: MaybePromise<readonly Subject[]>, act: (subject: Subject) => void): void => {
    if (subjects instanceof Promise) void subjects.then((known) => known.forEach(act));
    else subjects.forEach(act);
  };
  return {
    begin(admission, { isWhole, ...asked }) {
      const began = now();
      const make = (): Plan => ({ watched: watchedIn(admission), subjects: planOf(admission, asked) });
      const { watched, subjects } = asked.body ? make() : plans.of(admission, layout(), make);
      const ends: ((at: number) => void)[] = [];
      let endedAt: number | undefined;
      each(subjects, (subject) => {
        const end = sightings.begin(subject, began, watched, isWhole ? 1 : 0);
        if (endedAt === undefined) ends.push(end);
        else end(endedAt);
      });
      return () => {
        endedAt = now();
        for (const end of ends) end(endedAt);
      };
    },
    asked(admission, method) {
      const at = now();
      each(planOf(admission, { method }, 'question'), (subject) => sightings.see(subject, at, watchedIn(admission)));
    },
  };
}

interface Plan {
  readonly watched: WatchedTime | undefined;
  readonly subjects: MaybePromise<readonly Subject[]>;
}

/** Of one caller; a player asks for new segments all the time. */
const MOST_PLANS = 100;

/** What a request is a viewing of, remembered: the same picture is polled again and again. */
function createPlans() {
  let plans = new WeakMap<Caller, Map<string, Plan>>();
  let madeFor: RecorderLayout | undefined;
  return {
    of({ caller, client, target, route }: Admitted, layout: RecorderLayout | undefined, make: () => Plan): Plan {
      if (layout !== madeFor) plans = new WeakMap();
      madeFor = layout;
      if (!caller || route.kind !== 'listed') return make();
      const own = plans.get(caller) ?? new Map<string, Plan>();
      const key = `${route.row.line} ${client.address} ${target.path}?${target.query}`;
      const known = own.get(key);
      if (known) return known;
      const made = make();
      if (made.subjects instanceof Promise) return made;
      if (own.size >= MOST_PLANS) own.clear();
      plans.set(caller, own.set(key, made));
      return made;
    },
  };
}

const NO_LAYOUT = layoutOfNames([]);

const watchedIn = ({ route }: Admitted) => (route.kind === 'listed' ? watchedTime(route.parameters) : undefined);

const unique = (cameras: Cameras): Cameras => {
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
  const known = new Map<string, Cameras>();
  const waiting: (() => void)[] = [];
  let running = 0;
  const next = (): void => {
    running -= 1;
    waiting.shift()?.();
  };
  return async (kind: OwnerKind, id: string, { target }: Admitted, method: string): Promise<Cameras> => {
    const key = `${kind} ${id}`;
    const remembered = known.get(key);
    if (remembered) return remembered;
    if (waiting.length >= MOST_QUESTIONS) return [null];
    if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
    running += 1;
    try {
      const cameras = await camerasOf(kind, id, { method, target });
      if (!cameras || cameras.length === 0) return [null];
      if (known.size >= REMEMBERED) known.clear();
      known.set(key, cameras);
      return cameras;
    } finally {
      next();
    }
  };
}
