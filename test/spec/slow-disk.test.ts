/** Nothing waits with the disk but the answer to the change itself (SPEC 10). */
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newDirectory, runPostern, type Serving, servePostern } from '../support/run-postern.ts';
import { testDisk, withoutSlowDisk } from '../support/servers/slow-disk.ts';
import { logInAt } from '../support/sessions.ts';

const CONFIG = 'tls: {enabled: false}\nauth: {hash_iterations: 1000}\nevents: {sample: 0}\nledger: {retention: 0}\n';

describe('A server whose disk is slow', { skip: withoutSlowDisk }, () => {
  const disk = testDisk('server');
  const directory = newDirectory(CONFIG);
  let server: Serving;
  let token: string;
  const admin = () => ({ name: 'admin', password: server.adminPassword ?? assert.fail() });
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${server.url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
  const make = (name: string) =>
    ask('/api/tokens', { method: 'POST', body: JSON.stringify({ name, role: 'viewer' }) }).then(({ status }) => status);
  const names = async (): Promise<string[]> =>
    ((await (await ask('/api/tokens')).json()) as { name: string }[]).map(({ name }) => name).sort();

  before(async () => {
    server = await servePostern({ directory, env: disk.env });
    token = await logInAt(server.url, admin());
  });
  after(() => server.end());

  it('waits once for a login', async () => {
    const waits = disk.hold();
    const login = logInAt(server.url, admin());
    await waits;
    assert.equal((await ask('/api/profile')).status, 200);
    await disk.letOne();
    assert.match(await login, /^ey/);
    await disk.letGo();
  });

  it('answers others while changes wait for it, and the changes when it is done, after one wait', async () => {
    const waits = disk.hold();
    const settled: number[] = [];
    const changes = ['one', 'two', 'three'].map((name) => make(name).finally(() => settled.push(1)));
    await waits;
    assert.equal((await ask('/api/profile')).status, 200);
    // The list writes first what was seen meanwhile.
    assert.equal((await ask('/api/sessions')).status, 200);
    // Seen by the next request, in an order of commits of their own.
    for (let listed: string[] = []; listed.length < 3; ) listed = await names();
    assert.deepEqual(settled, []);
    // The one that waits, and one for all that were made meanwhile.
    await disk.letOne();
    await disk.letOne();
    assert.deepEqual(await Promise.all(changes), [201, 201, 201]);
    await disk.letGo();
  });

  it('says with 503 that it failed, and takes no change until all that was written is safe', async () => {
    disk.fail(true);
    const failed = await ask('/api/tokens', { method: 'POST', body: JSON.stringify({ name: 'lost', role: 'viewer' }) });
    assert.deepEqual([failed.status, failed.headers.get('retry-after')], [503, '5']);
    assert.equal(await make('refused'), 503);
    const ready = await fetch(`${server.telemetryUrl}/readyz`);
    assert.equal(ready.status, 503);
    assert.match(await ready.text(), /the disk failed while the store at .* was read or written/);
    assert.equal((await ask('/api/profile')).status, 200);
    disk.fail(false);
    assert.equal(await make('again'), 201);
    assert.ok((await names()).includes('again'));
    assert.ok(!(await names()).includes('refused'));
  });

  it('goes on beside a command that changes the store and empties its log', async () => {
    const { code, stderr } = await runPostern(['users', 'add', 'ann', '--role', 'viewer'], {
      directory,
      stdin: 'CalciumCandle55?\n',
    });
    assert.equal(code, 0, stderr);
    assert.equal(statSync(join(directory, 'postern.db-wal')).size, 0);
    const users = (await (await ask('/api/users')).json()) as { username: string }[];
    assert.ok(users.some(({ username }) => username === 'ann'));
    const waits = disk.hold();
    const change = make('behind the command');
    await waits;
    assert.equal((await ask('/api/profile')).status, 200);
    await disk.letGo();
    assert.equal(await change, 201);
    assert.ok(existsSync(join(directory, 'postern.db-wal')));
  });
});
