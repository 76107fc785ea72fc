import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { USER_ROUTES } from '../../src/accounts/users/user-routes.ts';
import type { Services } from '../../src/app/services.ts';
import { type Caller, INTERNAL_CALLER } from '../../src/domain/caller.ts';
import { toScope } from '../../src/domain/camera-scope.ts';
import { ADMIN, type UserName, VIEWER } from '../../src/domain/names.ts';
import { withoutReason } from '../support/refusals.ts';
import { startAccountServer } from './support/account-server.ts';
import { NOW, PASSWORD } from './support/people.ts';
import { accountServerOfFour } from './support/server-of-four.ts';

const NEW = 'a new password';
const done = { success: true };
const no = (message: string) => ({ success: false, message });
const ROLE_LIST = no('Role must be one of: gardener, admin, viewer');

describe('GET /api/users', () => {
  it('lists names and roles, by name, and no hashes', async (t) => {
    const { as } = await accountServerOfFour(t);
    const { status, json, headers } = await as('boss', 'GET', '/api/users');
    assert.deepEqual([status, headers['cache-control']], [200, 'no-store']);
    assert.deepEqual(json, [
      { username: 'admin', role: 'admin', role_source: 'postern' },
      { username: 'boss', role: 'admin', role_source: 'postern' },
      { username: 'gus', role: 'gardener', role_source: 'postern' },
      { username: 'vera', role: 'viewer', role_source: 'postern' },
    ]);
  });
});

describe('A long list of users', () => {
  it('is read 50 at a time, and others have their turn in between', async () => {
    const everybody = Array.from({ length: 220 }, (_, at) => ({ name: `user${1000 + at}`, role: VIEWER }));
    const reads: { readonly turn: number; readonly users: number }[] = [];
    let turn = 0;
    const count = (): void => {
      turn += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const accounts = {
      async listUsers(where?: { readonly name: { readonly '>': string } }, most?: number) {
        const behind = everybody.filter(({ name }) => where === undefined || name > where.name['>']).slice(0, most);
        reads.push({ turn, users: behind.length });
        return behind;
      },
    };
    const store: unknown = {
      accounts,
      sessions: { lastLogins: async () => new Map([['user1001', 5]]) },
      signIns: { listSignIns: async () => [{ user: 'user1219', provider: 'house' }] },
    };
    const route = USER_ROUTES.find((each) => each.route === 'GET /api/users');
    const listed = await route?.call?.({ caller: INTERNAL_CALLER, from: '' }, { store } as Services);
    clearImmediate(next);
    assert.ok(listed?.ok);
    const users = listed.value as { readonly username: string; readonly last_login_at?: number }[];
    assert.deepEqual(
      users.map(({ username }) => username),
      everybody.map(({ name }) => name),
    );
    assert.deepEqual([users[1]?.last_login_at, users[2]?.last_login_at], [5, undefined]);
    assert.deepEqual(
      reads.map((read) => read.users),
      [50, 50, 50, 50, 20],
    );
    assert.equal(new Set(reads.map((read) => read.turn)).size, reads.length);
  });
});

describe('The user routes', () => {
  const doors: [method: string, path: string, body: object | undefined][] = [
    ['GET', '/api/users', undefined],
    ['POST', '/api/users', { username: 'nina', password: NEW }],
    ['DELETE', '/api/users/gus', undefined],
    ['PUT', '/api/users/gus/role', { role: 'admin' }],
  ];
  const narrowed: Caller = {
    name: 'bot' as UserName,
    role: ADMIN,
    scope: toScope(['garden']),
    credential: { kind: 'api-token', tokenId: '1' },
  };
  for (const [method, path, body] of doors) {
    it(`are closed to others than admins: ${method} ${path}`, async (t) => {
      const { as, store } = await accountServerOfFour(t);
      const before = await store.listUsers();
      const statuses = [];
      for (const name of ['vera', 'gus', 'nobody']) statuses.push((await as(name, method, path, body)).status);
      const { send: asNarrowed } = await startAccountServer(t, { store, caller: narrowed });
      statuses.push((await asNarrowed(method, path, { body })).status);
      assert.deepEqual(statuses, [403, 403, 401, 403]);
      assert.deepEqual(await store.listUsers(), before);
    });
  }

  it('are open on the internal listener (interface 5.6)', async (t) => {
    const { send } = await accountServerOfFour(t, { caller: INTERNAL_CALLER });
    assert.equal((await send('GET', '/api/users')).status, 200);
    assert.deepEqual((await send('PUT', '/api/users/vera/password', { body: { password: NEW } })).json, done);
  });
});

describe('POST /api/users', () => {
  it('makes a user who can log in, a viewer unless something else is said', async (t) => {
    const { as, send, store, heard } = await accountServerOfFour(t);
    const { status, json } = await as('boss', 'POST', '/api/users', { username: 'nina', password: NEW });
    assert.deepEqual([status, json], [200, { username: 'nina' }]);
    const nina = await store.findUser('nina');
    assert.deepEqual([nina?.role, nina?.createdAt, nina?.passwordChangedAt], ['viewer', NOW, null]);
    assert.equal((await send('POST', '/api/login', { body: { user: 'nina', password: NEW } })).status, 200);
    assert.deepEqual(heard.audit[0], {
      what: 'user-created',
      user: 'nina',
      who: 'boss',
      credential: 'session:ID',
      from: '192.0.2.1',
      agent: "boss's browser",
      verdict: 'allowed',
      requestId: 'r1',
    });
  });

  const good = { username: 'nina', password: NEW, role: 'gardener' };
  const NAME = 'Invalid username: a user name has only letters, digits, dots and underscores';
  // biome-ignore format: a table
  const rows: [sentence: string, body: object, status: number, json: object][] = [
    ['takes a custom role',         good, 200, { username: 'nina' }],
    ['refuses a taken name',        { ...good, username: 'vera' }, 409, no('User vera exists already')],
    ['refuses an unknown role',     { ...good, role: 'operator' }, 400, ROLE_LIST],
    ['refuses a role that is null', { ...good, role: null }, 400, ROLE_LIST],
    ['refuses a reserved role',     { ...good, role: 'none' }, 400, ROLE_LIST],
    ['refuses a name with a blank', { ...good, username: 'ni na' }, 400, no(NAME)],
    ['refuses a line break behind', { ...good, username: 'nina\n' }, 400, no(NAME)],
    ['refuses an empty name',       { ...good, username: '' }, 400, no(NAME)],
    ['refuses 31 characters',       { ...good, username: 'n'.repeat(31) }, 400, no('Invalid username: a user name has at most 30 characters')],
    ['refuses anonymous',           { ...good, username: 'anonymous' }, 400, no('Invalid username: the user name "anonymous" is reserved: choose another')],
    ['refuses 11 characters',       { ...good, password: 'x'.repeat(11) }, 400, no('Password must be at least 12 characters long')],
    ['refuses a common password',   { ...good, password: 'Password1234' }, 400, no('Password is one of the most common ones, or nearly: choose another one')],
    ['refuses the own name in it',  { ...good, password: 'we call her Nina' }, 400, no('Password must not contain "nina": attackers try such names first')],
    ['refuses an empty password',   { ...good, password: '' }, 400, no('Password cannot be empty')],
    ['refuses a number',            { ...good, password: 123456789012 }, 422, { ...no('body.password: Input should be a string'), detail: [{ loc: ['body', 'password'], msg: 'Input should be a string', type: 'string_type' }] }],
  ];
  for (const [sentence, body, status, json] of rows) {
    it(sentence, async (t) => {
      const { as, store } = await accountServerOfFour(t);
      const answered = await as('boss', 'POST', '/api/users', body);
      assert.deepEqual([answered.status, withoutReason(answered.json)], [status, json]);
      assert.equal(await store.countUsers(), status === 200 ? 5 : 4);
    });
  }
});

describe('DELETE /api/users/{user}', () => {
  it('removes the user, and the sessions with it', async (t) => {
    const { as } = await accountServerOfFour(t);
    assert.equal((await as('vera', 'GET', '/api/profile')).status, 200);
    const { status, json } = await as('boss', 'DELETE', '/api/users/vera');
    assert.deepEqual([status, json, (await as('vera', 'GET', '/api/profile')).status], [200, done, 401]);
  });

  it('does not know an absent user', async (t) => {
    const { as } = await accountServerOfFour(t);
    const { status, json } = await as('boss', 'DELETE', '/api/users/ghost');
    assert.deepEqual([status, withoutReason(json)], [404, no('User not found')]);
  });

  it('keeps the user admin', async (t) => {
    const { as, store, heard } = await accountServerOfFour(t);
    const { status, json } = await as('boss', 'DELETE', '/api/users/admin');
    assert.deepEqual([status, withoutReason(json)], [403, no('Cannot delete admin user')]);
    assert.equal(await store.countUsers(), 4);
    assert.deepEqual(
      heard.audit.map(({ what, user, verdict, reason }) => [what, user, verdict, reason]),
      [['user-deleted', 'admin', 'refused', 'user-fixed']],
    );
  });

  it('cuts a long name in the audit log to 200 characters', async (t) => {
    const { as, heard } = await accountServerOfFour(t);
    await as('vera', 'PUT', `/api/users/${'x'.repeat(5000)}/password`, { password: NEW, old_password: PASSWORD });
    assert.deepEqual(
      heard.audit.map(({ user, reason }) => [user, reason]),
      [['x'.repeat(200), 'not-own']],
    );
  });

  it('cuts a long name of a provider likewise', async (t) => {
    const { as, heard } = await accountServerOfFour(t);
    await as('boss', 'DELETE', `/api/users/vera/sign-ins/${'x'.repeat(5000)}`);
    await as('boss', 'POST', '/api/closed-guests/forget', { provider: 'y'.repeat(3000), subject: 's' });
    assert.deepEqual(
      heard.audit.map(({ what, provider }) => [what, provider]),
      [
        ['sign-in-removed', 'x'.repeat(200)],
        ['guest-forgotten', 'y'.repeat(200)],
      ],
    );
  });

  it('keeps the last admin', async (t) => {
    const { as, store } = await accountServerOfFour(t);
    await store.deleteUser('admin' as UserName);
    const { status, json } = await as('boss', 'DELETE', '/api/users/boss');
    assert.deepEqual([status, withoutReason(json)], [403, no('Cannot delete the last admin')]);
    assert.equal((await store.findUser('boss'))?.role, 'admin');
  });
});

describe('PUT /api/users/{user}/role', () => {
  it('acts on the next request of a session that is open', async (t) => {
    const { as } = await accountServerOfFour(t);
    assert.deepEqual((await as('boss', 'PUT', '/api/users/vera/role', { role: 'gardener' })).json, done);
    const profile = { username: 'vera', role: 'gardener', allowed_cameras: ['garden', 'patio_1'] };
    assert.deepEqual((await as('vera', 'GET', '/api/profile')).json, profile);
  });

  // biome-ignore format: a table
  const rows: [sentence: string, user: string, body: object, status: number, json: object][] = [
    ['refuses an unknown role',      'vera', { role: 'operator' }, 400, ROLE_LIST],
    ['does not know an absent user', 'ghost', { role: 'viewer' }, 404, no('User not found')],
    ['keeps the role of admin',      'admin', { role: 'viewer' }, 403, no("Cannot modify admin user's role")],
    ['demotes an admin of several',  'boss', { role: 'viewer' }, 200, done],
  ];
  for (const [sentence, user, body, status, json] of rows) {
    it(sentence, async (t) => {
      const { as } = await accountServerOfFour(t);
      const answered = await as('boss', 'PUT', `/api/users/${user}/role`, body);
      assert.deepEqual([answered.status, withoutReason(answered.json)], [status, json]);
    });
  }

  it('keeps the last admin', async (t) => {
    const { as, store } = await accountServerOfFour(t);
    await store.deleteUser('admin' as UserName);
    const { status, json } = await as('boss', 'PUT', '/api/users/boss/role', { role: 'viewer' });
    assert.deepEqual([status, withoutReason(json)], [403, no('Cannot take the role of admin from the last admin')]);
  });
});

describe('PUT /api/users/{user}/password', () => {
  it("of one's own ends every session but the one that made it (interface 5.1.6)", async (t) => {
    const { as, send, store, sessions, opens } = await accountServerOfFour(t);
    const other = `frigate_token=${await sessions.issue((await store.findUser('vera')) ?? assert.fail())}`;
    const { status, json, headers } = await as('vera', 'PUT', '/api/users/vera/password', {
      password: NEW,
      old_password: PASSWORD,
    });
    assert.deepEqual([status, json, await opens('vera', NEW)], [200, done, true]);
    const fresh = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const profile = async (cookie: string) => (await send('GET', '/api/profile', { headers: { cookie } })).status;
    assert.deepEqual(
      [await profile(fresh), await profile(other), (await as('vera', 'GET', '/api/profile')).status],
      [200, 401, 401],
    );
  });

  it("of another user, by an admin, needs no old one, ends that user's sessions, makes no cookie", async (t) => {
    const { as, opens, heard } = await accountServerOfFour(t);
    const { status, headers } = await as('boss', 'PUT', '/api/users/vera/password', { password: NEW });
    assert.deepEqual([status, headers['set-cookie'], await opens('vera', NEW)], [200, undefined, true]);
    assert.deepEqual(
      [(await as('vera', 'GET', '/api/profile')).status, (await as('boss', 'GET', '/api/profile')).status],
      [401, 200],
    );
    const by = { who: 'boss', credential: 'session:ID', from: '192.0.2.1', agent: "boss's browser" };
    const entry = { what: 'password-changed', user: 'vera', ...by, verdict: 'allowed', requestId: 'r1' };
    assert.deepEqual(heard.audit, [entry]);
  });

  it("of an admin's own needs the old one, and keeps the session", async (t) => {
    const { as, opens } = await accountServerOfFour(t);
    const body = { password: NEW, old_password: PASSWORD };
    const { status, headers } = await as('boss', 'PUT', '/api/users/boss/password', body);
    assert.deepEqual([status, headers['set-cookie']?.length, await opens('boss', NEW)], [200, 1, true]);
  });

  it('is proven by one of two changes that come at once: the other one is wrong by then', async (t) => {
    const { as, send, opens } = await accountServerOfFour(t);
    const change = (password: string) =>
      as('vera', 'PUT', '/api/users/vera/password', { password, old_password: PASSWORD });
    const passwords = ['the first of the two', 'the other of the two'] as const;
    const changes = await Promise.all(passwords.map(change));
    // Which of them comes first is not said: both are compared with a list that is read from a file.
    const [one = assert.fail(), other = assert.fail()] = changes.toSorted((a, b) => a.status - b.status);
    assert.deepEqual([one.status, other.status], [200, 401]);
    assert.deepEqual(withoutReason(other.json), no('Current password is incorrect'));
    assert.equal(await opens('vera', passwords[changes.indexOf(one)] ?? ''), true);
    const cookie = one.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    assert.equal((await send('GET', '/api/profile', { headers: { cookie } })).status, 200);
  });

  it('by a bearer makes no cookie', async (t) => {
    const { send, store, sessions } = await accountServerOfFour(t);
    const authorization = `Bearer ${await sessions.issue((await store.findUser('vera')) ?? assert.fail())}`;
    const body = { password: NEW, old_password: PASSWORD };
    const { status, headers } = await send('PUT', '/api/users/vera/password', { headers: { authorization }, body });
    assert.deepEqual([status, headers['set-cookie']], [200, undefined]);
  });

  const right = { password: NEW, old_password: PASSWORD };
  const SHORT = no('Password must be at least 12 characters long');
  const OWN = no('You can only change your own password');
  // biome-ignore format: a table
  const rows: [sentence: string, who: string, user: string, body: object, status: number, json: object][] = [
    ['is not a viewer\'s to change for another, who knows the old one',  'vera', 'gus', right, 403, OWN],
    ['is not a custom role\'s to change for another either (G17)',      'gus', 'vera', right, 403, OWN],
    ['does not tell who exists, except to admins',                              'gus', 'ghost', right, 403, OWN],
    ['is absent with its user',                                         'boss', 'ghost', right, 404, no('User not found')],
    ['needs the current one',                                           'vera', 'vera', { password: NEW }, 400, no('Current password is required')],
    ['needs the current one, and not null',                             'vera', 'vera', { password: NEW, old_password: null }, 400, no('Current password is required')],
    ['needs the right one',                                             'vera', 'vera', { ...right, old_password: 'wrong' }, 401, no('Current password is incorrect')],
    ['needs the right one before its length is looked at',              'vera', 'vera', { password: 'short', old_password: 'wrong' }, 401, no('Current password is incorrect')],
    ["needs the current one for an admin's own account too",            'boss', 'boss', { password: NEW }, 400, no('Current password is required')],
    ["needs the right one for an admin's own account too",              'boss', 'boss', { ...right, old_password: 'wrong' }, 401, no('Current password is incorrect')],
    ['has 12 characters (interface 8)',                                 'vera', 'vera', { ...right, password: 'short' }, 400, SHORT],
    ['has 12 characters for admins too',                                'boss', 'vera', { password: 'short' }, 400, SHORT],
    ['is not changed by an unknown caller',                                   'nobody', 'vera', right, 401, no('Authentication required')],
  ];
  for (const [sentence, who, user, body, status, json] of rows) {
    it(sentence, async (t) => {
      const { as, store } = await accountServerOfFour(t);
      const before = await store.listUsers();
      const answered = await as(who, 'PUT', `/api/users/${user}/password`, body);
      assert.deepEqual(
        [answered.status, withoutReason(answered.json), answered.headers['set-cookie']],
        [status, json, undefined],
      );
      assert.deepEqual(await store.listUsers(), before);
    });
  }

  it('guessed at here counts as a failed login, right ones do not (G17)', async (t) => {
    const { as, send, heard } = await accountServerOfFour(t, { limit: '2/minute' });
    const wrong = { password: NEW, old_password: 'wrong' };
    const statuses = [];
    for (const body of [wrong, { ...right, password: 'short' }, wrong, right]) {
      statuses.push((await as('vera', 'PUT', '/api/users/vera/password', body)).status);
    }
    assert.deepEqual(statuses, [401, 400, 401, 429]);
    assert.equal((await send('POST', '/api/login', { body: { user: 'vera', password: PASSWORD } })).status, 429);
    assert.equal(heard.audit.at(-2)?.reason, 'rate-limited');
  });
});
