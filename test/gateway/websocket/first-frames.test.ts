/** A WebSocket that is passed on: every byte that the NVR sends behind its 101 reaches the client, whole and in order (SPEC 11). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect as connectPlain, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import type { OpenStreams } from '../../../src/gateway/entry/open-streams.ts';
import type { ServedCertificate } from '../../../src/gateway/listen/tls-server.ts';
import { changing, makeServed } from '../../support/served-certificate.ts';
import { type StartedGate, startGate } from '../../support/start-gate.ts';
import { until } from '../../support/until.ts';

const SWITCHED = Buffer.from(
  'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n',
);
const UPGRADE = [
  'GET /live HTTP/1.1',
  'host: 127.0.0.1',
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  '\r\n',
].join('\r\n');
const HEAD_END = '\r\n\r\n';
const PATIENCE_MS = 60_000;

/** A binary frame as a server sends it (RFC 6455 5.2). */
function frame(length: number, filler: number): Buffer {
  const head = Buffer.alloc(10);
  head.set([0x82, 127]);
  head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.alloc(length, filler)]);
}
const FRAMES = Buffer.concat([frame(1000, 1), frame(1000, 2)]);
const ONE_AND_A_HALF = 1010 + 505;
const LARGE = Buffer.concat([frame(60_000, 3), frame(40_000, 4)]);

type Say = (socket: Duplex) => Promise<void> | void;

async function byteByByte(socket: Duplex): Promise<void> {
  socket.write(SWITCHED);
  for (const byte of FRAMES.subarray(0, 60)) {
    socket.write(Buffer.from([byte]));
    await turn();
  }
  socket.write(FRAMES.subarray(60));
}

async function inTwo(socket: Duplex): Promise<void> {
  socket.write(Buffer.concat([SWITCHED, FRAMES.subarray(0, ONE_AND_A_HALF)]));
  await turn();
  socket.write(FRAMES.subarray(ONE_AND_A_HALF));
}

// biome-ignore format: a table
const WAYS: readonly [sentence: string, say: Say, expected: Buffer][] = [
  ['101 and two frames in one packet',          (socket) => void socket.write(Buffer.concat([SWITCHED, FRAMES])), FRAMES],
  ['101 and one and a half frames in a packet', inTwo,                                                           FRAMES],
  ['101, then a frame at once',                 (socket) => { socket.write(SWITCHED); socket.write(FRAMES); },   FRAMES],
  ['101, then byte by byte',                    byteByByte,                                                      FRAMES],
  ['101 and 100 KB at once',                    (socket) => void socket.write(Buffer.concat([SWITCHED, LARGE])), LARGE],
];
/** What is lost at a border of packets is not lost each time. */
const TIMES = 10;
const CLOSE_4401 = Buffer.from([0x88, 0x02, 0x11, 0x31]);

let certificate: ServedCertificate;
let say: Say = () => {};
let heard: Buffer[] = [];
const ends: ((code: 4401) => void)[] = [];
const gates: StartedGate[] = [];
const upstreams: Server[] = [];

/** The end that the gate would be told when the holder's rights are over. */
const holdStream: OpenStreams['add'] = (_caller, _admittance, end) => {
  ends.push((code) => end(code, 'revoked'));
  return () => {};
};

async function startUpstream(isTls: boolean): Promise<number> {
  const server = isTls
    ? createHttpsServer({ key: certificate.privateKey, cert: certificate.certificate })
    : createHttpServer();
  server.on('upgrade', (_request, socket: Duplex, head: Buffer) => {
    socket.on('error', () => {});
    heard = [head];
    socket.on('data', (chunk: Buffer) => heard.push(chunk));
    void say(socket);
  });
  upstreams.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function openTo(gate: StartedGate): Socket {
  const isTls = gate.url.startsWith('https');
  const socket = isTls
    ? connectTls({ port: gate.port, host: '127.0.0.1', ca: certificate.certificate })
    : connectPlain(gate.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  socket.write(UPGRADE);
  return socket;
}

/** What came behind the head, up to so many bytes; the socket stays open. */
async function received(socket: Socket, length: number): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  let start = -1;
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    bytes = Buffer.concat([bytes, chunk]);
    start = bytes.indexOf(HEAD_END) + HEAD_END.length;
    if (start >= HEAD_END.length && bytes.length - start >= length) break;
  }
  return bytes.subarray(start);
}

/** All that comes until the connection ends. */
async function collected(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('What the NVR sends behind its 101', () => {
  before(async () => {
    certificate = await makeServed();
    for (const isTls of [false, true]) {
      const port = await startUpstream(isTls);
      const upstream = { kind: 'tcp', protocol: isTls ? 'https:' : 'http:', host: '127.0.0.1', port } as const;
      for (const tls of [undefined, changing(certificate)]) {
        gates.push(
          await startGate(upstream, { ca: certificate.certificate, verify: false }, undefined, {
            holdStream,
            ...(tls && { tls }),
          }),
        );
      }
    }
  });
  after(async () => {
    for (const gate of gates) await gate.close();
    for (const upstream of upstreams) {
      upstream.closeAllConnections();
      upstream.close();
    }
  });

  // biome-ignore format: a table
  const PLACES: readonly [place: string, at: number][] = [
    ['HTTP on both sides', 0], ['TLS at the client', 1], ['TLS at the NVR', 2], ['TLS on both sides', 3],
  ];
  for (const [place, at] of PLACES) {
    for (const [sentence, way, expected] of WAYS) {
      it(`reaches the client whole: ${sentence}, ${place}`, async () => {
        say = way;
        for (let time = 0; time < TIMES; time += 1) {
          const socket = openTo(gates[at] as StartedGate);
          assert.deepEqual(await received(socket, expected.length), expected);
          socket.destroy();
        }
      });
    }

    it(`is followed, at the end of rights, by the rest of a frame and a close frame: ${place}`, async () => {
      let rest: () => void = () => {};
      say = (socket) => {
        socket.write(Buffer.concat([SWITCHED, FRAMES.subarray(0, ONE_AND_A_HALF)]));
        rest = () => void socket.write(FRAMES.subarray(ONE_AND_A_HALF));
      };
      const socket = openTo(gates[at] as StartedGate);
      const first = await received(socket, ONE_AND_A_HALF);
      ends.at(-1)?.(4401);
      rest();
      const second = await collected(socket);
      assert.deepEqual(Buffer.concat([first, second]), Buffer.concat([FRAMES, CLOSE_4401]));
      socket.destroy();
    });

    it(`keeps nothing back of what the client sends before it: ${place}`, async () => {
      const early = Buffer.from([0x82, 0x83, 0, 0, 0, 0, 1, 2, 3]);
      const asked = new Promise<Duplex>((resolve) => {
        say = resolve;
      });
      const socket = openTo(gates[at] as StartedGate);
      const upstream = await asked;
      socket.write(early);
      await turn();
      upstream.write(Buffer.concat([SWITCHED, FRAMES]));
      assert.deepEqual(await received(socket, FRAMES.length), FRAMES);
      await until('the NVR has the early frames', () => Buffer.concat(heard).length >= early.length);
      assert.deepEqual(Buffer.concat(heard), early);
      socket.destroy();
    });
  }
});
