/** Viewings for the ledger: who sees what by an admitted request, from its first byte to its last (SPEC 14). */
import type { RecorderLayout } from '../../access/recorder-layout.ts';
import type { Listed } from '../../access/route-table.ts';
import { type MaybePromise, mapMaybe } from '../../domain/async/maybe-promise.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Clock } from '../../domain/clock.ts';
import type { PolicyRow } from '../../domain/policy/policy.ts';
import type { RequestTarget } from '../../domain/request.ts';
import type { Client } from '../../gateway/decision/client.ts';
import type { OwnerCameras } from '../../gateway/decision/owner-lookup.ts';
import type { AskedPictures, ViewingWatch } from '../../gateway/entry/viewing-watch.ts';
import type { OpenSighting, Sightings, Subject, WatchedTime } from '../../ledger/sightings.ts';
import { type SeenOf, subjectOf, watchedTime } from '../../ledger/viewing.ts';
import { createViewedCameras, type ViewedCameras } from './viewed-cameras.ts';

export interface ViewingDeps {
  readonly sightings: Sightings;
  readonly layout: () => RecorderLayout | undefined;
  readonly camerasOf: OwnerCameras;
  readonly clock: Clock;
}

export function createViewings({ sightings, layout, camerasOf, clock }: ViewingDeps): ViewingWatch {
  const now = (): number => clock.now() / 1000;
  const camerasOfRequest = createViewedCameras(layout, camerasOf);
  const planOf = (asked: AskedPictures, seen?: SeenOf): Plan => {
    const { route, caller, client } = asked.admission;
    if (route.kind !== 'listed' || !route.row.views) return NOTHING_SHOWN;
    const { views } = route.row;
    const subjects = (cameras: ViewedCameras): readonly Subject[] =>
      cameras.map((camera) => subjectOf({ caller, address: client.address }, views, camera, seen));
    const cameras = camerasOfRequest(asked);
    return {
      watched: watchedTime(route.parameters, route.row.cameras),
      subjects: cameras instanceof Promise ? cameras.catch(() => [null]).then(subjects) : subjects(cameras),
    };
  };
  const plannedFor = rememberPlans(planOf);
  const endAll = (streams: readonly OpenSighting[], at: number): void => {
    for (const stream of streams) sightings.end(stream, at);
  };
  const endOf = (streams: readonly OpenSighting[]) => () => endAll(streams, now());
  const endLater = (streams: Promise<readonly OpenSighting[]>) => () => {
    const at = now();
    void streams.then((known) => endAll(known, at));
  };
  return {
    // Most requests come through here: each function that is made for one costs as much as the rest.
    begin(asked, isWhole) {
      const { watched, subjects } = plannedFor(asked, layout());
      const at = now();
      const requests = isWhole ? 1 : 0;
      const beginAll = (known: readonly Subject[]): readonly OpenSighting[] =>
        known.map((subject) => sightings.begin(subject, at, watched, requests));
      return subjects instanceof Promise ? endLater(subjects.then(beginAll)) : endOf(beginAll(subjects));
    },
    asked(asked) {
      const at = now();
      const { watched, subjects } = planOf(asked, 'question');
      void mapMaybe(subjects, (known) => known.forEach((subject) => void sightings.see(subject, at, watched)));
    },
  };
}

/** What a request is a viewing of. */
interface Plan {
  readonly watched: WatchedTime | undefined;
  readonly subjects: MaybePromise<readonly Subject[]>;
}

const NOTHING_SHOWN: Plan = { watched: undefined, subjects: [] };

/** The most plans of one caller; a player asks for new segments all the time. */
const MOST_PLANS = 100;

/** Remembers plans by path: the same picture is polled again and again, often with a new number in its query. */
function rememberPlans(planOf: (asked: AskedPictures) => Plan) {
  let plans = new WeakMap<Caller, Map<string, Plan & PlannedFor>>();
  let madeFor: RecorderLayout | undefined;
  return (asked: AskedPictures, layout: RecorderLayout | undefined): Plan => {
    const { caller, client, target, route } = asked.admission;
    if (layout !== madeFor) plans = new WeakMap();
    madeFor = layout;
    if (!caller || route.kind !== 'listed' || asked.body) return planOf(asked);
    const own = plans.get(caller) ?? new Map<string, Plan & PlannedFor>();
    const known = own.get(target.path);
    if (known && isFor(known, route, client, target)) return known;
    const made = planOf(asked);
    if (made.subjects instanceof Promise) return made;
    if (own.size >= MOST_PLANS) own.clear();
    const query = isNamedByPath(route) ? undefined : target.query;
    plans.set(caller, own.set(target.path, { ...made, row: route.row, address: client.address, query }));
    return made;
  };
}

/** The inputs of a plan, beside caller and path. */
interface PlannedFor {
  readonly row: PolicyRow;
  readonly address: string;
  /** Undefined: any. */
  readonly query: string | undefined;
}

const isFor = (plan: PlannedFor, { row }: Listed, { address }: Client, { query }: RequestTarget): boolean =>
  plan.row === row && plan.address === address && (plan.query === undefined || plan.query === query);

const isNamedByPath = ({ row, parameters }: Listed): boolean =>
  parameters['camera'] !== undefined && (row.cameras ?? []).every(({ source }) => source === 'path');
