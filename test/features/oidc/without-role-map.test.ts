/** A provider without a role map: its groups are never roles, and a reload that loses the map changes nothing (SPEC 4.3, 16). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { oidcConfig, Visitor } from './support/browser.ts';
import { type FakeProvider, startFakeProvider } from './support/fake-provider.ts';

const now = (): number => Math.floor(Date.now() / 1000);

describe('A group at a provider', () => {
  let provider: FakeProvider;
  before(async () => {
    provider = await startFakeProvider(now);
  });
  after(() => provider.close());
  beforeEach(() => {
    provider.answers = {};
  });

  const started = (more: Readonly<Record<string, unknown>>): Promise<Runtime> =>
    startInstance({ config: { nvr: { cameras: ['cam1', 'cam2'] }, ...oidcConfig(provider, more) } });
  const profileOf = async (visitor: Visitor) =>
    (await (await visitor.ask('GET', '/api/profile')).json()) as Readonly<Record<string, unknown>>;
  const NAMES = [['admin'], ['Admin'], 'ADMIN', ['viewer', 'front_only']] as const;

  for (const role_map of [undefined, {}])
    it(`gives no role without a map, whatever it is called (${JSON.stringify({ role_map })})`, async () => {
      const instance = await started({ role_map });
      try {
        for (const [index, groups] of NAMES.entries()) {
          const response = await new Visitor(instance).signIn(provider, { sub: `person${index}`, groups });
          assert.equal(response.status, 403);
          assert.match(await response.text(), /groups at the provider give you no role/);
        }
      } finally {
        await instance.close();
      }
    });

  it('leaves the default role to the person, without a map', async () => {
    const instance = await started({ role_map: {}, default_role: 'front_only' });
    try {
      const visitor = new Visitor(instance);
      assert.equal((await visitor.signIn(provider, { sub: 'ann', groups: ['admin'] })).status, 302);
      assert.equal((await profileOf(visitor))['role'], 'front_only');
    } finally {
      await instance.close();
    }
  });

  it('means after a reload without the map what it meant before, until a restart', async () => {
    const instance = await started({});
    try {
      for (const role_map of [undefined, {}]) {
        await instance.reload({ nvr: { cameras: ['cam1', 'cam2'] }, ...oidcConfig(provider, { role_map }) });
        const visitor = new Visitor(instance);
        await visitor.signIn(provider, { sub: 'ann', groups: ['admin', 'front'] });
        assert.deepEqual(await profileOf(visitor), {
          username: 'ann',
          role: 'front_only',
          allowed_cameras: ['cam1'],
        });
      }
      const held = instance.log.filter(({ msg }) => /auth\.oidc: was changed or removed/.test(String(msg)));
      assert.equal(held.length, 2);
    } finally {
      await instance.close();
    }
  });
});
