/** Frigate's cameras with their zones, streams and names for people, as its `GET /api/config` lists them (SPEC 1, `nvr.cameras`). */
import { layoutOfEntries, memberOf, type RecorderLayout, recordOf } from '../../access/recorder-layout.ts';
import { isRecord } from '../../domain/json.ts';
import type { CameraName } from '../../domain/names.ts';

/** Words that mean several cameras: `birdseye` is the picture of all of them. */
export const RESERVED: readonly string[] = ['birdseye'];

/** Reads the cameras; with `names`, these alone. Throws with what is missing there. */
export function layoutOfConfig(config: unknown, names?: readonly CameraName[]): RecorderLayout {
  const cameras = memberOf(config, 'cameras');
  if (!isRecord(cameras) || Array.isArray(cameras)) throw new Error('the configuration of the NVR has no "cameras"');
  const known = names ?? (Object.keys(cameras) as CameraName[]);
  return layoutOfEntries(known, RESERVED, (camera) => {
    const entry = memberOf(cameras, camera);
    return {
      zones: Object.keys(recordOf(memberOf(entry, 'zones'))),
      streams: Object.values(recordOf(memberOf(memberOf(entry, 'live'), 'streams'))),
      friendly: memberOf(entry, 'friendly_name'),
    };
  });
}
