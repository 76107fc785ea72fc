/** The NVR's cameras, and the cameras of each zone and stream (SPEC 1, `nvr.cameras`; interface 2.2). */

import { isRecord, type JsonRecord } from '../domain/json.ts';
import type { CameraName } from '../domain/names.ts';

type Owners = ReadonlyMap<string, readonly CameraName[]>;

export interface RecorderLayout {
  readonly cameras: readonly CameraName[];
  /** Cameras by the name of a zone. */
  readonly zones: Owners;
  /** Cameras by the name of a stream: its own name, and its live streams. */
  readonly streams: Owners;
  /** What people call a camera, where the NVR has such a name; absent where it has none. */
  readonly friendly?: ReadonlyMap<CameraName, string>;
}

/** Words of the NVR that mean several cameras: a camera of that name would open the others. */
const NOT_CAMERAS: ReadonlySet<string> = new Set(['all', 'birdseye', '']);

/** A layout with camera names only. */
export const layoutOfNames = (names: readonly CameraName[]): RecorderLayout => layoutOfEntries(names, () => undefined);

/**
 * The layout in an NVR's `GET /api/config`; with `names`, of these cameras only. Throws with what is missing there.
 */
export function layoutOfConfig(config: unknown, names?: readonly CameraName[]): RecorderLayout {
  const cameras = memberOf(config, 'cameras');
  if (!isRecord(cameras) || Array.isArray(cameras)) throw new Error('the configuration of the NVR has no "cameras"');
  return layoutOfEntries(names ?? (Object.keys(cameras) as CameraName[]), (camera) =>
    Object.hasOwn(cameras, camera) ? cameras[camera] : undefined,
  );
}

/** The cameras of a stream: a caller who sees one of them may see the stream. */
export const ownersOfStream = (layout: RecorderLayout, stream: string): readonly CameraName[] =>
  layout.streams.get(stream) ?? [];

function layoutOfEntries(names: readonly CameraName[], entryOf: (camera: CameraName) => unknown): RecorderLayout {
  const cameras = names.filter((name) => !NOT_CAMERAS.has(name));
  const zones = new Map<string, CameraName[]>();
  const streams = new Map<string, CameraName[]>();
  const friendly = new Map<CameraName, string>();
  for (const camera of cameras) {
    const entry = entryOf(camera);
    for (const zone of Object.keys(recordOf(memberOf(entry, 'zones')))) addOwner(zones, zone, camera);
    addOwner(streams, camera, camera);
    const name = memberOf(entry, 'friendly_name');
    if (typeof name === 'string' && name !== '') friendly.set(camera, name);
    for (const stream of Object.values(recordOf(memberOf(memberOf(entry, 'live'), 'streams')))) {
      if (typeof stream === 'string' && stream !== camera) addOwner(streams, stream, camera);
    }
  }
  return { cameras, zones, streams, ...(friendly.size > 0 && { friendly }) };
}

const addOwner = (owners: Map<string, CameraName[]>, name: string, camera: CameraName): void =>
  void owners.set(name, [...(owners.get(name) ?? []), camera]);

/** A member of a JSON object; undefined for any other value. */
export const memberOf = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;

export const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {});
