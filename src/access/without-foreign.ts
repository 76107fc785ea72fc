/** Removes what is about foreign cameras from any JSON, by the same rules at every depth (SPEC 5). */
import { isRecord, type JsonRecord, mapJson } from '../domain/json.ts';
import type { CameraView } from './camera-view.ts';
import { CAMERA_FIELDS, isSince, withoutOlder } from './time-locators.ts';

/** Fields that hold names of cameras: `camera_id`, `cameras`, `allowed_cameras`; one name, a list of them, or an object by name. */
const NAMING_FIELD = /[cC]ameras?(?:_?(?:[nN]ame|[iI]d)s?)?$/;

/** Removes objects that name a foreign camera, from lists and from objects, and its name from fields that hold names. */
export const withoutForeignObjects = (json: unknown, view: CameraView): unknown =>
  without(json, '', { view, holdsNames: isNaming });

/** Also removes members whose key is a foreign camera's name, and its name from lists of any names. */
export const withoutForeignNames = (json: unknown, view: CameraView): unknown =>
  without(json, '', { view, holdsNames: () => true });

/** A row may be about several cameras, joined by commas: then all of them must be visible. */
export const seesNamed = (named: unknown, view: CameraView): boolean =>
  typeof named === 'string' && named !== '' && named.split(',').every((camera) => view.sees(camera.trim()));

/** Most fields are none, which the search for a part of the word tells soonest. */
const isNaming = (field: string): boolean => field.includes('amera') && NAMING_FIELD.test(field);

const hasForeign = (names: string, view: CameraView): boolean =>
  names.split(',').some((name) => view.isForeign(name.trim()));

const namesForeign = (value: JsonRecord, view: CameraView): boolean =>
  CAMERA_FIELDS.some((field) => typeof value[field] === 'string' && !seesNamed(value[field], view)) ||
  Object.entries(value).some(([field, name]) => typeof name === 'string' && isNaming(field) && hasForeign(name, view));

interface Removal {
  readonly view: CameraView;
  /** Whether texts in a list of this field, and keys of its object, are looked at. */
  readonly holdsNames: (field: string) => boolean;
}

/** `field`: the name of the member that holds `json`. */
function without(json: unknown, field: string, removal: Removal): unknown {
  const { view, holdsNames } = removal;
  const isOfNames = holdsNames(field);
  return mapJson(json, (value, key) => {
    if (isRecord(value) && namesForeign(value, view)) return undefined;
    if (key !== undefined && isOfNames && view.isForeign(key)) return undefined;
    const holdsName = key === undefined ? isOfNames : isNaming(key);
    if (holdsName && typeof value === 'string' && hasForeign(value, view)) return undefined;
    return typeof value === 'object' ? without(value, key ?? field, removal) : value;
  });
}

/**
 * Leaves, in lists and objects at any depth, only objects that name a camera of the reader. What names none is removed, for it
 * may be about any camera: texts, numbers, members by the name of a foreign camera. Numbers of the outermost object stay while
 * nothing was removed: they are sums of what is left.
 */
export function onlySeenObjects(json: unknown, view: CameraView): unknown {
  const left = seenIn(json, view);
  if (!isRecord(json)) return left.json;
  const sums = left.isCut ? [] : Object.entries(json).filter(([, value]) => isSum(value));
  return { ...Object.fromEntries(sums), ...Object(left.json) };
}

const isSum = (value: unknown): boolean => typeof value === 'number' || value === null;

interface NarrowedJson {
  readonly json: unknown;
  readonly isCut: boolean;
}

const NOTHING: NarrowedJson = { json: undefined, isCut: true };

function seenIn(json: unknown, view: CameraView, depth = 0): NarrowedJson {
  if (Array.isArray(json)) {
    const seen = json.map((value) => seenIn(value, view, depth + 1));
    return {
      json: seen.map((one) => one.json).filter((one) => one !== undefined),
      isCut: seen.some(({ isCut }) => isCut),
    };
  }
  if (!isRecord(json)) return NOTHING;
  if (namesForeign(json, view)) return NOTHING;
  if (CAMERA_FIELDS.some((field) => typeof json[field] === 'string')) return seenObject(json, view);
  const members = Object.entries(json).filter(([, value]) => depth > 0 || !isSum(value));
  const seen = members.map(([key, value]): [string, NarrowedJson] => [
    key,
    view.isForeign(key) ? NOTHING : seenIn(value, view, depth + 1),
  ]);
  return {
    json: Object.fromEntries(seen.flatMap(([key, one]) => (one.json === undefined ? [] : [[key, one.json]]))),
    isCut: seen.some(([, { isCut }]) => isCut),
  };
}

function seenObject(json: JsonRecord, view: CameraView): NarrowedJson {
  const { since } = view;
  if (since === undefined) return { json: withoutForeignObjects(json, view), isCut: false };
  return isSince(json, since)
    ? { json: withoutOlder(withoutForeignObjects(json, view), since), isCut: false }
    : NOTHING;
}
