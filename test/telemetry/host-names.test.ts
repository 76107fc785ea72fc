/** The telemetry listener answers to the Host names of the internal one: a page must not read it by a name of its own (DNS rebinding). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { createTelemetryServer } from '../../src/telemetry/telemetry-server.ts';

const listed: string[] = [];
let exposed = 0;
const server = createTelemetryServer({
  scrape: async () => {
    exposed += 1;
    return 'postern_up 1\n';
  },
  readiness: async () => assert.fail('nothing here asks for it'),
  isStopping: () => false,
  hosts: () => listed,
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => server.close());

async function statusFor(host: string): Promise<number | undefined> {
  const { port } = server.address() as AddressInfo;
  const [answer] = await once(get({ port, path: '/metrics', headers: { host }, agent: false }), 'response');
  answer.resume();
  return answer.statusCode;
}

describe('The telemetry listener', () => {
  for (const host of ['127.0.0.1:9871', '[::1]:9871', 'localhost', 'postern:9871', '10.1.2.3'])
    it(`answers to ${host}`, async () => assert.equal(await statusFor(host), 200));

  for (const host of ['evil.example', 'evil.example:9871', '127.0.0.1.evil.example', 'localhost.evil.example'])
    it(`refuses ${host}, and tells nothing`, async () => {
      const before = exposed;
      assert.deepEqual([await statusFor(host), exposed], [403, before]);
    });

  it('answers to a name that server.internal_hosts lists, also after a reload', async () => {
    assert.equal(await statusFor('postern.monitoring.svc'), 403);
    listed.push('postern.monitoring.svc');
    assert.equal(await statusFor('postern.monitoring.svc:9871'), 200);
  });
});
