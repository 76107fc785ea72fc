/** Who would gain or lose what under other rules: users, cameras and operations, by the decision itself (SPEC 15). Pure. */
import type { CameraName } from '../../domain/names.ts';
import type { PolicyRow } from '../../domain/policy/policy.ts';
import type { RecorderLayout } from '../recorder-layout.ts';
import type { RouteTable } from '../route-table.ts';
import { type Reach, type ReviewedOperation, reachUnder } from './reach.ts';
import { isAboutCameras } from './sample-request.ts';
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
  /** What its response shows; absent: no pictures and no sound. */
  readonly views?: PolicyRow['views'];
}

export interface TryDeps {
  readonly layout: RecorderLayout;
  /** Unix seconds. */
  readonly now: number;
}

/** Holders are paired by kind, name and owner; one that is on one side only is left out. */
export function wouldChange(before: RuleSet, after: RuleSet, deps: TryDeps): readonly Change[] {
  const operations = operationsOf(before, after);
  const [reachBefore, reachAfter] = [before, after].map((side) => reachUnder(side.routes, operations, deps));
  if (!reachBefore || !reachAfter) return [];
  const changesOf = (who: Pick<Change, 'kind' | 'name' | 'owner'>, one: readonly Reach[], two: readonly Reach[]) =>
    operations.flatMap(({ name, row }, at) =>
      differences(one[at], two[at], isAboutCameras(row), deps).map((change) => ({
        ...who,
        operation: name,
        ...change,
        ...(row.views && { views: row.views }),
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

/** Each method and path that a row of either side names. */
function operationsOf(...sides: readonly RuleSet[]): readonly ReviewedOperation[] {
  const asked = new Map<string, ReviewedOperation>();
  for (const { rows } of sides)
    for (const row of rows.filter(({ access }) => access !== 'none'))
      for (const method of row.methods) {
        const name = `${method} ${row.path}`;
        // The sample is made from the row that says where the camera stands.
        if (!asked.has(name) || row.cameras) asked.set(name, { name, method: method === 'ANY' ? 'POST' : method, row });
      }
  return [...asked.values()];
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
