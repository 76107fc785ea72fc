/** A console that no page of the NVR meets: a second Postern without an NVR, on the same store, at a host of its own (SECURITY.md). */
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const NVR_PLACE = 'https://nvr.example.com';
const CONSOLE_PLACE = 'https://console.example.com';
const ROLES = { front_only: ['cam1'] };

describe('A second Postern on the same store, without an NVR', () => {
  let nvr: FakeNvr;
  let first: Runtime;
  let console_: Runtime;
  let directory: string;
  const start = (roles?: Record<string, string[]>): Promise<Runtime> =>
    startInstance({
      directory,
      people: [],
      text: JSON.stringify({
        server: { external: '127.0.0.1:0', internal: false, telemetry: false, public_url: CONSOLE_PLACE },
        tls: { enabled: false },
        nvr: { cameras: ['cam1', 'cam2'] },
        auth: { hash_iterations: 1000, ...(roles && { roles }) },
        store: { url: `sqlite:${join(first.directory, 'postern.db')}` },
      }),
    });
  before(async () => {
    nvr = await startFakeNvr();
    first = await startInstance({
      config: {
        server: {
          ...{ external: '127.0.0.1:0', internal: '127.0.0.1:0', telemetry: '127.0.0.1:0' },
          public_url: NVR_PLACE,
        },
        nvr: { url: nvr.url },
        auth: { roles: ROLES },
      },
    });
    directory = mkdtempSync(join(tmpdir(), 'postern-test-'));
    cpSync(join(first.directory, '.jwt_secret'), join(directory, '.jwt_secret'));
  });
  after(async () => {
    await console_?.close();
    await first?.close();
    await nvr?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const change = (token: string, origin: string): Promise<Response> =>
    console_.ask('/api/users/vera/role', {
      method: 'PUT',
      headers: { cookie: `frigate_token=${token}`, origin, 'content-type': 'application/json' },
      body: JSON.stringify({ role: 'front_only' }),
    });

  it('does not start without the roles of the first one, whose users it would make viewers', async () => {
    await assert.rejects(start(), /auth\.roles: is missing, but 1 user has a role that nothing else defines/);
    const carl = await first.ask('/api/profile', { token: await first.logIn(CARL) });
    assert.deepEqual(((await carl.json()) as Record<string, unknown>)['allowed_cameras'], ['cam1']);
  });

  it('has the people and roles of the store, and nothing of the NVR', async () => {
    console_ = await start(ROLES);
    const token = await console_.logIn(ADMIN_PERSON);
    const users = (await (await console_.ask('/api/users', { token })).json()) as { username: string }[];
    assert.deepEqual(
      users.map(({ username }) => username),
      ['admin', 'carl', 'vera'],
    );
    const access = await console_.ask('/api/access?camera=cam1', { token });
    assert.deepEqual(((await access.json()) as Record<string, unknown>)['cameras'], ['cam1', 'cam2']);
    nvr.received.length = 0;
    const picture = await console_.ask('/api/cam1/latest.jpg', { token });
    assert.deepEqual([picture.status, nvr.received], [404, []]);
  });

  it('takes a change of its own page, which holds at the first one at the next request', async () => {
    const vera = await first.logIn(VERA);
    const token = await console_.logIn(ADMIN_PERSON);
    assert.equal((await change(token, NVR_PLACE)).status, 403, 'a page of the NVR');
    assert.equal((await first.ask('/api/cam2/latest.jpg', { token: vera })).status, 200);
    assert.equal((await change(token, CONSOLE_PLACE)).status, 200);
    const after = await first.ask('/api/profile', { token: vera });
    assert.deepEqual(((await after.json()) as Record<string, unknown>)['role'], 'front_only');
  });

  it('keeps its cookie at its own host', async () => {
    const answer = await console_.ask('/api/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user: ADMIN_PERSON.name, password: ADMIN_PERSON.password }),
    });
    assert.doesNotMatch(answer.headers.get('set-cookie') ?? '', /domain=/i);
  });
});
