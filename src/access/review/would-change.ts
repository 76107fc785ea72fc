/** Who would gain or lose what under other rules: users, cameras and operations, by the decision itself (SPEC 15). Pure. */
import type { Rights } from '../../domain/caller.ts';
import { maySee } from '../../domain/camera-scope.ts';
import type { CameraName, UserName } from '../../domain/names.ts';
import type { PolicyRow } from '../../domain/policy.ts';
import type { RequestTarget } from '../../domain/request.ts';
import { authorize } from '../authorize.ts';
import type { RecorderLayout } from '../recorder-layout.ts';
import type { RouteMatch, RouteTable } from '../route-table.ts';
import { isAboutCameras, sampleOf } from './sample-request.ts';
import type { Holder } from './who-sees.ts';

export interface RuleSet {
  /** Compiled of `rows`. */
  readonly routes: RouteTable;
  readonly rows: readonly PolicyRow[];
  /** The same accounts and tokens as on the other side, with the rights that they have here. */
  readonly holders: readonly Holder[];
}

export interface Change {
  /** `unknown`: a caller who is not logged in. */
  readonly kind: Holder['kind'] | 'unknown';
  readonly name: string;
  readonly owner?: string;
  readonly operation: string;
  readonly becomes: 'allowed' | 'refused';
  /** `all`: the operation is about no camera. */
  readonly cameras: 'all' | readonly CameraName[];
}

export interface TryDeps {
  readonly layout: RecorderLayout;
  /** Unix seconds. */
  readonly now: number;
}

/** Holders are paired by kind, name and owner; one that is on one side only is left out. */
export function wouldChange(before: RuleSet, after: RuleSet, deps: TryDeps): readonly Change[] {
  const operations = operationsOf(before, after);
  const [reachBefore, reachAfter] = [before, after].map((side) => reachUnder(side, operations, deps));
  if (!reachBefore || !reachAfter) return [];
  const changesOf = (who: Pick<Change, 'kind' | 'name' | 'owner'>, one: readonly Reach[], two: readonly Reach[]) =>
    operations.flatMap(({ name, row }, at) =>
      differences(one[at], two[at], isAboutCameras(row), deps).map((change) => ({
        ...who,
        operation: name,
        ...change,
      })),
    );
  const others = new Map(after.holders.map((holder) => [keyOf(holder), holder]));
  return [
    ...changesOf({ kind: 'unknown', name: 'without a login' }, reachBefore(undefined), reachAfter(undefined)),
    ...before.holders.flatMap((holder) => {
      const other = others.get(keyOf(holder));
      const { rights, ...who } = holder;
      return other ? changesOf(who, reachBefore(rights), reachAfter(other.rights)) : [];
    }),
  ];
}

const keyOf = ({ kind, name, owner }: Holder): string => JSON.stringify([kind, name, owner]);

interface Asked {
  readonly name: string;
  readonly method: string;
  readonly row: PolicyRow;
}

/** Each method and path that a row of either side names. */
function operationsOf(...sides: readonly RuleSet[]): readonly Asked[] {
  const asked = new Map<string, Asked>();
  for (const { rows } of sides)
    for (const row of rows.filter(({ access }) => access !== 'none'))
      for (const method of row.methods) {
        const name = `${method} ${row.path}`;
        // The sample is made from the row that says where the camera stands.
        if (!asked.has(name) || row.cameras) asked.set(name, { name, method: method === 'ANY' ? 'POST' : method, row });
      }
  return [...asked.values()];
}

/** No rule depends on a name. */
const REVIEWED = 'reviewed' as UserName;

/** Of one operation, for each camera of the layout in its order; one that is about no camera has a single answer. */
type Reach = readonly boolean[];

/** A request of an operation, and the row that it falls under. */
interface Sample {
  /** Undefined: the operation is about no camera. */
  readonly camera: CameraName | undefined;
  readonly target: RequestTarget;
  readonly match: RouteMatch;
}

/** What rights of one kind reach is found once, however many have them. Undefined: a caller who is not logged in. */
function reachUnder({ routes }: RuleSet, operations: readonly Asked[], deps: TryDeps) {
  const samples = operations.map(({ method, row }) =>
    (isAboutCameras(row) ? deps.layout.cameras : [undefined]).map((camera): Sample => {
      const target = sampleOf(row, camera ?? 'some-camera');
      return { camera, target, match: routes.match(method, target.segments) };
    }),
  );
  const known = new Map<string, readonly Reach[]>();
  return (rights: Rights | undefined): readonly Reach[] => {
    const key = rights ? textOf(rights) : '';
    const reach = known.get(key) ?? samples.map((those) => those.map((sample) => isReached(sample, rights, deps)));
    known.set(key, reach);
    return reach;
  };
}

const textOf = ({ role, scope, denied = [], history = {}, closed }: Rights): string =>
  JSON.stringify([
    role,
    scope.kind === 'all' ? null : [[...scope.names].sort(), scope.wildcards.map(String).sort()],
    [...denied].sort(),
    history,
    closed?.reason,
  ]);

function isReached({ camera, target, match }: Sample, rights: Rights | undefined, { layout, now }: TryDeps): boolean {
  // A role outside of its hours has its rights when they begin: what is compared is what it may at all.
  if (rights?.closed && rights.closed.reason !== 'outside-hours') return false;
  if (camera !== undefined && rights && !maySee(rights.scope, camera)) return false;
  const caller = rights && { name: REVIEWED, credential: { kind: 'internal-listener' } as const, ...rights };
  return authorize(caller, match, target, { layout, now }).kind === 'allowed';
}

function differences(
  before: Reach = [],
  after: Reach = [],
  isAboutCameras: boolean,
  { layout }: TryDeps,
): readonly Pick<Change, 'becomes' | 'cameras'>[] {
  const moved = (to: boolean): readonly number[] =>
    [...after.keys()].filter((at) => after[at] === to && before[at] !== to);
  return ([true, false] as const).flatMap((to) => {
    const places = moved(to);
    if (places.length === 0) return [];
    const cameras = isAboutCameras ? layout.cameras.filter((_, at) => places.includes(at)) : 'all';
    return [{ becomes: to ? ('allowed' as const) : ('refused' as const), cameras }];
  });
}
