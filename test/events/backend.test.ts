/** What the events backend answers to each caller: roles, records, pages and refusals (interface 2.4, 5.6, 7). */
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { EventRecord } from '../../src/domain/events/event.ts';
import { event, FIVE } from './support/event.ts';
import { type Answer, type AskOptions, type ServedEvents, serveEvents } from './support/served-events.ts';

const ids = (answer: Answer): string => (answer.json() as { id: string }[]).map(({ id }) => id).join(' ');
const FOREIGN = { success: false, message: 'Access denied to that camera.', reason: 'camera-not-in-role' };

describe('The events backend', () => {
  let served: ServedEvents;
  before(async () => {
    served = await serveEvents({
      events: [...FIVE, event({ id: '6-f', camera: 'gone', start_time: 5 })],
      roles: { guard: ['front'], team: ['front', 'gar*'], gone: ['gone'], nobody: [] },
      cameras: ['front', 'back', 'garage'],
    });
  });
  after(() => served.close());
  const list = (query = '', options?: AskOptions): Promise<Answer> => served.ask(`/api/events${query}`, options);

  // biome-ignore format: a table
  const rows: [sentence: string, role: string, query: string, ids: string][] = [
    ['shows an admin every known camera, and none that is no longer known', 'admin', '', '4-d 3-c 2-b 1-a 5-e'],
    ['shows a viewer the same',                          'viewer', '',                      '4-d 3-c 2-b 1-a 5-e'],
    ['shows an admin nothing of an unknown camera',      'admin',  '?cameras=gone',         ''],
    ['narrows an answer to the cameras of a role',       'guard',  '',                      '2-b 1-a 5-e'],
    ['takes "all" for no name',                          'guard',  '?cameras=all&camera=all', '2-b 1-a 5-e'],
    ['matches the wildcards of a role',                  'team',   '',                      '4-d 2-b 1-a 5-e'],
    ['lets a role name its own',                         'team',   '?camera=garage',        '4-d'],
    ['narrows by other filters within a role',           'guard',  '?sub_labels=None,john', '2-b'],
    ['gives a role nothing for a foreign id',            'guard',  '?event_id=3-c',         ''],
    ['gives a role without cameras nothing',             'nobody', '',                      ''],
    ['gives a role of unknown cameras nothing',          'gone',   '?camera=gone',          ''],
    ['gives an undefined role nothing',                  'stranger', '',                    ''],
    ['takes several roles for an undefined one',         'guard, admin', '',                ''],
    ['takes no prototype for a role',                    '__proto__', '',                   ''],
  ];
  for (const [sentence, role, query, expected] of rows) {
    it(sentence, async () => {
      const answer = await list(query, { role });
      assert.equal(answer.status, 200);
      assert.equal(ids(answer), expected);
    });
  }

  const foreign: [role: string, query: string][] = [
    ['guard', '?camera=back'],
    ['guard', '?cameras=front,back'],
    ['guard', '?cameras=front,%20nowhere'],
    ['guard', '?camera=front&cameras=back'],
    ['guard', '?camera=back&camera=front'],
    ['guard', '?cameras=back&cameras=front'],
    ['guard', '?camera=back&cameras=all'],
    ['stranger', '?camera=front'],
    ['nobody', '?cameras=front'],
  ];
  for (const [role, query] of foreign) {
    it(`refuses ${role} with ${query}`, async () => {
      const answer = await list(query, { role });
      assert.deepEqual([answer.status, answer.json()], [403, FOREIGN]);
    });
  }

  it('refuses who comes without a role', async () => {
    for (const target of ['/api/events', '/api/events/1-a', '/nowhere']) {
      assert.equal((await served.ask(target, { role: '' })).status, 401);
      const answer = await served.ask(target, { role: null });
      assert.deepEqual(
        [answer.status, answer.json()],
        [401, { success: false, message: 'Authentication required', reason: 'no-credentials' }],
      );
    }
  });

  it('gives the seventeen fields of every event, in a list as alone', async () => {
    const record = FIVE.find(({ id }) => id === '1-a') ?? assert.fail();
    assert.equal(Object.keys(record).length, 17);
    const extras = { top_score: null, box: null };
    assert.deepEqual((await list('?event_id=1-a')).json(), [{ ...record, ...extras }]);
    assert.deepEqual((await served.ask('/api/events/1-a')).json(), { ...record, ...extras });
  });

  it('leaves thumbnails out when they are not asked for', async () => {
    const thumbnails = async (query: string) =>
      ((await list(`?event_id=5-e${query}`)).json() as EventRecord[]).map(({ thumbnail }) => thumbnail);
    assert.deepEqual(await thumbnails(''), ['iVBORw0KGgo=']);
    assert.deepEqual(await thumbnails('&include_thumbnails=0'), [null]);
  });

  // biome-ignore format: a table
  const single: [sentence: string, id: string, role: string, status: number, body: unknown][] = [
    ['says that there is no such event',              'x',      'admin',    404, 'Event not found'],
    ['tells a role of one camera nothing of which events there are', 'x', 'guard',    403, FOREIGN],
    ['refuses the event of a foreign camera',         '3-c',    'guard',    403, FOREIGN],
    ['refuses an undefined role',                     '1-a',    'stranger', 403, FOREIGN],
    ['refuses the event of a camera no longer known', '6-f',    'admin',    403, FOREIGN],
    ['takes an id for a value',                       "' OR 1", 'admin',    404, 'Event not found'],
  ];
  for (const [sentence, id, role, status, body] of single) {
    it(sentence, async () => {
      const answer = await served.ask(`/api/events/${encodeURIComponent(id)}`, { role });
      assert.deepEqual([answer.status, answer.json()], [status, body]);
    });
  }

  it('answers HEAD as it answers GET, without the body', async () => {
    const got = await list();
    const headed = await list('', { method: 'HEAD' });
    assert.deepEqual([headed.status, headed.text], [200, '']);
    assert.equal(headed.headers['content-length'], String(Buffer.byteLength(got.text)));
    assert.equal(headed.headers['content-type'], 'application/json; charset=utf-8');
  });

  const others: [method: string, target: string, status: number][] = [
    ['POST', '/api/events', 405],
    ['DELETE', '/api/events/1-a', 405],
    ['GET', '/api/event', 404],
    ['GET', '/', 404],
  ];
  for (const [method, target, status] of others) {
    it(`answers ${method} ${target} with ${status} and words`, async () => {
      const answer = await served.ask(target, { method });
      assert.equal(answer.status, status);
      assert.equal(typeof (answer.json() as { message: unknown }).message, 'string');
    });
  }

  it('tells the gate which cameras have events', async () => {
    const answer = await served.ask('/cameras', { role: null });
    assert.deepEqual(answer.json(), ['back', 'front', 'garage', 'gone']);
  });
});

describe('The events backend without a list of cameras', () => {
  let served: ServedEvents;
  before(async () => {
    served = await serveEvents({ events: FIVE, roles: { team: ['front', 'gar*'], guard: ['front', 'elsewhere'] } });
  });
  after(() => served.close());

  const rows: [role: string, query: string, expected: string][] = [
    ['admin', '', '4-d 3-c 2-b 1-a 5-e'],
    ['admin', '?camera=back', '3-c'],
    ['team', '', '4-d 2-b 1-a 5-e'],
    ['guard', '', '2-b 1-a 5-e'],
    ['stranger', '', ''],
  ];
  for (const [role, query, expected] of rows) {
    it(`shows ${role} with "${query}" what the store has: ${expected || 'nothing'}`, async () => {
      assert.equal(ids(await served.ask(`/api/events${query}`, { role })), expected);
    });
  }
});

describe('A long answer', () => {
  const MANY = 10_234;
  const many = Array.from({ length: MANY }, (_, n) =>
    event({
      id: `e${String(n).padStart(5, '0')}`,
      start_time: Math.floor(n / 7),
      data: { score: n % 3 ? (n % 10) / 10 : null },
    }),
  );
  let served: ServedEvents;
  before(async () => {
    served = await serveEvents({ events: many });
  });
  after(() => served.close());

  it('holds at most as many as one answer may', async () => {
    assert.equal((await served.ask('/api/events?limit=20000')).text.match(/"id":/g)?.length, 10_000);
  });

  it('is in order, equal times by id', async () => {
    const answer = await served.ask('/api/events?limit=900');
    assert.equal(
      ids(answer),
      many
        .map(({ id }) => id)
        .reverse()
        .slice(0, 900)
        .join(' '),
    );
  });

  for (const sort of ['date_desc', 'date_asc', 'score_desc', 'score_asc']) {
    it(`can be read in pages that lose and repeat nothing, by ${sort}`, async () => {
      const whole: string[] = [];
      for (let query: string | undefined = `?limit=1000&sort=${sort}&labels=person`; query; ) {
        const answer: Answer = await served.ask(`/api/events${query}`);
        whole.push(...ids(answer).split(' '));
        query = /^<(.+)>; rel="next"$/.exec(String(answer.headers['link']))?.[1];
      }
      assert.equal(whole.length, MANY);
      assert.equal(new Set(whole).size, MANY);
      const large = await served.ask(`/api/events?limit=10000&sort=${sort}`);
      assert.equal(whole.slice(0, 10_000).join(' '), ids(large));
    });
  }

  it('names no next page when there is none', async () => {
    assert.equal((await served.ask('/api/events?before=10&limit=70')).headers['link'], undefined);
    assert.equal((await served.ask('/api/events?limit=0')).headers['link'], undefined);
  });
});

describe('A client that leaves in mid-answer', () => {
  it('is no fault, and others are answered', async () => {
    const large = Array.from({ length: 600 }, (_, n) => event({ id: `e${n}`, data: { text: 'x'.repeat(50_000) } }));
    const served = await serveEvents({ events: large });
    await new Promise<void>((resolve) => {
      const headers = { 'remote-user': 'somebody', 'remote-role': 'admin' };
      const asked = get({ port: served.port, path: '/api/events?limit=600', headers, agent: false }, (response) => {
        response.once('data', () => asked.destroy());
        response.once('close', resolve);
      });
      asked.on('error', () => resolve());
    });
    assert.equal(ids(await served.ask('/api/events?limit=1')), 'e99');
    await served.close();
    assert.deepEqual(served.faults, []);
  });
});

describe('A broken store', () => {
  it('is reported, and the answer says nothing of it', async () => {
    const served = await serveEvents({ events: FIVE });
    await served.store.db.schema.dropTable('events').execute();
    const answer = await served.ask('/api/events');
    assert.equal(answer.status, 500);
    assert.doesNotMatch(answer.text, /events|table|at /);
    assert.match(String(served.faults[0]), /no such table/);
    await served.close();
  });
});
