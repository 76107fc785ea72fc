/** `nvr.identity_jwt`: the NVR verifies who the caller of a forwarded request is, with nothing but the published keys (SPEC 17). */
import assert from 'node:assert/strict';
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createSealer } from '../../src/accounts/second-factor/sealed-secret.ts';
import { createIdentityKeys } from '../../src/identity/signed/identity-keys.ts';
import { openStore } from '../../src/store/open-store.ts';
import { head, UPGRADE } from '../attacks/support/watched-instance.ts';
import { makeScratch } from '../store/support/scratch-store.ts';
import { movableClock } from '../support/clock.ts';
import { type FakeNvr, type Received, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { rawRequest } from '../support/raw-request.ts';
import { type ConfigTree, type Runtime, startInstance } from '../support/start-instance.ts';

const HEADER = 'x-postern-jwt';
const DAY = 86_400;

type Keys = readonly (JsonWebKey & { readonly kid: string })[];
type Claims = Readonly<Record<string, unknown>>;

const tokensIn = ({ headers }: Received): readonly string[] =>
  headers.filter(([name]) => name.replaceAll('_', '-').toLowerCase() === HEADER).map(([, value]) => value);

const decoded = (part: string | undefined): Claims => JSON.parse(Buffer.from(part ?? '', 'base64url').toString());

/** What RFC 7515 and 7518 say of ES256, by hand: nothing of the service's own code takes part. */
function verified(token: string, keys: Keys): Claims {
  const [head, claims, signature] = token.split('.');
  const { alg, kid } = decoded(head);
  assert.equal(alg, 'ES256');
  const jwk = keys.find((one) => one.kid === kid) ?? assert.fail(`${kid} is not published`);
  const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
  assert.ok(verify('sha256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature ?? '', 'base64url')));
  return decoded(claims);
}

const keyOf = (token: string): unknown => decoded(token.split('.')[0])['kid'];

describe('The signed identity of a caller', () => {
  const clock = movableClock();
  let nvr: FakeNvr;
  let other: FakeNvr;
  let instance: Runtime;
  const config = (more: ConfigTree = {}): ConfigTree => ({
    server: { public_url: 'https://nvr.example.com' },
    nvr: { url: nvr.url, routes: { '/streams': other.url }, identity_jwt: true, ...more },
    auth: { session_length: 400 * DAY, session_max_age: 400 * DAY },
    events: { source: 'nvr' },
  });
  before(async () => {
    nvr = await startFakeNvr();
    other = await startFakeNvr();
    instance = await startInstance({ config: config(), clock });
  });
  beforeEach(() => {
    nvr.received.length = 0;
    other.received.length = 0;
  });
  after(async () => {
    await instance.close();
    await nvr.close();
    await other.close();
  });

  const published = async (): Promise<Keys> =>
    ((await (await instance.ask('/postern/jwks.json')).json()) as { keys: Keys }).keys;
  /** The one token of the last request to the path. */
  const arrived = (path: string, at = nvr): string => {
    const tokens = tokensIn(at.received.findLast(({ target }) => target.startsWith(path)) ?? assert.fail(path));
    assert.equal(tokens.length, 1);
    return tokens[0] ?? assert.fail();
  };
  const tokenAfter = async (session: string, path = '/api/stats', at = nvr): Promise<string> => {
    const response = await instance.ask(path, { token: session });
    assert.equal(response.status, 200, await response.text());
    return arrived(path, at);
  };

  it('names an admin for one minute, by keys that anybody can read and that hold no secret', async () => {
    const claims = verified(await tokenAfter(await instance.logIn(ADMIN_PERSON)), await published());
    const { iat, exp, jti, ...named } = claims;
    assert.deepEqual(named, { iss: 'https://nvr.example.com', aud: nvr.url, sub: 'admin', role: 'admin' });
    assert.deepEqual([Number(exp) - Number(iat), iat], [60, Math.floor(clock.now() / 1000)]);
    assert.match(String(jti), /^[0-9a-f-]{36}$/);
    const response = await instance.ask('/postern/jwks.json');
    assert.deepEqual([response.status, response.headers.get('cache-control')], [200, 'public, max-age=300']);
    for (const key of ((await response.json()) as { keys: Keys }).keys)
      assert.deepEqual(Object.keys(key).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });

  it("names a restricted caller's cameras, with a response that is narrowed and on a WebSocket too", async () => {
    const session = await instance.logIn(CARL);
    await instance.ask('/api/config', { token: session });
    assert.deepEqual(verified(arrived('/api/config'), await published())['cameras'], ['cam1']);
    await rawRequest(
      instance.port,
      head('GET /ws HTTP/1.1', 'Host: nvr.test', `Authorization: Bearer ${session}`, UPGRADE),
    );
    const { cameras, role } = verified(arrived('/ws'), await published());
    assert.deepEqual([role, cameras], ['front_only', ['cam1']]);
  });

  it('is for one upstream: two have two audiences', async () => {
    const session = await instance.logIn(ADMIN_PERSON);
    const one = verified(await tokenAfter(session), await published());
    const two = verified(await tokenAfter(session, '/streams/x', other), await published());
    assert.deepEqual([one['aud'], two['aud']], [nvr.url, other.url]);
  });

  it('is made once for many requests, and anew before half a minute of its life is left', async () => {
    const session = await instance.logIn(VERA);
    const first = await tokenAfter(session);
    assert.equal(await tokenAfter(session, '/api/version'), first);
    clock.advance(29);
    assert.equal(await tokenAfter(session), first);
    clock.advance(1);
    assert.notEqual(await tokenAfter(session), first);
  });

  it('is another one at once when the role is another', async () => {
    const admin = await instance.logIn(ADMIN_PERSON);
    const session = await instance.logIn(VERA);
    await tokenAfter(session);
    const give = (role: string) =>
      instance.ask('/api/users/vera/role', {
        token: admin,
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ role }),
      });
    assert.equal((await give('front_only')).status, 200);
    const fresh = await instance.logIn(VERA);
    await instance.ask('/api/config', { token: fresh });
    const { role, cameras } = verified(arrived('/api/config'), await published());
    assert.deepEqual([role, cameras], ['front_only', ['cam1']]);
    assert.equal((await give('viewer')).status, 200);
  });

  for (const spelling of ['X-Postern-Jwt', 'x-postern-jwt', 'X_Postern_Jwt', 'X-Postern_JWT', 'X.Postern.Jwt'])
    for (const isOn of [true, false])
      it(`is never a client's own ${spelling}, ${isOn ? 'on' : 'off'}`, async () => {
        const session = await instance.logIn(VERA);
        await instance.reload(config({ identity_jwt: isOn }));
        const bytes = head(
          'GET /api/stats HTTP/1.1',
          'Host: nvr.test',
          `Authorization: Bearer ${session}`,
          `${spelling}: forged`,
        );
        await rawRequest(instance.port, bytes);
        await rawRequest(
          instance.internalPort,
          head('GET /api/stats HTTP/1.1', 'Host: 127.0.0.1', `${spelling}: forged`),
        );
        const stats = nvr.received.filter(({ target }) => target === '/api/stats');
        assert.ok(!JSON.stringify(stats).includes('forged'));
        for (const one of stats) assert.equal(tokensIn(one).length, isOn ? 1 : 0);
        assert.equal((await published()).length > 0, isOn);
        await instance.reload(config());
      });

  it('names nobody where nobody is known, and the internal port as it is', async () => {
    assert.equal((await instance.ask('/assets/x.js')).status, 200);
    assert.deepEqual(tokensIn(nvr.received.at(-1) ?? assert.fail()), []);
    await fetch(`${instance.internalUrl}/api/stats`);
    const { sub, role } = verified(arrived('/api/stats'), await published());
    assert.deepEqual([sub, role], ['anonymous', 'admin']);
  });

  it('is signed by a new key after 30 days, which is published before; the old one is published for another day', async () => {
    const session = await instance.logIn(ADMIN_PERSON);
    const [old] = await published();
    clock.advance(30 * DAY - 3600);
    const token = await tokenAfter(session);
    assert.equal(keyOf(token), old?.kid);
    const both = await published();
    assert.equal(both.length, 2);
    clock.advance(2 * 3600);
    const next = await tokenAfter(session);
    assert.equal(keyOf(next), both[1]?.kid);
    verified(next, both);
    clock.advance(DAY - 2 * 3600);
    assert.equal((await published()).length, 2);
    clock.advance(2 * 3600);
    assert.deepEqual(
      (await published()).map(({ kid }) => kid),
      [both[1]?.kid],
    );
  });
});

describe('The keys of signed identities', () => {
  const clock = movableClock();
  const scratch = makeScratch();
  after(scratch.remove);
  const { seal, open } = createSealer(Buffer.alloc(32, 1));

  it('go on while the store is away, and are found again after it', async () => {
    const store = await openStore({ url: scratch.url });
    let isAway = false;
    const faults: unknown[] = [];
    const reached =
      <Given extends unknown[], Result>(act: (...given: Given) => Promise<Result>) =>
      (...given: Given): Promise<Result> =>
        isAway ? Promise.reject(new Error('away')) : act(...given);
    const { listIdentityKeys, changeIdentityKeys } = store.identityKeys;
    const away = { listIdentityKeys: reached(listIdentityKeys), changeIdentityKeys: reached(changeIdentityKeys) };
    const keys = createIdentityKeys({ store: away, seal, open, clock, onFault: (fault) => faults.push(fault) });
    await keys.ready();
    const first = keys.signing()?.id;
    isAway = true;
    clock.advance(40 * DAY);
    assert.equal(keys.signing()?.id, first);
    assert.equal((await keys.published()).length, 1);
    assert.equal(faults.length, 2);
    isAway = false;
    clock.advance(60);
    assert.equal((await keys.published()).length, 2);
    await store.close();
  });
});
