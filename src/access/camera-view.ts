/** What one caller sees of this NVR: the existing cameras that its role lists (interface 2.2). */
import type { Caller, Rights } from '../domain/caller.ts';
import { visibleCameras } from '../domain/camera-scope.ts';
import { ADMIN, type CameraName, type Role } from '../domain/names.ts';
import { sinceOf } from '../domain/rights/rights.ts';
import { layoutOfNames, type RecorderLayout } from './recorder-layout.ts';

/** `restricted`: to listed cameras, whatever the role; `reader`: a viewer, who sees all of them. */
export type Clearance = 'admin' | 'reader' | 'restricted';

/** The view as plain data, which can be sent to a thread. */
export interface PlainView {
  readonly role: Role;
  readonly clearance: Clearance;
  readonly layout: RecorderLayout;
  /** In the order of the NVR. */
  readonly cameras: readonly CameraName[];
  /** Unix seconds: nothing that began before is seen. Absent: all that there is. */
  readonly since?: number;
}

export interface CameraView extends PlainView {
  /** Always true for an admin and a viewer, of cameras that do not exist as well. */
  sees(camera: string): boolean;
  /** Whether it is the name of an existing camera that the caller may not see. */
  isForeign(name: string): boolean;
}

export function clearanceOf({ role, scope }: Pick<Caller, 'role' | 'scope'>): Clearance {
  if (scope.kind === 'only') return 'restricted';
  return role === ADMIN ? 'admin' : 'reader';
}

/** Without a layout of the NVR a restricted caller sees nothing. `now` in Unix seconds. */
export function viewOf(
  caller: Pick<Rights, 'role' | 'scope' | 'history'>,
  now: number,
  layout = layoutOfNames([]),
): CameraView {
  const clearance = clearanceOf(caller);
  const cameras = clearance === 'restricted' ? visibleCameras(caller.scope, layout.cameras) : layout.cameras;
  const since = sinceOf(caller.history, now);
  return withSight({ role: caller.role, clearance, layout, cameras, ...(since !== undefined && { since }) });
}

export function withSight(view: PlainView): CameraView {
  if (view.clearance !== 'restricted') return { ...view, ...SEES_ALL };
  const seen: ReadonlySet<string> = new Set(view.cameras);
  const others: ReadonlySet<string> = new Set(view.layout.cameras.filter((camera) => !seen.has(camera)));
  return { ...view, sees: (camera) => seen.has(camera), isForeign: (name) => others.has(name) };
}

export const plainView = ({ role, clearance, layout, cameras, since }: CameraView): PlainView => ({
  role,
  clearance,
  layout,
  cameras,
  ...(since !== undefined && { since }),
});

const SEES_ALL = { sees: () => true, isForeign: () => false };
