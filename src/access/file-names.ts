/** Whose picture a file is, by its name: the longest camera that it can begin with (SPEC 5, `how: check`). */
import type { RecorderLayout } from './recorder-layout.ts';

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

/** The path of a picture in the NVR's own file system, as its pages give it back. */
export function cameraOfImage(path: string, layout: RecorderLayout): readonly string[] {
  const found = /^(?:\/media\/frigate)?\/clips\/(?<review>review\/)?(?<file>[^/]+)$/.exec(path)?.groups;
  if (!found) return [];
  const file = found['file'] ?? '';
  return found['review'] ? cameraOfReviewThumbnail(file, layout) : cameraOfClip(file, layout);
}

function longest(file: string, { cameras }: RecorderLayout): readonly string[] {
  const fitting = cameras.filter((camera) => file.startsWith(camera) && AFTER_CAMERA.test(file.slice(camera.length)));
  return fitting.sort((one, other) => other.length - one.length).slice(0, 1);
}
