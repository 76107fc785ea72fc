/** The configuration read again while the service runs: what changes at once, what waits, what a bad one does (SPEC 1). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { scrape } from '../telemetry/support/exposition.ts';
import { auth, reload, startedInstance } from './support/reloading.ts';

let nvr: FakeNvr;
let other: FakeNvr;
before(async () => {
  nvr = await startFakeNvr();
  other = await startFakeNvr();
});
after(async () => {
  await nvr.close();
  await other.close();
});

const behind = (changes: object = {}): object => ({ url: nvr.url, cameras: ['cam1', 'cam2'], ...changes });
const logInAs = (
  at: Runtime,
  user: string,
  password: string,
  headers: Record<string, string> = {},
): Promise<Response> =>
  at.ask('/api/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ user, password }),
  });

describe('A configuration that is read again holds for the next request', () => {
  it('with its roles', async (t) => {
    const at = await startedInstance(t, nvr);
    const token = await at.logIn(CARL);
    const sees = async (camera: string) => (await at.ask(`/api/${camera}/latest.jpg`, { token })).status;
    assert.deepEqual([await sees('cam1'), await sees('cam2')], [200, 403]);
    await reload(at, nvr, { auth: auth({ roles: { front_only: ['cam2'] } }) });
    assert.deepEqual([await sees('cam1'), await sees('cam2')], [403, 200]);
    const profile = (await (await at.ask('/api/profile', { token })).json()) as object;
    assert.deepEqual(profile, { username: 'carl', role: 'front_only', allowed_cameras: ['cam2'] });
  });

  it('with what a role may not do', async (t) => {
    const at = await startedInstance(t, nvr);
    const token = await at.logIn(CARL);
    const history = async () => (await at.ask('/vod/cam1/start/1/end/2/master.m3u8', { token })).status;
    assert.equal(await history(), 200);
    await reload(at, nvr, { auth: auth({ roles: { front_only: { cameras: ['cam1'], deny: ['history'] } } }) });
    assert.equal(await history(), 403);
  });

  // biome-ignore format: a table
  const FRAMES: [frame_ancestors: string, more: object, isElsewhere: boolean][] = [
    ['none',                                 {},                                                      false],
    ['https://home.example.com',             {},                                                      true],
    ['self https://home.example.com:8123',   { server: { public_url: 'https://nvr.example.com' } },   true],
    ['self https://NVR.example.com',         { server: { public_url: 'https://nvr.example.com' } },   false],
    ['https://home.example.com',             { auth: { cookie_domain: 'example.com' } },              false],
    ['https://*.example.com',                { auth: { cookie_domain: 'example.com' } },              false],
    ['https://example.com.evil.example',     { auth: { cookie_domain: 'example.com' } },              true],
    ['https:',                               { auth: { cookie_domain: 'example.com' } },              true],
  ];
  it('with the frames of other sites, to which browsers send a cookie only with SameSite=None', async (t) => {
    const at = await startedInstance(t, nvr);
    const sent = async () =>
      (await logInAs(at, 'vera', VERA.password)).headers.getSetCookie()[0]?.replace(/^.*SameSite/, 'SameSite');
    for (const [frame_ancestors, more, isElsewhere] of FRAMES) {
      const sections = more as { server?: object; auth?: object };
      const server = {
        external: '127.0.0.1:0',
        internal: '127.0.0.1:0',
        telemetry: '127.0.0.1:0',
        shutdown_grace: 1,
        ...sections.server,
      };
      await reload(at, nvr, { server, auth: auth(sections.auth), ui: { frame_ancestors } });
      assert.equal(await sent(), isElsewhere ? 'SameSite=none; Secure' : 'SameSite=lax', frame_ancestors);
    }
  });

  it('with the length of its sessions and the name of its cookie', async (t) => {
    const at = await startedInstance(t, nvr);
    const cookie = async () =>
      (await logInAs(at, 'vera', VERA.password)).headers.getSetCookie()[0]?.replace(/=[^;]+/, '=X');
    assert.equal(await cookie(), 'frigate_token=X; HttpOnly; Max-Age=86400; Path=/; SameSite=lax');
    await reload(at, nvr, { auth: auth({ session_length: 600, cookie_name: 'nvr' }) });
    assert.equal(await cookie(), 'nvr=X; HttpOnly; Max-Age=600; Path=/; SameSite=lax');
  });

  it('with its login limit, which forgets no failure', async (t) => {
    const at = await startedInstance(t, nvr, { auth: auth({ failed_login_rate_limit: '5/minute' }) });
    const fail = async () => (await logInAs(at, 'vera', 'not her password')).status;
    assert.deepEqual([await fail(), await fail()], [401, 401]);
    await reload(at, nvr, { auth: auth({ failed_login_rate_limit: '2/minute' }) });
    assert.equal(await fail(), 429);
    await reload(at, nvr, { auth: auth({ failed_login_rate_limit: null }) });
    assert.equal(await fail(), 401);
    const limited = (await scrape(at.telemetryUrl)).get('postern_rate_limit_hits_total{scope="ip",clause="0"}');
    assert.equal(limited, 1);
  });

  it('with its trusted proxies', async (t) => {
    const at = await startedInstance(t, nvr);
    const from = async () => {
      await logInAs(at, 'vera', 'not her password', { 'x-forwarded-for': '192.0.2.7' });
      return at.log.findLast(({ what }) => what === 'login')?.['from'];
    };
    assert.equal(await from(), '127.0.0.1');
    await reload(at, nvr, { auth: auth({ trusted_proxies: ['127.0.0.1/32'] }) });
    assert.equal(await from(), '192.0.2.7');
  });

  it('with its NVR, and with the headers that it is told by', async (t) => {
    const at = await startedInstance(t, nvr);
    const token = await at.logIn(VERA);
    await at.ask('/api/version?to=one', { token });
    await reload(at, nvr, {
      nvr: behind({ url: other.url, auth_secret: 'between the two of us' }),
    });
    await at.ask('/api/version?to=other', { token });
    assert.equal(
      nvr.received.some(({ target }) => target.endsWith('to=other')),
      false,
    );
    const { headers } = other.received.find(({ target }) => target.endsWith('to=other')) ?? { headers: [] };
    assert.deepEqual(headers.filter(([name]) => /user|secret/.test(name)).sort(), [
      ['remote-user', 'vera'],
      ['user-agent', 'node'],
      ['x-proxy-secret', 'between the two of us'],
    ]);
  });

  it('with its patience and its limits', async (t) => {
    const at = await startedInstance(t, nvr);
    const token = await at.logIn(ADMIN_PERSON);
    const upload = async () => (await at.ask('/api/restart', { method: 'POST', token, body: 'x'.repeat(2000) })).status;
    assert.equal(await upload(), 200);
    await reload(at, nvr, { nvr: behind({ max_upload: '1KB' }) });
    assert.equal(await upload(), 413);
  });

  it('with its base path, its pages and its logout', async (t) => {
    const at = await startedInstance(t, nvr);
    const page = async (path: string) => {
      const answer = await at.ask(path, { headers: { accept: 'text/html' } });
      return [answer.status, /frame-ancestors [^;]+/.exec(answer.headers.get('content-security-policy') ?? '')?.[0]];
    };
    assert.deepEqual([await page('/login'), (await page('/nvr/login'))[0]], [[200, "frame-ancestors 'self'"], 302]);
    await reload(at, nvr, {
      server: { external: '127.0.0.1:0', internal: '127.0.0.1:0', telemetry: '127.0.0.1:0', base_path: '/nvr' },
      ui: { frame_ancestors: 'none' },
      proxy: { logout_url: 'https://sso.example/bye' },
    });
    assert.deepEqual(await page('/nvr/login'), [200, "frame-ancestors 'none'"]);
    const out = await at.ask('/nvr/logout', { method: 'POST', token: await at.logIn(VERA) });
    assert.deepEqual([out.status, out.headers.get('location')], [303, 'https://sso.example/bye']);
  });

  it('with the levels of its loggers', async (t) => {
    const at = await startedInstance(t, nvr, {
      auth: { enabled: false },
      proxy: { header_map: { user: 'Remote-User' }, default_role: 'viewer' },
    });
    const traced = async () => {
      await at.ask('/api/version', { headers: { 'Remote-User': 'ann' } });
      return at.log.filter(({ logger, level }) => logger === 'service.api.auth' && level === 'debug').length;
    };
    assert.equal(await traced(), 0);
    const proxied = {
      auth: { enabled: false },
      proxy: { header_map: { user: 'Remote-User' }, default_role: 'viewer' },
    };
    await reload(at, nvr, { ...proxied, logger: { logs: { 'service.api.auth': 'debug' } } });
    assert.equal(await traced(), 1);
    await reload(at, nvr, { ...proxied, logger: { default: 'error' } });
    const lines = at.log.length;
    await traced();
    assert.equal(at.log.length, lines);
  });

  it('with its proxy secrets, header map and map of roles', async (t) => {
    const proxied = (changes: object) => ({
      auth: { enabled: false, trusted_proxies: ['127.0.0.1'] },
      proxy: {
        auth_secret: 'the first long secret',
        header_map: { user: 'Remote-User', role: 'Remote-Groups' },
        ...changes,
      },
    });
    const at = await startedInstance(t, nvr, proxied({ role_map: { admin: ['bosses'] }, default_role: 'none' }));
    const ask = async (secret: string, headers: Record<string, string>) =>
      (await at.ask('/api/users', { headers: { 'x-proxy-secret': secret, ...headers } })).status;
    const boss = { 'remote-user': 'ann', 'remote-groups': 'bosses' };
    assert.equal(await ask('the first long secret', boss), 200);
    await reload(
      at,
      nvr,
      proxied({ auth_secret: 'the other long secret', role_map: { admin: ['chiefs'] }, default_role: 'none' }),
    );
    assert.deepEqual(
      [
        await ask('the first long secret', boss),
        await ask('the other long secret', boss),
        await ask('the other long secret', { ...boss, 'remote-groups': 'chiefs' }),
      ],
      [401, 403, 200],
    );
  });

  it('and lets go of what it does not need any more', async (t) => {
    const threads: Worker[] = [];
    const note = (thread: Worker): void => void threads.push(thread);
    process.on('worker', note);
    t.after(() => process.off('worker', note));
    const at = await startInstance({ config: { nvr: behind(), auth: auth(), events: { source: 'store' } } });
    const other = { nvr: behind({ timeout_idle: 9 }), auth: auth() };
    const needEvents = () => fetch(`${at.telemetryUrl}/readyz`);
    await needEvents();
    await at.reload({ ...other, events: { source: 'store', retention: 90_000 } });
    await needEvents();
    await at.reload({ ...other, events: { source: 'store', retention: 90_000 } });
    await needEvents();
    assert.equal(threads.length, 2); // the third configuration is the second one
    await at.close();
    assert.deepEqual(
      threads.map(({ threadId }) => threadId),
      [-1, -1],
    ); // both have ended
  });

  it('with the events backend that it names', async (t) => {
    const at = await startedInstance(t, nvr, { events: { source: 'store', sample: 50 } });
    const token = await at.logIn(VERA);
    const events = async () => {
      const answer = await at.ask('/api/events?limit=30', { token });
      return answer.status === 200 ? ((await answer.json()) as unknown[]).length : answer.status;
    };
    assert.equal(await events(), 30);
    await reload(at, nvr, { events: { source: 'store', sample: 50, retention: 90_000 } });
    assert.equal(await events(), 30);
    await reload(at, nvr, { events: { source: 'nvr', sample: 50 } });
    nvr.received.length = 0;
    await at.ask('/api/events?limit=30', { token });
    assert.equal(nvr.received.at(-1)?.target, '/api/events?limit=30');
  });
});

describe('A change of the route table', () => {
  it('holds for the next request', async (t) => {
    const at = await startedInstance(t, nvr);
    const token = await at.logIn(VERA);
    const version = async () => (await at.ask('/api/version', { token })).status;
    assert.equal(await version(), 200);
    await reload(at, nvr, { nvr: behind({ policy: 'strict' }) });
    assert.equal(await version(), 403);
  });
});
