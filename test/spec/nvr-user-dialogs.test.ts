/** The dialogs for users and roles of the NVR's own front end, with the requests that they send: what makes, demotes or deletes an admin, or sets another's password, is asked for a proof, the rest is not (SPEC 12). */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../support/people.ts';
import { sessionIn } from '../support/sessions.ts';
import { startInstance } from '../support/start-instance.ts';

const nvr = await startFakeNvr();
nvr.answer = (request, response) => {
  const config = { cameras: { cam1: {}, cam2: {} }, auth: { enabled: true, roles: { of_the_nvr: ['cam1'] } } };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(request.url?.startsWith('/api/config') ? config : { success: true }));
};
const at = await startInstance({
  people: [ADMIN_PERSON, VERA, CARL],
  config: { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] } },
});
after(async () => {
  await at.close();
  await nvr.close();
});

/** As axios sends it within the page. */
const send = (token: string, method: string, path: string, body?: object): Promise<Response> =>
  at.ask(`/api/${path}`, {
    method,
    headers: {
      cookie: `frigate_token=${token}`,
      'x-csrf-token': '1',
      'x-cache-bypass': '1',
      accept: 'application/json, text/plain, */*',
      ...(method === 'GET' ? {} : { origin: at.url, 'sec-fetch-site': 'same-origin' }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
/** A session whose proof is over, as that of a person who logged in this morning. */
async function late(person: Person): Promise<string> {
  const token = await at.logIn(person);
  at.clock.advance(601);
  return token;
}
const setRoles = (token: string, roles: object): Promise<Response> =>
  send(token, 'PUT', 'config/set', {
    requires_restart: 0,
    update_topic: 'config/auth',
    config_data: { auth: { roles } },
  });
interface ConfigShown {
  readonly auth: { readonly enabled: boolean; readonly roles: Readonly<Record<string, readonly string[]>> };
}
const rolesShown = async (token: string): Promise<ConfigShown['auth']['roles']> =>
  ((await (await send(token, 'GET', 'config')).json()) as ConfigShown).auth.roles;
const usersShown = async (token: string): Promise<readonly { username: string; role: string }[]> =>
  (await (await send(token, 'GET', 'users')).json()) as { username: string; role: string }[];
const opens = async (user: string, password: string): Promise<number> =>
  (await send('', 'POST', 'login', { user, password })).status;

/** The page shows the message, which says where the change can be made. */
async function refusedWithoutProof(token: string, path: string, body?: object): Promise<void> {
  const answer = await send(token, body ? 'PUT' : 'DELETE', path, body);
  const { message } = (await answer.json()) as { message: string };
  assert.deepEqual([answer.status, message.includes('/postern/settings/users')], [403, true]);
}

describe('The NVR’s own dialog, long after the login', async () => {
  const admin = await late(ADMIN_PERSON);
  const NEW = { username: 'grace', password: 'MagnesiumLamp77!', role: 'viewer' };

  it('of the login: first start, user and password, profile', async () => {
    const first = (await (await send('', 'GET', 'auth/first_time_login')).json()) as object;
    assert.equal(typeof Object(first).admin_first_time_login, 'boolean');
    const answer = await send('', 'POST', 'login', { user: VERA.name, password: VERA.password });
    const profile = await send(sessionIn(answer) ?? '', 'GET', 'profile');
    const shown = (await profile.json()) as { username: string; role: string; allowed_cameras: unknown };
    assert.deepEqual([shown.username, shown.role, Array.isArray(shown.allowed_cameras)], ['vera', 'viewer', true]);
    assert.equal(await opens(VERA.name, 'not the password'), 401);
  });

  it('of users: the list, and the roles that are offered', async () => {
    const names = (await usersShown(admin)).map(({ username, role }) => `${username} ${role}`);
    assert.deepEqual(names, ['admin admin', 'carl front_only', 'vera viewer']);
    assert.deepEqual(Object.keys(await rolesShown(admin)).sort(), ['admin', 'front_only', 'viewer']);
  });

  it('of a new user', async () => {
    const answer = await send(admin, 'POST', 'users', NEW);
    assert.ok([200, 201].includes(answer.status));
    assert.equal(await opens(NEW.username, NEW.password), 200);
  });

  it('of a user’s role', async () => {
    assert.equal((await send(admin, 'PUT', 'users/grace/role', { role: 'front_only' })).status, 200);
    assert.equal((await send(admin, 'PUT', 'users/grace/role', { role: 'viewer' })).status, 200);
    await refusedWithoutProof(admin, 'users/grace/role', { role: 'admin' });
    const proven = await at.logIn(ADMIN_PERSON);
    assert.equal((await send(proven, 'PUT', 'users/grace/role', { role: 'admin' })).status, 200);
    await refusedWithoutProof(admin, 'users/grace/role', { role: 'viewer' });
    await refusedWithoutProof(admin, 'users/grace');
    assert.equal((await send(proven, 'PUT', 'users/grace/role', { role: 'viewer' })).status, 200);
  });

  it('of another user’s password', async () => {
    const body = { password: 'IridiumLamp99!!!', old_password: undefined };
    await refusedWithoutProof(admin, 'users/grace/password', body);
    assert.equal((await send(await at.logIn(ADMIN_PERSON), 'PUT', 'users/grace/password', body)).status, 200);
    assert.equal(await opens('grace', 'IridiumLamp99!!!'), 200);
  });

  it('of the own password, with the words that it looks for when the current one is wrong', async () => {
    const grace = await late({ name: 'grace', role: 'viewer', password: 'IridiumLamp99!!!' });
    const change = (old_password: string) =>
      send(grace, 'PUT', 'users/grace/password', { password: NEW.password, old_password });
    const wrong = await change('not the password');
    assert.match(((await wrong.json()) as { message: string }).message, /current password is incorrect/i);
    const right = await change('IridiumLamp99!!!');
    assert.equal(right.status, 200);
    assert.equal((await send(sessionIn(right) ?? '', 'GET', 'profile')).status, 200);
    assert.equal(await opens('grace', NEW.password), 200);
  });

  it('of a new role: it is Postern’s, the NVR hears nothing of it, and the next look at the configuration has it', async () => {
    const before = nvr.received.length;
    assert.equal((await setRoles(admin, { gardener: ['cam1'] })).status, 200);
    assert.equal(nvr.received.length, before);
    assert.deepEqual((await rolesShown(admin))['gardener'], ['cam1']);
  });

  it('of a role’s cameras', async () => {
    assert.equal((await send(admin, 'PUT', 'users/grace/role', { role: 'gardener' })).status, 200);
    assert.equal((await setRoles(admin, { gardener: ['cam1', 'cam2'] })).status, 200);
    const grace = await late({ name: 'grace', role: 'gardener', password: NEW.password });
    const { allowed_cameras } = (await (await send(grace, 'GET', 'profile')).json()) as { allowed_cameras: string[] };
    assert.deepEqual([...allowed_cameras].sort(), ['cam1', 'cam2']);
  });

  it('of deleting a role: its users become viewers at the same time', async () => {
    const [viewer, gone] = await Promise.all([
      send(admin, 'PUT', 'users/grace/role', { role: 'viewer' }),
      setRoles(admin, { gardener: '' }),
    ]);
    assert.deepEqual([viewer.status, gone.status], [200, 200]);
    assert.equal('gardener' in (await rolesShown(admin)), false);
    assert.equal((await usersShown(admin)).find(({ username }) => username === 'grace')?.role, 'viewer');
  });

  it('of deleting a user', async () => {
    assert.equal((await send(admin, 'DELETE', 'users/grace')).status, 200);
    assert.equal(await opens('grace', NEW.password), 401);
  });

  it('of what the NVR’s other pages save goes on to the NVR, but no key of the accounts', async () => {
    const save = (config_data: object) => send(admin, 'PUT', 'config/set', { requires_restart: 1, config_data });
    assert.equal((await save({ detect: { fps: 5 } })).status, 200);
    assert.equal(nvr.received.at(-1)?.target, '/api/config/set');
    const before = nvr.received.length;
    const refused = await save({ auth: { session_length: 1 } });
    assert.ok(refused.status >= 400 && refused.status < 500);
    assert.equal(typeof ((await refused.json()) as { message: unknown }).message, 'string');
    assert.equal(nvr.received.length, before);
  });

  it('of users and roles is not for a viewer, who still sees the own account', async () => {
    const vera = await late(VERA);
    const tries = [
      await send(vera, 'GET', 'users'),
      await send(vera, 'POST', 'users', NEW),
      await send(vera, 'PUT', 'users/carl/role', { role: 'admin' }),
      await send(vera, 'PUT', 'users/carl/password', { password: NEW.password }),
      await send(vera, 'DELETE', 'users/carl'),
      await setRoles(vera, { gardener: ['cam1'] }),
    ];
    for (const answer of tries) {
      assert.equal(answer.status, 403);
      const { message, reason } = (await answer.json()) as { message: unknown; reason?: string };
      assert.equal(typeof message, 'string');
      assert.ok(['role-too-low', 'not-own'].includes(reason ?? ''), reason);
    }
    assert.equal((await send(vera, 'GET', 'profile')).status, 200);
    assert.ok('front_only' in (await rolesShown(vera)));
  });

  it('of logging out: a link, from the desktop menu and from the phone’s', async () => {
    for (const path of ['logout', '/logout']) {
      const token = await at.logIn(VERA);
      const cookie = `frigate_token=${token}`;
      const link = path.startsWith('/') ? path : `/api/${path}`;
      const left = await at.ask(link, { headers: { cookie, accept: 'text/html' } });
      assert.deepEqual([left.status, left.headers.get('location')], [303, '/login']);
      assert.equal((await send(token, 'GET', 'profile')).status, 401);
    }
  });
});
