/** Interface 5.3: the JWT secret, as far as a restart shows it; where it is looked for is in test/accounts. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ADMIN_PERSON, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const [ONE, OTHER] = ['1'.repeat(128), '2'.repeat(128)];

const statusOf = async (instance: Runtime, token: string) => (await instance.ask('/api/profile', { token })).status;

/** Whose sessions an admin sees who has just logged in. */
async function listed(instance: Runtime): Promise<string[]> {
  const answer = await instance.ask('/api/sessions', { token: await instance.logIn(ADMIN_PERSON) });
  return ((await answer.json()) as { user: string }[]).map(({ user }) => user);
}

describe('5.3 Changing the secret', () => {
  it('invalidates current tokens, and no session of the old one is listed any more', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-secret-'));
    const startWith = (secret: string, instance?: Runtime) =>
      startInstance({
        directory,
        env: { SERVICE_JWT_SECRET: secret },
        ...(instance && { people: [], clock: instance.clock }),
      });
    const first = await startWith(ONE);
    const token = await first.logIn(VERA);
    assert.equal(await statusOf(first, token), 200);
    assert.deepEqual((await listed(first)).sort(), ['admin', 'vera']);
    await first.close();

    const same = await startWith(ONE, first);
    assert.deepEqual([await statusOf(same, token), (await listed(same)).sort()], [200, ['admin', 'admin', 'vera']]);
    await same.close();

    const changed = await startWith(OTHER, first);
    assert.deepEqual([await statusOf(changed, token), await listed(changed)], [401, ['admin']]);
    await changed.close();
    rmSync(directory, { recursive: true });
  });
});
