/** Where a person begins: no page that the person may not open, and no way back to one (SPEC 20). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const TABLE = `version: 1
routes:
  - { route: "GET /", access: unrestricted }
  - { route: "GET /admin.html", access: admin, page: true }
  - { route: "GET /wall.html", access: unrestricted, page: true }
  - { route: "GET /live/{camera...}/index.html", access: camera, cameras: ["path:camera"], narrow: check, page: true }
  - { route: "GET /stream.html", access: camera, cameras: ["stream:query:src"], narrow: check }
`;
const CAMERAS = ['yard/gate 1', 'cam1', 'cam2'];
const PAGE = { accept: 'text/html', 'sec-fetch-mode': 'navigate' };
const NEMO: Person = { name: 'nemo', role: 'nothing', password: 'NoneOfThem!!!!!' };
const YARA: Person = { name: 'yara', role: 'yard', password: 'BackYard!!!!!!!' };

describe('The start page', () => {
  let nvr: FakeNvr;
  let directory: string;
  before(async () => {
    nvr = await startFakeNvr();
    directory = mkdtempSync(join(tmpdir(), 'postern-test-'));
    writeFileSync(join(directory, 'pages.yaml'), TABLE);
  });
  after(async () => {
    await nvr.close();
    rmSync(directory, { recursive: true, force: true });
  });

  async function withInstance(config: object, check: (instance: Runtime) => Promise<void>): Promise<void> {
    const instance = await startInstance({
      people: [ADMIN_PERSON, VERA, CARL, YARA, NEMO],
      config: {
        nvr: { url: nvr.url, cameras: CAMERAS, policy: join(directory, 'pages.yaml') },
        auth: { hash_iterations: 1000, roles: { front_only: ['cam1'], yard: ['yard/*'], nothing: ['gone'] } },
        ...config,
      },
    });
    try {
      await check(instance);
    } finally {
      await instance.close();
    }
  }
  const startOf = async (instance: Runtime, person: Person): Promise<string | null> => {
    const token = await instance.logIn(person);
    const { status, headers } = await instance.ask('/postern/start', { token, headers: PAGE });
    assert.equal(status, 302);
    assert.equal(headers.get('cache-control'), 'no-store');
    return headers.get('location');
  };

  it('is the first page of the table that a person may open, with the first camera of the person', () =>
    withInstance({}, async (instance) => {
      const starts = await Promise.all(
        [ADMIN_PERSON, VERA, CARL, YARA, NEMO].map((person) => startOf(instance, person)),
      );
      assert.deepEqual(starts, [
        '/admin.html',
        '/wall.html',
        '/live/cam1/index.html',
        '/live/yard/gate%201/index.html',
        '/postern/',
      ]);
    }));

  it('is ui.start_page for a person who may open it', () =>
    withInstance({ ui: { start_page: '/stream.html?src={camera}' } }, async (instance) => {
      const starts = await Promise.all([VERA, CARL, NEMO].map((person) => startOf(instance, person)));
      assert.deepEqual(starts, ['/stream.html?src=yard%2Fgate%201', '/stream.html?src=cam1', '/postern/']);
    }));

  it('is another one for a person who may not open ui.start_page: nothing leads back to a refused page', () =>
    withInstance({ ui: { start_page: '/' } }, async (instance) => {
      assert.deepEqual([await startOf(instance, VERA), await startOf(instance, CARL)], ['/', '/live/cam1/index.html']);
      const token = await instance.logIn(CARL);
      const refused = await instance.ask('/', { token, headers: PAGE });
      assert.equal(refused.status, 403);
      assert.match(await refused.text(), /href="\/postern\/start"/);
    }));

  it('is where a login leads, below the base path too, when no other page was wanted', () =>
    withInstance(
      { server: { external: '127.0.0.1:0', internal: false, telemetry: false, base_path: '/nvr' } },
      async (instance) => {
        const form = (query: string) =>
          fetch(`${instance.url}/nvr/login${query}`, {
            method: 'POST',
            redirect: 'manual',
            headers: { 'content-type': 'application/x-www-form-urlencoded', origin: instance.url },
            body: new URLSearchParams({ user: CARL.name, password: CARL.password }),
          });
        const plain = await form('');
        assert.equal(plain.headers.get('location'), '/nvr/postern/start');
        assert.equal(
          (await form('?next=/nvr/stream.html?src=cam1')).headers.get('location'),
          '/nvr/stream.html?src=cam1',
        );
        const [cookie = ''] = plain.headers.getSetCookie();
        const start = await fetch(`${instance.url}/nvr/postern/start`, {
          redirect: 'manual',
          headers: { ...PAGE, cookie: cookie.split(';', 1)[0] ?? '' },
        });
        assert.equal(start.headers.get('location'), '/nvr/live/cam1/index.html');
      },
    ));

  it('is behind the login', () =>
    withInstance({}, async (instance) => {
      const { status, headers } = await instance.ask('/postern/start', { headers: PAGE });
      assert.deepEqual([status, headers.get('location')], [302, '/login?next=%2Fpostern%2Fstart']);
    }));

  it('is the root of the NVR with a table that marks no page', () =>
    withInstance({ nvr: { url: nvr.url, cameras: CAMERAS } }, async (instance) =>
      assert.equal(await startOf(instance, CARL), '/'),
    ));

  it('is Live for a guest, from where the pages of the NVR are one press away', () =>
    withInstance({}, async (instance) => {
      const admin = await instance.logIn(ADMIN_PERSON);
      const guest = { name: 'gast', role: 'viewer', password: 'SunnyWeekend!99' };
      const wanted = { username: guest.name, password: guest.password, role: guest.role, valid_until: 4_102_444_800 };
      assert.ok((await sendJson(instance, '/api/users', wanted, admin)).ok);
      assert.equal(await startOf(instance, guest), '/postern/');
      const token = await instance.logIn(guest);
      const { headers } = await instance.ask('/postern/start?cameras', { token, headers: PAGE });
      assert.equal(headers.get('location'), '/wall.html');
    }));

  it('is ui.start_page for a guest, too', () =>
    withInstance({ ui: { start_page: '/stream.html?src={camera}' } }, async (instance) => {
      const admin = await instance.logIn(ADMIN_PERSON);
      const guest = { name: 'gast', role: 'front_only', password: 'SunnyWeekend!99' };
      const wanted = { username: guest.name, password: guest.password, role: guest.role, valid_until: 4_102_444_800 };
      assert.ok((await sendJson(instance, '/api/users', wanted, admin)).ok);
      assert.equal(await startOf(instance, guest), '/stream.html?src=cam1');
    }));
});
