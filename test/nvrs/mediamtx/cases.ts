/** Who gets what of MediaMTX behind Postern: the same table for the real program and for a fake one. */

/** The path of carl's role. */
export const OWN = 'porch';
/** Names that begin like the own one, or end like it, and one that is a word of MediaMTX's own paths. */
export const FOREIGN = ['garden', 'porch/sub', 'porch_2', 'live/porch', 'whep'] as const;
export const PATHS: readonly string[] = [OWN, ...FOREIGN];
export const ROLES = { front_only: [OWN] };

export type Who = 'admin' | 'vera' | 'carl';
/**
 * `passes`: sent on, and answered. `refused`: 403, and nothing is sent on. `odd`: 400, 404, 405 or 422, and nothing is sent on.
 * `withheld`: 403, when the answer has said whose it is.
 */
export type Verdict = 'passes' | 'refused' | 'odd' | 'withheld';
export type Case = readonly [verdict: Verdict, who: Who, method: string, target: string];

/** Things that a running MediaMTX has, of the own path and of a foreign one: `{ownSession}` in a target. */
export interface Things {
  /** Secrets of HLS sessions. */
  readonly ownSession: string;
  readonly foreignSession: string;
  /** A playlist and a part of each path. */
  readonly ownPart: string;
  readonly foreignPart: string;
  /** Secrets of WHEP sessions. */
  readonly ownSecret: string;
  readonly foreignSecret: string;
  /** Ids of sessions. */
  readonly ownHls: string;
  readonly foreignHls: string;
  readonly ownRtsp: string;
  readonly foreignRtsp: string;
  readonly ownWebRtc: string;
  readonly foreignWebRtc: string;
  /** When something was recorded. */
  readonly start: string;
}

export const filled = (target: string, things: Things): string =>
  target.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(Reflect.get(things, name))));

const LISTS = ['paths', 'hlsmuxers', 'hlssessions', 'webrtcsessions', 'rtspsessions', 'recordings'] as const;
/** Paths whose lists have nothing of any camera here, for their servers are off: MediaMTX has 404. */
export const OFF_LISTS = ['rtspssessions', 'rtmpconns', 'rtmpsconns', 'srtconns', 'moqsessions'] as const;

const get = (verdict: Verdict, who: Who, ...targets: string[]): readonly Case[] =>
  targets.map((target) => [verdict, who, 'GET', target]);

/** What a role of one path has of it. */
const ofOne = (path: string, side: 'own' | 'foreign'): readonly string[] => [
  `/hls/${path}`,
  `/hls/${path}/`,
  `/hls/${path}/?controls=false&muted=true`,
  `/hls/${path}/index.m3u8`,
  `/hls/${path}/index.m3u8?cookieCheck=1`,
  ...(path === OWN || path === FOREIGN[0]
    ? [
        `/hls/${path}/video1_stream.m3u8?session={${side}Session}`,
        `/hls/${path}/video1_stream.m3u8?session={${side}Session}&_HLS_skip=YES`,
        `/hls/${path}/{${side}Part}?session={${side}Session}`,
      ]
    : []),
  `/webrtc/${path}`,
  `/webrtc/${path}/`,
  `/webrtc/${path}/?autoplay=true`,
  `/playback/list?path=${encodeURIComponent(path)}`,
  `/playback/list?path=${path}&start={start}`,
  `/playback/get?path=${path}&start={start}&duration=1`,
  `/playback/get?path=${path}&start={start}&duration=0.5&format=mp4`,
  `/v3/paths/get/${path}`,
  `/v3/recordings/get/${path}`,
];

/** Tricks of a role of the own path alone. */
const REFUSED: readonly string[] = [
  // Names that are nearly the own one.
  '/hls/PORCH/',
  '/hls/porch/sub/index.m3u8',
  '/hls/porch/index.m3u8/',
  '/hls/porch/garden/',
  '/hls/porch.m3u8',
  '/hls/porch%20/',
  '/hls/*/index.m3u8',
  '/hls/all_others/index.m3u8',
  '/webrtc/porch/sub/',
  '/webrtc/porch/publish/',
  '/webrtc/porch/whep/garden/',
  '/webrtc/porch/whep',
  '/v3/paths/get/porch/',
  '/v3/paths/get/~%5Eporch',
  '/v3/recordings/get/porch/sub',
  '/playback/list?path=porch,garden',
  '/playback/list?path=porch%2Fsub',
  '/playback/list?path=%2Fporch',
  '/playback/list?path=porch%2F..%2Fgarden',
  '/playback/list?path=all',
  '/playback/list?path=',
  '/playback/get?path=garden,porch&start={start}&duration=1',
  // Roots, and what is beside the prefixes.
  '/',
  '/hls',
  '/hls/',
  '/hls/favicon.ico',
  '/hlsx/porch/',
  '/webrtc',
  '/webrtc/',
  '/playback',
  '/playback/',
  '/playback/list/?path=porch',
  '/playback/LIST?path=porch',
  '/v3',
  '/v3/paths/list/',
  '/V3/paths/list',
  '/v2/paths/list',
  '/v4/paths/list',
  '/list?path=porch',
  '/get?path=porch&start={start}&duration=1',
  '/porch/index.m3u8',
  // For admins.
  '/webrtc/porch/publish',
  '/webrtc/porch/publisher.js',
  '/v3/rtspconns/list',
  '/v3/paths/forward/list?path=porch',
  '/v3/paths/forward/get?path=porch&id={ownHls}',
  '/v3/config/global/get',
  '/v3/config/pathdefaults/get',
  '/v3/config/paths/list',
  '/v3/config/paths/get/porch',
  '/metrics',
  '/metrics?type=paths&path=porch',
  '/debug/pprof/',
  '/debug/pprof/heap',
];

const ODD: readonly string[] = [
  '/hls/porch/../garden/',
  '/hls/porch/%2e%2e/garden/',
  '/hls/porch/./index.m3u8',
  '/hls/porch//index.m3u8',
  '/hls//porch/index.m3u8',
  '/hls/porch%2Fsub/index.m3u8',
  '/hls/porch%252Fsub/index.m3u8',
  '/hls/porch%5Csub/index.m3u8',
  '/hls/porch%00/index.m3u8',
  '/hls/porch;garden/index.m3u8',
  '/hls/porch/index.m3u8?jwt=eyJhbGciOiJIUzI1NiJ9.e30.x',
  '/hls/porch/index.m3u8?user=admin&pass=admin',
  '/hls/porch/index.m3u8?token=abc',
  '/hls/porch/video1_stream.m3u8?session={ownSession}&session={foreignSession}',
  '/hls/porch/?session={ownSession}&SESSION=1',
  '/webrtc/porch/?jwt=x',
  '/webrtc/porch/?%6awt=x',
  '/playback/list',
  '/playback/list?path=porch&path=garden',
  '/playback/list?path=porch&p%61th=garden',
  '/playback/list?PATH=garden&path=porch',
  '/playback/list?path=porch%00',
  '/playback/list?path=porch&start=yesterday',
  '/playback/list?path=porch&user=admin&pass=admin',
  '/playback/get?path=porch&duration=1',
  '/playback/get?path=porch&start={start}&duration=-60',
  '/playback/get?path=porch&start={start}&duration=1h',
  '/playback/get?path=porch&start={start}&duration=NaN',
  '/playback/get?path=porch&start={start}&duration=1&format=mpegts',
  '/v3/paths/list?page=-1',
  '/v3/paths/list?search=garden',
  '/v3/paths/get/porch?x=1',
];

const OTHERS: readonly Case[] = [
  ['passes', 'carl', 'OPTIONS', '/webrtc/porch/whep'],
  ['refused', 'carl', 'OPTIONS', '/webrtc/garden/whep'],
  ['refused', 'carl', 'OPTIONS', '/webrtc/porch/whip'],
  ['refused', 'carl', 'POST', '/webrtc/porch/whip'],
  ['refused', 'carl', 'POST', '/webrtc/garden/whep'],
  ['refused', 'carl', 'POST', '/webrtc/porch/sub/whep'],
  ['refused', 'carl', 'POST', '/webrtc/whep/whep'],
  ['refused', 'carl', 'POST', '/webrtc/whep'],
  ['refused', 'carl', 'POST', '/webrtc/porch/whep/whep'],
  ['refused', 'carl', 'DELETE', '/webrtc/porch/whep/{foreignSecret}'],
  ['refused', 'carl', 'DELETE', '/webrtc/garden/whep/{foreignSecret}'],
  ['refused', 'carl', 'DELETE', '/webrtc/garden/whep/{ownSecret}'],
  ['refused', 'carl', 'DELETE', '/webrtc/porch/whip/{ownSecret}'],
  ['refused', 'carl', 'DELETE', '/webrtc/porch/whep/x/whep/{foreignSecret}'],
  ['refused', 'carl', 'PATCH', '/webrtc/porch/whip/{foreignSecret}'],
  ['refused', 'carl', 'PUT', '/webrtc/porch/whep'],
  ['refused', 'carl', 'POST', '/hls/porch/index.m3u8'],
  ['refused', 'carl', 'POST', '/v3/hlssessions/kick/{ownHls}'],
  ['refused', 'carl', 'POST', '/v3/rtspsessions/kick/{ownRtsp}'],
  ['refused', 'carl', 'POST', '/v3/webrtcsessions/kick/{ownWebRtc}'],
  ['refused', 'carl', 'DELETE', '/v3/recordings/deletesegment?path=porch&start={start}'],
  ['refused', 'carl', 'POST', '/v3/auth/jwks/refresh'],
  ['refused', 'carl', 'PATCH', '/v3/config/global/patch'],
  ['refused', 'carl', 'PATCH', '/v3/config/pathdefaults/patch'],
  ['refused', 'carl', 'POST', '/v3/config/paths/add/mine'],
  ['refused', 'carl', 'PATCH', '/v3/config/paths/patch/porch'],
  ['refused', 'carl', 'POST', '/v3/config/paths/replace/porch'],
  ['refused', 'carl', 'DELETE', '/v3/config/paths/delete/porch'],
  ['refused', 'vera', 'POST', '/webrtc/garden/whip'],
  ['refused', 'vera', 'DELETE', '/v3/recordings/deletesegment?path=porch&start={start}'],
  ['refused', 'vera', 'POST', '/v3/hlssessions/kick/{ownHls}'],
  ['refused', 'vera', 'PATCH', '/v3/config/paths/patch/porch'],
];

export const CASES: readonly Case[] = [
  ...get('passes', 'carl', ...ofOne(OWN, 'own'), '/v3/hlsmuxers/get/porch', '/v3/info'),
  ...get(
    'passes',
    'carl',
    '/hls/porch/hls.min.js',
    '/webrtc/porch/reader.js',
    ...LISTS.map((list) => `/v3/${list}/list`),
  ),
  ...get(
    'passes',
    'carl',
    '/v3/hlssessions/get/{ownHls}',
    '/v3/rtspsessions/get/{ownRtsp}',
    '/v3/webrtcsessions/get/{ownWebRtc}',
  ),
  ...get(
    'withheld',
    'carl',
    '/v3/hlssessions/get/{foreignHls}',
    '/v3/rtspsessions/get/{foreignRtsp}',
    '/v3/webrtcsessions/get/{foreignWebRtc}',
  ),
  ...get('withheld', 'carl', '/v3/hlssessions/get/00000000-0000-0000-0000-000000000000'),
  ...FOREIGN.flatMap((path) => get('refused', 'carl', ...ofOne(path, 'foreign'))),
  ...get('refused', 'carl', ...REFUSED),
  ...get('odd', 'carl', ...ODD),
  ...OTHERS,
  ...get(
    'passes',
    'vera',
    ...ofOne(FOREIGN[0], 'foreign'),
    ...ofOne('porch/sub', 'foreign'),
    '/v3/hlssessions/get/{foreignHls}',
  ),
  ...get('refused', 'vera', '/webrtc/porch/publish', '/v3/config/global/get', '/v3/rtspconns/list', '/metrics', '/'),
  ...get(
    'passes',
    'admin',
    ...ofOne(FOREIGN[0], 'foreign'),
    '/webrtc/porch/publish',
    '/webrtc/porch/publisher.js',
    '/metrics',
  ),
  ...get(
    'passes',
    'admin',
    '/v3/config/global/get',
    '/v3/config/paths/get/all_others',
    '/v3/rtspconns/list',
    '/v3/paths/list?page=0&search=x',
  ),
  ...get('odd', 'admin', '/hls/porch/../garden/', '/hls/porch%2Fsub/index.m3u8'),
];
