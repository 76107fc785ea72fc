/** Addresses of a Redis: how they are read, and that real servers of each kind are reached by them (SPEC 10). */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import fc from 'fast-check';
import { parseRedisUrl } from '../../src/domain/addresses/redis-address.ts';
import { makeSelfSigned } from '../../src/gateway/certificates/self-signed.ts';
import { createConnection } from '../../src/limits/redis-connection.ts';
import { createRedisWindows } from '../../src/limits/redis-windows.ts';
import { freePort } from '../support/servers/free-port.ts';
import { startRedis, withoutRedis } from '../support/servers/redis.ts';
import { until } from '../support/until.ts';

const nothing = { tls: false, username: undefined, password: undefined };
const server = { kind: 'server', ...nothing, node: { host: 'r', port: 6379 }, database: 0 };

describe('The address of a Redis', () => {
  // biome-ignore format: a table
  const rows: [url: string, address: object | string][] = [
    ['redis://r', server],
    ['redis://r/', server],
    [' redis://r:7000/12\n', { ...server, node: { host: 'r', port: 7000 }, database: 12 }],
    ['rediss://:p@r', { ...server, tls: true, password: 'p' }],
    ['redis://u:a%40b%3Ac@r', { ...server, username: 'u', password: 'a@b:c' }],
    ['redis://u:a:b@r', { ...server, username: 'u', password: 'a:b' }],
    ['redis://[::1]:7000', { ...server, node: { host: '::1', port: 7000 } }],
    ['redis+sentinel://a,b:5/main/2', { kind: 'sentinel', ...nothing, nodes: [{ host: 'a', port: 26379 }, { host: 'b', port: 5 }], service: 'main', database: 2 }],
    ['rediss+cluster://:p@a,b:5', { kind: 'cluster', ...nothing, tls: true, password: 'p', nodes: [{ host: 'a', port: 6379 }, { host: 'b', port: 5 }] }],
    ['redis://a,b', 'names several hosts'],
    ['redis://r/x', 'ends in no database number'],
    ['redis://r/1/2', 'ends in no database number'],
    ['redis://r:70000', 'names a host or port that cannot be'],
    ['redis://r,', 'names a host or port that cannot be'],
    ['redis://u:%zz@r', 'has a user or password that is not percent-encoded'],
    ['redis+sentinel://a', 'names no service of the Sentinels'],
    ['redis+cluster://a/1', 'names a database'],
    ['redis://', 'is not the address of a Redis'],
    ['redis://r?x=1', 'is not the address of a Redis'],
    ['unix:/run/redis.sock', 'is not the address of a Redis'],
    ['http://r', 'is not the address of a Redis'],
  ];
  for (const [url, expected] of rows) {
    it(`${url.trim()} ${typeof expected === 'string' ? expected : 'is read'}`, () => {
      const read = parseRedisUrl(url);
      if (typeof expected === 'string') assert.ok(!read.ok && read.error.startsWith(expected), JSON.stringify(read));
      else assert.deepEqual(read, { ok: true, value: expected });
    });
  }

  it('is not shown when it is wrong, whatever it is', () =>
    fc.assert(
      fc.property(fc.constantFrom('redis://', 'rediss+cluster://', ''), fc.string(), (scheme, rest) => {
        const read = parseRedisUrl(`${scheme}:hunter2${rest}@/x/y/z`);
        assert.ok(!read.ok && !read.error.includes('hunter2'));
      }),
    ));
});

/** Two failures a minute: what three of them get. */
async function threeAt(t: TestContext, url: string): Promise<string[]> {
  const address = parseRedisUrl(url);
  const faults: unknown[] = [];
  const windows = createRedisWindows({
    connect: (onLost) => (address.ok ? createConnection(address.value, onLost) : assert.fail(address.error)),
    onChange: (fault) => void faults.push(fault?.message ?? 'up'),
  });
  t.after(windows.close);
  await windows.start();
  await until(`it is reached: ${faults}`, () => windows.isUp());
  const clauses = [{ count: 2, windowSeconds: 60, text: '2/minute' }];
  const kinds: string[] = [];
  for (const group of ['a', 'b', 'c', 'd'])
    for (let times = 0; times < 3; times += 1) {
      const asked = [`{${group}}one`, `{${group}}all`].map((key) => ({ key, clauses }));
      kinds.push((await windows.reserve(asked)).kind);
    }
  return kinds;
}
const EXPECTED = Array.from({ length: 4 }, () => ['reserved', 'reserved', 'full']).flat();

/** Least rights of the user: as in the guide. */
const RIGHTS =
  '~postern:limits:* +eval +evalsha +select +ping +time +set +zadd +zrem +zcount +zrange +zrangebyscore +zremrangebyscore +zscore +pexpire';

describe('A Redis is reached', { skip: withoutRedis, concurrency: true }, () => {
  it('over TLS, with a user, in the database that is named; never with a certificate that is not trusted', async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-redis-tls-'));
    t.after(() => rmSync(directory, { recursive: true }));
    const made = await makeSelfSigned({ names: ['localhost', '127.0.0.1'], now: Date.now() });
    const [certificate, key] = ['redis.pem', 'redis.key'].map((name) => join(directory, name)) as [string, string];
    writeFileSync(certificate, made.certificate);
    writeFileSync(key, made.privateKey);
    const port = await freePort();
    const tls = ['--tls-port', String(port), '--tls-cert-file', certificate, '--tls-key-file', key];
    const redis = await startRedis([...tls, '--tls-ca-cert-file', certificate, '--tls-auth-clients', 'no']);
    t.after(redis.stop);
    redis.ask('acl', 'setuser', 'postern', 'on', '>p@ss', ...RIGHTS.split(' '));
    const guide = readFileSync(join(import.meta.dirname, '../../docs/replicas.md'), 'utf8').replaceAll(/\s+/g, ' ');
    for (const right of RIGHTS.split(' ')) assert.ok(guide.includes(right), `${right} is not in docs/replicas.md`);
    const url = `rediss://postern:p%40ss@127.0.0.1:${port}/3`;
    const address = parseRedisUrl(url);
    const untrusted = address.ok ? await createConnection(address.value, () => {}) : assert.fail();
    await assert.rejects(untrusted.open(), /self-signed/);
    const trusted = getCACertificates('default');
    setDefaultCACertificates([...trusted, made.certificate]);
    t.after(() => setDefaultCACertificates(trusted));
    assert.deepEqual(await threeAt(t, url), EXPECTED);
    assert.equal(redis.ask('-n', '3', 'dbsize'), '9');
  });

  it('by the Sentinels that know where it is', async (t) => {
    const redis = await startRedis();
    const directory = mkdtempSync(join(tmpdir(), 'postern-sentinel-'));
    const port = await freePort();
    const file = join(directory, 'sentinel.conf');
    writeFileSync(file, `port ${port}\nbind 127.0.0.1\nsentinel monitor main 127.0.0.1 ${redis.port} 1\n`);
    const sentinel = spawn('redis-server', [file, '--sentinel'], { cwd: directory, stdio: 'ignore' });
    t.after(async () => {
      sentinel.kill('SIGKILL');
      await once(sentinel, 'exit');
      await redis.stop();
      rmSync(directory, { recursive: true });
    });
    assert.deepEqual(await threeAt(t, `redis+sentinel://127.0.0.1:${port}/main`), EXPECTED);
    assert.equal(redis.ask('dbsize'), '9');
  });

  it('as a cluster, whose windows of one client lie together', async (t) => {
    const [one, two] = await Promise.all([
      startRedis(['--cluster-enabled', 'yes']),
      startRedis(['--cluster-enabled', 'yes']),
    ]);
    t.after(() => Promise.all([one.stop(), two.stop()]));
    one.ask('cluster', 'addslotsrange', '0', '8191');
    two.ask('cluster', 'addslotsrange', '8192', '16383');
    one.ask('cluster', 'meet', '127.0.0.1', String(two.port));
    await until('the nodes know each other', () =>
      [one, two].every((node) => node.ask('cluster', 'info').includes('cluster_state:ok')),
    );
    assert.deepEqual(await threeAt(t, `redis+cluster://127.0.0.1:${one.port}`), EXPECTED);
    assert.ok(Number(one.ask('dbsize')) > 0 && Number(two.ask('dbsize')) > 0);
  });
});
