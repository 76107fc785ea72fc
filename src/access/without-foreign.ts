/** Removes what is about foreign cameras from any JSON, by the same rules at every depth (SPEC 5). */
import type { CameraView } from './camera-view.ts';
import { isRecord, type JsonRecord } from './recorder-layout.ts';

/** Fields by which the NVR's objects name their camera. */
const CAMERA_FIELDS: readonly string[] = ['camera', 'source_camera', 'camera_name'];

/** Removes objects that name a foreign camera, from lists and from objects. */
export const withoutForeignObjects = (json: unknown, view: CameraView): unknown =>
  without(
    json,
    (value) => isRecord(value) && namesForeign(value, view),
    () => false,
  );

/** Also removes members whose key is a foreign camera's name, and its name from lists of names. */
export const withoutForeignNames = (json: unknown, view: CameraView): unknown =>
  without(
    json,
    (value) => (isRecord(value) ? namesForeign(value, view) : typeof value === 'string' && view.isForeign(value)),
    (key) => view.isForeign(key),
  );

/** A row may be about several cameras, joined by commas: then all of them must be visible. */
export const seesNamed = (named: unknown, view: CameraView): boolean =>
  typeof named === 'string' && named !== '' && named.split(',').every((camera) => view.sees(camera.trim()));

const namesForeign = (value: JsonRecord, view: CameraView): boolean =>
  CAMERA_FIELDS.some((field) => typeof value[field] === 'string' && !seesNamed(value[field], view));

function without(
  json: unknown,
  isForeign: (value: unknown) => boolean,
  isForeignKey: (key: string) => boolean,
): unknown {
  if (Array.isArray(json)) {
    return json.filter((value) => !isForeign(value)).map((value) => without(value, isForeign, isForeignKey));
  }
  if (!isRecord(json)) return json;
  const kept = Object.entries(json).filter(
    ([key, value]) => !isForeignKey(key) && !(isRecord(value) && isForeign(value)),
  );
  return Object.fromEntries(kept.map(([key, value]) => [key, without(value, isForeign, isForeignKey)]));
}
