/** An API token for the right of a feature that is left out is worth nothing, and no other one is made (SPEC 19). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { FEATURES } from '../../../src/features/all.ts';
import { startFakeNvr } from '../../support/fake-nvr.ts';
import { ADMIN_PERSON } from '../../support/people.ts';
import { sendJson } from '../../support/second-factor.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';

const nvr = await startFakeNvr();
after(nvr.close);
const config = { nvr: { url: nvr.url, cameras: ['cam1'] } };
const make = async (at: Runtime): Promise<Response> =>
  sendJson(at, '/api/tokens', { name: 'door', rights: ['curtain'] }, await at.logIn(ADMIN_PERSON));

it('a token for the curtain is refused everywhere while the feature is left out, and none is made', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-left-out-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const first = await startInstance({ directory, config });
  const { token } = (await (await make(first)).json()) as { token: string };
  assert.equal((await first.ask('/api/curtain', { token })).status, 200);
  await first.close();
  const features = FEATURES.filter(({ name }) => name !== 'curtain');
  const second = await startInstance({ directory, config, features, people: [], clock: first.clock });
  t.after(second.close);
  nvr.received.length = 0;
  const statuses = ['/api/curtain', '/api/users', '/api/cam1/latest.jpg', '/unknown'].map(
    async (path) => (await second.ask(path, { token })).status,
  );
  assert.deepEqual(await Promise.all(statuses), [404, 403, 403, 403]);
  assert.deepEqual(nvr.received, []);
  const refused = await make(second);
  const { message } = (await refused.json()) as { message: string };
  assert.deepEqual([refused.status, message], [400, 'rights: leave it out']);
});
