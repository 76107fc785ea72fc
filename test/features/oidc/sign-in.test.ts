/** Signing in with a provider: the way there and back, accounts and their roles (SPEC 16). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Explanation } from '../../../src/gateway/explain/explain.ts';
import { formatExplanation } from '../../../src/gateway/explain/explanation-text.ts';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { ADMIN_PERSON, VERA } from '../../support/people.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';
import { oidcConfig, SITE, Visitor, vouch } from './support/browser.ts';
import { CLIENT, type FakeProvider, startFakeProvider } from './support/fake-provider.ts';

describe('A sign-in with a provider', () => {
  let provider: FakeProvider;
  let nvr: FakeNvr;
  let instance: Runtime;
  const now = () => Math.floor(Date.now() / 1000);
  before(async () => {
    provider = await startFakeProvider(now);
    nvr = await startFakeNvr();
    instance = await startInstance({
      config: { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] }, ...oidcConfig(provider) },
    });
  });
  after(async () => {
    await instance.close();
    await nvr.close();
    await provider.close();
  });
  beforeEach(() => {
    provider.answers = {};
  });

  const profileOf = async (visitor: Visitor) => (await visitor.ask('GET', '/api/profile')).json();

  it('is a button that is public, and leads to the provider by code, PKCE, state and nonce', async () => {
    assert.deepEqual(await (await instance.ask('/api/login/oidc')).json(), [
      { name: 'home', label: 'Home account', url: '/api/login/oidc/home' },
    ]);
    const visitor = new Visitor(instance);
    const { address, asked } = await visitor.begin();
    assert.equal(`${address.origin}${address.pathname}`, `${provider.issuer}/authorize`);
    assert.equal(asked.get('redirect_uri'), `${SITE}/api/login/oidc/home/callback`);
    assert.equal(asked.get('scope'), 'openid profile email');
    assert.equal(asked.get('code_challenge_method'), 'S256');
    assert.equal(asked.get('response_type'), 'code');
    for (const name of ['state', 'nonce', 'code_challenge']) assert.match(asked.get(name) ?? '', /^[\w-]{43}$/);
  });

  it('has a link on the login page, which comes back to the wanted page, and none where the code is asked for', async () => {
    const shown = async (path: string): Promise<string[]> =>
      (await (await instance.ask(path)).text()).match(/<a [^>]*login\/oidc[^<]*<bdi>[^<]*/g) ?? [];
    assert.deepEqual(await shown('/login?next=/explore'), [
      '<a class="button button-wide" href="/api/login/oidc/home?return_to=%2Fexplore"><bdi>Home account',
    ]);
    assert.deepEqual(await shown('/login?step=code'), []);
  });

  it('makes the account of a person whom groups give a role, and logs in', async () => {
    const visitor = new Visitor(instance);
    const response = await visitor.signIn(provider, { sub: 'ann', groups: ['front'] });
    assert.deepEqual([response.status, response.headers.get('location')], [302, '/postern/start']);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.deepEqual(await profileOf(visitor), { username: 'ann', role: 'front_only', allowed_cameras: ['cam1'] });
    const token = provider.asked.find(({ what }) => what === 'POST /token');
    assert.match(token?.authorization ?? '', /^Basic /);
    assert.match(token?.form.get('code_verifier') ?? '', /^[\w-]{43}$/);
    assert.equal((await visitor.visit('/api/cam2/latest.jpg')).status, 403);
    assert.ok(!nvr.received.some(({ target }) => target.includes('cam2')));
  });

  it('asks the groups at each login: roles change, and without one the sessions end', async () => {
    const first = new Visitor(instance);
    await first.signIn(provider, { sub: 'bob', groups: ['front'] });
    const second = new Visitor(instance);
    await second.signIn(provider, { sub: 'bob', groups: ['front', 'back', 'strangers'] });
    assert.deepEqual(await profileOf(second), {
      username: 'bob',
      role: 'front_only',
      allowed_cameras: ['cam1', 'cam2'],
    });
    assert.deepEqual(await profileOf(first), {
      username: 'bob',
      role: 'front_only',
      allowed_cameras: ['cam1', 'cam2'],
    });
    const third = new Visitor(instance);
    const refused = await third.signIn(provider, { sub: 'bob', groups: ['strangers'] });
    assert.equal(refused.status, 403);
    assert.match(await refused.text(), /groups at the provider give you no role/);
    for (const visitor of [first, second, third]) assert.equal((await visitor.ask('GET', '/api/profile')).status, 401);
  });

  it('comes back to the page that was wanted', async () => {
    const visitor = new Visitor(instance);
    const begun = await visitor.begin('home', '/postern/explore?camera=cam1');
    await vouch(provider, { sub: 'cleo', groups: 'front', nonce: begun.asked.get('nonce') });
    const response = await visitor.comeBack(begun, { iss: provider.issuer });
    assert.equal(response.headers.get('location'), '/postern/explore?camera=cam1');
  });

  it('leads to the start page where the address of the wanted one is too long for the cookies of several attempts', async () => {
    const visitor = new Visitor(instance);
    for (const [length, location] of [
      [900, `/${'y'.repeat(900)}`],
      [3000, '/postern/start'],
    ] as const)
      for (let attempt = 0; attempt < 5; attempt += 1) {
        const begun = await visitor.begin('home', `/${'y'.repeat(length)}`);
        assert.ok(visitor.cookiesFor('/api/login/oidc/home').length < 12_000, 'a request holds 32 KB of headers');
        if (attempt < 4) continue;
        await vouch(provider, { sub: 'cleo', groups: 'front', nonce: begun.asked.get('nonce') });
        const response = await visitor.comeBack(begun, { iss: provider.issuer });
        assert.equal(response.headers.get('location'), location);
      }
  });

  it('keeps several attempts of one browser apart', async () => {
    const visitor = new Visitor(instance);
    const [one, other] = [await visitor.begin(), await visitor.begin()];
    for (const begun of [other, one]) {
      await vouch(provider, { sub: 'dora', groups: 'front', nonce: begun.asked.get('nonce') });
      assert.equal((await visitor.comeBack(begun, { iss: provider.issuer })).status, 302);
    }
  });

  it('takes groups that the ID token lacks from UserInfo, of the same person alone', async () => {
    provider.answers.userinfo = { sub: 'eve', groups: ['front'] };
    const visitor = new Visitor(instance);
    assert.equal((await visitor.signIn(provider, { sub: 'eve' })).status, 302);
    provider.answers.userinfo = { sub: 'another', groups: ['owners'] };
    assert.equal((await new Visitor(instance).signIn(provider, { sub: 'finn' })).status, 400);
  });

  it('is for nobody by name: an account of that name stays with its owner, who can connect it', async () => {
    const stranger = new Visitor(instance);
    const refused = await stranger.signIn(provider, { sub: 'vera', groups: ['owners'], email: 'vera@example.org' });
    assert.equal(refused.status, 409);
    assert.match(await refused.text(), /belongs to an account that is not connected/);
    const admin = await new Visitor(instance).signIn(provider, {
      sub: 'x',
      preferred_username: 'admin',
      groups: ['owners'],
    });
    assert.equal(admin.status, 409);

    const vera = new Visitor(instance);
    const login = await vera.ask('POST', '/api/login', { user: VERA.name, password: VERA.password });
    assert.equal(login.status, 200);
    const { url } = (await (await vera.ask('POST', '/api/account/sign-ins/home')).json()) as { url: string };
    const { searchParams: asked } = new URL(url);
    await vouch(provider, { sub: 'vera', nonce: asked.get('nonce') });
    const connected = await vera.comeBack({ asked }, { iss: provider.issuer });
    assert.deepEqual([connected.status, connected.headers.get('location')], [302, '/postern/settings/sign-ins']);
    const [signIn] = (await (await vera.ask('GET', '/api/account/sign-ins')).json()) as {
      provider: string;
      subject: string;
    }[];
    assert.deepEqual([signIn?.provider, signIn?.subject], ['home', 'vera']);

    const again = new Visitor(instance);
    await again.signIn(provider, { sub: 'vera', groups: ['owners'] });
    // Her own role: the provider's groups change nothing there.
    assert.equal(((await profileOf(again)) as { role: string }).role, 'viewer');
    assert.equal((await vera.ask('DELETE', '/api/account/sign-ins/home')).status, 200);
  });

  it('ends by back-channel logout, of one session or of all, and a token is good once', async () => {
    const [one, two, three] = [new Visitor(instance), new Visitor(instance), new Visitor(instance)];
    for (const [visitor, sub, sid] of [
      [one, 'gina', 's1'],
      [two, 'gina', 's2'],
      [three, 'hugo', 's1x'],
    ] as const)
      await visitor.signIn(provider, { sub, sid, groups: ['front'] });
    const logOut = async (claims: object) => {
      const logout_token = await provider.sign({
        iss: provider.issuer,
        aud: CLIENT.id,
        iat: now(),
        jti: crypto.randomUUID(),
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
        ...claims,
      });
      const send = () =>
        instance.ask('/api/login/oidc/home/backchannel-logout', {
          method: 'POST',
          body: new URLSearchParams({ logout_token }),
        });
      return [(await send()).status, (await send()).status];
    };
    const statusOf = async (visitor: Visitor) => (await visitor.ask('GET', '/api/profile')).status;
    assert.deepEqual(await logOut({ sid: 's1' }), [200, 400]);
    assert.deepEqual([await statusOf(one), await statusOf(two), await statusOf(three)], [401, 200, 200]);
    assert.deepEqual(await logOut({ sid: 's2', sub: 'hugo' }), [200, 400]);
    assert.deepEqual([await statusOf(two), await statusOf(three)], [200, 200]);
    assert.deepEqual(await logOut({ sub: 'gina' }), [200, 400]);
    assert.deepEqual([await statusOf(two), await statusOf(three)], [401, 200]);
    for (const wrong of [
      { sub: 'hugo', nonce: 'n' },
      { sub: 'hugo', events: {} },
      { sub: 'hugo', aud: 'another' },
      {},
      { sub: 'hugo', iat: now() - 4000 },
    ])
      assert.deepEqual(await logOut(wrong), [400, 400]);
    assert.equal(await statusOf(three), 200);
  });

  it('accepts an invitation: the account is connected, keeps its role, and the link is used up', async () => {
    const admin = new Visitor(instance);
    await admin.ask('POST', '/api/login', { user: ADMIN_PERSON.name, password: ADMIN_PERSON.password });
    const made = await admin.ask('POST', '/api/users/jana/invitation', { role: 'back_only' });
    const { url } = (await made.json()) as { url: string };
    const path = new URL(url, SITE).pathname;
    const jana = new Visitor(instance);
    const leading = await jana.visit(`${path}/sign-in/home`, { method: 'POST', headers: { origin: instance.url } });
    assert.equal(leading.status, 200);
    const address = new URL((leading.headers.get('refresh') ?? '').replace('0; url=', ''));
    assert.equal(address.origin, provider.issuer);
    assert.ok(!address.href.includes(path.split('/').at(-1) ?? ''));
    await vouch(provider, { sub: 'someone-else', groups: ['owners'], nonce: address.searchParams.get('nonce') });
    const response = await jana.comeBack({ asked: address.searchParams }, { iss: provider.issuer });
    assert.equal(response.status, 302, await response.text());
    assert.deepEqual(await profileOf(jana), { username: 'jana', role: 'back_only', allowed_cameras: ['cam2'] });
    const used = instance.log.filter(({ what, user }) => what === 'invitation-used' && user === 'jana');
    assert.deepEqual(
      used.map((line) => line['provider']),
      ['home'],
    );
    const again = await new Visitor(instance).visit(`${path}/sign-in/home`, {
      method: 'POST',
      headers: { origin: instance.url },
    });
    assert.equal(again.status, 404);
    const later = new Visitor(instance);
    await later.signIn(provider, { sub: 'someone-else' });
    assert.equal(((await profileOf(later)) as { username: string }).username, 'jana');
    assert.equal((await later.ask('DELETE', '/api/account/sign-ins/home')).status, 403);
  });

  it('proves again to be the person only with a fresh login there', async () => {
    const visitor = new Visitor(instance);
    await visitor.signIn(provider, { sub: 'karl', groups: ['front'], auth_time: now() - 4000 });
    const make = () => visitor.ask('POST', '/api/tokens', { name: 'phone' });
    assert.equal((await make()).status, 403);
    const prove = async (claims: object) => {
      const answer = await visitor.ask('POST', '/api/reauthenticate', {
        provider: 'home',
        return_to: '/postern/settings/tokens',
      });
      const { url } = (await answer.json()) as { url: string };
      const { searchParams: asked } = new URL(url);
      assert.deepEqual([asked.get('prompt'), asked.get('max_age')], ['login', '0']);
      await vouch(provider, { sub: 'karl', nonce: asked.get('nonce'), ...claims });
      return visitor.comeBack({ asked }, { iss: provider.issuer });
    };
    for (const old of [{}, { auth_time: now() - 200 }]) {
      assert.ok((await prove(old)).status >= 400);
      assert.equal((await make()).status, 403);
    }
    assert.equal((await prove({ auth_time: now(), sub: 'ann' })).status, 409);
    const proven = await prove({ auth_time: now() });
    assert.deepEqual([proven.status, proven.headers.get('location')], [302, '/postern/settings/tokens']);
    assert.equal((await make()).status, 201);
    // His account has no password: the provider is the only way in.
    assert.equal((await visitor.ask('DELETE', '/api/account/sign-ins/home')).status, 409);
  });

  it('proves nothing by the time of a login that UserInfo names', async () => {
    provider.answers.userinfo = { sub: 'lena', groups: ['front'], auth_time: now() };
    const visitor = new Visitor(instance);
    assert.equal((await visitor.signIn(provider, { sub: 'lena' })).status, 302);
    assert.equal((await visitor.ask('POST', '/api/tokens', { name: 'phone' })).status, 403);
  });

  it('is told in the ledger, by explain and in the metrics', async () => {
    const visitor = new Visitor(instance);
    await visitor.signIn(provider, { sub: 'ines', groups: ['front'] });
    const admin = await instance.logIn(ADMIN_PERSON);
    await until('the login is in the ledger', async () => {
      const answer = await instance.ask('/api/ledger?kind=login&user=ines', { token: admin });
      const records = (await answer.json()) as { credential: string }[];
      return records.length === 1 && records[0]?.credential === 'oidc:home';
    });
    const header = `Cookie: ${visitor.cookiesFor('/')}`;
    const explained = await instance.ask(`/api/explain?${new URLSearchParams({ path: '/api/version', header })}`, {
      token: admin,
    });
    const explanation = (await explained.json()) as Explanation;
    assert.deepEqual([explanation.user, explanation.credential], ['ines', 'oidc:home']);
    assert.match(formatExplanation(explanation), /\ntoken +valid, as cookie, oidc:home\n/);
    const metrics = await (await fetch(`${instance.telemetryUrl}/metrics`)).text();
    assert.match(metrics, /postern_oidc_logins_total\{provider="home",result="success"\} [1-9]/);
    assert.match(metrics, /postern_oidc_provider_up\{provider="home"\} 1/);
  });
});
