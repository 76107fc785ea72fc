/** What one HTTP/2 connection may do to the instance: floods, heads without end, silence (RFC 9113 10.5). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants, createSecureServer, type OutgoingHttpHeaders } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { endIdleSessions } from '../../../src/gateway/listen/tls-server.ts';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { answerOf, http2Client } from '../../support/http2-client.ts';
import {
  FLAG,
  FRAME,
  type Frame,
  frame,
  framePeer,
  headerBlock,
  request,
  settings,
  uint32,
} from '../../support/http2-frames.ts';
import { withoutReason } from '../../support/refusals.ts';
import { changing, makeServed } from '../../support/served-certificate.ts';
import { type StartedGate, startGate, upstreamAt } from '../../support/start-gate.ts';
import { until } from '../../support/until.ts';

let nvr: FakeNvr;
let gate: StartedGate;
let impatient: StartedGate;
let ca: string;

before(async () => {
  nvr = await startFakeNvr();
  const served = await makeServed();
  ca = served.certificate;
  gate = await startGate(upstreamAt(nvr.url), {}, undefined, { tls: changing(served) });
  impatient = await startGate(upstreamAt(nvr.url), {}, undefined, { tls: changing(served), timeoutHeaders: 0.4 });
});
after(async () => {
  await gate.close();
  await impatient.close();
  await nvr.close();
});

type Lines = readonly (readonly [name: string, value: string])[];
const GET: Lines = [
  [':method', 'GET'],
  [':path', '/api/x'],
  [':scheme', 'https'],
  [':authority', 'nvr'],
];
const replaced = (name: string, value: string): Lines => GET.map(([at, was]) => [at, at === name ? value : was]);

/** A client that asks for something else at once is served, and the process is alive. */
async function assertAlive(): Promise<void> {
  const client = await http2Client(gate.url, ca);
  assert.equal((await client.ask('/api/version')).status, 200);
  client.close();
  assert.deepEqual(gate.faults, []);
}

const errorOf = (frames: readonly Frame[]): number | undefined =>
  frames.find(({ type }) => type === FRAME.goaway)?.payload.readUInt32BE(4);
const resetOf = (frames: readonly Frame[], id: number): number | undefined =>
  frames.find(({ type, stream }) => type === FRAME.rstStream && stream === id)?.payload.readUInt32BE(0);
const isAnswered = (frames: readonly Frame[], id: number): boolean =>
  frames.some(({ type, stream, flags }) => stream === id && type < 2 && (flags & FLAG.endStream) !== 0);

describe('A flood over HTTP/2', () => {
  const eight = Buffer.from('12345678');
  const many = (count: number, make: (id: number) => readonly Buffer[]): Buffer =>
    Buffer.concat(Array.from({ length: count }, (_, index) => make(index * 2 + 1)).flat());
  const head = request(1, GET, FLAG.endStream);
  // biome-ignore format: a table
  const floods: [sentence: string, bytes: Buffer][] = [
    ['of CONTINUATION frames',            many(64, () => [frame(FRAME.continuation, 0, 1, headerBlock([['x-a', 'b']]))])],
    ['of empty CONTINUATION frames',      many(5_000, () => [frame(FRAME.continuation, 0, 1)])],
    ['of SETTINGS frames',                many(20_000, () => [settings([0x4, 65_535])])],
    ['of streams that are reset at once', many(2_000, (id) => [request(id, GET), frame(FRAME.rstStream, 0, id, uint32(constants.NGHTTP2_CANCEL))])],
    ['of streams broken by their client (CVE-2025-8671)', many(500, (id) => [request(id, GET), frame(FRAME.windowUpdate, 0, id, uint32(0))])],
    ['of frames that are no frames',      many(2_000, () => [frame(FRAME.data, 0, 1, eight)])],
    ['of more settings than there are',   settings(...Array.from({ length: 100 }, (_, index) => [0xf000 + index, 1] as const))],
  ];
  for (const [sentence, bytes] of floods) {
    it(`${sentence}, whose sender reads nothing, ends its own connection and no other`, async () => {
      const peer = await framePeer(gate.port, ca);
      peer.socket.pause();
      peer.send(sentence.includes('CONTINUATION') ? Buffer.concat([head, bytes]) : bytes);
      await assertAlive();
      await until('what is sent is taken', () => peer.socket.writableLength === 0 || peer.socket.destroyed);
      peer.socket.resume();
      await until('the connection is ended', () => peer.socket.closed);
      await assertAlive();
    });
  }

  it('of streams beyond what was allowed is refused, and those before it are answered', async () => {
    const before = nvr.received.length;
    const releases: (() => void)[] = [];
    const { answer } = nvr;
    nvr.answer = (_incoming, response) => void releases.push(() => response.end('x'));
    const peer = await framePeer(gate.port, ca);
    const ids = Array.from({ length: 140 }, (_, index) => index * 2 + 1);
    peer.send(...ids.map((id) => request(id, GET)));
    await until('128 requests arrive', () => nvr.received.length - before === 128);
    for (const release of releases) release();
    await peer.until((frames) => ids.every((id) => isAnswered(frames, id) || resetOf(frames, id) !== undefined));
    nvr.answer = answer;
    const refused = ids.filter((id) => resetOf(peer.received, id) === constants.NGHTTP2_REFUSED_STREAM);
    assert.deepEqual([refused.length, nvr.received.length - before], [12, 128]);
    peer.socket.destroy();
    await assertAlive();
  });
});

describe('The head of an HTTP/2 request', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, lines: Lines][] = [
    ['of 1100 headers',                 [...GET, ...Array.from({ length: 1100 }, (_, index) => [`x-${index}`, ''] as const)]],
    ['with Connection',                 [...GET, ['connection', 'remote-role']]],
    ['with Transfer-Encoding',          [...GET, ['transfer-encoding', 'chunked']]],
    ['with Upgrade',                    [...GET, ['upgrade', 'h2c']]],
    ['with Keep-Alive',                 [...GET, ['keep-alive', 'timeout=5']]],
    ['with a TE other than trailers',   [...GET, ['te', 'chunked']]],
    ['with two paths',                  [...GET, [':path', '/api/y']]],
    ['with two authorities',            [...GET, [':authority', 'evil']]],
    ['with two Hosts',                  [...GET, ['host', 'nvr'], ['host', 'nvr']]],
    ['with two lengths',                [...GET, ['content-length', '1'], ['content-length', '1']]],
    ['with a length and no body',       [...GET, ['content-length', '5']]],
    ['without a path',                  GET.filter(([name]) => name !== ':path')],
    ['with an empty path',              replaced(':path', '')],
    ['with a space in its path',        replaced(':path', '/api/x y')],
    ['with a user in its authority',    replaced(':authority', 'me@nvr')],
    ['with a path that is no path',     replaced(':path', 'api/x')],
    ['with an address for a path',      replaced(':path', 'https://evil/api/x')],
    ['with a star for a path',          replaced(':path', '*')],
    ['with a method that is no token',  replaced(':method', 'G ET')],
    ['with a pseudo header behind others', [['x-a', 'b'], ...GET]],
    ['with an unknown pseudo header',   [...GET, [':remote-role', 'admin']]],
    ['of an extended CONNECT',          [...replaced(':method', 'CONNECT'), [':protocol', 'websocket']]],
    ['with capitals in a name',         [...GET, ['Remote-Role', 'admin']]],
  ];
  for (const [sentence, lines] of rows) {
    it(`${sentence} resets the stream, and nothing arrives`, async () => {
      const before = nvr.received.length;
      const peer = await framePeer(gate.port, ca);
      peer.send(request(1, lines));
      await peer.until((frames) => resetOf(frames, 1) !== undefined || isAnswered(frames, 1));
      assert.notEqual(resetOf(peer.received, 1) ?? errorOf(peer.received), undefined);
      assert.deepEqual(nvr.received.slice(before), []);
      peer.socket.destroy();
    });
  }

  const TARGET =
    'The request target is not accepted: send one path without dot segments, empty segments, backslashes or encoded separators.';
  const HEADER =
    'A request header is not accepted: names may hold letters, digits and hyphens, and single-valued headers may be sent once.';
  const METHOD = 'This HTTP method is not supported here.';
  // biome-ignore format: a table
  const refused: [sentence: string, status: number, message: string, headers: OutgoingHttpHeaders][] = [
    ['with another Host',               400, HEADER, { ':authority': 'nvr', host: 'evil' }],
    ['with an underscore in a name',    400, HEADER, { remote_role: 'admin' }],
    ['with dot segments',               400, TARGET, { ':path': '/api/../x' }],
    ['with a fragment',                 400, TARGET, { ':path': '/api/x#y' }],
    ['with a backslash',                400, TARGET, { ':path': '/api\\x' }],
    ['with an encoded slash',           400, TARGET, { ':path': '/api%2fx' }],
    ['with a target of 17 KB',          431, 'The request target is longer than 16 KB: send a shorter one.', { ':path': `/${'a'.repeat(17_000)}` }],
    ['of a TRACE',                      405, METHOD, { ':method': 'TRACE' }],
    ['of a PROPFIND',                   405, METHOD, { ':method': 'PROPFIND' }],
    ['of an OPTIONS for everything',    400, TARGET, { ':method': 'OPTIONS', ':path': '*' }],
    ['of a CONNECT',                    405, METHOD, { ':method': 'CONNECT', ':path': undefined, ':scheme': undefined, ':authority': 'evil:443' }],
    ['with an expectation',             417, 'Only "Expect: 100-continue" is supported.', { expect: '200-ok' }],
  ];
  for (const [sentence, status, message, headers] of refused) {
    it(`${sentence} is ${status}, as over HTTP/1, and nothing arrives`, async () => {
      const before = nvr.received.length;
      const client = await http2Client(gate.url, ca);
      const answer = await answerOf(client.session.request({ ':path': '/api/x', ...headers }, { endStream: true }));
      client.close();
      assert.deepEqual(
        [answer.status, withoutReason(JSON.parse(answer.body.toString()))],
        [status, { success: false, message }],
      );
      assert.deepEqual(nvr.received.slice(before), []);
    });
  }

  for (const [sentence, more] of [
    ['one header', { 'x-long': 'a'.repeat(32_800) }],
    ['many headers', Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`x-${index}`, 'a'.repeat(170)]))],
    [
      'many headers, nearly 64 KB in the table,',
      Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`x-${index}`, 'a'.repeat(200)])),
    ],
  ] as const) {
    it(`over 32 KB in ${sentence} is 431, as over HTTP/1, and nothing arrives`, async () => {
      const before = nvr.received.length;
      const client = await http2Client(gate.url, ca);
      const { status, headers, end } = await client.ask('/api/x', more);
      client.close();
      const ofTheGate = Object.keys(headers).filter((name) => name !== 'date');
      assert.deepEqual([status, ofTheGate, end, nvr.received.slice(before)], [431, [], 'NGHTTP2_NO_ERROR', []]);
    });
  }

  it('whose values are no text is passed on byte by byte, or not at all', async () => {
    const before = nvr.received.length;
    const values = ['\xc3\xbc', '\xff', 'a\tb', 'a\x01b', 'a\x00b', 'a\rb', 'a\nRemote-Role: admin', ' a', 'a '];
    for (const value of values) {
      const peer = await framePeer(gate.port, ca);
      peer.send(request(1, [...GET, ['x-a', value]]));
      await peer.until((frames) => resetOf(frames, 1) !== undefined || isAnswered(frames, 1));
      peer.socket.destroy();
    }
    const arrived = nvr.received.slice(before).flatMap(({ headers }) => headers.filter(([name]) => name === 'x-a'));
    const fine = ['\xc3\xbc', '\xff', 'a\tb', 'a'];
    for (const [, value] of arrived) assert.ok(fine.includes(value), JSON.stringify(value));
    for (const { headers } of nvr.received.slice(before)) {
      assert.deepEqual(
        headers.filter(([name]) => name === 'remote-role'),
        [['remote-role', 'admin']],
      );
    }
    await assertAlive();
  });
});

describe('A client that says nothing over HTTP/2', () => {
  it('is cut off in the time that a head has', async () => {
    const peer = await framePeer(impatient.port, ca);
    await until('the connection is ended', () => peer.socket.closed);
  });

  it('is cut off though it sends PING all the time', async () => {
    const peer = await framePeer(impatient.port, ca);
    const pings = setInterval(() => peer.send(frame(FRAME.ping, 0, 0, Buffer.from('12345678'))), 20);
    await until('the connection is ended', () => peer.socket.closed);
    clearInterval(pings);
  });

  it('is cut off though it sends PING in masses and reads no answer', async () => {
    const peer = await framePeer(impatient.port, ca);
    peer.socket.pause();
    const pings = Buffer.concat(
      Array.from({ length: 100_000 }, () => frame(FRAME.ping, 0, 0, Buffer.from('12345678'))),
    );
    let sent = 0;
    let isEnded = false;
    const more = (error?: Error | null): void => {
      isEnded ||= error instanceof Error || peer.socket.destroyed;
      if (isEnded) return;
      sent += pings.length;
      peer.socket.write(pings, more);
    };
    more();
    await until('the connection is ended', () => isEnded);
    assert.ok(sent < 60_000_000, `${sent} bytes were taken from a client that reads nothing`);
  });

  it('is cut off though it sends its head byte by byte', async () => {
    const peer = await framePeer(impatient.port, ca);
    const bytes = request(1, [...GET, ['x-a', 'a'.repeat(2000)]]);
    let at = 0;
    const drips = setInterval(() => {
      peer.send(bytes.subarray(at, at + 1));
      at += 1;
    }, 20);
    await until('the connection is ended', () => peer.socket.closed);
    clearInterval(drips);
    assert.ok(at < bytes.length);
  });

  it('is not cut off while an answer is under way', async () => {
    const { answer } = nvr;
    nvr.answer = (_incoming, response) => {
      response.write('begun');
      setTimeout(() => response.end('whole'), 1_000);
    };
    const client = await http2Client(impatient.url, ca);
    const { body, end } = await client.ask('/api/x');
    nvr.answer = answer;
    assert.deepEqual([body.toString(), end], ['begunwhole', 'NGHTTP2_NO_ERROR']);
    assert.equal((await client.ask('/api/version')).status, 200);
    client.close();
  });

  it('is cut off when it has asked, and then asks nothing for long', async () => {
    const { certificate, privateKey } = await makeServed();
    const server = createSecureServer({ cert: certificate, key: privateKey });
    endIdleSessions(server, { first: 5_000, idle: 200 }, () => {});
    let release = (): void => {};
    server.on('request', (_request, response) => {
      release = () => void response.end('x');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = await http2Client(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, certificate);
    for (const wait of [0, 400]) {
      const answer = client.ask('/');
      await once(server, 'request');
      setTimeout(release, wait);
      assert.equal((await answer).status, 200);
    }
    await until('the connection is ended', () => client.session.destroyed);
    server.close();
  });
});
