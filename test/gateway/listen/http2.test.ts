/** What libraries get wrong in forwarding, row by row, over HTTP/2 (SPEC 6; RFC 9113). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { constants } from 'node:http2';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import type { OpenStreams } from '../../../src/gateway/entry/open-streams.ts';
import { answerLikeAnNvr, BIG_FILE_BYTES, type FakeNvr, type NvrAnswer, startFakeNvr } from '../../support/fake-nvr.ts';
import { answerOf, type Http2Answer, type Http2Client, http2Client } from '../../support/http2-client.ts';
import { FLAG, FRAME, type Frame, frame, framePeer, request, settings, uint32 } from '../../support/http2-frames.ts';
import { changing, makeServed } from '../../support/served-certificate.ts';
import { type StartedGate, startGate, upstreamAt } from '../../support/start-gate.ts';
import { until } from '../../support/until.ts';

let nvr: FakeNvr;
let gate: StartedGate;
let client: Http2Client;
let ca: string;
const warnings: string[] = [];
const held = new Set<() => void>();

before(async () => {
  process.on('warning', ({ message }) => warnings.push(message));
  nvr = await startFakeNvr();
  const served = await makeServed(60);
  ca = served.certificate;
  const holdStream: OpenStreams['add'] = (_caller, _admittance, end) => {
    const revoke = (): void => end(4401, 'revoked');
    held.add(revoke);
    return () => held.delete(revoke);
  };
  gate = await startGate(upstreamAt(nvr.url), { maxUpload: 1_000_000 }, undefined, {
    tls: changing(served),
    holdStream,
  });
  client = await http2Client(gate.url, ca);
});
after(async () => {
  client.close();
  await gate.close();
  await nvr.close();
});
beforeEach(() => {
  nvr.received.length = 0;
  nvr.answer = answerLikeAnNvr;
  nvr.rawAnswer = undefined;
  gate.failures.length = 0;
});

async function assertAlive(): Promise<void> {
  nvr.answer = answerLikeAnNvr;
  nvr.rawAnswer = undefined;
  const answer = await client.ask('/api/version');
  assert.deepEqual([answer.status, answer.end, gate.faults], [200, 'NGHTTP2_NO_ERROR', []]);
}

const brief = ({ status, body, end }: Http2Answer) => [status, body.toString(), end];
const messageOf = ({ body }: Http2Answer): unknown => (JSON.parse(body.toString()) as { message: unknown }).message;
const POST = { ':method': 'POST' };
const SOMEWHERE = [
  [':path', '/api/x'],
  [':scheme', 'https'],
  [':authority', 'nvr'],
] as const;

describe('A request over HTTP/2', () => {
  it('arrives as one of HTTP/1, with the host that was asked for and what the gate says of it', async () => {
    await client.ask('/api/x?q=1', { ':authority': 'nvr:8971', cookie: ['a=1', 'b=2'], te: 'trailers' });
    const [{ method, target, headers } = assert.fail('nothing arrived')] = nvr.received;
    assert.deepEqual([method, target], ['GET', '/api/x?q=1']);
    assert.deepEqual(
      new Map(headers),
      new Map([
        ['host', 'nvr:8971'],
        ['connection', 'keep-alive'],
        ['cookie', 'a=1; b=2'],
        ['x-forwarded-for', '127.0.0.1'],
        ['x-forwarded-proto', 'https'],
        ['x-forwarded-host', 'nvr:8971'],
        ['x-real-ip', '127.0.0.1'],
        ['x-request-id', new Map(headers).get('x-request-id') ?? ''],
        ['remote-user', 'anonymous'],
        ['remote-role', 'admin'],
      ]),
    );
  });

  it('arrives with one identity, whatever the client claimed', async () => {
    await client.ask('/api/x', { 'remote-user': 'root', 'remote-role': 'admin,root', 'x-forwarded-for': '10.0.0.1' });
    assert.deepEqual(
      ['remote-user', 'remote-role', 'x-forwarded-for'].map((name) => nvr.lastHeader(name)),
      [['anonymous'], ['admin'], ['127.0.0.1']],
    );
  });

  // biome-ignore format: a table
  const bodies: [sentence: string, headers: Record<string, string>][] = [
    ['of a length that is announced', { ...POST, 'content-length': '300000' }],
    ['of a length that is not',       POST],
  ];
  for (const [sentence, headers] of bodies) {
    it(`arrives with its body whole, ${sentence}`, async () => {
      const answer = await client.ask('/api/import', headers, Buffer.alloc(300_000, 'x'));
      assert.deepEqual(JSON.parse(answer.body.toString()), {
        method: 'POST',
        target: '/api/import',
        bodyBytes: 300_000,
      });
      assert.equal(nvr.received.length, 1);
    });
  }

  it('has an empty body when it ends with its head', async () => {
    await client.ask('/api/import', POST);
    assert.deepEqual([nvr.lastHeader('content-length'), nvr.lastHeader('transfer-encoding')], [['0'], []]);
  });

  it('is given its 100 Continue when it is admitted', async () => {
    const stream = client.open('/api/import', { ...POST, expect: '100-continue', 'content-length': 5 });
    const answer = answerOf(stream);
    await once(stream, 'continue');
    stream.end('hello');
    assert.equal((await answer).status, 200);
    assert.deepEqual([nvr.received[0]?.body, nvr.lastHeader('expect')], ['hello', []]);
  });

  it('loses the trailers behind its body', async () => {
    const stream = client.session.request({ ':path': '/api/x', ...POST }, { endStream: false, waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'remote-role': 'admin', 'x-a': 'b' }));
    stream.end('abc');
    assert.equal((await answerOf(stream)).status, 200);
    assert.doesNotMatch(JSON.stringify(nvr.received), /x-a/);
  });

  it('of many at once gets its own answer', async () => {
    nvr.answer = (incoming, response) =>
      void setTimeout(() => response.end(incoming.url), 1 + (Number(incoming.url?.slice(-1)) % 3));
    const paths = Array.from({ length: 60 }, (_, index) => `/api/x/${index}`);
    const answers = await Promise.all(paths.map((path) => client.ask(path)));
    assert.deepEqual(
      answers.map(({ body }) => body.toString()),
      paths,
    );
  });
});

describe('An upload over HTTP/2', () => {
  const TOO_LARGE = 'The request body is larger than nvr.max_upload allows.';

  it('is refused by its announced length, and its stream does not stay open', async () => {
    const stream = client.open('/api/x', { ...POST, 'content-length': 5_000_000 });
    const answer = await answerOf(stream);
    assert.deepEqual([answer.status, messageOf(answer), answer.end], [413, TOO_LARGE, 'NGHTTP2_NO_ERROR']);
    assert.deepEqual(nvr.received, []);
    await assertAlive();
  });

  it('is refused when an unannounced body grows too large, and is not finished upstream', async () => {
    let hasEnded = false;
    let isGone = false;
    nvr.answer = (incoming) => {
      incoming.on('end', () => {
        hasEnded = true;
      });
      incoming.once('close', () => {
        isGone = true;
      });
    };
    const stream = client.open('/api/x', POST);
    const more = (): void => {
      while (!stream.destroyed && stream.write(Buffer.alloc(16_384)));
    };
    stream.on('drain', more);
    more();
    const answer = await answerOf(stream);
    assert.deepEqual([answer.status, messageOf(answer), answer.end], [413, TOO_LARGE, 'NGHTTP2_NO_ERROR']);
    await until('the upload is torn down', () => isGone);
    assert.equal(hasEnded, false);
    await assertAlive();
  });

  it('that is answered early is answered whole, and its stream is freed', async () => {
    nvr.answer = (_request, response) => response.writeHead(401, { 'Content-Length': '2' }).end('no');
    const stream = client.open('/api/x', { ...POST, 'content-length': 900_000 });
    stream.write('begun');
    assert.deepEqual(brief(await answerOf(stream)), [401, 'no', 'NGHTTP2_NO_ERROR']);
    await assertAlive();
  });

  // biome-ignore format: a table
  const left: [sentence: string, length: readonly (readonly [string, string])[], code: number][] = [
    ['without a length',                         [],                           constants.NGHTTP2_CANCEL],
    ['without a length, as if all was well',     [],                           constants.NGHTTP2_NO_ERROR],
    ['with a length',                            [['content-length', '1000']], constants.NGHTTP2_CANCEL],
    ['with a length, as if all was well',        [['content-length', '1000']], constants.NGHTTP2_NO_ERROR],
  ];
  for (const [sentence, length, code] of left) {
    it(`that is left in the middle ${sentence} never looks whole to the NVR`, async () => {
      let outcome = '';
      nvr.answer = (incoming) => {
        incoming.on('end', () => {
          outcome ||= 'whole';
        });
        incoming.on('error', () => {
          outcome ||= 'cut';
        });
      };
      const peer = await framePeer(gate.port, ca);
      const head = request(1, [[':method', 'POST'], ...SOMEWHERE, ...length], FLAG.endHeaders);
      peer.send(head, frame(FRAME.data, 0, 1, Buffer.from('begun')));
      await until('the upload begins', () => nvr.received[0]?.body === 'begun');
      peer.send(frame(FRAME.rstStream, 0, 1, uint32(code)));
      await until('the NVR sees the client leave', () => outcome !== '');
      assert.equal(outcome, 'cut');
      peer.socket.destroy();
      await assertAlive();
    });
  }

  it('that is refused by its target leaves its stream at once', async () => {
    const stream = client.open('/api/../x', { ...POST, 'content-length': 900_000 });
    stream.write('begun');
    const answer = await answerOf(stream);
    assert.deepEqual([answer.status, answer.headers['connection'], answer.end], [400, undefined, 'NGHTTP2_NO_ERROR']);
    await assertAlive();
  });
});

describe('An answer over HTTP/2', () => {
  it('has no header of the connection, and the ones of this port', async () => {
    nvr.rawAnswer = {
      bytes:
        'HTTP/1.1 200 OK\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nHTTP2-Settings: x\r\nUpgrade: h2c\r\n' +
        'Proxy-Connection: close\r\nTE: trailers\r\nAlt-Svc: h3=":443"\r\nStrict-Transport-Security: max-age=1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    };
    const { status, headers, body } = await client.ask('/api/x');
    const { date: _, 'x-request-id': __, ...others } = headers;
    assert.deepEqual([status, body.toString()], [200, 'ok']);
    assert.deepEqual(others, {
      'cache-control': 'private',
      'strict-transport-security': 'max-age=60',
      vary: 'Cookie, Authorization',
    });
  });

  it('that says single things twice is passed on, not met with a fault', async () => {
    nvr.rawAnswer = {
      bytes:
        'HTTP/1.1 200 OK\r\nETag: "a"\r\nETag: "b"\r\nContent-Type: a/b\r\nContent-Type: c/d\r\nContent-Length: 2\r\n\r\nok',
    };
    assert.deepEqual(brief(await client.ask('/api/x')), [200, 'ok', 'NGHTTP2_NO_ERROR']);
    await assertAlive();
  });

  it('keeps every Set-Cookie line', async () => {
    nvr.answer = (_request, response) => response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'] }).end();
    assert.deepEqual((await client.ask('/api/x')).headers['set-cookie'], ['a=1', 'b=2']);
  });

  // biome-ignore format: a table
  const bodiless: [sentence: string, method: string, status: number, sent: Record<string, string>][] = [
    ['to HEAD, with a length',    'HEAD', 200, { 'content-length': '10', etag: '"e"' }],
    ['to HEAD, without a length', 'HEAD', 200, { etag: '"e"' }],
    ['304, with a length',        'GET',  304, { 'content-length': '10', etag: '"e"' }],
    ['304, without a length',     'GET',  304, { etag: '"e"' }],
    ['204',                       'GET',  204, { etag: '"e"' }],
  ];
  for (const [sentence, method, status, sent] of bodiless) {
    it(`${sentence} has no body and ends well`, async () => {
      nvr.answer = (_request, response) => response.writeHead(status, sent).end();
      const answer = await client.ask('/api/x', { ':method': method });
      assert.deepEqual(brief(answer), [status, '', 'NGHTTP2_NO_ERROR']);
      assert.deepEqual([answer.headers['content-length'], answer.headers['etag']], [sent['content-length'], '"e"']);
      await assertAlive();
    });
  }

  it('that is refused has its head on HEAD too', async () => {
    const answer = await client.ask('/api/../x', { ':method': 'HEAD' });
    assert.deepEqual(
      [...brief(answer), Number(answer.headers['content-length']) > 0],
      [400, '', 'NGHTTP2_NO_ERROR', true],
    );
  });

  it('passes Range and 206 on', async () => {
    const answer = await client.ask('/vod/cam1/big.bin', { range: 'bytes=1000-1250' });
    assert.deepEqual(
      [answer.status, answer.headers['content-range'], answer.body.length],
      [206, 'bytes 1000-1250/209715200', 251],
    );
  });

  it('passes trailers on, also a while behind the body', async () => {
    let finish = (): void => {};
    nvr.answer = (_request, response) => {
      response.writeHead(200, { Trailer: 'X-Sum' });
      response.write('abc');
      finish = () => {
        response.addTrailers({ 'X-Sum': '6', 'Remote-Role': 'admin' });
        response.end();
      };
    };
    const stream = client.open('/api/x');
    const answer = answerOf(stream);
    stream.once('data', () => finish());
    const { body, trailers } = await answer;
    assert.deepEqual([body.toString(), trailers], ['abc', { 'x-sum': '6' }]);
  });

  it('in many small chunks waits for a slow client by one listener', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error): void => void warnings.push(warning);
    process.on('warning', note);
    nvr.rawAnswer = {
      bytes: `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${`40\r\n${'x'.repeat(64)}\r\n`.repeat(4000)}0\r\n\r\n`,
    };
    const { body } = await client.ask('/api/x');
    process.off('warning', note);
    assert.deepEqual([body.length, warnings], [256_000, []]);
  });

  it('passes the head of a stream on before its first byte', async () => {
    nvr.answer = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.flushHeaders();
    };
    const stream = client.open('/api/x');
    const [head] = await once(stream, 'response');
    assert.equal(head['content-type'], 'text/event-stream');
    stream.close();
  });

  it('is whole when it is large', async () => {
    const stream = client.open('/vod/cam1/big.bin');
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await once(stream, 'close');
    assert.deepEqual([bytes, stream.rstCode], [BIG_FILE_BYTES, 0]);
  });

  // biome-ignore format: a table
  const broken: [sentence: string, bytes: string][] = [
    ['that is cut inside its length',  'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc'],
    ['that is cut inside a chunk',     'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc'],
    ['that is cut between chunks',     'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n'],
    ['that turns to garbage',          'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n'],
    ['that is cut before its body',    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ];
  for (const [sentence, bytes] of broken) {
    it(`${sentence} resets the stream: it never looks whole`, async () => {
      nvr.rawAnswer = { bytes };
      assert.equal((await client.ask('/api/x')).end, 'NGHTTP2_INTERNAL_ERROR');
      await assertAlive();
    });

    it(`${sentence} never ends the stream of a client that reads slowly either`, async () => {
      nvr.rawAnswer = { bytes };
      const initialWindow = 0x4;
      const peer = await framePeer(gate.port, ca, settings([initialWindow, 1]));
      peer.send(request(1, [[':method', 'GET'], ...SOMEWHERE]));
      const ofStream = (frames: readonly Frame[]): readonly Frame[] => frames.filter(({ stream }) => stream === 1);
      await peer.until((frames) => ofStream(frames).some(({ type }) => type === FRAME.headers));
      peer.send(frame(FRAME.windowUpdate, 0, 1, uint32(1000)));
      await peer.until((frames) => ofStream(frames).some(({ type }) => type === FRAME.rstStream));
      const frames = ofStream(peer.received);
      assert.deepEqual(
        frames.filter(({ type, flags }) => type < 2 && (flags & FLAG.endStream) !== 0),
        [],
      );
      assert.deepEqual(frames.at(-1)?.payload, uint32(constants.NGHTTP2_INTERNAL_ERROR));
      peer.socket.destroy();
      await assertAlive();
    });
  }

  it('that cannot be passed on is 502, and what the NVR said with it stays behind', async () => {
    nvr.rawAnswer = { bytes: 'HTTP/1.1 999 Odd\r\nX-Odd: 1\r\nContent-Length: 0\r\n\r\n' };
    const answer = await client.ask('/api/x');
    assert.deepEqual([answer.status, answer.headers['x-odd']], [502, undefined]);
    await assertAlive();
  });
});

describe('When one side of an HTTP/2 stream goes away', () => {
  const holding = (): { isOpen: () => boolean; count: () => number } => {
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
  const leaving: [sentence: string, path: string, headers: Record<string, string>][] = [
    ['before the answer',         '/api/silent', {}],
    ['before the answer to HEAD', '/api/silent', { ':method': 'HEAD' }],
    ['inside a streaming answer', '/api/stream', {}],
    ['inside its upload',         '/api/upload', { ...POST, 'content-length': '1000' }],
  ];
  for (const [sentence, path, headers] of leaving) {
    for (const way of ['by RST_STREAM', 'with its connection'] as const) {
      it(`a client that leaves ${sentence} (${way}) tears its request to the NVR down`, async () => {
        const upstream = holding();
        const other = await http2Client(gate.url, ca);
        const stream = other.open(path, headers);
        if (headers[':method'] === 'POST') stream.write('begun');
        await until('the request arrives', () => upstream.count() === 1);
        if (path === '/api/stream') await once(stream, 'data');
        if (way === 'by RST_STREAM') stream.close(constants.NGHTTP2_CANCEL);
        else other.session.destroy();
        await until('the NVR sees the client leave', () => !upstream.isOpen());
        other.close();
        await assertAlive();
      });
    }
  }

  it('a client that is gone while it is judged sends nothing to the NVR', async () => {
    const stream = client.open('/api/x');
    stream.close(constants.NGHTTP2_CANCEL);
    await once(stream, 'close');
    await assertAlive();
    assert.ok(nvr.received.length <= 2);
  });

  it('a stream whose holder has lost its rights is reset', async () => {
    const upstream = holding();
    const stream = client.open('/api/stream');
    const answer = answerOf(stream);
    await once(stream, 'data'); // an answer that has not begun gets a whole refusal instead
    assert.equal(held.size, 1);
    for (const end of held) end();
    assert.equal((await answer).end, 'NGHTTP2_INTERNAL_ERROR');
    await until('the NVR sees it end', () => !upstream.isOpen());
    assert.equal(held.size, 0);
    await assertAlive();
  });

  it('an NVR that is not there is 502 at once', async () => {
    const served = await makeServed();
    const away = await startGate({ kind: 'tcp', protocol: 'http:', host: '127.0.0.1', port: 1 }, {}, undefined, {
      tls: changing(served),
    });
    const other = await http2Client(away.url, served.certificate);
    const answer = await other.ask('/api/x');
    assert.deepEqual(
      [answer.status, messageOf(answer)],
      [502, 'The NVR does not answer: check that it runs and that nvr.url is right.'],
    );
    other.close();
    await away.close();
  });
});

describe('A slow reader over HTTP/2', () => {
  it('holds back the NVR, not the memory of the instance', async () => {
    let written = 0;
    nvr.answer = (_request, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    const peer = await framePeer(gate.port, ca);
    const readers = [1, 3, 5, 7];
    for (const id of readers) peer.send(request(id, [[':method', 'GET'], ...SOMEWHERE]));
    await until('every request arrives', () => nvr.received.length === readers.length);
    for (let before = -1; before !== written; ) {
      before = written;
      assert.ok(before < 60_000_000, `the NVR could write ${before} bytes`);
      await client.ask('/api/../x');
      await client.ask('/api/../x');
    }
    const ofWindow = peer.received
      .filter(({ type }) => type === FRAME.data)
      .reduce((sum, { payload }) => sum + payload.length, 0);
    assert.equal(ofWindow, 65_535, 'no more than its window is sent');
    peer.socket.destroy();
    await until('the NVR sees them leave', () => [...nvr.sockets].length <= 2);
    await assertAlive();
  });
});

describe('Two hundred streams that are reset at a random moment', () => {
  // biome-ignore format: a table
  const faults: [sentence: string, answer: NvrAnswer | undefined, rawAnswer?: FakeNvr['rawAnswer']][] = [
    ['answers',            answerLikeAnNvr],
    ['says nothing',       () => {}],
    ['breaks in mid-body', undefined, { bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc' }],
    ['never ends',         (_request, response) => { response.write('x'.repeat(100_000)); }],
  ];
  for (const [sentence, answer, rawAnswer] of faults) {
    it(`leave nothing behind, before an NVR that ${sentence}`, async () => {
      nvr.answer = answer ?? answerLikeAnNvr;
      nvr.rawAnswer = rawAnswer;
      const [plan = []] = fc.sample(
        fc.array(fc.record({ which: fc.nat(4), turns: fc.nat(12) }), { minLength: 200, maxLength: 200 }),
        { numRuns: 1, seed: 7 },
      );
      const kinds = [{}, { ':method': 'HEAD' }, POST, { ...POST, 'content-length': '5000' }, { ':path': '/api/../x' }];
      const others = await Promise.all(Array.from({ length: 4 }, () => http2Client(gate.url, ca)));
      await Promise.all(
        plan.map(async ({ which, turns }, index) => {
          const stream = others[index % others.length]?.open('/api/x', kinds[which]);
          if (stream?.sentHeaders[':method'] === 'POST') stream.write('x'.repeat(turns * 100));
          for (let waited = 0; waited < turns; waited += 1) await turn();
          stream?.close(constants.NGHTTP2_CANCEL);
        }),
      );
      await assertAlive();
      for (const other of others) other.close();
      await until(
        'the NVR has only the connections that are kept',
        () => nvr.sockets.size <= 2 && [...nvr.sockets].every(({ bytesRead }) => bytesRead > 0),
      );
      assert.equal(held.size, 0);
    });
  }
});

it('Nothing was said in an answer that HTTP/2 does not know', () => assert.deepEqual(warnings, []));
