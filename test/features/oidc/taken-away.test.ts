/** A reload takes the provider away while logins with it are under way: each way back is refused, and nothing of it reaches the NVR (SPEC 16). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { generateKeyPair } from 'jose';
import { answerLikeAnNvr, type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { ADMIN_PERSON } from '../../support/people.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { oidcConfig, Visitor, vouch } from './support/browser.ts';
import { CLIENT, type FakeProvider, type Signing, startFakeProvider } from './support/fake-provider.ts';

const now = (): number => Math.floor(Date.now() / 1000);

describe('A provider that a reload takes away', () => {
  let provider: FakeProvider;
  let nvr: FakeNvr;
  let instance: Runtime;
  const config = (isThere: boolean) => {
    const { auth, ...rest } = oidcConfig(provider);
    return { ...rest, nvr: { url: nvr.url, cameras: ['cam1'] }, auth: { ...auth, ...(!isThere && { oidc: [] }) } };
  };
  const logoutToken = (signing?: Signing) =>
    provider.sign(
      {
        iss: provider.issuer,
        aud: CLIENT.id,
        iat: now(),
        jti: crypto.randomUUID(),
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
        sub: 'ann',
      },
      signing,
    );
  const logOut = async (signing?: Signing): Promise<number> => {
    const body = new URLSearchParams({ logout_token: await logoutToken(signing) });
    return (await instance.ask('/api/login/oidc/home/backchannel-logout', { method: 'POST', body })).status;
  };
  before(async () => {
    provider = await startFakeProvider(now);
    nvr = await startFakeNvr();
    nvr.answer = answerLikeAnNvr;
    instance = await startInstance({ config: config(true) });
  });
  after(async () => {
    await instance.close();
    await nvr.close();
    await provider.close();
  });

  it('ends nothing by a logout token of a wrong key, and leaves no way back open once it is gone', async () => {
    const ann = new Visitor(instance);
    await ann.signIn(provider, { sub: 'ann', groups: ['front'], auth_time: now() });
    const statusOf = async (): Promise<number> => (await ann.ask('GET', '/api/profile')).status;
    assert.deepEqual(
      [await logOut({ key: (await generateKeyPair('ES256')).privateKey }), await statusOf()],
      [400, 200],
    );
    const [login, connecting] = [new Visitor(instance), new Visitor(instance)];
    const begun = await login.begin();
    await vouch(provider, { sub: 'new', groups: ['front'], nonce: begun.asked.get('nonce') });
    const proof = await ann.ask('POST', '/api/reauthenticate', { provider: 'home' });
    const { searchParams: asked } = new URL(((await proof.json()) as { url: string }).url);
    await instance.reload(config(false));
    nvr.received.length = 0;
    const questions = provider.asked.length;
    const back = await login.comeBack(begun, { iss: provider.issuer });
    assert.deepEqual([back.status, login.cookiesFor('/').includes('frigate_token')], [404, false]);
    assert.equal((await ann.comeBack({ asked }, { iss: provider.issuer })).status, 404);
    assert.equal((await connecting.visit('/api/login/oidc/home')).status, 404);
    assert.equal((await ann.ask('POST', '/api/reauthenticate', { provider: 'home' })).status, 404);
    assert.equal(await logOut(), 404);
    assert.deepEqual(await (await connecting.visit('/api/login/oidc')).json(), []);
    assert.equal(provider.asked.length, questions);
    assert.deepEqual(nvr.received, []);
    const admin = await instance.logIn(ADMIN_PERSON);
    const users = await (await instance.ask('/api/users', { token: admin })).text();
    assert.deepEqual([users.includes('"new"'), users.includes('"ann"'), await statusOf()], [false, true, 200]);
  });

  it('makes no session by a refusal that it sends after the reload, and comes back at a restart alone', async (t) => {
    const own = await startInstance({ config: config(true) });
    t.after(() => own.close());
    const visitor = new Visitor(own);
    const begun = await visitor.begin();
    const { promise, resolve } = Promise.withResolvers<object>();
    Object.assign(provider.answers, { token: promise });
    const query = new URLSearchParams({ code: 'c', state: begun.asked.get('state') ?? '', iss: provider.issuer });
    const back = visitor.visit(`/api/login/oidc/home/callback?${query}`);
    await own.reload(config(false));
    resolve({ error: 'invalid_grant' });
    assert.ok((await back).status >= 400);
    assert.ok(!visitor.cookiesFor('/').includes('frigate_token'));
    await own.reload(config(true));
    assert.equal((await visitor.visit('/api/login/oidc/home')).status, 404);
  });
});
