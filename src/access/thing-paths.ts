/** The path of the NVR that a request below a link stands for, and its playlists: nothing of the request but the file's name gets into the one, and no address leads out of the other (SPEC 13). Pure. */

import type { SharedThing } from '../domain/caller.ts';
import { PATH_SHAPES } from '../domain/policy.ts';
import { attempt } from '../domain/result.ts';
import type { ThingPaths } from './nvr-adapter.ts';

/** The folder of playlists and segments, below the link. */
const PLAYLISTS = 'vod';

/** What can be asked for below the link, but for the parts of a playlist. */
export const thingFiles = ({ filesOf }: ThingPaths, thing: SharedThing): readonly string[] =>
  Object.keys(filesOf(thing));

/** The playlist of the thing, below the link; undefined where the NVR has none. */
export const thingPlaylist = ({ playlistsOf }: ThingPaths, thing: SharedThing): string | undefined =>
  playlistsOf(thing) && `${PLAYLISTS}/index.m3u8`;

/**
 * The path behind `/s/{secret}/` and these decoded segments; undefined when the link has no such file. A playlist names its
 * segments as files beside it (`playlistBelow`), so that they are asked for below the link.
 */
export function thingTarget(
  { filesOf, playlistsOf }: ThingPaths,
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
export function showsThing({ filesOf, playlistsOf }: ThingPaths, thing: SharedThing, path: string): boolean {
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
export function thingMediaType({ mediaTypes }: ThingPaths, path: string, said: string | undefined): string {
  const known = [...MEDIA_TYPES, ...mediaTypes].find(([end]) => end.test(path))?.[1];
  return known ?? (said !== undefined && PARTS.test(said) ? said : 'application/octet-stream');
}

/** The paths whose answers are playlists. */
export const isPlaylist = (path: string): boolean => path.endsWith('.m3u8');

const FIRST_LINE = '#EXTM3U';
/** Tags of RFC 8216. Others may name addresses in ways of their own; players ignore tags that they do not know, so they are left out. */
const TAG =
  /^#EXT(?:M3U|INF|-X-(?:VERSION|TARGETDURATION|MEDIA-SEQUENCE|DISCONTINUITY-SEQUENCE|DISCONTINUITY|ENDLIST|PLAYLIST-TYPE|ALLOW-CACHE|INDEPENDENT-SEGMENTS|START|BYTERANGE|PROGRAM-DATE-TIME|GAP|BITRATE|I-FRAMES-ONLY|KEY|MAP|STREAM-INF|I-FRAME-STREAM-INF|MEDIA|SESSION-KEY))(?=[:]|$)/;
const SECONDS = /^#EXTINF:(?<seconds>\d{1,9}(?:\.\d{1,9})?)(?:,.*)?$/;
/** Some players take other characters than a line feed for the end of a line, and read an address behind them. */
const OTHER_LINE_END = /\r(?!\n)|[\p{Zl}\p{Zp}]|(?![\r\n])\p{Cc}/u;
const ADDRESS = /\bURI="(?<address>[^"]*)"/g;

/**
 * Undefined for what is no playlist, and for one that leads elsewhere than beside itself. `directory` is the path of the NVR
 * below which it stands. The NVR may name files relatively, by their path, or with its own address in front.
 */
export function playlistBelow(text: string, directory: string): string | undefined {
  if (OTHER_LINE_END.test(text)) return undefined;
  const lines = text.split(/\r?\n/);
  if (lines[0] !== FIRST_LINE) return undefined;
  const written: string[] = [];
  for (const line of lines) {
    const known = line.startsWith('#') ? tagBelow(line, directory) : line === '' ? '' : fileIn(line, directory);
    if (known === undefined) return undefined;
    if (known !== LEFT_OUT) written.push(known);
  }
  return written.join('\n');
}

/** A comment, or a tag that is not known. */
const LEFT_OUT = '#';

function tagBelow(line: string, directory: string): string | undefined {
  if (!TAG.test(line)) return LEFT_OUT;
  if (line.startsWith('#EXTINF')) return withoutTitle(line);
  // Some players look for tags in the middle of a line, too, and read an address behind them.
  if (line.includes('#EXT', 1)) return undefined;
  let beside = 0;
  const written = line.replace(ADDRESS, (_, address: string) => {
    const file = fileIn(address, directory);
    if (file !== undefined) beside += 1;
    return `URI="${file}"`;
  });
  // Also one that is quoted in a way of its own: some players read it all the same.
  return beside === line.split('URI=').length - 1 ? written : undefined;
}

/** hls.js takes what follows the seconds for the address of the segment, unless there is a comma. */
function withoutTitle(line: string): string | undefined {
  const seconds = SECONDS.exec(line)?.groups?.['seconds'];
  return seconds === undefined ? undefined : `#EXTINF:${seconds},`;
}

/** The name of a file in that directory; undefined for any other address. Which host it names does not matter: it is left out. */
function fileIn(address: string, directory: string): string | undefined {
  const at = plain(URL.parse(address, `http://nvr${directory}/`)?.pathname ?? '');
  const below = `${plain(directory)}/`;
  const file = at?.startsWith(below) ? at.slice(below.length) : '';
  return PATH_SHAPES.file.test(file) ? file : undefined;
}

/** Decoded once: the NVR may encode the name of a camera in another way. */
const plain = (path: string): string | undefined => attempt(() => decodeURIComponent(path));
