/** Clients of judged WebSockets that do not read, and that leave too early: bounded memory, and no failure of the NVR. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { layoutOfNames } from '../../../src/access/recorder-layout.ts';
import { compileRouteTable } from '../../../src/access/route-table.ts';
import type { Caller } from '../../../src/domain/caller.ts';
import { toScope } from '../../../src/domain/camera-scope.ts';
import type { CameraName, Role, UserName } from '../../../src/domain/names.ts';
import { createUnreadMemory, UNREAD, type UnreadMemory } from '../../../src/gateway/response/client-socket.ts';
import { createMessageRelay } from '../../../src/gateway/websocket/message-relay.ts';
import { FRIGATE } from '../../../src/nvr/frigate/frigate.ts';
import type { EndedRequest } from '../../../src/telemetry/watch-gate.ts';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { row } from '../../support/routes.ts';
import { changing, makeServed } from '../../support/served-certificate.ts';
import { NOBODY_WATCHES, type StartedGate, startGate, upstreamAt } from '../../support/start-gate.ts';
import { until } from '../../support/until.ts';

const KB = 1024;
/** Two clients that do not read have room, with a message beyond the 256 KB of each; three have not. */
const MOST = 700 * KB;
const CALLER: Caller = {
  name: 'vera' as UserName,
  role: 'gardener' as Role,
  scope: toScope(['garden']),
  credential: { kind: 'session', tokenId: '1', issuedAt: 0, expiresAt: 9e9, carriedBy: 'bearer' },
};

let nvr: FakeNvr;
let gate: StartedGate;
let unread: UnreadMemory;
let failures: string[];
let ends: EndedRequest[];
let atNvr: WebSocket[];
let revoke: () => void;
beforeEach(async () => {
  nvr = await startFakeNvr();
  unread = createUnreadMemory(MOST);
  [failures, ends, atNvr] = [[], [], []];
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  nvr.answerUpgrade = (request, socket) =>
    server.handleUpgrade(request, socket, Buffer.alloc(0), (client) => void atNvr.push(client));
  const watch = {
    ...NOBODY_WATCHES,
    onFailure: (reason: string) => void failures.push(reason),
    onEnd: (end: EndedRequest) => void ends.push(end),
  };
  gate = await startGate(
    upstreamAt(nvr.url),
    {},
    { onRequest: () => watch },
    {
      holdStream(_caller, _admittance, end) {
        revoke = () => end(4401, 'revoked');
        return () => {};
      },
      rules: {
        routes: compileRouteTable([{ ...row('WS /judged any'), signalling: true }, row('WS /unread any')], FRIGATE),
        surroundings: () => ({ layout: layoutOfNames(['garden'] as CameraName[]), now: 0 }),
        sources: {
          external: [],
          internal: [() => ({ kind: 'identified', caller: CALLER })],
        },
      },
      deps: { relay: createMessageRelay({ timeoutResponse: 60, ca: undefined, verify: true }, unread) },
    },
  );
});
afterEach(async () => {
  await gate.close();
  await nvr.close();
});

const HEAD = [
  'Host: localhost',
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
].join('\r\n');
const upgrade = (path: string, allowHalfOpen = false): Socket => {
  const socket = connect({ port: gate.port, host: '127.0.0.1', allowHalfOpen }).on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\n${HEAD}\r\n\r\n`);
  return socket;
};

const MESSAGE = Buffer.alloc(64 * KB);
/** Sends as fast as it is read, until the connection is gone. */
function pour(socket: WebSocket): void {
  socket.send(MESSAGE, (error) => {
    // A destroyed connection fails at once, before the socket says that it is closed: the next try would never let it say so.
    if (!error) pour(socket);
  });
}

describe('A client of a judged WebSocket that does not read', () => {
  /** Reads the head, and nothing behind it. */
  async function idle(): Promise<{ readonly socket: Socket; readonly nvrSide: WebSocket }> {
    const socket = upgrade('/judged');
    await once(socket, 'readable');
    const nvrSide = atNvr.at(-1) ?? assert.fail('the NVR has no socket');
    pour(nvrSide);
    return { socket, nvrSide };
  }
  const heldFor = (clients: number): Promise<void> =>
    until(`${clients} clients have what is held for each`, () => unread.bytes() >= clients * 256 * KB);

  it('has 256 KB and the message that reached them, and the longest unread one is closed at the end of the memory', async () => {
    const first = await idle();
    await heldFor(1);
    const second = await idle();
    await heldFor(2);
    assert.ok(unread.bytes() <= MOST, `${unread.bytes()}`);
    const reading = new WebSocket(`ws://127.0.0.1:${gate.port}/judged`);
    let bytes = 0;
    reading.on('message', (message: Buffer) => {
      bytes += message.length;
    });
    await once(reading, 'open');
    pour(atNvr.at(-1) as WebSocket);
    await until('one that reads has its messages', () => bytes > 10 * KB * KB);
    const late = await idle();
    await until('the first is closed', () => first.nvrSide.readyState === WebSocket.CLOSED);
    assert.equal(reading.readyState, WebSocket.OPEN);
    await heldFor(2);
    assert.deepEqual(
      [second, late].map(({ nvrSide }) => nvrSide.readyState),
      [WebSocket.OPEN, WebSocket.OPEN],
    );
    assert.ok(unread.bytes() <= MOST, `${unread.bytes()}`);
    for (const { socket } of [first, second, late]) socket.destroy();
    reading.terminate();
    await until('nothing is held', () => unread.bytes() === 0);
  });
});

describe('A client of a WebSocket whose frames pass unread', () => {
  it('has what waits for it counted with all that is unread, until it is gone', async () => {
    const before = UNREAD.bytes();
    const socket = upgrade('/unread');
    await once(socket, 'readable');
    pour(atNvr[0] ?? assert.fail('the NVR has no socket'));
    await until('something waits', () => UNREAD.bytes() > before);
    assert.ok(UNREAD.bytes() - before <= 256 * KB, `${UNREAD.bytes() - before}`);
    socket.destroy();
    await until('nothing is held', () => UNREAD.bytes() === before);
  });

  it('has nothing counted over TLS while it reads all, though the 101 is not out at once', async () => {
    const before = UNREAD.bytes();
    const overTls = await startGate(upstreamAt(nvr.url), {}, undefined, { tls: changing(await makeServed()) });
    const reading = new WebSocket(overTls.url, { rejectUnauthorized: false });
    await once(reading, 'open');
    assert.equal(UNREAD.bytes(), before);
    reading.terminate();
    await overTls.close();
  });
});

describe('A client that leaves before the NVR has answered its upgrade', () => {
  // biome-ignore format: a table
  const WAYS: readonly [sentence: string, leave: (socket: Socket) => void][] = [
    ['by a reset',                              (socket) => void socket.resetAndDestroy()],
    ['by the end of its side',                  (socket) => void socket.end()],
    ['by the end behind what it has sent ahead', (socket) => void socket.end('sent ahead')],
  ];
  for (const path of ['/judged', '/unread'])
    for (const [sentence, leave] of WAYS)
      it(`is no failure of the NVR, no whole answer, and is let go at once: ${path}, ${sentence}`, async () => {
        nvr.answerUpgrade = (_request, socket) => void socket.once('end', () => socket.destroy()).resume();
        const socket = upgrade(path);
        await until('the NVR is asked', () => nvr.received.length === 1);
        leave(socket);
        await until('it is over', () => ends.length === 1);
        await until('the NVR is left', () => nvr.sockets.size === 0);
        assert.deepEqual(gate.placesInUse(), { client: 0, taken: 0, waiting: 0 });
        assert.deepEqual(failures, []);
        assert.deepEqual(ends, [{ status: undefined, isWhole: false, bytes: 0 }]);
      });
});

describe('A caller who is revoked before the NVR has answered the upgrade', () => {
  it('is refused once, and what the NVR breaks off then is no failure', async () => {
    const atNvrSide: Duplex[] = [];
    nvr.answerUpgrade = (_request, socket) => void atNvrSide.push(socket);
    const socket = upgrade('/unread', true);
    await until('the NVR is asked', () => atNvrSide.length === 1);
    revoke();
    assert.match(String(await once(socket, 'data')), /^HTTP\/1\.1 401 /);
    atNvrSide[0]?.end('SSH-2.0-x');
    await until('it is over', () => ends.length === 1);
    assert.deepEqual(failures, []);
    assert.deepEqual(ends, [{ status: 401, isWhole: true, bytes: 0 }]);
    socket.destroy();
  });
});
