/** The absolute end of a session, and how many a user may have (SPEC 12), from outside, over restarts. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { CARL, VERA } from '../support/people.ts';
import { type ConfigTree, type InstanceOptions, type Runtime, startInstance } from '../support/start-instance.ts';

const DAY = 86_400;

async function running(t: TestContext, auth: ConfigTree, more: InstanceOptions = {}) {
  const nvr = await startFakeNvr();
  t.after(() => nvr.close());
  const instance = await startInstance({ config: { auth, nvr: { url: nvr.url, cameras: ['cam1'] } }, ...more });
  return { instance, nvr };
}

/** Through to the NVR, as a browser does it: the cookie of the answer replaces the one at hand. */
async function browse(instance: Runtime, token: string): Promise<{ status: number; token: string; maxAge: number }> {
  const answer = await fetch(`${instance.url}/api/version`, { headers: { cookie: `frigate_token=${token}` } });
  await answer.text();
  const line = answer.headers.get('set-cookie') ?? '';
  const [, renewed = token] = /frigate_token=([^;]+)/.exec(line) ?? [];
  return { status: answer.status, token: renewed, maxAge: Number(/Max-Age=(\d+)/.exec(line)?.[1] ?? Number.NaN) };
}
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const seenBy = (nvr: FakeNvr): number => nvr.received.length;

describe('A session that is renewed all the time', () => {
  it('ends session_max_age after its login, and over a restart; the NVR then gets nothing', async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-age-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    const { instance: first, nvr } = await running(t, { session_max_age: 3 * DAY }, { directory });
    const { clock } = first;
    let token = await first.logIn(VERA);
    const login = claimsOf(token).auth_time;
    assert.equal(login, claimsOf(token).iat);
    clock.advance(DAY - 100);
    ({ token } = await browse(first, token));
    assert.deepEqual([claimsOf(token).auth_time, claimsOf(token).exp], [login, login + 2 * DAY - 100]);
    await first.close();

    const { instance: second } = await running(t, { session_max_age: 3 * DAY }, { directory, clock, people: [] });
    t.after(() => second.close());
    clock.advance(DAY - 100);
    ({ token } = await browse(second, token));
    clock.advance(DAY - 100);
    const last = await browse(second, token);
    assert.deepEqual([last.status, claimsOf(last.token).exp, last.maxAge], [200, login + 3 * DAY, 300]);
    const again = await browse(second, last.token);
    assert.deepEqual([again.status, again.maxAge], [200, Number.NaN], 'a cookie that changes nothing is not sent');
    clock.advance(300);
    const before = seenBy(nvr);
    assert.deepEqual([(await browse(second, last.token)).status, seenBy(nvr)], [401, before]);
  });

  it('goes on with null', async (t) => {
    const { instance } = await running(t, { session_max_age: null });
    t.after(() => instance.close());
    let token = await instance.logIn(VERA);
    for (let day = 0; day < 120; day += 1) {
      instance.clock.advance(DAY - 100);
      const answer = await browse(instance, token);
      assert.equal(answer.status, 200);
      ({ token } = answer);
    }
  });

  it('ends at once when a reload brings its end forward', async (t) => {
    const { instance, nvr } = await running(t, { session_length: 10 * DAY });
    t.after(() => instance.close());
    const token = await instance.logIn(VERA);
    instance.clock.advance(2 * DAY);
    assert.equal((await browse(instance, token)).status, 200);
    const nvrSettings = { url: nvr.url, cameras: ['cam1'] };
    await instance.reload({ auth: { session_length: 10 * DAY, session_max_age: DAY }, nvr: nvrSettings });
    assert.equal((await browse(instance, token)).status, 401);
  });
});

describe('One login more than sessions_per_user', () => {
  it('ends the oldest session of that user, over a restart too, and says so in the audit log', async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-many-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    const { instance: first } = await running(t, { sessions_per_user: 2 }, { directory });
    const { clock } = first;
    const ofCarl = await first.logIn(CARL);
    const tokens = [await first.logIn(VERA)];
    clock.advance(1);
    tokens.push(await first.logIn(VERA));
    await first.close();

    const { instance: second } = await running(t, { sessions_per_user: 2 }, { directory, clock, people: [] });
    t.after(() => second.close());
    const statuses = () => Promise.all([ofCarl, ...tokens].map(async (token) => (await browse(second, token)).status));
    assert.deepEqual(await statuses(), [200, 200, 200]);
    clock.advance(1);
    tokens.push(await second.logIn(VERA));
    assert.deepEqual(await statuses(), [200, 401, 200, 200]);
    const ended = second.log.filter(({ what }) => what === 'session-ended');
    assert.deepEqual(
      ended.map(({ who, user, reason, sessionId }) => [who, user, reason, sessionId]),
      [['vera', 'vera', 'too-many-sessions', claimsOf(tokens[0] ?? '').jti]],
    );
  });

  it('ends the oldest even when no request was made with any of them', async (t) => {
    const { instance } = await running(t, { sessions_per_user: 1 });
    t.after(() => instance.close());
    const tokens = [];
    for (let login = 0; login < 3; login += 1) {
      tokens.push(await instance.logIn(VERA));
      instance.clock.advance(1);
    }
    const statuses = await Promise.all(tokens.map(async (token) => (await browse(instance, token)).status));
    assert.deepEqual(statuses, [401, 401, 200]);
  });
});

describe('The name of a device', () => {
  it('stays after the session, an update of the browser and a restart, is that of its user alone, and goes with the user', async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-device-'));
    t.after(() => rmSync(directory, { recursive: true, force: true }));
    const { instance: first } = await running(t, {}, { directory });
    const firefox = (version: number) => ({
      'User-Agent': `Mozilla/5.0 (Windows NT 10.0; rv:${version}.0) Firefox/${version}.0`,
    });
    const namesOf = async (instance: typeof first, token: string, version: number) => {
      const answer = await instance.ask('/api/sessions', { token, headers: firefox(version) });
      return ((await answer.json()) as { name: string | null; current: boolean }[])
        .filter(({ current }) => current)
        .map(({ name }) => name);
    };
    const vera = await first.logIn(VERA);
    assert.deepEqual(await namesOf(first, vera, 140), [null]);
    const named = await first.ask(`/api/sessions/${claimsOf(vera).jti}`, {
      token: vera,
      method: 'PATCH',
      headers: { ...firefox(140), 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Desk' }),
    });
    assert.equal(named.status, 200);
    assert.deepEqual(await namesOf(first, await first.logIn(CARL), 140), [null]);
    await first.close();

    const { instance: second } = await running(t, {}, { directory, clock: first.clock, people: [] });
    t.after(() => second.close());
    assert.deepEqual(await namesOf(second, await second.logIn(VERA), 141), ['Desk']);
  });
});
