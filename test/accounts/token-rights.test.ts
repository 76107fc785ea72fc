/** API tokens and the routes that manage accounts: these need a person, or a token that was made for it (SPEC 4.4). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRoleRegistry } from '../../src/accounts/roles/roles.ts';
import { makeToken } from '../../src/accounts/tokens/token-routes.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { ALL_CAMERAS } from '../../src/domain/camera-scope.ts';
import { ADMIN, type UserName } from '../../src/domain/names.ts';
import { withoutReason } from '../support/refusals.ts';
import { startAccountServer } from './support/account-server.ts';
import { IN_FORCE, NOW, PASSWORD } from './support/people.ts';
import { accountServerOfFour } from './support/server-of-four.ts';

const NEW = 'a password that many would like';
const PERSON_NEEDED = /may not manage accounts: log in|belongs to a user: log in/;

/** The status is that for a token made with manage_accounts: what lets a person in is changed by that person alone (SPEC 12). */
// biome-ignore format: a table
const ROUTES: [method: string, path: string, body: object | undefined, status: number][] = [
  ['POST',   '/api/users',               { username: 'thief', password: NEW, role: 'admin' },    403],
  ['POST',   '/api/users',               { username: 'thief', password: NEW, role: 'viewer' },   200],
  ['PUT',    '/api/users/vera/password', { password: NEW },                                      403],
  ['PUT',    '/api/users/boss/password', { password: NEW, old_password: PASSWORD },              403],
  ['PUT',    '/api/users/vera/role',     { role: 'admin' },                                      403],
  ['PUT',    '/api/users/vera/role',     { role: 'stored' },                                     200],
  ['DELETE', '/api/users/gus',           undefined,                                              200],
  ['PUT',    '/api/roles/wider',         { cameras: ['*'] },                                     200],
  ['DELETE', '/api/roles/stored',        undefined,                                              200],
  ['PUT',    '/api/config/set?auth.roles.wider=*', undefined,                                    200],
  ['POST',   '/api/tokens',              { name: 'another' },                                    403],
];

async function serverWithTokens(t: Parameters<typeof accountServerOfFour>[0]) {
  const server = await accountServerOfFour(t);
  await server.as('boss', 'PUT', '/api/roles/stored', { cameras: ['garden'] });
  const make = async (more: object): Promise<{ id: string; token: string }> => {
    const { json } = await server.as('boss', 'POST', '/api/tokens', { name: 'x', ...more });
    return json as { id: string; token: string };
  };
  const everything = async () =>
    JSON.stringify([
      await server.store.listUsers(),
      await server.records.roles.listRoles(),
      (await server.records.grants.list('api-token')).map(({ id }) => id),
    ]);
  return { ...server, make, everything };
}

describe("An admin's API token", () => {
  for (const [method, path, body, status] of ROUTES) {
    it(`is refused for ${method} ${path} ${JSON.stringify(body)}, and nothing changes`, async (t) => {
      const { withToken, make, everything } = await serverWithTokens(t);
      const { token } = await make({});
      const before = await everything();
      const answered = await withToken(token, method, path, body);
      assert.equal(answered.status, 403);
      assert.match((answered.json as { message: string }).message, PERSON_NEEDED);
      assert.equal(await everything(), before);
    });

    it(`that was made with manage_accounts gets ${status} for ${method} ${path} ${JSON.stringify(body)}`, async (t) => {
      const { withToken, make } = await serverWithTokens(t);
      const { token } = await make({ manage_accounts: true });
      assert.equal((await withToken(token, method, path, body)).status, status);
    });
  }

  it('ends neither another token nor a session without that right, and reads as its role may', async (t) => {
    const { as, withToken, make, everything } = await serverWithTokens(t);
    const [one, other] = [await make({}), await make({})];
    const [session] = (await as('boss', 'GET', '/api/sessions')).json as [{ id: string }];
    const before = await everything();
    for (const path of [`tokens/${other.id}`, `sessions/${session.id}`])
      assert.equal((await withToken(one.token, 'DELETE', `/api/${path}`)).status, 403);
    assert.equal(await everything(), before);
    for (const path of ['users', 'roles', 'tokens', 'sessions', 'profile'])
      assert.equal((await withToken(one.token, 'GET', `/api/${path}`)).status, 200);
    assert.equal((await withToken(one.token, 'PUT', '/api/config/set?cameras.street.enabled=true')).status, 200);
  });

  it('loses the right with the role of its owner', async (t) => {
    const { as, withToken, make, store } = await serverWithTokens(t);
    const { token } = await make({ manage_accounts: true });
    assert.equal((await as('admin', 'PUT', '/api/users/boss/role', { role: 'viewer' })).status, 200);
    assert.equal((await withToken(token, 'POST', '/api/users', { username: 'thief', password: NEW })).status, 403);
    assert.equal(await store.findUser('thief'), undefined);
  });
});

describe('The right manage_accounts', () => {
  const ADMINS_ONLY = 'manage_accounts: only a token of the role admin, for all cameras, manages accounts';
  // biome-ignore format: a table
  const rows: [sentence: string, who: string, body: object, message: string][] = [
    ['of a viewer',             'vera', {},                       ADMINS_ONLY],
    ['of a viewer’s token',     'boss', { role: 'viewer' },       ADMINS_ONLY],
    ['of a narrowed token',     'boss', { cameras: ['street'] },  ADMINS_ONLY],
    ['that is no true or false', 'boss', { manage_accounts: 1 },  'manage_accounts: give true or false'],
  ];
  for (const [sentence, who, body, message] of rows) {
    it(`is refused: ${sentence}`, async (t) => {
      const { as, records } = await accountServerOfFour(t);
      const answered = await as(who, 'POST', '/api/tokens', { name: 'x', manage_accounts: true, ...body });
      assert.deepEqual([answered.status, withoutReason(answered.json)], [400, { success: false, message }]);
      assert.deepEqual(await records.grants.list('api-token'), []);
    });
  }

  it('is told when the token is made, and in the list', async (t) => {
    const { as } = await accountServerOfFour(t);
    const made = (await as('boss', 'POST', '/api/tokens', { name: 'x', manage_accounts: true })).json as object;
    await as('boss', 'POST', '/api/tokens', { name: 'y' });
    const list = (await as('boss', 'GET', '/api/tokens')).json as { manage_accounts: boolean }[];
    assert.equal((made as { manage_accounts: boolean }).manage_accounts, true);
    assert.deepEqual(list.map((token) => token.manage_accounts ?? false).sort(), [false, true]);
  });
});

describe('A field that is not known', () => {
  for (const field of ['expires_in', 'ttl', 'expiresAt', 'scope', '__proto__']) {
    it(`is refused in a token: ${field}`, async (t) => {
      const { as, records } = await accountServerOfFour(t);
      const { status, json } = await as('boss', 'POST', '/api/tokens', `{"name":"x","${field}":3600}`);
      assert.equal(status, 422);
      assert.match(
        (json as { message: string }).message,
        new RegExp(`body\\.${field}: Unknown field: write only name, role`),
      );
      assert.deepEqual(await records.grants.list('api-token'), []);
    });
  }

  it('is refused in a role: what it would deny must not be granted', async (t) => {
    const { as, records } = await accountServerOfFour(t);
    const body = { cameras: ['garden'], denied: ['ptz'] };
    assert.equal((await as('boss', 'PUT', '/api/roles/guest', body)).status, 422);
    assert.deepEqual(await records.roles.listRoles(), []);
  });
});

describe("A token of a proxy's user", () => {
  const caller: Caller = {
    name: 'jörg' as UserName,
    role: ADMIN,
    scope: ALL_CAMERAS,
    credential: { kind: 'proxy-headers' },
  };
  // biome-ignore format: a table
  const rows: [sentence: string, body: object, end: number | null][] = [
    ['ends after 90 days when nothing is said', {},                       NOW + 90 * 86_400],
    ['ends when it is said',                    { expires_at: NOW + 60 }, NOW + 60],
    ['never ends when that is said',            { expires_at: null },     null],
  ];
  for (const [sentence, body, end] of rows) {
    it(sentence, async (t) => {
      const { send, records } = await startAccountServer(t, { caller });
      assert.equal((await send('POST', '/api/tokens', { body: { name: 'x', ...body } })).status, 201);
      assert.deepEqual(
        (await records.grants.list('api-token')).map(({ expiresAt }) => expiresAt),
        [end],
      );
    });
  }

  it('is refused while Postern has accounts of its own, and good when a proxy names the users again', async (t) => {
    const { records, clock } = await startAccountServer(t);
    const owner = { user: caller.name, role: ADMIN, userCreatedAt: null };
    const made = await makeToken({ name: 'x' }, owner, {
      store: records,
      clock,
      roleRegistry: createRoleRegistry({ store: records.roles, fixed: IN_FORCE }),
      tokenRights: [],
    });
    const headers = { authorization: `Bearer ${made.text}` };
    for (const [authEnabled, status] of [
      [true, 401],
      [false, 200],
    ] as const) {
      const { send } = await startAccountServer(t, { records, settings: { authEnabled } });
      assert.equal((await send('GET', '/api/profile', { headers })).status, status);
    }
  });
});
