/** What a start says last: where to log in, and where the console is, below the base path too. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { announcement } from '../../src/cli/serve.ts';
import { type ConfigTree, startInstance } from '../support/start-instance.ts';

async function announced(config: ConfigTree): Promise<readonly string[]> {
  const instance = await startInstance({ people: [], config });
  try {
    const text = announcement(instance.postern, false);
    return text.replaceAll(/:\d+/g, ':PORT').split('\n');
  } finally {
    await instance.close();
  }
}

describe('The start message', () => {
  it('says where the console is', async () => {
    const lines = await announced({});
    assert.ok(lines.includes('  log in      http://127.0.0.1:PORT/'), lines.join('\n'));
    assert.ok(lines.includes('  console     http://127.0.0.1:PORT/postern/   (users, roles, tokens, status)'));
  });

  it('has server.base_path in its addresses', async () => {
    const lines = await announced({
      server: { external: '127.0.0.1:0', internal: false, telemetry: false, base_path: '/nvr' },
    });
    assert.ok(lines.includes('  log in      http://127.0.0.1:PORT/nvr/'), lines.join('\n'));
    assert.ok(lines.includes('  console     http://127.0.0.1:PORT/nvr/postern/   (users, roles, tokens, status)'));
  });

  it('says how a phone gets in, where this machine alone is answered and nothing stands in front', async () => {
    const server = { external: '127.0.0.1:0', internal: false, telemetry: false } as const;
    const phone =
      '  on a phone  set server.external: 0.0.0.0:PORT and tls.enabled: true, start again, open https://<this machine>:PORT/';
    assert.ok((await announced({ server })).includes(phone));
    const others: ConfigTree[] = [
      { server: { ...server, external: '0.0.0.0:0' } },
      { server: { ...server, public_url: 'https://home.example' } },
      { server, auth: { trusted_proxies: ['127.0.0.1'] } },
      { server, tls: { enabled: true } },
    ];
    for (const other of others) assert.doesNotMatch((await announced(other)).join('\n'), /on a phone/);
  });

  it('says how to get in where no password is accepted', async () => {
    const provider = { name: 'home', issuer: 'https://id.example.com', client_id: 'postern' };
    const lines = await announced({
      server: { external: '127.0.0.1:0', internal: false, telemetry: false, public_url: 'https://home.example' },
      auth: { oidc: [provider], password_login: 'none' },
    });
    const box = lines.map((line) => line.replace(/^\*\s*|\s*\*$/g, ''));
    assert.ok(
      box.includes('Password login is off (auth.password_login: none). To get in, open the link of'),
      box.join('\n'),
    );
    assert.ok(box.includes('postern users invite admin'));
  });

  it('says the address that people use, where server.public_url has it, and where it listens', async () => {
    const lines = await announced({
      server: {
        external: '127.0.0.1:0',
        internal: false,
        telemetry: false,
        base_path: '/nvr',
        public_url: 'https://home.example/nvr',
      },
    });
    assert.ok(lines.includes('  log in      https://home.example/nvr/'), lines.join('\n'));
    assert.ok(lines.includes('  console     https://home.example/nvr/postern/   (users, roles, tokens, status)'));
    assert.ok(lines.includes('  listens on  http://127.0.0.1:PORT'));
  });
});
