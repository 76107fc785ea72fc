/** A PostgreSQL that is slow, unheard, read-only, out of disk or full of connections: told, bounded, and healed without a restart (SPEC 10). */
import assert from 'node:assert/strict';
import { rename, symlink } from 'node:fs/promises';
import { after, afterEach, before, describe, it } from 'node:test';
import pg from 'pg';
import { openStore } from '../../src/store/open-store.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { CARL, VERA } from '../support/people.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { openSlowLink, type SlowLink } from '../support/servers/slow-link.ts';
import { sessionIdOf } from '../support/sessions.ts';
import type { Runtime } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { scrape } from '../telemetry/support/exposition.ts';
import { type Replicas, startReplicas } from './support/replicas.ts';

const GRACE_SECONDS = 60;
const REQUESTS = 200;
/** No answer of the server comes within this test: an answer of Postern has not waited for it. */
const A_MINUTE = 60_000;
/** No session of this name was used before: the store must be asked. */
const UNKNOWN = 'pst_0123456789abcdef_'.padEnd(85, '0');

describe('With a PostgreSQL in trouble', { skip: withoutPostgres, timeout: 300_000 }, () => {
  let server: TestPostgres;
  let link: SlowLink;
  let listening: SlowLink;
  let nvr: FakeNvr;
  let replicas: Replicas;
  let one: Runtime;
  let direct: string;
  before(async () => {
    [server, nvr] = await Promise.all([startPostgres(), startFakeNvr()]);
    await server.run('create role app login');
    direct = (await server.newDatabase()).replace('postern@', 'app@');
    await server.run('alter database store_1 owner to app');
    [link, listening] = await Promise.all([openSlowLink(server.port), openSlowLink(server.port)]);
    const store = { grace: GRACE_SECONDS, listen_url: through(listening) };
    // The ledger asks and writes by itself, beside the requests.
    const config = { store, nvr: { url: nvr.url, cameras: ['cam1'] }, ledger: { retention: 0 } };
    replicas = await startReplicas(1, through(link), config);
    one = replicas.all[0] ?? assert.fail();
  });
  after(async () => {
    await replicas?.close();
    link?.close();
    listening?.close();
    await nvr?.close();
    await server?.stop();
  });
  afterEach(async () => {
    for (const each of [link, listening]) each.setDelay(0);
    await until('it is ready again', async () => (await ready()).status === 200);
    assert.equal(await profile(await one.logIn(VERA)), 200);
    await until(
      'it says so',
      async () => (await metric('store_up')) === 1 && (await metric('store_changes_heard')) === 1,
    );
  });

  const through = ({ port }: SlowLink): string => direct.replace(/:\d+\//, `:${port}/`);
  const profile = async (token: string): Promise<number> => (await one.ask('/api/profile', { token })).status;
  const logOut = (token: string): Promise<Response> => one.ask('/logout', { method: 'POST', token });
  const ready = (): Promise<Response> => fetch(`${one.telemetryUrl}/readyz`);
  const metric = async (name: string): Promise<number | undefined> =>
    (await scrape(one.telemetryUrl)).get(`postern_${name}`);
  const faults = async (kind: string): Promise<number> => (await metric(`store_faults_total{kind="${kind}"}`)) ?? 0;
  const isLogged = (text: RegExp): boolean => one.log.some(({ msg }) => text.test(String(msg)));
  const assertRefused = ({ status, headers }: Response): void =>
    assert.deepEqual([status, headers.get('retry-after')], [503, '5']);
  /** A session that the store has confirmed, with nothing changed since. */
  const known = async (): Promise<string> => {
    const token = await one.logIn(VERA);
    assert.equal(await profile(token), 200);
    await until('it is remembered', async () => {
      const before = link.sent.length;
      return (await profile(token)) === 200 && link.sent.length === before;
    });
    return token;
  };

  it('that is well, a request costs no statement', async () => {
    const token = await known();
    const askedOften = async () => {
      const before = link.sent.length;
      for (let count = 0; count < REQUESTS; count++) assert.equal(await profile(token), 200);
      return link.sent.slice(before).filter(({ text }) => !text.includes('kysely_migration_lock'));
    };
    // The ledger, the sessions as seen and the health of the store are written beside the requests, now and then.
    // Were there one statement for each request, no round would be without.
    let own = await askedOften();
    for (let more = 0; own.length > 0 && more < 5; more++) own = await askedOften();
    assert.deepEqual(own, []);
  });

  it('slow, known callers go on and all else is refused in time', async () => {
    const token = await known();
    for (const each of [link, listening]) each.setDelay(A_MINUTE);
    assertRefused(await one.ask('/api/profile', { token: UNKNOWN }));
    await until('it is not ready', async () => (await ready()).status === 503);
    await until('the heartbeat is missed', async () => (await metric('store_changes_heard')) === 0);
    assert.equal(await profile(token), 200);
    assert.equal(await metric('store_up'), 0);
    await until('the log says that changes are missed', () => isLogged(/^changes of other replicas are not received/));
    await until('the log says what follows', () =>
      isLogged(/^the store cannot be used, logins and changes are answered with 503/),
    );
  });

  it('unheard, each request asks the store, and a session that ends elsewhere is refused at once', async () => {
    const token = await known();
    listening.setDelay(Number.POSITIVE_INFINITY);
    await until('the heartbeat is missed', async () => (await metric('store_changes_heard')) === 0);
    assert.equal(await profile(token), 200);
    const other = await openStore({ url: direct });
    await other.accounts.revokeToken(sessionIdOf(token), 4_000_000_000);
    await other.close();
    assert.equal(await profile(token), 401);
    const health = (await (await ready()).json()) as { store: unknown; store_changes: { kind: string } };
    assert.deepEqual([health.store, health.store_changes.kind], [{ kind: 'ok' }, 'degraded']);
  });

  it('out of reach behind a change of its own whose notice was not told yet, whom that change did not touch goes on', async () => {
    const ending = await one.logIn(CARL);
    const token = await known();
    listening.setDelay(Number.POSITIVE_INFINITY);
    assert.equal((await logOut(ending)).status, 303);
    link.setDelay(A_MINUTE);
    assert.equal(await profile(token), 200);
    assert.notEqual(await profile(ending), 200);
  });

  it('read-only, sessions go on and changes are refused', async () => {
    const [token, ending] = [await known(), await one.logIn(VERA)];
    const before = await faults('read-only');
    await server.run('alter system set default_transaction_read_only = on');
    await server.run('select pg_reload_conf()');
    await until('it is not ready', async () => (await ready()).status === 503);
    const answer = await logOut(ending);
    assertRefused(answer);
    assert.deepEqual([await profile(token), await profile(ending)], [200, 401]);
    assert.ok((await faults('read-only')) > before);
    await until('the log says why', () => isLogged(/^the store cannot be used.*read-only transaction/));
    await server.run('alter system reset default_transaction_read_only');
    await server.run('select pg_reload_conf()');
    await until('the end is stored', () => isLogged(/ended sessions that were held in memory are stored now/));
  });

  it('whose accounts are locked, it is not ready, and says why', async () => {
    const locker = new pg.Client(direct);
    await locker.connect();
    try {
      await locker.query('begin');
      await locker.query('lock table users in access exclusive mode');
      await until('it is not ready', async () => (await ready()).status === 503);
      const { store } = (await (await ready()).json()) as { store: object };
      assert.match(JSON.stringify(store), /failed.*lock/);
    } finally {
      await locker.end();
    }
  });

  it('without a free connection, known callers and streams go on for the grace alone', async () => {
    const token = await known();
    const stream = await watch(token);
    try {
      await server.run('alter role app connection limit 0');
      await server.run("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'");
      assertRefused(await one.ask('/api/profile', { token: UNKNOWN }));
      // The first statement that fails may be one whose connection was just ended.
      await until('it is not ready, and says why', async () =>
        /too many connections/.test(await (await ready()).text()),
      );
      await until('the log says so', () => isLogged(/^the store cannot be used/));
      await until('the heartbeat is missed', async () => (await metric('store_changes_heard')) === 0);
      assert.deepEqual([await profile(token), stream.isOpen()], [200, true]);
      one.clock.advance(GRACE_SECONDS + 3);
      await until('the stream has ended', () => !stream.isOpen());
      assert.equal(await profile(token), 503);
    } finally {
      await server.run('alter role app connection limit -1');
    }
  });

  it('without room on its disk, sessions go on, and what cannot be written is refused', async () => {
    const [token, ending] = [await known(), await one.logIn(VERA)];
    const before = await faults('full');
    const disk = await fillDisk('revoked_tokens');
    assertRefused(await logOut(ending));
    assert.deepEqual([await profile(token), await profile(ending)], [200, 401]);
    assert.ok((await faults('full')) > before);
    assert.equal(await metric('revocations_waiting'), 1);
    await disk.empty();
    await until('the end is stored', async () => (await metric('revocations_waiting')) === 0);
    assert.equal(await profile(ending), 401);
  });

  /** Writes to the file of an empty table meet the system's own "no space left on device". */
  async function fillDisk(table: string): Promise<{ empty(): Promise<void> }> {
    await server.run(`truncate ${table}`, 'store_1');
    const file = await server.fileOf(table, 'store_1');
    await rename(file, `${file}.kept`);
    await symlink('/dev/full', file);
    return {
      async empty() {
        await rename(`${file}.kept`, file);
        // Its processes have the file open.
        await server.run("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'");
      },
    };
  }

  async function watch(token: string): Promise<{ isOpen(): boolean }> {
    nvr.answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=frame' });
      response.write('--frame\r\n');
    };
    const answer = await one.ask('/api/cam1', { token });
    assert.equal(answer.status, 200);
    let isOpen = true;
    const reader = answer.body?.getReader() ?? assert.fail();
    const drain = async (): Promise<void> => {
      while (!(await reader.read()).done);
    };
    void drain()
      .catch(() => {})
      .finally(() => {
        isOpen = false;
      });
    return { isOpen: () => isOpen };
  }
});
