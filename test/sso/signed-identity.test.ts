/** Signed identities of a proxy in front (`proxy.jwt`): who is believed, why not, and what the NVR receives (SPEC 17). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it, type TestContext } from 'node:test';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from 'jose';
import { WebSocket } from 'ws';
import { JWT_PRESETS, type JwtPresetName } from '../../src/config/schema/proxy-schema.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { rawRequest } from '../support/raw-request.ts';
import { type ConfigTree, type Runtime, startInstance } from '../support/start-instance.ts';

const ISSUER = 'https://sso.example.org';
const AUDIENCE = 'cameras.example.org';
const now = (): number => Math.floor(Date.now() / 1000);
type Claims = Readonly<Record<string, unknown>>;

/** The keys of a proxy, at an address. */
async function startKeys(algorithm = 'ES256') {
  let [pair, kid, isAway, asked] = [await generateKeyPair(algorithm, { extractable: true }), 1, false, 0];
  const server: Server = createServer(async (_, response) => {
    asked += 1;
    if (isAway) return void response.writeHead(503).end();
    const key = { ...(await exportJWK(pair.publicKey)), kid: `key-${kid}`, alg: algorithm, use: 'sig' };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [key] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`,
    asked: () => asked,
    setAway: (away: boolean) => {
      isAway = away;
    },
    async rotate() {
      [pair, kid] = [await generateKeyPair(algorithm, { extractable: true }), kid + 1];
    },
    publicKey: () => pair.publicKey,
    sign: (
      claims: Claims = {},
      header: Partial<JWTHeaderParameters> = {},
      key: CryptoKey | Uint8Array = pair.privateKey,
    ) =>
      new SignJWT({
        iss: ISSUER,
        aud: AUDIENCE,
        sub: 'ann',
        email: 'ann@example.org',
        iat: now(),
        exp: now() + 300,
        ...claims,
      })
        .setProtectedHeader({ alg: algorithm, kid: `key-${kid}`, ...header })
        .sign(key),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
type Keys = Awaited<ReturnType<typeof startKeys>>;

const HEADER = 'X-Signed-Identity';
const configOf = (keys: Pick<Keys, 'url'>, nvr: FakeNvr, more: ConfigTree = {}): ConfigTree => ({
  nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] },
  auth: { enabled: false, roles: { front_only: ['cam1'], back_only: ['cam2'] } },
  proxy: {
    jwt: { header: HEADER, issuer: ISSUER, audience: AUDIENCE, jwks_url: keys.url },
    role_map: { admin: ['owners'], front_only: ['front'], back_only: ['back'] },
    default_role: 'none',
    ...more,
  },
});

describe('A signed identity of a proxy', () => {
  let keys: Keys;
  let nvr: FakeNvr;
  let instance: Runtime;
  before(async () => {
    keys = await startKeys();
    nvr = await startFakeNvr();
    instance = await startInstance({ people: [], config: configOf(keys, nvr) });
  });
  after(async () => {
    await instance.close();
    await nvr.close();
    await keys.close();
  });
  beforeEach(() => {
    nvr.received.length = 0;
  });

  const ask = (token: string | undefined, headers: Record<string, string> = {}, path = '/api/version') =>
    instance.ask(path, { headers: { ...(token !== undefined && { [HEADER]: token }), ...headers } });

  it('is the caller, with the cameras of all roles of its groups, and stays here', async () => {
    const response = await ask(await keys.sign({ groups: ['front', 'back', 'strangers'] }), {
      'Remote-User': 'root',
      'Remote-Groups': 'owners',
    });
    assert.equal(response.status, 200);
    const [received] = nvr.received;
    const sent = new Map(received?.headers.map(([name, value]) => [name, value]));
    assert.deepEqual([sent.get('remote-user'), sent.get('remote-role')], ['ann@example.org', 'front_only']);
    assert.equal(sent.get(HEADER.toLowerCase()), undefined);
    const profile = await (await ask(await keys.sign({ groups: ['front', 'back'] }), {}, '/api/profile')).json();
    assert.deepEqual(profile, { username: 'ann@example.org', role: 'front_only', allowed_cameras: ['cam1', 'cam2'] });
    assert.equal((await ask(await keys.sign({ groups: ['front'] }), {}, '/api/cam2/latest.jpg')).status, 403);
  });

  it('is the only thing that counts: plain headers and a cookie are nothing', async () => {
    const response = await ask(undefined, {
      'Remote-User': 'root',
      'Remote-Groups': 'owners',
      'X-Forwarded-User': 'root',
    });
    assert.equal(response.status, 401);
    assert.match(await response.text(), /sent no signed token/);
    assert.equal(nvr.received.length, 0);
  });

  // biome-ignore format: a table
  const REFUSED: readonly (readonly [what: string, token: (keys: Keys) => Promise<string> | string, status: number, reason: string])[] = [
    ['that has expired', (it) => it.sign({ exp: now() - 120 }), 401, 'proxy-token-expired'],
    ['without an end', (it) => it.sign({ exp: undefined }), 401, 'proxy-token-unfit'],
    ['that holds later', (it) => it.sign({ nbf: now() + 600 }), 401, 'proxy-token-future'],
    ['from the future', (it) => it.sign({ iat: now() + 600, exp: now() + 900 }), 401, 'proxy-token-future'],
    ['for another audience', (it) => it.sign({ aud: 'other.example.org' }), 401, 'proxy-token-audience'],
    ['for no audience', (it) => it.sign({ aud: undefined }), 401, 'proxy-token-audience'],
    ['of another issuer', (it) => it.sign({ iss: 'https://evil.example.org' }), 401, 'proxy-token-issuer'],
    ['without an issuer', (it) => it.sign({ iss: undefined }), 401, 'proxy-token-issuer'],
    ['by an unknown key', async (it) => it.sign({}, { kid: 'other' }, (await generateKeyPair('ES256')).privateKey), 401, 'proxy-token-key'],
    ['by a key of its own', async (it) => it.sign({}, {}, (await generateKeyPair('ES256')).privateKey), 401, 'proxy-token-signature'],
    ['by HS256 with the public key', async (it) => it.sign({}, { alg: 'HS256' }, new TextEncoder().encode(JSON.stringify(await exportJWK(it.publicKey())))), 401, 'proxy-token-unfit'],
    ['without a signature', () => `${part({ alg: 'none' })}.${part({ iss: ISSUER, aud: AUDIENCE, sub: 'ann', email: 'root', exp: now() + 300 })}.`, 401, 'proxy-token-unfit'],
    ['that is no token', () => 'x', 401, 'proxy-token-unfit'],
    ['that is too long', () => 'x'.repeat(15_000), 401, 'proxy-token-unfit'],
    ['without a user', (it) => it.sign({ email: undefined, groups: ['owners'] }), 401, 'proxy-token-user'],
    ['whose user is a list', (it) => it.sign({ email: ['ann'], groups: ['owners'] }), 401, 'proxy-token-user'],
    ['whose user is anonymous', (it) => it.sign({ email: 'anonymous', groups: ['owners'] }), 401, 'proxy-token-user'],
    ['whose user holds a separator', (it) => it.sign({ email: 'ann,root', groups: ['owners'] }), 401, 'proxy-token-user'],
    ['whose groups are an object', (it) => it.sign({ groups: { owners: true } }), 403, 'proxy-role-denied'],
    ['whose groups are one text with commas', (it) => it.sign({ groups: 'owners,front' }), 403, 'proxy-role-denied'],
    ['whose groups are names of roles', (it) => it.sign({ groups: ['admin'] }), 403, 'proxy-role-denied'],
    ['without groups', (it) => it.sign({}), 403, 'proxy-role-denied'],
  ];
  for (const [what, token, status, reason] of REFUSED)
    it(`${what} is refused, and the answer says why`, async () => {
      const written = await token(keys);
      const response = await ask(written);
      const text = await response.text();
      assert.deepEqual([response.status, JSON.parse(text).reason], [status, reason]);
      assert.equal(nvr.received.length, 0);
      assert.ok(!text.includes(written.slice(0, 20)) || written.length < 20);
    });

  it('that is sent twice is refused, in two lines and in one', async () => {
    const token = await keys.sign({ groups: ['owners'] });
    const { port } = new URL(instance.url);
    for (const lines of [`${HEADER}: ${token}\r\n${HEADER}: ${token}`, `${HEADER}: ${token}, ${token}`]) {
      const request = `GET /api/version HTTP/1.1\r\nHost: nvr.test\r\nConnection: close\r\n${lines}\r\n\r\n`;
      assert.equal((await rawRequest(Number(port), request)).status, 401);
    }
    assert.equal(nvr.received.length, 0);
  });

  it('opens WebSockets of its cameras alone, and is judged for other proxies at /auth', async (t) => {
    const token = await keys.sign({ groups: ['front'] });
    const open = async (camera: string): Promise<string> => {
      const url = `${instance.url.replace('http', 'ws')}/live/jsmpeg/${camera}`;
      const socket = new WebSocket(url, { headers: { [HEADER]: token } });
      t.after(() => socket.terminate());
      return new Promise((resolve) =>
        socket.once('open', () => resolve('open')).once('error', ({ message }) => resolve(message)),
      );
    };
    assert.equal(await open('cam1'), 'open');
    assert.equal(nvr.received.length, 1);
    assert.match(await open('cam2'), /403/);
    assert.equal(nvr.received.length, 1);
    const judged = await ask(token, {}, '/auth');
    assert.deepEqual([judged.status, judged.headers.get('remote-user')], [202, 'ann@example.org']);
    assert.equal((await ask(undefined, { 'Remote-User': 'root' }, '/auth')).status, 401);
  });

  it('by a new key is verified with the keys of now, which are asked for at most once a minute', async (t) => {
    const own = await startedWith(t, nvr);
    const first = await own.keys.sign({ groups: ['front'] });
    assert.equal((await own.ask(first)).status, 200);
    assert.equal(own.keys.asked(), 1);
    assert.equal((await own.ask(await own.keys.sign({}, { kid: 'nobody' }))).status, 401);
    await own.keys.rotate();
    assert.equal((await own.ask(await own.keys.sign({ groups: ['front'] }))).status, 401);
    assert.equal(own.keys.asked(), 1, 'the keys were asked for a moment ago');
  });

  it('is remembered, and over at its end all the same', async (t) => {
    const own = await startedWith(t, nvr);
    const token = await own.keys.sign({ groups: ['front'], exp: now() + 30 });
    for (const status of [200, 200]) assert.equal((await own.ask(token)).status, status);
    own.instance.clock.advance(95); // 30 s, and the minute that clocks may differ by
    const over = await own.ask(token);
    assert.deepEqual([over.status, await reasonOf(over)], [401, 'proxy-token-expired']);
  });

  it('ends the streams and WebSockets that it began, and no newer token of the person keeps them', async (t) => {
    const own = await startedWith(t, nvr);
    const { answer } = nvr;
    nvr.answer = (_, response) => void response.writeHead(200, { 'content-type': 'text/plain' }).write('first');
    t.after(() => {
      nvr.answer = answer;
    });
    const [short, long] = [30, 600].map((seconds) => own.keys.sign({ groups: ['front'], exp: now() + seconds }));
    const begun = async (token: string) => {
      const headers = { [HEADER]: token };
      const socket = new WebSocket(`${own.instance.url.replace('http', 'ws')}/live/jsmpeg/cam1`, { headers });
      t.after(() => socket.terminate());
      const code = once(socket, 'close').then(([number]: number[]) => number);
      await once(socket, 'open');
      const stream = await fetch(`${own.instance.url}/api/cam1`, { headers });
      const reader = stream.body?.getReader() ?? assert.fail('no stream');
      t.after(() => reader.cancel().catch(() => {}));
      await reader.read();
      return {
        socket,
        code,
        next: () =>
          reader.read().then(
            () => 'more',
            () => 'cut',
          ),
      };
    };
    const older = await begun((await short) ?? '');
    const newer = await begun((await long) ?? '');
    own.instance.clock.advance(95); // 30 s, and the minute that clocks may differ by
    assert.deepEqual([await older.code, await older.next()], [4401, 'cut']);
    newer.socket.send('still there?');
    assert.equal(String((await once(newer.socket, 'message'))[0]), 'still there?');
    assert.equal(newer.socket.readyState, WebSocket.OPEN);
  });

  it('is known in the grace while its keys cannot be read, and without any it is 503', async (t) => {
    const own = await startedWith(t, nvr);
    own.keys.setAway(true);
    const response = await own.ask(await own.keys.sign({ groups: ['front'] }));
    assert.deepEqual([response.status, await reasonOf(response)], [503, 'proxy-token-keys-away']);
    assert.ok(
      own.instance.log.some(({ msg }) => String(msg).startsWith('the keys at proxy.jwt.jwks_url cannot be read')),
    );
  });

  it('needs the proxy secret too where one is set, and nothing is told of it before', async (t) => {
    const own = await startedWith(t, nvr, { auth_secret: 'a-long-secret-of-the-proxy' });
    const token = await own.keys.sign({ groups: ['front'] });
    const expired = await own.keys.sign({ exp: now() - 600 });
    for (const written of [token, expired]) {
      const refused = await own.ask(written);
      assert.deepEqual([refused.status, await reasonOf(refused)], [401, 'proxy-secret-mismatch']);
    }
    assert.equal((await own.ask(token, { 'X-Proxy-Secret': 'a-long-secret-of-the-proxy' })).status, 200);
  });

  // biome-ignore format: a table
  const PRESETS: Readonly<Record<JwtPresetName, { readonly algorithm: string; readonly claims: Claims; readonly user: string }>> = {
    'cloudflare-access': { algorithm: 'RS256', user: 'ann@example.org', claims: { type: 'app', identity_nonce: 'n', custom: { groups: ['front'] } } },
    pomerium:            { algorithm: 'ES256', user: 'ann@example.org', claims: { user: 'u-1', groups: ['front'], jti: 'j' } },
    'google-iap':        { algorithm: 'ES256', user: 'ann@example.org', claims: { sub: 'accounts.google.com:1', google: { access_levels: ['front'] } } },
    'oauth2-proxy':      { algorithm: 'RS256', user: 'ann', claims: { preferred_username: 'ann', groups: ['front'], azp: AUDIENCE } },
    authentik:           { algorithm: 'RS256', user: 'ann', claims: { preferred_username: 'ann', groups: ['front'], ak_proxy: {} } },
  };
  for (const [preset, { algorithm, claims, user }] of Object.entries(PRESETS))
    it(`is read in the shape of ${preset}`, async (t) => {
      const own = await startKeys(algorithm);
      t.after(() => own.close());
      const at = await startInstance({
        people: [],
        config: configOf(own, nvr, { jwt: { preset, issuer: ISSUER, audience: AUDIENCE, jwks_url: own.url } }),
      });
      t.after(() => at.close());
      for (const name of JWT_PRESETS[preset as JwtPresetName].headers) {
        nvr.received.length = 0;
        const token = await own.sign(claims);
        const response = await at.ask('/api/version', {
          headers: { [name]: name === 'authorization' ? `Bearer ${token}` : token },
        });
        assert.equal(response.status, 200, await response.text());
        const sent = new Map(nvr.received[0]?.headers.map(([line, value]) => [line, value]));
        assert.deepEqual(
          [sent.get('remote-user'), sent.get('remote-role'), sent.get(name)],
          [user, 'front_only', undefined],
        );
      }
    });
});

const reasonOf = async (response: Response): Promise<string> => ((await response.json()) as { reason: string }).reason;

const part = (json: object): string => Buffer.from(JSON.stringify(json)).toString('base64url');

async function startedWith(t: TestContext, nvr: FakeNvr, more: ConfigTree = {}) {
  const keys = await startKeys();
  t.after(() => keys.close());
  const instance = await startInstance({ people: [], config: configOf(keys, nvr, more) });
  t.after(() => instance.close());
  const ask = (token: string, headers: Record<string, string> = {}) =>
    instance.ask('/api/version', { headers: { [HEADER]: token, ...headers } });
  return { keys, instance, ask };
}
