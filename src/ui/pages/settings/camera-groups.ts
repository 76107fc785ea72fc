/** Groups of cameras by the first part of their names: `garden_north` and `garden_gate` are the group `garden`. Pure. */

export interface CameraGroup {
  readonly name: string;
  readonly cameras: readonly string[];
}

const SEPARATOR = /[_\-. ]/;
const FEWEST = 2;

/** The groups in the order of the cameras; without a group of all cameras, which "all" is for. */
export function groupsOf(cameras: readonly string[]): readonly CameraGroup[] {
  const groups = new Map<string, string[]>();
  for (const camera of cameras) {
    const prefix = camera.slice(0, Math.max(0, camera.search(SEPARATOR)));
    if (prefix !== '') groups.set(prefix, [...(groups.get(prefix) ?? []), camera]);
  }
  return [...groups]
    .filter(([, members]) => members.length >= FEWEST && members.length < cameras.length)
    .map(([prefix, members]) => ({ name: prefix, cameras: members }));
}

/** Which cameras an entry of a role means: its own name, or every name that a pattern with `*` fits (SPEC 4.3). */
export const matchesEntry = (entry: string, camera: string): boolean =>
  entry === camera || (entry.includes('*') && asPattern(entry).test(camera));

export const camerasOf = (entries: readonly string[], known: readonly string[]): string[] =>
  known.filter((camera) => entries.some((entry) => matchesEntry(entry, camera)));

const asPattern = (entry: string): RegExp => new RegExp(`^${entry.split('*').map(escaped).join('.*')}$`, 'su');

/** `RegExp.escape` is too new for many a browser. */
const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
