/** What rights reach: each operation, for each camera, by the decision itself. Asked once for all rights that can only be told apart by their cameras (SPEC 15). Pure. */
import type { Caller, Rights } from '../../domain/caller.ts';
import { maySee, scopeOfNames, scopeText } from '../../domain/camera-scope.ts';
import { ADMIN, type CameraName, goesOn, type UserName, VIEWER } from '../../domain/names.ts';
import type { PolicyRow } from '../../domain/policy/policy.ts';
import type { RequestTarget } from '../../domain/request.ts';
import type { Surroundings } from '../access-verdict.ts';
import { authorize } from '../authorize.ts';
import { locate } from '../camera-locators.ts';
import type { RecorderLayout } from '../recorder-layout.ts';
import type { RouteMatch, RouteTable } from '../route-table.ts';
import { isAboutCameras, sampleOf } from './sample-request.ts';

export interface ReviewedOperation {
  readonly name: string;
  readonly method: string;
  readonly row: PolicyRow;
}

/** The answer for one operation: one for each camera of the layout, in its order; a single one where it is about no camera. */
export type Reach = readonly boolean[];

/** A request of an operation, and the row that it falls under. */
interface Sample {
  /** Undefined: the operation is about no camera. */
  readonly camera: CameraName | undefined;
  readonly target: RequestTarget;
  readonly match: RouteMatch;
  /** Whether the verdict is the same for all who see its camera, whatever other cameras they see. */
  readonly isShared: boolean;
}

export interface ReachDeps extends Surroundings {
  readonly layout: RecorderLayout;
}

/** What rights of one kind reach is found once, however many have them. Undefined: a caller who is not logged in. */
export function reachUnder(
  routes: RouteTable,
  operations: readonly ReviewedOperation[],
  deps: ReachDeps,
): (rights: Rights | undefined) => readonly Reach[] {
  const { layout } = deps;
  const known: ReadonlySet<string> = new Set(layout.cameras);
  const samples = operations.map(({ method, row }) =>
    (isAboutCameras(row) ? layout.cameras : [undefined]).map((camera): Sample => {
      const target = sampleOf(row, camera ?? 'some-camera', routes);
      const match = routes.match(method, target.segments);
      return { camera, target, match, isShared: isShared(match, target, camera, { layout, known }) };
    }),
  );
  /** The verdicts of shared samples, for each class of rights; found when first wanted. */
  const verdicts = new Map<string, Map<Sample, boolean>>();
  const isAllowed = (sample: Sample, caller: Caller | undefined): boolean =>
    authorize(caller, sample.match, sample.target, deps).kind === 'allowed';

  return remembered((rights) => {
    // A role outside of its hours has its rights when they begin: what is compared is what it may at all.
    if (rights?.closed && rights.closed.reason !== 'outside-hours')
      return samples.map((those) => those.map(() => false));
    const caller = rights && callerWith(rights);
    const anyCaller = rights && callerWith(withAllCameras(rights, layout));
    const key = classOf(rights);
    const shared = verdicts.get(key) ?? new Map<Sample, boolean>();
    verdicts.set(key, shared);
    const seen = rights && new Set(layout.cameras.filter((camera) => maySee(rights.scope, camera)));
    return samples.map((those) =>
      those.map((sample) => {
        if (sample.camera !== undefined && seen?.has(sample.camera) === false) return false;
        if (!sample.isShared) return isAllowed(sample, caller);
        const verdict = shared.get(sample) ?? isAllowed(sample, anyCaller);
        shared.set(sample, verdict);
        return verdict;
      }),
    );
  });
}

function remembered(find: (rights: Rights | undefined) => readonly Reach[]) {
  const known = new Map<string, readonly Reach[]>();
  return (rights: Rights | undefined): readonly Reach[] => {
    const key = rights ? textOf(rights) : '';
    const reach = known.get(key) ?? find(rights);
    known.set(key, reach);
    return reach;
  };
}

/** No rule depends on a name. */
const REVIEWED = 'reviewed' as UserName;

const callerWith = (rights: Rights): Caller => ({
  name: REVIEWED,
  credential: { kind: 'internal-listener' },
  ...rights,
});

const withAllCameras = (rights: Rights, { cameras }: RecorderLayout): Rights =>
  rights.scope.kind === 'all' ? rights : { ...rights, scope: scopeOfNames(cameras) };

/**
 * Each of the cameras that the request names is its own camera, or none that exists. A file may be of a camera with a longer
 * name, frames are of all cameras whose names begin alike, and some pictures are found by the beginning of the name: then
 * the other cameras of the caller count.
 */
function isShared(
  match: RouteMatch,
  target: RequestTarget,
  camera: CameraName | undefined,
  { layout, known }: { readonly layout: RecorderLayout; readonly known: ReadonlySet<string> },
): boolean {
  if (match.kind === 'unlisted') return true;
  if (camera === undefined) return !isAboutCameras(match.row);
  if (match.row.by_prefix && layout.cameras.some((other) => goesOn(camera, other))) return false;
  const located = locate(match, target, layout);
  return (
    located.kind === 'repeated' ||
    located.named.every((cameras) => cameras.includes(camera) || !cameras.some((name) => known.has(name)))
  );
}

/** Everything about rights but their cameras. */
const classOf = (rights: Rights | undefined): string =>
  rights
    ? JSON.stringify([
        rights.role === ADMIN || rights.role === VIEWER ? rights.role : null,
        rights.scope.kind,
        [...(rights.denied ?? [])].sort(),
        rights.history ?? {},
      ])
    : '';

const textOf = (rights: Rights): string =>
  JSON.stringify([classOf(rights), rights.role, scopeText(rights.scope), rights.closed?.reason]);
