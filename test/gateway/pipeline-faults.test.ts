/** A fault in the pipeline costs the connection of its request, and no other (SPEC 6). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { GateWatch } from '../../src/telemetry/watch-gate.ts';
import { startFakeNvr } from '../support/fake-nvr.ts';
import { rawRequest } from '../support/raw-request.ts';
import { startGate, upstreamAt } from '../support/start-gate.ts';

const REQUEST = 'GET /api/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
const UPGRADE =
  'GET /api/x HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';

for (const [what, bytes] of [
  ['a request', REQUEST],
  ['an upgrade', UPGRADE],
] as const) {
  it(`a fault before the decision on ${what} closes its connection; the next request is served`, async (t) => {
    const nvr = await startFakeNvr();
    t.after(nvr.close);
    const sound = await startGate(upstreamAt(nvr.url));
    t.after(sound.close);
    let faults = 0;
    const watch: GateWatch = {
      onRequest(): never {
        faults += 1;
        throw new Error('broken');
      },
    };
    const broken = await startGate(upstreamAt(nvr.url), {}, watch);
    t.after(broken.close);
    assert.equal((await rawRequest(broken.port, bytes)).text, '');
    assert.equal((await rawRequest(broken.port, bytes)).text, '');
    assert.equal(faults, 2);
    assert.deepEqual(nvr.received, []);
    assert.equal((await rawRequest(sound.port, REQUEST)).status, 200);
  });
}
