/** Interface 1 and 5.6: what each port makes of a request, proved by what the NVR received. */
import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { instanceInFront } from '../support/instance-in-front.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';

const { instance, nvr } = await instanceInFront();
beforeEach(() => {
  nvr.received.length = 0;
});

/** Everything that could pass for a claim. */
const CLAIMS = {
  'Remote-User': 'root',
  'Remote-Role': 'viewer',
  'X-Forwarded-User': 'root',
  'X-Forwarded-Groups': 'viewers',
  'X-Server-Port': '8971',
};

describe('Port 8971', () => {
  it('admin has full access', async () => {
    const answer = await instance.ask('/api/restart', { method: 'POST', token: await instance.logIn(ADMIN_PERSON) });
    assert.deepEqual(
      [answer.status, nvr.received.map(({ method, target }) => `${method} ${target}`)],
      [200, ['POST /api/restart']],
    );
  });

  it('viewer is read-only', async () => {
    const token = await instance.logIn(VERA);
    assert.equal((await instance.ask('/api/version', { token })).status, 200);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      assert.equal((await instance.ask('/api/events/1/retain', { method, token })).status, 403);
    }
    assert.deepEqual(
      nvr.received.map(({ method }) => method),
      ['GET'],
    );
  });

  it('a custom role is read-only for its cameras', async () => {
    const token = await instance.logIn(CARL);
    const own = await instance.ask('/api/cam1/latest.jpg', { token });
    const foreign = await instance.ask('/api/cam2/latest.jpg', { token });
    assert.deepEqual(
      [own.status, foreign.status, nvr.received.map(({ target }) => target)],
      [200, 403, ['/api/cam1/latest.jpg']],
    );
  });

  it('later requests use the headers remote-user and remote-role, exactly one of each', async () => {
    for (const [person, role] of [
      [VERA, 'viewer'],
      [CARL, 'front_only'],
      [ADMIN_PERSON, 'admin'],
    ] as const) {
      await instance.ask('/api/version', { token: await instance.logIn(person), headers: CLAIMS });
      assert.deepEqual([nvr.lastHeader('remote-user'), nvr.lastHeader('remote-role')], [[person.name], [role]]);
      assert.deepEqual([nvr.lastHeader('x-forwarded-user'), nvr.lastHeader('x-server-port')], [[], []]);
    }
  });

  it('a public page names the caller if known, else no user', async () => {
    await instance.ask('/', { headers: CLAIMS });
    assert.deepEqual([nvr.lastHeader('remote-user'), nvr.lastHeader('remote-role')], [[], []]);
    await instance.ask('/', { headers: { cookie: `frigate_token=${await instance.logIn(VERA)}` } });
    assert.deepEqual([nvr.lastHeader('remote-user'), nvr.lastHeader('remote-role')], [['vera'], ['viewer']]);
  });
});

describe('Port 5000', () => {
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${instance.internalUrl}${path}`, { method, headers, redirect: 'manual' });

  it('role headers are ignored: all requests are anonymous, with admin-level access', async () => {
    const answer = await ask('/api/profile', CLAIMS);
    assert.deepEqual(await answer.json(), { username: 'anonymous', role: 'admin', allowed_cameras: ['cam1', 'cam2'] });
    await ask('/api/version', CLAIMS);
    assert.deepEqual([nvr.lastHeader('remote-user'), nvr.lastHeader('remote-role')], [['anonymous'], ['admin']]);
  });

  it('no token makes it less or more', async () => {
    const answer = await ask('/api/profile', { Authorization: `Bearer ${await instance.logIn(CARL)}` });
    assert.match(await answer.text(), /^\{"username":"anonymous","role":"admin"/);
  });

  it('roles are not enforced', async () => {
    assert.equal((await ask('/api/restart', {}, 'POST')).status, 200);
  });

  it('a page of another site cannot use it', async () => {
    assert.equal((await ask('/api/restart', { Origin: 'http://evil.test' }, 'POST')).status, 403);
    assert.deepEqual(nvr.received, []);
  });
});
