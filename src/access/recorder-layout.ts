/** The NVR's cameras, the cameras of each zone and stream, and where its answers name cameras (SPEC 1, `nvr.cameras`; 20; interface 2.2). */

import { isRecord, type JsonRecord } from '../domain/json.ts';
import type { CameraName } from '../domain/names.ts';
import type { NamesPlace } from '../domain/policy.ts';

/** Cameras by the name of what they share: a zone, or a stream. */
export type Owners = ReadonlyMap<string, readonly CameraName[]>;

export interface RecorderLayout {
  readonly cameras: readonly CameraName[];
  /** Cameras by the name of a zone. */
  readonly zones: Owners;
  /** Cameras by the name of a stream, which is its own name or that of a live stream: who sees one of them may see the stream. */
  readonly streams: Owners;
  /** What people call a camera, where the NVR has such a name; absent where it has none. */
  readonly friendly?: ReadonlyMap<CameraName, string>;
}

/** Words that mean all cameras in a query, or none: no camera has such a name. */
const NO_NAMES: readonly string[] = ['all', ''];

/** What the NVR says of one camera, as far as it can be read. */
export interface CameraEntry {
  readonly zones: readonly string[];
  readonly streams: readonly unknown[];
  readonly friendly: unknown;
}

const NO_ENTRY: CameraEntry = { zones: [], streams: [], friendly: undefined };

/** A layout with camera names only. `reserved`: further words that are no camera's name. */
export const layoutOfNames = (names: readonly CameraName[], reserved: readonly string[] = []): RecorderLayout =>
  layoutOfEntries(names, reserved, () => NO_ENTRY);

/** The layout of an NVR that was not read yet. */
export const NO_LAYOUT = layoutOfNames([]);

export function layoutOfEntries(
  names: readonly CameraName[],
  reserved: readonly string[],
  entryOf: (camera: CameraName) => CameraEntry,
): RecorderLayout {
  const cameras = names.filter((name) => !NO_NAMES.includes(name) && !reserved.includes(name));
  const zones = new Map<string, CameraName[]>();
  const streams = new Map<string, CameraName[]>();
  const friendly = new Map<CameraName, string>();
  for (const camera of cameras) {
    const entry = entryOf(camera);
    for (const zone of entry.zones) addOwner(zones, zone, camera);
    addOwner(streams, camera, camera);
    if (typeof entry.friendly === 'string' && entry.friendly !== '') friendly.set(camera, entry.friendly);
    for (const stream of entry.streams) {
      if (typeof stream === 'string' && stream !== camera) addOwner(streams, stream, camera);
    }
  }
  return { cameras, zones, streams, ...(friendly.size > 0 && { friendly }) };
}

const addOwner = (owners: Map<string, CameraName[]>, name: string, camera: CameraName): void =>
  void owners.set(name, [...(owners.get(name) ?? []), camera]);

/** A member of a JSON object; undefined for any other value. */
export const readMember = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;

export const asRecord = (value: unknown): JsonRecord => (isRecord(value) ? value : {});

/** Throws with what is missing: an answer of another form must not look like an NVR without cameras. */
export function namesIn(answer: unknown, place: Exclude<NamesPlace, { in: 'config' }>): readonly string[] {
  const found = below(answer, place.path);
  const at = place.path.length > 0 ? JSON.stringify(place.path.join('.')) : 'the answer';
  if (place.in === 'keys') {
    if (!isRecord(found) || Array.isArray(found)) throw new Error(`${at} is no object of cameras`);
    return Object.keys(found);
  }
  if (!Array.isArray(found)) throw new Error(`${at} is no list of cameras`);
  return found.map((element: unknown) => {
    const name = below(element, place.field);
    if (typeof name !== 'string') throw new Error(`an element of ${at} has no name`);
    return name;
  });
}

const below = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((found, field) => readMember(found, field), value);
