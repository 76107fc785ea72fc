/** The cameras that a response may hold: the role's, the known and the requested ones (interface 2.2, 7). */
import { type CameraScope, maySee, visibleCameras } from '../domain/camera-scope.ts';
import type { CameraName } from '../domain/names.ts';

export type SeenCameras =
  /** Null: all there are. */
  | { readonly kind: 'cameras'; readonly cameras: readonly string[] | null }
  /** A camera outside the role was named: interface 7 wants a 403, and no silent narrowing. */
  | { readonly kind: 'foreign' };

export interface CameraCircumstances {
  readonly scope: CameraScope;
  /** Null when no list is known. */
  readonly known: readonly CameraName[] | null;
  /** Whether admins and viewers see the events of cameras that are not among the known ones. */
  readonly showsUnlisted: boolean;
  /** The cameras that have events. */
  readonly stored: () => Promise<readonly string[]>;
}

export async function seenCameras(
  asked: readonly string[] | null,
  named: readonly string[],
  circumstances: CameraCircumstances,
): Promise<SeenCameras> {
  const { scope } = circumstances;
  if (named.some((camera) => !maySee(scope, camera))) return { kind: 'foreign' };
  const visible = await visibleTo(circumstances);
  if (asked === null || visible === null) return { kind: 'cameras', cameras: asked ?? visible };
  return { kind: 'cameras', cameras: asked.filter((camera) => visible.includes(camera)) };
}

/** Null: all that is stored. */
export async function visibleTo({
  scope,
  known,
  showsUnlisted,
  stored,
}: CameraCircumstances): Promise<readonly string[] | null> {
  if (scope.kind === 'all' && (known === null || showsUnlisted)) return null;
  return visibleCameras(scope, known ?? ((await stored()) as readonly CameraName[]));
}

/**
 * Every camera that the query names, in whichever of its repetitions: of two `camera=` the last one counts, but the
 * first may be the one that another server reads.
 */
export function namedCameras(query: URLSearchParams, parameters: readonly string[]): string[] {
  const members = parameters.flatMap((name) => query.getAll(name)).flatMap((text) => text.split(','));
  return members.map((member) => member.trim()).filter((member) => member !== '' && member !== 'all');
}
