/** Events of cameras that nvr.cameras does not list: imported ones are not lost to the admin (SPEC 7). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { startInstance } from '../support/start-instance.ts';
import { event, FIVE } from './support/event.ts';
import { type ServedEvents, serveEvents } from './support/served-events.ts';

describe('Events of a camera that is not listed', () => {
  let served: ServedEvents;
  before(async () => {
    served = await serveEvents({
      events: [...FIVE, event({ id: '6-f', camera: 'gone', label: 'cat', start_time: 5 })],
      roles: { gone: ['gone'], wild: ['*'] },
      cameras: ['front', 'back', 'garage'],
      showsUnlisted: true,
    });
  });
  after(() => served.close());

  const FOREIGN = 403;
  // biome-ignore format: a table
  const rows: [target: string, admin: unknown, viewer: unknown, gone: unknown, wild: unknown][] = [
    ['/api/events?cameras=gone',         ['6-f'],                 ['6-f'],                 [],      []],
    ['/api/events?labels=cat',           ['6-f'],                 ['6-f'],                 [],      []],
    ['/api/events/6-f',                  '6-f',                   '6-f',                   FOREIGN, FOREIGN],
    ['/api/event_ids?ids=6-f',           ['6-f'],                 ['6-f'],                 FOREIGN, FOREIGN],
    ['/api/labels?camera=gone',          ['cat'],                 ['cat'],                 FOREIGN, FOREIGN],
    ['/api/labels?camera=nowhere',       FOREIGN,                 FOREIGN,                 FOREIGN, FOREIGN],
    ['/api/labels',                      ['car', 'cat', 'dog', 'person'], ['car', 'cat', 'dog', 'person'], [], ['car', 'dog', 'person']],
  ];
  for (const [target, ...expected] of rows) {
    it(`are found by admin and viewer, and by no role, at ${target}`, async () => {
      const found: unknown[] = [];
      for (const role of ['admin', 'viewer', 'gone', 'wild']) {
        const answer = await served.ask(target, { role });
        const json = answer.json() as { id?: string } | ({ id?: string } | string)[];
        const shown = Array.isArray(json) ? json.map((one) => (typeof one === 'string' ? one : one.id)) : json.id;
        found.push(answer.status === 200 ? shown : answer.status);
      }
      assert.deepEqual(found, expected);
    });
  }

  it('are found through the whole service, where nvr.cameras lists others', async () => {
    const instance = await startInstance({
      config: {
        nvr: { cameras: ['cam1'] },
        events: { source: 'store', sample: 0 },
        auth: { roles: { front_only: ['cam1', 'elsewhere'] } },
      },
      people: [ADMIN_PERSON, VERA, CARL],
    });
    try {
      const store = await openStore({ url: `sqlite:${instance.directory}/postern.db` });
      await store.writeEvents([event({ id: 'a', camera: 'cam1' }), event({ id: 'b', camera: 'elsewhere' })]);
      await store.close();
      const seen: string[][] = [];
      for (const person of [ADMIN_PERSON, VERA, CARL]) {
        const answer = await instance.ask('/api/events', { token: await instance.logIn(person) });
        seen.push(((await answer.json()) as { id: string }[]).map(({ id }) => id).sort());
      }
      assert.deepEqual(seen, [['a', 'b'], ['a', 'b'], ['a']]);

      const token = await instance.logIn(CARL);
      const messages: unknown[] = [];
      for (const camera of ['elsewhere', 'cam2']) {
        const answer = await instance.ask(`/api/events?cameras=${camera}`, { token });
        messages.push([answer.status, ((await answer.json()) as { message: string }).message]);
      }
      assert.deepEqual(messages, [
        [
          403,
          'Your role has the camera elsewhere, but the service does not know it: an administrator can add it to nvr.cameras.',
        ],
        [403, 'Access denied to the camera cam2.'],
      ]);
      const headers = { Accept: 'text/html', Cookie: `frigate_token=${token}` };
      const page = await instance.ask('/vod/clip/cam2/start/1/end/2/index.m3u8', { headers });
      const html = await page.text();
      assert.match(html, /does not include the camera cam2\..*logged in as <bdi>carl<\/bdi>/s);
      const hints: unknown[] = [];
      for (const user of ['admin', 'carl', 'vera']) {
        const query = new URLSearchParams({ user, path: `/api/events${user === 'admin' ? '?cameras=elsewhere' : ''}` });
        const answer = await instance.ask(`/api/explain?${query}`, { token: await instance.logIn(ADMIN_PERSON) });
        const { verdict, hints: told } = (await answer.json()) as { verdict: string; hints?: string[] };
        hints.push([verdict, told]);
      }
      const hint =
        'nvr.cameras does not list elsewhere: custom roles cannot see its events; admins and viewers see what is stored. Add it to nvr.cameras, or remove that key';
      assert.deepEqual(hints, [
        ['admitted', [hint]],
        ['admitted', [hint]],
        ['admitted', undefined],
      ]);
    } finally {
      await instance.close();
    }
  });
});
