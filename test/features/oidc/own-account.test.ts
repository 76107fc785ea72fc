/** What a person may change about the own sign-ins, and until when an attempt to do so counts (SPEC 12, 16). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { ADMIN_PERSON, VERA } from '../../support/people.ts';
import { sendJson } from '../../support/second-factor.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';
import { oidcConfig, Visitor, vouch } from './support/browser.ts';
import { CLIENT, type Claims, type FakeProvider, startFakeProvider } from './support/fake-provider.ts';

const LATER = { password: 'Iridium.Lamp.Later.77', role: 'viewer' } as const;
const now = (): number => Math.floor(Date.now() / 1000);

describe('The own sign-ins of a person', () => {
  let home: FakeProvider;
  let office: FakeProvider;
  let instance: Runtime;
  before(async () => {
    home = await startFakeProvider(now);
    office = await startFakeProvider(now);
    const config = oidcConfig(home);
    const [other] = oidcConfig(office, { name: 'office', create: false }).auth.oidc;
    const oidc = [...config.auth.oidc, other];
    instance = await startInstance({
      config: { nvr: { cameras: ['cam1', 'cam2'] }, ...config, auth: { ...config.auth, oidc } },
    });
  });
  after(async () => {
    await instance.close();
    await home.close();
    await office.close();
  });
  beforeEach(() => {
    home.answers = {};
    office.answers = {};
  });

  /** The parameters of the address at the provider. */
  const connecting = async (visitor: Visitor, name: string): Promise<URLSearchParams> => {
    const answer = await visitor.ask('POST', `/api/account/sign-ins/${name}`);
    assert.equal(answer.status, 200, await answer.clone().text());
    return new URL(Object(await answer.json()).url).searchParams;
  };
  const connect = async (visitor: Visitor, name: 'home' | 'office', claims: Claims): Promise<number> => {
    const provider = name === 'home' ? home : office;
    const asked = await connecting(visitor, name);
    await vouch(provider, { nonce: asked.get('nonce'), ...claims });
    return (await visitor.comeBack({ asked }, { iss: provider.issuer }, name)).status;
  };
  const userNow = async (name: string): Promise<Record<string, unknown>> => {
    const answer = await instance.ask('/api/users', { token: await instance.logIn(ADMIN_PERSON) });
    const users = (await answer.json()) as { username: string }[];
    return Object(users.find(({ username }) => username === name));
  };

  it('stay where they give the role: disconnected and connected again it would be the person’s own', async () => {
    const ann = new Visitor(instance);
    await ann.signIn(home, { sub: 'ann', groups: ['front'], auth_time: now() });
    assert.equal(await connect(ann, 'office', { sub: 'ann at the office' }), 302);
    const refused = await ann.ask('DELETE', '/api/account/sign-ins/home');
    const { message, reason } = Object(await refused.json());
    assert.deepEqual([refused.status, reason], [409, 'gives-role']);
    assert.match(message, /ask an administrator, who can set your role/);
    assert.equal((await userNow('ann'))['role_source'], 'home');
    const without = new Visitor(instance);
    assert.equal((await without.signIn(home, { sub: 'ann', groups: [] })).status, 403);
    assert.equal((await userNow('ann'))['role'], 'none');
  });

  it('go where they do not give the role, or an admin has set it by hand', async () => {
    const bob = new Visitor(instance);
    await bob.signIn(home, { sub: 'bob', groups: ['front'], auth_time: now() });
    await connect(bob, 'office', { sub: 'bob at the office' });
    assert.equal((await bob.ask('DELETE', '/api/account/sign-ins/office')).status, 200);
    await connect(bob, 'office', { sub: 'bob at the office' });
    const admin = await instance.logIn(ADMIN_PERSON);
    await sendJson(instance, '/api/users/bob/role', { role: 'front_only' }, admin, 'PUT');
    assert.equal((await bob.ask('DELETE', '/api/account/sign-ins/home')).status, 200);
    assert.deepEqual((await userNow('bob'))['sign_ins'], ['office']);
  });

  it('are told to their owner with the provider that was connected, and that was disconnected', async () => {
    const cleo = new Visitor(instance);
    await cleo.signIn(home, { sub: 'cleo', groups: ['front'], auth_time: now() });
    await connect(cleo, 'office', { sub: 'cleo at the office' });
    assert.equal((await cleo.ask('DELETE', '/api/account/sign-ins/office')).status, 200);
    const notices = (await (await cleo.ask('GET', '/api/account/events')).json()) as Record<string, unknown>[];
    const told = notices.filter(({ event }) => String(event).startsWith('sign-in-'));
    assert.deepEqual(
      told.map(({ event, detail }) => [event, detail]),
      [
        ['sign-in-removed', 'office'],
        ['sign-in-connected', 'office'],
      ],
    );
  });

  it('leave a session theirs after a new password: its provider can still end it, and it is no more proven than before', async () => {
    const vera = new Visitor(instance);
    await vera.ask('POST', '/api/login', { user: VERA.name, password: VERA.password });
    await connect(vera, 'office', { sub: 'vera at the office' });
    const visitor = new Visitor(instance);
    const { asked } = await visitor.begin('office');
    await vouch(office, { sub: 'vera at the office', nonce: asked.get('nonce') });
    assert.equal((await visitor.comeBack({ asked }, { iss: office.issuer }, 'office')).status, 302);
    const change = { password: LATER.password, old_password: VERA.password };
    assert.equal((await visitor.ask('PUT', '/api/users/vera/password', change)).status, 200);
    assert.equal((await vera.ask('GET', '/api/profile')).status, 401);
    assert.equal((await visitor.ask('GET', '/api/profile')).status, 200);
    assert.equal((await visitor.ask('POST', '/api/tokens', { name: 'phone' })).status, 403);
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const claims = {
      iss: office.issuer,
      aud: CLIENT.id,
      iat: now(),
      jti: 'after a new password',
      sub: 'vera at the office',
    };
    const body = new URLSearchParams({ logout_token: await office.sign({ ...claims, events }) });
    const ended = await instance.ask('/api/login/oidc/office/backchannel-logout', { method: 'POST', body });
    assert.equal(ended.status, 200);
    assert.equal((await visitor.ask('GET', '/api/profile')).status, 401);
  });

  // biome-ignore format: a table
  const MEANWHILE: readonly (readonly [what: string, act: (admin: string, session: string) => Promise<void>])[] = [
    ['the session was ended', async (admin, session) => {
      assert.equal((await sendJson(instance, `/api/sessions/${session}`, {}, admin, 'DELETE')).status, 200);
    }],
    ['a new password was set', async (admin) => {
      assert.equal((await sendJson(instance, '/api/users/eve/password', { password: LATER.password }, admin, 'PUT')).status, 200);
    }],
    ['the account was made again for another person', async (admin) => {
      assert.equal((await sendJson(instance, '/api/users/eve', {}, admin, 'DELETE')).status, 200);
      assert.equal((await sendJson(instance, '/api/users', { username: 'eve', ...LATER }, admin)).status, 200);
    }],
  ];
  for (const [what, act] of MEANWHILE)
    it(`stay as they are where ${what} while the provider answered`, async () => {
      const admin = await instance.logIn(ADMIN_PERSON);
      const eve = { name: 'eve', role: 'viewer', password: 'Iridium.Lamp.First.77' } as const;
      await sendJson(instance, '/api/users/eve', {}, admin, 'DELETE');
      const made = await sendJson(instance, '/api/users', { username: eve.name, password: eve.password }, admin);
      assert.equal(made.status, 200);
      const visitor = new Visitor(instance);
      await visitor.ask('POST', '/api/login', { user: eve.name, password: eve.password });
      const sessions = (await (await visitor.ask('GET', '/api/sessions')).json()) as { id: string }[];
      const asked = await connecting(visitor, 'office');
      await vouch(office, { sub: `eve, ${what}`, nonce: asked.get('nonce') });
      const { promise, resolve } = Promise.withResolvers<Claims>();
      const { token } = office.answers;
      office.answers.token = promise;
      const questions = (): number => office.asked.filter(({ what: path }) => path === 'POST /token').length;
      const before = questions();
      const coming = visitor.comeBack({ asked }, { iss: office.issuer }, 'office');
      await until('the provider is asked', () => questions() > before);
      await act(admin, sessions[0]?.id ?? '');
      resolve(token as Claims);
      const answer = await coming;
      assert.equal(answer.status, 400, await answer.text());
      assert.equal((await userNow('eve'))['sign_ins'], undefined);
    });
});
