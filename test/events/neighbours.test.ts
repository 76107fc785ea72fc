/** The routes beside the events list: by ids, names, pictures, newest of each label, days (SPEC 7). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { EventRecord } from '../../src/domain/events/event.ts';
import { event, FIVE } from './support/event.ts';
import { type Answer, type ServedEvents, serveEvents } from './support/served-events.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000', 'hex');
const JPEG = Buffer.from('ffd8ffe000104a46', 'hex');
const WEBP = Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1');
const FOREIGN = { success: false, message: 'Access denied to that camera.', reason: 'camera-not-in-role' };

// biome-ignore format: a table
const EVENTS = [
  ...FIVE,
  event({ id: 'png',  camera: 'back',  label: 'cat', start_time: 10, thumbnail: PNG.toString('base64'), data: { recognized_license_plate: 'XYZ789, ABC123' } }),
  event({ id: 'jpeg', camera: 'front', label: 'cat', start_time: 11, thumbnail: JPEG.toString('base64'), end_time: null }),
  event({ id: 'webp', camera: 'front', label: 'cat', start_time: 12, thumbnail: WEBP.toString('base64') }),
  event({ id: 'gone',  camera: 'gone',  label: 'cat', start_time: 14 }),
  event({ id: 'html', camera: 'front', label: 'cat', start_time: 13, thumbnail: Buffer.from('<script>').toString('base64') }),
];

describe('Beside the events list', () => {
  let served: ServedEvents;
  before(async () => {
    served = await serveEvents({
      events: EVENTS,
      roles: { guard: ['front'], nobody: [] },
      cameras: ['front', 'back', 'garage'],
    });
  });
  after(() => served.close());

  // biome-ignore format: a table
  const names: [target: string, role: string, status: number, body: unknown][] = [
    ['/api/labels',                        'admin',    200, ['car', 'cat', 'dog', 'person']],
    ['/api/labels',                        'guard',    200, ['cat', 'dog', 'person']],
    ['/api/labels?camera=back',            'viewer',   200, ['car', 'cat']],
    ['/api/labels?camera=elsewhere',       'admin',    403, FOREIGN],
    ['/api/labels?camera=gone',            'viewer',   403, FOREIGN],
    ['/api/labels?camera=back',            'guard',    403, FOREIGN],
    ['/api/labels?camera=back&camera=front', 'guard',  403, FOREIGN],
    ['/api/labels?camera=',                'guard',    200, ['cat', 'dog', 'person']],
    ['/api/labels',                        'stranger', 200, []],
    ['/api/sub_labels',                    'admin',    200, ['Bobby', 'bob', 'bob, john', 'Émile']],
    ['/api/sub_labels?split_joined=1',     'admin',    200, ['Bobby', 'bob', 'john', 'Émile']],
    ['/api/sub_labels?split_joined=0',     'guard',    200, ['bob', 'bob, john', 'Émile']],
    ['/api/sub_labels',                    'nobody',   200, []],
    ['/api/recognized_license_plates',     'admin',    200, ['ABC123', 'XYZ789', 'XYZ789, ABC123']],
    ['/api/recognized_license_plates?split_joined=1', 'admin', 200, ['ABC123', 'XYZ789']],
    ['/api/recognized_license_plates',     'guard',    200, ['ABC123', 'XYZ789']],
  ];
  for (const [target, role, status, body] of names) {
    it(`${target} gives ${role} ${JSON.stringify(body)}`, async () => {
      const answer = await served.ask(target, { role });
      assert.deepEqual([answer.status, answer.json()], [status, body]);
    });
  }

  it('days tell of no other camera and nothing older, whatever the gate has narrowed before', async () => {
    const counted = async (role: string, headers: Readonly<Record<string, string>> = {}) => {
      const answer = await served.ask('/api/events/days?after=1690000000&before=1720100000', { role, headers });
      return answer.json();
    };
    const seen = (isSeen: (event: EventRecord) => boolean) => {
      const told = EVENTS.filter((event) => event.start_time > 1_690_000_000 && isSeen(event));
      const days = told.map(
        (event) => `${new Date(event.start_time * 1000).toISOString().slice(0, 10)} ${event.camera}`,
      );
      return [...new Set(days)].sort().map((row) => {
        const [day, camera] = row.split(' ');
        return { day, camera, count: days.filter((one) => one === row).length };
      });
    };
    const isKnown = ({ camera }: EventRecord): boolean => ['front', 'back', 'garage'].includes(camera);
    assert.deepEqual(await counted('admin'), seen(isKnown));
    assert.deepEqual(
      await counted('guard'),
      seen(({ camera }) => camera === 'front'),
    );
    assert.deepEqual(
      await counted('admin', { 'remote-cameras': 'back' }),
      seen(({ camera }) => camera === 'back'),
    );
    const since = 1_700_003_601;
    assert.deepEqual(
      await counted('admin', { 'remote-since': String(since) }),
      seen((event) => isKnown(event) && event.start_time >= since),
    );
  });

  const ids = (answer: Answer) => (answer.json() as { id: string }[]).map(({ id }) => id);

  it('events are found by their ids, unknown ones passed over', async () => {
    const answer = await served.ask('/api/event_ids?ids=3-c,nothing,,1-a');
    assert.deepEqual(ids(answer), ['3-c', '1-a']);
    const [first] = answer.json() as Record<string, unknown>[];
    const legacy = ['score', 'region', 'box', 'area', 'ratio', 'top_score'].map((column) => first?.[column]);
    assert.deepEqual(legacy, [null, null, null, null, null, null]);
    assert.equal(Object.keys(first ?? {}).length, 23);
  });

  // biome-ignore format: a table
  const byId: [sentence: string, target: string, role: string, status: number][] = [
    ['no ids give no events',            '/api/event_ids?ids=',         'admin',    200],
    ['a foreign id refuses all',         '/api/event_ids?ids=1-a,3-c',  'guard',    403],
    ['any id refuses a role unknown',    '/api/event_ids?ids=1-a',      'stranger', 403],
    ['own ids are answered',             '/api/event_ids?ids=1-a,2-b',  'guard',    200],
    ['an id of a camera no longer known is refused', '/api/event_ids?ids=1-a,gone', 'admin', 403],
    ['ids must be given',                '/api/event_ids',              'admin',    422],
  ];
  for (const [sentence, target, role, status] of byId) {
    it(sentence, async () => assert.equal((await served.ask(target, { role })).status, status));
  }

  // biome-ignore format: a table
  const pictures: [sentence: string, target: string, role: string, status: number, type: string, cache: string | undefined][] = [
    ['a PNG is one, whatever was asked for',  'png/thumbnail.jpg',   'admin', 200, 'image/png',  'private, max-age=2592000'],
    ['a JPEG of a running event is not kept', 'jpeg/thumbnail.webp', 'admin', 200, 'image/jpeg', 'no-store'],
    ['a WebP is kept as long as is asked',    'webp/thumbnail.webp?max_cache_age=60', 'guard', 200, 'image/webp', 'private, max-age=60'],
    ['what is no picture is not shown as a page', 'html/thumbnail.png', 'admin', 200, 'application/octet-stream', 'private, max-age=2592000'],
    ['a foreign picture is refused',          'png/thumbnail.jpg',   'guard', 403, 'application/json; charset=utf-8', undefined],
    ['no event, no picture',                  'x/thumbnail.jpg',     'admin', 404, 'application/json; charset=utf-8', undefined],
    ['no picture stored',                     '1-a/thumbnail.jpg',   'admin', 404, 'application/json; charset=utf-8', undefined],
    ['another ending',                        'png/thumbnail.html',  'admin', 404, 'application/json; charset=utf-8', undefined],
    ['an invalid age',                        'png/thumbnail.jpg?max_cache_age=x', 'admin', 422, 'application/json; charset=utf-8', undefined],
  ];
  for (const [sentence, target, role, status, type, cache] of pictures) {
    it(sentence, async () => {
      const { headers, status: got } = await served.ask(`/api/events/${target}`, { role });
      assert.deepEqual([got, headers['content-type'], headers['cache-control']], [status, type, cache]);
      assert.equal(headers['x-content-type-options'], status === 200 ? 'nosniff' : undefined);
    });
  }

  it('a picture that the browser has is not sent again', async () => {
    const target = '/api/events/png/thumbnail.png';
    const { headers } = await served.ask(target);
    assert.match(String(headers.etag), /^"[\w-]{22}"$/);
    const again = await served.ask(target, { headers: { 'if-none-match': String(headers.etag) } });
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', headers.etag]);
    assert.equal((await served.ask(target, { headers: { 'if-none-match': '"another"' } })).status, 200);
    assert.notEqual((await served.ask('/api/events/webp/thumbnail.webp')).headers.etag, headers.etag);
  });

  it('explore shows the newest of each label, the most frequent first, with how many there are', async () => {
    const answer = await served.ask('/api/events/explore?limit=2');
    const shown = (answer.json() as Record<string, unknown>[]).map((one) => `${one['id']} ${one['event_count']}`);
    assert.deepEqual(shown, ['html 4', 'webp 4', '4-d 2', '3-c 2', '2-b 2', '1-a 2', '5-e 1']);
    const [first] = (answer.json() as Record<string, unknown>[]).filter(({ id }) => id === '3-c');
    assert.deepEqual([first?.['data'], first?.['thumbnail']], [{ score: 0.7 }, null]);
  });

  it('explore counts and shows only what the role sees', async () => {
    const answer = await served.ask('/api/events/explore', { role: 'guard' });
    const counts = (answer.json() as Record<string, unknown>[]).map((one) => `${one['label']} ${one['event_count']}`);
    assert.deepEqual([...new Set(counts)], ['cat 3', 'person 2', 'dog 1']);
    assert.deepEqual((await served.ask('/api/events/explore?limit=0')).json(), []);
    assert.equal((await served.ask('/api/events/explore?limit=-1')).status, 422);
  });

  it('the summary counts by local day, in order of day', async () => {
    const rows = async (query: string, role = 'admin') =>
      ((await served.ask(`/api/events/summary?${query}`, { role })).json() as Record<string, unknown>[]).map(
        ({ day, camera, label, sub_label, zones, count, data }) => {
          assert.deepEqual(data, {});
          return `${day} ${camera} ${label} ${sub_label} ${JSON.stringify(zones)} ${count}`;
        },
      );
    const days = async (query: string) => [...new Set((await rows(query)).map((row) => row.split(' ')[0]))];
    assert.deepEqual(await rows('', 'guard'), [
      '1970-01-01 front cat null [] 3',
      '1970-01-01 front dog Émile [] 1',
      '2023-11-14 front person bob ["drive"] 1',
      '2023-11-14 front person bob, john ["drive","yard"] 1',
    ]);
    assert.deepEqual(await days('has_clip=0'), ['2024-07-03']);
    assert.deepEqual(await days('timezone=America/New_York&has_snapshot=1'), ['1969-12-31', '2023-11-14']);
    assert.deepEqual(await days('timezone=Asia/Tokyo&has_clip=1'), ['1970-01-01', '2023-11-15']);
    assert.deepEqual(await rows('', 'nobody'), []);
  });

  it('the summary refuses an unknown zone and an invalid flag, both at once', async () => {
    const answer = await served.ask('/api/events/summary?timezone=Mars/Phobos&has_clip=true');
    assert.equal(answer.status, 422);
    assert.match(answer.text, /timezone.*has_clip/s);
  });
});
