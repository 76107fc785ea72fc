/** Paths below /vod that Frigate's video module reads otherwise than they look: such a path is for admins only (SPEC 5). */
import { PATH_SHAPES } from '../../domain/policy.ts';

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
export const isVodTrick = (segments: readonly string[]): boolean =>
  segments[0] === 'vod' && segments.some((segment) => readsAs(segment.toLowerCase()));

/** A time zone is the only part of a path that holds commas. */
const readsAs = (segment: string): boolean =>
  PARAMETER_WORDS.has(segment) ||
  segment.endsWith(LIST_SUFFIX) ||
  (segment.includes(',') && !PATH_SHAPES.zone.test(segment));
