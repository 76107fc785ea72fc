/**
 * Header lines by the hundred: a parser that keeps only the first of them loses the role header, which a proxy adds last,
 * and its user would get the default role. More than 200 lines are refused, by HTTP/1 and HTTP/2 alike (SPEC 5).
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { type Http2Client, http2Client } from '../support/http2-client.ts';
import { rawRequest } from '../support/raw-request.ts';
import { changing, makeServed } from '../support/served-certificate.ts';
import { type StartedGate, startGate, upstreamAt } from '../support/start-gate.ts';

let nvr: FakeNvr;
let gate: StartedGate;
let tlsGate: StartedGate;
let client: Http2Client;

before(async () => {
  nvr = await startFakeNvr();
  gate = await startGate(upstreamAt(nvr.url));
  const served = await makeServed();
  tlsGate = await startGate(upstreamAt(nvr.url), {}, undefined, { tls: changing(served) });
  client = await http2Client(tlsGate.url, served.certificate);
});
after(async () => {
  client.close();
  await gate.close();
  await tlsGate.close();
  await nvr.close();
});
beforeEach(() => {
  nvr.received.length = 0;
});

const some = (count: number): string[] => Array.from({ length: count }, (_, at) => `a${at}`);

describe('A request', () => {
  for (const lines of [201, 256, 500, 999, 1000, 1001, 1500]) {
    it(`of ${lines} header lines is 431, and does not arrive`, async () => {
      const names = some(lines - 1).map((name) => `${name}: 1`);
      const answer = await rawRequest(
        gate.port,
        ['GET /api/version HTTP/1.1', 'Host: nvr', ...names, '', ''].join('\r\n'),
      );
      assert.equal(answer.status, 431);
      assert.deepEqual(nvr.received, []);
    });
  }

  it('of 200 header lines passes', async () => {
    const names = some(199).map((name) => `${name}: 1`);
    const answer = await rawRequest(
      gate.port,
      ['GET /api/version HTTP/1.1', 'Host: nvr', ...names, '', ''].join('\r\n'),
    );
    assert.equal(answer.status, 200);
  });

  it('for an upgrade with 201 header lines is 431, and does not arrive', async () => {
    const upgrade = [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ];
    const lines = ['Host: nvr', ...upgrade, ...some(196).map((name) => `${name}: 1`)];
    const answer = await rawRequest(gate.port, ['GET /ws HTTP/1.1', ...lines, '', ''].join('\r\n'));
    assert.equal(answer.status, 431);
    assert.deepEqual(nvr.received, []);
  });

  for (const lines of [201, 256, 500]) {
    it(`of ${lines} header lines in HTTP/2 is 431, and does not arrive`, async () => {
      const headers = Object.fromEntries(some(lines - 1).map((name) => [name, '1']));
      const answer = await client.ask('/api/version', headers);
      assert.equal(answer.status, 431);
      assert.deepEqual(nvr.received, []);
    });
  }
});
