/** The first start and the next ones, as a process (interface 2.1, 5.2, 5.3; SPEC 1): what a new user sees, and bad input. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startFakeNvr } from '../support/fake-nvr.ts';
import { askQuickly } from '../support/quick-client.ts';
import { newDirectory, runPostern, type Serving, servePostern } from '../support/run-postern.ts';
import { firstCookie } from '../support/sessions.ts';

const login = (at: Serving, user: string, password: string) =>
  fetch(`${at.url}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ user, password }),
  });

describe('The first start', () => {
  it('makes an admin whose password is printed last, and lets a person log in and see events', async () => {
    const postern = await servePostern();
    assert.match(
      postern.output.stdout,
      /\*+\n\* .*shown only this once.*\n\*.*\n\* +User: +admin +\*\n\* +Password: +\w{32} +\*\n\*+\n$/,
    );
    const answer = await login(postern, 'admin', postern.adminPassword ?? '');
    assert.equal(answer.status, 200);
    const headers = { cookie: firstCookie(answer) };
    const ask = async (path: string) =>
      (await fetch(`${postern.url}${path}`, { headers })).json() as Promise<{ camera: string }[]>;
    assert.equal((await ask('/api/events?limit=10000&include_thumbnails=0')).length, 2000);
    const garden = await ask('/api/events?camera=garden&label=person&limit=50&include_thumbnails=0');
    assert.deepEqual([...new Set(garden.map(({ camera }) => camera))], ['garden']);
    const profile = async (cookie: string) =>
      (
        (await (await fetch(`${postern.url}/api/profile`, { headers: { cookie } })).json()) as {
          password_is_generated?: true;
        }
      ).password_is_generated;
    assert.equal(await profile(headers.cookie), true, 'the console asks for another password; programs go on');
    const changed = await fetch(`${postern.url}/api/users/admin/password`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ password: 'CalciumCandle55?', old_password: postern.adminPassword }),
    });
    assert.deepEqual([changed.status, await profile(firstCookie(changed))], [200, undefined]);
    const page = await fetch(`${postern.url}/`, { redirect: 'manual' });
    assert.deepEqual([page.status, page.headers.get('location')], [302, '/postern/']);
    const health = await runPostern(['healthcheck'], {
      directory: postern.directory,
      env: { POSTERN__SERVER__TELEMETRY: new URL(postern.telemetryUrl).host },
    });
    assert.deepEqual([health.code, await postern.end()], [0, 0]);
  });

  it('asks for another password on the pages of the NVR, too, whose login it was; programs go on', async (t) => {
    const nvr = await startFakeNvr();
    const POSTERN__SERVER__BASE_PATH = '/house';
    const env = { POSTERN__NVR__URL: nvr.url, POSTERN__UI__LOGIN: 'nvr', POSTERN__SERVER__BASE_PATH };
    const postern = await servePostern({ env });
    t.after(async () => Promise.all([postern.end(), nvr.close()]));
    const at = { ...postern, url: `${postern.url}/house` };
    const cookie = firstCookie(await login(at, 'admin', postern.adminPassword ?? ''));
    const [, token = ''] = cookie.split('=');
    const PAGE = { accept: 'text/html', cookie };
    const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
      askQuickly(Number(new URL(postern.url).port), `/house${path}`, { method, headers });
    const FORM = { ...PAGE, 'content-type': 'application/x-www-form-urlencoded', origin: postern.url };
    const NAVIGATED = { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-origin', accept: '*/*', cookie };
    const said = { 'x-original-url': `${at.url}/review`, 'x-original-method': 'GET' };
    // biome-ignore format: a table
    const asked: [path: string, headers: Record<string, string>, answer: number | string, method?: string][] = [
      ['/',                          PAGE,      '/house/postern/?next=%2Fhouse%2F'],
      ['/review?a=//b.example/',     PAGE,      '/house/postern/?next=%2Fhouse%2Freview%3Fa%3D%2F%2Fb.example%2F'],
      ['/login',                     PAGE,      '/house/postern/?next=%2Fhouse%2Flogin'],
      ['/api/version',               NAVIGATED, '/house/postern/?next=%2Fhouse%2Fapi%2Fversion'],
      ['/api/export/x/start/1/end/2', FORM,     '/house/postern/?next=%2Fhouse%2F', 'POST'],
      ['/postern/?next=%2Fhouse%2F', PAGE,      200],
      ['/auth',                      { ...PAGE, ...said }, 202],
    ];
    const before = nvr.received.length;
    for (const [path, headers, answer, method] of asked) {
      const { status, headers: got } = await ask(path, headers, method);
      assert.deepEqual(got.location ?? status, answer, path);
      if (status === 302) assert.match(got.vary ?? '', /Cookie/i);
    }
    assert.deepEqual(nvr.received.slice(before), []);
    for (const headers of [
      { accept: '*/*', cookie },
      { accept: 'text/html', authorization: `Bearer ${token}` },
    ])
      assert.equal((await ask('/review', headers)).status, 200);
    const changed = await fetch(`${at.url}/api/users/admin/password`, {
      method: 'PUT',
      headers: { cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ password: 'CalciumCandle55?', old_password: postern.adminPassword }),
    });
    assert.equal((await ask('/review', { ...PAGE, cookie: firstCookie(changed) })).status, 200);
  });

  it('is the only one that prints a password, keeps the secret to itself, and accounts outlive it', async () => {
    const first = await servePostern();
    const { directory, adminPassword = '' } = first;
    const session = firstCookie(await login(first, 'admin', adminPassword));
    await first.end();
    assert.equal(statSync(join(directory, '.jwt_secret')).mode & 0o777, 0o600);
    assert.match(readFileSync(join(directory, '.jwt_secret'), 'utf8'), /^[0-9a-f]{128}\n?$/);

    const second = await servePostern({ directory });
    assert.equal(second.adminPassword, undefined);
    assert.equal((await login(second, 'admin', adminPassword)).status, 200);
    assert.equal(
      (await fetch(`${second.url}/api/profile`, { headers: { cookie: session } })).status,
      200,
      'the token still holds',
    );
    await second.end();
  });
});

describe('5.2 Admin password reset', () => {
  it('when auth.reset_admin_password is true, the admin password is reset and printed at the next startup', async () => {
    const first = await servePostern();
    const session = firstCookie(await login(first, 'admin', first.adminPassword ?? ''));
    await first.end();
    const reset = await servePostern({
      directory: first.directory,
      env: { POSTERN__AUTH__RESET_ADMIN_PASSWORD: 'true' },
    });
    assert.notEqual(reset.adminPassword, first.adminPassword);
    assert.equal((await login(reset, 'admin', first.adminPassword ?? '')).status, 401);
    assert.equal((await login(reset, 'admin', reset.adminPassword ?? '')).status, 200);
    assert.equal(
      (await fetch(`${reset.url}/api/profile`, { headers: { cookie: session } })).status,
      401,
      'older sessions are over',
    );
    await reset.end();
  });
});

describe('What is acknowledged survives kill -9', () => {
  it('a changed password', async () => {
    const first = await servePostern();
    const cookie = firstCookie(await login(first, 'admin', first.adminPassword ?? ''));
    const changed = await fetch(`${first.url}/api/users/admin/password`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json', cookie },
      body: JSON.stringify({ password: 'a-password-of-my-own', old_password: first.adminPassword }),
    });
    assert.equal(changed.status, 200);
    await first.end('SIGKILL');
    const second = await servePostern({ directory: first.directory });
    assert.equal((await login(second, 'admin', 'a-password-of-my-own')).status, 200);
    assert.equal((await login(second, 'admin', first.adminPassword ?? '')).status, 401);
    await second.end();
  });

  it('an import', async () => {
    const directory = newDirectory('tls: { enabled: false }\n');
    const event = (id: number) =>
      JSON.stringify({
        id: `${id}.5-abc`,
        label: 'person',
        camera: 'cam1',
        start_time: id,
        end_time: id + 1,
        zones: [],
        has_clip: true,
        has_snapshot: true,
        data: {},
      });
    const file = join(directory, 'events.ndjson');
    writeFileSync(file, Array.from({ length: 500 }, (_, index) => `${event(index + 1)}\n`).join(''));
    const imported = await runPostern(['events', 'import', file], { directory });
    assert.deepEqual([imported.code, imported.stderr], [0, '']);
    const postern = await servePostern({ directory });
    await postern.end('SIGKILL');
    const again = await servePostern({ directory });
    const events = await fetch(`${again.internalUrl}/api/events?limit=1000`);
    assert.equal(((await events.json()) as unknown[]).length, 500);
    await again.end();
  });
});

describe('A start that cannot be', () => {
  it('on broken YAML says where it is broken', async () => {
    const { code, stderr } = await runPostern(['serve'], { directory: newDirectory('auth:\n  roles: [unclosed\n') });
    assert.equal(code, 1);
    assert.match(stderr, /config\.yaml:\d+:\d+/);
  });

  it('on several mistakes names every one, with its key and line', async () => {
    const config =
      'tls: { enabled: false }\nauth:\n  sesion_length: 5\n  trusted_proxies: [10.0.0.0/33]\n  roles: { admin: [x] }\n';
    for (const command of ['serve', 'check']) {
      const { code, stdout, stderr } = await runPostern([command], { directory: newDirectory(config) });
      assert.equal(code, 1);
      assert.match(stdout + stderr, /config\.yaml:3:\d+ auth\.sesion_length: .*did you mean session_length\?/);
      assert.match(stdout + stderr, /config\.yaml:4:\d+ auth\.trusted_proxies\[0\]: "10\.0\.0\.0\/33"/);
      assert.match(stdout + stderr, /config\.yaml:5:\d+ auth\.roles\.admin: "admin" is a reserved role name/);
    }
  });

  it('on a port that is taken says which, and what to do', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const { code, stderr } = await runPostern(['serve'], { env: { POSTERN__SERVER__EXTERNAL: `127.0.0.1:${port}` } });
    taken.close();
    assert.deepEqual(
      [code, stderr],
      [
        1,
        `Postern did not start: cannot listen on 127.0.0.1:${port}: another program has that port: stop it, or choose another port in the configuration\n`,
      ],
    );
  });

  it('on a configuration directory that is a file says so', async () => {
    const directory = newDirectory();
    const file = join(directory, 'a-file');
    writeFileSync(file, '');
    const { code, stderr } = await runPostern(['serve'], { directory: file });
    assert.equal(code, 1);
    assert.match(
      stderr,
      /the configuration directory .*a-file cannot be used \(.*\): make it readable and writable, or choose another/,
    );
  });

  it('on a store that is no database says so', async () => {
    const directory = newDirectory('tls: { enabled: false }\n');
    writeFileSync(join(directory, 'postern.db'), 'this is no database, whatever its name says '.repeat(100));
    const { code, stderr } = await runPostern(['serve'], { directory });
    assert.equal(code, 1);
    assert.match(stderr, /^Postern did not start: .*postern\.db.*\n$/);
  });

  it('on an empty signing secret says so', async () => {
    const { code, stderr } = await runPostern(['serve'], { env: { SERVICE_JWT_SECRET: '' } });
    assert.equal(code, 1);
    assert.match(stderr, /SERVICE_JWT_SECRET.* is empty/);
  });

  it('shows no stack trace', async () => {
    const directory = newDirectory();
    mkdirSync(join(directory, '.jwt_secret'));
    const { code, stdout, stderr } = await runPostern(['serve'], { directory });
    assert.equal(code, 1);
    assert.doesNotMatch(stdout + stderr, /\n {4}at |node:internal/);
    chmodSync(directory, 0o700);
  });
});

describe('Stopping', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`by ${signal} exits 0 and prints nothing but its log`, async () => {
      const postern = await servePostern();
      assert.equal(await postern.end(signal), 0);
      assert.equal(postern.output.stderr, '');
    });
  }
});
