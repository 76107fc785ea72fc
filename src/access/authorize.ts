/** Step 4. May they, and see what? From the route table's row and the caller's cameras (interface 2.2, 5.6, 7). */
import type { Caller } from '../domain/caller.ts';
import { type CameraScope, maySee, visibleCameras } from '../domain/camera-scope.ts';
import { ADMIN, type CameraName, VIEWER } from '../domain/names.ts';
import type { Access } from '../domain/policy.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import type { PlainTarget } from '../domain/request.ts';
import { unreachable } from '../domain/result.ts';
import type { AccessVerdict } from '../domain/verdict.ts';
import { type NamedCameras, namedCameras } from './named-cameras.ts';
import { narrowQuery } from './narrow-query.ts';
import type { RouteMatch } from './route-table.ts';

/** The cameras that exist, or undefined until they were first read. */
export type KnownCameras = readonly CameraName[] | undefined;

const refused = (reason: RefusalReason): AccessVerdict => ({ kind: 'refused', reason });

/** `caller` is undefined when nobody is known, which only public routes let pass. */
export function authorize(
  caller: Caller | undefined,
  match: RouteMatch,
  target: PlainTarget,
  known: KnownCameras,
): AccessVerdict {
  if (match.kind === 'listed' && match.row.access === 'none') return refused('path-not-found');
  if (match.kind === 'listed' && match.row.access === 'public') return { kind: 'allowed', target };
  if (!caller) return refused('no-credentials');
  if (caller.role === ADMIN && caller.scope.kind === 'all') return { kind: 'allowed', target };
  if (match.kind === 'unlisted') return refused(caller.role === ADMIN ? 'not-narrowable' : 'route-unlisted');
  if (!satisfies(caller, match.row.access)) return refused('role-too-low');
  return withinScope(caller.scope, match, target, known);
}

function satisfies(caller: Caller, access: Access): boolean {
  switch (access) {
    case 'public':
    case 'any':
    case 'camera':
      return true;
    case 'unrestricted':
      return caller.scope.kind === 'all' && (caller.role === ADMIN || caller.role === VIEWER);
    case 'admin':
      return caller.role === ADMIN && caller.scope.kind === 'all';
    case 'none':
      return false;
    default:
      return unreachable(access);
  }
}

function withinScope(
  scope: CameraScope,
  match: RouteMatch & { kind: 'listed' },
  target: PlainTarget,
  known: KnownCameras,
): AccessVerdict {
  const named = namedCameras(match, target);
  if (match.row.dynamic && !known) return refused('cameras-unknown');
  // Below a dynamic segment a name that is no camera may be a route that the table does not know.
  if (match.row.dynamic && !everyNamed(named, (camera) => known?.includes(camera as CameraName) ?? false)) {
    return refused('route-unlisted');
  }
  if (scope.kind === 'all') return { kind: 'allowed', target };
  if (named.kind === 'repeated') return refused('parameter-repeated');
  if (named.kind === 'elsewhere') return refused('not-narrowable');
  if (!everyNamed(named, (camera) => maySee(scope, camera))) return refused('camera-not-in-role');
  if (match.row.access !== 'any' || !match.row.narrow) return { kind: 'allowed', target };
  if (!known) return refused('cameras-unknown');
  return narrowQuery(match.row.narrow, target, visibleCameras(scope, known));
}

const everyNamed = (named: NamedCameras, holds: (camera: string) => boolean): boolean =>
  named.kind === 'named' && named.cameras.every(holds);
