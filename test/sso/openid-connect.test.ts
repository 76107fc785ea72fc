/** A whole sign-in: a person, a real OpenID Connect provider, Apache with mod_auth_openidc, Postern, the NVR (docs/sso/apache.md). */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { type IdentityProvider, startIdentityProvider } from '../support/servers/identity-provider.ts';
import { skipWithout, startApache } from './support/proxies.ts';
import { echoed, FORGED, type Front, front } from './support/recipe.ts';
import { createVisitor, type Visitor } from './support/visitor.ts';

// biome-ignore format: a table
const MODULES = [
  'mpm_event', 'authn_core', 'authz_core', 'authz_user', 'env', 'headers', 'proxy', 'proxy_http', 'proxy_wstunnel', 'auth_openidc',
];
const IS_MODULE_THERE = existsSync('/usr/lib/apache2/modules/mod_auth_openidc.so');
const skip = skipWithout('apache2') || (IS_MODULE_THERE ? false : 'mod_auth_openidc is not installed');

const GROUPS = { alice: ['staff', 'nvr-admins'], bob: ['garden-crew'], carol: ['strangers'] };

describe('Signing in by OpenID Connect', { skip }, () => {
  let provider: IdentityProvider;
  let it_: Front;
  let site: string;
  before(async () => {
    it_ = await front('apache.md', async ({ port, postern, text }) => {
      site = `http://127.0.0.1:${port}`;
      const client = { id: 'nvr', secret: 'the-secret-of-the-client', redirectUri: `${site}/oidc/callback` };
      provider = await startIdentityProvider(client, GROUPS);
      return startApache(placed(text, port, postern), port, MODULES);
    });
  });
  after(async () => {
    await it_?.close();
    await provider?.close();
  });

  /** The recipe, on loopback and without TLS. */
  const placed = (text: string, port: number, postern: string): string =>
    `Listen 127.0.0.1:${port}\n${text
      .replace('<VirtualHost *:443>', `<VirtualHost *:${port}>`)
      .replaceAll(/^\s*SSL.*$/gm, '')
      .replaceAll('https://id.example.com', provider.issuer)
      .replaceAll('https://nvr.example.com', site)
      .replace(/"exec:[^"]*"/, 'only-for-this-test')
      .replaceAll('postern:8971', postern)}`;

  /** The gate's own questions carry no request id. */
  const forwarded = () => it_.nvr.received.filter(({ headers }) => headers.some(([name]) => name === 'x-request-id'));

  async function signedIn(user: string): Promise<Visitor> {
    const visitor = createVisitor();
    const form = await visitor.open(`${site}/review`);
    assert.match(form.url, new RegExp(`^${provider.issuer}/interaction/`));
    const page = await visitor.open(form.url, { user });
    assert.deepEqual([page.url, page.status], [`${site}/review`, 200], page.text);
    return visitor;
  }

  const profileOf = async (visitor: Visitor, headers = FORGED.filter(([name]) => name.startsWith('Remote'))) => {
    const { status, text } = await visitor.fetch(`${site}/api/profile`, { headers });
    return status === 200 ? JSON.parse(text) : status;
  };

  it('sends an unknown caller to the provider, and back to the requested page', async () => {
    await signedIn('alice');
    assert.equal(forwarded().at(-1)?.target, '/review');
  });

  it('gives each user the role of a group, whatever headers the browser sends beside', async () => {
    assert.deepEqual(await profileOf(await signedIn('alice')), {
      username: 'alice',
      role: 'admin',
      allowed_cameras: ['cam1', 'cam2'],
    });
    assert.deepEqual(await profileOf(await signedIn('bob')), {
      username: 'bob',
      role: 'gardener',
      allowed_cameras: ['cam1'],
    });
    assert.equal(
      await profileOf(await signedIn('carol')),
      401,
      'no group is mapped: denied, which a profile shows as 401',
    );
  });

  it('tells the NVR who it is', async () => {
    const visitor = await signedIn('bob');
    assert.equal((await visitor.fetch(`${site}/api/cam1/latest.jpg?x=%20y`)).status, 200);
    const headers = forwarded().at(-1)?.headers ?? [];
    const identity = headers.filter(([name]) => name === 'remote-user' || name === 'remote-role').sort();
    assert.deepEqual(identity, [
      ['remote-role', 'gardener'],
      ['remote-user', 'bob'],
    ]);
    assert.equal(forwarded().at(-1)?.target, '/api/cam1/latest.jpg?x=%20y');
    assert.equal((await visitor.fetch(`${site}/api/cam2/latest.jpg`)).status, 403);
  });

  it('tells a program 401, and leaves the NVR alone', async () => {
    it_.nvr.received.length = 0;
    const { status } = await createVisitor().fetch(`${site}/api/version`, { headers: FORGED });
    assert.equal(status, 401);
    assert.equal(await echoed(Number(new URL(site).port), '/live/jsmpeg/cam1', FORGED), '401');
    assert.deepEqual(forwarded(), []);
  });

  it('ends where the recipe says that it ends', async () => {
    const visitor = await signedIn('alice');
    const { status, headers } = await visitor.fetch(`${site}/logout`);
    assert.deepEqual([status, headers.location], [303, '/oidc/callback?logout=https://nvr.example.com/']);
  });
});
