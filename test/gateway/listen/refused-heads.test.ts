/** Heads and connections that never become a request: each is answered, counted and told with its peer and cause (SPEC 5, 9). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { answerLikeAnNvr, type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { type Http2Client, http2Client } from '../../support/http2-client.ts';
import { FRAME, frame, framePeer } from '../../support/http2-frames.ts';
import { VERA } from '../../support/people.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { changing, makeServed } from '../../support/served-certificate.ts';
import { type StartedGate, startGate, upstreamAt } from '../../support/start-gate.ts';
import { startInstance } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';

let nvr: FakeNvr;
let plain: StartedGate;
let hasty: StartedGate;
let overTls: StartedGate;
let ca: string;

before(async () => {
  nvr = await startFakeNvr();
  const served = await makeServed();
  ca = served.certificate;
  plain = await startGate(upstreamAt(nvr.url));
  hasty = await startGate(upstreamAt(nvr.url), {}, undefined, { timeoutHeaders: 0.2 });
  overTls = await startGate(upstreamAt(nvr.url), {}, undefined, { tls: changing(served) });
});
after(async () => {
  for (const gate of [plain, hasty, overTls]) await gate.close();
  await nvr.close();
});
beforeEach(() => {
  nvr.received.length = 0;
  for (const gate of [plain, hasty, overTls]) gate.refusals.length = 0;
});

const withCookies = (bytes: number): string =>
  `GET /api/version HTTP/1.1\r\nHost: nvr\r\nCookie: a=${'x'.repeat(bytes)}\r\n\r\n`;

describe('A head', () => {
  it('of 30 KB passes, over HTTP/1 and HTTP/2', async () => {
    assert.equal((await rawRequest(plain.port, withCookies(30_000))).status, 200);
    const client = await http2Client(overTls.url, ca);
    const answer = await client.ask('/api/version', { cookie: `a=${'x'.repeat(30_000)}` });
    client.close();
    assert.equal(answer.status, 200);
    assert.deepEqual(
      nvr.received.map(({ headers }) => headers.find(([name]) => name === 'cookie')?.[1].length),
      [30_002, 30_002],
    );
    assert.deepEqual([...plain.refusals, ...overTls.refusals], []);
  });

  it('of 33 KB is 431 with a sentence, and told', async () => {
    const { status, text } = await rawRequest(plain.port, withCookies(33_000));
    assert.equal(status, 431);
    assert.match(text, /longer than 32 KB: delete the cookies of this host/);
    assert.deepEqual(plain.refusals, ['head_too_large 127.0.0.1 HPE_HEADER_OVERFLOW']);
    const client = await http2Client(overTls.url, ca);
    assert.equal((await client.ask('/api/version', { cookie: `a=${'x'.repeat(33_000)}` })).status, 431);
    client.close();
    assert.deepEqual(overTls.refusals, ['head_too_large 127.0.0.1']);
    assert.deepEqual(nvr.received, []);
  });

  it('with a target of 16 KB passes, and of more is 431', async () => {
    const asking = (length: number): string => `GET /${'a'.repeat(length - 1)} HTTP/1.1\r\nHost: nvr\r\n\r\n`;
    assert.equal((await rawRequest(plain.port, asking(16 * 1024))).status, 200);
    const { status, text } = await rawRequest(plain.port, asking(16 * 1024 + 1));
    assert.equal(status, 431);
    assert.match(text, /target is longer than 16 KB/);
    assert.deepEqual(plain.refusals, []);
  });

  it('that is no HTTP is 400, and told with what the parser calls it', async () => {
    assert.equal((await rawRequest(plain.port, 'GET / HTTP/1.1\r\nHost : nvr\r\n\r\n')).status, 400);
    assert.deepEqual(plain.refusals, ['malformed 127.0.0.1 HPE_INVALID_HEADER_TOKEN']);
  });

  it('that does not come in time is 408, and told; so is the end of an empty body', async () => {
    for (const bytes of [
      'GET / HTTP/1.1\r\nHost: n',
      'GET / HTTP/1.1\r\nHost: nvr\r\nTransfer-Encoding: chunked\r\n\r\n',
    ])
      assert.equal((await rawRequest(hasty.port, bytes)).status, 408);
    assert.deepEqual(hasty.refusals, ['too_slow 127.0.0.1 ERR_HTTP_REQUEST_TIMEOUT', 'too_slow 127.0.0.1']);
  });

  it('whose client leaves in the middle of it is told nowhere', async () => {
    const closed: Socket[] = [];
    for (const leave of ['end', 'resetAndDestroy'] as const) {
      const socket = connect(plain.port, '127.0.0.1').on('error', () => {});
      await once(socket, 'connect');
      socket.write('GET / HTTP/1.1\r\nHost: n', () => socket[leave]());
      socket.once('close', () => closed.push(socket));
      socket.resume();
    }
    await until('both are gone', () => closed.length === 2);
    assert.equal((await rawRequest(plain.port, withCookies(1))).status, 200);
    assert.deepEqual(plain.refusals, []);
  });
});

describe('On the port with TLS', () => {
  it('plain HTTP is told', async () => {
    assert.equal((await rawRequest(overTls.port, withCookies(1))).status, 400);
    assert.deepEqual(overTls.refusals, ['plain_http 127.0.0.1']);
  });

  it('a handshake that fails is told with its code', async () => {
    const socket = connectTls({
      port: overTls.port,
      host: '127.0.0.1',
      ca,
      maxVersion: 'TLSv1.2',
      ciphers: 'AES128-SHA',
    });
    await new Promise((resolve) => socket.once('error', resolve));
    await until('it is told', () => overTls.refusals.length > 0);
    assert.match(overTls.refusals[0] ?? '', /^tls 127\.0\.0\.1 ERR_SSL_/);
  });

  it('a client that leaves in the handshake is told nowhere', async () => {
    const socket = connect(overTls.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(Buffer.from([0x16, 3, 1]), () => socket.resetAndDestroy());
    const client = await http2Client(overTls.url, ca);
    assert.equal((await client.ask('/api/version')).status, 200);
    client.close();
    assert.deepEqual(overTls.refusals, []);
  });

  it('what breaks the rules of HTTP/2 is told', async () => {
    const peer = await framePeer(overTls.port, ca);
    peer.send(frame(FRAME.data, 0, 0, Buffer.from('x')));
    await until('it is told', () => overTls.refusals.length > 0);
    assert.deepEqual(overTls.refusals, ['http2 127.0.0.1 ERR_HTTP2_ERROR']);
    peer.socket.destroy();
  });

  /** So many pages whose pictures have not come, one after the other, as long as the connection lives. */
  async function leavePages(client: Http2Client, pages: number): Promise<void> {
    const pictures = 80;
    for (let page = 1; page <= pages && !client.session.destroyed; page += 1) {
      const before = nvr.received.length;
      const streams = Array.from({ length: pictures }, () => client.open('/api/cam1/latest.jpg'));
      await until('all are asked for', () => client.session.destroyed || nvr.received.length >= before + pictures);
      const left = streams.map((stream) => once(stream, 'close'));
      for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
      await Promise.all(left);
      await until('the NVR is asked no more', () => client.session.destroyed || nvr.sockets.size === 0);
    }
  }
  const leaving = async (pages: number): Promise<number | undefined> => {
    nvr.answer = () => {};
    const client = await http2Client(overTls.url, ca);
    await leavePages(client, pages);
    nvr.answer = answerLikeAnNvr;
    const { status } = client.session.destroyed ? { status: undefined } : await client.ask('/api/version');
    client.close();
    return status;
  };

  it('a browser that leaves four pages with 80 pictures each keeps its connection', async () => {
    assert.equal(await leaving(4), 200);
    assert.deepEqual(overTls.refusals, []);
  });

  it('a client that resets more than a thousand loses it, and that is told', async () => {
    assert.equal(await leaving(40), undefined);
    assert.deepEqual(overTls.refusals, ['http2_resets 127.0.0.1 ERR_HTTP2_ERROR']);
  });
});

describe('A service', () => {
  it('says each cause once a minute, and counts each time', async (test) => {
    const instance = await startInstance({ config: { nvr: { url: nvr.url } } });
    test.after(instance.close);
    for (let times = 0; times < 3; times += 1)
      assert.equal((await rawRequest(instance.port, withCookies(33_000))).status, 431);
    assert.equal((await rawRequest(instance.internalPort, 'no HTTP\r\n\r\n')).status, 400);
    const told = instance.log.filter(({ cause }) => cause !== undefined);
    assert.deepEqual(
      told.map(({ cause, peer, code, level }) => [cause, peer, code, level]),
      [
        ['head_too_large', '127.0.0.1', 'HPE_HEADER_OVERFLOW', 'warn'],
        ['malformed', '127.0.0.1', 'HPE_INVALID_METHOD', 'warn'],
      ],
    );
    assert.match(String(told[0]?.['msg']), /431: a browser with many or large cookies/);
    const metrics = await (await fetch(`${instance.telemetryUrl}/metrics`)).text();
    assert.match(metrics, /^postern_connections_refused_total\{cause="head_too_large"\} 3$/m);
    assert.match(metrics, /^postern_connections_refused_total\{cause="malformed"\} 1$/m);
  });

  it('sends none of its own cookies on, and names the line that the NVR refuses', async (test) => {
    const instance = await startInstance({ config: { nvr: { url: nvr.url, cameras: ['cam1'] } } });
    test.after(instance.close);
    nvr.answer = (_request, response) => void response.writeHead(400).end('Request Header Or Cookie Too Large');
    test.after(() => {
      nvr.answer = answerLikeAnNvr;
    });
    const theirs = `theirs=${'x'.repeat(9_000)}`;
    const session = `frigate_token=${await instance.logIn(VERA)}`;
    for (const path of ['/api/version', '/api/stats']) {
      const cookie = `${session}; postern_oidc_home=${'y'.repeat(9_000)}; ${theirs}; postern_language=de`;
      assert.equal((await instance.ask(path, { headers: { cookie } })).status, 400);
    }
    assert.deepEqual(nvr.lastHeader('cookie'), [theirs]);
    await instance.ask('/api/version', { headers: { cookie: session } });
    const told = instance.log.filter(({ line }) => line !== undefined);
    assert.deepEqual(
      told.map(({ line, status, path }) => [line, status, path]),
      [['cookie', 400, '/api/version']],
    );
    assert.match(String(told[0]?.['msg']), /a line of more than 8 KB.*large_client_header_buffers/);
  });
});
