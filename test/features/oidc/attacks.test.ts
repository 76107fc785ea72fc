/** Attacks on a sign-in with a provider: each ends with no session (SPEC 16). */
import assert from 'node:assert/strict';
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { generateKeyPair } from 'jose';
import { parseUserName } from '../../../src/domain/names.ts';
import { toAccountName } from '../../../src/features/oidc/sign-in.ts';
import { createBoundedFetch } from '../../../src/outbound/bounded-fetch.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { type Begun, oidcConfig, Visitor, vouch } from './support/browser.ts';
import { CLIENT, type Claims, type FakeProvider, type Signing, startFakeProvider } from './support/fake-provider.ts';

/** The key that anybody can read, as PEM. */
async function publicKeyOf({ issuer, ca }: FakeProvider): Promise<string> {
  const fetchThere = createBoundedFetch({ seconds: 30, bytes: 65_536, ca: () => readFile(ca, 'utf8') });
  const { keys } = (await (await fetchThere(`${issuer}/jwks`)).json()) as { keys: JsonWebKey[] };
  const key = createPublicKey({ key: keys[0] ?? assert.fail('it has no key'), format: 'jwk' });
  return key.export({ type: 'spki', format: 'pem' }).toString();
}

/** Roles by address. */
const BY_EMAIL = { name: 'work', groups_claim: 'email', role_map: { front_only: ['ann@example.org'] } };
const SESSION = 'frigate_token';
const now = (): number => Math.floor(Date.now() / 1000);

describe('A sign-in that is attacked', () => {
  let provider: FakeProvider;
  let other: FakeProvider;
  let instance: Runtime;
  before(async () => {
    provider = await startFakeProvider(now);
    other = await startFakeProvider(now);
    const config = oidcConfig(provider);
    const [second] = oidcConfig(other, BY_EMAIL).auth.oidc;
    instance = await startInstance({
      config: {
        nvr: { cameras: ['cam1', 'cam2'] },
        ...config,
        auth: { ...config.auth, oidc: [...config.auth.oidc, second] },
      },
    });
  });
  after(async () => {
    await instance.close();
    await provider.close();
    await other.close();
  });
  beforeEach(() => {
    provider.answers = {};
    other.answers = {};
  });

  const assertNoSession = async (visitor: Visitor, response: Response, status = 400): Promise<void> => {
    const text = await response.text();
    assert.equal(response.status, status, text);
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
    assert.ok(!visitor.namesOfCookies().includes(SESSION));
    for (const secret of ['an-access-token', 'eyJ', CLIENT.secret, 'a-code']) assert.ok(!text.includes(secret), secret);
  };

  // biome-ignore format: a table
  const TOKENS: readonly (readonly [what: string, claims: () => Claims, signing?: () => Promise<Signing> | Signing])[] = [
    ['a wrong nonce', () => ({ nonce: 'another' })],
    ['no nonce', () => ({ nonce: undefined })],
    ['another audience', () => ({ aud: 'another' })],
    ['another authorized party', () => ({ azp: 'another' })],
    ['several audiences and no authorized party', () => ({ aud: [CLIENT.id, 'another'] })],
    ['another issuer', () => ({ iss: 'https://evil.example.org' })],
    ['an end that has passed', () => ({ exp: now() - 120 })],
    ['no end', () => ({ exp: undefined })],
    ['a time in the future', () => ({ iat: now() + 600, exp: now() + 900 })],
    ['no time', () => ({ iat: undefined })],
    ['a subject that is empty', () => ({ sub: '' })],
    ['a subject that is a number', () => ({ sub: 7 })],
    ['a subject that is no text in UTF-8', () => ({ sub: '\ud800' })],
    ['a subject with a NUL', () => ({ sub: 'a\u0000b' })],
    ['a subject that is too long', () => ({ sub: 'x'.repeat(300) })],
    ['a key of its own', () => ({}), async () => ({ key: (await generateKeyPair('ES256')).privateKey })],
    ['a key that nobody knows', () => ({}), async () => ({ key: (await generateKeyPair('ES256')).privateKey, header: { kid: 'unknown' } })],
    ['a signature whose secret is the public key', () => ({}), async () => ({ key: new TextEncoder().encode(await publicKeyOf(provider)), header: { alg: 'HS256' } })],
    ['a signature by the client secret', () => ({}), () => ({ key: new TextEncoder().encode(CLIENT.secret.repeat(3)), header: { alg: 'HS256' } })],
  ];
  for (const [what, claims, signing] of TOKENS)
    it(`is refused for an ID token with ${what}`, async () => {
      const visitor = new Visitor(instance);
      const begun = await visitor.begin();
      const given = { nonce: begun.asked.get('nonce'), groups: ['owners'], ...claims() };
      const id_token = await provider.sign(provider.claimsFor('ann', given), await signing?.());
      provider.answers.token = { access_token: 'an-access-token', token_type: 'Bearer', id_token };
      await assertNoSession(visitor, await visitor.comeBack(begun, { iss: provider.issuer }));
    });

  it('is refused for an ID token without a signature', async () => {
    const visitor = new Visitor(instance);
    const begun = await visitor.begin();
    const part = (json: object): string => Buffer.from(JSON.stringify(json)).toString('base64url');
    const claims = provider.claimsFor('ann', { nonce: begun.asked.get('nonce'), groups: ['owners'] });
    for (const id_token of [
      `${part({ alg: 'none' })}.${part(claims)}.`,
      `${part({ alg: 'none' })}.${part(claims)}.AAAA`,
      'x',
      '',
    ]) {
      provider.answers.token = { access_token: 'an-access-token', token_type: 'Bearer', id_token };
      const again = new Visitor(instance);
      visitor.copyTo(again);
      await assertNoSession(again, await again.comeBack(begun, { iss: provider.issuer }));
    }
  });

  it('is refused for an answer that was used before, in the same browser and in another', async () => {
    const visitor = new Visitor(instance);
    const begun = await visitor.begin();
    const [same, stranger] = [new Visitor(instance), new Visitor(instance)];
    visitor.copyTo(same);
    await vouch(provider, { sub: 'bea', groups: 'front', nonce: begun.asked.get('nonce') });
    assert.equal((await visitor.comeBack(begun, { iss: provider.issuer })).status, 302);
    for (const thief of [same, stranger])
      await assertNoSession(thief, await thief.comeBack(begun, { iss: provider.issuer }));
  });

  it('writes nothing into the store while the provider vouches for nobody', async () => {
    const visitor = new Visitor(instance);
    const begun = await visitor.begin();
    const store = new DatabaseSync(join(instance.directory, 'postern.db'), { readOnly: true });
    const marks = (): unknown => store.prepare('select count(*) as marks from revoked_tokens').get()?.['marks'];
    const before = marks();
    provider.answers.token = { status: 400, body: '{"error":"invalid_grant"}' };
    await assertNoSession(visitor, await visitor.comeBack(begun, { iss: provider.issuer }));
    assert.equal(marks(), before);
    store.close();
  });

  it('is refused in another browser than the one that began it', async () => {
    const [victim, attacker] = [new Visitor(instance), new Visitor(instance)];
    const begun = await attacker.begin();
    await vouch(provider, { sub: 'mallory', groups: 'front', nonce: begun.asked.get('nonce') });
    await assertNoSession(victim, await victim.comeBack(begun, { iss: provider.issuer }));
    const own = await victim.begin();
    await assertNoSession(victim, await victim.comeBack({ asked: begun.asked }, { iss: provider.issuer }));
    assert.notEqual(own.asked.get('state'), begun.asked.get('state'));
  });

  it('is refused at the callback of another provider', async () => {
    const visitor = new Visitor(instance);
    const begun = await visitor.begin('home');
    await vouch(other, { sub: 'ann', groups: 'owners', nonce: begun.asked.get('nonce') });
    await assertNoSession(visitor, await visitor.comeBack(begun, { iss: other.issuer }, 'work'));
    await vouch(provider, { sub: 'ann', groups: 'owners', nonce: begun.asked.get('nonce') });
    await assertNoSession(visitor, await visitor.comeBack(begun, { iss: other.issuer }));
  });

  it('is refused without the issuer, where the provider says that it names it', async () => {
    const visitor = new Visitor(instance);
    const begun = await visitor.begin();
    await vouch(provider, { sub: 'ann', groups: 'front', nonce: begun.asked.get('nonce') });
    await assertNoSession(visitor, await visitor.comeBack(begun));
  });

  it('is no POST', async () => {
    const visitor = new Visitor(instance);
    const { asked } = await visitor.begin();
    const body = new URLSearchParams({ code: 'a-code', state: asked.get('state') ?? '' });
    const response = await visitor.visit('/api/login/oidc/home/callback', { method: 'POST', body });
    assert.ok(response.status >= 400, String(response.status));
    assert.ok(!visitor.namesOfCookies().includes(SESSION));
  });

  it('tells nothing of the error that a stranger writes into the address', async () => {
    const visitor = new Visitor(instance);
    const { asked } = await visitor.begin();
    const more = { error: 'access_denied', error_description: '<script>alert(1)</script>', iss: provider.issuer };
    const response = await visitor.visit(
      `/api/login/oidc/home/callback?${new URLSearchParams({ state: asked.get('state') ?? '', ...more })}`,
    );
    const text = await response.text();
    assert.equal(response.status, 403);
    assert.ok(!text.includes('script>alert'));
  });

  it('gives no role by another provider, whatever the providers are called now', async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-test-'));
    const config = { nvr: { cameras: ['cam1', 'cam2'] }, ...oidcConfig(provider) };
    const [work] = oidcConfig(other, { name: 'work', create: false }).auth.oidc;
    const [home] = config.auth.oidc;
    const startWith = (...oidc: readonly unknown[]): Promise<Runtime> =>
      startInstance({ directory, config: { ...config, auth: { ...config.auth, oidc } } });
    let at = await startWith(home, work);
    t.after(async () => {
      await at.close();
      rmSync(directory, { recursive: true });
    });
    const roleOf = async (visitor: Visitor): Promise<unknown> =>
      Object(await (await visitor.ask('GET', '/api/profile')).json()).role;
    const ann = new Visitor(at);
    await ann.signIn(provider, { sub: 'two providers', groups: ['front'], auth_time: now() });
    const connecting = await ann.ask('POST', '/api/account/sign-ins/work');
    const asked = new URL(Object(await connecting.json()).url).searchParams;
    await vouch(other, { sub: 'a', groups: ['owners'], nonce: asked.get('nonce') });
    assert.equal((await ann.comeBack({ asked }, { iss: other.issuer }, 'work')).status, 302);
    const names = [
      [work],
      [
        { ...home, name: 'work' },
        { ...work, name: 'home' },
      ],
    ];
    for (const configured of names) {
      await at.close();
      at = await startWith(...configured);
      const { name } = configured.find((one) => one?.issuer === other.issuer) ?? assert.fail();
      const again = new Visitor(at);
      const begun = await again.begin(name);
      await vouch(other, { sub: 'a', groups: ['owners'], nonce: begun.asked.get('nonce') });
      assert.equal((await again.comeBack(begun, { iss: other.issuer }, name)).status, 302);
      assert.equal(await roleOf(again), 'front_only', JSON.stringify(configured.map((one) => one?.name)));
    }
    const renamed = new Visitor(at);
    const begun = await renamed.begin('work');
    await vouch(provider, { sub: 'two providers', groups: ['back'], nonce: begun.asked.get('nonce') });
    await renamed.comeBack(begun, { iss: provider.issuer }, 'work');
    assert.equal(await roleOf(renamed), 'back_only', 'the provider that gives the role goes on giving it');
  });

  // biome-ignore format: a table
  const GROUPS: readonly (readonly [what: string, groups: unknown, status: number])[] = [
    ['an object', { owners: true }, 403],
    ['an object in a list', [{ name: 'owners' }], 403],
    ['one text with commas', 'front,owners', 403],
    ['two thousand others', Array.from({ length: 2000 }, (_, at) => `group ${at}`), 403],
    ['ten thousand others, in an answer that is too large', Array.from({ length: 10_000 }, (_, at) => `group ${at}`), 503],
    ['the names of roles', ['admin', 'viewer', 'front_only'], 403],
  ];
  for (const [what, groups, status] of GROUPS)
    it(`gets no role from groups that are ${what}`, async () => {
      const visitor = new Visitor(instance);
      await assertNoSession(visitor, await visitor.signIn(provider, { sub: `groups ${what}`, groups }), status);
    });

  it('gets no role from an address that the provider has not verified', async () => {
    const signIn = async (claims: object): Promise<number> => {
      const visitor = new Visitor(instance);
      const begun = await visitor.begin('work');
      const nonce = begun.asked.get('nonce');
      await vouch(other, { sub: 'of work', preferred_username: 'work', email: 'ann@example.org', nonce, ...claims });
      const response = await visitor.comeBack(begun, { iss: other.issuer }, 'work');
      assert.equal(visitor.namesOfCookies().includes(SESSION), response.status === 302);
      return response.status;
    };
    for (const email_verified of [undefined, false, 'true', 1]) assert.equal(await signIn({ email_verified }), 403);
    assert.equal(await signIn({ email_verified: true }), 302);
    // An address of UserInfo that the provider has not verified, beside the word of an ID token that holds none.
    other.answers.userinfo = { sub: 'of work', email: 'ann@example.org', email_verified: false };
    assert.equal(await signIn({ email: undefined, email_verified: true }), 403);
  });

  it('gets a plain name from one with markup', async () => {
    const visitor = new Visitor(instance);
    const preferred_username = '<img src=x onerror=alert(1)>';
    await visitor.signIn(provider, { sub: 'markup', preferred_username, groups: ['front'] });
    const profile = await visitor.ask('GET', '/api/profile');
    assert.match(((await profile.json()) as { username: string }).username, /^[A-Za-z0-9._]{1,30}$/);
  });

  it('finds a role among two thousand groups', async () => {
    const groups = [...Array.from({ length: 2000 }, (_, at) => `group ${at}`), 'front'];
    assert.equal((await new Visitor(instance).signIn(provider, { sub: 'many', groups })).status, 302);
  });

  it('makes a user name of any text of a provider, or none', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const name = toAccountName(text);
        assert.ok(name === '' || parseUserName(name).ok || name === 'anonymous');
      }),
    );
  });

  // biome-ignore format: a table
  const OUTWARD: readonly string[] = [
    'https://evil.example.org/', '//evil.example.org', '/\\evil.example.org', '\\\\evil.example.org', 'http:evil.example.org', 'javascript:alert(1)',
    '/%2f%2fevil.example.org/..//evil.example.org', '/.//evil.example.org', '/..//evil.example.org', '/a/../..//evil.example.org', '/\t/evil.example.org',
    '/\n/evil.example.org', ' //evil.example.org', '///evil.example.org', '////evil.example.org', '/\\/evil.example.org', '/\\\\evil.example.org',
    'https:/evil.example.org', 'https:evil.example.org', '//evil.example.org%2f..', '/@evil.example.org', 'evil.example.org', '?//evil.example.org',
    'data:text/html,x', '//[::1]/', '/\u0000/evil.example.org', 'HTTPS://EVIL.EXAMPLE.ORG', '//evil。example。org', '/login', '/logout', '/api/logout',
  ];
  for (const wanted of OUTWARD)
    it(`leads to no other site by return_to=${JSON.stringify(wanted)}`, async () => {
      const visitor = new Visitor(instance);
      const begun: Begun = await visitor.begin('home', wanted);
      await vouch(provider, { sub: 'leading', groups: 'front', nonce: begun.asked.get('nonce') });
      const response = await visitor.comeBack(begun, { iss: provider.issuer });
      assert.equal(response.status, 302);
      const { origin, pathname } = new URL(response.headers.get('location') ?? '', 'https://cameras.example.org');
      assert.equal(origin, 'https://cameras.example.org');
      assert.ok(!/log(?:in|out)$/.test(pathname), pathname);
      assert.match(response.headers.get('location') ?? '', /^\/(?![/\\])/);
    });
});

describe('A provider that answers wrongly', () => {
  // biome-ignore format: a table
  const WRONG: readonly (readonly [what: string, wrong: (provider: FakeProvider) => void, path: 'discovery' | 'token'])[] = [
    ['redirects its discovery inward', (it) => { it.answers.discovery = { status: 302, headers: { location: `${it.issuer}/inside` }, body: '' }; }, 'discovery'],
    ['names another issuer', (it) => { it.answers.discovery = { ...documentOf(it), issuer: 'https://evil.example.org' }; }, 'discovery'],
    ['names an address inside without TLS', (it) => { it.answers.discovery = { ...documentOf(it), token_endpoint: 'http://127.0.0.1:8080/token' }; }, 'discovery'],
    ['names no keys', (it) => { it.answers.discovery = { ...documentOf(it), jwks_uri: undefined }; }, 'discovery'],
    ['signs by HS256 alone', (it) => { it.answers.discovery = { ...documentOf(it), id_token_signing_alg_values_supported: ['HS256', 'none'] }; }, 'discovery'],
    ['sends more than 64 KB', (it) => { it.answers.discovery = { status: 200, body: JSON.stringify({ ...documentOf(it), more: 'x'.repeat(70_000) }) }; }, 'discovery'],
    ['sends no JSON', (it) => { it.answers.discovery = { status: 200, body: '<html>' }; }, 'discovery'],
    ['sends a token of more than 64 KB', (it) => { it.answers.token = { status: 200, body: JSON.stringify({ access_token: 'x'.repeat(70_000) }) }; }, 'token'],
    ['fails', (it) => { it.answers.token = { status: 500, body: '{}' }; }, 'token'],
    ['redirects the token inward', (it) => { it.answers.token = { status: 307, headers: { location: `${it.issuer}/inside` }, body: '' }; }, 'token'],
  ];
  const documentOf = ({ issuer }: FakeProvider): Claims => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
  });
  for (const [what, wrong, path] of WRONG)
    it(`${what}: the page says so, the log why, and the password goes on`, async (t) => {
      const provider = await startFakeProvider(now);
      t.after(() => provider.close());
      const instance = await startInstance({ config: { nvr: { cameras: ['cam1'] }, ...oidcConfig(provider) } });
      t.after(() => instance.close());
      if (path === 'discovery') wrong(provider);
      const visitor = new Visitor(instance);
      let response = await visitor.visit('/api/login/oidc/home');
      if (path === 'token') {
        wrong(provider);
        response = await visitor.comeBack(
          { asked: new URL(response.headers.get('location') ?? '').searchParams },
          { iss: provider.issuer },
        );
      }
      assert.ok([400, 503].includes(response.status), String(response.status));
      assert.ok(!provider.asked.some((asked) => asked.what.endsWith('/inside')), 'no redirect is followed');
      assert.ok(!visitor.namesOfCookies().includes(SESSION));
      assert.ok(
        instance.log.some(({ result, cause }) => (result === 'away' || result === 'unfit') && String(cause).length > 5),
      );
      await instance.logIn({ name: 'vera', role: 'viewer', password: 'ZincPassw0rd!!!' });
    });
});
