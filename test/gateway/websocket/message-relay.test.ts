/** Why a WebSocket of judged messages could not be opened: by what the NVR did, not by the words of a library. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { createMessageRelay } from '../../../src/gateway/websocket/message-relay.ts';

const HANDSHAKE = [
  'GET /ws HTTP/1.1',
  'Host: postern',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

/** The reason that is told when the NVR does this with the connection. */
async function reasonWhen(t: TestContext, nvr: (socket: Socket) => void, timeoutResponse = 20): Promise<string> {
  const sockets = new Set<Socket>();
  const upstream = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('data', () => nvr(socket));
  }).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const relay = createMessageRelay({ timeoutResponse, ca: undefined, verify: true });
  const told = Promise.withResolvers<string>();
  const gate = createHttpServer().listen(0, '127.0.0.1');
  gate.on('upgrade', (request, socket, head) =>
    relay(request, socket, head, {
      upstream: { kind: 'tcp', protocol: 'http:', host: '127.0.0.1', port: (upstream.address() as AddressInfo).port },
      target: '/ws',
      headers: {},
      judge: { fromClient: () => undefined, fromNvr: () => undefined },
      onFailure: told.resolve,
    } as unknown as Parameters<typeof relay>[3]),
  );
  await once(gate, 'listening');
  const client = connect((gate.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    client.destroy();
    gate.close();
    upstream.close();
  });
  client.write(`${HANDSHAKE.join('\r\n')}\r\n\r\n`);
  return await told.promise;
}

describe('A WebSocket whose messages are judged', { timeout: 300_000 }, () => {
  // biome-ignore format: a table
  const ROWS: [sentence: string, nvr: (socket: Socket) => void, reason: string][] = [
    ['an answer that is no upgrade',        (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi'), 'nvr-bad-answer'],
    ['a refusal',                           (socket) => socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'), 'nvr-bad-answer'],
    ['an accept key that is not the asked', (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: AAAA\r\n\r\n'), 'nvr-bad-answer'],
    ['an upgrade to another protocol',      (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'), 'nvr-bad-answer'],
    ['no HTTP',                             (socket) => socket.write('hello\r\n\r\n'), 'nvr-bad-answer'],
    ['an end of the connection',            (socket) => socket.destroy(), 'nvr-unreachable'],
  ];
  for (const [sentence, nvr, reason] of ROWS) {
    it(`is told as ${reason} when the NVR sends ${sentence}`, async (t) => {
      assert.equal(await reasonWhen(t, nvr), reason);
    });
  }

  it('is told as nvr-timeout when the NVR sends nothing', async (t) => {
    assert.equal(await reasonWhen(t, () => {}, 0.2), 'nvr-timeout');
  });
  it('is told as nvr-timeout when the NVR sends its head a byte at a time', async (t) => {
    const trickle = (socket: Socket): void => {
      const drip = setInterval(() => socket.write('H'), 20);
      socket.once('close', () => clearInterval(drip));
      socket.write('HTTP/1.1 101 Switching Protocols\r\nX: ');
    };
    assert.equal(await reasonWhen(t, trickle, 0.3), 'nvr-timeout');
  });
});
