/** A Redis that is killed, frozen, slow, read-only, full or locked: each replica limits by itself, and all heals without a restart (SPEC 10). */
import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import type { ServiceStatus } from '../../src/domain/status.ts';
import { VERA } from '../support/people.ts';
import { startRedis, type TestRedis, withoutRedis } from '../support/servers/redis.ts';
import type { Runtime } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { scrape } from '../telemetry/support/exposition.ts';
import { guessesFrom, logInFrom, startLimited } from './support/guesses.ts';

const PASSWORD = 'hunter2-of-redis';

interface Way {
  cut(redis: TestRedis): unknown;
  mend(redis: TestRedis): unknown;
  /** What the log says of it. */
  readonly reason: RegExp;
}

/** A connection of the test that stays when no other can be made. */
const held = new WeakMap<TestRedis, Socket>();
const tell = (redis: TestRedis, ...lines: readonly string[]): void => {
  const socket =
    held.get(redis) ??
    connect(redis.port, '127.0.0.1')
      .resume()
      .on('error', () => {});
  held.set(redis, socket.unref());
  socket.write([`AUTH ${PASSWORD}`, ...lines, ''].join('\r\n'));
};
const KILL_OTHERS = 'CLIENT KILL TYPE normal SKIPME yes';

// biome-ignore format: a table
const WAYS: readonly Readonly<Record<string, Way>>[] = [{
  'is killed':             { cut: (redis) => redis.kill(), mend: (redis) => redis.start(), reason: /ECONN|EPIPE|closed/i },
  'is read-only after a failover': { cut: (redis) => tell(redis, 'REPLICAOF 127.0.0.1 1'), mend: (redis) => tell(redis, 'REPLICAOF NO ONE'), reason: /READONLY/ },
  'has no memory left':    { cut: (redis) => tell(redis, 'CONFIG SET maxmemory 1'), mend: (redis) => tell(redis, 'CONFIG SET maxmemory 0'), reason: /OOM/ },
}, {
  'is frozen':             { cut: (redis) => redis.signal('SIGSTOP'), mend: (redis) => redis.signal('SIGCONT'), reason: /no answer within 1 s/ },
  'takes no connection':   { cut: (redis) => tell(redis, 'CONFIG SET maxclients 1', KILL_OTHERS), mend: (redis) => tell(redis, 'CONFIG SET maxclients 1000'), reason: /ECONN|EPIPE|closed|max number of clients/i },
  'has another password':  { cut: (redis) => tell(redis, 'CONFIG SET requirepass other', KILL_OTHERS), mend: (redis) => tell(redis, `CONFIG SET requirepass ${PASSWORD}`), reason: /ECONN|EPIPE|closed|WRONGPASS/i },
}];

const limitsUp = async ({ telemetryUrl }: Runtime): Promise<number | undefined> =>
  (await scrape(telemetryUrl)).get('postern_limits_up');
const limitsIn = async ({ telemetryUrl }: Runtime): Promise<{ kind: string; reason?: string }> => {
  const answer = await fetch(`${telemetryUrl}/readyz`);
  assert.equal(answer.status, 200);
  return ((await answer.json()) as { limits: { kind: string; reason?: string } }).limits;
};
const changesIn = ({ log }: Runtime): Record<string, unknown>[] =>
  log.filter(({ msg }) => /failed logins are counted/.test(String(msg)));

async function started(t: TestContext, port?: (redis: TestRedis) => Promise<number>) {
  const redis = await startRedis(['--requirepass', PASSWORD]);
  t.after(() => redis.stop());
  const redis_url = `redis://:${PASSWORD}@127.0.0.1:${port ? await port(redis) : redis.port}/1`;
  const at = await startLimited({ redis_url, replicas: 2 }, '4/minute');
  t.after(at.close);
  assert.equal(await limitsUp(at), 1);
  return { redis, at };
}

describe('A Redis that', { skip: withoutRedis, concurrency: true, timeout: 300_000 }, () => {
  for (const ways of WAYS) {
    it(`${Object.keys(ways).join(', ')}: each replica allows its part, and it heals`, async (t) => {
      const { redis, at } = await started(t);
      for (const [index, [way, { cut, mend, reason }]] of Object.entries(ways).entries()) {
        const from = (host: number): string => `192.0.${index}.${host}`;
        const before = changesIn(at).length;
        assert.deepEqual(await guessesFrom(at, from(1), VERA, 3), [401, 401, 401]);
        await cut(redis);
        // Asked while it is not known yet: neither refused nor let wait for long.
        assert.equal(await logInFrom(at, from(2), VERA), 200, way);
        await until(`${way}: it is noticed`, () => changesIn(at).length > before);
        assert.equal(await limitsUp(at), 0);
        assert.match(String(changesIn(at).at(-1)?.['msg']), reason);
        assert.equal((await limitsIn(at)).kind, 'degraded');
        const page = (await (await fetch(`${at.internalUrl}/api/status`)).json()) as ServiceStatus;
        assert.equal(page.limiter?.shared.kind, 'failed');
        assert.deepEqual(await guessesFrom(at, from(3), VERA, 3), [401, 401, 429], way);
        assert.equal(await logInFrom(at, from(4), VERA), 200);

        await mend(redis);
        await until(`${way}: it heals`, () => changesIn(at).length > before + 1);
        assert.equal(await limitsUp(at), 1);
        assert.deepEqual(await limitsIn(at), { kind: 'ok' });
        assert.deepEqual(await guessesFrom(at, from(5), VERA, 5), [401, 401, 401, 401, 429], way);
        // What was asked when it went away, and may have been counted, was given back.
        assert.deepEqual(await guessesFrom(at, from(2), VERA, 5), [401, 401, 401, 401, 429], way);
        // What was counted before still counts, by the server or by this replica itself.
        assert.deepEqual(await guessesFrom(at, from(1), VERA, 2), [401, 429], way);
        assert.deepEqual(await guessesFrom(at, from(3), VERA, 3), [401, 401, 429], way);
        const levels = changesIn(at).slice(before);
        assert.deepEqual(
          levels.map(({ level }) => level),
          ['error', 'info'],
          way,
        );
      }
      assert.doesNotMatch(JSON.stringify(at.log), new RegExp(PASSWORD));
    });
  }

  it('is slow counts all the same while it answers in time, and keeps no login waiting when it does not', async (t) => {
    let delay = 0;
    let isHeld = false;
    const sockets: Socket[] = [];
    const { at } = await started(t, async ({ port }) => {
      const proxy = createServer((client) => {
        const server = connect(port, '127.0.0.1');
        sockets.push(client, server);
        client.on('data', (bytes) => setTimeout(() => isHeld || server.write(bytes), delay));
        server.on('data', (bytes) => client.write(bytes));
        for (const socket of [client, server]) socket.on('error', () => {}).on('close', () => void client.destroy());
      }).listen(0, '127.0.0.1');
      await new Promise((resolve) => proxy.once('listening', resolve));
      t.after(() => {
        proxy.close();
        for (const socket of sockets) socket.destroy();
      });
      return (proxy.address() as AddressInfo).port;
    });
    delay = 150;
    const guesses = await Promise.all(Array.from({ length: 12 }, () => guessesFrom(at, '192.0.2.1', VERA, 1)));
    assert.equal(guesses.flat().filter((status) => status === 401).length, 4);
    assert.equal(await limitsUp(at), 1);
    isHeld = true; // whatever is sent, no answer ever comes
    assert.equal(await logInFrom(at, '192.0.2.2', VERA), 200);
    assert.equal(await limitsUp(at), 0);
    assert.deepEqual(await guessesFrom(at, '192.0.2.3', VERA, 3), [401, 401, 429]);
    isHeld = false;
    await until('it heals', () => changesIn(at).length === 3);
  });

  it('is not there at the start keeps no start up', async (t) => {
    const redis = await startRedis();
    t.after(() => redis.stop());
    await redis.kill();
    const at = await startLimited({ redis_url: redis.url, replicas: 9 }, '4/minute');
    t.after(at.close);
    assert.deepEqual(await guessesFrom(at, '192.0.2.1', VERA, 2), [401, 429]);
    await redis.start();
    await until('it is found', () => changesIn(at).length === 2);
    assert.deepEqual(await guessesFrom(at, '192.0.2.2', VERA, 5), [401, 401, 401, 401, 429]);
  });
});
