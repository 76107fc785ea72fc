/** An instance is lived in at the lowest level of all logs, and none of its secrets is in any of them (SPEC 9). */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { createKnownSecrets } from '../support/known-secrets.ts';
import { ADMIN_PERSON, CARL, EVERYBODY, VERA } from '../support/people.ts';
import { rawRequest } from '../support/raw-request.ts';
import { type ConfigTree, type Runtime, startInstance } from '../support/start-instance.ts';

const PROXY_SECRET = 'correct-horse-battery-staple';
const NVR_SECRET = 'nvr-horse-battery-staple';
const TYPED_AS_NAME = 'MyPassw0rdInTheWrongField!';
const NEW_PASSWORD = 'AnotherPassw0rd!';
const json = { 'Content-Type': 'application/json' };

/** Everything that was logged, and everything that must not be in it. */
interface Lived {
  readonly log: string;
  readonly secrets: readonly string[];
}

async function live(config: ConfigTree, act: (instance: Runtime, secrets: string[]) => Promise<void>): Promise<Lived> {
  const nvr: FakeNvr = await startFakeNvr();
  const instance = await startInstance({
    config: {
      ...config,
      nvr: { url: nvr.url, cameras: ['cam1', 'cam2'], auth_secret: NVR_SECRET },
      logger: { default: 'trace' },
    },
  });
  const secrets: string[] = [
    PROXY_SECRET,
    NVR_SECRET,
    readFileSync(join(instance.directory, '.jwt_secret'), 'utf8').trim(),
  ];
  try {
    await act(instance, secrets);
    nvr.rawAnswer = { bytes: 'nonsense' };
    await fetch(`${instance.internalUrl}/api/version`);
  } finally {
    await instance.postern.close();
  }
  const log = JSON.stringify(instance.log);
  await instance.close();
  await nvr.close();
  return { log, secrets: [...new Set(secrets)] };
}

function assertKept({ log, secrets }: Lived, least: number): void {
  assert.ok(secrets.length >= least, `${secrets.length} secrets are known`);
  for (const secret of secrets) {
    assert.ok(secret.length >= 8, 'a secret that is long enough to be looked for');
    assert.ok(
      !log.includes(secret),
      `${secret} was logged: ${log.slice(log.indexOf(secret) - 200, log.indexOf(secret) + 100)}`,
    );
  }
}

describe('Every instance of every test', () => {
  it('would end with a failure if one of its secrets were logged', async () => {
    const known = createKnownSecrets([VERA.password, undefined]);
    known.look(`{"path":"/${NEW_PASSWORD}"}`);
    known.assertKept();
    known.add(NEW_PASSWORD);
    known.look(`{"path":"/${NEW_PASSWORD}"}`);
    assert.throws(known.assertKept, {
      message: `secrets were logged:\n${NEW_PASSWORD} stands in {"path":"/${NEW_PASSWORD}"}`,
    });
  });
});

describe('No secret is logged', () => {
  it('of people who log in, fail, change passwords and make tokens', async () => {
    const lived = await live(
      { auth: { hash_iterations: 1000, roles: { front_only: ['cam1'] } } },
      async (instance, secrets) => {
        secrets.push(...EVERYBODY.map(({ password }) => password), TYPED_AS_NAME, NEW_PASSWORD);
        const [vera, admin] = [await instance.logIn(VERA), await instance.logIn(ADMIN_PERSON)];
        const made = await instance.ask('/api/tokens', {
          method: 'POST',
          token: admin,
          headers: json,
          body: '{"name":"x"}',
        });
        const { token } = (await made.json()) as { token: string };
        assert.match(token, /^pst_/);
        secrets.push(vera, admin, token, token.slice(-64), vera.split('.')[2] ?? '');
        const logIn = (user: string, password: string) =>
          instance.ask('/api/login', { method: 'POST', headers: json, body: JSON.stringify({ user, password }) });
        await logIn('vera', TYPED_AS_NAME);
        await logIn(TYPED_AS_NAME, VERA.password);
        await instance.ask('/api/login', {
          method: 'POST',
          headers: json,
          body: `{"user":"vera","password":"${VERA.password}"`,
        });
        await instance.ask('/api/login', {
          method: 'POST',
          headers: { 'Content-Type': 'text/plain' },
          body: VERA.password,
        });
        for (const bad of [`${vera}x`, `${token}x`, token.replace(/.$/, 'g'), `${admin.slice(0, -3)}AAA`]) {
          await instance.ask('/api/version', { token: bad });
          await instance.ask('/api/version', { headers: { cookie: `frigate_token=${bad}` } });
          secrets.push(bad);
        }
        const basic = Buffer.from(`vera:${token}`).toString('base64');
        secrets.push(basic);
        await instance.ask('/api/version', { headers: { authorization: `Basic ${basic}` } });
        for (const path of [`/api/version?token=${vera}`, `/api/${vera}/x`, `/${token}`, `/api/events?t=${token}`]) {
          await instance.ask(path, { token: vera });
          await instance.ask(path);
        }
        await rawRequest(
          instance.port,
          `GET /api/version HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${vera}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
        );
        const body = JSON.stringify({ old_password: VERA.password, password: NEW_PASSWORD });
        await instance.ask('/api/users/vera/password', {
          method: 'PUT',
          headers: { ...json, cookie: `frigate_token=${vera}` },
          body,
        });
        await instance.ask('/api/users', {
          method: 'POST',
          token: admin,
          headers: json,
          body: JSON.stringify({ username: 'new', password: NEW_PASSWORD }),
        });
        await instance.ask('/api/version', { headers: { 'X-Proxy-Secret': PROXY_SECRET } });
        await instance.ask('/auth', { token: admin });
        await instance.ask('/logout', { method: 'POST', token: admin });
        await instance.logIn(CARL);
      },
    );
    assertKept(lived, 15);
  });

  it('of links and invitations, however their addresses are mangled', async () => {
    const { log, secrets: known } = await live({}, async (instance, secrets) => {
      const token = await instance.logIn(CARL);
      for (const place of [
        '/s%2f',
        '/s%252f',
        '/s\\',
        '/s%5c',
        '//s//',
        '/s',
        '/api/exports/',
        '/postern%2finvitation%2f',
        '/x?next=/s/',
      ]) {
        const secret = randomBytes(32).toString('base64url');
        secrets.push(secret);
        const head = `Host: nvr\r\nUser-Agent: preview ${secret}\r\nReferer: https://nvr.example.com/s/${secret}\r\nConnection: close\r\n`;
        for (const who of ['', `Authorization: Bearer ${token}\r\n`])
          await rawRequest(instance.port, `GET ${place}${secret} HTTP/1.1\r\n${head}${who}\r\n`);
        const admin = await instance.logIn(ADMIN_PERSON);
        for (const path of [
          '/api/ledger?limit=500',
          '/api/status',
          '/api/users/carl/sessions',
          '/api/account/events?all=1',
        ]) {
          const answer = await instance.ask(path, { token: admin });
          assert.ok(!(await answer.text()).includes(secret), path);
        }
      }
    });
    for (const secret of known) assert.ok(!log.includes(secret));
    assert.ok(log.includes('preview …'));
  });

  it('of a proxy in front', async () => {
    const config = {
      auth: { enabled: false },
      proxy: {
        auth_secret: PROXY_SECRET,
        trusted_peers: ['127.0.0.1/32'],
        header_map: { user: 'Remote-User', role: 'Remote-Groups' },
      },
    };
    const lived = await live(config, async (instance, secrets) => {
      const almost = `${PROXY_SECRET.slice(0, -1)}!`;
      secrets.push(almost);
      const said = { 'Remote-User': 'ann', 'Remote-Groups': 'admin' };
      for (const secret of [PROXY_SECRET, almost, `${PROXY_SECRET}${PROXY_SECRET}`]) {
        await instance.ask('/api/version', { headers: { ...said, 'X-Proxy-Secret': secret } });
      }
      await rawRequest(
        instance.port,
        `GET /api/version HTTP/1.1\r\nHost: x\r\nX-Proxy-Secret: ${PROXY_SECRET}\r\nX-Proxy-Secret: ${almost}\r\n\r\n`,
      );
    });
    assert.match(lived.log, /"source":"proxy-headers"/);
    assertKept(lived, 4);
  });
});
