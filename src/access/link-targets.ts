/** The path of the NVR that a request below a link stands for: nothing of the request but the file's name gets into it (SPEC 13). Pure. */
import { PATH_SHAPES } from '../domain/policy.ts';
import type { SharedThing } from '../domain/shared-thing.ts';
import type { LinkRules } from './nvr-adapter.ts';

/** The folder of playlists and segments, below the link. */
const PLAYLISTS = 'vod';

/** What can be asked for below the link, but for the parts of a playlist. */
export const linkFiles = ({ filesOf }: LinkRules, thing: SharedThing): readonly string[] => Object.keys(filesOf(thing));

/** The playlist of the thing, below the link; undefined where the NVR has none. */
export const linkPlaylist = ({ playlistsOf }: LinkRules, thing: SharedThing): string | undefined =>
  playlistsOf(thing) && `${PLAYLISTS}/index.m3u8`;

/**
 * The path behind `/s/{secret}/` and these decoded segments; undefined when the link has no such file. A playlist names its
 * segments as files beside it (`recorded/link-playlist.ts`), so that they are asked for below the link.
 */
export function linkTarget(
  { filesOf, playlistsOf }: LinkRules,
  thing: SharedThing,
  segments: readonly string[],
): string | undefined {
  const [first = '', second, ...more] = segments;
  if (more.length > 0) return undefined;
  const files = filesOf(thing);
  if (second === undefined) return Object.hasOwn(files, first) ? files[first] : undefined;
  const playlists = first === PLAYLISTS ? playlistsOf(thing) : undefined;
  return playlists !== undefined && PATH_SHAPES.file.test(second) ? `${playlists}/${second}` : undefined;
}

/** Whether a path, as it will be sent, is one that a link to this thing may be about. */
export function isBehindLink({ filesOf, playlistsOf }: LinkRules, thing: SharedThing, path: string): boolean {
  if (Object.values(filesOf(thing)).includes(path)) return true;
  const playlists = playlistsOf(thing);
  if (playlists === undefined || !path.startsWith(`${playlists}/`)) return false;
  return PATH_SHAPES.file.test(path.slice(playlists.length + 1));
}

/** The media type by the end of a path that a link is about. */
const MEDIA_TYPES: readonly (readonly [end: RegExp, type: string])[] = [
  [/\.jpg$/, 'image/jpeg'],
  [/\.gif$/, 'image/gif'],
  [/\.mp4$/, 'video/mp4'],
  [/\.m3u8$/, 'application/vnd.apple.mpegurl'],
  [/\.ts$/, 'video/mp2t'],
  [/\.m4s$/, 'video/iso.segment'],
];
/** Live pictures, one after the other: the line between them is the NVR's. */
const PARTS = /^multipart\/x-mixed-replace;\s*boundary="?[\w'()+,./:=?-]{1,70}"?$/i;

/** The media type of what a link shows: by its path, and never a page, whatever the NVR says it is. */
export function linkMediaType({ mediaTypes }: LinkRules, path: string, said: string | undefined): string {
  const known = [...MEDIA_TYPES, ...mediaTypes].find(([end]) => end.test(path))?.[1];
  return known ?? (said !== undefined && PARTS.test(said) ? said : 'application/octet-stream');
}
