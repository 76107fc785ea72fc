/** What each role gets of a response (SPEC 4.3, 5): form by form, whole values compared. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { narrowResponse } from '../../src/access/narrow-response.ts';
import { isNestedTooDeep } from '../../src/domain/json.ts';
import type { ResponseForm } from '../../src/domain/policy.ts';
import { FRIGATE } from '../../src/nvr/frigate/frigate.ts';
import { viewOfRole } from './support/views.ts';

const OWN_CONFIG = {
  auth: {
    enabled: true,
    roles: { admin: [], viewer: [], gardener: ['garden'] },
    refresh_time: 1800,
    session_length: 86_400,
    cookie_name: 'frigate_token',
  },
  proxy: { logout_url: 'https://sso.test/out' },
};

/** A role that is defined is in the list, whether its cameras are there or not. */
const ownConfigFor = (role: string) =>
  role === 'gone'
    ? { ...OWN_CONFIG, auth: { ...OWN_CONFIG.auth, roles: { ...OWN_CONFIG.auth.roles, gone: [] } } }
    : OWN_CONFIG;

const left = (form: ResponseForm, answer: unknown, role: string): unknown => {
  const body = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const known = form === 'config' ? ownConfigFor(role) : new Set(['c1']);
  const narrowed = narrowResponse(form, body, { view: viewOfRole(role), known }, FRIGATE);
  if (!narrowed.ok) return narrowed.error;
  return form === 'metrics' ? narrowed.value : JSON.parse(narrowed.value);
};

describe('An answer narrowed for a gardener', () => {
  const mine = { camera: 'garden', id: 1 };
  const other = { camera: 'garden-house', id: 2 };
  // biome-ignore format: a table
  const rows: [sentence: string, form: ResponseForm, answer: unknown, expected: unknown][] = [
    ['keeps the elements of its cameras',                          'array',   [mine, other],                             [mine]],
    ['drops elements that name no camera',                         'array',   [mine, { id: 3 }, 'x', null],              [mine]],
    ['drops elements of several cameras unless all are its own',   'array',   [{ camera: 'garden,garden-house' }, { camera: 'garden, garden' }], [{ camera: 'garden, garden' }]],
    ['drops what is about others inside an element',               'array',   [{ ...mine, related: [mine, other], one: other }], [{ ...mine, related: [mine] }]],
    ['is unreadable when it is not the expected list',             'array',   { detail: 'x' },                           'nvr-unexpected-form'],
    ['is unreadable when it is not JSON',                          'array',   '<html>',                                  'nvr-unexpected-form'],
    ['is whole when it is about its camera',                       'one',     mine,                                      mine],
    ['is refused when it is about another',                        'one',     other,                                     'camera-not-in-role'],
    ['is unreadable when it names no camera',                      'one',     { id: 1 },                                 'nvr-unexpected-form'],
    ['is unreadable when its camera is not a name',                'one',     { camera: 5 },                             'nvr-unexpected-form'],
    ['is unreadable when it is an empty object',                   'one',     {},                                        'nvr-unexpected-form'],
    ['is unreadable when it is a list',                            'one',     [mine],                                    'nvr-unexpected-form'],
    ['is unreadable when objects are expected and there is a text', 'nested',  'garden-house',                            'nvr-unexpected-form'],
    ['is unreadable when streams are a list',                      'streams', [{ garden_sub: 1 }],                       'nvr-unexpected-form'],
    ['loses objects about others, however deep they are',          'nested',  { hours: { 1: [mine, other] }, x: other }, { hours: { 1: [mine] } }],
    ['keeps the sums beside its own objects',                      'nested',  { start: 1, end: 2, count: 1, hours: { 1: [mine] } }, { start: 1, end: 2, count: 1, hours: { 1: [mine] } }],
    ['loses sums of which something was removed',                  'nested',  { start: 1, count: 2, hours: { 1: [mine, other] } }, { hours: { 1: [mine] } }],
    ['loses a list of names',                                      'nested',  { names: ['garden-house'], hours: { 1: [mine, 'garden-house'] } }, { names: [], hours: { 1: [mine] } }],
    ['loses a map by camera, and what names no camera',            'nested',  { hours: { 1: [mine], 'garden-house': [mine] }, by: { 'garden-house': 4, garden: 5, x: { y: 'z' } } }, { hours: { 1: [mine] }, by: { x: {} } }],
    ['loses names in the fields of its own objects',               'nested',  [{ ...mine, cameras: ['garden', 'garden-house'], by_camera: { 'garden-house': 1 } }], [{ ...mine, cameras: ['garden'], by_camera: {} }]],
    ['loses other cameras from fields that list them',             'array',   [{ ...mine, cameras: ['garden', 'garden-house'], label: 'garden-house', allowed_cameras: { 'garden-house': 1, garden: 2 } }], [{ ...mine, cameras: ['garden'], label: 'garden-house', allowed_cameras: { garden: 2 } }]],
    ['loses objects that name another camera by any field',        'array',   [{ ...mine, related: [{ camera_id: 'garden-house' }, { main_camera: 'garden, garden-house' }, { camera_id: 7 }] }], [{ ...mine, related: [{ camera_id: 7 }] }]],
    ['is told of no other camera in the fields of one object',     'one',     { ...mine, cameras: ['garden', 'garden-house'], next: other }, { ...mine, cameras: ['garden'] }],
    ['keeps the streams of its cameras, by any of their names',    'streams', { garden: 1, garden_sub: 2, house_main: 3, nobodys: 4 }, { garden: 1, garden_sub: 2 }],
    ['keeps its cameras of the statistics, and no command line',   'stats',   { cameras: { garden: 1, 'garden-house': 2 }, bandwidth_usages: { garden: 1, 7: 2 }, cpu_usages: { 1: { cpu: 2, cmdline: 'x' } }, service: { uptime: 1 } },
      { cameras: { garden: 1 }, bandwidth_usages: { garden: 1 }, cpu_usages: { 1: { cpu: 2 } }, service: { uptime: 1 } }],
    ['tells by no process and by no sum how busy other cameras are', 'stats', { cameras: { garden: { pid: 1, ffmpeg_pid: 2, detection_fps: 1.5 }, 'garden-house': { pid: 3, capture_pid: 4, ffmpeg_pid: 5, detection_fps: 4 } }, cpu_usages: { 1: { cpu: 1 }, 2: { cpu: 2 }, 3: { cpu: 3 }, 4: { cpu: 4 }, 5: { cpu: 5 }, 6: { cpu: 6 } }, detection_fps: 5.5 },
      { cameras: { garden: { pid: 1, ffmpeg_pid: 2, detection_fps: 1.5 } }, cpu_usages: { 1: { cpu: 1 }, 2: { cpu: 2 }, 6: { cpu: 6 } }, detection_fps: 1.5 }],
    ['keeps the cases that hold something of its cameras',         'cases',   [{ id: 'c1', name: 'mine' }, { id: 'c2', name: 'theirs' }, 'x'], [{ id: 'c1', name: 'mine' }]],
    ['is unreadable when cases are not a list',                    'cases',   { cases: [] },                             'nvr-unexpected-form'],
    ['is unreadable when there are no statistics',                 'stats',   'ok',                                      'nvr-unexpected-form'],
    ['is unreadable when statistics are wrapped',                  'stats',   { data: { cameras: { garden: 1 }, cpu_usages: {} } }, 'nvr-unexpected-form'],
    ['is unreadable when statistics are a list',                   'stats',   [{ cameras: { garden: 1 } }],              'nvr-unexpected-form'],
    ['is unreadable when a part of the statistics has another form', 'stats',   { cameras: { garden: 1 }, cpu_usages: [{ pid: 1 }] }, 'nvr-unexpected-form'],
    ['is unreadable when it is nested too deeply',                 'nested',  `${'['.repeat(200)}${']'.repeat(200)}`,    'nvr-unexpected-form'],
    ['counts its own cameras in every sum, and shows no work done for others', 'stats',
      { cameras: { garden: { camera_fps: 5, process_fps: 4.5, skipped_fps: 0.5, detection_fps: 1 }, 'garden-house': { camera_fps: 7, process_fps: 6, skipped_fps: 1, detection_fps: 2 } },
        camera_fps: 12, process_fps: 10.5, skipped_fps: 1.5, detection_fps: 3, detectors: { coral: { inference_speed: 8, detection_start: 1700000000.5, pid: 9 } }, embeddings: { image_embedding: 3, face_recognition: 1 }, new_sum: 4 },
      { cameras: { garden: { camera_fps: 5, process_fps: 4.5, skipped_fps: 0.5, detection_fps: 1 } },
        camera_fps: 5, process_fps: 4.5, skipped_fps: 0.5, detection_fps: 1, detectors: { coral: { inference_speed: 8, detection_start: 0, pid: 9 } }, embeddings: {} }],
    ['is unreadable when it is not a text of metrics',             'metrics', '<html>garden-house</html>',               'nvr-unexpected-form'],
    ['is unreadable when labels of metrics cannot be told apart',  'metrics', 'fps{x="garden"]},{"y="z{camera_name="garden-house"} 5\n', 'nvr-unexpected-form'],
    ['is unreadable when a label has no comma before it',          'metrics', 'fps{camera_name="garden"camera_name="garden-house"} 5\n', 'nvr-unexpected-form'],
    ['is unreadable when a value is no number',                    'metrics', 'fps{camera_name="garden"} 5.camera_name="garden-house"\n', 'nvr-unexpected-form'],
    ['loses comments about others',                                'metrics', '# HELP fps of garden-house\n# TYPE fps gauge\n', '# TYPE fps gauge\n'],
    ['is unreadable when metrics are JSON',                        'metrics', '{"cmdline":"ffmpeg -i rtsp://a:b@c"}',    'nvr-unexpected-form'],
  ];
  for (const [sentence, form, answer, expected] of rows) {
    it(sentence, () => assert.deepEqual(left(form, answer, 'gardener'), expected));
  }

  it('keeps the metrics of its cameras and of none', () => {
    const text = [
      '# TYPE fps gauge',
      'fps{camera_name="garden"} 5',
      'fps{camera_name="garden-house"} 5',
      'cpu{name="proc:garden-house",cmdline="a"} 1',
      'cpu{name="go2rtc",cmdline="b \\" c"} 1',
      'total 2',
      'frigate_detection_total_fps 9.5',
      'frigate_detection_start{name="coral"} 1.7e9',
      'frigate_camera_fps 12',
      'frigate_face_recognition_speed 3',
      'frigate_detector_inference_speed_seconds{name="coral"} 8.5e-3',
      'frigate_service_uptime_seconds 100 1700000000000',
      '',
    ];
    assert.equal(
      left('metrics', text.join('\n'), 'gardener'),
      [
        '# TYPE fps gauge',
        'fps{camera_name="garden"} 5',
        'cpu{name="go2rtc",cmdline=""} 1',
        'total 2',
        'frigate_detector_inference_speed_seconds{name="coral"} 8.5e-3',
        'frigate_service_uptime_seconds 100 1700000000000',
        '',
      ].join('\n'),
    );
  });
});

describe('Statistics of another form', () => {
  const cmdline = 'ffmpeg -i rtsp://u:p@h';
  // biome-ignore format: a table
  const rows: [sentence: string, answer: unknown, expected: unknown][] = [
    ['wrapped',                 { data: { cpu_usages: { 1: { cpu: 2, cmdline } } } },          { data: { cpu_usages: { 1: { cpu: 2 } } } }],
    ['as a list',               [{ cmdline, url: 'rtsp://u:p@h/1' }],                          [{ url: 'rtsp://*:*@h/1' }]],
    ['with a list of processes', { cpu_usages: [{ pid: 1, cmdline, password: 'x', api_key: 5 }] }, { cpu_usages: [{ pid: 1 }] }],
    ['with a list of secrets',  { x: { api_keys: [1], access_key: ['k'], cmd: ['a', 'b'] } },  { x: {} }],
  ];
  for (const [sentence, answer, expected] of rows) {
    it(`${sentence} keep no command line and no credential for a viewer, and all for an admin`, () => {
      assert.deepEqual(left('stats', answer, 'viewer'), expected);
      assert.equal(left('stats', answer, 'gardener'), 'nvr-unexpected-form');
    });
  }

  for (const body of ['<p>', 'null'])
    it(`that are ${body} are for admins only`, () =>
      assert.deepEqual(
        ['viewer', 'gardener'].map((role) => left('stats', body, role)),
        ['nvr-unexpected-form', 'nvr-unexpected-form'],
      ));
});

describe('The configuration of the NVR', () => {
  const entry = (name: string) => ({
    name,
    enabled: true,
    friendly_name: `The ${name}`,
    detect: { enabled: true, width: 1280, resting_place: name },
    ffmpeg: {
      inputs: [{ path: `rtsp://user:p@ss@${name}/1?password=x&a=1`, input_args: '-headers X-Key:Hunter2' }],
      path: '/usr',
      global_args: ['-user_agent', 'Hunter2'],
      hwaccel_args: 'preset-vaapi',
      output_args: { record: 'preset-record-generic', detect: ['-f', 'rawvideo', 'Hunter2'] },
    },
    live: { streams: { Main: `${name}_main` }, height: 720 },
    onvif: { host: name, password: 'x', port: 80 },
    ui: { order: 2, dashboard: true },
    zones: { [`${name}_zone`]: {} },
    unknown_section: { x: name },
  });
  const CONFIG = {
    auth: { enabled: false, roles: { x: [] }, hash_iterations: 1 },
    birdseye: { enabled: true, restream: true, width: 1280 },
    camera_groups: {
      all: { cameras: ['garden', 'garden-house'], order: 1 },
      house: { cameras: ['garden-house'] },
      one: { cameras: 'garden' },
    },
    cameras: { garden: entry('garden'), 'garden-house': entry('garden-house') },
    classification: { custom: { door: { state_config: { cameras: { garden: 1, 'garden-house': 2 } } } } },
    environment_vars: { A: 'b' },
    genai: { api_key: 'k', model: 'm' },
    go2rtc: { streams: { garden_sub: ['rtsp://u:p@h/x'], house_main: ['rtsp://u:p@h/y'] }, log: {} },
    mqtt: { host: 'broker', password: 'x' },
    proxy: { auth_secret: 'x', logout_url: 'https://nvr.test/out', separator: ',' },
    version: '0.18.0',
  };
  const proxy = { separator: ',', logout_url: 'https://sso.test/out' };
  const quietEntry = (name: string) => ({
    ...entry(name),
    ffmpeg: {
      inputs: [{ path: `rtsp://${name}`, input_args: [] }],
      path: '/usr',
      global_args: [],
      hwaccel_args: 'preset-vaapi',
      output_args: { record: 'preset-record-generic', detect: [] },
    },
    onvif: { host: name, port: 80 },
  });
  /** An empty list would be all cameras to the NVR's pages; `['']` is none. */
  const noLists = { ...OWN_CONFIG.auth, roles: { admin: [], viewer: [], gardener: [''] } };
  const ownList = { ...OWN_CONFIG.auth, roles: { admin: [], viewer: [], gardener: ['garden'] } };

  it("holds our own accounts and logout link for an admin, and is the NVR's in all else", () =>
    assert.deepEqual(left('config', CONFIG, 'admin'), { ...CONFIG, auth: OWN_CONFIG.auth, proxy }));

  it("holds no secrets, no environment and no other roles' cameras for a viewer", () =>
    assert.deepEqual(left('config', CONFIG, 'viewer'), {
      ...CONFIG,
      auth: noLists,
      cameras: { garden: quietEntry('garden'), 'garden-house': quietEntry('garden-house') },
      environment_vars: {},
      genai: { model: 'm' },
      go2rtc: { streams: { garden_sub: ['rtsp://h'], house_main: ['rtsp://h'] }, log: {} },
      mqtt: { host: 'broker' },
      proxy,
    }));

  // biome-ignore format: a table
  const SOURCES: [source: string, left: string][] = [
    ['rtsp://10.0.0.5:554/h264?user=admin&password=Hunter2', 'rtsp://10.0.0.5:554'],
    ['http://cam.lan/flv?port=1935&app=bcs&user=admin&pw=Hunter2', 'http://cam.lan'],
    ['rtsp://10.0.0.5/Hunter2/live', 'rtsp://10.0.0.5'],
    ['rtsp://admin:Hunter2%40x%2F@10.0.0.5/1', 'rtsp://10.0.0.5'],
    ['rtsp://admin:a/b@10.0.0.5/Hunter2', 'rtsp://'],
    ['rtsp://10.0.0.5/live/@Hunter2', 'rtsp://'],
    ['ffmpeg:rtsp://10.0.0.5/Hunter2#video=h264', 'ffmpeg:'],
    ['exec:curl -u Hunter2 10.0.0.5', 'exec:'],
    ['onvif://admin:Hunter2@10.0.0.5?subtype=Hunter2', 'onvif://10.0.0.5'],
    ['nest:?client=Hunter2', 'nest:'],
  ];
  for (const [source, rest] of SOURCES) {
    for (const role of ['viewer', 'gardener']) {
      it(`leaves ${rest} of ${source} to a ${role}, at any place`, () => {
        const told = {
          cameras: { garden: { ffmpeg: { inputs: [{ path: source, roles: ['detect'] }] }, onvif: { host: source } } },
          go2rtc: { streams: { garden: [source], garden_sub: source } },
          birdseye: { note: `see ${source}` },
        };
        const config = left('config', told, role) as typeof told;
        assert.deepEqual(config.go2rtc.streams, { garden: [rest], garden_sub: rest });
        assert.deepEqual(config.cameras.garden.ffmpeg.inputs, [{ path: rest, roles: ['detect'] }]);
        if (source.includes('://')) assert.doesNotMatch(JSON.stringify(config), /Hunter2/);
      });
    }
  }

  it('names no other camera in birdseye and in groups', () => {
    const { birdseye, camera_groups } = left(
      'config',
      {
        cameras: { garden: {}, 'garden-house': {} },
        birdseye: { mode: 'x', order: { 'garden-house': 1 }, main: { camera: 'garden-house' } },
        camera_groups: {
          mine: { cameras: ['garden'], shown: { 'garden-house': 1 } },
          theirs: { cameras: ['garden'], cover_camera: 'garden-house' },
        },
      },
      'gardener',
    ) as { birdseye: unknown; camera_groups: unknown };
    assert.deepEqual(birdseye, { mode: 'x', order: {}, enabled: false, restream: false });
    assert.deepEqual(camera_groups, { mine: { cameras: ['garden'], shown: {} } });
  });

  it('holds the shape and the name alone of a camera that a gardener does not see', () =>
    assert.deepEqual(left('config', CONFIG, 'gardener'), {
      auth: ownList,
      birdseye: { enabled: false, restream: false, width: 1280 },
      camera_groups: { all: { cameras: ['garden'], order: 1 }, one: { cameras: ['garden'] } },
      cameras: {
        garden: quietEntry('garden'),
        'garden-house': {
          name: 'garden-house',
          enabled: true,
          detect: { enabled: false, width: 1280 },
          ffmpeg: { inputs: [] },
          live: { streams: {}, height: 720 },
          onvif: { host: '', port: 80 },
          ui: { order: 2, dashboard: true },
          zones: {},
        },
      },
      classification: { custom: { door: { state_config: { cameras: { garden: 1 } } } } },
      environment_vars: {},
      genai: { model: 'm' },
      go2rtc: { streams: { garden_sub: ['rtsp://h'] } },
      mqtt: { host: 'broker' },
      proxy,
      version: '0.18.0',
    }));

  it('is the same to a gardener whether another camera is on or off, shown or hidden, recorded or not', () => {
    const other = (isOn: boolean) => ({
      enabled: isOn,
      enabled_in_config: isOn,
      record: { enabled: isOn },
      ui: { dashboard: isOn },
      motion: { improve_contrast: isOn, enabled: isOn },
    });
    const seen = [true, false].map((isOn) =>
      left('config', { ...CONFIG, cameras: { ...CONFIG.cameras, 'garden-house': other(isOn) } }, 'gardener'),
    );
    assert.deepEqual(seen[0], seen[1]);
    assert.deepEqual((seen[0] as typeof CONFIG).cameras['garden-house'], {
      name: 'garden-house',
      enabled: true,
      enabled_in_config: true,
      record: { enabled: false },
      ui: { dashboard: true },
      motion: { improve_contrast: false, enabled: false },
    });
  });

  it('names no camera to a role without cameras, which the pages refuse', () => {
    const { cameras, auth } = left('config', CONFIG, 'ghost') as { cameras: unknown; auth: unknown };
    assert.deepEqual([cameras, auth], [{}, noLists]);
  });

  it('tells a role whose cameras are all gone that it has none, and not that it has all', () => {
    const { auth } = left('config', CONFIG, 'gone') as { auth: { roles: unknown } };
    assert.deepEqual(auth.roles, { admin: [], viewer: [], gardener: [''], gone: [''] });
  });

  it('keeps a header with credentials in no text, and no command line', () => {
    const config = { x: "-headers 'Authorization: Basic dTpw'", ffmpeg_cmds: [{ cmd: 'ffmpeg -i secret', roles: [] }] };
    const { x, ffmpeg_cmds } = left('config', config, 'viewer') as typeof config;
    assert.deepEqual([x, ffmpeg_cmds], ["-headers 'Authorization: Basic *'", [{ roles: [] }]]);
  });

  it('that cannot be read is for admins, who lose nothing by it', () =>
    assert.deepEqual(
      ['admin', 'viewer', 'gardener'].map((role) => left('config', '"ok"', role)),
      ['ok', 'nvr-unexpected-form', 'nvr-unexpected-form'],
    ));

  it('is small text for a text of ten thousand letters: no pattern runs away', () => {
    const text = `rtsp://${'a@'.repeat(5000)}`;
    assert.deepEqual((left('config', { x: text }, 'viewer') as { x: string }).x, 'rtsp://');
  });
});

describe('JSON is nested too deep', () => {
  const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const maps = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  // biome-ignore format: a table
  const rows: [sentence: string, text: string, expected: boolean][] = [
    ['not with 100 lists',                                lists(100),                                      false],
    ['with 101 lists',                                    lists(101),                                      true],
    ['not with 100 objects',                              maps(100),                                       false],
    ['with 101 objects',                                  maps(101),                                       true],
    ['with both together',                                `${'['.repeat(60)}${maps(41)}${']'.repeat(60)}`, true],
    ['not side by side, whatever their number',           `[${'[],{},'.repeat(200)}[]]`,                   false],
    ['not one behind the other',                          `[${lists(99)},${lists(99)},${maps(99)}]`,       false],
    ['behind many lists that have ended',                 `[${'[],'.repeat(60)}${lists(110)}]`,            true],
    ['not in a text',                                     `["${'['.repeat(200)}","${'{'.repeat(200)}"]`,   false],
    ['not in a text with quotes',                         `["\\"${'['.repeat(200)}\\\\"]`,                 false],
    ['behind a text that ends in a backslash',            `["\\\\",${lists(101)}]`,                        true],
    ['behind an empty text',                              `["",${lists(101)}]`,                            true],
    ['not in a text without an end',                      `["${'['.repeat(200)}`,                          false],
    ['not behind a backslash at the end',                 '"\\',                                           false],
  ];
  for (const [sentence, text, expected] of rows) it(sentence, () => assert.equal(isNestedTooDeep(text), expected));
});
