/** Groups of cameras by the beginning of their names, and the cameras that entries of a role mean. Pure (SPEC 4.3). */
import { maySee, toScope } from '../../../../domain/camera-scope.ts';

export type CameraGroup = { readonly name: string; readonly cameras: readonly string[] };

const SEPARATOR = /[_\-. ]/;
const FEWEST = 2;

/** The groups in the order of the cameras, with the camera that is called like the group; without a group of all cameras, which "all" is for. */
export function groupCameras(cameras: readonly string[]): readonly CameraGroup[] {
  const groups = new Map<string, string[]>();
  for (const camera of cameras) {
    const [prefix] = camera.split(SEPARATOR, 1);
    if (prefix) groups.set(prefix, [...(groups.get(prefix) ?? []), camera]);
  }
  return [...groups]
    .filter(([, members]) => members.length >= FEWEST && members.length < cameras.length)
    .map(([prefix, members]) => ({ name: prefix, cameras: members }));
}

/** Which cameras the entries of a role mean: their own names, or every name that a pattern with `*` fits (SPEC 4.3). */
export const matchCameras = (entries: readonly string[], known: readonly string[]): readonly string[] =>
  known.filter((camera) => maySee(toScope(entries), camera));
