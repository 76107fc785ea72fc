/** What doctor says of the providers that people sign in with: discovery, keys, clock and client (SPEC 16). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Report } from '../../../src/features/doctor/cause.ts';
import { ADMIN_PERSON } from '../../support/people.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { type IdentityProvider, startIdentityProvider } from '../../support/servers/identity-provider.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { oidcConfig } from './support/browser.ts';
import { CLIENT, type FakeProvider, startFakeProvider } from './support/fake-provider.ts';

describe('Doctor, of providers', () => {
  const real: IdentityProvider[] = [];
  const fake: FakeProvider[] = [];
  let instance: Runtime;
  const SITE = 'https://localhost:1';
  const callback = (name: string): string => `${SITE}/api/login/oidc/${name}/callback`;
  before(async () => {
    const startReal = async (redirectUri: string): Promise<IdentityProvider> => {
      const provider = await startIdentityProvider({ ...CLIENT, redirectUri }, {}, { isTls: true });
      real.push(provider);
      return provider;
    };
    const startFake = async (more: (issuer: string) => object): Promise<FakeProvider> => {
      const provider = await startFakeProvider(() => Math.floor(Date.now() / 1000));
      fake.push(provider);
      const { issuer } = provider;
      provider.answers.discovery = {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        ...more(issuer),
      };
      return provider;
    };
    const entry = (name: string, provider: Pick<FakeProvider, 'issuer' | 'ca'>) =>
      oidcConfig(provider, { name, scopes: ['openid', 'profile'] }).auth.oidc[0];
    const well = await startReal(callback('well'));
    const oidc = [
      entry('well', well),
      entry('elsewhere', await startReal(callback('well'))),
      entry('gone', { ...well, issuer: `https://127.0.0.1:${await freePort()}` }),
      entry('other', await startFake(() => ({ issuer: 'https://id.example.org' }))),
      entry('keyless', await startFake((issuer) => ({ jwks_uri: `${issuer}/userinfo` }))),
      entry('closed', await startFake((issuer) => ({ authorization_endpoint: `${issuer}/closed` }))),
    ];
    const { auth } = oidcConfig(well);
    const config = { nvr: { cameras: ['cam1', 'cam2'] }, server: { public_url: SITE }, auth: { ...auth, oidc } };
    instance = await startInstance({ config });
  });
  after(async () => {
    await instance?.close();
    await Promise.all([...real, ...fake].map((provider) => provider.close()));
  });

  async function findings(): Promise<readonly string[]> {
    const token = await instance.logIn(ADMIN_PERSON);
    const answer = await instance.ask('/api/status/doctor', { method: 'POST', token });
    const { findings } = (await answer.json()) as Report;
    return findings.filter(({ name }) => name === 'sign-in-provider').map(({ seen }) => seen);
  }

  it('says what is wrong with each, and nothing of one where all is well', async () => {
    const rows = [
      /^the provider elsewhere begins no login for this client: /,
      /^the provider gone does not answer: /,
      /^the provider other: its discovery document cannot be used: /,
      /^the provider keyless shows no keys: /,
      /^the provider closed begins no login for this client: /,
    ];
    const found = await findings();
    assert.equal(found.length, rows.length, found.join('\n'));
    for (const [at, row] of rows.entries()) assert.match(found[at] ?? '', row);
  });

  it('compares its clock with theirs', async () => {
    instance.clock.advance(300);
    const late = (await findings()).flatMap((seen) => /^the provider (\w+): its clock is /.exec(seen)?.[1] ?? []);
    assert.deepEqual(late, ['well', 'elsewhere', 'keyless', 'closed']);
  });
});
