/** The cameras that a caller may see (interface 2.2). */
import { decidedByObject } from './bounded.ts';
import { ADMIN, type CameraName, type Role, VIEWER } from './names.ts';
import { err, ok, type Result } from './result.ts';

export type CameraScope = { readonly kind: 'all' } | LimitedScope;

export interface LimitedScope {
  readonly kind: 'only';
  readonly names: ReadonlySet<string>;
  readonly wildcards: readonly Wildcards[];
}

/** Entries with `*`; with `within` they count only for the cameras that it holds as well, with `except` only for cameras that it does not hold. */
export interface Wildcards {
  readonly entries: readonly Wildcard[];
  readonly within?: LimitedScope;
  readonly except?: LimitedScope;
}

/** `front_*_1` as the texts between its stars: `front_`, `_1`. */
type Wildcard = readonly string[];

/** Custom roles and the camera entries of each; an entry may hold `*` (`patio_*`). */
export type CustomRoles = ReadonlyMap<Role, readonly string[]>;

export const ALL_CAMERAS: CameraScope = { kind: 'all' };
export const NO_CAMERAS: CameraScope = { kind: 'only', names: new Set(), wildcards: [] };

const CAMERA_ENTRY = /^[^\s,/\p{Cc}](?:[^,\p{Cc}]*[^\s,/\p{Cc}])?$/u;
/** Segments that a server leaves out of a path: names with them would be others there. */
const LOST_SEGMENT = /(?:^|\/)\.{0,2}(?:\/|$)/;

/** Some NVRs name cameras by paths: `garden/pond`. No segment is empty, `.` or `..`. */
export const isCameraEntry = (text: string): boolean => CAMERA_ENTRY.test(text) && !LOST_SEGMENT.test(text);

/** Letters of a camera's name in a request: no scope holds a longer one. */
export const LONGEST_CAMERA_NAME = 128;
/** Letters of an entry of a list of cameras. */
const LONGEST_ENTRY = 96;
const MOST_STARS = 4;
/** Entries with `*` of one role or token. */
const MOST_WILDCARDS = 64;

/** A camera name or a pattern of them, or what is wrong with it. In a query `all` asks for every camera. */
export function parseCameraEntry(text: string): Result<string, string> {
  if (text.length > LONGEST_ENTRY)
    return err(
      `${JSON.stringify(`${text.slice(0, 20)}…`)} is longer than ${LONGEST_ENTRY} letters: shorten it with "*"`,
    );
  const isEntry = isCameraEntry(text) && text.isWellFormed() && !/^all$/i.test(text);
  if (!isEntry)
    return err(
      `${JSON.stringify(text)} is not a camera name: use no comma, and slashes between other letters only; "*" stands for any text`,
    );
  return text.split('*').length > MOST_STARS + 1 ? err(`"${text}" has more than ${MOST_STARS} "*"`) : ok(text);
}

/** What is wrong with entries together; undefined for nothing. */
export const wildcardsFault = (entries: readonly string[]): string | undefined =>
  entries.filter((entry) => entry.includes('*')).length > MOST_WILDCARDS
    ? `has more than ${MOST_WILDCARDS} entries with "*": name cameras, or use fewer patterns`
    : undefined;

/** Whether both hold the same cameras, entry by entry. */
export const isSameScope = (one: CameraScope, other: CameraScope): boolean =>
  one === other || scopeText(one) === scopeText(other);

/** The same text for the same entries, in whatever order. */
export const scopeText = (scope: CameraScope): string =>
  scope.kind === 'all' ? '*' : JSON.stringify([[...scope.names].sort(), scope.wildcards.map(wildcardsAsText).sort()]);

const wildcardsAsText = ({ entries, within, except }: Wildcards): string =>
  JSON.stringify([
    entries.map((parts) => parts.join('*')).sort(),
    within && scopeText(within),
    except && scopeText(except),
  ]);

/** A scope of these cameras alone, whatever stands in their names. */
export const scopeOfNames = (names: readonly string[]): CameraScope => ({
  kind: 'only',
  names: new Set(names),
  wildcards: [],
});

/**
 * A scope of the cameras that an entry names or a wildcard entry matches. The list must not be changed afterwards: a role's and a
 * token's list is one array until the role or the token changes.
 */
export const toScope = decidedByObject((list: readonly string[]): LimitedScope => {
  const entries = list.filter((entry) => entry.includes('*')).map((entry) => entry.split('*'));
  const names = new Set(list.filter((entry) => !entry.includes('*')));
  return { kind: 'only', names, wildcards: entries.length > 0 ? [{ entries }] : [] };
});

/** The cameras of a role: all for admin and viewer, its own for a custom role, none for an undefined role. */
export function scopeOfRole(role: Role, roles: CustomRoles): CameraScope {
  if (role === ADMIN || role === VIEWER) return ALL_CAMERAS;
  const entries = roles.get(role);
  return entries ? toScope(entries) : NO_CAMERAS;
}

/** The cameras that both hold. Of two scopes it is made once. */
export function bothScopes(one: CameraScope, other: CameraScope): CameraScope {
  if (one.kind === 'all') return other;
  return other.kind === 'all' ? one : limitedBoth(one)(other);
}

const limitedBoth = decidedByObject((one: LimitedScope) =>
  decidedByObject((other: LimitedScope): LimitedScope => {
    const names = [...one.names].filter((name) => maySee(other, name));
    const otherNames = [...other.names].filter((name) => maySee(one, name));
    return {
      kind: 'only',
      names: new Set([...names, ...otherNames]),
      wildcards: (other.wildcards.length > 0 ? one.wildcards : []).map((group) => ({
        ...group,
        within: group.within ? limitedBoth(group.within)(other) : other,
      })),
    };
  }),
);

const EVERY_NAME: Wildcards = { entries: [['', '']] };

/** The cameras of a scope that the other does not hold. Of two scopes it is made once. */
export const scopeWithout = (scope: CameraScope, taken: LimitedScope): LimitedScope => leftOf(scope)(taken);

const leftOf = decidedByObject((scope: CameraScope) =>
  decidedByObject((taken: LimitedScope): LimitedScope => {
    const { names, wildcards } = scope.kind === 'all' ? { names: [], wildcards: [EVERY_NAME] } : scope;
    return {
      kind: 'only',
      names: new Set([...names].filter((name) => !maySee(taken, name))),
      wildcards: wildcards.map((group) => ({
        ...group,
        except: group.except ? unionOfLimited([group.except, taken]) : taken,
      })),
    };
  }),
);

/** The cameras that any of them holds. */
export function unionOfScopes(scopes: readonly CameraScope[]): CameraScope {
  const limited = scopes.filter((scope) => scope.kind === 'only');
  return limited.length < scopes.length ? ALL_CAMERAS : unionOfLimited(limited);
}

export const unionOfLimited = (scopes: readonly LimitedScope[]): LimitedScope => ({
  kind: 'only',
  names: new Set(scopes.flatMap((scope) => [...scope.names])),
  wildcards: scopes.flatMap(({ wildcards }) => wildcards),
});

export function maySee(scope: CameraScope, camera: string): boolean {
  if (scope.kind === 'all' || scope.names.has(camera)) return true;
  if (camera.length > LONGEST_CAMERA_NAME) return false;
  return scope.wildcards.some(
    ({ entries, within, except }) =>
      entries.some((parts) => isMatch(camera, parts)) &&
      (!within || maySee(within, camera)) &&
      !(except && maySee(except, camera)),
  );
}

/** The known cameras that the scope holds, in their given order. */
export const visibleCameras = (scope: CameraScope, known: readonly CameraName[]): CameraName[] =>
  known.filter((camera) => maySee(scope, camera));

/** The first text begins the name, the last ends it, and the others stand between them in order: each is searched for once. */
function isMatch(name: string, parts: Wildcard): boolean {
  const [first = '', ...others] = parts;
  const last = others.pop() ?? '';
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  const end = name.length - last.length;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= end;
}
