/** However a WebSocket ends, neither of its sockets stays behind (SPEC 6): not even with unread bytes in it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { NOBODY_WATCHES, type StartedGate, startGate, upstreamAt } from '../../support/start-gate.ts';
import { until } from '../../support/until.ts';

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

const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';

/** Sends back what it hears, and leaves when asked to. */
function echo(socket: Duplex): void {
  socket.on('error', () => {});
  socket.write(SWITCHED);
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
      const clients = await Promise.all(Array.from({ length: SOCKETS }, () => openWebSocket()));
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

describe('A connection ends, and its place and slot are given back', { timeout: 300_000 }, () => {
  let watched: Socket | undefined;
  let quick: StartedGate;
  before(async () => {
    const onRequest = (_: unknown, socket: unknown) => {
      watched = socket as Socket;
      return NOBODY_WATCHES;
    };
    quick = await startGate(upstreamAt(nvr.url), { timeoutIdle: 0.2 }, { onRequest });
  });
  after(() => quick.close());
  const isOver = async (): Promise<void> => {
    const isFree = ({ client, taken }: ReturnType<StartedGate['placesInUse']>): boolean => client + taken === 0;
    await until('it is over', () => watched?.destroyed === true && isFree(quick.placesInUse()));
  };

  const REFUSED = 'HTTP/1.1 403 x\r\nContent-Length: 9\r\n\r\n';
  const BAD = UPGRADE.replace('version: 13', 'version: 12');
  // biome-ignore format: a table
  const SILENCES: readonly [sentence: string, nvrSays: string, asks: string, end: (client: Socket) => void][] = [
    ['when the NVR never answers the end of a client',                    SWITCHED,                UPGRADE, (client) => client.end()],
    ['when the body of the refusal of the NVR stops',                     `${REFUSED}no`,          UPGRADE, () => {}],
    ['when the client stays after a refusal of the NVR',                  `${REFUSED}not here.`,   UPGRADE, () => {}],
    ['when the client leaves, and has sent on after a refusal of the NVR', `${REFUSED}not here.`,  UPGRADE, (client) => client.end(WORDS)],
    ['when the client stays after a refusal of its upgrade',              '',                      BAD,     () => {}],
    ['when the client leaves, and has sent on after that refusal',        '',                      BAD,     (client) => client.end(WORDS)],
  ];
  for (const [sentence, nvrSays, asks, end] of SILENCES) {
    it(sentence, async () => {
      nvr.answerUpgrade = (_request, socket) =>
        void socket
          .on('error', () => {})
          .resume()
          .write(nvrSays);
      const client = await openWebSocket(quick, asks);
      end(client);
      await isOver();
      client.destroy();
    });
  }

  const bytes = Buffer.alloc(20_000_000, 'x');
  /** A client that has ended, and has not read what the NVR says for the time of silence. */
  async function full(): Promise<{ readonly client: Socket; readonly atGate: Socket }> {
    nvr.answerUpgrade = (_request, socket) => {
      socket.on('error', () => {}).write(SWITCHED);
      socket.resume().once('end', () => socket.end(bytes));
    };
    const client = await openWebSocket(quick);
    client.pause().end();
    const atGate = watched ?? assert.fail('there is no request');
    await once(atGate, 'timeout');
    return { client, atGate };
  }

  it('and the NVR is heard to its end by a client that has ended and does not read for long', async () => {
    const { client } = await full();
    assert.equal(Buffer.concat(await client.toArray()).length, bytes.length);
    await isOver();
  });

  it('when a client takes nothing for an hour', async () => {
    const { client, atGate } = await full();
    assert.equal(atGate.timeout, 3_600_000);
    atGate.emit('timeout');
    await isOver();
    client.destroy();
  });
});

/** Half of it may be closed: so a client can go on when the NVR has left. */
async function openWebSocket(at = gate, asks = UPGRADE): Promise<Socket> {
  const socket = connect({ port: at.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => {});
  socket.write(asks);
  await once(socket, 'data');
  return socket.resume();
}
