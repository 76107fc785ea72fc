/** `postern backend`: the events backend alone, which trusts no client that it should not trust (SPEC 1). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { stringify } from 'yaml';
import { configSchema } from '../../src/app/resources/features.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { storeAddress } from '../../src/config/schema/store-schema.ts';
import { startBackend } from '../../src/events/standalone.ts';
import { openStore } from '../../src/store/open-store.ts';
import { FIVE } from '../events/support/event.ts';
import { askAt } from '../events/support/served-events.ts';
import { runPostern } from '../support/run-postern.ts';

const SECRET = 'a-secret-of-both-machines';
const directories: string[] = [];
after(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

function place(config: object): string {
  const directory = mkdtempSync(join(tmpdir(), 'postern-backend-'));
  directories.push(directory);
  writeFileSync(join(directory, 'config.yaml'), stringify({ auth: { roles: { guard: ['back'] } }, ...config }));
  return directory;
}

async function start(config: object, host = '127.0.0.1'): Promise<Awaited<ReturnType<typeof startBackend>>> {
  const loaded = await loadConfig({ directory: place(config), schema: configSchema, env: {} });
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.problems));
  const { settings } = loaded;
  const store = await openStore({ url: storeAddress(settings.store.url) });
  await store.writeEvents(FIVE);
  await store.close();
  const clock = { now: () => 1_800_000_000_000 };
  return startBackend({
    settings,
    at: { host, port: 0 },
    clock,
    now: () => performance.now(),
    onFault: (fault) => assert.fail(String(fault)),
  });
}

describe('postern backend', () => {
  it('answers for the role in the headers, and refuses without one', async () => {
    const backend = await start({});
    const list = async (role: string | null) => {
      const answer = await askAt(backend.address, '/api/events', { role });
      return answer.status === 200 ? (answer.json() as { id: string }[]).map(({ id }) => id).join(' ') : answer.status;
    };
    assert.deepEqual(await Promise.all(['admin', 'guard', 'stranger', null].map(list)), [
      '4-d 3-c 2-b 1-a 5-e',
      '3-c',
      '',
      401,
    ]);
    assert.equal((await askAt(backend.address, '/cameras')).status, 404);
    await backend.close();
  });

  it('believes only who sends the secret, when there is one', async () => {
    const backend = await start({ nvr: { url: 'http://127.0.0.1:9', auth_secret: SECRET } }, '0.0.0.0');
    const ask = async (headers: Record<string, string>) => {
      const answer = await fetch(`http://127.0.0.1:${backend.address.port}/api/labels`, {
        headers: { 'remote-user': 'x', 'remote-role': 'admin', ...headers },
      });
      return [answer.status, await answer.text()];
    };
    const [status, text] = await ask({});
    assert.deepEqual([status, String(text).includes(SECRET)], [401, false]);
    assert.equal((await ask({ 'x-proxy-secret': `${SECRET}x` }))[0], 401);
    assert.deepEqual(await ask({ 'x-proxy-secret': SECRET }), [200, '["car","dog","person"]']);
    await backend.close();
  });

  it('does not listen beyond loopback without a secret, and says what to do', async () => {
    const directory = place({});
    const { code, stderr } = await runPostern(['--config-dir', directory, 'backend', '--listen', '0.0.0.0:0'], {});
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^The events backend did not start: 0\.0\.0\.0 can be reached from other machines.*set nvr\.auth_secret/,
    );
  });

  it('refuses an invalid address', async () => {
    const { code, stderr } = await runPostern(['backend', '--listen', '5001'], {});
    assert.equal(code, 1);
    assert.match(stderr, /"5001" is not host:port: write for example 127\.0\.0\.1:8971/);
  });
});
