/** The NVR's own pages, as they call: what a browser asks for, in its order, with nothing but a cookie (facts: web client, 2). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, type Person, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { answerWithBoth, FOREIGN } from './support/two-cameras.ts';

const GUSTAV: Person = { name: 'gustav', role: 'gardener', password: 'GustavPassw0rd!' };
const NEUTRAL = [/^\/$/, /^\/api\/(version|profiles|config\/schema.json)$/];
/** On every call of the application, but not on pictures, sockets and plain fetches. */
const APPLICATION = { 'X-CSRF-TOKEN': '1', 'X-CACHE-BYPASS': '1' };

interface Config {
  readonly auth: {
    readonly enabled: boolean;
    readonly roles: Readonly<Record<string, unknown>>;
    readonly refresh_time: number;
  };
  readonly proxy: { readonly logout_url: string | null };
  readonly cameras: Readonly<
    Record<string, { readonly enabled_in_config: boolean; readonly ui?: { readonly dashboard: boolean } }>
  >;
}

describe("The NVR's own pages", () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  before(async () => {
    nvr = await startFakeNvr();
    nvr.answer = answerWithBoth(NEUTRAL, () => {});
    instance = await startInstance({
      config: { nvr: { url: nvr.url }, auth: { roles: { gardener: ['garden'] } } },
      people: [ADMIN_PERSON, VERA, GUSTAV],
    });
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });

  const call = (path: string, cookie: string | undefined, init: RequestInit = {}) =>
    instance.ask(path, {
      ...init,
      headers: { ...(cookie === undefined ? {} : { cookie }), ...(init.headers as Record<string, string>) },
    });
  const opened = async (path: string, cookie: string | undefined): Promise<number> => {
    const socket = new WebSocket(`ws://127.0.0.1:${instance.port}${path}`, {
      headers: { origin: instance.url, ...(cookie === undefined ? {} : { cookie }) },
    });
    socket.on('error', () => {});
    const open = once(socket, 'open').then(() => 101);
    const refused = once(socket, 'unexpected-response').then(([, response]) => Number(response.statusCode));
    const status = await Promise.race([open, refused]);
    socket.terminate();
    return status;
  };

  it('open without a login, and are told to log in', async () => {
    const [first, profile, config] = [
      await call('/api/auth/first_time_login', undefined),
      await call('/api/profile', undefined, { headers: APPLICATION }),
      await call('/api/config', undefined, { headers: APPLICATION }),
    ];
    assert.deepEqual(
      [first.status, typeof ((await first.json()) as { admin_first_time_login: unknown }).admin_first_time_login],
      [200, 'boolean'],
    );
    assert.deepEqual([profile.status, config.status, config.headers.get('location')], [401, 401, '/login']);
    assert.equal(await opened('/ws', undefined), 401);
    assert.equal((await call('/', undefined)).status, 200);
  });

  // biome-ignore format: a table
  const people: [person: Person, cameras: string[], seesAll: boolean][] = [
    [ADMIN_PERSON, ['garden', 'bedroom'], true],
    [VERA,         ['garden', 'bedroom'], true],
    [GUSTAV,       ['garden'],            false],
  ];
  for (const [person, allowed, seesAll] of people) {
    it(`work for ${person.name}, whose role is ${person.role}`, async () => {
      const login = await call('/api/login', undefined, {
        method: 'POST',
        headers: { ...APPLICATION, origin: instance.url, 'content-type': 'application/json' },
        body: JSON.stringify({ user: person.name, password: person.password }),
      });
      const cookie = login.headers.getSetCookie()[0]?.split(';')[0];
      assert.equal(login.status, 200);

      const application = (path: string, init: RequestInit = {}) =>
        call(path, cookie, { ...init, headers: { ...APPLICATION, ...init.headers } });
      const [profile, configured, socket] = await Promise.all([
        application('/api/profile'),
        application('/api/config'),
        opened('/ws', cookie),
      ]);
      const names = Object.fromEntries(allowed.map((camera) => [camera, `The ${camera}`]));
      const told = { username: person.name, role: person.role, allowed_cameras: allowed, camera_names: names };
      assert.deepEqual(await profile.json(), told);
      assert.deepEqual([configured.status, socket], [200, 101]);
      const config = (await configured.json()) as Config;
      // The pages: no role of one's own among them means no access; every enabled camera allowed means all access.
      assert.deepEqual(Object.keys(config.auth.roles).sort(), ['admin', 'gardener', 'viewer']);
      const shown = Object.entries(config.cameras).filter(
        ([, camera]) => camera.enabled_in_config && camera.ui?.dashboard,
      );
      assert.deepEqual(
        shown.map(([name]) => name),
        ['garden', 'bedroom'],
      );
      assert.equal(
        shown.every(([name]) => allowed.includes(name)),
        seesAll,
      );
      assert.deepEqual([config.auth.enabled, config.auth.refresh_time, config.proxy.logout_url], [true, 1800, null]);

      const lists = [
        '/api/stats',
        '/api/profiles',
        '/api/config/schema.json',
        '/api/review?limit=10',
        '/api/events?search_type=text&limit=50',
        `/api/review/summary?cameras=${allowed}`,
        `/api/recordings/summary?timezone=utc&cameras=${allowed}`,
        '/api/exports',
        '/api/labels',
        '/api/cases',
        '/api/events/explore?limit=10',
        '/api/sub_labels?split_joined=1',
        '/api/recognized_license_plates?split_joined=1',
        '/api/go2rtc/streams',
      ];
      for (const path of lists) {
        const answer = await application(path);
        assert.equal(answer.status, 200, path);
        const text = await answer.text();
        assert.equal(
          FOREIGN.test(text),
          seesAll && !path.includes('profiles') && !path.includes('schema'),
          `${path}: ${text.slice(0, 300)}`,
        );
      }
      for (const camera of ['garden', 'bedroom']) {
        const isAllowed = allowed.includes(camera);
        const status = isAllowed ? 200 : 403;
        for (const path of [
          `/api/go2rtc/streams/${camera}_sub`,
          `/api/${camera}/latest.webp?height=400`,
          `/vod/${camera}/start/1/end/2/master.m3u8`,
          `/clips/review/thumb-${camera}-1700000000.5-abc.webp`,
          `/clips/previews/${camera}/1-2.mp4`,
        ]) {
          assert.equal((await call(path, cookie)).status, status, path);
        }
        for (const path of [
          `/live/jsmpeg/${camera}`,
          `/live/mse/api/ws?src=${camera}_sub`,
          `/live/webrtc/api/ws?src=${camera}`,
        ]) {
          assert.equal(await opened(path, cookie), isAllowed ? 101 : 403, path);
        }
      }
      const viewed = await application('/api/reviews/viewed', {
        method: 'POST',
        headers: { ...APPLICATION, origin: instance.url, 'content-type': 'application/json' },
        body: JSON.stringify({ ids: ['1700000001.5-aaaaa1'] }),
      });
      assert.equal(viewed.status, 200);
      assert.equal(nvr.received.at(-1)?.body, '{"ids":["1700000001.5-aaaaa1"]}');
    });
  }
});
