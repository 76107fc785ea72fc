/** The audit log (SPEC 9): a line for each thing that is done to accounts, with who, from where, with what, and the verdict. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { sessionIdOf } from '../support/sessions.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const AGENT = 'a browser\t"1"';
const NEW = 'a-long-password';

let instance: Runtime;
let admin: string;
before(async () => {
  instance = await startInstance({ config: { auth: { hash_iterations: 1000, failed_login_rate_limit: '3/minute' } } });
  admin = await instance.logIn(ADMIN_PERSON);
});
after(() => instance.close());

const audited = (of: Runtime) => of.log.filter(({ logger }) => logger === 'service.audit');

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly token?: string;
}

async function ask({ method, path, body, token }: Asked): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'user-agent': AGENT };
  return instance.ask(path, { method, headers, ...(body && { body: JSON.stringify(body) }), ...(token && { token }) });
}

/** What a request adds to the audit log, less the fields that are the same in every line: they are checked here. */
async function linesOf(asked: Asked): Promise<object[]> {
  const known = audited(instance).length;
  const answer = await ask(asked);
  await answer.arrayBuffer();
  const requestId = answer.headers.get('x-request-id') ?? assert.fail('without an id');
  return audited(instance)
    .slice(known)
    .map(({ time, level, logger, msg, from, agent, credential, requestId: id, ...rest }) => {
      if (asked.token !== undefined) assert.equal(credential, `session:${sessionIdOf(asked.token)}`);
      else if (rest['verdict'] === 'allowed')
        assert.match(String(credential), /^session:[0-9a-f-]{36}$/, 'of the login');
      else assert.equal(credential, undefined);
      assert.deepEqual([level, logger, msg, from, id], ['info', 'service.audit', rest['what'], '127.0.0.1', requestId]);
      assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.equal(agent, AGENT);
      return rest;
    });
}

/** Of the session that the token is of. */

const asAdmin = (method: string, path: string, body?: object): Asked => ({
  method,
  path,
  token: admin,
  ...(body && { body }),
});
const login = (user: string, password: string): Asked => ({
  method: 'POST',
  path: '/api/login',
  body: { user, password },
});

describe('The audit log has a line', () => {
  const [allowed, refused] = ['allowed', 'refused'];
  const byAdmin = { who: 'admin', verdict: allowed };
  const nina = { username: 'nina', password: NEW, role: 'viewer' };
  const roles = (of: object) => ({ config_data: { auth: { roles: of } } });
  // biome-ignore format: a table
  const rows: [sentence: string, asked: () => Asked | Promise<Asked>, lines: object[]][] = [
    ['for a login',                       () => login('vera', VERA.password), [{ what: 'login', who: 'vera', verdict: allowed }]],
    ['for a failure',                     () => login('vera', 'not hers'), [{ what: 'login', who: 'vera', verdict: refused, reason: 'bad-credentials' }]],
    ['for a failure, less the name when it may be a password', () => login('not a name!', 'x'), [{ what: 'login', verdict: refused, reason: 'bad-credentials' }]],
    ['for a wrong old password',          async () => ({ ...asAdmin('PUT', '/api/users/vera/password', { password: NEW, old_password: 'x' }), token: await instance.logIn(VERA) }), [{ what: 'password-changed', user: 'vera', who: 'vera', verdict: refused, reason: 'old-password-wrong' }]],
    ['for a refusal by limit',            () => login('vera', VERA.password), [{ what: 'login', who: 'vera', verdict: refused, reason: 'rate-limited' }]],
    ['for a logout',                      async () => { instance.clock.advance(60); return { method: 'POST', path: '/api/logout', token: await instance.logIn(VERA) }; }, [{ what: 'logout', who: 'vera', verdict: allowed }]],
    ['for a new user',                    () => asAdmin('POST', '/api/users', nina), [{ what: 'user-created', user: 'nina', ...byAdmin }]],
    ['for a user who is there already',   () => asAdmin('POST', '/api/users', nina), [{ what: 'user-created', who: 'admin', verdict: refused, reason: 'name-taken' }]],
    ['for another role',                  () => asAdmin('PUT', '/api/users/nina/role', { role: 'front_only' }), [{ what: 'role-changed', user: 'nina', ...byAdmin }]],
    ['for another password',              () => asAdmin('PUT', '/api/users/nina/password', { password: `${NEW}2` }), [{ what: 'password-changed', user: 'nina', ...byAdmin }]],
    ['for a deleted user',                () => asAdmin('DELETE', '/api/users/nina'), [{ what: 'user-deleted', user: 'nina', ...byAdmin }]],
    ['for a user who cannot be deleted',  () => asAdmin('DELETE', '/api/users/admin'), [{ what: 'user-deleted', user: 'admin', who: 'admin', verdict: refused, reason: 'user-fixed' }]],
    ['for a new custom role',             () => asAdmin('PUT', '/api/roles/guard', { cameras: ['cam1'] }), [{ what: 'custom-role-changed', role: 'guard', ...byAdmin }]],
    ['for one by the NVR’s page',         () => asAdmin('PUT', '/api/config/set', roles({ guard: ['cam2'] })), [{ what: 'custom-role-changed', role: 'guard', ...byAdmin }]],
    ['for another key of auth by the NVR’s page', () => asAdmin('PUT', '/api/config/set', { config_data: { auth: { enabled: false } } }), [{ what: 'custom-role-changed', who: 'admin', verdict: refused, reason: 'not-a-role' }]],
    ['for a deleted custom role, and each user who had it', async () => { await ask(asAdmin('PUT', '/api/users/vera/role', { role: 'guard' })); return asAdmin('DELETE', '/api/roles/guard'); }, [{ what: 'custom-role-deleted', role: 'guard', ...byAdmin }, { what: 'role-changed', user: 'vera', ...byAdmin }]],
    ['for a refusal by role',             async () => ({ method: 'DELETE', path: '/api/users/vera', token: await instance.logIn(CARL) }), [{ what: 'access', who: 'carl', verdict: refused, reason: 'role-too-low', method: 'DELETE', path: '/api/users/vera' }]],
  ];
  for (const [sentence, asked, lines] of rows) {
    it(sentence, async () => assert.deepEqual(await linesOf(await asked()), lines));
  }

  it('for an API token that is made, and one for its end', async () => {
    const made = await ask(asAdmin('POST', '/api/tokens', { name: 'ha' }));
    const { id, token } = (await made.json()) as { id: string; token: string };
    assert.equal(audited(instance).at(-1)?.['tokenId'], id);
    const line = { what: 'token-revoked', tokenId: id, user: 'admin', ...byAdmin };
    assert.deepEqual(await linesOf(asAdmin('DELETE', `/api/tokens/${id}`)), [line]);
    assert.equal(JSON.stringify(instance.log).includes(token.slice(-64)), false);
  });

  it('for a session that is ended', async () => {
    const token = await instance.logIn(VERA);
    const [{ id }] = (await (await instance.ask('/api/sessions', { token })).json()) as [{ id: string }];
    const line = { what: 'session-ended', sessionId: id, user: 'vera', ...byAdmin };
    assert.deepEqual(await linesOf(asAdmin('DELETE', `/api/sessions/${id}`)), [line]);
  });
});

describe('The audit log has a line for what the configuration does', () => {
  it('to the first admin, to a user who loses a role, and to the admin whose password is reset', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-audit-'));
    const start = async (auth: object): Promise<object[]> => {
      const started = await startInstance({ directory, people: auth === FIRST ? [] : [CARL], config: { auth } });
      await started.close();
      return audited(started).map(({ what, user, from, verdict, reason }) => ({ what, user, from, verdict, reason }));
    };
    const FIRST = { hash_iterations: 1000 };
    const done = { from: 'configuration', verdict: 'allowed', reason: undefined };
    assert.deepEqual(await start(FIRST), [{ ...done, what: 'user-created', user: 'admin' }]);
    assert.deepEqual(await start({ ...FIRST, roles: { other: ['cam1'] }, reset_admin_password: true }), [
      { ...done, what: 'role-changed', user: 'carl', reason: 'role-gone' },
      { ...done, what: 'password-changed', user: 'admin' },
    ]);
    rmSync(directory, { recursive: true });
  });
});
