/** PostgreSQL is killed or frozen: callers known before go on for `store.grace`, everything else is 503, and all heals without a restart (SPEC 10). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../support/people.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import type { ConfigTree, Runtime } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { scrape } from '../telemetry/support/exposition.ts';
import { startReplicas } from './support/replicas.ts';

const GRACE_SECONDS = 60;
const json = { 'Content-Type': 'application/json' };

/** For a server that holds requests for ever. All tests of a suite share it. */
const IN_TIME = { timeout: 300_000 };

const profileStatus = async (replica: Runtime, token: string): Promise<number> =>
  (await replica.ask('/api/profile', { token })).status;

const login = (replica: Runtime, { name, password }: Person): Promise<Response> =>
  replica.ask('/api/login', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ user: name, password }),
    signal: AbortSignal.timeout(60_000),
  });

const makeToken = (replica: Runtime, token: string): Promise<Response> =>
  replica.ask('/api/tokens', {
    token,
    method: 'POST',
    headers: json,
    body: JSON.stringify({ name: 'kitchen display', role: 'viewer' }),
    signal: AbortSignal.timeout(60_000),
  });

const readyStatus = async ({ telemetryUrl }: Runtime): Promise<number> =>
  (await fetch(`${telemetryUrl}/readyz`, { signal: AbortSignal.timeout(60_000) })).status;

/** Notices come in order: when `at` has heard of a session's end on `other`, it has heard of everything before. */
async function hearAll(at: Runtime, other: Runtime): Promise<void> {
  const token = await at.logIn(CARL);
  assert.equal(await profileStatus(at, token), 200);
  await other.ask('/logout', { token, method: 'POST' });
  await until('the notice has come', async () => (await profileStatus(at, token)) === 401);
}

/** How the server goes away, and how it comes back. */
const WAYS = {
  killed: { cut: (server: TestPostgres) => server.kill(), mend: (server: TestPostgres) => server.start() },
  frozen: {
    cut: async (server: TestPostgres) => server.signal('SIGSTOP'),
    mend: async (server: TestPostgres) => server.signal('SIGCONT'),
  },
} as const;

for (const [way, { cut, mend }] of Object.entries(WAYS)) {
  describe(`A PostgreSQL that is ${way}`, { skip: withoutPostgres, ...IN_TIME }, () => {
    let postgres: TestPostgres;
    before(async () => {
      postgres = await startPostgres();
    });
    after(() => postgres.stop());

    const running = async (test: { after(act: () => unknown): void }, config: ConfigTree = {}) => {
      const replicas = await startReplicas(2, await postgres.newDatabase(), config);
      let isCut = false;
      test.after(async () => {
        if (isCut) await mend(postgres);
        await replicas.close();
      });
      const [one = assert.fail(), two = assert.fail()] = replicas.all;
      return {
        one,
        two,
        async cut() {
          isCut = true;
          await cut(postgres);
        },
        async mend() {
          await mend(postgres);
          isCut = false;
        },
      };
    };

    it('leaves the curtain as it was, drawn and opened on another replica, and it is not moved meanwhile', async (test) => {
      const nvr = { cameras: ['cam1', 'cam2'] };
      const { one, two, ...server } = await running(test, { nvr, store: { grace: GRACE_SECONDS } });
      const [admin, vera] = [await one.logIn(ADMIN_PERSON), await one.logIn(VERA)];
      const move = (method: string, cameras: readonly string[]) =>
        one.ask('/api/curtain', { method, token: admin, headers: json, body: JSON.stringify({ cameras }) });
      const seenAt = async (replica: Runtime): Promise<unknown> =>
        ((await (await replica.ask('/api/profile', { token: vera })).json()) as { allowed_cameras: unknown })
          .allowed_cameras;
      assert.equal((await move('PUT', ['cam1', 'cam2'])).status, 200);
      assert.equal((await move('DELETE', ['cam2'])).status, 200);
      await until('both know it', async () =>
        (await Promise.all([one, two].map(seenAt))).every((seen) => String(seen) === 'cam2'),
      );
      await hearAll(two, one);
      await hearAll(one, two);
      assert.deepEqual([await seenAt(one), await seenAt(two)], [['cam2'], ['cam2']]);
      await server.cut();
      assert.deepEqual([await seenAt(one), await seenAt(two)], [['cam2'], ['cam2']]);
      assert.equal((await move('DELETE', ['cam1'])).status, 503);
      assert.deepEqual([await seenAt(one), await seenAt(two)], [['cam2'], ['cam2']]);
      await server.mend();
      await until('it is opened', async () => (await move('DELETE', ['cam1'])).status === 200);
      await until('both know that', async () =>
        (await Promise.all([one, two].map(seenAt))).every((seen) => String(seen) === 'cam1,cam2'),
      );
    });

    it('leaves known callers for the grace alone, and everything heals', async (test) => {
      const { one, two, ...server } = await running(test, { store: { grace: GRACE_SECONDS } });
      const [admin, vera] = [await one.logIn(ADMIN_PERSON), await one.logIn(VERA)];
      const made = (await (await makeToken(one, admin)).json()) as { token: string };
      const known = [vera, admin, made.token];
      await hearAll(one, two);
      for (const token of known) assert.equal(await profileStatus(one, token), 200);
      const carl = await one.logIn(CARL); // never shown before the cut
      await server.cut();

      await until('it is not ready', async () => (await readyStatus(one)) === 503);
      for (const token of known) assert.equal(await profileStatus(one, token), 200);
      assert.equal(await profileStatus(one, carl), 503);
      assert.equal(await profileStatus(one, `pst_${'0'.repeat(16)}_${'0'.repeat(64)}`), 503);
      assert.equal(await profileStatus(one, 'no.session.token'), 401);
      for (const answer of [await login(one, VERA), await makeToken(one, admin)])
        assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '5']);
      const series = await scrape(one.telemetryUrl);
      assert.equal(series.get('postern_store_up'), 0);
      assert.ok((series.get('postern_store_faults_total{kind="unreachable"}') ?? 0) > 0);

      // For the first 2 s after the last heartbeat what is remembered still counts as confirmed, whatever this clock says.
      await until('the grace is over', async () => {
        one.clock.advance(GRACE_SECONDS + 1);
        const all = await Promise.all(known.map((token) => profileStatus(one, token)));
        return all.every((status) => status === 503);
      });

      await server.mend();
      await until('it is ready again', async () => (await readyStatus(one)) === 200);
      for (const token of [...known, carl]) assert.equal(await profileStatus(one, token), 200);
      assert.equal((await login(one, VERA)).status, 200);
      assert.equal((await scrape(one.telemetryUrl)).get('postern_store_up'), 1);
    });

    it('gives no grace to a session that was ended before, here or elsewhere', async (test) => {
      const { one, two, ...server } = await running(test);
      const [here, elsewhere] = [await one.logIn(VERA), await one.logIn(VERA)];
      for (const token of [here, elsewhere]) assert.equal(await profileStatus(one, token), 200);
      await one.ask('/logout', { token: here, method: 'POST' });
      await two.ask('/logout', { token: elsewhere, method: 'POST' });
      await until('the notice has come', async () => (await profileStatus(one, elsewhere)) === 401);
      await server.cut();
      for (const token of [here, elsewhere]) assert.notEqual(await profileStatus(one, token), 200);
      one.clock.advance(3);
      for (const token of [here, elsewhere]) assert.notEqual(await profileStatus(one, token), 200);
    });

    it('ends a session that logs out meanwhile, though it cannot be stored yet', async (test) => {
      const { one, two, ...server } = await running(test);
      await hearAll(one, two);
      const [vera, carl] = [await one.logIn(VERA), await one.logIn(CARL)];
      for (const token of [vera, carl]) assert.equal(await profileStatus(one, token), 200);
      await server.cut();
      const answer = await one.ask('/logout', { token: vera, method: 'POST' });
      assert.equal(answer.status, 503);
      assert.equal(await profileStatus(one, vera), 401);
      assert.equal(await profileStatus(one, carl), 200);
      await server.mend();
      await until('it is ready again', async () => (await readyStatus(one)) === 200);
      await until('the end is stored', async () =>
        one.log.some(({ msg }) => /ended sessions that were held in memory are stored now/.test(String(msg))),
      );
      assert.equal(await profileStatus(one, vera), 401);
    });

    for (const place of ['here', 'elsewhere'] as const)
      it(`leaves callers whom the last changes did not touch, which were made ${place}`, async (test) => {
        const { one, two, ...server } = await running(test);
        const at = place === 'here' ? one : two;
        const [admin, vera, ended] = [await one.logIn(ADMIN_PERSON), await one.logIn(VERA), await one.logIn(VERA)];
        const made = (await (await makeToken(one, admin)).json()) as { token: string };
        const known = [admin, vera, made.token];
        for (const token of [...known, ended]) assert.equal(await profileStatus(at, token), 200);
        const asAdmin = { token: admin, headers: json };
        const user = { username: 'paul', password: 'four wet horses 12', role: 'viewer' };
        const changes = [
          await one.ask('/api/users', { ...asAdmin, method: 'POST', body: JSON.stringify(user) }),
          await one.ask('/api/roles/yard', { ...asAdmin, method: 'PUT', body: '{"cameras":["yard"]}' }),
          await one.ask('/logout', { token: ended, method: 'POST' }),
        ];
        for (const { status } of changes) assert.ok(status < 400, String(status));
        await until('it has heard of the last change', async () => (await profileStatus(at, ended)) === 401);
        await server.cut();
        await until('it is not ready', async () => (await readyStatus(at)) === 503);
        for (const token of known) assert.equal(await profileStatus(at, token), 200);
        assert.notEqual(await profileStatus(at, ended), 200);
      });

    it('lets a session renew at no replica that cannot reach it, and not after it was ended', async (test) => {
      const { one, ...server } = await running(test, { auth: { session_length: 600, refresh_time: 300 } });
      const vera = await one.logIn(VERA);
      const renewed = async (): Promise<string | null> => {
        const answer = await one.ask('/auth', { headers: { Cookie: `frigate_token=${vera}` } });
        assert.equal(answer.status, 202);
        return answer.headers.get('set-cookie');
      };
      assert.notEqual(await renewed(), null);
      await server.cut();
      await until('it is not ready', async () => (await readyStatus(one)) === 503);
      await until('it does not count as confirmed any more', async () => (await renewed()) === null);
      await server.mend();
      await until('it is ready again', async () => (await readyStatus(one)) === 200);
      await until('it is renewed', async () => (await renewed()) !== null);
    });

    it('leaves no caller for a grace of 0', async (test) => {
      const { one, ...server } = await running(test, { store: { grace: 0 } });
      const vera = await one.logIn(VERA);
      assert.equal(await profileStatus(one, vera), 200);
      await server.cut();
      await until('the known caller is refused', async () => (await profileStatus(one, vera)) === 503);
      await server.mend();
      await until('it is ready again', async () => (await readyStatus(one)) === 200);
      assert.equal(await profileStatus(one, vera), 200);
    });
  });
}
