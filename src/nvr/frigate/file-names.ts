/** The camera of a picture of Frigate's, by its file name: the longest camera name that the file's name begins with (SPEC 5). */
import type { NameRule, NvrAdapter } from '../../access/nvr-adapter.ts';
import type { RecorderLayout } from '../../access/recorder-layout.ts';

/** `{camera}-1700000000.123456-abc123-clean.webp`: without the time, `front-door-…` would be a file of `front`. */
const AFTER_CAMERA = /^-\d{9,}(?:\.\d+)?[-.]/;

export const cameraOfClip = (file: string, layout: RecorderLayout): readonly string[] => longest(file, layout);

/** `thumb-{camera}-{review id}.webp` */
export const cameraOfReviewThumbnail = (file: string, layout: RecorderLayout): readonly string[] =>
  file.startsWith('thumb-') ? longest(file.slice('thumb-'.length), layout) : [];

/** `preview_{camera}-{timestamp}.{extension}`: a timestamp has no hyphen. */
export function cameraOfPreview(file: string): readonly string[] {
  const camera = /^preview_(?<camera>.+)-[\d.]+\.[a-z0-9]+$/.exec(file)?.groups?.['camera'];
  return camera === undefined ? [] : [camera];
}

/**
 * The cameras whose frames the NVR gives for one camera and time. It sorts the files' names as text, so that frames of
 * `front-door` lie between `preview_front-0` and `preview_front-inf`, and frames of `front-1` behind `preview_front-0`.
 */
export function camerasOfFrames(
  camera: string,
  { start, end }: TimeSpan,
  { cameras }: RecorderLayout,
): readonly string[] {
  const [first, last] = [asWritten(start), asWritten(end)];
  const others = cameras.filter((other) => other.startsWith(`${camera}-`));
  const between = others.map((other) => ({ other, text: `${other.slice(camera.length + 1)}-` }));
  const taken = between.filter(({ text }) => !first || !last || (text > first && text < last));
  return [camera, ...taken.map(({ other }) => other)];
}

export interface TimeSpan {
  readonly start: string;
  readonly end: string;
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
export function cameraOfImage(path: string, layout: RecorderLayout): readonly string[] {
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
const fileOf = (
  camerasOf: (file: string, layout: RecorderLayout) => readonly string[],
  sample?: NameRule['sample'],
): NameRule => ({ camerasOf: (file, layout) => [camerasOf(file, layout)], ...(sample && { sample }) });

export const NAMES: NvrAdapter['names'] = {
  // All of them must be visible: the answer holds frames of each.
  frames: {
    camerasOf: (camera, layout, { start = '', end = '' }) =>
      camerasOfFrames(camera, { start, end }, layout).map((one) => [one]),
    sample: (camera) => camera,
  },
  'file:preview': fileOf(cameraOfPreview, (camera) => `preview_${camera}-1700000000.5.webp`),
  'file:review-thumb': fileOf(cameraOfReviewThumbnail, (camera) => `thumb-${camera}-1700000000.5-abcdef.webp`),
  'file:clip': fileOf(cameraOfClip, (camera) => `${camera}-1700000000.5-abcdef.jpg`),
  'file:image': fileOf(cameraOfImage),
};

/**
 * The path of a picture below the NVR's clips directory. Characters that a server may remove from a name, or read as a slash,
 * are left out: NVRs before 0.17.2 read a backslash as one after they had looked for the directory, so that `..` left it.
 */
export const isClipsFile = (path: string): boolean =>
  CLIPS_FILE.test(path) && !path.includes('..') && !path.split('/').includes('.');

const CLIPS_FILE = /^\/media\/frigate\/clips(?:\/[^/\\:*?"<>|\p{Cc}]+)+$/u;
