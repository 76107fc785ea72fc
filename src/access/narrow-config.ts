/** The NVR's configuration for one reader: our accounts in the place of its own, no secrets, hollow foreign cameras (SPEC 4.3). */
import type { CameraView } from './camera-view.ts';
import { isRecord, type JsonRecord, ownersOfStream, recordOf } from './recorder-layout.ts';
import { withoutForeignNames } from './without-foreign.ts';
import { withoutSecrets } from './without-secrets.ts';

/** As much of our own configuration as the NVR's pages read. */
export interface OwnConfig {
  readonly auth: {
    readonly enabled: boolean;
    /** Every role that a user can have, by name: without its own name there, a page refuses its user. */
    readonly roles: Readonly<Record<string, readonly string[]>>;
    readonly refresh_time: number;
    readonly session_length: number;
    readonly cookie_name: string;
  };
  readonly proxy: { readonly logout_url: string | undefined };
}

export function narrowConfig(config: JsonRecord, view: CameraView, own: OwnConfig): JsonRecord {
  const { auth_secret: _, ...proxy } = recordOf(config['proxy']);
  const ours = { ...config, auth: own.auth, proxy: { ...proxy, logout_url: own.proxy.logout_url ?? null } };
  if (view.clearance === 'admin') return ours;
  const quiet = recordOf(withoutSecrets({ ...ours, auth: withoutMembers(own.auth), environment_vars: {} }));
  return view.clearance === 'reader' ? quiet : ofView(quiet, view);
}

/** Which cameras other roles see is no business of a reader. */
const withoutMembers = ({ roles, ...auth }: OwnConfig['auth']): object => ({
  ...auth,
  roles: Object.fromEntries(Object.keys(roles).map((role) => [role, []])),
});

/**
 * All camera names stay: the pages take whoever may see every camera that they know of for unrestricted. To a reader
 * who sees none at all, nothing is named.
 */
function ofView(config: JsonRecord, view: CameraView): JsonRecord {
  const { cameras, ...rest } = config;
  const entries = view.cameras.length === 0 ? [] : Object.entries(recordOf(cameras));
  const streams = recordOf(recordOf(config['go2rtc'])['streams']);
  const seenStreams = Object.entries(streams).filter(([stream]) =>
    ownersOfStream(view.layout, stream).some((owner) => view.sees(owner)),
  );
  return {
    ...recordOf(withoutForeignNames(rest, view)),
    auth: config['auth'],
    cameras: Object.fromEntries(
      entries.map(([camera, entry]) => [camera, view.sees(camera) ? entry : hollow(camera, recordOf(entry))]),
    ),
    camera_groups: seenGroups(recordOf(config['camera_groups']), view),
    birdseye: { ...recordOf(config['birdseye']), enabled: false, restream: false },
    go2rtc: { streams: Object.fromEntries(seenStreams) },
  };
}

function seenGroups(groups: JsonRecord, view: CameraView): JsonRecord {
  const seen = Object.entries(groups).map(([name, group]): [string, JsonRecord] => {
    const cameras = recordOf(group)['cameras'];
    const kept = (Array.isArray(cameras) ? cameras : [cameras]).filter(
      (camera) => typeof camera === 'string' && view.sees(camera),
    );
    return [name, { ...recordOf(group), cameras: kept }];
  });
  return Object.fromEntries(seen.filter(([, { cameras }]) => Array.isArray(cameras) && cameras.length > 0));
}

/** Sections that the pages and Home Assistant read of every camera, whether it is shown or not; `x.y` inside one. */
// biome-ignore format: a table
const SHAPE: ReadonlySet<string> = new Set([
  'audio', 'audio_transcription', 'birdseye', 'detect', 'face_recognition', 'ffmpeg', 'live', 'live.streams', 'lpr',
  'motion', 'motion.mask', 'notifications', 'objects', 'objects.filters', 'objects.mask', 'objects.genai', 'onvif',
  'onvif.autotracking', 'profiles', 'record', 'record.alerts', 'record.continuous', 'record.detections', 'record.motion',
  'review', 'review.alerts', 'review.detections', 'review.genai', 'semantic_search', 'semantic_search.triggers',
  'snapshots', 'snapshots.retain', 'timestamp_style', 'ui', 'zones',
]);
/** Objects whose keys are names that somebody gave. */
const NAMES_INSIDE: ReadonlySet<string> = new Set([
  'live.streams',
  'motion.mask',
  'objects.filters',
  'objects.mask',
  'profiles',
  'semantic_search.triggers',
  'zones',
]);

/** The shape of an entry without a word of it: switches and numbers, empty lists, empty texts. */
function hollow(name: string, entry: JsonRecord): JsonRecord {
  return { name, ...hollowed(entry, '') };

  function hollowed(section: JsonRecord, path: string): JsonRecord {
    const shaped = Object.entries(section).flatMap(([key, value]): [string, unknown][] => {
      const here = path === '' ? key : `${path}.${key}`;
      if (isRecord(value)) {
        if (!SHAPE.has(here)) return [];
        return [[key, NAMES_INSIDE.has(here) ? {} : hollowed(value, here)]];
      }
      if (path === '' && typeof value !== 'boolean') return [];
      return [[key, emptied(value)]];
    });
    return Object.fromEntries(shaped);
  }
}

function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return typeof value === 'string' ? '' : value;
}
