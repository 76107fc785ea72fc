/** What libraries get wrong in forwarding, row by row (SPEC 6): bodies, aborts both ways, cut answers, odd upstreams. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Upstream } from '../../src/domain/addresses.ts';
import { REFUSALS, type RefusalReason } from '../../src/domain/refusal.ts';
import { answerLikeAnNvr, type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { rawRequest } from '../support/raw-request.ts';
import { type StartedGate, startGate, upstreamAt } from '../support/start-gate.ts';
import { startTlsFront, type TlsFront } from '../support/tls-front.ts';
import { until } from '../support/until.ts';

let nvr: FakeNvr;
let gate: StartedGate;

before(async () => {
  nvr = await startFakeNvr();
});
after(() => nvr.close());
beforeEach(() => {
  nvr.received.length = 0;
  nvr.answer = answerLikeAnNvr;
  nvr.rawAnswer = undefined;
  nvr.answerUpgrade = undefined;
  gate.failures.length = 0;
});

const raw = (lines: string[], body = ''): Promise<{ status: number | undefined; text: string }> =>
  rawRequest(gate.port, `${lines.join('\r\n')}\r\n\r\n${body}`);
const HOST = 'Host: nvr';

/** The process is alive and the gate answers. */
async function assertAlive(): Promise<void> {
  nvr.answer = answerLikeAnNvr;
  nvr.rawAnswer = undefined;
  assert.equal((await fetch(`${gate.url}/api/version`)).status, 200);
  assert.deepEqual(gate.faults, []);
}

const UPGRADE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
].join('\r\n');

/** Fields that must not come behind a body (RFC 9110 section 6.5.1): some reader would take them for lines of the head. */
const OF_A_HEAD = {
  'Set-Cookie': 'frigate_token=stolen',
  'Cache-Control': 'public',
  'Content-Type': 'text/html',
  'Access-Control-Allow-Origin': '*',
  'X-Request-Id': 'forged',
  Location: '/',
};

/** Seconds. */
const TIME_TO_ANSWER = { 'http:': 0.05, 'https:': 0.5 } as const;

for (const protocol of ['http:', 'https:'] as const) {
  describe(`By ${protocol}`, () => {
    let front: TlsFront | undefined;
    let to: Upstream;
    let trust: { readonly ca?: string };
    before(async () => {
      front = protocol === 'https:' ? await startTlsFront(nvr.port) : undefined;
      to = front ? { kind: 'tcp', protocol, host: 'localhost', port: front.port } : upstreamAt(nvr.url);
      trust = front ? { ca: front.ca } : {};
      gate = await startGate(to, { ...trust, maxUpload: 10_000_000 });
    });
    after(async () => {
      await gate.close();
      await front?.close();
    });

    describe('A request that is passed on', () => {
      it('arrives as one request, with its body whole', async () => {
        const body = Buffer.alloc(5_000_000, 'x');
        const answer = await fetch(`${gate.url}/api/import`, { method: 'POST', body });
        assert.deepEqual(await answer.json(), { method: 'POST', target: '/api/import', bodyBytes: body.length });
        assert.equal(nvr.received.length, 1);
        // A server that does not read the body must not read it as the next request.
        assert.deepEqual(nvr.lastHeader('connection'), ['close']);
      });

      it('arrives with the very target that was judged', async () => {
        const target = "/api/events/1.5-a%20b/x(y)'!?q=%2e%2e/%2F&r=a+b";
        assert.equal((await raw([`GET ${target} HTTP/1.1`, HOST])).status, 200);
        assert.equal(nvr.received[0]?.target, target);
      });

      it('carries a body on GET, as Home Assistant sends it', async () => {
        const answer = await raw(
          ['GET /api/x HTTP/1.1', HOST, 'Content-Type: application/json', 'Content-Length: 2'],
          '{}',
        );
        assert.equal(answer.status, 200);
        assert.deepEqual(
          nvr.received.map(({ method, body }) => [method, body]),
          [['GET', '{}']],
        );
      });

      it('is given its 100 Continue when it is admitted, and does not pass Expect on', async () => {
        const answer = await raw(
          ['POST /api/x HTTP/1.1', HOST, 'Expect: 100-continue', 'Remote-Role: viewer', 'Content-Length: 3'],
          'abc',
        );
        assert.match(answer.text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
        assert.deepEqual([nvr.lastHeader('expect'), nvr.lastHeader('remote-role')], [[], ['admin']]);
      });

      it('may announce a trailer without a body', async () => {
        assert.equal((await raw(['GET /api/x HTTP/1.1', HOST, 'Trailer: x'])).status, 200);
        await assertAlive();
      });

      it('loses the trailers behind its body', async () => {
        const body = '3\r\nabc\r\n0\r\nRemote-Role: viewer\r\n\r\n';
        assert.equal((await raw(['POST /api/x HTTP/1.1', HOST, 'Transfer-Encoding: chunked'], body)).status, 200);
        assert.deepEqual([nvr.received[0]?.body, nvr.lastHeader('remote-role')], ['abc', ['admin']]);
      });

      it('cannot smuggle a second one in a chunked DELETE', async () => {
        const smuggled = 'GET /api/users HTTP/1.1\r\nHost: nvr\r\nremote-role: admin\r\n\r\n';
        const body = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;
        for (const method of ['DELETE', 'OPTIONS']) {
          const answer = await raw([`${method} /api/x HTTP/1.1`, HOST, 'Transfer-Encoding: chunked'], body);
          assert.equal(answer.status, 400);
        }
        assert.deepEqual(nvr.received, []);
      });

      it('is refused by its announced length', async () => {
        const answer = await raw(['POST /api/x HTTP/1.1', HOST, 'Content-Length: 10000001']);
        assert.equal(answer.status, 413);
        assert.deepEqual(nvr.received, []);
      });

      it('is refused when an unannounced body grows too large, and is not finished upstream', async () => {
        let wasCut = false;
        nvr.answer = (incoming) => incoming.once('aborted', () => (wasCut = true));
        const chunk = Buffer.alloc(1_000_000);
        let left = 100;
        const stream = new ReadableStream({
          async pull(controller) {
            await turn(); // else this side would never let the other one have its say
            left -= 1;
            if (left > 0) controller.enqueue(chunk);
            else controller.close();
          },
        });
        const answer = await fetch(`${gate.url}/api/x`, { method: 'POST', body: stream, duplex: 'half' }).then(
          ({ status }) => status,
          () => 'cut',
        );
        assert.ok(answer === 413 || answer === 'cut', `answered ${answer}`);
        await until('the upload ends at the NVR', () => wasCut);
        await assertAlive();
      });

      it('shares one upstream connection with those before it', async () => {
        await fetch(`${gate.url}/api/version`).then((answer) => answer.text());
        const before = nvr.connections();
        for (let sent = 0; sent < 20; sent += 1) await fetch(`${gate.url}/api/version`).then((answer) => answer.text());
        assert.equal(nvr.connections() - before, 0);
      });
    });

    describe('An answer that is passed back', () => {
      it('keeps every Set-Cookie line but one that would take the place of the session', async () => {
        nvr.answer = (_request, response) =>
          response
            .writeHead(
              200,
              [
                ['Set-Cookie', 'a=1'],
                ['Set-Cookie', 'frigate_token=stolen'],
                ['Set-Cookie', '=frigate_token=stolen'],
                ['Set-Cookie', ' = frigate_token=stolen; Path=/'],
                ['Set-Cookie', 'frigate_token; Path=/; a=b'],
                ['Set-Cookie', ''],
                ['Set-Cookie', 'b=2'],
              ].flat(),
            )
            .end();
        const answer = await fetch(`${gate.url}/api/x`);
        assert.deepEqual(answer.headers.getSetCookie(), ['a=1', 'b=2']);
      });

      it('names no user, and steers no server in front', async () => {
        nvr.answer = (_request, response) =>
          response
            .writeHead(200, { 'Remote-Role': 'admin', 'X-Accel-Redirect': '/x', 'X-Proxy-Secret': 's', 'X-Other': 'o' })
            .end();
        const { headers } = await fetch(`${gate.url}/api/x`);
        assert.deepEqual(
          ['remote-role', 'x-accel-redirect', 'x-proxy-secret', 'x-other'].map((name) => headers.get(name)),
          [null, null, null, 'o'],
        );
      });

      // biome-ignore format: a table
      const types: [type: string, buffering: string | null][] = [
        ['multipart/x-mixed-replace; boundary=frame', 'no'], ['text/event-stream', 'no'], ['video/mp4', 'no'], ['Video/MP2T', 'no'], ['audio/aac', 'no'],
        ['image/jpeg', null], ['application/json', null], ['text/html', null],
      ];
      for (const [type, buffering] of types)
        it(`of type ${type} ${buffering ? 'is not to be buffered by a proxy in front' : 'may be buffered'}`, async () => {
          nvr.answer = (_request, response) =>
            void response.writeHead(200, { 'Content-Type': type, 'X-Accel-Buffering': 'yes' }).end('x');
          const { headers } = await fetch(`${gate.url}/api/x`);
          assert.equal(headers.get('x-accel-buffering'), buffering);
        });

      // biome-ignore format: a table
      const caching: [sentence: string, sent: string | undefined, passed: string][] = [
    ['is private when it says nothing of caches', undefined,                       'private'],
    ['is private though it said public',          'public, max-age=604800',        'private, max-age=604800'],
    ['is not for shared caches at all',           'max-age=5, s-maxage=9',         'private, max-age=5'],
    ['stays out of every cache if it said so',    'no-store',                      'no-store'],
  ];
      for (const [sentence, sent, passed] of caching) {
        it(sentence, async () => {
          nvr.answer = (_request, response) => response.writeHead(200, sent ? { 'Cache-Control': sent } : {}).end('x');
          assert.equal((await fetch(`${gate.url}/api/x`)).headers.get('cache-control'), passed);
        });
      }

      it('has no body on HEAD and 304, and keeps its length and tag', async () => {
        nvr.answer = (incoming, response) =>
          response.writeHead(incoming.method === 'HEAD' ? 200 : 304, { 'Content-Length': '10', ETag: '"e"' }).end();
        const head = await raw(['HEAD /api/x HTTP/1.1', HOST, 'Connection: close']);
        assert.match(head.text, /content-length: 10\r\n/i);
        const unchanged = await raw(['GET /api/x HTTP/1.1', HOST, 'If-None-Match: "e"']);
        assert.match(unchanged.text, /^HTTP\/1\.1 304 .*etag: "e".*\r\n\r\n$/is);
      });

      it('passes Range and 206 on', async () => {
        const answer = await fetch(`${gate.url}/vod/cam1/big.bin`, { headers: { Range: 'bytes=1000-1250' } });
        const bytes = new Uint8Array(await answer.arrayBuffer());
        assert.deepEqual(
          [answer.status, answer.headers.get('content-range'), bytes.length],
          [206, 'bytes 1000-1250/209715200', 251],
        );
        assert.deepEqual(
          [...bytes],
          Array.from({ length: 251 }, (_, index) => (1000 + index) % 251),
        );
      });

      it('passes trailers on', async () => {
        nvr.answer = (_request, response) => {
          response.writeHead(200, { Trailer: 'X-Sum' });
          response.write('abc');
          response.addTrailers({ 'X-Sum': '6', 'Remote-Role': 'admin', ...OF_A_HEAD });
          response.end();
        };
        const { text } = await raw(['GET /api/x HTTP/1.1', HOST]);
        assert.match(text, /0\r\nx-sum: 6\r\n\r\n$/i);
      });

      for (const version of ['1.0', '1.1']) {
        for (const [framing, line, begun] of [
          ['in chunks', 'Transfer-Encoding: chunked\r\n', '5\r\nbegun\r\n'],
          ['until its connection ends', '', 'begun'],
        ]) {
          it(`${framing}, and is cut, does not look whole to HTTP/${version}`, async () => {
            nvr.rawAnswer = { bytes: `HTTP/1.1 200 OK\r\n${line}\r\n${begun}`, isOpen: true };
            const socket = connect(gate.port, '127.0.0.1').setEncoding('latin1');
            let [text, fault] = ['', ''];
            socket.on('error', ({ message }) => (fault = message)).on('data', (piece) => (text += piece));
            socket.write(`GET /api/x HTTP/${version}\r\n${HOST}\r\nConnection: close\r\n\r\n`);
            await until('the body begins', () => text.includes('begun'));
            for (const upstream of nvr.sockets) upstream.resetAndDestroy();
            await until('the client is cut off', () => socket.closed);
            assert.match(version === '1.0' ? fault : text, version === '1.0' ? /ECONNRESET/ : /begun\r\n$/);
          });
        }
      }

      it('passes the head of a stream on before its first byte', async () => {
        nvr.answer = (_request, response) => {
          response.writeHead(200, { 'Content-Type': 'text/event-stream' });
          response.flushHeaders();
        };
        const answer = await fetch(`${gate.url}/api/x`);
        assert.equal(answer.headers.get('content-type'), 'text/event-stream');
        await answer.body?.cancel();
      });

      // biome-ignore format: a table
      const broken: [sentence: string, bytes: string][] = [
    ['that is cut inside its length',        'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc'],
    ['that is cut inside a chunk',           'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc'],
    ['that is cut between chunks',           'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'],
    ['that turns to garbage',                'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n'],
  ];
      for (const [sentence, bytes] of broken) {
        it(`${sentence} breaks the client's connection: it never looks whole`, async () => {
          nvr.rawAnswer = { bytes };
          const { text } = await raw(['GET /api/x HTTP/1.1', HOST]);
          assert.doesNotMatch(text, /0\r\n\r\n$/);
          await assert.rejects(fetch(`${gate.url}/api/x`).then((answer) => answer.text()));
          await assertAlive();
        });
      }

      // biome-ignore format: a table
      const odd: [sentence: string, bytes: string, statuses: number[]][] = [
    ['with a control character in its status line', 'HTTP/1.1 200 O\x01K\r\nContent-Length: 0\r\n\r\n',                       [200, 502]],
    ['with a status below 100',                      'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n',                          [502]],
    ['with status 999',                              'HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n',                          [502]],
    ['with an unknown transfer coding',              'HTTP/1.1 200 OK\r\nTransfer-Encoding: cow\r\n\r\nabc',                  [502]],
    ['with two ways to tell its length',             'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n', [502]],
    ['with two lengths',                             'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd',  [502]],
    ['with a trailer that does not fit its length',  'HTTP/1.1 200 OK\r\nTrailer: x\r\nContent-Length: 3\r\n\r\nabc',          [200]],
    ['with 100 KB of headers',                       `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(100_000)}\r\nContent-Length: 0\r\n\r\n`, [502]],
    ['that is an upgrade without a request for one', 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', [502]],
    ['that is no HTTP',                              'SSH-2.0-OpenSSH_9.2\r\n',                                                [502]],
    ['that is nothing at all',                       '',                                                                       [502]],
  ];
      for (const [sentence, bytes, statuses] of odd) {
        it(`${sentence} does no harm`, async () => {
          nvr.rawAnswer = { bytes };
          const { status } = await raw(['GET /api/x HTTP/1.1', HOST, 'Connection: close']);
          assert.ok(statuses.includes(status ?? 0), `answered ${status}`);
          await assertAlive();
        });
      }

      it('to half an upload is whole, and the connection upstream is not used again', async () => {
        nvr.answer = (_request, response) => response.writeHead(401, { 'Content-Length': '2' }).end('no');
        const socket = connect(gate.port, '127.0.0.1');
        socket.write(`POST /api/x HTTP/1.1\r\n${HOST}\r\nContent-Length: 5000000\r\n\r\nbegun`);
        const [chunk] = (await once(socket, 'data')) as [Buffer];
        assert.match(chunk.toString('latin1'), /^HTTP\/1\.1 401 /);
        socket.destroy();
        nvr.answer = answerLikeAnNvr;
        assert.equal((await fetch(`${gate.url}/api/version`)).status, 200);
      });
    });

    describe('When one side goes away', () => {
      const held = (): { isOpen: () => boolean; count: () => number } => {
        const open = new Set<IncomingMessage>();
        let count = 0;
        nvr.answer = (incoming, response) => {
          count += 1;
          open.add(incoming);
          response.once('close', () => open.delete(incoming));
          if (incoming.url === '/api/stream') response.write('begun');
        };
        return { isOpen: () => open.size > 0, count: () => count };
      };

      // biome-ignore format: a table
      const leaving: [sentence: string, head: string][] = [
    ['before the answer',          `GET /api/silent HTTP/1.1\r\n${HOST}\r\n\r\n`],
    ['inside a streaming answer',  `GET /api/stream HTTP/1.1\r\n${HOST}\r\n\r\n`],
    ['inside its upload',          `POST /api/upload HTTP/1.1\r\n${HOST}\r\nContent-Length: 1000\r\n\r\nbegun`],
  ];
      for (const [sentence, head] of leaving) {
        for (const way of ['destroy', 'resetAndDestroy'] as const) {
          it(`a client that leaves ${sentence} (${way}) tears its request to the NVR down`, async () => {
            const request = held();
            const socket = connect(gate.port, '127.0.0.1').on('error', () => {});
            socket.write(head);
            await until('the request arrives', () => request.count() === 1);
            if (sentence.includes('streaming')) await once(socket, 'data');
            socket[way]();
            await until('the NVR sees the client leave', () => !request.isOpen());
            await assertAlive();
          });
        }
      }

      it('an NVR that is not there is 502 at once, with what to check', async () => {
        const away = await startGate({ kind: 'tcp', protocol, host: '127.0.0.1', port: 1 });
        const answer = await fetch(`${away.url}/api/x`);
        assert.deepEqual(
          [answer.status, await answer.json()],
          [502, { success: false, message: REFUSALS['nvr-unreachable'].message, reason: 'nvr-unreachable' }],
        );
        const page = await fetch(`${away.url}/`, { headers: { Accept: 'text/html' } });
        assert.deepEqual([page.status, page.headers.get('content-type')], [502, 'text/html']);
        const socket = await raw502(away.port);
        assert.match(socket, /^HTTP\/1\.1 502 Bad Gateway\r\n/);
        await away.close();
      });

      const raw502 = async (port: number): Promise<string> =>
        (await rawRequest(port, `GET /ws HTTP/1.1\r\n${HOST}\r\n${UPGRADE}\r\n\r\n`)).text;

      it('an NVR that never answers is 504', async () => {
        const impatient = await startGate(to, { ...trust, timeoutResponse: TIME_TO_ANSWER[protocol] });
        nvr.answer = () => {};
        assert.equal((await fetch(`${impatient.url}/api/x`)).status, 504);
        assert.deepEqual(impatient.failures, ['nvr-timeout']);
        await impatient.close();
      });

      it('an NVR that closed a kept connection is asked again on a new one', async () => {
        await fetch(`${gate.url}/api/version`).then((answer) => answer.text());
        const closing = [...nvr.sockets].map((socket) => once(socket, 'close'));
        let isFirst = true;
        nvr.answer = (incoming, response, received) => {
          if (isFirst) {
            isFirst = false;
            incoming.socket.destroy();
          } else answerLikeAnNvr(incoming, response, received);
        };
        assert.equal((await fetch(`${gate.url}/api/version`)).status, 200);
        await Promise.race(closing);
      });
    });

    describe('An upstream behind a Unix socket', () => {
      it('is asked like any other', async () => {
        const directory = mkdtempSync(join(tmpdir(), 'postern-'));
        const path = join(directory, 'nvr.sock');
        const server = createServer((incoming, response) => response.end(`at ${incoming.url}`)).listen(path);
        await once(server, 'listening');
        const local = await startGate({ kind: 'unix', path });
        assert.equal(await fetch(`${local.url}/api/x?y=1`).then((answer) => answer.text()), 'at /api/x?y=1');
        await local.close();
        server.close();
        rmSync(directory, { recursive: true });
      });
    });

    describe('A head of the upstream before the response', () => {
      const hostile = `</${'a'.repeat(40)}>${'; a'.repeat(40)}!`;
      // biome-ignore format: a table
      const rows: readonly (readonly [sentence: string, bytes: string])[] = [
    ['of 102',                             'HTTP/1.1 102 Processing\r\n\r\n'],
    ['of 103 with a preload hint',         'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n'],
    ['of 103 with a Link that is hostile', `HTTP/1.1 103 Early Hints\r\nLink: ${hostile}\r\n\r\n`],
    ['of 103 with an invalid Link',        'HTTP/1.1 103 Early Hints\r\nLink: ;;;<\r\n\r\n'],
    ['of 199',                             'HTTP/1.1 199 X\r\n\r\n'],
    ['said a hundred times',               'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100)],
  ];
      for (const [sentence, bytes] of rows) {
        it(`${sentence} is dropped, and the response is passed on`, async () => {
          nvr.rawAnswer = { bytes: `${bytes}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi` };
          const answer = await raw(['GET /api/x HTTP/1.1', HOST]);
          assert.match(answer.text, /^HTTP\/1\.1 200 OK\r\n/);
          assert.match(answer.text, /\r\n\r\nhi$/);
          await assertAlive();
        });
      }
    });

    describe('A status of the upstream', () => {
      for (const status of ['000', '001', '099', '600', '999', '1000', '20', '-200']) {
        it(`of ${status} is invalid: 502`, async () => {
          nvr.rawAnswer = { bytes: `HTTP/1.1 ${status} X\r\nContent-Length: 2\r\n\r\nhi` };
          assert.equal((await raw(['GET /api/x HTTP/1.1', HOST])).status, 502);
          await assertAlive();
        });
      }
    });

    describe('A response that cannot be passed on is told by its cause', () => {
      const OK = 'HTTP/1.1 200 OK\r\n';
      // biome-ignore format: a table
      const rows: readonly (readonly [sentence: string, reason: RefusalReason, bytes: string])[] = [
    ['two lengths that differ',       'nvr-framing-ambiguous', `${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc`],
    ['two lengths that agree',        'nvr-framing-ambiguous', `${OK}Content-Length: 2\r\nContent-Length: 2\r\n\r\nab`],
    ['two lengths in a line',         'nvr-framing-ambiguous', `${OK}Content-Length: 2, 3\r\n\r\nab`],
    ['a length and chunks',           'nvr-framing-ambiguous', `${OK}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['chunks twice',                  'nvr-framing-ambiguous', `${OK}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a length of a 204',             'nvr-framing-ambiguous', `HTTP/1.1 204 x\r\nContent-Length: 3\r\n\r\nabc`],
    ['a coding that is not known',    'nvr-bad-answer',        `${OK}Transfer-Encoding: cow\r\n\r\nabc`],
    ['a status of 099',               'nvr-status-invalid',    'HTTP/1.1 099 X\r\nContent-Length: 2\r\n\r\nhi'],
    ['a status of 999',               'nvr-status-invalid',    'HTTP/1.1 999 X\r\nContent-Length: 2\r\n\r\nhi'],
    ['no HTTP at all',                'nvr-bad-answer',        'hello\r\n\r\n'],
    ['a head of 100 KB',              'nvr-bad-answer',        `${OK}X: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['nothing',                       'nvr-unreachable',       ''],
  ];
      for (const [sentence, reason, bytes] of rows) {
        it(`${sentence}: ${reason}`, async () => {
          nvr.rawAnswer = { bytes };
          const answer = await raw(['GET /api/x HTTP/1.1', HOST]);
          assert.equal(answer.status, 502);
          assert.ok(answer.text.includes(JSON.stringify(REFUSALS[reason].message).slice(1, -1)), answer.text);
          assert.deepEqual(gate.failures, [reason]);
          await assertAlive();
        });
      }

      it('a host name without an address: nvr-name-unknown', async () => {
        const lost = await startGate({ kind: 'tcp', protocol, host: 'no-such-host.invalid', port: 80 });
        assert.equal((await rawRequest(lost.port, 'GET /api/x HTTP/1.1\r\nHost: nvr\r\n\r\n')).status, 502);
        assert.deepEqual(lost.failures, ['nvr-name-unknown']);
        await lost.close();
      });

      it('HTTP where nvr.url says https: nvr-tls-failed', async () => {
        const plain = await startGate({ kind: 'tcp', protocol: 'https:', host: '127.0.0.1', port: nvr.port });
        assert.equal((await rawRequest(plain.port, 'GET /api/x HTTP/1.1\r\nHost: nvr\r\n\r\n')).status, 502);
        assert.deepEqual(plain.failures, ['nvr-tls-failed']);
        await plain.close();
      });
    });
  });
}

describe('However it is reached', () => {
  before(async () => {
    gate = await startGate(upstreamAt(nvr.url), { maxUpload: 10_000_000 });
  });
  after(() => gate.close());

  describe('A WebSocket', () => {
    const open = async (path: string): Promise<WebSocket> => {
      const socket = new WebSocket(`ws://127.0.0.1:${gate.port}${path}`);
      await once(socket, 'open');
      return socket;
    };

    it('carries large messages both ways', async () => {
      const socket = await open('/ws');
      const message = Buffer.alloc(2_000_000, 'm');
      socket.send(message);
      const [echoed] = (await once(socket, 'message')) as [Buffer];
      assert.ok(echoed.equals(message));
      socket.close(4001, 'done');
      assert.deepEqual((await once(socket, 'close'))[0], 4001);
    });

    it('arrives with one identity, whatever the client claimed', async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${gate.port}/ws`, { headers: { 'Remote-Role': 'viewer' } });
      await once(socket, 'open');
      assert.deepEqual([nvr.lastHeader('remote-user'), nvr.lastHeader('remote-role')], [['anonymous'], ['admin']]);
      socket.terminate();
    });

    it('that the NVR refuses is an ordinary answer', async () => {
      nvr.answerUpgrade = (_request, socket) =>
        socket.end('HTTP/1.1 403 For\x02bidden\r\nContent-Length: 2\r\nRemote-Role: admin\r\n\r\nno');
      const { status, text } = await rawRequest(gate.port, `GET /ws HTTP/1.1\r\n${HOST}\r\n${UPGRADE}\r\n\r\n`);
      assert.deepEqual([status === 403 || status === 502, /remote-role/i.test(text)], [true, false]);
      await assertAlive();
    });

    it('refused by the NVR leaves nothing behind it to be read', async () => {
      nvr.answerUpgrade = (_request, socket) => socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
      const behind = `GET /api/users HTTP/1.1\r\n${HOST}\r\n\r\n`;
      const { status } = await rawRequest(gate.port, `GET /ws HTTP/1.1\r\n${HOST}\r\n${UPGRADE}\r\n\r\n${behind}`);
      assert.equal(status, 400);
      assert.deepEqual(nvr.received, []);
    });

    it('whose client resets before the answer does no harm, and the NVR sees it leave', async () => {
      let upstream: Duplex | undefined;
      nvr.answerUpgrade = (_request, socket) => {
        upstream = socket.on('error', () => {}).resume();
        socket.once('end', () => socket.destroy());
      };
      const socket = connect(gate.port, '127.0.0.1').on('error', () => {});
      socket.write(`GET /ws HTTP/1.1\r\n${HOST}\r\n${UPGRADE}\r\n\r\n`);
      await until('the upgrade arrives', () => upstream !== undefined);
      socket.resetAndDestroy();
      await until('the NVR sees the client leave', () => upstream?.destroyed === true);
      await assertAlive();
    });

    it('is closed on both sides when either leaves', async () => {
      const before = nvr.sockets.size;
      const first = await open('/ws');
      first.terminate();
      await until('the NVR sees the client leave', () => nvr.sockets.size <= before);
      const second = await open('/ws');
      for (const socket of nvr.sockets) socket.destroy();
      await once(second, 'close');
      await assertAlive();
    });
  });

  describe('A connection that is kept', () => {
    it('is judged request by request', async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const statuses: (number | undefined)[] = [];
      for (const path of ['/api/x', '/api//x', '/api/x']) {
        const sent = request({ port: gate.port, host: '127.0.0.1', path, agent, headers: { host: 'nvr' } }).end();
        const [answer] = (await once(sent, 'response')) as [IncomingMessage];
        statuses.push(answer.statusCode);
        answer.resume();
        await once(answer, 'end');
      }
      agent.destroy();
      assert.deepEqual(statuses, [200, 400, 200]);
    });
  });
});
