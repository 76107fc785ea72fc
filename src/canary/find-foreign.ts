/**
 * Looks for foreign cameras in an answer, only where a camera's name can stand: a camera may be called `person` or `garage`,
 * and a label or a zone of that name is no leak. Ids of foreign things count wherever they are.
 */

import type { AnswerPlaces } from '../access/canary-seeds.ts';
import { namesIn } from '../access/listed-cameras.ts';
import { recordOf } from '../access/recorder-layout.ts';
import { isNestedTooDeep, isRecord, type JsonRecord } from '../domain/json.ts';
import type { CameraList } from '../domain/policy/table-head.ts';
import type { Answer } from './answer.ts';
import type { Landscape } from './landscape.ts';

/**
 * A foreign camera, and how it was seen: never what the answer held. `sum`: the answer is the one for all cameras, and names
 * none, so that the camera is not known.
 */
export interface ForeignTrace {
  readonly camera: string | undefined;
  readonly by: 'name' | 'key' | 'path' | 'id' | 'label' | 'sum';
}

/** Made once for a round. */
export interface Finder {
  /** `path` is that of the question. */
  find(answer: Answer, path: string): ForeignTrace | undefined;
}

type ForeignThings = Pick<Landscape, 'foreignCameras' | 'foreignStreams' | 'foreignIds'>;

/** Bytes of pictures and films look like short names now and then; an id of ten digits and more does not happen. */
export const BINARY = /^(?:image|video|audio|multipart|font)\/|octet-stream|zip/;

/** What the route table says of names: where the NVR lists its cameras, and members that name one in any answer. */
export interface NamingRules {
  readonly lists?: readonly CameraList[];
  readonly members?: ReadonlySet<string>;
}

export function createFinder(
  foreign: ForeignThings,
  places: AnswerPlaces,
  { lists = [], members = NO_MEMBERS }: NamingRules = {},
): Finder {
  const naming = new Set([...NAMING_KEYS, ...members]);
  const known: Known = { ...foreign, places, maps: new Set([...MAP_KEYS, ...places.maps]), naming };
  const ids = alternation([...known.foreignIds.keys()]);
  const inPath = pathPattern([...known.foreignCameras], places);
  const inText = labelPattern([...known.foreignCameras]);
  const inCut = fieldPattern([...known.foreignCameras]);
  return {
    find({ body, headers, type, isWhole }, path) {
      const text = `${headers}\n${body}`;
      const id = ids?.exec(text)?.[0];
      if (id !== undefined) return { camera: known.foreignIds.get(id) ?? '', by: 'id' };
      if (BINARY.test(type)) return seen('path', inPath.exec(headers));
      const place = inPath.exec(text);
      if (place) return seen('path', place);
      if (!isWhole) return seen('name', inCut.exec(body));
      const json = parsed(body);
      if (json === undefined) return seen('label', inText.exec(body));
      return findInList(json, path, lists, known) ?? findIn(json, path, known);
    },
  };
}

function seen(by: ForeignTrace['by'], found: RegExpExecArray | null): ForeignTrace | undefined {
  const camera = found?.slice(1).find((group) => group !== undefined);
  return camera === undefined ? undefined : { camera, by };
}

function parsed(body: string): unknown {
  if (isNestedTooDeep(body)) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The longest first: `front-door` before `front`. */
const alternatives = (names: readonly string[]): string =>
  [...names]
    .sort((one, other) => other.length - one.length)
    .map(RegExp.escape)
    .join('|') || '(?!)';

const alternation = (names: readonly string[]): RegExp | undefined =>
  names.length === 0 ? undefined : new RegExp(alternatives(names), 'u');

/** A file's name with a camera and a time in it, and folders that the NVR names for cameras. Behind a name stands the end of it. */
function pathPattern(cameras: readonly string[], { beforeTime, folders }: AnswerPlaces): RegExp {
  const any = `(${alternatives(cameras)})`;
  const time = String.raw`-\d{9,}`;
  const end = String.raw`(?=[/"'?\s<]|$)`;
  return new RegExp(`${anyOf(beforeTime)}${any}${time}|${anyOf(folders)}/${any}${end}`, 'u');
}

/** A pattern that nothing fits where there are none. */
const anyOf = (patterns: readonly string[]): string => `(?:${patterns.join('|') || '(?!)'})`;

/** Labels of metrics. */
const labelPattern = (cameras: readonly string[]): RegExp =>
  new RegExp(String.raw`\bcamera(?:_name|_id)?="(${alternatives(cameras)})"`, 'u');

/** JSON that is too long to be read to its end. */
const fieldPattern = (cameras: readonly string[]): RegExp =>
  new RegExp(String.raw`"(?:source_)?camera(?:_name|_id)?"\s*:\s*"(${alternatives(cameras)})"`, 'u');

const NAMING_KEYS: ReadonlySet<string> = new Set([
  'camera',
  'camera_name',
  'camera_id',
  'source_camera',
  'cameras',
  'allowed_cameras',
]);
const MAP_KEYS: readonly string[] = ['cameras', 'camera'];
const NO_MEMBERS: ReadonlySet<string> = new Set();

interface Known extends ForeignThings {
  readonly places: AnswerPlaces;
  /** Fields that hold an object by camera. */
  readonly maps: ReadonlySet<string>;
  /** Fields that hold the name of a camera. */
  readonly naming: ReadonlySet<string>;
}

/** Every name in a list of cameras is one, whatever its row says. */
function findInList(
  json: unknown,
  path: string,
  lists: readonly CameraList[],
  { foreignCameras, foreignStreams }: ForeignThings,
): ForeignTrace | undefined {
  const names = lists
    .filter((list) => list.path.split('?', 1)[0] === path)
    .flatMap((list) => (list.names.in === 'config' ? [] : namesOrNone(json, list.names)));
  const camera = names.find((name) => foreignCameras.has(name) || foreignStreams.has(name));
  return camera === undefined ? undefined : { camera, by: 'key' };
}

/** The same path may answer for one camera in another form. */
function namesOrNone(json: unknown, place: Parameters<typeof namesIn>[1]): readonly string[] {
  try {
    return namesIn(json, place);
  } catch {
    return [];
  }
}

function findIn(json: unknown, path: string, known: Known): ForeignTrace | undefined {
  const isConfig = path === known.places.config;
  const byStream = known.places.streams.filter((place) => place.path === path);
  const walk = (value: unknown, key: string, depth: number): ForeignTrace | undefined => {
    if (typeof value === 'string') return known.naming.has(key) ? named(value, known.foreignCameras) : undefined;
    if (Array.isArray(value)) return firstOf(value, (element) => walk(element, key, depth + 1));
    if (!isRecord(value)) return undefined;
    if (isConfig && depth === 1 && key === 'cameras')
      return findInHollow(value, known) ?? walkMembers(ownOf(value, known), depth);
    const place = byStream.find((one) => (one.key === undefined ? depth === 0 : key === one.key));
    const streams = place && (place.member === undefined ? value : value[place.member]);
    return (
      keyOf(recordOf(streams), known.foreignStreams) ??
      (known.maps.has(key) ? keyOf(value, known.foreignCameras) : undefined) ??
      entryOfFolder(value, known) ??
      walkMembers(value, depth)
    );
  };
  const walkMembers = (value: JsonRecord, depth: number): ForeignTrace | undefined =>
    firstOf(Object.entries(value), ([key, member]) => walk(member, key, depth + 1));
  return walk(json, '', 0);
}

/** A row may be about several cameras, joined by commas. */
function named(value: string, cameras: ReadonlySet<string>): ForeignTrace | undefined {
  const camera = value
    .split(',')
    .map((name) => name.trim())
    .find((name) => cameras.has(name));
  return camera === undefined ? undefined : { camera, by: 'name' };
}

function keyOf(value: JsonRecord, names: ReadonlySet<string>): ForeignTrace | undefined {
  const camera = Object.keys(value).find((key) => names.has(key));
  return camera === undefined ? undefined : { camera, by: 'key' };
}

/** What a web server lists of a folder: `{name, type, mtime}`. */
function entryOfFolder({ name, type, mtime }: JsonRecord, { foreignCameras }: ForeignThings): ForeignTrace | undefined {
  const isEntry = typeof name === 'string' && typeof type === 'string' && mtime !== undefined;
  return isEntry && foreignCameras.has(name) ? { camera: name, by: 'name' } : undefined;
}

const ownOf = (cameras: JsonRecord, { foreignCameras }: ForeignThings): JsonRecord =>
  Object.fromEntries(Object.entries(cameras).filter(([camera]) => !foreignCameras.has(camera)));

/** Looks at the cameras in the NVR's configuration: the names of all stay, with entries that say nothing (docs/canary.md). */
const findInHollow = (cameras: JsonRecord, { foreignCameras }: ForeignThings): ForeignTrace | undefined =>
  firstOf(Object.entries(cameras), ([camera, entry]) =>
    foreignCameras.has(camera) && !isHollow(entry, camera) ? { camera, by: 'key' } : undefined,
  );

function isHollow(value: unknown, camera: string): boolean {
  if (typeof value === 'string') return value === '' || value === camera;
  if (Array.isArray(value)) return value.length === 0;
  return !isRecord(value) || Object.values(value).every((member) => isHollow(member, camera));
}

function firstOf<Element>(
  elements: readonly Element[],
  look: (element: Element) => ForeignTrace | undefined,
): ForeignTrace | undefined {
  for (const element of elements) {
    const found = look(element);
    if (found) return found;
  }
  return undefined;
}
