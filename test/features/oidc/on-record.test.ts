/** What a provider changes is in the audit log and in the ledger: `user` is the person, `credential` the provider (SPEC 14). */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { ADMIN_PERSON } from '../../support/people.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';
import { oidcConfig, Visitor } from './support/browser.ts';
import { CLIENT, type FakeProvider, startFakeProvider } from './support/fake-provider.ts';

const now = (): number => Math.floor(Date.now() / 1000);

describe('What a provider changes', () => {
  let provider: FakeProvider;
  let instance: Runtime;
  before(async () => {
    provider = await startFakeProvider(now);
    instance = await startInstance({ config: { nvr: { cameras: ['cam1', 'cam2'] }, ...oidcConfig(provider) } });
  });
  after(async () => {
    await instance.close();
    await provider.close();
  });

  const linesSoFar = () => instance.log.filter(({ logger }) => logger === 'service.audit');
  const signIn = async (groups: readonly string[], status = 302): Promise<void> =>
    assert.equal((await new Visitor(instance).signIn(provider, { sub: 'mona', groups })).status, status);
  const logout = async (): Promise<void> => {
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const claims = { iss: provider.issuer, aud: CLIENT.id, iat: now(), jti: randomUUID(), sub: 'mona', events };
    const body = new URLSearchParams({ logout_token: await provider.sign(claims) });
    const sent = await instance.ask('/api/login/oidc/home/backchannel-logout', { method: 'POST', body });
    assert.equal(sent.status, 200);
  };

  it('is told by one line each, and nothing is where nothing changed', async () => {
    // biome-ignore format: a table
    const STEPS: readonly (readonly [act: () => Promise<void>, changes: readonly string[]])[] = [
      [() => signIn(['front']),          ['user-created']],
      [() => signIn(['front']),          []],
      [() => signIn(['front', 'back']),  ['role-changed']],
      [() => signIn(['owners']),         ['role-changed']],
      [() => signIn(['strangers'], 403), ['role-changed', 'session-ended no-role']],
      [() => signIn(['strangers'], 403), []],
      [() => signIn(['front']),          ['role-changed']],
      [() => logout(),                   ['session-ended provider-logout']],
    ];
    const expected: string[] = [];
    for (const [act, changes] of STEPS) {
      const before = linesSoFar().length;
      await act();
      const lines = linesSoFar()
        .slice(before)
        .filter(({ what }) => what !== 'login');
      const told = lines.map(({ what, reason }) => [what, reason].filter(Boolean).join(' '));
      assert.deepEqual(told, changes);
      for (const { who, user, credential, verdict } of lines)
        assert.deepEqual(
          { who, user, credential, verdict },
          { who: 'mona', user: 'mona', credential: 'oidc:home', verdict: 'allowed' },
        );
      expected.push(...changes);
    }
    const token = await instance.logIn(ADMIN_PERSON);
    await until('all of it is in the ledger, of that person and by that provider', async () => {
      const answer = await instance.ask('/api/ledger?kind=change&user=mona', { token });
      const records = (await answer.json()) as { credential: string; detail: { what: string; reason?: string } }[];
      const told = records.map(({ detail: { what, reason } }) => [what, reason].filter(Boolean).join(' '));
      return (
        told.toReversed().join() === expected.join() && records.every(({ credential }) => credential === 'oidc:home')
      );
    });
  });
});
