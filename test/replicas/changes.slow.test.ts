/** Three replicas on one PostgreSQL: a change that one of them makes acts on all. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { beginPairing, pollPairing } from '../support/screens.ts';
import { sendJson } from '../support/second-factor.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { firstCookie } from '../support/sessions.ts';
import type { Runtime } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { type Replicas, startReplicas } from './support/replicas.ts';

const json = { 'Content-Type': 'application/json' };

describe('Replicas on one PostgreSQL', { skip: withoutPostgres }, () => {
  let postgres: TestPostgres;
  let replicas: Replicas;
  let nvr: FakeNvr;
  let [one, two, three]: Runtime[] = [];
  before(async () => {
    postgres = await startPostgres();
    nvr = await startFakeNvr();
    nvr.answer = ({ url }, response) => {
      if (url === '/api/config') return void response.writeHead(404).end();
      response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=frame' }).write('--frame\r\n');
    };
    const config = { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] } };
    replicas = await startReplicas(3, await postgres.newDatabase(), config);
    [one, two, three] = replicas.all;
  });
  after(async () => {
    await replicas.close();
    await Promise.all([postgres.stop(), nvr.close()]);
  });

  const at = (replica: Runtime | undefined): Runtime => replica ?? assert.fail('it was not started');
  const profile = async (replica: Runtime | undefined, token: string): Promise<Response> =>
    at(replica).ask('/api/profile', { token });
  const statusOf = async (replica: Runtime | undefined, token: string): Promise<number> =>
    (await profile(replica, token)).status;

  it('know a session that another one began', async () => {
    const token = await at(one).logIn(VERA);
    assert.deepEqual([await statusOf(two, token), await statusOf(three, token)], [200, 200]);
  });

  it('refuse a session that was ended on another one', async () => {
    const token = await at(one).logIn(VERA);
    assert.equal(await statusOf(three, token), 200);
    await at(two).ask('/logout', { token, method: 'POST' });
    assert.equal(await statusOf(two, token), 401);
    await until('the others refuse it', async () =>
      (await Promise.all([statusOf(one, token), statusOf(three, token)])).every((status) => status === 401),
    );
  });

  it('give a person the new role at once', async () => {
    const [admin, carl] = [await at(one).logIn(ADMIN_PERSON), await at(two).logIn(CARL)];
    const answer = await at(three).ask('/api/users/carl/role', {
      token: admin,
      method: 'PUT',
      headers: json,
      body: JSON.stringify({ role: 'viewer' }),
    });
    assert.equal(answer.status, 200);
    await until('the new role is seen everywhere', async () => {
      const roles = await Promise.all(
        replicas.all.map(async (replica) => ((await (await profile(replica, carl)).json()) as { role: string }).role),
      );
      return roles.every((role) => role === 'viewer');
    });
  });

  it('refuse an API token that was revoked on another one', async () => {
    const admin = await at(one).logIn(ADMIN_PERSON);
    const made = await at(one).ask('/api/tokens', {
      token: admin,
      method: 'POST',
      headers: json,
      body: JSON.stringify({ name: 'kitchen display', role: 'viewer' }),
    });
    const { id, token } = (await made.json()) as { id: string; token: string };
    assert.deepEqual([await statusOf(two, token), await statusOf(three, token)], [200, 200]);
    await at(two).ask(`/api/tokens/${id}`, { token: admin, method: 'DELETE' });
    await until('it is refused everywhere', async () =>
      (await Promise.all(replicas.all.map((replica) => statusOf(replica, token)))).every((status) => status === 401),
    );
  });

  it('end a link that was revoked on another one, and what it shows at that moment', async () => {
    const token = await at(one).logIn(VERA);
    const what = { what: { live: { camera: 'cam1' } } };
    const made = (await (await sendJson(at(one), '/api/links', what, token)).json()) as { id: string; url: string };
    const path = `${made.url}/live`;
    const streams = await Promise.all([one, two].map((replica) => at(replica).ask(path)));
    assert.deepEqual(
      streams.map(({ status }) => status),
      [200, 200],
    );
    const answer = await at(three).ask(`/api/links/${made.id}`, { token, method: 'DELETE' });
    assert.equal(answer.status, 200);
    assert.equal((await at(three).ask(path)).status, 404);
    for (const stream of streams) await assert.rejects(stream.text(), 'it was cut');
    nvr.received.splice(0);
    for (const replica of replicas.all) assert.equal((await replica.ask(path)).status, 404);
    assert.deepEqual(nvr.received, []);
  });

  it('pair a screen together, and end it with what it shows when one of them revokes it', async () => {
    const session = await at(one).logIn(VERA);
    const begun = await beginPairing(at(one));
    const given = { user_code: begun.user_code, name: 'hall' };
    const confirmed = await sendJson(at(two), '/api/screens/confirm', given, session);
    const { id } = (await confirmed.json()) as { id: string };
    const fetched = await pollPairing(at(three), begun.device_code);
    const cookie = firstCookie(fetched);
    const ask = (replica: Runtime | undefined) => at(replica).ask('/api/cam1', { headers: { cookie } });
    const streams = await Promise.all([one, two].map(ask));
    assert.deepEqual(
      streams.map(({ status }) => status),
      [200, 200],
    );
    assert.equal((await at(three).ask(`/api/screens/${id}`, { token: session, method: 'DELETE' })).status, 200);
    for (const stream of streams) await assert.rejects(stream.text(), 'it was cut');
    for (const replica of [one, two, three]) assert.equal((await ask(replica)).status, 401);
  });

  it('take a camera away that was drawn on another one, with the streams that show it, and give it back', async () => {
    const [admin, token] = [await at(one).logIn(ADMIN_PERSON), await at(one).logIn(VERA)];
    const seenBy = async (replica: Runtime): Promise<unknown> =>
      ((await (await profile(replica, token)).json()) as { allowed_cameras: unknown }).allowed_cameras;
    const areSeen = async (...cameras: string[]): Promise<boolean> =>
      (await Promise.all(replicas.all.map(seenBy))).every((seen) => String(seen) === String(cameras));
    const move = (method: string) => sendJson(at(three), '/api/curtain', { cameras: ['cam1'] }, admin, method);
    assert.ok(await areSeen('cam1', 'cam2'));
    const streams = await Promise.all([one, two].map((replica) => at(replica).ask('/api/cam1', { token })));
    assert.deepEqual(
      streams.map(({ status }) => status),
      [200, 200],
    );
    assert.equal((await move('PUT')).status, 200);
    for (const stream of streams) await assert.rejects(stream.text(), 'it was cut');
    await until('it is drawn everywhere', () => areSeen('cam2'));
    nvr.received.splice(0);
    for (const replica of replicas.all) assert.equal((await replica.ask('/api/cam1', { token })).status, 403);
    assert.deepEqual(nvr.received, []);
    assert.equal((await move('DELETE')).status, 200);
    await until('it is open everywhere', () => areSeen('cam1', 'cam2'));
  });

  it('know a role that was made on another one', async () => {
    const admin = await at(one).logIn(ADMIN_PERSON);
    await at(one).ask('/api/roles/gardener', {
      token: admin,
      method: 'PUT',
      headers: json,
      body: JSON.stringify({ cameras: ['cam1'] }),
    });
    await until('it is listed everywhere', async () => {
      const lists = await Promise.all(replicas.all.map((replica) => replica.ask('/api/roles', { token: admin })));
      const texts = await Promise.all(lists.map((list) => list.text()));
      return texts.every((text) => text.includes('gardener'));
    });
  });

  it('leave one admin when two demote each other on two replicas', async () => {
    const admin = await at(one).logIn(ADMIN_PERSON);
    const second = { name: 'berta', role: 'admin', password: 'SecondPassw0rd!!' };
    await at(one).ask('/api/users', {
      token: admin,
      method: 'POST',
      headers: json,
      body: JSON.stringify({ username: second.name, password: second.password, role: second.role }),
    });
    const berta = await at(two).logIn(second);
    const demote = (replica: Runtime | undefined, token: string, name: string): Promise<Response> =>
      at(replica).ask(`/api/users/${name}/role`, {
        token,
        method: 'PUT',
        headers: json,
        body: JSON.stringify({ role: 'viewer' }),
      });
    await Promise.all([demote(one, admin, second.name), demote(two, berta, ADMIN_PERSON.name)]);
    const roles = await Promise.all(
      [admin, berta].map(async (token) => ((await (await profile(three, token)).json()) as { role: string }).role),
    );
    assert.deepEqual(roles.sort(), ['admin', 'viewer']);
  });
});
