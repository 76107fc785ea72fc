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
