import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Caller, INTERNAL_CALLER } from '../../src/domain/caller.ts';
import { ALL_CAMERAS } from '../../src/domain/camera-scope.ts';
import type { UserName } from '../../src/domain/names.ts';
import { VIEWER } from '../../src/domain/names.ts';
import { withoutReason } from '../support/refusals.ts';
import { startAccountServer } from './support/account-server.ts';
import { NOW } from './support/people.ts';
import { accountServerOfFour } from './support/server-of-four.ts';

const no = (message: string) => ({ success: false, message });
const madeOf = (json: unknown) => json as { id: string; token: string };

describe('POST /api/tokens', () => {
  it('shows the token once, and it works at once', async (t) => {
    const { as, withToken, heard } = await accountServerOfFour(t);
    const body = { name: ' Home Assistant ', role: 'viewer', cameras: ['street', 'street'], expires_at: NOW + 60 };
    const { status, json, headers } = await as('vera', 'POST', '/api/tokens', body);
    const { id, token } = madeOf(json);
    const shown = { name: 'Home Assistant', role: 'viewer', cameras: ['street'], expires_at: NOW + 60 };
    assert.deepEqual([status, json, headers['cache-control']], [201, { id, token, ...shown }, 'no-store']);
    const profile = { username: 'vera', role: 'viewer', allowed_cameras: ['street'] };
    assert.deepEqual((await withToken(token, 'GET', '/api/profile')).json, profile);
    const { text } = await as('vera', 'GET', '/api/tokens');
    assert.equal(text.includes(token.slice(-32)), false);
    const { what, who, agent, tokenId } = heard.audit[0] ?? assert.fail();
    assert.deepEqual([what, who, agent, tokenId], ['token-created', 'vera', "vera's browser", id]);
    assert.equal(JSON.stringify(heard.audit).includes(token.slice(-32)), false);
  });

  it('asks for a name alone: the role is the maker’s, the cameras the role’s, and there is no end', async (t) => {
    const { as } = await accountServerOfFour(t);
    const { json } = await as('gus', 'POST', '/api/tokens', {
      name: 'ha',
      role: null,
      cameras: null,
      expires_at: null,
    });
    const { id, token } = madeOf(json);
    assert.deepEqual(json, { id, token, name: 'ha', role: 'gardener', cameras: null, expires_at: null });
  });

  const ROLES = 'Role must be one of: gardener, admin, viewer';
  const NAME = 'A token needs a name of 1 to 100 characters';
  const LIST = 'cameras: give a list of 1 to 200 names, or none for all';
  // biome-ignore format: a table
  const rows: [sentence: string, who: string, body: unknown, status: number, message: string][] = [
    ['a role above a viewer’s',       'vera', { name: 'x', role: 'admin' },         403, 'The role viewer cannot give the role admin'],
    ['a role above a custom one',     'gus',  { name: 'x', role: 'viewer' },        403, 'The role gardener cannot give the role viewer'],
    ['a role that is not defined',    'boss', { name: 'x', role: 'operator' },      400, ROLES],
    ['a role that is no text',        'boss', { name: 'x', role: 7 },               400, ROLES],
    ['no name',                       'boss', { name: ' ' },                        400, NAME],
    ['a name that is no text',        'boss', { name: {} },                         400, NAME],
    ['a name with a control character', 'boss', { name: 'a\u001b[0m' },             400, NAME],
    ['101 characters of a name',      'boss', { name: 'x'.repeat(101) },            400, NAME],
    ['an empty list of cameras',      'boss', { name: 'x', cameras: [] },           400, LIST],
    ['a text for a list of cameras',  'boss', { name: 'x', cameras: 'street' },     400, LIST],
    ['a camera that is no name',      'boss', { name: 'x', cameras: ['a//b'] },      400, 'cameras: "a//b" is not a camera name: use no comma, and slashes between other letters only; "*" stands for any text'],
    ['a pattern that is slow to match', 'boss', { name: 'x', cameras: ['*a*a*'] },  400, 'cameras: "*a*a*" has more than 2 "*"'],
    ['an end in the past',            'boss', { name: 'x', expires_at: NOW },       400, 'expires_at: that time has passed already'],
    ['an end that is no whole second', 'boss', { name: 'x', expires_at: NOW + 0.5 }, 400, 'expires_at: give whole Unix seconds'],
    ['an end as text',                'boss', { name: 'x', expires_at: '2030-01-01' }, 400, 'expires_at: give whole Unix seconds'],
    ['what is no object',             'boss', [],                                   400, NAME],
  ];
  for (const [sentence, who, body, status, message] of rows) {
    it(`refuses ${sentence}`, async (t) => {
      const { as, records } = await accountServerOfFour(t);
      const answered = await as(who, 'POST', '/api/tokens', body);
      assert.deepEqual([answered.status, withoutReason(answered.json)], [status, no(message)]);
      assert.deepEqual(await records.grants.list('api-token'), []);
    });
  }

  it('makes a hundred for one owner, and no more', async (t) => {
    const { as } = await accountServerOfFour(t);
    const ids = [];
    for (let count = 0; count < 100; count += 1)
      ids.push(madeOf((await as('vera', 'POST', '/api/tokens', { name: 'x' })).json).id);
    const full = await as('vera', 'POST', '/api/tokens', { name: 'x' });
    assert.deepEqual([full.status, withoutReason(full.json)], [409, no('vera has 100 API tokens already: revoke one')]);
    assert.equal((await as('gus', 'POST', '/api/tokens', { name: 'x' })).status, 201);
    await as('vera', 'DELETE', `/api/tokens/${ids[0]}`);
    assert.equal((await as('vera', 'POST', '/api/tokens', { name: 'x' })).status, 201);
  });

  it('is refused for tokens, unknown callers, and the anonymous admin of the internal listener', async (t) => {
    const { as, withToken, send, records } = await accountServerOfFour(t);
    const { token } = madeOf((await as('boss', 'POST', '/api/tokens', { name: 'first' })).json);
    const internal = await startAccountServer(t, { records, caller: INTERNAL_CALLER });
    const refused = no('An API token belongs to a user: log in, and create it as that user');
    assert.deepEqual(withoutReason((await withToken(token, 'POST', '/api/tokens', { name: 'second' })).json), refused);
    assert.deepEqual(
      withoutReason((await internal.send('POST', '/api/tokens', { body: { name: 'third' } })).json),
      refused,
    );
    assert.equal((await send('POST', '/api/tokens', { body: { name: 'fourth' } })).status, 401);
    assert.equal((await records.grants.list('api-token')).length, 1);
  });

  it('makes tokens for a proxy’s users too, who have no account here', async (t) => {
    const caller = {
      name: 'jörg' as UserName,
      role: VIEWER,
      scope: ALL_CAMERAS,
      credential: { kind: 'proxy-headers' },
    } as const;
    const { send, records } = await startAccountServer(t, { caller });
    assert.equal((await send('POST', '/api/tokens', { body: { name: 'ha' } })).status, 201);
    const [made] = await records.grants.list('api-token');
    assert.deepEqual([made?.user, made?.userCreatedAt], ['jörg', null]);
  });
});

describe('GET /api/tokens', () => {
  it('lists one’s own, for an admin all, with the last use', async (t) => {
    const { as, withToken, clock } = await accountServerOfFour(t);
    const veras = madeOf((await as('vera', 'POST', '/api/tokens', { name: 'hers' })).json);
    clock.advance(5);
    const boss = madeOf((await as('boss', 'POST', '/api/tokens', { name: 'his' })).json);
    await withToken(veras.token, 'GET', '/api/profile');
    const her = {
      id: veras.id,
      name: 'hers',
      user: 'vera',
      role: 'viewer',
      cameras: null,
      created_at: NOW,
      expires_at: null,
    };
    const hers = { ...her, last_used_at: NOW + 5, last_used_from: '192.0.2.1' };
    const his = { ...her, id: boss.id, name: 'his', user: 'boss', role: 'admin', created_at: NOW + 5 };
    assert.deepEqual((await as('vera', 'GET', '/api/tokens')).json, [hers]);
    assert.deepEqual((await as('gus', 'GET', '/api/tokens')).json, []);
    const all = [hers, { ...his, last_used_at: null, last_used_from: null }];
    assert.deepEqual((await as('boss', 'GET', '/api/tokens')).json, all);
  });
});

describe('An API token, for its holder,', () => {
  it('knows itself alone, and neither the other tokens nor the sessions of its owner', async (t) => {
    const { as, withToken } = await accountServerOfFour(t);
    const made = async (body: object) => madeOf((await as('boss', 'POST', '/api/tokens', body)).json);
    const [whole, lesser] = [await made({ name: 'all' }), await made({ name: 'less', role: 'viewer' })];
    const [session] = (await as('boss', 'GET', '/api/sessions')).json as [{ id: string }];
    const names = async (token: string, path: string) =>
      ((await withToken(token, 'GET', path)).json as { id: string }[]).map(({ id }) => id);
    assert.deepEqual(await names(lesser.token, '/api/tokens'), [lesser.id]);
    assert.deepEqual(await names(lesser.token, '/api/sessions'), []);
    assert.deepEqual(await names(whole.token, '/api/tokens'), [whole.id, lesser.id].sort());
    assert.deepEqual(await names(whole.token, '/api/sessions'), [session.id]);
    const statuses = [];
    for (const path of [`tokens/${whole.id}`, `sessions/${session.id}`, `tokens/${lesser.id}`])
      statuses.push((await withToken(lesser.token, 'DELETE', `/api/${path}`)).status);
    assert.deepEqual(statuses, [404, 404, 200]);
  });

  it('of a proxy’s user is not known to an account of that name, nor the other way round', async (t) => {
    const { as, records } = await accountServerOfFour(t);
    const caller = {
      name: 'vera' as UserName,
      role: VIEWER,
      scope: ALL_CAMERAS,
      credential: { kind: 'proxy-headers' },
    };
    const proxied = await startAccountServer(t, { records, caller: caller as Caller });
    const theirs = madeOf((await proxied.send('POST', '/api/tokens', { body: { name: 'theirs' } })).json);
    const hers = madeOf((await as('vera', 'POST', '/api/tokens', { name: 'hers' })).json);
    const ids = (json: unknown) => (json as { id: string }[]).map(({ id }) => id);
    assert.deepEqual(ids((await proxied.send('GET', '/api/tokens')).json), [theirs.id]);
    assert.deepEqual(ids((await as('vera', 'GET', '/api/tokens')).json), [hers.id]);
    assert.deepEqual((await proxied.send('GET', '/api/sessions')).json, []);
    assert.equal((await proxied.send('DELETE', `/api/tokens/${hers.id}`)).status, 404);
  });
});

describe('DELETE /api/tokens/{id}', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, who: string, status: number][] = [
    ['revokes one’s own',                'vera', 200],
    ['revokes that of any user for an admin',   'boss', 200],
    ['answers 404 for another user’s',    'gus',  404],
    ['needs a caller',              'nobody', 401],
  ];
  for (const [sentence, who, status] of rows) {
    it(sentence, async (t) => {
      const { as, withToken } = await accountServerOfFour(t);
      const { id, token } = madeOf((await as('vera', 'POST', '/api/tokens', { name: 'hers' })).json);
      assert.equal((await as(who, 'DELETE', `/api/tokens/${id}`)).status, status);
      assert.equal((await withToken(token, 'GET', '/api/profile')).status, status === 200 ? 401 : 200);
    });
  }

  it('does not know an absent one', async (t) => {
    const { as } = await accountServerOfFour(t);
    assert.deepEqual(
      withoutReason((await as('boss', 'DELETE', '/api/tokens/0123456789abcdef')).json),
      no('There is no such token'),
    );
  });
});
