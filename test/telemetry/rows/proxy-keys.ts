/** Whether the keys of a signed identity can be read (SPEC 9, 17). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { startInstance } from '../../support/start-instance.ts';
import { value } from '../support/driven.ts';

interface Told {
  readonly status: string;
  readonly identity_providers: object;
}

it('The keys of proxy.jwt are told as readable or not', async (t) => {
  const server = createServer((_, response) => void response.writeHead(503).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const jwks_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const jwt = { header: 'X-Signed', issuer: 'https://sso.example.org', audience: 'a', jwks_url };
  const at = await startInstance({ people: [], config: { auth: { enabled: false }, proxy: { jwt } } });
  t.after(() => at.close());
  assert.equal(await value(at, 'proxy_keys_up'), undefined, 'nobody has needed them yet');
  const token = ['{"alg":"ES256","kid":"a"}', '{"exp":9999999999}', 'x'].map((part) => btoa(part).replaceAll('=', ''));
  assert.equal((await at.ask('/api/version', { headers: { 'X-Signed': token.join('.') } })).status, 503);
  assert.equal(await value(at, 'proxy_keys_up'), 0);
  const { status, identity_providers } = (await (await fetch(`${at.telemetryUrl}/readyz`)).json()) as Told;
  const reason = 'proxy.jwt: its keys were answered with status 503';
  assert.deepEqual([status, identity_providers], ['ready', { kind: 'degraded', reason }]);
});
