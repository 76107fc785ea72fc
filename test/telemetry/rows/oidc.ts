/** Sign-ins with providers: each outcome is counted, and whether the provider answers (SPEC 9, 16). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { oidcConfig, Visitor, vouch } from '../../features/oidc/support/browser.ts';
import { CLIENT, startFakeProvider } from '../../features/oidc/support/fake-provider.ts';
import { TEST_ITERATIONS, VERA } from '../../support/people.ts';
import { enrolled } from '../../support/second-factor.ts';
import { startInstance } from '../../support/start-instance.ts';
import { moves, value } from '../support/driven.ts';

const now = (): number => Math.floor(Date.now() / 1000);
const LOGOUT = { 'http://schemas.openid.net/event/backchannel-logout': {} };

describe('Sign-ins with a provider', () => {
  it('are counted by what became of them', async (t) => {
    const provider = await startFakeProvider(now);
    t.after(() => provider.close());
    const configOf = (second_factor: string) => {
      const { server, auth } = oidcConfig(provider, { second_factor });
      return { nvr: { cameras: ['cam1'] }, server, auth: { ...auth, hash_iterations: TEST_ITERATIONS } };
    };
    const at = await startInstance({ config: configOf('provider') });
    t.after(() => at.close());
    const count = (result: string, act: () => Promise<unknown>) =>
      moves(at, ['oidc_logins_total'], act, { [`oidc_logins_total{provider="home",result="${result}"}`]: 1 });
    const ann = new Visitor(at);
    assert.equal(await value(at, 'oidc_provider_up{provider="home"}'), undefined, 'it was not asked yet');
    await count('success', () => ann.signIn(provider, { sub: 'ann', groups: 'front', auth_time: now() }));
    assert.equal(await value(at, 'oidc_provider_up{provider="home"}'), 1);
    await count('refused', () => new Visitor(at).signIn(provider, { sub: 'bob', groups: 'strangers' }));
    await count('unfit', () => new Visitor(at).signIn(provider, { sub: 'ann', nonce: 'another' }));
    await count('over', () => ann.comeBack({ asked: new URLSearchParams() }));
    const declined = await ann.begin();
    const error = { error: 'access_denied', iss: provider.issuer };
    await count('declined', () => ann.comeBack(declined, error));

    const vera = new Visitor(at);
    await vera.ask('POST', '/api/login', { user: VERA.name, password: VERA.password });
    const atProvider = async (path: string, claims: object, body?: object) => {
      const { url } = (await (await vera.ask('POST', path, body)).json()) as { url: string };
      const { searchParams: asked } = new URL(url);
      await vouch(provider, { sub: 'vera', nonce: asked.get('nonce'), ...claims });
      return () => vera.comeBack({ asked }, { iss: provider.issuer });
    };
    await count('connected', await atProvider('/api/account/sign-ins/home', {}));
    await count('proven', await atProvider('/api/reauthenticate', { auth_time: now() }, { provider: 'home' }));
    await enrolled(at, VERA);
    await count('second_step', () => new Visitor(at).signIn(provider, { sub: 'vera' }));
    const byFactorThere = new Visitor(at);
    await byFactorThere.signIn(provider, { sub: 'vera', amr: ['mfa'] });
    assert.ok((await at.reload(configOf('postern'))).isTaken);
    await moves(at, ['tokens_rejected_total'], () => byFactorThere.ask('GET', '/api/profile'), {
      'tokens_rejected_total{reason="factor_owed"}': 1,
    });

    const logout_token = await provider.sign({
      iss: provider.issuer,
      aud: CLIENT.id,
      iat: now(),
      jti: 'one',
      sub: 'ann',
      events: LOGOUT,
    });
    const body = new URLSearchParams({ logout_token });
    await count('logout', () => at.ask('/api/login/oidc/home/backchannel-logout', { method: 'POST', body }));

    const begun = await ann.begin();
    provider.answers = { token: { status: 500, body: '{}' } };
    await count('away', () => ann.comeBack(begun, { iss: provider.issuer }));
    assert.equal(await value(at, 'oidc_provider_up{provider="home"}'), 0);
    provider.answers = {};
  });
});
