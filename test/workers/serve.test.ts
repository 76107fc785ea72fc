/** `postern serve` with workers, as its operators see it: one start message, one password, signals, and no process left (SPEC 1, 10). */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { newDirectory, runPostern, servePostern } from '../support/run-postern.ts';
import { until } from '../support/until.ts';

const CONFIG = `
server: { workers: 2, shutdown_grace: 1 }
tls: { enabled: false }
auth: { hash_iterations: 1000 }
events: { sample: 0 }
logger: { audit_file: audit.log }
`;

/** Three processes start: reached only when something hangs. */
const PATIENCE_MS = 90_000;

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
const isThere = (pid: number): boolean => readdirSync('/proc').includes(String(pid));
const times = (text: string, part: RegExp): number => text.match(part)?.length ?? 0;

describe('serve with two workers', () => {
  it('says once what is to be said, logs in, and leaves no process behind', async () => {
    const directory = newDirectory(CONFIG);
    const serving = await servePostern({ directory, patience: PATIENCE_MS });
    const workers = childrenOf(serving.process.pid ?? 0);
    assert.equal(workers.length, 2);
    const body = JSON.stringify({ user: 'admin', password: serving.adminPassword });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${serving.url}/api/login`, { method: 'POST', headers, body });
    assert.equal(answer.status, 200);
    assert.equal((await fetch(`${serving.internalUrl}/api/profile`)).status, 200);
    assert.equal(await serving.end(), 0);
    assert.deepEqual(workers.filter(isThere), []);
    const { stdout, stderr } = serving.output;
    assert.deepEqual([times(stdout, /Postern is ready/g), times(stdout, /Password: /g), stderr], [1, 1, '']);
    for (const line of stdout.split('\n').filter((each) => each.startsWith('{'))) JSON.parse(line);
    const audited = readFileSync(`${directory}/audit.log`, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual(
      audited.map(({ what, worker }) => [what, typeof worker]),
      [
        ['user-created', 'undefined'],
        ['login', 'number'],
      ],
    );
  });

  it('ends its workers when it is killed itself', async () => {
    const serving = await servePostern({ directory: newDirectory(CONFIG), patience: PATIENCE_MS });
    const workers = childrenOf(serving.process.pid ?? 0);
    await serving.end('SIGKILL');
    await until('the workers have ended', () => !workers.some(isThere));
  });

  it('takes auto, and refuses other words by name', async () => {
    const env = (workers: string) => ({ directory: newDirectory('{}'), env: { POSTERN__SERVER__WORKERS: workers } });
    assert.equal((await runPostern(['check'], env('auto'))).code, 0);
    const { code, stdout, stderr } = await runPostern(['check'], env('many'));
    assert.equal(code, 1);
    assert.match(stdout + stderr, /server\.workers: "many" is not a number of workers/);
  });
});
