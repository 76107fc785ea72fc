/** A provider that takes connections and never answers: its button says so, and every other way in goes on (SPEC 16). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { VERA } from '../../support/people.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { oidcConfig, Visitor, vouch } from './support/browser.ts';
import { type FakeProvider, startFakeProvider } from './support/fake-provider.ts';

const now = (): number => Math.floor(Date.now() / 1000);

describe('A provider that never answers', () => {
  let provider: FakeProvider;
  let silent: Server;
  let instance: Runtime;
  const sockets: Socket[] = [];
  before(async () => {
    provider = await startFakeProvider(now);
    silent = createServer((socket) => void sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const issuer = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const config = oidcConfig(provider);
    const [second] = oidcConfig({ issuer, ca: provider.ca }, { name: 'silent' }).auth.oidc;
    const auth = { ...config.auth, oidc: [...config.auth.oidc, second] };
    instance = await startInstance({ config: { nvr: { cameras: ['cam1'] }, ...config, auth } });
  });
  after(async () => {
    await instance.close();
    for (const socket of sockets) socket.destroy();
    silent.close();
    await provider.close();
  });

  /** A password login that begins and ends while that answer is waited for. */
  async function assertPasswordMeanwhile(waiting: Promise<Response>): Promise<Response> {
    let isOver = false;
    const answer = waiting.finally(() => {
      isOver = true;
    });
    await instance.logIn(VERA);
    assert.equal(isOver, false, 'the login waited for the provider');
    return answer;
  }

  it('is said by a page when its button is pressed, and costs a password login nothing', async () => {
    const visitor = new Visitor(instance);
    const connected = once(silent, 'connection');
    const pressed = visitor.visit('/api/login/oidc/silent');
    await connected;
    const response = await assertPasswordMeanwhile(pressed);
    assert.equal(response.status, 503);
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
    assert.match(await response.text(), /provider/);
    assert.deepEqual(visitor.namesOfCookies(), []);
    const line = instance.log.find(({ result, provider: name }) => result === 'away' && name === 'silent');
    assert.equal(line?.['cause'], 'no answer within 5 s');
    const metrics = await (await fetch(`${instance.telemetryUrl}/metrics`)).text();
    assert.match(metrics, /postern_oidc_provider_up\{provider="silent"\} 0/);
    assert.match(metrics, /postern_oidc_logins_total\{provider="silent",result="away"\} 1/);
    assert.equal((await new Visitor(instance).signIn(provider, { sub: 'ann', groups: ['front'] })).status, 302);
  });

  it('is said by a page when it falls silent on the way back, and nobody is logged in', async () => {
    const visitor = new Visitor(instance);
    const begun = await visitor.begin();
    await vouch(provider, { sub: 'ann', groups: ['front'], nonce: begun.asked.get('nonce') });
    provider.answers.silent = ['/token'];
    const response = await assertPasswordMeanwhile(visitor.comeBack(begun, { iss: provider.issuer }));
    provider.answers.silent = [];
    assert.equal(response.status, 503);
    assert.ok(!visitor.namesOfCookies().includes('frigate_token'));
  });
});
