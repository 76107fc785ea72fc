/** Connections to an upstream over TLS: whom a request is sent to, and that a kept one goes on after a receiver was slow. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Upstream } from '../../../src/domain/addresses.ts';
import { type ConnectionPool, createConnectionPool } from '../../../src/gateway/http1/connection-pool.ts';
import type { ResponseControl } from '../../../src/gateway/narrow/held-body.ts';
import { makeServed } from '../../support/served-certificate.ts';
import { startGate } from '../../support/start-gate.ts';

/** Three records of TLS, which are mostly read at once. */
const BODY = 'x'.repeat(40_000);
const RULES = { timeoutConnect: 30, timeoutResponse: 30, timeoutIdle: 30 };
const NOT_LISTED = '127.0.0.9';

let server: Server;
let ca: string;
const received: string[] = [];
const open = new Set<TLSSocket>();

before(async () => {
  const { certificate, privateKey } = await makeServed();
  ca = certificate;
  server = createServer({ cert: certificate, key: privateKey }, (socket) => {
    open.add(socket.on('error', () => {}));
    socket.on('data', (bytes) => {
      received.push(bytes.toString('latin1'));
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`);
    });
  }).listen(0, '0.0.0.0');
  server.on('tlsClientError', () => {});
  await once(server, 'listening');
});
after(() => {
  for (const socket of open) socket.destroy();
  server.close();
});
beforeEach(() => {
  received.length = 0;
});

const at = (host: string): Upstream => ({
  kind: 'tcp',
  protocol: 'https:',
  host,
  port: (server.address() as AddressInfo).port,
});

describe('An NVR over TLS', () => {
  const whose = [
    ['whose authority is not known', 'localhost', () => ({})],
    ['whose certificate is for another host', NOT_LISTED, () => ({ ca })],
  ] as const;
  for (const [sentence, host, trust] of whose)
    it(`${sentence} receives no byte of a request`, async () => {
      const gate = await startGate(at(host), trust());
      const asked = [{}, { method: 'POST', body: 'secret' }].map((init) => fetch(`${gate.url}/api/x`, init));
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      const { failures } = gate;
      await gate.close();
      assert.deepEqual([statuses, received], [[502, 502], []]);
      assert.deepEqual([...new Set(failures)], ['nvr-certificate-refused']);
    });
});

describe('A kept connection over TLS', () => {
  it('answers the next request when the response before ended while its receiver had paused', async () => {
    const pool = createConnectionPool(at('localhost'), RULES, {
      servername: 'localhost',
      rejectUnauthorized: true,
      ca,
    });
    let endedPaused = 0;
    for (let turns = 0; turns < 20; turns += 1) if (await pausing(pool)) endedPaused += 1;
    pool.close();
    assert.equal(received.length, 20);
    assert.ok(endedPaused > 0, 'no response ended while its receiver had paused: that proves too little');
  });
});

/** Pauses at the first bytes of the body. Resolves when it is whole: whether the rest came before the receiver resumed. */
function pausing(pool: ConnectionPool): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let control: ResponseControl | undefined;
    let bytes = 0;
    let isPaused = false;
    pool.dispatch({
      head: { method: 'GET', target: '/', headers: { host: 'nvr' } },
      isRepeatable: true,
      mayBorrow: false,
      onStart(started) {
        control = started;
      },
      onHead() {},
      onBody(piece) {
        if (bytes === 0) {
          isPaused = true;
          control?.pause();
          setImmediate(() => {
            isPaused = false;
            control?.resume();
          });
        }
        bytes += piece.length;
      },
      onEnd: () => (bytes === BODY.length ? resolve(isPaused) : reject(new Error(`${bytes} bytes`))),
      onError: reject,
    });
  });
}
