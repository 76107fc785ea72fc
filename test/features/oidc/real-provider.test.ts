/** Signing in with a real provider (`oidc-provider`) over TLS: the way there and back, roles, second factor and both logouts. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type IdentityProvider, startIdentityProvider } from '../../support/servers/identity-provider.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { AtProvider, type Page } from './support/at-provider.ts';
import { oidcConfig, SITE, Visitor } from './support/browser.ts';
import { CLIENT } from './support/fake-provider.ts';

const CALLBACK = '/api/login/oidc/home/callback';

describe('A sign-in with a real provider', () => {
  let provider: IdentityProvider;
  let instance: Runtime;
  const groupsOf: Record<string, string[]> = { ann: ['front'], ben: ['back'], cid: ['strangers'] };
  before(async () => {
    const client = {
      ...CLIENT,
      redirectUri: `${SITE}${CALLBACK}`,
      afterLogout: `${SITE}/login`,
      needsPkce: true,
      backchannelLogout: `${SITE}/api/login/oidc/home/backchannel-logout`,
    };
    provider = await startIdentityProvider(client, groupsOf, {
      isTls: true,
      // Its own way of connecting, which it hands over, refuses loopback.
      fetch: (url, { dispatcher: _, ...init }: RequestInit & { dispatcher?: unknown }) =>
        fetch(String(url).replace(SITE, instance.url), init),
    });
    const config = oidcConfig(provider, {
      scopes: ['openid', 'profile', 'groups'],
      second_factor: 'provider',
      logout: 'provider',
    });
    const auth = { ...config.auth, second_factor: 'everyone' };
    instance = await startInstance({ config: { nvr: { cameras: ['cam1', 'cam2'] }, ...config, auth } });
  });
  after(async () => {
    await instance.close();
    await provider.close();
  });

  interface Profile {
    readonly status: number;
    readonly username?: string;
    readonly role?: string;
    readonly allowed_cameras?: readonly string[];
    readonly second_factor_required?: boolean;
  }

  interface Person {
    readonly visitor: Visitor;
    readonly there: AtProvider;
    /** What Postern answers to the way back. */
    readonly answer: Response;
  }

  const profileOf = async ({ visitor }: Pick<Person, 'visitor'>): Promise<Profile> => {
    const answer = await visitor.ask('GET', '/api/profile');
    return { ...((await answer.json()) as Omit<Profile, 'status'>), status: answer.status };
  };

  /** `form`: what the person fills in at the provider, where it asks. */
  async function signIn(form: Record<string, string>, before?: Pick<Person, 'there'>): Promise<Person> {
    const [visitor, there] = [new Visitor(instance), before?.there ?? new AtProvider(provider)];
    const { address } = await visitor.begin();
    let page: Page = await there.open(address);
    if (page.text.includes('name="user"')) page = await there.open(page.url, form);
    assert.equal(`${page.url.origin}${page.url.pathname}`, `${SITE}${CALLBACK}`, page.text);
    return { visitor, there, answer: await visitor.visit(`${page.url.pathname}${page.url.search}`) };
  }

  /** Presses the button of the provider's page. */
  async function endThere(there: AtProvider, address: URL | string): Promise<Page> {
    const { url, text } = await there.open(address);
    const { action = '', xsrf = '' } =
      /action="(?<action>[^"]+)".*?name="xsrf" value="(?<xsrf>[^"]+)"/s.exec(text)?.groups ?? {};
    return there.open(new URL(action, url), { xsrf, logout: 'yes' });
  }

  it('logs in by code and PKCE, with the role of the groups that UserInfo names', async () => {
    const ann = await signIn({ user: 'ann' });
    assert.equal(ann.answer.status, 302);
    const { username, role, allowed_cameras } = await profileOf(ann);
    assert.deepEqual([username, role, allowed_cameras], ['ann', 'front_only', ['cam1']]);
  });

  it('gives the new role with the next login, also where the provider asks for no password', async () => {
    const before = await signIn({ user: 'ben' });
    assert.equal((await profileOf(before)).role, 'back_only');
    groupsOf['ben'] = ['front'];
    const after = await signIn({}, before);
    for (const person of [before, after]) assert.equal((await profileOf(person)).role, 'front_only');
    groupsOf['ben'] = [];
    assert.equal((await signIn({}, before)).answer.status, 403);
    for (const person of [before, after]) assert.equal((await profileOf(person)).status, 401);
  });

  it('counts a second factor that the provider names, and no other login', async () => {
    for (const [amr, owes] of [
      ['otp', undefined],
      ['pwd', true],
    ] as const)
      assert.equal((await profileOf(await signIn({ user: 'ann', amr }))).second_factor_required, owes);
  });

  it('refuses a person whom no group gives a role', async () => {
    const { answer, visitor } = await signIn({ user: 'cid' });
    assert.equal(answer.status, 403);
    assert.equal((await profileOf({ visitor })).status, 401);
  });

  it('ends at the provider too by the logout here, and leads back to the login page', async () => {
    const ann = await signIn({ user: 'ann', amr: 'otp' });
    const logout = await ann.visitor.visit('/logout', { method: 'POST', headers: { origin: instance.url } });
    assert.equal(logout.status, 303);
    const address = new URL(logout.headers.get('location') ?? '');
    assert.equal(address.origin, provider.issuer);
    assert.equal((await profileOf(ann)).status, 401);
    assert.equal((await endThere(ann.there, address)).url.href, `${SITE}/login`);
    const { address: again } = await new Visitor(instance).begin();
    assert.match((await ann.there.open(again)).text, /name="user"/, 'it asks for the password again');
  });

  it('ends here by the logout there, which the provider tells on the back channel, and only the session of it', async () => {
    const [here, elsewhere] = [await signIn({ user: 'ann', amr: 'otp' }), await signIn({ user: 'ann', amr: 'otp' })];
    await endThere(here.there, new URL('/session/end', provider.issuer));
    assert.deepEqual([(await profileOf(here)).status, (await profileOf(elsewhere)).status], [401, 200]);
  });
});
