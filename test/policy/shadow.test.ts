/** Shadow mode (SPEC 15): another configuration judges live traffic; what it would change is counted and listed, and nothing is enforced. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stringify } from 'yaml';
import type { ServiceStatus } from '../../src/domain/status.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { textOf } from '../telemetry/support/exposition.ts';

let nvr: FakeNvr;
let instance: Runtime;
let files: string;
const tokens: Record<string, string> = {};

const ROWS = {
  version: 1,
  extends: 'frigate',
  routes: [
    { route: 'GET /api/version', access: 'admin' },
    { route: 'GET /api/stats/history', access: 'unrestricted' },
    { route: 'GET /api/jobs/export', access: 'any' },
  ],
};

before(async () => {
  files = mkdtempSync(join(tmpdir(), 'postern-shadow-'));
  const other = {
    nvr: { policy: join(files, 'other-rows.yaml') },
    auth: { roles: { front_only: { cameras: ['cam2'], deny: ['export'] } } },
  };
  writeFileSync(join(files, 'other-rows.yaml'), stringify(ROWS));
  writeFileSync(join(files, 'other.yaml'), stringify(other));
  nvr = await startFakeNvr();
  instance = await startInstance({
    config: { shadow: { config: join(files, 'other.yaml') }, nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] } },
  });
  for (const person of [ADMIN_PERSON, VERA, CARL]) tokens[person.name] = await instance.logIn(person);
});
after(async () => {
  await instance.close();
  await nvr.close();
  rmSync(files, { recursive: true });
});

const ask = async (name: string, path: string): Promise<number> =>
  (await instance.ask(path, { token: tokens[name] ?? '' })).status;

async function listed(): Promise<string[]> {
  const answer = await instance.ask('/api/status', { token: tokens[ADMIN_PERSON.name] ?? '' });
  const { shadow } = (await answer.json()) as ServiceStatus;
  return (shadow ?? []).map(({ kind, role, route, count }) => `${kind} ${role} ${route} ${count}`).sort();
}

describe('Shadow mode', () => {
  it('lets everything pass as before, and lists what would change', async () => {
    const asked = [
      await ask('vera', '/api/version'),
      await ask('vera', '/api/version'),
      await ask('vera', '/api/stats/history'),
      await ask('vera', '/api/config'),
      await ask('carl', '/api/cam1/latest.jpg'),
      await ask('carl', '/api/cam2/latest.jpg'),
      await ask('carl', '/api/events'),
      await ask('carl', '/api/exports'),
      await ask(ADMIN_PERSON.name, '/api/jobs/export'),
      await ask('nobody', '/api/version'),
    ];
    assert.deepEqual(asked, [200, 200, 403, 200, 200, 403, 502, 502, 200, 401]);
    assert.deepEqual(await listed(), [
      'cameras front_only GET /api/events 1',
      'cameras front_only GET /api/exports 1',
      'gains front_only GET /api/{camera}/latest.{extension} 1',
      'gains viewer GET /api/stats/history 1',
      'loses front_only GET /api/{camera}/latest.{extension} 1',
      'loses viewer GET /api/version 2',
    ]);
    const metrics = await textOf(instance.telemetryUrl);
    for (const series of ['kind="gains"} 2', 'kind="loses"} 3', 'kind="cameras"} 2', 'kind="narrowing"} 0'])
      assert.ok(metrics.includes(`postern_shadow_differences_total{${series}`), series);
  });

  it('refuses a file that is wrong, with its place, and the configuration stays', async () => {
    writeFileSync(join(files, 'other.yaml'), 'auth: {roles: {admin: [cam1]}}\n');
    const config = { shadow: { config: join(files, 'other.yaml') }, nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] } };
    assert.equal((await instance.reload(config)).isTaken, false);
    const lines = instance.log.map((line) => JSON.stringify(line));
    assert.ok(
      lines.some((line) => line.includes('other.yaml:1:') && line.includes('auth.roles')),
      lines.at(-2),
    );
    assert.equal(await ask('vera', '/api/version'), 200);
  });
});
