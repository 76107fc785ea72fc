/** Who gets what of go2rtc behind Postern: the same table for the real program and for a fake one. */

/** `front` is of carl's role; `front_2` begins with its name. */
export const STREAMS = ['front', 'front_2', 'yard', 'back yard ü', 'mjpeg'] as const;
export const ROLES = { front_only: ['front'], odd_only: ['back yard ü'] } as const;

export type Who = 'admin' | 'vera' | 'carl' | 'ute';
/** `passes`: sent on as it is. `refused`: 403, and nothing is sent on. `gone`: 400 or 405, and nothing is sent on. */
export type Verdict = 'passes' | 'refused' | 'gone';
export type Case = readonly [verdict: Verdict, who: Who, method: string, target: string];

const src = (name: string): string => `src=${encodeURIComponent(name)}`;
const ODD = src('back yard ü');

/** Live pictures by their addresses, without the query. */
export const PICTURES = [
  '/api/stream.mp4',
  '/api/stream.m3u8',
  '/api/stream.mjpeg',
  '/api/stream.ascii',
  '/api/stream.y4m',
  '/api/stream.ts',
  '/api/stream.aac',
  '/api/stream.flv',
  '/api/frame.mp4',
  '/api/frame.jpeg',
] as const;

/** Spellings of a foreign stream, and of sources, beside or in the place of an own one. */
const TRICKS = [
  'src=yard',
  'src=front&src=yard',
  'src=yard&src=front',
  'src=&src=yard',
  'src=front_2',
  'src=fron',
  'src=FRONT',
  'src=front%20',
  'src=+front',
  'src=front%2Cyard',
  'src=front%26src%3Dyard',
  'src=front%26name%3Dyard',
  'src=../yard',
  'src=%2Fyard',
  'src=%79ard',
  'src=front&name=yard',
  'src=front&name=front',
  'src=front&dst=yard',
  'src=front&%6eame=yard',
  'src=exec%3Aid',
  'src=exec:ffmpeg%20-f%20lavfi%20-i%20testsrc',
  'src=ffmpeg%3Ayard',
  'src=ffmpeg:yard%23video=h264',
  'src=rtsp://127.0.0.1:8554/yard',
  'src=http://127.0.0.1:1984/api/frame.jpeg?src=yard',
  'src=echo:cat%20/etc/passwd',
  'src=expr:1',
  'src=front%23video=mjpeg',
  'src=front;src=yard',
  'src',
  'src=',
  '',
] as const;
/** What a query reader may take for another one. */
const NOT_PLAIN = ['src=front&?src=yard', '?src=yard'] as const;

/** Paths that go2rtc has for admins. */
const FOR_ADMINS: readonly (readonly [method: string, target: string])[] = [
  ['GET', '/add.html'],
  ['GET', '/config.html'],
  ['GET', '/log.html'],
  ['GET', '/net.html'],
  ['GET', '/schema.json'],
  ['PUT', '/api/streams?name=own&src=exec:id'],
  ['PATCH', '/api/streams?name=front&src=yard'],
  ['POST', '/api/streams?dst=front&src=yard'],
  ['POST', '/api/streams?src=front&dst=rtmp://127.0.0.1/x'],
  ['DELETE', '/api/streams?src=front'],
  ['GET', '/api/streams.dot?src=front'],
  ['GET', '/api/preload'],
  ['PUT', '/api/preload?src=front'],
  ['DELETE', '/api/preload?src=front'],
  ['GET', '/api/schemes'],
  ['GET', '/api/config'],
  ['POST', '/api/config'],
  ['PATCH', '/api/config'],
  ['GET', '/api/log'],
  ['DELETE', '/api/log'],
  ['POST', '/api/restart'],
  ['POST', '/api/exit?code=0'],
  ['GET', '/api/stack'],
  ['GET', '/api/webtorrent'],
  ['GET', '/api/webtorrent?src=front'],
  ['POST', '/api/webtorrent?src=front'],
  ['GET', '/api/ffmpeg/devices'],
  ['GET', '/api/ffmpeg/hardware'],
  ['POST', '/api/ffmpeg?dst=front&file=/etc/passwd'],
  ['GET', '/api/v4l2'],
  ['GET', '/api/alsa'],
  ['GET', '/api/dvrip'],
  ['GET', '/api/onvif?src=onvif://127.0.0.1'],
  ['GET', '/api/homekit?id=front'],
  ['GET', '/api/homekit/accessories?id=front'],
  ['GET', '/api/discovery/homekit'],
  ['GET', '/api/hass'],
  ['GET', '/api/nest?client_id=x'],
  ['GET', '/api/ring?email=x'],
  ['GET', '/api/gopro'],
  ['GET', '/api/roborock'],
  ['GET', '/onvif/device_service'],
  ['POST', '/onvif/device_service'],
  ['POST', '/stream/front/channel/0/webrtc'],
  ['POST', '/stream/x/add'],
  ['GET', '/streams'],
  ['GET', '/static'],
  ['POST', '/pair-setup'],
  ['POST', '/api/stream?dst=front'],
  ['POST', '/api/stream.flv?dst=front'],
  ['POST', '/api/stream.ts?dst=front'],
  ['POST', '/api/stream.mjpeg?dst=front'],
  ['POST', '/api/stream.ascii?dst=front'],
  ['DELETE', '/api/webrtc?id=x'],
  ['PATCH', '/api/webrtc?src=front'],
  ['POST', '/api/webrtc?dst=front'],
  ['GET', '/api/some-later-route?src=front'],
  ['GET', '/some-later-page.html'],
];

/** Safe to send to the real program, for it changes nothing: `POST /api/exit` is not. */
const OF_ADMINS: readonly (readonly [method: string, target: string])[] = [
  ['GET', '/'],
  ['GET', '/stream.html?src=yard'],
  ['GET', '/add.html'],
  ['GET', '/config.html'],
  ['GET', '/log.html'],
  ['GET', '/net.html'],
  ['GET', '/api'],
  ['GET', '/api/streams'],
  ['GET', '/api/streams?src=yard'],
  ['GET', '/api/streams.dot'],
  ['GET', '/api/schemes'],
  ['GET', '/api/config'],
  ['GET', '/api/log'],
  ['GET', '/api/frame.jpeg?src=yard'],
];

const PAGES = [
  '/',
  '/stream.html',
  `/stream.html?${src('front')}`,
  '/links.html?src=front',
  '/webrtc.html?src=front&media=video',
  '/webrtc-sync.html?src=front',
  '/hls.html?src=front&mp4',
  '/main.js',
  '/video-rtc.js',
  '/video-stream.js',
  '/api',
] as const;

export const CASES: readonly Case[] = [
  ...PAGES.map((target): Case => ['passes', 'carl', 'GET', target]),
  ...['/stream.html', '/links.html', '/webrtc.html', '/webrtc-sync.html', '/hls.html'].flatMap((page): Case[] => [
    ['refused', 'carl', 'GET', `${page}?src=yard`],
    ['refused', 'carl', 'GET', `${page}?src=front&src=yard`],
  ]),
  ['refused', 'carl', 'GET', '/webrtc.html?dst=front'],
  ['refused', 'vera', 'GET', '/webrtc-sync.html?dst=yard'],

  ['passes', 'carl', 'GET', '/api/streams'],
  ['passes', 'carl', 'GET', '/api/streams?src=front'],
  ['passes', 'carl', 'GET', '/api/streams?src=%66ront'],
  ['passes', 'carl', 'GET', '/api/streams?src=front&video=all&audio=all&microphone'],
  ['passes', 'ute', 'GET', `/api/streams?${ODD}`],
  ['passes', 'ute', 'GET', `/api/streams?${ODD.replaceAll('%20', '+')}`],
  ['refused', 'ute', 'GET', '/api/streams?src=back%20yard%20u%CC%88'],
  ['refused', 'ute', 'GET', '/api/streams?src=back%20yard'],
  ['refused', 'ute', 'GET', '/api/streams?src=front'],
  ...TRICKS.filter((query) => query !== '').map((query): Case => ['refused', 'carl', 'GET', `/api/streams?${query}`]),

  ['passes', 'carl', 'GET', '/api/frame.jpeg?src=front'],
  ['passes', 'carl', 'GET', '/api/frame.jpeg?src=front&width=80&cache=1s'],
  ['passes', 'carl', 'GET', '/api/frame.mp4?src=front'],
  ['passes', 'carl', 'GET', '/api/stream.mp4?src=front'],
  ['passes', 'carl', 'GET', '/api/stream.mp4?src=front&mp4=flac&duration=1'],
  ['passes', 'carl', 'GET', '/api/stream.ts?src=front'],
  ['passes', 'carl', 'GET', '/api/stream.flv?src=front'],
  ['passes', 'carl', 'GET', '/api/stream.m3u8?src=front'],
  ['passes', 'carl', 'GET', '/api/stream.m3u8?src=front&mp4'],
  ['passes', 'ute', 'GET', `/api/frame.jpeg?${ODD}`],
  ['passes', 'vera', 'GET', '/api/stream.mjpeg?src=mjpeg'],
  ['passes', 'vera', 'GET', '/api/frame.jpeg?src=yard'],
  ['passes', 'vera', 'GET', '/api/stream.mp4?src=yard'],
  ...PICTURES.map((path): Case => ['refused', 'carl', 'GET', `${path}?src=yard`]),
  ...PICTURES.map((path): Case => ['refused', 'vera', 'GET', `${path}?src=exec%3Aid`]),
  ...PICTURES.map((path): Case => ['refused', 'vera', 'GET', `${path}?src=unknown`]),
  ...['/api/frame.jpeg', '/api/stream.mp4', '/api/stream.mjpeg'].flatMap((path) => [
    ...TRICKS.map((query): Case => ['refused', 'carl', 'GET', query === '' ? path : `${path}?${query}`]),
    ...NOT_PLAIN.map((query): Case => ['gone', 'carl', 'GET', `${path}?${query}`]),
  ]),

  ['gone', 'carl', 'GET', '/api/hls/../frame.jpeg?src=yard'],
  ['gone', 'carl', 'GET', '//api/frame.jpeg?src=yard'],
  ['gone', 'carl', 'GET', '/api/./frame.jpeg?src=yard'],
  ['gone', 'carl', 'GET', '/api%2Fframe.jpeg?src=yard'],
  ['refused', 'carl', 'GET', '/API/frame.jpeg?src=yard'],
  ['refused', 'carl', 'GET', '/api/frame.jpeg/?src=yard'],
  ['refused', 'carl', 'GET', '/api/fr%61me.jpeg?src=yard'],

  ['refused', 'carl', 'GET', '/api/hls/playlist.m3u8?id=Unknown1'],
  ['refused', 'carl', 'GET', '/api/hls/init.mp4?id=Unknown1'],
  ['refused', 'carl', 'GET', '/api/hls/segment.m4s?id=Unknown1&n=0'],
  ['refused', 'carl', 'GET', '/api/hls/segment.ts?id=Unknown1&n=0'],
  ['refused', 'carl', 'GET', '/api/hls/playlist.m3u8'],
  ['refused', 'carl', 'GET', '/api/hls/playlist.m3u8?id='],
  ['refused', 'carl', 'GET', '/api/hls/playlist.m3u8?src=front'],

  ...FOR_ADMINS.map(([method, target]): Case => ['refused', 'carl', method, target]),
  ...FOR_ADMINS.map(([method, target]): Case => ['refused', 'vera', method, target]),
  ...OF_ADMINS.map(([method, target]): Case => ['passes', 'admin', method, target]),
];
