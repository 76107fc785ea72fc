/** What a person or an API token sees, by their rights (SPEC 15). Pure. */
import type { Rights } from '../../domain/caller.ts';
import { visibleCameras } from '../../domain/camera-scope.ts';
import type { CameraName } from '../../domain/names.ts';
import type { Verb } from '../../domain/policy.ts';

/** An account, or an API token with the account it belongs to. */
export interface Holder {
  readonly kind: 'user' | 'token';
  readonly name: string;
  readonly owner?: string;
  readonly rights: Rights;
  /** Must set up a second factor before anything else. */
  readonly mustEnrol?: true;
}

export interface HolderView {
  readonly kind: Holder['kind'];
  readonly name: string;
  readonly owner?: string;
  readonly role: string;
  readonly mustEnrol?: true;
  /** `all` also holds for cameras that are not there yet. */
  readonly cameras: 'all' | readonly CameraName[];
  readonly denied: readonly Verb[];
  /** Why nothing is seen now; undefined: it is. */
  readonly closed: string | undefined;
}

export function sightOf({ rights, ...holder }: Holder, cameras: readonly CameraName[]): HolderView {
  const { role, scope, denied = [], closed } = rights;
  return {
    ...holder,
    role,
    cameras: scope.kind === 'all' ? 'all' : visibleCameras(scope, cameras),
    denied,
    closed: closed?.reason,
  };
}
