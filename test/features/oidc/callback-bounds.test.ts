/** The answer of a provider that anybody can make up: how many are asked about at once, and how often one attempt counts (SPEC 16). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';
import { type Begun, oidcConfig, Visitor, vouch } from './support/browser.ts';
import { type FakeProvider, startFakeProvider } from './support/fake-provider.ts';

const now = (): number => Math.floor(Date.now() / 1000);

describe('The way back from a provider', () => {
  let provider: FakeProvider;
  let instance: Runtime;
  const config = (more: Readonly<Record<string, unknown>> = {}) => {
    const { auth, ...rest } = oidcConfig(provider, more);
    return { nvr: { cameras: ['cam1'] }, ...rest, auth: { ...auth, trusted_proxies: ['127.0.0.1'] } };
  };
  before(async () => {
    provider = await startFakeProvider(now);
    instance = await startInstance({ config: config() });
  });
  after(async () => {
    await instance.close();
    await provider.close();
  });
  beforeEach(() => {
    provider.answers = {};
    provider.asked.length = 0;
  });

  const questions = (): number => provider.asked.filter(({ what }) => what === 'POST /token').length;
  /** The provider answers when it is told to. */
  const heldBack = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<object>();
    Object.assign(provider.answers, { token: promise });
    return () => resolve({ error: 'invalid_grant' });
  };
  const comeBack = (visitor: Visitor, { asked }: Begun, address: string): Promise<Response> => {
    const query = new URLSearchParams({ code: 'made-up', state: asked.get('state') ?? '', iss: provider.issuer });
    return visitor.visit(`/api/login/oidc/home/callback?${query}`, { headers: { 'x-forwarded-for': address } });
  };
  const madeUp = async (address: string): Promise<Response> => {
    const visitor = new Visitor(instance);
    return comeBack(visitor, await visitor.begin(), address);
  };
  const assertBusy = async (response: Response): Promise<void> => {
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '5']);
    assert.match(await response.text(), /Too many people are logging in/);
  };
  const asked = (count: number): Promise<void> =>
    until(`the provider is asked ${count} times`, () => questions() === count);

  it('asks about five answers of an address at once, also over a reload, and about those of others', async () => {
    const letGo = heldBack();
    const waiting = Array.from({ length: 5 }, () => madeUp('2001:db8:0:7::1'));
    await asked(5);
    for (const address of ['2001:db8:0:7::1', '2001:db8:0:7::2']) await assertBusy(await madeUp(address));
    await instance.reload(config({ label: 'Another text' }));
    const visitor = new Visitor(instance);
    const begun = await visitor.begin();
    await assertBusy(await comeBack(visitor, begun, '2001:db8:0:7::1'));
    assert.equal(questions(), 5);
    waiting.push(madeUp('192.0.2.9'));
    await asked(6);
    letGo();
    for (const response of await Promise.all(waiting)) assert.equal(response.status, 400);
    // The attempt that had no place is as it was.
    await vouch(provider, { sub: 'ann', groups: ['front'], nonce: begun.asked.get('nonce') });
    assert.equal((await comeBack(visitor, begun, '2001:db8:0:7::1')).status, 302);
  });

  it('asks about 32 at once in all', async () => {
    const letGo = heldBack();
    const waiting = Array.from({ length: 32 }, (_, at) => madeUp(`192.0.2.${at}`));
    await asked(32);
    await assertBusy(await madeUp('198.51.100.1'));
    assert.equal(questions(), 32);
    letGo();
    await Promise.all(waiting);
    provider.answers = {};
    assert.equal((await new Visitor(instance).signIn(provider, { sub: 'ann', groups: ['front'] })).status, 302);
  });

  it('asks three times for one attempt, however often its cookie is sent', async () => {
    const first = new Visitor(instance);
    const begun = await first.begin();
    const again = async (): Promise<Response> => {
      const other = new Visitor(instance);
      first.copyTo(other);
      return comeBack(other, begun, '192.0.2.1');
    };
    for (let failed = 0; failed < 3; failed += 1) assert.equal((await again()).status, 400);
    assert.equal(questions(), 3);
    await vouch(provider, { sub: 'ann', groups: ['front'], nonce: begun.asked.get('nonce') });
    assert.match(await (await again()).text(), /start it again/);
    assert.equal(questions(), 3);
  });
});
