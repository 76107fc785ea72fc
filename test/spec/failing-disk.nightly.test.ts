/** A disk that fails under the store, while SQLite's file is in place: every answer is 503, and it is seen at once (SPEC 9, 10). */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { OWN_OPERATIONS } from '../support/own-operations.ts';
import { ADMIN_PERSON } from '../support/people.ts';
import { servePostern } from '../support/run-postern.ts';
import { startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { scrape } from '../telemetry/support/exposition.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

const hasLimits = spawnSync('prlimit', ['--version']).status === 0;

describe('A disk that takes no more writes', { skip: hasLimits ? false : 'needs prlimit' }, () => {
  it('is seen by /readyz and the gauge, by a probe and by a write that failed; logins are answered', async (t) => {
    const service = await servePostern();
    t.after(() => service.end());
    const takesWrites = (takes: boolean): void => {
      const limit = `--fsize=${takes ? 'unlimited' : '0'}:unlimited`;
      assert.equal(spawnSync('prlimit', ['--pid', String(service.process.pid), limit]).status, 0);
    };
    const post = (path: string, body: object, headers: Record<string, string> = {}) =>
      fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: { ...JSON_TYPE, ...headers },
        body: JSON.stringify(body),
      });
    const logIn = () => post('/api/login', { user: 'admin', password: service.adminPassword });
    const cookie = (await logIn()).headers.getSetCookie()[0]?.split(';')[0] ?? assert.fail();
    const makeToken = async (): Promise<number> => (await post('/api/tokens', { name: 'a' }, { cookie })).status;
    const told = async () => {
      const answer = await fetch(`${service.telemetryUrl}/readyz`);
      const { store } = (await answer.json()) as { store: { kind: string; reason?: string } };
      return { status: answer.status, reason: store.reason };
    };
    const isUp = async () => (await scrape(service.telemetryUrl)).get('postern_store_up');
    const REASON = /^the disk failed while the store at .*postern\.db was read or written .*: check the disk/;

    takesWrites(false);
    const found = await told();
    assert.equal(found.status, 503);
    assert.match(found.reason ?? '', REASON, 'nobody has written but the probe');
    assert.equal(await isUp(), 0);
    assert.equal((await logIn()).status, 200);
    takesWrites(true);
    await until('the disk is found well', async () => (await told()).status === 200);
    assert.equal(await makeToken(), 201);

    takesWrites(false);
    assert.equal(await makeToken(), 503);
    assert.equal(await isUp(), 0, 'a write that failed counts at once');
    assert.match((await told()).reason ?? '', REASON);
    assert.match(
      service.output.stdout,
      /the store cannot be used, changes are answered with 503, and logins too where/,
    );
    takesWrites(true);
    await until('the disk is found well again', async () => (await told()).status === 200);
  });
});

/** What is asked of the file beside SQLite, and SQLite itself. */
const CALLS = ['statSync', 'fstatSync', 'readSync', 'statfsSync', 'SQLite'] as const;
/** What ends the session comes last. */
const OPERATIONS = OWN_OPERATIONS.toSorted(
  (a, b) => Number(a.path.includes('logout')) - Number(b.path.includes('logout')),
);
const EIO = Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO', errno: -5, syscall: 'read' });
const IOERR_READ = 266;

/** From now on that call fails for what lies in the directory, until the function that is given is called. */
function fail(call: (typeof CALLS)[number], directory: string, t: TestContext): () => void {
  const isInside = (of: unknown): boolean => {
    const path = typeof of === 'number' ? fs.readlinkSync(`/proc/self/fd/${of}`) : String(of);
    return path.startsWith(directory);
  };
  if (call === 'SQLite') {
    const failing = (act: (...given: never[]) => unknown) =>
      function (this: DatabaseSync, ...given: unknown[]): unknown {
        if (!isInside(this.location())) return Reflect.apply(act, this, given);
        throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: IOERR_READ });
      };
    const mocks = (['exec', 'prepare'] as const).map((name) =>
      t.mock.method(DatabaseSync.prototype, name, failing(DatabaseSync.prototype[name]) as never),
    );
    return () => {
      for (const { mock } of mocks) mock.restore();
    };
  }
  const before = fs[call] as (...given: unknown[]) => unknown;
  const { mock } = t.mock.method(fs, call, ((...given: unknown[]) => {
    if (isInside(given[0])) throw EIO;
    return before(...given);
  }) as never);
  syncBuiltinESMExports();
  return () => {
    mock.restore();
    syncBuiltinESMExports();
  };
}

describe('A read error of the file of the store', () => {
  for (const calls of [...CALLS.map((call) => [call]), CALLS]) {
    it(`in ${calls.join(', ')} makes no route answer 500, and is told with the path`, async (t) => {
      const instance = await startInstance({ config: { nvr: { cameras: ['cam1'] }, events: { sample: 0 } } });
      t.after(instance.close);
      const token = await instance.logIn(ADMIN_PERSON);
      const healing = calls.map((call) => fail(call, instance.directory, t));
      const heal = (): void => {
        for (const one of healing) one();
      };
      t.after(heal);
      const statuses = new Map<string, number>();
      for (const { method, path } of OPERATIONS) {
        const body = method === 'get' || method === 'head' ? {} : { body: '{}', headers: JSON_TYPE };
        const address = path.replaceAll(/\{[^}]+\}/g, 'nothing');
        const answer = await instance.ask(address, { method: method.toUpperCase(), token, ...body });
        await answer.body?.cancel();
        statuses.set(`${method} ${path}`, answer.status);
        if (answer.status === 503) assert.equal(answer.headers.get('retry-after'), '5');
      }
      assert.deepEqual(
        [...statuses].filter(([, status]) => status === 500),
        [],
      );
      assert.ok(statuses.size > 60);
      const refused = [...statuses.values()].filter((status) => status === 503).length;
      assert.ok(refused > (calls.includes('SQLite') ? 25 : 0) || calls.join() === 'statfsSync', `${refused} refused`);
      const answer = await fetch(`${instance.telemetryUrl}/readyz`);
      const { store } = (await answer.json()) as { store: { reason: string } };
      assert.equal(answer.status, 503);
      assert.match(
        store.reason,
        /^the disk failed while the store at .*postern\.db was read or written \(.*I\/O error/i,
      );
      assert.ok(instance.log.some(({ msg }) => String(msg).endsWith(store.reason)));
      const series = await scrape(instance.telemetryUrl);
      assert.ok(Number(series.get('postern_store_faults_total{kind="unreachable"}')) > 0);
      heal();
      // A busy machine tells the last answer while the next is asked for.
      await until(
        'the store is read again',
        async () => (await fetch(`${instance.telemetryUrl}/readyz`)).status === 200,
      );
    });
  }
});
