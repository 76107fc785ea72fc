/** deploy/systemd: the unit is tight, and the program does what it says: a path, readiness. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { problemsOf } from '../config/config-place.ts';
import { newDirectory, runPostern, servePostern } from '../support/run-postern.ts';
import { until } from '../support/until.ts';
import { ROOT } from './support/compose.ts';

const UNIT = join(ROOT, 'deploy/systemd/postern.service');
const MOST_EXPOSED = 2;

const missing = (program: string): string | false =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).error ? `${program} is not installed` : false;

describe('The unit', { skip: missing('systemd-analyze') }, () => {
  it('may do little', () => {
    const said = execFileSync('systemd-analyze', ['security', '--offline=true', UNIT], { encoding: 'utf8' });
    const exposed = Number(/exposure level for postern\.service: ([\d.]+)/.exec(said)?.[1]);
    assert.ok(exposed <= MOST_EXPOSED, `${exposed}`);
  });
});

describe('A listener at a path', () => {
  const answer = (socketPath: string, path: string, headers = {}): Promise<{ status: number; body: string }> =>
    new Promise((resolve, reject) => {
      const sent = request({ socketPath, path, headers }, async (response) => {
        let body = '';
        for await (const chunk of response) body += chunk;
        resolve({ status: response.statusCode ?? 0, body });
      });
      sent.once('error', reject).end();
    });

  async function serving(t: TestContext) {
    const socket = join(newDirectory(), 'postern.sock');
    const env = { POSTERN__SERVER__EXTERNAL: `unix:${socket}`, POSTERN__AUTH__TRUSTED_PROXIES: '["127.0.0.1"]' };
    const started = await servePostern({ env });
    t.after(() => started.end());
    return { socket, ...started };
  }

  it('is for its owner and group, and is said at the start', async (t) => {
    const { socket, output } = await serving(t);
    assert.equal((await answer(socket, '/login')).status, 200);
    assert.equal(statSync(socket).mode & 0o777, 0o660);
    assert.match(output.stdout, new RegExp(`log in {6}unix:${socket} `));
  });

  it('counts who connects as this machine, so that a proxy there may say who the client is', async (t) => {
    const { socket, directory } = await serving(t);
    const made = await runPostern(['tokens', 'create', 'x'], { directory });
    const headers = { authorization: `Bearer ${made.stdout.trim()}`, 'x-forwarded-for': '192.0.2.7' };
    const { body } = await answer(socket, '/postern/api/doctor/seen', headers);
    const { peer, client } = (JSON.parse(body) as { seen: { peer: string; client: string } }).seen;
    assert.deepEqual([peer, client], ['', '192.0.2.7']);
  });

  it('takes the place of a file that a dead process left', async () => {
    const socket = join(newDirectory(), 'postern.sock');
    const script = `require('node:net').createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, 'SIGKILL'))`;
    spawnSync(process.execPath, ['-e', script]);
    assert.ok(existsSync(socket), 'the dead process left it');
    const started = await servePostern({ env: { POSTERN__SERVER__EXTERNAL: `unix:${socket}` } });
    assert.equal((await answer(socket, '/login')).status, 200);
    assert.equal(await started.end(), 0);
  });

  it('does not take it from one that lives', async (t) => {
    const socket = join(newDirectory(), 'postern.sock');
    const other = createServer().listen(socket);
    t.after(() => other.close());
    await once(other, 'listening');
    const { code, stderr } = await runPostern(['serve'], {
      env: {
        POSTERN__SERVER__EXTERNAL: `unix:${socket}`,
        POSTERN__SERVER__INTERNAL: 'false',
        POSTERN__SERVER__TELEMETRY: 'false',
      },
    });
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`cannot listen on ${socket}: another program has that`));
  });

  it('speaks plain HTTP, for its client is a proxy on this machine', async () =>
    assert.deepEqual(await problemsOf('server: {external: "unix:/run/postern.sock"}'), [
      'config.yaml:1:20 server.external: a Unix socket is for a proxy on this machine: set tls.enabled to false',
    ]));
});

describe('A service that is ready', () => {
  it('says so where systemd waits for it', async () => {
    const directory = newDirectory();
    const told = join(directory, 'told');
    const program = join(directory, 'systemd-notify');
    writeFileSync(program, `#!/bin/sh\necho "$@" > ${told}\n`);
    chmodSync(program, 0o755);
    const env = { NOTIFY_SOCKET: join(directory, 'notify'), PATH: `${directory}:${process.env['PATH']}` };
    const started = await servePostern({ env });
    await until('systemd-notify is called', () => existsSync(told) && readFileSync(told, 'utf8') !== '');
    assert.equal(readFileSync(told, 'utf8'), '--ready --status=ready\n');
    await started.end();
  });
});
