/** Frigate's configuration for one reader: Postern's accounts, no secrets, foreign cameras emptied (SPEC 4.3). */
import type { CameraView } from '../../access/camera-view.ts';
import type { OwnConfig } from '../../access/nvr-adapter.ts';
import { asRecord } from '../../access/recorder-layout.ts';
import { withoutForeignNames } from '../../access/without-foreign.ts';
import { readHost, withoutSecrets, withoutSource } from '../../access/without-secrets.ts';
import { isRecord, type JsonRecord, mapJson, mapMembers } from '../../domain/json.ts';
import { ADMIN, VIEWER } from '../../domain/names.ts';

/** Undefined for a restricted reader when the form is not the known one: what stands elsewhere would not be found. */
export function narrowConfig(config: JsonRecord, view: CameraView, own: OwnConfig): JsonRecord | undefined {
  if (view.clearance === 'restricted' && !hasKnownForm(config)) return undefined;
  const { auth_secret: _, ...proxy } = asRecord(config['proxy']);
  const ours = { ...config, auth: own.auth, proxy: { ...proxy, logout_url: own.proxy.logout_url ?? null } };
  if (view.clearance === 'admin') return ours;
  const auth = { ...own.auth, roles: rolesFor(own.auth.roles, view) };
  const { logout_url } = ours.proxy;
  const cut = asRecord(withoutSecrets(withoutSources(ours)));
  const quiet = { ...cut, auth, proxy: { ...asRecord(cut['proxy']), logout_url } };
  return view.clearance === 'reader' ? quiet : ofView(quiet, view);
}

/** Cameras by name, and the sections that are cut by their members are objects where they are there at all. */
const hasKnownForm = (config: JsonRecord): boolean =>
  isRecord(config['cameras']) &&
  Object.values(config['cameras']).every(isRecord) &&
  BY_MEMBERS.every((section) => config[section] === undefined || config[section] === null || isRecord(config[section]));

const BY_MEMBERS: readonly string[] = ['go2rtc', 'camera_groups', 'birdseye', 'auth', 'proxy'];

const BUILT_IN: readonly string[] = [ADMIN, VIEWER];
/** A list that no camera is in: to the NVR's pages an empty one means all cameras. */
const NO_CAMERA: readonly string[] = [''];

/** All roles by name, the reader's own with its cameras. Which cameras other roles see is not told. */
const rolesFor = (roles: OwnConfig['auth']['roles'], view: CameraView): OwnConfig['auth']['roles'] =>
  Object.fromEntries(
    Object.keys(roles).map((role) => {
      if (view.clearance === 'restricted' && role === view.role)
        return [role, view.cameras.length > 0 ? view.cameras : NO_CAMERA];
      return [role, BUILT_IN.includes(role) ? [] : NO_CAMERA];
    }),
  );

/**
 * Foreign names stay: the NVR's pages take a caller who sees every camera they know for an unrestricted one. A drawn camera
 * does not exist; to a reader without cameras, no camera is named.
 */
function ofView(config: JsonRecord, view: CameraView): JsonRecord {
  const { cameras, ...rest } = config;
  const shown = (entry: unknown, camera: string): unknown => {
    if (view.cameras.length === 0 || view.drawn?.some((drawn) => drawn === camera)) return undefined;
    return view.sees(camera) ? entry : hollow(camera, asRecord(entry));
  };
  const streams = mapMembers(asRecord(asRecord(config['go2rtc'])['streams']), (stream, name) =>
    view.layout.streams.get(name)?.some((owner) => view.sees(owner)) ? stream : undefined,
  );
  const quiet = asRecord(withoutForeignNames(rest, view));
  return {
    ...quiet,
    auth: config['auth'],
    cameras: mapMembers(asRecord(cameras), shown),
    camera_groups: seenGroups(asRecord(quiet['camera_groups']), view),
    birdseye: { ...asRecord(quiet['birdseye']), enabled: false, restream: false },
    go2rtc: { streams },
  };
}

const seenGroups = (groups: JsonRecord, view: CameraView): JsonRecord =>
  mapMembers(groups, (group) => {
    const named = [asRecord(group)['cameras']].flat();
    const cameras = named.filter((camera) => typeof camera === 'string' && view.sees(camera));
    return cameras.length > 0 ? { ...asRecord(group), cameras } : undefined;
  });

/** Sections that the pages and Home Assistant read of every camera, whether it is shown or not; `x.y` inside one. */
// biome-ignore format: a table
const SHAPE: ReadonlySet<string> = new Set([
  'audio', 'audio_transcription', 'birdseye', 'detect', 'face_recognition', 'ffmpeg', 'live', 'lpr', 'motion',
  'notifications', 'objects', 'objects.genai', 'onvif', 'onvif.autotracking', 'record', 'record.alerts',
  'record.continuous', 'record.detections', 'record.motion', 'review', 'review.alerts', 'review.detections',
  'review.genai', 'semantic_search', 'snapshots', 'snapshots.retain', 'timestamp_style', 'ui',
]);
/** Objects whose keys are names that a user of the NVR chose. */
const NAMES_INSIDE: ReadonlySet<string> = new Set([
  'audio.filters',
  'live.streams',
  'motion.mask',
  'objects.filters',
  'objects.mask',
  'profiles',
  'semantic_search.triggers',
  'zones',
]);

/** Keys that stay: words of the NVR itself, no names that a user chose. */
// biome-ignore format: a table
const WORDS: ReadonlySet<string> = new Set([
  'annotation_offset', 'bounding_box', 'contour_area', 'cooldown', 'crop', 'cutoff_time', 'dashboard', 'days', 'default',
  'enabled', 'enabled_in_config', 'fps', 'height', 'host', 'improve_contrast', 'inputs', 'labels', 'listen', 'live_enabled',
  'max_disappeared', 'max_not_heard', 'min_area', 'min_initialized', 'min_volume', 'mode', 'movement_weights',
  'num_threads', 'objects', 'order', 'port', 'post_capture', 'pre_capture', 'quality', 'required_zones', 'return_preset',
  'review', 'threshold', 'timestamp', 'track', 'width', 'zooming',
]);

/** The entry of a foreign camera: its shape with numbers, empty lists, empty texts and fixed switches. */
const hollow = (name: string, entry: JsonRecord): JsonRecord => ({ name, ...hollowed(entry, '') });

const hollowed = (section: JsonRecord, path: string): JsonRecord =>
  mapMembers(section, (value, key) => {
    const here = path === '' ? key : `${path}.${key}`;
    if (NAMES_INSIDE.has(here)) return {};
    if (isRecord(value)) return SHAPE.has(here) ? hollowed(value, here) : undefined;
    return WORDS.has(key) ? emptied(value, path) : undefined;
  });

/** The pages count cameras by the switches of these sections: they are on here, and off in all other sections. */
const COUNTED_BY: readonly string[] = ['', 'ui'];

function emptied(value: unknown, path: string): unknown {
  if (Array.isArray(value)) return [];
  if (typeof value === 'boolean') return COUNTED_BY.includes(path);
  return typeof value === 'string' ? '' : value;
}

/** Sections of the configuration whose texts are sources; in all others addresses are cut where they stand in a text. */
const OF_SOURCES: ReadonlySet<string> = new Set(['inputs', 'go2rtc']);

/** A configuration without the paths of its addresses. Names of cameras and streams are keys: they stay. */
function withoutSources(json: unknown, isSource = false): unknown {
  if (typeof json === 'string') return isSource ? withoutSource(json) : json.replace(/\S+/g, withoutPath);
  return mapJson(json, (value, key = '') => withoutSources(value, isSource || OF_SOURCES.has(key)));
}

/** An address in a text, or one that is encoded as a parameter of another. */
function withoutPath(word: string): string {
  const from = word.indexOf('://');
  const plain = from < 0 ? word : word.slice(0, from + 3) + readHost(word.slice(from + 3));
  const encoded = plain.toLowerCase().indexOf('%3a%2f%2f');
  return encoded < 0 ? plain : plain.slice(0, encoded);
}
