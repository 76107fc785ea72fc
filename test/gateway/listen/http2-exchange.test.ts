/** What Node's likeness of HTTP/1 leaves different, seen from behind the listener (RFC 9113). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { RequestFacts } from '../../../src/domain/request.ts';
import { requestFacts } from '../../../src/gateway/decision/request-facts.ts';
import type { Handlers } from '../../../src/gateway/entry/app.ts';
import { createTlsServer, type ServedCertificate, type TlsServer } from '../../../src/gateway/listen/tls-server.ts';
import { FLAG, FRAME, type FramePeer, frame, framePeer, request, uint32 } from '../../support/http2-frames.ts';
import { changing, makeServed } from '../../support/served-certificate.ts';

let served: ServedCertificate;
let tls: TlsServer;
let peer: FramePeer;
let arrived: Promise<readonly [IncomingMessage, ServerResponse]>;
let onRequest: Handlers['onRequest'];

before(async () => {
  served = await makeServed();
  tls = createTlsServer(
    {
      certificates: changing(served),
      offersHttp2: true,
      silence: { idleMs: () => 300_000, stalledMs: 3_600_000 },
      onConnectionRefused() {},
    },
    { headersTimeout: 5_000, maxHeaderSize: 16_384 },
  );
  tls.server.on(
    'request',
    tls.requestsTo((...exchange) => onRequest(...exchange)),
  );
  tls.server.listen(0, '127.0.0.1');
  await once(tls.server, 'listening');
});
after(() => tls.server.close());
beforeEach(async () => {
  arrived = new Promise((resolve) => {
    onRequest = (incoming, response) => resolve([incoming, response]);
  });
  peer = await framePeer((tls.server.address() as AddressInfo).port, served.certificate);
});

const lines = (method: string) =>
  [
    [':method', method],
    [':path', '/x'],
    [':scheme', 'https'],
    [':authority', 'nvr'],
  ] as const;
const head = (method: string, flags?: number): Buffer => request(1, lines(method), flags);
const reset = (code: number): Buffer => frame(FRAME.rstStream, 0, 1, uint32(code));

describe('The streams of one connection', () => {
  it('have it in common, with its peer, and those of another have another', async () => {
    const { port } = tls.server.address() as AddressInfo;
    const other = await framePeer(port, served.certificate);
    const seen: RequestFacts[] = [];
    onRequest = (incoming, response) => {
      seen.push(requestFacts(incoming, 'external'));
      response.end();
    };
    for (const [sender, stream] of [
      [peer, 1],
      [peer, 3],
      [other, 1],
    ] as const) {
      sender.send(request(stream, lines('GET')));
      await sender.until((frames) => frames.some((each) => each.type === FRAME.headers && each.stream === stream));
      if (stream === 3) peer.socket.destroy();
    }
    assert.equal(seen[0]?.connection, seen[1]?.connection);
    assert.notEqual(seen[0]?.connection, seen[2]?.connection);
    assert.deepEqual(
      seen.map((facts) => facts.peer),
      ['127.0.0.1', '127.0.0.1', '127.0.0.1'],
    );
    other.socket.destroy();
  });
});

describe('A request body that is cut', () => {
  for (const [sentence, code] of [
    ['by CANCEL', constants.NGHTTP2_CANCEL],
    ['by NO_ERROR', constants.NGHTTP2_NO_ERROR],
  ] as const) {
    it(`${sentence} is an error to its reader, and never an end`, async () => {
      peer.send(head('POST', FLAG.endHeaders), frame(FRAME.data, 0, 1, Buffer.from('begun')));
      const [incoming, response] = await arrived;
      const seen: string[] = [];
      incoming.on('end', () => seen.push('end')).on('error', () => seen.push('error'));
      await once(incoming, 'data');
      peer.send(reset(code));
      await once(response, 'close');
      await new Promise(setImmediate);
      assert.deepEqual(
        [seen, incoming.destroyed, response.destroyed, response.writableFinished],
        [['error'], true, true, false],
      );
      peer.socket.destroy();
    });
  }
});

describe('A response', () => {
  for (const method of ['GET', 'HEAD']) {
    it(`to ${method} says once that it is closed, and that it was not finished, when its client has left`, async () => {
      peer.send(head(method));
      const [, response] = await arrived;
      let closes = 0;
      response.on('close', () => {
        closes += 1;
      });
      peer.send(reset(constants.NGHTTP2_CANCEL));
      await once(response, 'close');
      await new Promise(setImmediate);
      assert.deepEqual([closes, response.writableFinished, response.destroyed], [1, false, true]);
      peer.socket.destroy();
    });

    it(`to ${method} is finished when all of it is out`, async () => {
      peer.send(head(method));
      const [, response] = await arrived;
      response.writeHead(200, { connection: 'close', 'content-length': '2', 'transfer-encoding': 'x' }).end('ok');
      await once(response, 'close');
      assert.deepEqual([response.writableFinished, response.headersSent], [true, true]);
      peer.socket.destroy();
    });
  }

  it('is reset with an error when it is destroyed, before its head and after it', async () => {
    for (const begin of [(): void => {}, (response: ServerResponse): boolean => response.write('begun')]) {
      peer.send(head('GET'));
      const [, response] = await arrived;
      begin(response);
      response.destroy();
      await peer.until((frames) => frames.some(({ type }) => type === FRAME.rstStream));
      const frames = peer.received.filter(({ stream }) => stream === 1);
      assert.deepEqual(frames.at(-1)?.payload, uint32(constants.NGHTTP2_INTERNAL_ERROR));
      assert.deepEqual(
        frames.filter(({ flags, type }) => type < 2 && (flags & FLAG.endStream) !== 0),
        [],
      );
      peer.socket.destroy();
      arrived = new Promise((resolve) => {
        onRequest = (incoming, later) => resolve([incoming, later]);
      });
      peer = await framePeer((tls.server.address() as AddressInfo).port, served.certificate);
    }
    peer.socket.destroy();
  });

  it('that is whole frees the rest of an upload without an error', async () => {
    peer.send(head('POST', FLAG.endHeaders), frame(FRAME.data, 0, 1, Buffer.from('begun')));
    const [incoming, response] = await arrived;
    await once(incoming, 'data');
    response.end('early');
    await peer.until((frames) => frames.some(({ type }) => type === FRAME.rstStream));
    const last = peer.received.filter(({ stream }) => stream === 1).slice(-2);
    assert.deepEqual(
      last.map(({ type, flags }) => [type, flags]),
      [
        [FRAME.data, FLAG.endStream],
        [FRAME.rstStream, 0],
      ],
    );
    assert.deepEqual(peer.received.findLast(({ stream }) => stream === 1)?.payload, uint32(constants.NGHTTP2_NO_ERROR));
    peer.socket.destroy();
  });
});
