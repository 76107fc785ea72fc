/** Session tokens that are malformed, expired or forged: nothing reaches the NVR (interface 5.1). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { rawRequest } from '../support/raw-request.ts';
import { makeToken } from './support/make-token.ts';
import type { TokenRecipe } from './support/vector.ts';
import { signingKeyOf } from './support/vector-instances.ts';
import { asRole, claimsIn, HOST, head, UPGRADE, watchInstance } from './support/watched-instance.ts';

const watched = await watchInstance();

const HEADER = { alg: 'HS256', typ: 'JWT' };
const CLAIMS = { sub: 'admin', role: 'admin', iat: '@now-10', exp: '@now+3600' };
const without = (name: string): TokenRecipe['payload'] => ({ ...CLAIMS, [name]: undefined });

const forged = (recipe: Partial<TokenRecipe>): string =>
  makeToken(
    { header: HEADER, payload: CLAIMS, key: 'good', ...recipe },
    signingKeyOf(watched.instance),
    Math.floor(watched.instance.clock.now() / 1000),
  );

const WAYS: Readonly<Record<string, (token: string) => string>> = {
  'as a bearer token': (token) =>
    head('GET /api/config/raw HTTP/1.1', HOST, token === '' ? [] : `Authorization: Bearer ${token}`),
  'as a cookie': (token) =>
    head('GET /api/config/raw HTTP/1.1', HOST, token === '' ? [] : `Cookie: frigate_token=${token}`),
  'on an upgrade': (token) =>
    head('GET /ws HTTP/1.1', HOST, UPGRADE, token === '' ? [] : `Authorization: Bearer ${token}`),
};

async function isRefused(token: string): Promise<void> {
  for (const [way, bytes] of Object.entries(WAYS)) {
    const { status } = await rawRequest(watched.instance.port, bytes(token));
    assert.deepEqual([way, status, watched.nvr.received], [way, 401, []]);
  }
}

async function isAdmin(token: string): Promise<void> {
  for (const [way, bytes] of Object.entries(WAYS)) {
    watched.nvr.received.length = 0;
    const { status } = await rawRequest(watched.instance.port, bytes(token));
    const expected = way === 'on an upgrade' ? 101 : 200;
    assert.deepEqual([way, status, watched.nvr.received.map(claimsIn)], [way, expected, [asRole('admin', 'admin')]]);
  }
}

describe('A caller with a token', () => {
  it('of the right make is known: the forgeries below differ from it in one thing each', () => isAdmin(forged({})));

  it('that is not there: nothing arrives', () => isRefused(''));

  // biome-ignore format: a table
  const forgeries: [story: string, recipe: Partial<TokenRecipe>][] = [
    ['that says it needs no signature',              { header: { alg: 'none' }, key: 'none' }],
    ['that says so in other letters',                { header: { alg: 'nOnE' }, key: 'none' }],
    ['whose signature is cut off',                   { key: 'none' }],
    ['signed with another secret',                   { key: 'old' }],
    ['signed with an empty secret',                  { key: 'empty' }],
    ['signed with the key that it brings along',     { header: { ...HEADER, jwk: { kty: 'oct', k: 'c2VjcmV0' } }, key: 'embedded' }],
    ['signed by another algorithm',                  { header: { alg: 'HS384' }, key: 'good-hs384' }],
    ['that names another algorithm',                 { header: { alg: 'RS256' } }],
    ['that names a key file',                        { header: { ...HEADER, kid: '../../dev/null' } }],
    ['with an extension that must be understood',    { header: { ...HEADER, crit: ['exp'] } }],
    ['of another type',                              { header: { alg: 'HS256', typ: 'at+jwt' } }],
    ['that is over since a second',                  { payload: { ...CLAIMS, exp: '@now-1' } }],
    ['that is over now',                             { payload: { ...CLAIMS, exp: '@now' } }],
    ['without an end',                               { payload: without('exp') }],
    ['with an end that is text',                     { payload: { ...CLAIMS, exp: '9999999999' } }],
    ['with an end that never comes',                 { payload: { ...CLAIMS, exp: '@raw:1e999' } }],
    ['with an end in a list',                        { payload: { ...CLAIMS, exp: [9_999_999_999] } }],
    ['with no end, in as many words',                { payload: { ...CLAIMS, exp: null } }],
    ['that does not hold yet',                       { payload: { ...CLAIMS, nbf: '@now+3600' } }],
    ['from the future',                              { payload: { ...CLAIMS, iat: '@now+3600' } }],
    ['without a beginning',                          { payload: without('iat') }],
    ['without a user',                               { payload: without('sub') }],
    ['of a user that never was',                     { payload: { ...CLAIMS, sub: 'ghost' } }],
    ['of a user that is a list',                     { payload: { ...CLAIMS, sub: ['admin'] } }],
    ['of a user with a header in the name',          { payload: { ...CLAIMS, sub: 'admin\r\nremote-role: admin' } }],
    ['in five parts, and years of work to open',     { header: { alg: 'PBES2-HS256+A128KW', p2c: 2_147_483_647 }, key: 'garbage5' }],
  ];
  for (const [story, recipe] of forgeries) it(`${story}: nothing arrives`, () => isRefused(forged(recipe)));

  it('in another spelling of the same bytes: nothing arrives', async () => {
    const token = forged({});
    for (const twin of [`${token}=`, `${token}A`, `${token}.`, token.replace('.', '..'), `${token.slice(0, -1)}`]) {
      await isRefused(twin);
    }
  });

  it('in the address: nothing arrives', async () => {
    const target = `/api/stats?token=${forged({})}&access_token=${forged({})}`;
    const { status } = await rawRequest(watched.instance.port, head(`GET ${target} HTTP/1.1`, HOST));
    assert.deepEqual([status, watched.nvr.received], [401, []]);
  });

  it('that is bad, beside one that is good: nothing arrives', async () => {
    const lines = [`Authorization: Bearer ${forged({ key: 'old' })}`, `Cookie: frigate_token=${forged({})}`];
    const { status } = await rawRequest(watched.instance.port, head('GET /api/stats HTTP/1.1', HOST, lines));
    assert.deepEqual([status, watched.nvr.received], [401, []]);
  });

  it('that says admin, of a user who is a viewer: arrives as the viewer', async () => {
    const token = forged({ payload: { ...CLAIMS, sub: 'vera', role: 'admin' } });
    const lines = [HOST, `Authorization: Bearer ${token}`];
    const stats = await rawRequest(watched.instance.port, head('GET /api/stats HTTP/1.1', lines));
    assert.deepEqual([stats.status, watched.nvr.received.map(claimsIn)], [200, [asRole('vera', 'viewer')]]);
    const raw = await rawRequest(watched.instance.port, head('GET /api/config/raw HTTP/1.1', lines));
    assert.deepEqual([raw.status, watched.nvr.received.length], [403, 1]);
  });
});

describe('A caller whose token was good', () => {
  const manage = async (method: string, path: string, body?: object): Promise<void> => {
    const token = await watched.instance.logIn(ADMIN_PERSON);
    const headers = { 'Content-Type': 'application/json' };
    const init = { method, headers, token, ...(body && { body: JSON.stringify(body) }) };
    const answer = await watched.instance.ask(path, init);
    assert.ok(answer.ok, `${method} ${path} was answered ${answer.status}: ${await answer.text()}`);
  };

  it('and who was deleted: nothing arrives', async () => {
    const token = await watched.instance.logIn(CARL);
    await manage('DELETE', '/api/users/carl');
    await isRefused(token);
  });

  it('and whose name another user has now: nothing arrives', async () => {
    const { name: username, password } = CARL;
    await manage('POST', '/api/users', { username, password, role: 'viewer' });
    const token = await watched.instance.logIn(CARL);
    await manage('DELETE', '/api/users/carl');
    await manage('POST', '/api/users', { username, password, role: 'admin' });
    await isRefused(token);
  });

  it('and whose password was changed, in the very same second: nothing arrives', async () => {
    const token = await watched.instance.logIn(VERA);
    await manage('PUT', '/api/users/vera/password', { password: VERA.password });
    await isRefused(token);
  });

  it('and who is no admin any more: arrives as what it is now, or not at all', async () => {
    const name = 'second';
    await manage('POST', '/api/users', { username: name, password: CARL.password, role: 'admin' });
    const token = await watched.instance.logIn({ ...CARL, name });
    await manage('PUT', `/api/users/${name}/role`, { role: 'viewer' });
    watched.nvr.received.length = 0;
    const lines = [HOST, `Authorization: Bearer ${token}`];
    const raw = await rawRequest(watched.instance.port, head('GET /api/config/raw HTTP/1.1', lines));
    const stats = await rawRequest(watched.instance.port, head('GET /api/stats HTTP/1.1', lines));
    const arrived = watched.nvr.received.map(claimsIn);
    assert.deepEqual([raw.status, stats.status, arrived], [403, 200, [asRole(name, 'viewer')]]);
  });

  it('and who logged out: nothing arrives', async () => {
    const token = await watched.instance.logIn(ADMIN_PERSON);
    await watched.instance.ask('/logout', { token });
    await isRefused(token);
  });

  it('and whose session is over: nothing arrives', async () => {
    const token = await watched.instance.logIn(ADMIN_PERSON);
    watched.instance.clock.advance(86_400);
    await isRefused(token);
  });
});
