/** Bodies of requests for the NVR: what a row does not name is refused, for callers who see all cameras as well. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadPolicy } from '../../src/config/policy/load-policy.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

type Who = 'admin' | 'viewer' | 'custom';

const EXPORT = '/api/export/cam1/start/1/end/2';
const CUSTOM = '/api/export/custom/cam1/start/1/end/2';
const BATCH = '/api/exports/batch';
const REGISTER = '/api/notifications/register';
const SEARCH = '/api/cam1/search/motion';
const VIEWED = '/api/reviews/viewed';
const CANCEL = '/api/cam1/search/motion/job1/cancel';
const PICTURE = '/media/frigate/clips/review/thumb-cam1-1700000000.5-abc.webp';
const PUSH = 'https://fcm.googleapis.com/fcm/send/dXyz:APA91b_-';

const subscription = (endpoint: unknown, more: object = {}) => ({
  sub: { endpoint, expirationTime: null, keys: { p256dh: 'BPub_-x', auth: 'aGk' }, ...more },
});
const item = (more: object) => ({ items: [{ camera: 'cam1', start_time: 1, end_time: 2, ...more }] });

/** What an NVR of version 0.17 and before reads as a path out of its clips directory. */
const ESCAPES = [
  '/media/frigate/clips\\..\\..\\..\\etc/passwd',
  '/media/frigate/clips/..\\..\\config/config.yml',
  '/media/frigate/clips/../../../etc/passwd',
  '/media/frigate/clips/review/./../../x',
  '/media/frigate/clips/a..b',
  '/media/frigate/clipsx/a.jpg',
  '/media/frigate/clips',
  '/media/frigate/clips//a.jpg',
  '/media/frigate/clips/a\u0000.jpg',
  '/media/frigate/clips/a*.jpg',
  '/etc/passwd',
  'clips/a.jpg',
  '',
  7,
  ['/media/frigate/clips/a.jpg'],
  { path: '/etc/passwd' },
];

const FOREIGN_ENDPOINTS = [
  'http://fcm.googleapis.com/fcm/send/x',
  'https://127.0.0.1:5000/api/restart',
  'https://127.0.0.1/api/restart',
  'https://127.1/api/restart',
  'https://2130706433/',
  'https://0x7f.0.0.1/',
  'https://0177.0.0.1/',
  'https://0x7f000001/',
  'https://[::1]/api/restart',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1%25eth0]/',
  'https://localhost/api/restart',
  'https://localhost./',
  'https://10.0.0.1/',
  'https://192.168.1.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://frigate/api/restart',
  'https://example.com/push',
  'https://fcm.googleapis.com./fcm/send/x',
  'https://fcm.googleapis.com:443/fcm/send/x',
  'https://fcm.googleapis.com:5000/fcm/send/x',
  'https://user@fcm.googleapis.com/x',
  'https://fcm.googleapis.com@127.0.0.1/x',
  'https://fcm.googleapis.com:x@127.0.0.1/x',
  'https://127.0.0.1\\@fcm.googleapis.com/x',
  'https://127.0.0.1#@fcm.googleapis.com/x',
  'https://127.0.0.1?.fcm.googleapis.com/x',
  'https://fcm.googleapis.com.evil.example/x',
  'https://evilfcm.googleapis.com/x',
  'https://xn--fcm-.googleapis.com/x',
  'https://fcm。googleapis.com/x',
  'https://ｆcm.googleapis.com/x',
  'https://fcm.googleapis.com',
  'https://fcm.googleapis.com\\x/',
  'https:/fcm.googleapis.com/x',
  'https:\\\\fcm.googleapis.com\\x',
  ' https://fcm.googleapis.com/x',
  'https://fcm.googleapis.com/x y',
  'https://fcm.googleapis.com/x\r\nHost: a',
  'https://push.apple.com/x',
  'https://notify.windows.com.evil.example/x',
  'https://a.notify.windows.com@127.0.0.1/x',
  'https://*.push.apple.com/x',
  'https://%66cm.googleapis.com/x',
  'file:///etc/passwd',
  'gopher://127.0.0.1/',
  '//fcm.googleapis.com/x',
  '',
  7,
  { toString: 1 },
  ['https://fcm.googleapis.com/x'],
];

/** Each is refused, and its field named where it has one. */
// biome-ignore format: a table
const REFUSED: readonly (readonly [who: Who, path: string, body: unknown, status: number, field: string])[] = [
  ...(['viewer', 'custom'] as const).flatMap((who) => [
    [who, EXPORT, { export_case_id: 'a' },                       403, 'export_case_id'],
    [who, EXPORT, { unknown: 1 },                                422, 'unknown'],
    [who, EXPORT, { ffmpeg_input_args: '-i /etc/passwd' },       422, 'ffmpeg_input_args'],
    [who, EXPORT, { Image_Path: PICTURE },                       422, 'Image_Path'],
    [who, EXPORT, { source: 'https://127.0.0.1/' },              422, 'source'],
    [who, EXPORT, { playback: 1 },                               422, 'playback'],
    [who, EXPORT, { name: 'a'.repeat(257) },                     422, 'name'],
    [who, EXPORT, { name: 'a\u0000b' },                          422, 'name'],
    [who, EXPORT, '{"name":"\\ud800"}',                          422, 'name'],
    [who, EXPORT, { name: ['a'] },                               422, 'name'],
    [who, EXPORT, { name: { $ne: 1 } },                          422, 'name'],
    [who, EXPORT, '{"__proto__":{"image_path":"/etc/passwd"}}',  422, '__proto__'],
    [who, EXPORT, { name: { image_path: PICTURE } },             422, 'name'],
    [who, EXPORT, '{"__proto__":{}}',                            422, '__proto__'],
    [who, EXPORT, { constructor: {} },                           422, 'constructor'],
    [who, EXPORT, [{ name: 'a' }],                               422, ''],
    [who, EXPORT, '"name"',                                      422, ''],
    [who, EXPORT, '7',                                           422, ''],
    [who, BATCH,  { items: [{ camera: 'cam1', a: 1 }] },         422, 'items[0].a'],
    [who, BATCH,  { items: [{ camera: 'cam1' }, { start_time: 1 }] }, 422, 'items[1].camera'],
    [who, BATCH,  { items: { camera: 'cam1' } },                 422, 'items'],
    [who, BATCH,  { items: ['cam1'] },                           422, 'items[0]'],
    [who, BATCH,  { items: [null] },                             422, 'items[0]'],
    [who, BATCH,  item({ start_time: '1' }),                     422, 'items[0].start_time'],
    [who, BATCH,  '{"items":[{"camera":"cam1","start_time":1e308}]}', 422, 'items[0].start_time'],
    [who, VIEWED, { ids: ['a*'] },                               422, 'ids[0]'],
    [who, VIEWED, { ids: ['a'], reviewed: 'x' },                 422, 'reviewed'],
    [who, VIEWED, { ids: 'a' },                                  422, 'ids'],
    [who, SEARCH, { polygon_points: [[0, 0], ['a', 1]] },        422, 'polygon_points[1][0]'],
    [who, SEARCH, { url: 'http://127.0.0.1/' },                  422, 'url'],
    [who, CANCEL, { a: 1 },                                      422, 'a'],
    [who, '/api/cam1/plus/1700000000.5', { url: 'http://x/' },   422, 'url'],
  ] as const),
  ...ESCAPES.flatMap((path) => [
    ['admin', EXPORT, { image_path: path }, 422, 'image_path'],
    ['admin', CUSTOM, { image_path: path }, 422, 'image_path'],
    ['admin', BATCH, item({ image_path: path }), 422, 'items[0].image_path'],
  ] as const),
  ...FOREIGN_ENDPOINTS.flatMap((endpoint) => [
    ['viewer', REGISTER, subscription(endpoint), 422, 'sub.endpoint'],
    ['admin', REGISTER, subscription(endpoint), 422, 'sub.endpoint'],
  ] as const),
  ['viewer', REGISTER, { sub: { keys: { p256dh: 'a', auth: 'a' } } },                422, 'sub.endpoint'],
  ['viewer', REGISTER, { sub: { endpoint: PUSH } },                                  422, 'sub.keys'],
  ['viewer', REGISTER, { sub: { endpoint: PUSH, keys: { auth: 'a' } } },             422, 'sub.keys.p256dh'],
  ['viewer', REGISTER, subscription(PUSH, { proxy: 'http://127.0.0.1/' }),           422, 'sub.proxy'],
  ['viewer', REGISTER, { sub: [PUSH] },                                              422, 'sub'],
  ['viewer', REGISTER, { sub: PUSH },                                                422, 'sub'],
  ['viewer', REGISTER, { ...subscription(PUSH), endpoint: PUSH },                    422, 'endpoint'],
];

const PASSED: readonly (readonly [who: Who, path: string, body: unknown])[] = [
  ['viewer', EXPORT, { playback: 'realtime', source: 'recordings', name: 'Übergabe (Tür) 5' }],
  ['viewer', EXPORT, { source: 'recordings', chapters: 'none', image_path: null, export_case_id: null }],
  ['custom', EXPORT, {}],
  ['custom', EXPORT, { image_path: PICTURE, name: 'a' }],
  ['viewer', EXPORT, { image_path: PICTURE.replace('cam1', 'cam2') }],
  ['custom', BATCH, item({ image_path: PICTURE })],
  ['viewer', BATCH, item({ friendly_name: 'a', client_item_id: '1700000000.5-abc' })],
  ['custom', BATCH, item({})],
  ['custom', SEARCH, { start_time: 1, end_time: 2.5, polygon_points: [[0, 0.5]], threshold: 30, parallel: false }],
  ['viewer', VIEWED, { ids: ['1700000000.5-abc'], reviewed: false }],
  ['custom', CANCEL, {}],
  ['custom', CANCEL, undefined],
  ['viewer', REGISTER, subscription(PUSH)],
  ['viewer', REGISTER, subscription('https://web.push.apple.com/QGue')],
  ['admin', REGISTER, subscription('https://wns2-par02p.notify.windows.com/w/?token=BQY%2fA%3d')],
  ['viewer', REGISTER, subscription('https://updates.push.services.mozilla.com/wpush/v2/gAAA')],
  ['admin', EXPORT, { image_path: PICTURE, a_field_of_tomorrow: { x: [1] } }],
  ['admin', BATCH, item({ image_path: PICTURE, a_field_of_tomorrow: 1 })],
  ['admin', CUSTOM, { image_path: PICTURE, ffmpeg_output_args: '-c copy' }],
];

describe('A body for the NVR', () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  const tokens: Record<Who, string> = { admin: '', viewer: '', custom: '' };
  before(async () => {
    nvr = await startFakeNvr();
    instance = await startInstance({ config: { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] } } });
    tokens.admin = await instance.logIn(ADMIN_PERSON);
    tokens.viewer = await instance.logIn(VERA);
    tokens.custom = await instance.logIn(CARL);
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });

  async function sent(who: Who, path: string, body: unknown, type = 'application/json') {
    const before = nvr.received.length;
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const answer = await instance.ask(path, {
      method: 'POST',
      token: tokens[who],
      headers: { 'content-type': type },
      ...(text !== undefined && { body: text }),
    });
    const arrived = nvr.received.slice(before).filter(({ method }) => method === 'POST');
    return { status: answer.status, text: await answer.text(), arrived };
  }

  it('is refused with the name of the field where it is not what the row names, and the NVR gets nothing', async () => {
    for (const [who, path, body, status, field] of REFUSED) {
      const told = `${who} ${path} ${JSON.stringify(body).slice(0, 200)}`;
      const { status: got, text, arrived } = await sent(who, path, body);
      assert.equal(got, status, `${told}: ${text}`);
      assert.equal(arrived.length, 0, told);
      const { message } = JSON.parse(text) as { message: string };
      if (field !== '') assert.ok(message.includes(JSON.stringify(field)), `${told}: ${message}`);
    }
  });

  it('is passed where it is', async () => {
    for (const [who, path, body] of PASSED) {
      if (who === 'custom' && path === VIEWED) continue;
      const { status, text, arrived } = await sent(who, path, body);
      assert.equal(status, 200, `${who} ${path} ${JSON.stringify(body)}: ${text}`);
      assert.deepEqual(
        arrived.map((request) => request.body),
        [body === undefined ? '' : latin1(JSON.stringify(body))],
      );
    }
  });

  it('of others than admins loses a picture that is not of a review of their cameras', async () => {
    const folder = '/media/frigate/clips/review';
    const elsewhere = [
      ...ESCAPES,
      PICTURE.replace('cam1', 'cam3'),
      PICTURE.replace('review/thumb-', ''),
      PICTURE.replace('.webp', '.jpg'),
      PICTURE.replace('.webp', ''),
      PICTURE.replace('/review/', '/REVIEW/'),
      PICTURE.replace('/review/', '/review/x/'),
      PICTURE.replace('/media/frigate', ''),
      `${folder}/thumb-cam1.webp`,
      `${folder}/thumb-cam1-1700000000.5-abc/../thumb-cam2-1700000000.5-abc.webp`,
      `${folder}/thumb-cam1-1700000000.5-abc\\thumb-cam2-1700000000.5-abc.webp`,
      `${PICTURE}\u0000`,
      [PICTURE],
    ];
    const foreign = PICTURE.replace('cam1', 'cam2');
    for (const [who, pictures] of [['viewer', elsewhere] as const, ['custom', [...elsewhere, foreign]] as const])
      for (const picture of pictures) {
        const told = `${who} ${JSON.stringify(picture)}`;
        const one = await sent(who, EXPORT, { image_path: picture, name: 'a' });
        assert.deepEqual([one.status, one.arrived.map(({ body }) => body)], [200, ['{"name":"a"}']], told);
        const several = await sent(who, BATCH, {
          items: [
            { camera: 'cam1', image_path: picture },
            { camera: 'cam1', image_path: PICTURE },
          ],
        });
        const left = JSON.stringify({ items: [{ camera: 'cam1' }, { camera: 'cam1', image_path: PICTURE }] });
        assert.deepEqual([several.status, several.arrived.map(({ body }) => body)], [200, [left]], told);
      }
  });

  it('is judged as the NVR will read it: the last of two keys counts, and it alone arrives', async () => {
    const twice = await sent('viewer', EXPORT, '{"name":"a","name":"b"}');
    assert.deepEqual(
      twice.arrived.map(({ body }) => body),
      ['{"name":"b"}'],
    );
    const hidden = await sent('viewer', EXPORT, '{"image_path":"/etc/passwd","image_path":null}');
    assert.deepEqual(
      hidden.arrived.map(({ body }) => body),
      ['{"image_path":null}'],
    );
    const behind = await sent('viewer', EXPORT, '{"image_path":null,"image_path":"/etc/passwd"}');
    assert.deepEqual(
      behind.arrived.map(({ body }) => body),
      ['{}'],
    );
  });

  it('is refused as a form, in parts, in another encoding, and nested without end', async () => {
    const json = '{"name":"a&image_path=/etc/passwd"}';
    for (const [type, body] of [
      ['application/x-www-form-urlencoded', 'image_path=/etc/passwd'],
      ['application/x-www-form-urlencoded', json],
      ['multipart/form-data; boundary=x', json],
      [
        'multipart/form-data; boundary=x',
        '--x\r\nContent-Disposition: form-data; name="image_path"\r\n\r\n/etc\r\n--x--',
      ],
      ['application/json; charset=utf-16', json],
      ['application/json, multipart/form-data', json],
      ['application/xml', json],
      ['application/json', 'image_path'],
      ['application/json', '{"name":'],
      ['application/json', `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
      ['application/json', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ] as const) {
      const { status, arrived } = await sent('viewer', EXPORT, body, type);
      assert.equal(status, 400, `${type} ${body.slice(0, 60)}`);
      assert.equal(arrived.length, 0, type);
    }
  });

  it('names the push services that the configuration has, after a reload as well', async () => {
    const own = 'https://push.example.org/x';
    assert.equal((await sent('viewer', REGISTER, subscription(own))).status, 422);
    const nvrSection = { url: nvr.url, cameras: ['cam1', 'cam2'] };
    await instance.reload({ nvr: { ...nvrSection, push_endpoints: ['push.example.org'] } });
    assert.equal((await sent('viewer', REGISTER, subscription(own))).status, 200);
    assert.equal((await sent('viewer', REGISTER, subscription(PUSH))).status, 422);
    await instance.reload({ nvr: { ...nvrSection, push_endpoints: [] } });
    assert.equal((await sent('viewer', REGISTER, subscription(own))).status, 422);
    await instance.reload({ nvr: nvrSection });
  });
});

describe('A route table of an operator', () => {
  it('takes no body where it names none, any where it says so, and judges what it names for admins too', async () => {
    const nvr = await startFakeNvr();
    const directory = mkdtempSync(join(tmpdir(), 'postern-bodies-'));
    writeFileSync(join(directory, 'own.yaml'), OWN_TABLE);
    const config = { nvr: { url: nvr.url, cameras: ['cam1'], policy: './own.yaml' } };
    const instance = await startInstance({ config, directory });
    try {
      const [viewer, admin] = [await instance.logIn(VERA), await instance.logIn(ADMIN_PERSON)];
      const post = async (token: string, path: string, body: string, method = 'POST') =>
        (await instance.ask(path, { method, token, body, headers: { 'content-type': 'application/json' } })).status;
      assert.equal(await post(viewer, '/api/plain', '{"a":1}'), 422);
      assert.equal(await post(viewer, '/api/plain', '{"a":1}', 'DELETE'), 422);
      assert.equal(await post(viewer, '/api/plain', '{}'), 200);
      assert.equal(await post(admin, '/api/plain', '{"a":1}'), 200);
      assert.equal(await post(viewer, '/api/anything', 'not JSON'), 200);
      assert.equal(await post(viewer, '/api/mode', '{"mode":"off"}'), 200);
      assert.equal(await post(viewer, '/api/mode', '{"mode":"odd"}'), 422);
      assert.equal(await post(admin, '/api/mode', '{"mode":"odd"}'), 422);
      assert.equal(await post(admin, '/api/mode', '{"more":"odd"}'), 200);
    } finally {
      await instance.close();
      await nvr.close();
      rmSync(directory, { recursive: true, force: true });
    }
  });

  it('is complete as it is shipped: each row by which others than admins may send a body has its shape', async () => {
    const loaded = await loadPolicy('frigate', '.');
    assert.ok(loaded.kind === 'loaded');
    const open = loaded.rows.filter(
      ({ own, access, methods }) =>
        !own && !['admin', 'none'].includes(access) && methods.some((method) => method !== 'GET' && method !== 'WS'),
    );
    assert.ok(open.length >= 9, `${open.length} rows`);
    for (const { path, body, signalling } of open) assert.ok(signalling || (body && body !== 'any'), path);
  });
});

const OWN_TABLE = `version: 1
extends: frigate
routes:
  - { route: "POST,DELETE /api/plain", access: any }
  - { route: "POST /api/anything", access: any, body: any }
  - { route: "POST /api/mode", access: unrestricted, body: { mode: "on|off" } }
`;

/** The fake NVR tells bytes as Latin-1. */
const latin1 = (text: string): string => Buffer.from(text).toString('latin1');
