/** An NVR with a garden and a bedroom: to every route it answers with both, unless the question itself says which. */
import type { IncomingMessage } from 'node:http';
import type { NvrAnswer } from '../../support/fake-nvr.ts';

/** What a role of the garden alone must never get a byte of: names, ids, pictures, passwords of the other camera. */
export const FOREIGN = /bedroom|bbbbb2|tap-water/i;

/** A refusal says back which camera the request itself named; where it named none, that sentence would be a leak. */
export const withoutItsName = (body: string, target: string): string =>
  decoded(target).includes('bedroom') ? body.replace('Access denied to the camera bedroom.', '') : body;

function decoded(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target; // no text is encoded in it
  }
}

export const GARDEN = {
  camera: 'garden',
  event: '1700000001.5-aaaaa1',
  export: 'garden_aaaaa1',
  stream: 'garden_sub',
  case: 'case-garden',
};
export const BEDROOM: typeof GARDEN = {
  camera: 'bedroom',
  event: '1700000002.5-bbbbb2',
  export: 'bedroom_bbbbb2',
  stream: 'bedroom_sub',
  case: 'case-both',
};
const BOTH = [GARDEN, BEDROOM];

const cameraEntry = ({ camera }: typeof GARDEN) => ({
  name: camera,
  enabled: true,
  enabled_in_config: true,
  friendly_name: `The ${camera}`,
  birdseye: { enabled: true, order: 0 },
  detect: { enabled: true, height: 720, width: 1280 },
  ffmpeg: { inputs: [{ path: `rtsp://viewer:tap-water@${camera}.lan/1`, roles: ['detect'] }] },
  ffmpeg_cmds: [{ cmd: `ffmpeg -i rtsp://viewer:tap-water@${camera}.lan/1` }],
  live: { streams: { Main: `${camera}_main`, Sub: `${camera}_sub` }, height: 720 },
  objects: { track: ['person', `${camera}-cat`], filters: { [`${camera}-cat`]: { min_area: 1 } } },
  onvif: { host: `${camera}.lan`, password: 'tap-water' },
  ui: { order: 0, dashboard: true },
  zones: { [`${camera}_door`]: { coordinates: '0,0,1,1' } },
});

export const CONFIG = {
  auth: { enabled: true, roles: { admin: [], viewer: [] } },
  birdseye: { enabled: true, restream: true },
  camera_groups: {
    outside: { cameras: ['garden', 'bedroom'], order: 0 },
    bedroom_only: { cameras: ['bedroom'], order: 1 },
  },
  cameras: Object.fromEntries(BOTH.map((side) => [side.camera, cameraEntry(side)])),
  environment_vars: { SECRET: 'tap-water' },
  go2rtc: {
    streams: Object.fromEntries(BOTH.map(({ camera, stream }) => [stream, [`rtsp://a:tap-water@${camera}.lan/2`]])),
  },
  mqtt: { enabled: true, host: 'broker', password: 'tap-water' },
  proxy: { auth_secret: 'tap-water', separator: ',' },
  version: '0.18.0',
};

const STATS = {
  cameras: { garden: { camera_fps: 5 }, bedroom: { camera_fps: 5 } },
  cpu_usages: { '1': { cpu: '3', cmdline: 'ffmpeg -i rtsp://viewer:tap-water@bedroom.lan/1' } },
  bandwidth_usages: { garden: { bandwidth: 1 }, bedroom: { bandwidth: 2 } },
  processes: { bedroom: { pid: 2 }, go2rtc: { pid: 3 } },
  service: { version: '0.18.0', uptime: 100 },
};

const METRICS = [
  '# HELP frigate_camera_fps Frames per second.',
  'frigate_camera_fps{camera_name="garden"} 5.0',
  'frigate_camera_fps{camera_name="bedroom"} 5.0',
  'frigate_cpu_usage_percent{pid="1",name="bedroom",cmdline="ffmpeg -i rtsp://viewer:tap-water@x"} 3.0',
  'frigate_cpu_usage_percent{pid="2",name="go2rtc",cmdline="go2rtc --password tap-water"} 3.0',
  '',
].join('\n');

const record = ({ camera, event, export: id }: typeof GARDEN) => ({
  id: event,
  camera,
  label: `${camera}-cat`,
  data: { camera, description: `A cat in the ${camera}` },
  thumb_path: `/media/frigate/clips/review/thumb-${camera}-${event}.webp`,
  video_path: `/media/frigate/exports/${id}.mp4`,
  export_id: id,
  export_case_id: `case-${camera === 'garden' ? 'garden' : 'both'}`,
});

type Answer = (request: { path: string; query: URLSearchParams }) => unknown;

/** Lists whose elements name their camera: all of them, even if asked for fewer, as an older NVR would. */
const everything: Answer = () => BOTH.map(record);
/** Sums over the cameras that are asked for: in them cameras cannot be told apart any more. */
const summed: Answer = ({ query }) => {
  const asked = (query.get('cameras') ?? 'all').split(',');
  const cameras = BOTH.map(({ camera }) => camera).filter((name) => asked.includes('all') || asked.includes(name));
  return { last24Hours: Object.fromEntries(cameras.map((camera) => [`day of the ${camera}`, 1])) };
};
const hourly: Answer = () => ({ start: 1, end: 2, count: 2, hours: { '1': BOTH.map(record) } });
const labels: Answer = ({ query }) => {
  const camera = query.get('camera') ?? 'all';
  return BOTH.filter((side) => camera === 'all' || camera === side.camera).map((side) => `${side.camera}-cat`);
};
/** For all cameras at once, as the NVR gives names. */
const subLabels: Answer = () => ['garden gnome', 'bedroom guest'];
const eventsOf: Answer = ({ query }) =>
  query.has('sub_labels') || query.has('recognized_license_plate')
    ? BOTH.map((side) => ({
        ...record(side),
        sub_label: side === GARDEN ? 'garden gnome' : 'bedroom guest',
        data: { recognized_license_plate: `${side.camera}-1` },
      }))
    : BOTH.map(record);
const plates: Answer = () => BOTH.map(({ camera }) => `${camera}-1`);
const cases: Answer = () => BOTH.map((side) => ({ id: side.case, name: `Case of the ${side.camera}` }));
const oneById: Answer = ({ path }) =>
  BOTH.map(record).find(({ id, export_id }) => path.endsWith(id) || path.endsWith(export_id));
const exportsOf: Answer = ({ query }) =>
  query.get('export_case_id') === GARDEN.case ? [record(GARDEN)] : BOTH.map(record);

// biome-ignore format: a table
const ANSWERS: readonly (readonly [path: RegExp, answer: Answer])[] = [
  [/^\/api\/config$/,                                    () => CONFIG],
  [/^\/api\/stats$/,                                     () => STATS],
  [/^\/api\/metrics$/,                                   () => METRICS],
  [/^\/api\/go2rtc\/streams$/,                           () => Object.fromEntries(BOTH.map(({ camera, stream }) => [stream, { producers: [{ url: `rtsp://${camera}.lan` }] }]))],
  [/^\/api\/events$/,                                    eventsOf],
  [/^\/api\/sub_labels$/,                                subLabels],
  [/^\/api\/recognized_license_plates$/,                 plates],
  [/^\/api\/cases$/,                                     cases],
  [/^\/api\/(review|timeline|events\/summary|events\/search|events\/explore|event_ids|review_ids|review\/activity\/motion|jobs\/export)$/, everything],
  [/^\/api\/preview\/(.*\/)?all\//,                      everything],
  [/^\/api\/preview\/(?!.*thumbnail)(?!.*frames$)/,      everything],
  [/^\/api\/(review\/summary|recordings\/summary|recordings\/unavailable)$/, summed],
  [/^\/api\/timeline\/hourly$/,                          hourly],
  [/^\/api\/labels$/,                                    labels],
  [/^\/api\/exports$/,                                   exportsOf],
  [/^\/api\/(events|review|review\/event|exports|jobs\/export)\/[^/]+$/, oneById],
];

/** `neutral`: paths whose answers say nothing about any camera. `onAnswer` is given each request with the body sent for it. */
export function answerWithBoth(
  neutral: readonly RegExp[],
  onAnswer: (request: IncomingMessage, body: string) => void,
): NvrAnswer {
  return (request, response) => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://nvr');
    const found = request.method === 'GET' ? ANSWERS.find(([pattern]) => pattern.test(path)) : undefined;
    const body = found
      ? found[1]({ path, query })
      : anything(
          request,
          neutral.some((pattern) => pattern.test(path)),
        );
    const isText = typeof body === 'string';
    request.resume().once('end', () => {
      response.writeHead(body === undefined ? 404 : 200, {
        'content-type': isText ? 'text/plain' : 'application/json',
      });
      const sent = isText ? body : JSON.stringify(body ?? 'not found');
      onAnswer(request, sent);
      response.end(sent);
    });
  };
}

/** A picture, a film, a listing: of the camera that the target names, else of both. */
function anything({ method, url = '' }: IncomingMessage, isNeutral: boolean): unknown {
  if (isNeutral) return { answer: 'about no camera' };
  const isGarden = /garden|aaaaa1/.test(url) && !FOREIGN.test(url);
  return { method, pictures: isGarden ? ['of the garden'] : ['of the garden', 'of the bedroom, bbbbb2'] };
}
