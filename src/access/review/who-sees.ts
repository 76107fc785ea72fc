/** What a person or an API token sees, by their rights (SPEC 15). Pure. */
import type { Rights } from '../../domain/caller.ts';
import { visibleCameras } from '../../domain/camera-scope.ts';
import type { CameraName } from '../../domain/names.ts';

/** An account, or an API token with the account it belongs to. */
export interface Holder {
  readonly kind: 'user' | 'token';
  readonly name: string;
  readonly owner?: string;
  readonly rights: Rights;
  /** Must set up a second factor before anything else. */
  readonly mustEnrol?: true;
}

export type HolderView = ReturnType<typeof sightOf>;

export function sightOf({ rights, ...holder }: Holder, cameras: readonly CameraName[]) {
  const { role, scope, denied = [], closed } = rights;
  return {
    ...holder,
    role,
    /** `all` also holds for cameras that are not there yet. */
    cameras: scope.kind === 'all' ? ('all' as const) : visibleCameras(scope, cameras),
    denied,
    /** Why nothing is seen now; undefined: it is. */
    closed: closed?.reason,
  };
}
