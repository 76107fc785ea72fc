/** Which cameras somebody may see, and the questions asked of that (interface 2.2). */
import { ADMIN, type CameraName, type Role, VIEWER } from './names.ts';

export type CameraScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'only'; readonly names: ReadonlySet<string>; readonly wildcards: readonly RegExp[] };

/** Custom roles and the camera entries of each; an entry may hold `*` (`patio_*`). */
export type CustomRoles = ReadonlyMap<Role, readonly string[]>;

export const ALL_CAMERAS: CameraScope = { kind: 'all' };
export const NO_CAMERAS: CameraScope = { kind: 'only', names: new Set(), wildcards: [] };

/** A scope of the cameras that an entry names or a wildcard entry matches. */
export function scopeOf(entries: readonly string[]): CameraScope {
  const wildcards = entries.filter((entry) => entry.includes('*')).map(asPattern);
  return { kind: 'only', names: new Set(entries.filter((entry) => !entry.includes('*'))), wildcards };
}

/** The cameras of a role: all for admin and viewer, its own for a custom role, none for a role nobody defined. */
export function scopeOfRole(role: Role, roles: CustomRoles): CameraScope {
  if (role === ADMIN || role === VIEWER) return ALL_CAMERAS;
  const entries = roles.get(role);
  return entries ? scopeOf(entries) : NO_CAMERAS;
}

export const maySee = (scope: CameraScope, camera: string): boolean =>
  scope.kind === 'all' || scope.names.has(camera) || scope.wildcards.some((wildcard) => wildcard.test(camera));

/** The known cameras that the scope holds, in their given order. */
export const visibleCameras = (scope: CameraScope, known: readonly CameraName[]): CameraName[] =>
  known.filter((camera) => maySee(scope, camera));

const asPattern = (entry: string): RegExp => new RegExp(`^${entry.split('*').map(RegExp.escape).join('.*')}$`, 'su');
