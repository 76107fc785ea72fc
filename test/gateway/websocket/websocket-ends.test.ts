/** However a WebSocket ends, neither of its sockets stays behind (SPEC 6): not even with unread bytes in it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { type StartedGate, startGate, upstreamAt } from '../../support/start-gate.ts';

const SOCKETS = 40;
const WORDS = Buffer.alloc(200, 'x');
const LEAVES = 'leave';
const UPGRADE = [
  'GET /live HTTP/1.1',
  'host: 127.0.0.1',
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  '\r\n',
].join('\r\n');

let nvr: FakeNvr;
let gate: StartedGate;
/** Sockets that are open before any test: those of an earlier test may still be closing when the next one begins. */
let atFirst: number;

before(async () => {
  nvr = await startFakeNvr();
  gate = await startGate(upstreamAt(nvr.url));
  nvr.answerUpgrade = (_request, socket) => echo(socket);
  atFirst = openSockets();
});
after(async () => {
  await gate.close();
  await nvr.close();
});

/** Sends back what it hears, and leaves when asked to. */
function echo(socket: Duplex): void {
  socket.on('error', () => {});
  socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
  socket.on('data', (chunk: Buffer) => (String(chunk) === LEAVES ? socket.end() : socket.write(chunk)));
  socket.on('end', () => socket.end());
}

// biome-ignore format: a table
const ENDS: readonly [sentence: string, end: (client: Socket) => void][] = [
  ['the client resets while the NVR speaks',               resetWhileSpokenTo],
  ['the client leaves while the NVR speaks',               (client) => { client.write(WORDS); client.end(); }],
  ['the NVR has left, and the client speaks and leaves',   (client) => { client.once('end', () => client.end(WORDS)); client.write(LEAVES); }],
  ['the NVR has left, and the client stays',               (client) => { client.write(LEAVES); }],
];

function resetWhileSpokenTo(client: Socket): void {
  client.write(WORDS);
  client.once('data', () => {
    client.write(WORDS);
    client.resetAndDestroy();
  });
}

/** Polls for at most four seconds: an end takes as long as it takes, but it comes. */
const TURNS = 200;
const TURN_MS = 20;

describe('A WebSocket that ends', () => {
  for (const [sentence, end] of ENDS) {
    it(`leaves no socket behind when ${sentence}`, async () => {
      const clients = await Promise.all(Array.from({ length: SOCKETS }, openWebSocket));
      for (const client of clients) end(client);
      // Of the sockets that are open, some are the client's own, which end with this test.
      const left = (): number => openSockets() - atFirst - clients.filter(isOpen).length;
      for (let turn = 0; turn < TURNS && left() > 0; turn += 1) await sleep(TURN_MS);
      const stayed = left();
      for (const client of clients) client.destroy();
      assert.equal(stayed, 0);
    });
  }
});

const isOpen = (socket: Socket): boolean => !socket.destroyed;

const openSockets = (): number => process.getActiveResourcesInfo().filter((type) => type === 'TCPSocketWrap').length;

/** Half of it may be closed: so a client can go on when the NVR has left. */
async function openWebSocket(): Promise<Socket> {
  const socket = connect({ port: gate.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
  socket.write(UPGRADE);
  await once(socket, 'data');
  return socket.resume();
}
