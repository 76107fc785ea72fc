/** PostgreSQL cannot be reached at the start: the service waits for it, tells so, and goes on without a restart (SPEC 10). */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { MAIN, servePostern } from '../support/run-postern.ts';
import { freePorts } from '../support/servers/free-port.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { until } from '../support/until.ts';
import { scrape } from '../telemetry/support/exposition.ts';

/** Of `url`; undefined while nothing listens there. */
const answerOf = (url: string, init: RequestInit = {}): Promise<Response | undefined> =>
  fetch(url, { ...init, signal: AbortSignal.timeout(60_000) }).catch(() => undefined);

describe('A start without its PostgreSQL', { skip: withoutPostgres, timeout: 300_000 }, () => {
  let postgres: TestPostgres;
  let url: string;
  before(async () => {
    postgres = await startPostgres();
    url = await postgres.newDatabase();
  });
  after(() => postgres.stop());

  const place = async () => {
    const [external, telemetry] = await freePorts(2);
    const env = {
      POSTERN__STORE__URL: url,
      POSTERN__SERVER__EXTERNAL: `127.0.0.1:${external}`,
      POSTERN__SERVER__TELEMETRY: `127.0.0.1:${telemetry}`,
    };
    return { env, gate: `http://127.0.0.1:${external}`, telemetry: `http://127.0.0.1:${telemetry}` };
  };
  const readyStatus = async (telemetry: string) => (await answerOf(`${telemetry}/readyz`))?.status;

  it('answers 503, says why, and goes on when the server is there', async () => {
    const { env, gate, telemetry } = await place();
    await postgres.kill();
    const starting = servePostern({ env });
    try {
      await until('it is not ready', async () => (await readyStatus(telemetry)) === 503);
      const readiness = (await (await answerOf(`${telemetry}/readyz`))?.json()) as { store: object };
      assert.match(JSON.stringify(readiness.store), /"failed".*PostgreSQL/);
      assert.equal((await answerOf(`${telemetry}/healthz`))?.status, 200);
      assert.equal((await scrape(telemetry)).get('postern_store_up'), 0);
      for (const path of ['/', '/api/profile', '/api/login', '/ws']) {
        const answer = await answerOf(`${gate}${path}`, path === '/api/login' ? { method: 'POST', body: '{}' } : {});
        assert.deepEqual([answer?.status, answer?.headers.get('retry-after')], [503, '5'], path);
      }
    } finally {
      await postgres.start();
    }
    const serving = await starting;
    await until('it is ready', async () => (await readyStatus(telemetry)) === 200);
    assert.equal((await answerOf(`${gate}/api/profile`))?.status, 401);
    assert.equal((await scrape(telemetry)).get('postern_store_up'), 1);
    assert.equal(await serving.end(), 0);
  });

  it('ends at once when it is stopped meanwhile', async () => {
    const { env, telemetry } = await place();
    await postgres.kill();
    const directory = mkdtempSync(join(tmpdir(), 'postern-test-'));
    const child = spawn(process.execPath, [MAIN, '--config-dir', directory, 'serve'], {
      env: { ...process.env, ...env },
      stdio: 'ignore',
    });
    try {
      await until('it is not ready', async () => (await readyStatus(telemetry)) === 503);
      child.kill('SIGTERM');
      assert.deepEqual(await once(child, 'exit'), [0, null]);
    } finally {
      child.kill('SIGKILL');
      rmSync(directory, { recursive: true, force: true });
      await postgres.start();
    }
  });

  it('does not wait where waiting helps nothing', async () => {
    const { env } = await place();
    const absent = { ...env, POSTERN__STORE__URL: url.replace(/\/[^/]*$/, '/absent') };
    await assert.rejects(servePostern({ env: absent }), /did not start: .*"absent" does not exist/s);
  });
});
