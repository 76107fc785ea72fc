/** The second step of a login whose first one was taken at a provider: Postern's own, or the provider's (SPEC 16). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openForCommands } from '../../../src/app/commands.ts';
import { configSchema } from '../../../src/app/resources/features.ts';
import { unixSeconds } from '../../../src/domain/clock.ts';
import { ADMIN_PERSON, TEST_ITERATIONS, VERA } from '../../support/people.ts';
import { codeOf, enrolled, sendJson } from '../../support/second-factor.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { oidcConfig, Visitor, vouch } from './support/browser.ts';
import { type FakeProvider, startFakeProvider } from './support/fake-provider.ts';

const now = (): number => Math.floor(Date.now() / 1000);
const SESSION = 'frigate_token';

describe('A person with a second factor here', () => {
  let provider: FakeProvider;
  let instance: Runtime;
  before(async () => {
    provider = await startFakeProvider(now);
  });
  after(() => provider.close());

  const start = async (more: object, auth: object = {}): Promise<Runtime> => {
    const config = oidcConfig(provider, { ...more });
    instance = await startInstance({
      config: { nvr: { cameras: ['cam1'] }, ...config, auth: { ...config.auth, ...auth } },
    });
    return instance;
  };
  /** A provider that is trusted with second factors, and the reload after which it is not. */
  const withTrust = async (providers: (of: object) => readonly object[]) => {
    const trusted = { second_factor: 'provider' };
    await start(trusted);
    const { server, auth } = oidcConfig(provider, trusted);
    return async (second_factor: string): Promise<void> => {
      const oidc = auth.oidc.flatMap(providers);
      const changed = { ...auth, hash_iterations: TEST_ITERATIONS, oidc, second_factor };
      const { isTaken } = await instance.reload({ nvr: { cameras: ['cam1'] }, server, auth: changed });
      assert.ok(isTaken);
    };
  };
  /** Vera connects her account, and has an authenticator. */
  const connected = async (): Promise<() => string> => {
    const visitor = new Visitor(instance);
    await visitor.ask('POST', '/api/login', { user: VERA.name, password: VERA.password });
    const { url } = (await (await visitor.ask('POST', '/api/account/sign-ins/home')).json()) as { url: string };
    const { searchParams: asked } = new URL(url);
    await vouch(provider, { sub: 'v', nonce: asked.get('nonce') });
    assert.equal((await visitor.comeBack({ asked }, { iss: provider.issuer })).status, 302);
    return (await enrolled(instance, VERA)).codeNow;
  };

  it('is asked for it by a page that works without script, and has no session before', async (t) => {
    await start({});
    t.after(() => instance.close());
    const codeNow = await connected();
    const visitor = new Visitor(instance);
    const begun = await visitor.begin('home', '/postern/explore');
    await vouch(provider, { sub: 'v', amr: ['mfa'], nonce: begun.asked.get('nonce') });
    const response = await visitor.comeBack(begun, { iss: provider.issuer });
    const step = response.headers.get('location') ?? '';
    assert.deepEqual([response.status, step], [302, '/login?step=code&next=%2Fpostern%2Fexplore']);
    assert.ok(!visitor.namesOfCookies().includes(SESSION));
    assert.match(await (await visitor.visit(step)).text(), /class="login-form is-second"/);
    const send = (code: string) =>
      visitor.visit(step, { method: 'POST', headers: { origin: instance.url }, body: new URLSearchParams({ code }) });
    assert.equal((await send('000000')).status, 401);
    assert.ok(!visitor.namesOfCookies().includes(SESSION));
    const done = await send(codeNow());
    assert.deepEqual([done.status, done.headers.get('location')], [303, '/postern/explore']);
    assert.ok(visitor.namesOfCookies().includes(SESSION));
    // The provider can end this session, too.
    const logout_token = await provider.sign({
      iss: provider.issuer,
      aud: 'postern',
      iat: now(),
      jti: 'j',
      sub: 'v',
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
    const ended = await instance.ask('/api/login/oidc/home/backchannel-logout', {
      method: 'POST',
      body: new URLSearchParams({ logout_token }),
    });
    assert.equal(ended.status, 200);
    assert.equal((await visitor.ask('GET', '/api/profile')).status, 401);
  });

  it('gets no session by the second step when the provider has ended its own in the meantime', async (t) => {
    await start({});
    t.after(() => instance.close());
    const codeNow = await connected();
    const visitors = [new Visitor(instance), new Visitor(instance)];
    const steps: string[] = [];
    for (const [at, visitor] of visitors.entries()) {
      const begun = await visitor.begin();
      await vouch(provider, { sub: 'v', sid: `s${at}`, nonce: begun.asked.get('nonce') });
      steps.push((await visitor.comeBack(begun, { iss: provider.issuer })).headers.get('location') ?? '');
    }
    const logout_token = await provider.sign({
      iss: provider.issuer,
      aud: 'postern',
      iat: now(),
      jti: 'pending',
      sid: 's0',
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
    const ended = await instance.ask('/api/login/oidc/home/backchannel-logout', {
      method: 'POST',
      body: new URLSearchParams({ logout_token }),
    });
    assert.equal(ended.status, 200);
    for (const [at, visitor] of visitors.entries()) {
      const body = new URLSearchParams({ code: codeNow() });
      const done = await visitor.visit(steps[at] ?? '', { method: 'POST', headers: { origin: instance.url }, body });
      assert.equal(done.status, at === 0 ? 401 : 303);
      assert.equal(visitor.namesOfCookies().includes(SESSION), at === 1);
    }
    assert.equal((await visitors[1]?.ask('GET', '/api/profile'))?.status, 200);
  });

  it('is asked for none where the provider has seen one and is trusted with it, and for one otherwise', async (t) => {
    await start({ second_factor: 'provider', acr_values: ['gold'] });
    t.after(() => instance.close());
    await connected();
    // biome-ignore format: a table
    const ROWS: readonly (readonly [claims: object, isIn: boolean])[] = [
      [{ amr: ['pwd', 'mfa'] }, true], [{ amr: ['hwk'] }, true], [{ acr: 'gold' }, true],
      [{}, false], [{ amr: ['pwd'] }, false], [{ amr: 'mfa' }, false], [{ acr: 'silver' }, false],
    ];
    for (const [claims, isIn] of ROWS) {
      const visitor = new Visitor(instance);
      const response = await visitor.signIn(provider, { sub: 'v', ...claims });
      assert.equal(response.status, 302);
      assert.equal(visitor.namesOfCookies().includes(SESSION), isIn, JSON.stringify(claims));
    }
  });

  it('is asked for it where UserInfo alone tells of one, for it signs nothing and names no login', async (t) => {
    await start({ second_factor: 'provider', acr_values: ['gold'] });
    t.after(() => instance.close());
    t.after(() => {
      provider.answers = {};
    });
    await connected();
    for (const claims of [{ amr: ['mfa'] }, { acr: 'gold' }]) {
      provider.answers.userinfo = { sub: 'v', ...claims };
      const visitor = new Visitor(instance);
      assert.equal((await visitor.signIn(provider, { sub: 'v' })).status, 302);
      assert.ok(!visitor.namesOfCookies().includes(SESSION), JSON.stringify(claims));
    }
  });

  it('who has none here need not set one up where the provider has seen one', async (t) => {
    await start({ second_factor: 'provider' }, { second_factor: 'everyone' });
    t.after(() => instance.close());
    for (const [amr, owes] of [
      [['otp'], undefined],
      [['pwd'], true],
    ] as const) {
      const visitor = new Visitor(instance);
      await visitor.signIn(provider, { sub: 'new', groups: ['front'], amr });
      const profile = (await (await visitor.ask('GET', '/api/profile')).json()) as { second_factor_required?: boolean };
      assert.equal(profile.second_factor_required, owes);
    }
  });

  // biome-ignore format: a table
  const WITHDRAWN: readonly (readonly [what: string, providers: (of: object) => readonly object[]])[] = [
    ['is trusted with it no more', (of) => [{ ...of, second_factor: 'postern' }]],
    ['is gone',                    () => []],
  ];
  for (const [what, providers] of WITHDRAWN)
    it(`owes Postern's from the next request on where the provider ${what}, and no session is renewed without`, async (t) => {
      const withdraw = await withTrust(providers);
      t.after(() => instance.close());
      await connected();
      const [vera, cara] = [new Visitor(instance), new Visitor(instance)];
      await vera.signIn(provider, { sub: 'v', amr: ['mfa'] });
      await cara.signIn(provider, { sub: 'cara', groups: ['front'], amr: ['mfa'] });
      const statusOf = async (visitor: Visitor, path = '/api/events') => (await visitor.ask('GET', path)).status;
      assert.deepEqual([await statusOf(vera), await statusOf(cara)], [200, 200]);
      await withdraw('optional');
      // She has a factor of her own, which she has not shown; who has none owes none.
      assert.deepEqual([await statusOf(vera), await statusOf(vera, '/auth')], [401, 401]);
      assert.deepEqual([await statusOf(cara), await statusOf(cara, '/auth')], [200, 202]);
      await withdraw('everyone');
      assert.deepEqual([await statusOf(cara), await statusOf(vera)], [403, 401]);
      assert.equal(Object(await (await cara.ask('GET', '/api/profile')).json()).second_factor_required, true);
    });

  for (const mode of ['optional', 'everyone'])
    it(`goes on with the factor that was set up here since, where second_factor is "${mode}" and the provider is trusted no more`, async (t) => {
      const reload = await withTrust((one) => [{ ...one, second_factor: 'postern' }]);
      t.after(() => instance.close());
      const cara = new Visitor(instance);
      await cara.signIn(provider, { sub: 'cara', groups: ['front'], amr: ['mfa'], auth_time: now() });
      await reload(mode);
      const { secret } = (await (await cara.ask('POST', '/api/second-factor/totp', {})).json()) as { secret: string };
      const code = codeOf(secret, unixSeconds(instance.clock));
      assert.equal((await cara.ask('POST', '/api/second-factor/totp/confirm', { code })).status, 200);
      const statuses = ['/api/events', '/auth'].map(async (path) => (await cara.ask('GET', path)).status);
      assert.deepEqual(await Promise.all(statuses), [200, 202]);
    });

  const sendCode = (visitor: Visitor, step: string, code: string): Promise<Response> =>
    visitor.visit(step, { method: 'POST', headers: { origin: instance.url }, body: new URLSearchParams({ code }) });

  it('has the sign-in connected and the link used up, also when no factor is asked for any more behind the step', async (t) => {
    const reload = await withTrust((one) => [{ ...one, second_factor: 'provider' }]);
    t.after(() => instance.close());
    const { codeNow } = await enrolled(instance, VERA);
    const admin = await instance.logIn(ADMIN_PERSON);
    const made = await sendJson(instance, `/api/users/${VERA.name}/invitation`, {}, admin);
    const path = new URL(Object(await made.json()).url).pathname;
    const vera = new Visitor(instance);
    const leading = await vera.visit(`${path}/sign-in/home`, { method: 'POST', headers: { origin: instance.url } });
    const { searchParams: asked } = new URL((leading.headers.get('refresh') ?? '').replace('0; url=', ''));
    await vouch(provider, { sub: 'v', amr: ['mfa'], nonce: asked.get('nonce') });
    const step = (await vera.comeBack({ asked }, { iss: provider.issuer })).headers.get('location') ?? '';
    assert.match(step, /^\/login\?step=code/);
    await reload('off');
    assert.equal((await sendCode(vera, step, codeNow())).status, 303);
    const users = await (await instance.ask('/api/users', { token: admin })).json();
    const found = (users as { username: string; sign_ins?: unknown }[]).find(({ username }) => username === VERA.name);
    assert.deepEqual(found?.sign_ins, ['home']);
    assert.equal(instance.log.filter(({ what }) => what === 'invitation-used').length, 1);
    assert.equal((await new Visitor(instance).visit(path)).status, 404);
  });

  it('is asked for it by a reset link that is accepted with any account of the provider, and connected only then', async (t) => {
    await start({ second_factor: 'provider', create: false });
    t.after(() => instance.close());
    const { codeNow } = await enrolled(instance, VERA);
    const admin = await instance.logIn(ADMIN_PERSON);
    const made = await sendJson(instance, `/api/users/${VERA.name}/invitation`, {}, admin);
    const path = new URL(Object(await made.json()).url).pathname;
    const accept = async (visitor: Visitor, sub: string): Promise<string> => {
      const headers = { origin: instance.url };
      const leading = await visitor.visit(`${path}/sign-in/home`, { method: 'POST', headers });
      const { searchParams: asked } = new URL((leading.headers.get('refresh') ?? '').replace('0; url=', ''));
      await vouch(provider, { sub, amr: ['mfa'], nonce: asked.get('nonce') });
      const answer = await visitor.comeBack({ asked }, { iss: provider.issuer });
      assert.equal(answer.status, 302, await answer.clone().text());
      return answer.headers.get('location') ?? '';
    };
    const signInsOfVera = async (): Promise<unknown> => {
      const users = await (await instance.ask('/api/users', { token: admin })).json();
      return Object((users as { username: string }[]).find(({ username }) => username === VERA.name)).sign_ins;
    };
    const thief = new Visitor(instance);
    const step = await accept(thief, 'mallory');
    assert.match(step, /^\/login\?step=code/);
    assert.equal((await sendCode(thief, step, '000000')).status, 401);
    assert.equal((await new Visitor(instance).signIn(provider, { sub: 'mallory', amr: ['mfa'] })).status, 403);
    assert.ok(!thief.namesOfCookies().includes(SESSION));
    assert.equal(await signInsOfVera(), undefined);
    const vera = new Visitor(instance);
    const own = await accept(vera, 'v');
    assert.equal((await sendCode(vera, own, codeNow())).status, 303);
    assert.equal(Object(await (await vera.ask('GET', '/api/profile')).json()).username, VERA.name);
    assert.deepEqual(await signInsOfVera(), ['home']);
    const used = instance.log.filter(({ what }) => what === 'invitation-used');
    assert.deepEqual(
      used.map((line) => [line['user'], line['provider'], line['credential'], line['verdict']]),
      [[VERA.name, 'home', 'oidc:home', 'allowed']],
    );
    // Used up: the code alone does not connect the other one.
    assert.equal((await sendCode(thief, step, codeNow())).status, 401);
    assert.ok(!thief.namesOfCookies().includes(SESSION));
  });

  it('gets no session by the second step when the sign-in was removed in the meantime', async (t) => {
    await start({});
    t.after(() => instance.close());
    const codeNow = await connected();
    const visitor = new Visitor(instance);
    const step = (await visitor.signIn(provider, { sub: 'v' })).headers.get('location') ?? '';
    assert.match(step, /^\/login\?step=code/);
    const command = await openForCommands(
      { directory: instance.directory, schema: configSchema, env: {}, clock: instance.clock },
      'change',
    );
    const params = { user: VERA.name, provider: 'home' };
    await command.ask('DELETE /api/users/{user}/sign-ins/{provider}', { params });
    await command.close();
    assert.equal((await sendCode(visitor, step, codeNow())).status, 401);
    assert.ok(!visitor.namesOfCookies().includes(SESSION));
  });
});
