/** Offers of another protocol, and upgrades as real clients send them (SPEC 5; RFC 9110 section 7.8). */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { openConnection } from '../attacks/support/raw-connection.ts';
import { answerLikeAnNvr, type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { rawRequest } from '../support/raw-request.ts';
import { changing, makeServed } from '../support/served-certificate.ts';
import { type StartedGate, startGate, upstreamAt } from '../support/start-gate.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);

let nvr: FakeNvr;
let gate: StartedGate;
let tlsGate: StartedGate;

before(async () => {
  nvr = await startFakeNvr();
  gate = await startGate(upstreamAt(nvr.url));
  tlsGate = await startGate(upstreamAt(nvr.url), {}, undefined, { tls: changing(await makeServed()) });
});
after(async () => {
  await gate.close();
  await tlsGate.close();
  await nvr.close();
});
beforeEach(() => {
  nvr.received.length = 0;
  nvr.answer = answerLikeAnNvr;
});

const targets = (): string[] => nvr.received.map(({ target }) => target);

/** The first line that comes back over TLS. */
async function overTls(bytes: string): Promise<string> {
  const socket: TLSSocket = connect({ port: tlsGate.port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  socket.write(bytes);
  const [chunk] = await once(socket, 'data');
  socket.destroy();
  return String(chunk).split('\r\n', 1)[0] ?? '';
}

const SETTINGS = 'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA';
const request = (...lines: string[]): string =>
  ['GET /api/version HTTP/1.1', 'Host: nvr', ...lines, '', ''].join('\r\n');

// biome-ignore format: a table
const OFFERS: readonly (readonly [sentence: string, ...lines: string[]])[] = [
  ['of h2c, as curl and Java send it', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', SETTINGS],
  ['of TLS',                           'Connection: Upgrade',                 'Upgrade: TLS/1.0'],
  ['of several protocols',             'Connection: upgrade, x-hop',          'Upgrade: IRC/6.9, RTA/x11, h2c', 'X-Hop: 1'],
  ['of nothing at all',                'Connection: Upgrade',                 'Upgrade: '],
  ['that Connection does not name',    'Connection: keep-alive',              'Upgrade: h2c'],
];

describe('An offer', () => {
  for (const [sentence, ...lines] of OFFERS) {
    it(`${sentence} is answered in HTTP/1.1, and goes no further`, async () => {
      const answer = await rawRequest(gate.port, request(...lines));
      assert.equal(answer.status, 200, answer.text);
      assert.match(answer.text, /^HTTP\/1\.1 200 OK\r\n/);
      assert.equal(await overTls(request(...lines)), 'HTTP/1.1 200 OK');
      assert.equal(nvr.received.length, 2);
      for (const { headers } of nvr.received) {
        const names = headers.map(([name]) => name);
        assert.deepEqual(
          names.filter((name) => /^(?:upgrade|http2-settings|x-hop)$/.test(name)),
          [],
        );
      }
    });
  }

  it('with a body keeps its body', async () => {
    const answer = await rawRequest(
      gate.port,
      [
        'POST /api/first HTTP/1.1',
        'Host: nvr',
        'Connection: Upgrade',
        'Upgrade: h2c',
        'Content-Length: 5',
        '',
        'hello',
      ].join('\r\n'),
    );
    assert.match(answer.text, /"bodyBytes":5/);
    assert.deepEqual(targets(), ['/api/first']);
  });

  const OFFER = request('Connection: Upgrade', 'Upgrade: h2c');
  const EMPTY = `${request('Connection: Upgrade', 'Upgrade: h2c', 'Transfer-Encoding: chunked')}0\r\n\r\n`;
  const behind = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: nvr\r\n\r\n`;

  for (const [sentence, sent] of [
    ['in one write', [OFFER + behind('/api/second') + behind('/api/third')]],
    ['in one write, with an empty body between', [EMPTY + behind('/api/second'), behind('/api/third')]],
    ['while its answer is awaited', [OFFER, behind('/api/second'), behind('/api/third')]],
  ] as const) {
    it(`is the last request of its connection, and says so: what is sent behind it ${sentence} gets no answer`, async () => {
      const held: ServerResponse[] = [];
      nvr.answer = (_request, response) => void held.push(response);
      const client = await openConnection(gate.port);
      const [first, ...rest] = sent;
      await client.send(first);
      await until('the offer is at the NVR', () => held.length === 1);
      for (const bytes of rest) await client.send(bytes);
      held[0]?.end('first');
      await until('the connection is closed', client.isClosed);
      assert.deepEqual(
        client.answers().map(({ status, body }) => [status, body]),
        [[200, 'first']],
      );
      assert.match(client.answers()[0]?.head ?? '', /\r\nconnection: close/i);
      nvr.answer = answerLikeAnNvr;
      await fetch(`${gate.url}/api/later`);
      assert.deepEqual(targets(), ['/api/version', '/api/later']);
    });
  }

  it('of HTTP/2 by curl itself is answered', async () => {
    const { stdout } = await run('curl', [
      '-sS',
      '--http2',
      '-w',
      '%{http_code} %{http_version}',
      '-o',
      '/dev/null',
      `${gate.url}/api/version`,
    ]);
    assert.equal(stdout, '200 1.1');
    assert.equal(nvr.received.length, 1);
  });
});

const WEBSOCKET = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

describe('A WebSocket upgrade', () => {
  it('with Content-Length: 0, as the client of Java sends it, has no body', async () => {
    const answer = await rawRequest(
      gate.port,
      ['GET /ws HTTP/1.1', 'Host: nvr', 'Content-Length: 0', ...WEBSOCKET, '', ''].join('\r\n'),
    );
    assert.equal(answer.status, 101, answer.text);
    assert.deepEqual(nvr.lastHeader('content-length'), []);
  });

  it('that lists another protocol too is refused', async () => {
    const lines = WEBSOCKET.map((line) => line.replace('Upgrade: websocket', 'Upgrade: websocket, h2c'));
    const answer = await rawRequest(gate.port, ['GET /ws HTTP/1.1', 'Host: nvr', ...lines, '', ''].join('\r\n'));
    assert.equal(answer.status, 400);
    assert.deepEqual(nvr.received, []);
  });
});
