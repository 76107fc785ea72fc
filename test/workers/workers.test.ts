/** Two workers of one machine: whatever one of them learns or does holds for the other (SPEC 10). */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { until } from '../support/until.ts';
import { ADMIN_PERSON, CARL, type Connection, startWorkers, two, VERA, type Workers } from './support/start-workers.ts';

const GUESSES = 8;
const LIMIT = 5;

describe('Two workers', () => {
  let nvr: FakeNvr;
  let workers: Workers;
  /** Of what is told of accounts; each message waits for its answer. */
  const held: (() => void)[] = [];
  let isHeld = true;
  const receiver = createServer(async (request, response) => {
    // The head of the ledger may be told at any time.
    if (!isHeld || (await text(request)).includes('"ledger-head"')) response.end();
    else held.push(() => response.end());
  });
  let [one, other]: Connection[] = [];
  const config = (): Parameters<typeof startWorkers>[0] & object => ({
    silentSeconds: 3,
    config: {
      nvr: { url: nvr.url },
      auth: { failed_login_rate_limit: `${LIMIT}/hour`, trusted_proxies: ['127.0.0.1'] },
      notify: { webhook: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` },
    },
  });
  before(async () => {
    nvr = await startFakeNvr();
    await once(receiver.listen(0, '127.0.0.1'), 'listening');
    workers = await startWorkers(config());
    [one, other] = two(await workers.connections());
  });
  after(async () => {
    await workers.close();
    await nvr.close();
    receiver.close();
    receiver.closeAllConnections();
  });
  const at = (connection: Connection | undefined): Connection => connection ?? assert.fail('it was not opened');
  const both = (): [Connection, Connection] => [at(one), at(other)];
  const statusOf = async (connection: Connection | undefined, token: string): Promise<number> =>
    (await at(connection).ask('/api/profile', { token })).status;

  it('refuse a session that the other one has just ended, at once', async () => {
    for (const [ending, using] of Array.from({ length: 8 }, (_, round) => (round % 2 ? both() : both().reverse()))) {
      const { token } = await at(ending).logIn(VERA);
      assert.equal(await statusOf(using, token), 200);
      // It asks the store at most every 5 ms: kept busy, it has just asked when the session ends.
      let isEnded = false;
      const inUse = (async () => {
        while (!isEnded) await statusOf(using, token);
      })();
      await at(ending).ask('/logout', { token, method: 'POST' });
      isEnded = true;
      assert.equal(await statusOf(using, token), 401);
      await inUse;
    }
  });

  it('give a person the new role at once', async () => {
    const [{ token: admin }, { token: carl }] = [await at(one).logIn(ADMIN_PERSON), await at(other).logIn(CARL)];
    const change = (role: string) =>
      at(one).ask('/api/users/carl/role', { token: admin, method: 'PUT', json: { role } });
    const role = async () => JSON.parse((await at(other).ask('/api/profile', { token: carl })).text).role;
    assert.equal(await role(), 'front_only');
    assert.equal((await change('viewer')).status, 200);
    assert.equal(await role(), 'viewer');
    await change('front_only');
  });

  it('tell the webhook one thing after the other, whichever of them did it', async () => {
    const { token } = await at(one).logIn(ADMIN_PERSON);
    const make = async (connection: Connection): Promise<number> =>
      (await connection.ask('/api/tokens', { token, method: 'POST', json: { name: 'x', role: 'viewer' } })).status;
    for (const connection of both()) assert.equal(await make(connection), 201);
    await until('the webhook is told', () => held.length > 0);
    // Time enough for a queue of the other worker.
    for (const connection of [...both(), ...both()]) await connection.logIn(VERA);
    assert.equal(held.length, 1);
    held[0]?.();
    await until('the webhook is told of the second', () => held.length === 2);
    held[1]?.();
  });

  it('write one ledger: what a person watches over both is one record, and so is each change', async () => {
    const [{ token }, { token: admin }] = [await at(one).logIn(CARL), await at(other).logIn(ADMIN_PERSON)];
    for (const connection of [...both(), ...both(), ...both()])
      assert.equal((await connection.ask('/api/cam1/latest.jpg', { token })).status, 200);
    isHeld = false;
    for (const connection of both())
      await connection.ask('/api/tokens', { token: admin, method: 'POST', json: { name: 'y', role: 'viewer' } });
    const records = async (query: string) =>
      JSON.parse((await at(other).ask(`/api/ledger?${query}`, { token: admin })).text) as {
        readonly camera: string;
        readonly id: string;
        readonly detail?: { readonly what?: string };
      }[];
    const viewings = () => records('user=carl&kind=live');
    await until('it is recorded', async () => (await viewings()).length > 0);
    assert.deepEqual(
      (await viewings()).map(({ camera }) => camera),
      ['cam1'],
    );
    const changes = async () =>
      (await records('user=admin&kind=change')).filter(({ detail }) => detail?.what === 'token-created');
    await until('the changes are recorded', async () => (await changes()).length >= 2);
    assert.deepEqual(new Set((await changes()).map(({ id }) => id.split('-')[0])), new Set(['main']));
  });

  it('limit guesses as one would, whichever worker they reach', async () => {
    const wrong = { name: 'vera', password: 'not the password' };
    const statuses: number[] = [];
    await Promise.all(
      Array.from({ length: GUESSES }, async (_, guess) => {
        statuses.push((await at(both()[guess % 2]).logIn(wrong)).status);
      }),
    );
    assert.deepEqual(statuses.sort(), [...Array(LIMIT).fill(401), ...Array(GUESSES - LIMIT).fill(429)]);
  });

  it('end the open streams of a user that is deleted, on each of them', async () => {
    await workers.reload({ nvr: { url: nvr.url }, auth: { failed_login_rate_limit: null } });
    const { token: admin } = await at(one).logIn(ADMIN_PERSON);
    const gone = { name: 'gone', password: 'Lead-Passw0rd-17' };
    await at(one).ask('/api/users', {
      token: admin,
      method: 'POST',
      json: { username: gone.name, password: gone.password, role: 'viewer' },
    });
    const { token } = await at(one).logIn(gone);
    nvr.answer = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    const fresh = two(await workers.connections());
    const streams = await Promise.all(fresh.map(({ open }) => open('/api/cam1', token)));
    const ends = streams.map(
      (stream) =>
        new Promise((resolve) =>
          stream
            .on('error', () => {})
            .on('close', resolve)
            .resume(),
        ),
    );
    const socket = new WebSocket(`ws://127.0.0.1:${workers.port}/live/mse/api/ws?src=cam1`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await at(one).ask('/api/users/gone', { token: admin, method: 'DELETE' });
    await Promise.all(ends);
    assert.equal((await closed)[0], 4401);
    nvr.answer = (_request, response) => void response.end('{}');
  });

  it('take a new configuration together', async () => {
    const { isTaken } = await workers.reload({
      nvr: { url: nvr.url },
      auth: { failed_login_rate_limit: null, cookie_name: 'another' },
    });
    assert.equal(isTaken, true);
    for (const { ask } of both())
      assert.match(
        (await ask('/api/login', { method: 'POST', json: { user: VERA.name, password: VERA.password } })).setCookie,
        /^another=/,
      );
  });

  it('keep their configuration when the new one is bad', async () => {
    const { isTaken } = await workers.reload({ nvr: { url: 'nonsense' } });
    assert.equal(isTaken, false);
    for (const { ask } of both()) assert.equal((await ask('/api/version')).status, 401);
  });

  it('keep it when one of them cannot take the new one, which the log says', async () => {
    const ca = join(workers.directory, 'nvr-ca.pem');
    writeFileSync(ca, '');
    const before = [...workers.pids()];
    const next = { nvr: { url: nvr.url, ca }, auth: { cookie_name: 'third' } };
    const limits = [[before[0]?.[1] ?? assert.fail()], 'nofile'] as const;
    const { isTaken } = await limited(...limits, () => workers.reload(next));
    assert.equal(isTaken, false);
    assert.equal(said(/EMFILE: too many open files, open '.*nvr-ca\.pem'/).length, 1);
    for (const { ask } of both())
      assert.match(
        (await ask('/api/login', { method: 'POST', json: { user: VERA.name, password: VERA.password } })).setCookie,
        /^another=/,
      );
    assert.deepEqual([...workers.pids()], before);
  });

  const figure = async (series: string): Promise<number> => {
    const { text } = await workers.telemetry('/metrics');
    const line = text.split('\n').find((each) => each.startsWith(`${series} `)) ?? assert.fail(`${series} is not told`);
    return Number(line.slice(series.length + 1));
  };
  const reaches = (series: string, value: number) =>
    until(`${series} is ${value}`, async () => (await figure(series)) === value);
  const readyz = async () =>
    JSON.parse((await workers.telemetry('/readyz')).text) as {
      status: string;
      workers: { kind: string; reason?: string };
    };
  const said = (msg: RegExp) => workers.log.filter((line) => msg.test(String(line['msg'])));
  const replaced = async (act: (pid: number) => void, reason: string): Promise<void> => {
    const [[number, pid] = [0, 0]] = workers.pids();
    const before = await figure(`postern_worker_restarts_total{reason="${reason}"}`);
    act(pid);
    await until('it is seen', async () => (await readyz()).workers.kind === 'degraded');
    await until('another one serves', () => ![undefined, pid].includes(workers.pids().get(number)));
    assert.equal((await readyz()).status, 'ready');
    await reaches(`postern_worker_restarts_total{reason="${reason}"}`, before + 1);
  };

  it('are counted together, and what a worker counted, or could not store, stays when it is killed', async () => {
    const SERIES = 'postern_logins_total{result="success"}';
    const before = await figure(SERIES);
    const SESSIONS = 'postern_active_sessions{role="viewer"}';
    const sessions = await figure(SESSIONS);
    const tokens = [(await at(one).logIn(VERA)).token, (await at(other).logIn(VERA)).token];
    await reaches(SERIES, before + 2);
    for (const token of tokens) for (const connection of both()) await statusOf(connection, token);
    await reaches(SESSIONS, sessions + 2);
    assert.equal(await figure('postern_workers_up'), 2);
    const [ended = ''] = tokens;
    // The worker that starts later inherits it.
    await limited([process.pid, ...workers.pids().values()], 'fsize', async () => {
      assert.equal((await at(one).ask('/logout', { token: ended, method: 'POST' })).status, 503);
      for (const connection of both()) assert.equal(await statusOf(connection, ended), 401);
      await replaced((pid) => process.kill(pid, 'SIGKILL'), 'ended');
      assert.ok((await figure('postern_revocations_waiting')) > 0);
    });
    await reaches(SERIES, before + 2);
    assert.equal(said(/^a worker has ended/).length, 1);
    const fresh = two(await workers.connections());
    for (const connection of fresh) assert.equal(await statusOf(connection, ended), 401);
    limit([...workers.pids().values()], 'fsize', 'unlimited');
    await reaches('postern_revocations_waiting', 0);
    assert.equal((await fresh[0].logIn(VERA)).status, 200);
    await reaches(SERIES, before + 3);
  });

  it('are replaced when they stand still', async () => {
    await replaced((pid) => process.kill(pid, 'SIGSTOP'), 'silent');
  });
});

const limit = (pids: readonly number[], name: string, value: string): void => {
  for (const pid of pids) execFileSync('prlimit', ['--pid', `${pid}`, `--${name}=${value}:`]);
};

/** Meanwhile these processes open no file (nofile), or write to none (fsize); the system refuses it. */
async function limited<Outcome>(
  pids: readonly number[],
  name: 'nofile' | 'fsize',
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  const words = ['--pid', `${pids[0]}`, `--${name}`, '-o', 'SOFT', '--noheadings'];
  const before = execFileSync('prlimit', words).toString().trim();
  limit(pids, name, '0');
  try {
    return await work();
  } finally {
    limit(
      pids.filter((pid) => existsSync(`/proc/${pid}`)),
      name,
      before,
    );
  }
}
