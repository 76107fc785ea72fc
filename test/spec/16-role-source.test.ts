/** Accounts whose role a provider gives: shown with its source, kept or given back by an admin, worth nothing without a role (SPEC 16). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openForCommands } from '../../src/app/commands.ts';
import { configSchema } from '../../src/app/resources/features.ts';
import type { Role, UserName } from '../../src/domain/names.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';

const ISSUER = 'https://id.example.com';
const WALT: Person = { name: 'walt', role: 'viewer', password: 'Iridium.Lamp.Walt.77' };
const LIVE = (camera: string): string => `/api/${camera}/latest.jpg`;

describe('The role of an account that a provider gives', () => {
  let nvr: FakeNvr;
  let at: Runtime;
  let store: Store;
  let admin: string;
  let walt: string;
  const name = WALT.name as UserName;
  before(async () => {
    nvr = await startFakeNvr();
    const auth = { hash_iterations: 1000, roles: { front_only: ['cam1'], back_only: ['cam2'] } };
    at = await startInstance({
      people: [ADMIN_PERSON, VERA, CARL, WALT],
      config: { auth, nvr: { url: nvr.url, cameras: ['cam1', 'cam2', 'cam3'] } },
    });
    store = await openStore({ url: `sqlite:${at.directory}/postern.db` });
    admin = await at.logIn(ADMIN_PERSON);
    walt = await at.logIn(WALT);
    const { createdAt } = (await store.accounts.findUser(name)) ?? assert.fail();
    const signIn = { provider: 'home', issuer: ISSUER, subject: 'w', user: name, connectedAt: 1, lastUsedAt: 1 };
    await store.signIns.connect(signIn, createdAt);
  });
  after(async () => {
    await store.close();
    await at.close();
    await nvr.close();
  });

  const rowOf = async (user: string): Promise<object | undefined> => {
    const rows = (await (await at.ask('/api/users', { token: admin })).json()) as { username: string }[];
    return rows.find(({ username }) => username === user);
  };
  const put = async (body: object, user = WALT.name): Promise<number> =>
    (await sendJson(at, `/api/users/${user}/role`, body, admin, 'PUT')).status;
  /** As a login by the provider does. */
  const provider = async (...roles: string[]): Promise<string> =>
    store.signIns.setProviderRoles(name, 'home', roles as Role[], 1_900_000_000);
  const sees = async (camera: string, token = walt): Promise<boolean> => {
    nvr.received.length = 0;
    const { status } = await at.ask(LIVE(camera), { token });
    const hasArrived = nvr.received.some(({ target }) => target === LIVE(camera));
    assert.equal(hasArrived, status === 200, `${status}`);
    return hasArrived;
  };
  /** Another process has written: it is heard of within a moment. */
  const soon = (camera: string, isSeen: boolean, token = walt): Promise<void> =>
    until(`${camera} is ${isSeen ? '' : 'not '}seen`, async () => (await sees(camera, token)) === isSeen);

  it("is Postern's own at first, with a sign-in or without", async () => {
    const { role_source, sign_ins } = Object(await rowOf(WALT.name));
    assert.deepEqual([role_source, sign_ins], ['postern', ['home']]);
    assert.deepEqual(await rowOf(CARL.name), { username: 'carl', role: 'front_only', role_source: 'postern' });
    assert.equal(await provider('admin'), 'absent');
  });

  it('is given back by an admin to the provider of the sign-in, which decides from then on', async () => {
    assert.equal(await put({ source: 'provider' }), 200);
    assert.equal(Object(await rowOf(WALT.name)).role_source, 'home');
    const told = at.log.findLast(({ what }) => what === 'role-changed');
    assert.deepEqual([told?.['user'], told?.['provider']], [WALT.name, 'home']);
    assert.ok(await sees('cam3'));
    assert.equal(await provider('front_only', 'back_only'), 'set');
    await soon('cam3', false);
    assert.deepEqual([await sees('cam1'), await sees('cam2')], [true, true]);
    assert.equal(Object(await rowOf(WALT.name)).role, 'front_only');
  });

  it('is worth nothing where the provider gives none: no request arrives, no login, no token', async () => {
    const made = await sendJson(at, '/api/tokens', { name: 'ha' }, walt);
    const { token } = (await made.json()) as { token: string };
    assert.ok(await sees('cam1', token));
    await provider();
    await soon('cam1', false);
    await soon('cam1', false, token);
    const refused = await at.ask(LIVE('cam1'), { token: walt });
    assert.deepEqual([refused.status, Object(await refused.json()).reason], [403, 'role-missing']);
    const login = await sendJson(at, '/api/login', { user: WALT.name, password: WALT.password });
    assert.deepEqual([login.status, Object(await login.json()).reason], [403, 'role-missing']);
    await provider('back_only');
    await soon('cam2', true);
  });

  it('is kept by an admin who sets it, and no login changes it then', async () => {
    assert.equal(await put({ role: 'back_only' }), 200);
    assert.equal(Object(await rowOf(WALT.name)).role_source, 'postern');
    assert.equal(await provider('admin'), 'absent');
    assert.deepEqual([await sees('cam2'), await sees('cam1')], [true, false]);
  });

  it('is changed by a role or by a source, and by nothing else', async () => {
    assert.equal(await put({}), 422);
    assert.equal(await put({ role: 'viewer', source: 'provider' }), 422);
    assert.equal(await put({ source: 'postern' }), 422);
    assert.equal(await put({ source: 'provider' }, CARL.name), 409);
    assert.equal(await put({ source: 'provider' }, 'nobody'), 404);
    assert.equal(await put({ source: 'provider' }, 'admin'), 403);
    const byViewer = await sendJson(at, `/api/users/${WALT.name}/role`, { source: 'provider' }, walt, 'PUT');
    assert.equal(byViewer.status, 403);
  });

  it("becomes Postern's own when the sign-in is removed at the command line, which the log says", async () => {
    await put({ source: 'provider' });
    const command = await openForCommands(
      { directory: at.directory, schema: configSchema, env: {}, clock: at.clock },
      'change',
    );
    const remove = (provider: string) =>
      command.ask('DELETE /api/users/{user}/sign-ins/{provider}', { params: { user: WALT.name, provider } });
    await assert.rejects(remove('work'), /The user has no such sign-in/);
    await remove('home');
    await command.close();
    const { role_source, sign_ins, role } = Object(await rowOf(WALT.name));
    assert.deepEqual([role, role_source, sign_ins], ['back_only', 'postern', undefined]);
    const records = (await (await at.ask('/api/ledger?kind=change', { token: admin })).json()) as { detail?: object }[];
    const told = records.map(({ detail }) => Object(detail)).find(({ what }) => what === 'sign-in-removed');
    assert.deepEqual([told?.user, told?.provider], [WALT.name, 'home']);
    const notices = (await (await at.ask('/api/account/events', { token: walt })).json()) as {
      event: string;
      detail: string;
    }[];
    assert.equal(notices.find(({ event }) => event === 'sign-in-removed')?.detail, 'home');
  });
});
