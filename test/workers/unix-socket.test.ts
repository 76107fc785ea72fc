/** Workers behind a socket file: one that a killed service left is removed once, before any of them listens (SPEC 1, 10). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { linkSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { until } from '../support/until.ts';
import { startWorkers } from './support/start-workers.ts';

/** As after SIGKILL: the file is there, and nothing listens. */
async function leaveDeadSocket(path: string): Promise<void> {
  const server = createServer().listen(path);
  await once(server, 'listening');
  linkSync(path, `${path}.kept`);
  server.close();
  await once(server, 'close');
  renameSync(`${path}.kept`, path);
}

async function statusAt(socketPath: string): Promise<number | undefined> {
  const asked = request({ socketPath, path: '/api/version', agent: false });
  asked.end();
  const [response] = await once(asked, 'response');
  response.resume();
  return response.statusCode;
}

it('workers listen at a path where a killed service left its socket file, and again after all were killed', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-socket-'));
  const path = join(directory, 'http.sock');
  await leaveDeadSocket(path);
  const workers = await startWorkers({ workers: 3, people: [], config: { server: { external: `unix:${path}` } } });
  try {
    for (const _ of [1, 2, 3, 4]) assert.equal(await statusAt(path), 401);
    for (const pid of workers.pids().values()) process.kill(pid, 'SIGKILL');
    await until('all have ended', () => workers.pids().size === 0);
    await until('all serve again', () => workers.pids().size === 3);
    assert.equal(await statusAt(path), 401);
    assert.equal(statSync(path).mode & 0o777, 0o660);
  } finally {
    await workers.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
