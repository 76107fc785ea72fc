/** One answer for what a role may not know: bad parameters, unknown and foreign ids, cameras that are configured no more. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { nvrDatabaseFile } from '../support/recorded.ts';
import { type ConfigTree, type Runtime, startInstance } from '../support/start-instance.ts';
import { event } from './support/event.ts';

const GUS = { name: 'gus', role: 'gone', password: 'GustavPassw0rd!' };
const PEOPLE = [ADMIN_PERSON, VERA, CARL, GUS];
const ROLES = { front_only: ['cam1'], gone: ['a_camera_of_the_past'] };

async function started(config: ConfigTree): Promise<{ instance: Runtime; tokens: Record<string, string> }> {
  const instance = await startInstance({ config: { auth: { roles: ROLES }, ...config }, people: PEOPLE });
  const tokens: Record<string, string> = {};
  for (const person of PEOPLE) tokens[person.role] = await instance.logIn(person);
  return { instance, tokens };
}

describe('A bad parameter', () => {
  for (const source of ['store', 'nvr'] as const)
    it(`is 422 for every role, one without a camera too (events.source ${source})`, async () => {
      const nvr = await startFakeNvr();
      nvr.answer = (request, response) => {
        request.resume();
        const isBad = /split_joined=x|after=x|limit=x|timezone=x/.test(request.url ?? '');
        response.writeHead(isBad ? 422 : 200, { 'content-type': 'application/json' }).end('[]');
      };
      const { instance, tokens } = await started({ nvr: { url: nvr.url, cameras: ['cam1'] }, events: { source } });
      try {
        for (const target of [
          '/api/labels?after=x',
          '/api/sub_labels?split_joined=x',
          '/api/recognized_license_plates?split_joined=x',
          '/api/events?limit=x',
          '/api/events/explore?limit=x',
          '/api/events/summary?timezone=x%00',
          '/api/event_ids',
        ])
          for (const role of ['viewer', 'front_only', 'gone']) {
            // The NVR has labels of all times only: to it that parameter is none.
            if (/^\/api\/(?:labels|event_ids)/.test(target) && source === 'nvr' && role === 'viewer') continue;
            const answer = await instance.ask(target, { token: tokens[role] ?? '' });
            const text = await answer.text();
            assert.equal(answer.status, 422, `${target} ${role}: ${text}`);
            const parameter = /\?(?<name>\w+)/.exec(target)?.groups?.['name'] ?? 'ids';
            assert.ok(text.includes(parameter), `${target} ${role}: ${text}`);
          }
      } finally {
        await instance.close();
        await nvr.close();
      }
    });
});

describe('Event ids', () => {
  it('that are unknown and those of foreign cameras get the same answer, which an admin does not need', async () => {
    const { instance, tokens } = await started({
      nvr: { cameras: ['cam1', 'cam2'] },
      events: { source: 'store', sample: 0 },
    });
    try {
      const store = await openStore({ url: `sqlite:${instance.directory}/postern.db` });
      await store.writeEvents([event({ id: 'own', camera: 'cam1' }), event({ id: 'foreign', camera: 'cam2' })]);
      await store.close();
      const answered = async (role: string, ids: string) => {
        const answer = await instance.ask(`/api/event_ids?ids=${ids}`, { token: tokens[role] ?? '' });
        return [answer.status, await answer.text()] as const;
      };
      assert.equal((await answered('front_only', 'own,own'))[0], 200);
      const foreign = await answered('front_only', 'own,foreign');
      assert.equal(foreign[0], 403);
      assert.deepEqual(await answered('front_only', 'own,unknown'), foreign);
      assert.deepEqual(await answered('front_only', 'unknown'), await answered('front_only', 'foreign'));
      for (const role of ['admin', 'viewer']) assert.equal((await answered(role, 'own,unknown'))[0], 200);
    } finally {
      await instance.close();
    }
  });
});

describe("An event in the NVR's own database, of a camera that is configured no more", () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  let tokens: Record<string, string>;
  const directory = mkdtempSync(join(tmpdir(), 'postern-gone-'));
  before(async () => {
    const file = join(directory, 'nvr.db');
    copyFileSync(nvrDatabaseFile(), file);
    const database = new DatabaseSync(file);
    const { id } = database.prepare('select id from event limit 1').get() as { id: string };
    database.prepare('update event set camera = ?, id = ? where id = ?').run('a_camera_of_the_past', 'past', id);
    database.close();
    nvr = await startFakeNvr();
    // As the reference does: nobody, an admin neither, has a camera that is not configured.
    nvr.answer = (request, response) => {
      request.resume();
      response
        .writeHead(request.url === '/api/events/past' ? 403 : 404, { 'content-type': 'application/json' })
        .end('{"detail":"Access denied to camera"}');
    };
    ({ instance, tokens } = await started({
      nvr: { url: nvr.url, cameras: ['cam1'] },
      events: { source: 'nvr-database', nvr_database: file },
    }));
  });
  after(async () => {
    await instance.close();
    await nvr.close();
    rmSync(directory, { recursive: true, force: true });
  });

  for (const role of ['front_only', 'gone'])
    it(`is refused to the role ${role} as an unknown one is, and is no fault of the NVR`, async () => {
      for (const path of [
        '/api/events/ID/thumbnail.jpg',
        '/api/event_ids?ids=ID',
        '/api/events/ID',
        '/api/events/ID/clip.mp4',
      ]) {
        const [past, unknown] = await Promise.all(
          ['past', 'unknown'].map(async (id) => {
            const answer = await instance.ask(path.replace('ID', id), { token: tokens[role] ?? '' });
            return [answer.status, await answer.text()];
          }),
        );
        assert.deepEqual(past, unknown, path);
        assert.equal(past?.[0], 403, path);
      }
    });
});
