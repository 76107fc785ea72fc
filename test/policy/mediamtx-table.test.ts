/** The table for MediaMTX: complete for its release, and what each row for others than admins must say (SPEC 20). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { compileRouteTable } from '../../src/access/route-table.ts';
import { parsePolicy, tableSchema } from '../../src/config/policy/load-policy.ts';

const text = readFileSync(new URL('../../conf/policies/mediamtx.yaml', import.meta.url), 'utf8');
const written = tableSchema.parse(parse(text));
const table = parsePolicy(text, 'mediamtx.yaml');
assert.ok(table.ok);
const routes = compileRouteTable(table.value.rows);
const forOthers = written.routes.filter(({ access }) => access !== 'admin' && access !== 'none');

const SECRET = '0f000000-0000-4000-8000-000000000000';

/** Every operation of api/openapi.yaml of 1.20.1, of api/playback.openapi.yaml, and of the two other servers. */
const OPERATIONS: readonly string[] = [
  ...['GET /v3/info', 'POST /v3/auth/jwks/refresh'],
  ...['GET /v3/config/global/get', 'PATCH /v3/config/global/patch'],
  ...['GET /v3/config/pathdefaults/get', 'PATCH /v3/config/pathdefaults/patch'],
  ...['GET /v3/config/paths/list', 'GET /v3/config/paths/get/a/b', 'POST /v3/config/paths/add/a/b'],
  ...['PATCH /v3/config/paths/patch/a/b', 'POST /v3/config/paths/replace/a/b', 'DELETE /v3/config/paths/delete/a/b'],
  ...['GET /v3/hlsmuxers/list', 'GET /v3/hlsmuxers/get/a/b', 'GET /v3/paths/list', 'GET /v3/paths/get/a/b'],
  ...['GET /v3/paths/forward/list', 'GET /v3/paths/forward/get'],
  ...[
    'hlssessions',
    'rtspsessions',
    'rtspssessions',
    'rtmpconns',
    'rtmpsconns',
    'webrtcsessions',
    'srtconns',
    'moqsessions',
  ].flatMap((kind) => [`GET /v3/${kind}/list`, `GET /v3/${kind}/get/1`, `POST /v3/${kind}/kick/1`]),
  ...['rtspconns', 'rtspsconns'].flatMap((kind) => [`GET /v3/${kind}/list`, `GET /v3/${kind}/get/1`]),
  ...['GET /v3/recordings/list', 'GET /v3/recordings/get/a/b', 'DELETE /v3/recordings/deletesegment'],
  ...['GET /playback/list', 'GET /playback/get', 'GET /metrics', 'GET /debug/pprof/heap'],
  ...[
    'GET /hls/a/b/',
    'GET /hls/a/b',
    'GET /hls/a/b/index.m3u8',
    'GET /hls/a/b/1.mp4',
    'GET /hls/a/b/1.ts',
    'GET /hls/a/b/hls.min.js',
  ],
  ...[
    'GET /webrtc/a/b/',
    'GET /webrtc/a/b',
    'GET /webrtc/a/b/reader.js',
    'GET /webrtc/a/b/publish',
    'GET /webrtc/a/b/publisher.js',
  ],
  ...['whip', 'whep'].flatMap((kind) => [
    ...[`OPTIONS /webrtc/a/b/${kind}`, `POST /webrtc/a/b/${kind}`],
    ...[`PATCH /webrtc/a/b/${kind}/${SECRET}`, `DELETE /webrtc/a/b/${kind}/${SECRET}`],
  ]),
];

describe('The table for MediaMTX', () => {
  it('has every operation of its descriptions and of its other servers', () => {
    const unlisted = OPERATIONS.filter((operation) => {
      const [method = '', path = ''] = operation.split(' ');
      return routes.match(method, path.slice(1).split('/')).kind === 'unlisted';
    });
    assert.deepEqual(unlisted, []);
  });

  it('says for each row for others than admins what its handler does, and which parameters it takes', () => {
    assert.ok(forOthers.length > 30);
    const lacking = forOthers.filter(({ handler, query }) => !handler?.checked.includes('1.20') || !query);
    assert.deepEqual(lacking, []);
  });

  it('takes no parameter that MediaMTX could read as credentials', () => {
    const names = new Set(forOthers.flatMap(({ query = {} }) => Object.keys(query)));
    for (const name of ['jwt', 'user', 'pass', 'token', 'key']) assert.equal(names.has(name), false, name);
  });

  it('changes nothing but live signalling for others than admins', () => {
    const changing = forOthers.filter(({ route }) => !route.startsWith('GET '));
    assert.ok(changing.every(({ route }) => /^\w+ \/webrtc\/\{camera\.\.\.\}\/whep(\/\{secret:uuid\})?$/.test(route)));
  });

  // biome-ignore format: a table
  const READ_AS: [asked: string, row: string, camera: string][] = [
    ['GET /hls/whep/index.m3u8',                 'GET /hls/{camera...}/{file:file}.m3u8',           'whep'],
    ['GET /hls/index.m3u8/index.m3u8',           'GET /hls/{camera...}/{file:file}.m3u8',           'index.m3u8'],
    ['GET /hls/a/index.m3u8/b.mp4',              'GET /hls/{camera...}/{file:file}.mp4',            'a/index.m3u8'],
    ['GET /hls/a.mp4/',                          'GET /hls/{camera...}/',                           'a.mp4'],
    ['GET /hls/a/hls.min.js/',                   'GET /hls/{camera...}/',                           'a/hls.min.js'],
    ['GET /webrtc/a/publish/',                   'GET /webrtc/{camera...}/',                        'a/publish'],
    ['GET /webrtc/publish',                      'GET /webrtc/{camera...}',                         'publish'],
    ['POST /webrtc/whep/whep',                   'POST /webrtc/{camera...}/whep',                   'whep'],
    ['POST /webrtc/a/whip/whep',                 'POST /webrtc/{camera...}/whep',                   'a/whip'],
    ['POST /webrtc/a/whep/b/whep',               'POST /webrtc/{camera...}/whep',                   'a/whep/b'],
    [`DELETE /webrtc/a/b/whep/${SECRET}`,        'DELETE /webrtc/{camera...}/whep/{secret:uuid}',   'a/b'],
    [`DELETE /webrtc/whep/whep/${SECRET}`,       'DELETE /webrtc/{camera...}/whep/{secret:uuid}',   'whep'],
    ['GET /v3/paths/get/list',                   'GET /v3/paths/get/{camera...}',                   'list'],
    ['GET /v3/paths/get/forward/list',           'GET /v3/paths/get/{camera...}',                   'forward/list'],
  ];
  for (const [asked, row, camera] of READ_AS)
    it(`reads ${asked} as of the path ${camera}, as MediaMTX does`, () => {
      const [method = '', path = ''] = asked.split(' ');
      const match = routes.match(method, path.slice(1).split('/'));
      assert.ok(match.kind === 'listed');
      assert.deepEqual([`${match.row.methods.join(',')} ${match.row.path}`, match.parameters['camera']], [row, camera]);
    });
});
