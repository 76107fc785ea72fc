/** The adapter of Frigate, and of the stream server inside it (docs/policies.md, `adapter: frigate`). */

import { type CameraView, namesForeignCamera } from '../../access/camera-view.ts';
import type { EventRules, NameRule, NvrAdapter, OwnConfig, OwnedThing, ThingPaths } from '../../access/nvr-adapter.ts';
import { asRecord, layoutOfEntries, type RecorderLayout, readMember } from '../../access/recorder-layout.ts';
import { readStart } from '../../access/time-locators.ts';
import { withoutForeignObjects } from '../../access/without-foreign.ts';
import { withoutSecretsInText } from '../../access/without-secrets.ts';
import type { SharedThing } from '../../domain/caller.ts';
import { isRecord, type JsonRecord, UnexpectedForm } from '../../domain/json.ts';
import type { CameraName } from '../../domain/names.ts';
import { PATH_SHAPES } from '../../domain/policy.ts';
import { LISTS, seenRows } from './compose-list.ts';
import { narrowConfig } from './narrow-config.ts';
import { judgeInbound, narrowOutbound } from './narrow-messages.ts';
import { narrowStats } from './narrow-stats.ts';

/**
 * Parameters of nginx-vod-module. It takes each out of the path, wherever it stands, with the segment behind it: so
 * `/vod/event/1/lang/porch/index.m3u8` is the event 1, and not a recording of the camera `porch`.
 */
const PARAMETER_WORDS: ReadonlySet<string> = new Set([
  'clipfrom',
  'clipto',
  'tracks',
  'shift',
  'lang',
  'speed',
  'seqno',
]);
/** `/vod/event/,1,2,.urlset/index-f2.m3u8` is a list of paths, of which `-f2` takes the second. */
const LIST_SUFFIX = '.urlset';

/** Whether the module would take something out of the path of these decoded segments, or read a list into it. */
const isVodTrick = (segments: readonly string[]): boolean =>
  segments[0] === 'vod' && segments.some((segment) => readsAs(segment.toLowerCase()));

/** A time zone is the only part of a path that holds commas. */
const readsAs = (segment: string): boolean =>
  PARAMETER_WORDS.has(segment) ||
  segment.endsWith(LIST_SUFFIX) ||
  (segment.includes(',') && !PATH_SHAPES.zone.test(segment));

/** Frigate counts what it has to review by day: alerts and detections of the last 30 days (facts of `/api/review/summary`). */
const DAY = /^\d{4}-\d{2}-\d{2}$/;

const DAYS: EventRules['days'] = {
  path: '/api/review/summary',
  countedIn: (json) =>
    isRecord(json)
      ? Object.entries(json)
          .filter(([key]) => DAY.test(key))
          .map(([day, sums]) => ({ day, count: numberIn(sums, 'total_alert') + numberIn(sums, 'total_detection') }))
      : undefined,
};

/** Null where there were none. */
const numberIn = (sums: unknown, name: string): number => {
  const number = isRecord(sums) ? sums[name] : undefined;
  return typeof number === 'number' ? number : 0;
};

/** Whose camera an id of Frigate's is: where it is asked, and how the answer is read (SPEC 5, `how: lookup`). */
const EXPORTS_FOLDER = '/media/frigate/exports/';
const one = (json: unknown): OwnedThing | undefined =>
  isRecord(json) ? { cameras: readCamera(json), start: readStart(json) } : undefined;
const readCamera = ({ camera }: JsonRecord): readonly string[] => (typeof camera === 'string' ? [camera] : []);
const rowsIn = (json: unknown): readonly JsonRecord[] => (Array.isArray(json) ? json.map(asRecord) : []);

const OWNERS: NvrAdapter['owners'] = {
  event: { path: (id) => `/api/events/${encodeURIComponent(id)}`, ownedIn: one, isLasting: true },
  review: { path: (id) => `/api/review/${encodeURIComponent(id)}`, ownedIn: one, isLasting: true },
  export: { path: (id) => `/api/exports/${encodeURIComponent(id)}`, ownedIn: one, isLasting: true },
  'export-file': {
    path: () => '/api/exports',
    ownedIn: (json, file) => one(rowsIn(json).find(({ video_path }) => video_path === EXPORTS_FOLDER + file)),
    isLasting: false,
    isByName: true,
  },
  // Exports are added to a case and removed. An NVR that does not know the parameter lists all exports: stricter, never looser.
  case: {
    path: (id) => `/api/exports?export_case_id=${encodeURIComponent(id)}`,
    ownedIn: (json) => {
      const rows = rowsIn(json);
      if (rows.length === 0) return undefined;
      const starts = rows.map((row) => readStart(row) ?? Number.NEGATIVE_INFINITY);
      const cameras = rows.flatMap((row) => (readCamera(row).length === 0 ? [''] : readCamera(row)));
      return { cameras, start: Math.min(...starts) };
    },
    isLasting: false,
  },
};

/** The paths of Frigate that a link stands for, by the kind of thing that it shows (SPEC 13). */
const encoded = encodeURIComponent;

function listFiles(thing: SharedThing): Readonly<Record<string, string>> {
  const camera = `/api/${encoded(thing.camera)}`;
  switch (thing.kind) {
    case 'event': {
      const event = `/api/events/${encoded(thing.id)}`;
      return {
        'thumbnail.jpg': `${event}/thumbnail.jpg`,
        'snapshot.jpg': `${event}/snapshot.jpg`,
        'clip.mp4': `${event}/clip.mp4`,
        'preview.gif': `${event}/preview.gif`,
      };
    }
    case 'review': {
      const review = `/api/review/${encoded(thing.id)}`;
      return { 'clip.mp4': `${review}/clip.mp4`, 'preview.gif': `${review}/preview` };
    }
    case 'recording': {
      const { from, to } = thing;
      return {
        'snapshot.jpg': `${camera}/recordings/${from}/snapshot.jpg`,
        'clip.mp4': `${camera}/start/${from}/end/${to}/clip.mp4`,
      };
    }
    case 'live':
      return { live: camera, 'snapshot.jpg': `${camera}/latest.jpg` };
    case 'snapshot':
      return { 'snapshot.jpg': `${camera}/latest.jpg` };
  }
}

function findPlaylists(thing: SharedThing): string | undefined {
  if (thing.kind === 'event') return `/vod/event/${encoded(thing.id)}`;
  const { from, to } = 'from' in thing ? thing : {};
  return from === undefined ? undefined : `/vod/${encoded(thing.camera)}/start/${from}/end/${to}`;
}

const THINGS: ThingPaths = {
  filesOf: listFiles,
  playlistsOf: findPlaylists,
  recordingsAt: (camera, from, to) => `/api/${encoded(camera)}/recordings?after=${from}&before=${to}`,
  mediaTypes: [[/^\/api\/review\/[^/]+\/preview$/, 'image/gif']],
};

/** Words that mean several cameras: `birdseye` is the picture of all of them. */
const RESERVED: readonly string[] = ['birdseye'];

/** Reads the cameras; with `names`, these alone. Throws with what is missing there. */
export function layoutOfConfig(config: unknown, names?: readonly CameraName[]): RecorderLayout {
  const cameras = readMember(config, 'cameras');
  if (!isRecord(cameras) || Array.isArray(cameras)) throw new Error('the configuration of the NVR has no "cameras"');
  const known = names ?? (Object.keys(cameras) as CameraName[]);
  return layoutOfEntries(known, RESERVED, (camera) => {
    const entry = readMember(cameras, camera);
    return {
      zones: Object.keys(asRecord(readMember(entry, 'zones'))),
      streams: Object.values(asRecord(readMember(readMember(entry, 'live'), 'streams'))),
      friendly: readMember(entry, 'friendly_name'),
    };
  });
}

/** `{camera}-1700000000.123456-abc123-clean.webp`: without the time, `front-door-…` would be a file of `front`. */
const AFTER_CAMERA = /^-\d{9,}(?:\.\d+)?[-.]/;

/** `thumb-{camera}-{review id}.webp` */
const cameraOfReviewThumbnail = (file: string, layout: RecorderLayout): readonly string[] =>
  file.startsWith('thumb-') ? longest(file.slice('thumb-'.length), layout) : [];

/** `preview_{camera}-{timestamp}.{extension}`: a timestamp has no hyphen. */
function cameraOfPreview(file: string): readonly string[] {
  const camera = /^preview_(?<camera>.+)-[\d.]+\.[a-z0-9]+$/.exec(file)?.groups?.['camera'];
  return camera === undefined ? [] : [camera];
}

/**
 * The cameras whose frames the NVR gives for one camera and time. It sorts the files' names as text, so that frames of
 * `front-door` lie between `preview_front-0` and `preview_front-inf`, and frames of `front-1` behind `preview_front-0`.
 */
export function camerasOfFrames(
  camera: string,
  { start, end }: Readonly<Record<'start' | 'end', string>>,
  { cameras }: RecorderLayout,
): readonly string[] {
  const [first, last] = [asWritten(start), asWritten(end)];
  const others = cameras.filter((other) => other.startsWith(`${camera}-`));
  const between = others.map((other) => ({ other, text: `${other.slice(camera.length + 1)}-` }));
  const taken = between.filter(({ text }) => !first || !last || (text > first && text < last));
  return [camera, ...taken.map(({ other }) => other)];
}

/** A time as the NVR writes it into a file's name; undefined where that is unknown, such as for `inf`, `nan` and `1e9`. */
function asWritten(time: string): string | undefined {
  const seconds = /^\d{1,12}(?:\.\d+)?$/.test(time) ? Number(time) : Number.NaN;
  return seconds === 0 || seconds >= 1 ? `${seconds}.` : undefined;
}

/**
 * The camera of a picture by its path in the NVR's file system, as the NVR's pages send it back: that of a review. Characters
 * that a server may remove from a name, or read as a slash, are refused.
 */
function cameraOfImage(path: string, layout: RecorderLayout): readonly string[] {
  const { file, name = '' } = REVIEW_PICTURE.exec(path)?.groups ?? {};
  if (file === undefined) return [];
  return cameraOfReviewThumbnail(file, layout).filter((camera) => REVIEW_ID.test(name.slice(camera.length)));
}

const REVIEW_PICTURE = /^\/media\/frigate\/clips\/review\/(?<file>thumb-(?<name>[^/\\:*?"<>|\p{Cc}]+)\.webp)$/u;
/** The rest of the name, behind its camera. */
const REVIEW_ID = /^-\d{9,10}(?:\.\d{1,9})?-\w+$/;

function longest(file: string, { cameras }: RecorderLayout): readonly string[] {
  const fitting = cameras.filter((camera) => file.startsWith(camera) && AFTER_CAMERA.test(file.slice(camera.length)));
  return fitting.sort((one, other) => other.length - one.length).slice(0, 1);
}

/** The name of one file. */
const findFile = (
  camerasOf: (file: string, layout: RecorderLayout) => readonly string[],
  sample?: NameRule['sample'],
): NameRule => ({ camerasOf: (file, layout) => [camerasOf(file, layout)], ...(sample && { sample }) });

const NAMES: NvrAdapter['names'] = {
  // All of them must be visible: the answer holds frames of each.
  frames: {
    camerasOf: (camera, layout, { start = '', end = '' }) =>
      camerasOfFrames(camera, { start, end }, layout).map((one) => [one]),
    sample: (camera) => camera,
  },
  'file:preview': findFile(cameraOfPreview, (camera) => `preview_${camera}-1700000000.5.webp`),
  'file:review-thumb': findFile(cameraOfReviewThumbnail, (camera) => `thumb-${camera}-1700000000.5-abcdef.webp`),
  'file:clip': findFile(longest, (camera) => `${camera}-1700000000.5-abcdef.jpg`),
  'file:image': findFile(cameraOfImage),
};

/**
 * The path of a picture below the NVR's clips directory. Characters that a server may remove from a name, or read as a slash,
 * are left out: NVRs before 0.17.2 read a backslash as one after they had looked for the directory, so that `..` left it.
 */
const isClipsFile = (path: string): boolean =>
  CLIPS_FILE.test(path) && !path.includes('..') && !path.split('/').includes('.');

const CLIPS_FILE = /^\/media\/frigate\/clips(?:\/[^/\\:*?"<>|\p{Cc}]+)+$/u;

/** The forms of answers that only Frigate has: its configuration, figures, metrics and cases of exports (SPEC 5, `answer`). */
const ANSWERS: NvrAdapter['answers'] = {
  config: {
    concerns: ['restricted', 'reader', 'admin'],
    reads: 'json',
    hasLayout: true,
    knows: 'own-config',
    narrow: (json, { view, known }) =>
      isRecord(json) && known ? narrowConfig(json, view, known as OwnConfig) : undefined,
  },
  cases: {
    concerns: ['restricted'],
    reads: 'json',
    knows: seenCases,
    narrow(json, { view, known }) {
      if (!Array.isArray(json)) return undefined;
      const seen = known as ReadonlySet<string> | undefined;
      return withoutForeignObjects(
        json.filter((one) => seen?.has(String(readMember(one, 'id'))) === true),
        view,
      );
    },
  },
  stats: { concerns: ['restricted', 'reader'], reads: 'json', narrow: (json, { view }) => narrowStats(json, view) },
  metrics: {
    concerns: ['restricted', 'reader'],
    reads: 'text',
    narrow: (text, { view }) => narrowMetrics(String(text), view),
  },
};

export const FRIGATE: NvrAdapter = {
  name: 'frigate',
  cameras: { reserved: RESERVED, layoutOf: layoutOfConfig },
  names: NAMES,
  owners: OWNERS,
  answers: ANSWERS,
  lists: LISTS,
  values: { 'clips-file': isClipsFile },
  messages: { fromClient: judgeInbound, fromNvr: narrowOutbound },
  things: THINGS,
  queries: {
    filtered: new Set(['api/review', 'api/timeline', 'api/recordings']),
    // Pictures are drawn in any size.
    pictures: { h: 'height', height: 'height', fps: 'rate' },
    stepped: new Set(['api/recordings/unavailable', 'api/review/activity/motion']),
  },
  events: { days: DAYS, atNvr: ['/api/events/search'] },
  isMisread: isVodTrick,
};

/** Narrows Frigate's metrics text: samples of foreign cameras and command lines are removed (SPEC 5). */
const LABEL = /(?<name>\w+)="(?<value>(?:[^"\\]|\\.)*)"/g;
const CAMERA_LABELS: readonly string[] = ['camera', 'camera_name'];

/** Command lines hold the cameras' passwords. */
const COMMAND_LINE = /(?<=[{,]\s*cmdline=")(?:[^"\\]|\\.)*(?=")/g;

/** `name{label="value",other="value"} 1.5e-3 1700000000000`, a comment, or nothing: labels have one meaning only. */
const PAIR = String.raw`\w+="(?:[^"\\]|\\.)*"`;
const LABELS = String.raw`\{(?:${PAIR}(?:, ?${PAIR})*,?)?\}`;
const NUMBER = String.raw`(?:[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|[-+]?Inf|NaN)`;
const LINE = new RegExp(String.raw`^(?:#.*|\s*|[A-Za-z_:][\w:]*(?:${LABELS})?\s+${NUMBER}(?:\s+-?\d+)?\s*)$`);

/** Undefined when a line is no metrics: then nothing can be removed with certainty. */
function narrowMetrics(text: string, view: CameraView): string | undefined {
  const lines = text.split('\n');
  if (!lines.every((line) => LINE.test(line))) return undefined;
  return lines
    .filter((line) => (line.startsWith('#') ? !namesForeignCamera(line, view) : isSeen(line, view)))
    .map((line) => withoutSecretsInText(line.replace(COMMAND_LINE, '')))
    .join('\n');
}

/** Samples of the NVR that are about no camera. Other samples without a camera are about several, such as sums. */
const ABOUT_NO_CAMERA = /^frigate_(?:service|cpu|mem|gpu|npu|storage|device|detector_inference)_/;
const OF_THE_NVR = /^frigate_/;

/** A process has the name of its camera, so any label may hold a camera name. */
function isSeen(line: string, view: CameraView): boolean {
  if (view.clearance !== 'restricted') return true;
  const labels = [...line.matchAll(LABEL)].map(({ groups: { name = '', value = '' } = {} }) => ({ name, value }));
  const ofCameras = labels.filter(({ name }) => CAMERA_LABELS.includes(name));
  const isSum = OF_THE_NVR.test(line) && !ABOUT_NO_CAMERA.test(line) && ofCameras.length === 0;
  return (
    !isSum &&
    ofCameras.every(({ value }) => view.sees(value)) &&
    labels.every(({ value }) => !namesForeignCamera(value, view))
  );
}

/** Ids of cases. Rejects when the NVR does not send the exports. */
async function seenCases(view: CameraView, ask: (path: string) => Promise<unknown>): Promise<ReadonlySet<string>> {
  if (view.cameras.length === 0) return new Set();
  const exports = await ask(`/api/exports?${new URLSearchParams({ cameras: view.cameras.join(',') })}`);
  if (!Array.isArray(exports)) throw new UnexpectedForm('/api/exports was not answered with a list');
  // An NVR may be too old to know the parameter.
  return new Set(seenRows(exports, view).flatMap(readCase));
}

/** Either field, by version of the NVR. */
const readCase = ({ export_case, export_case_id }: JsonRecord): string[] => {
  const id = export_case_id ?? export_case;
  return typeof id === 'string' || typeof id === 'number' ? [String(id)] : [];
};
