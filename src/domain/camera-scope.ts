/** The cameras that a caller may see (interface 2.2). */
import { ADMIN, type CameraName, type Role, VIEWER } from './names.ts';
import { err, ok, type Result } from './result.ts';

export type CameraScope =
  | { readonly kind: 'all' }
  | { readonly kind: 'only'; readonly names: ReadonlySet<string>; readonly wildcards: readonly RegExp[] };

/** Custom roles and the camera entries of each; an entry may hold `*` (`patio_*`). */
export type CustomRoles = ReadonlyMap<Role, readonly string[]>;

export const ALL_CAMERAS: CameraScope = { kind: 'all' };
export const NO_CAMERAS: CameraScope = { kind: 'only', names: new Set(), wildcards: [] };

const CAMERA_ENTRY = /^[^\s,/\p{Cc}](?:[^,/\p{Cc}]*[^\s,/\p{Cc}])?$/u;

/** A camera name or a pattern of them, or what is wrong with it. In a query `all` asks for every camera. */
export const parseCameraEntry = (text: string): Result<string, string> =>
  CAMERA_ENTRY.test(text) && text.toLowerCase() !== 'all'
    ? ok(text)
    : err(`${JSON.stringify(text)} is not a camera name: use no comma or slash; "*" stands for any text`);

/** Whether both hold the same cameras, entry by entry. */
export const isSameScope = (one: CameraScope, other: CameraScope): boolean => textOf(one) === textOf(other);

const textOf = (scope: CameraScope): string =>
  scope.kind === 'all' ? '*' : JSON.stringify([[...scope.names].sort(), scope.wildcards.map(String).sort()]);

/** A scope of these cameras alone, whatever stands in their names. */
export const scopeOfNames = (names: readonly string[]): CameraScope => ({
  kind: 'only',
  names: new Set(names),
  wildcards: [],
});

/** A scope of the cameras that an entry names or a wildcard entry matches. */
export function scopeOf(entries: readonly string[]): CameraScope {
  const wildcards = entries.filter((entry) => entry.includes('*')).map(asPattern);
  return { kind: 'only', names: new Set(entries.filter((entry) => !entry.includes('*'))), wildcards };
}

/** The cameras of a role: all for admin and viewer, its own for a custom role, none for an undefined role. */
export function scopeOfRole(role: Role, roles: CustomRoles): CameraScope {
  if (role === ADMIN || role === VIEWER) return ALL_CAMERAS;
  const entries = roles.get(role);
  return entries ? scopeOf(entries) : NO_CAMERAS;
}

/** The cameras that both hold. */
export function bothScopes(one: CameraScope, other: CameraScope): CameraScope {
  if (one.kind === 'all') return other;
  if (other.kind === 'all') return one;
  const names = [...one.names].filter((name) => maySee(other, name));
  const otherNames = [...other.names].filter((name) => maySee(one, name));
  const wildcards = one.wildcards.flatMap((left) =>
    // Both are anchored at either end: the first is looked ahead for, the second read.
    other.wildcards.map((right) => new RegExp(`(?=${left.source})${right.source}`, 'su')),
  );
  return { kind: 'only', names: new Set([...names, ...otherNames]), wildcards };
}

/** The cameras that any of them holds. */
export function unionOfScopes(scopes: readonly CameraScope[]): CameraScope {
  const limited = scopes.filter((scope) => scope.kind === 'only');
  if (limited.length < scopes.length) return ALL_CAMERAS;
  const names = new Set(limited.flatMap((scope) => [...scope.names]));
  return { kind: 'only', names, wildcards: limited.flatMap(({ wildcards }) => wildcards) };
}

export const maySee = (scope: CameraScope, camera: string): boolean =>
  scope.kind === 'all' || scope.names.has(camera) || scope.wildcards.some((wildcard) => wildcard.test(camera));

/** The known cameras that the scope holds, in their given order. */
export const visibleCameras = (scope: CameraScope, known: readonly CameraName[]): CameraName[] =>
  known.filter((camera) => maySee(scope, camera));

const asPattern = (entry: string): RegExp => new RegExp(`^${entry.split('*').map(RegExp.escape).join('.*')}$`, 'su');
