/** A body of zero bytes is no body, however it is framed: proxies write it for HTTP/3 and HTTP/2 (SPEC 5). What is not empty stays refused. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { ServedCertificates } from '../../src/gateway/listen/tls-server.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { answerOf, type Http2Client, http2Client } from '../support/http2-client.ts';
import { ADMIN_PERSON, VERA } from '../support/people.ts';
import { changing, makeServed } from '../support/served-certificate.ts';
import { type StartedGate, startGate, upstreamAt } from '../support/start-gate.ts';
import { until } from '../support/until.ts';
import { openConnection } from './support/raw-connection.ts';
import { HOST, head, UPGRADE, watchInstance } from './support/watched-instance.ts';

const CHUNKED = 'Transfer-Encoding: chunked';
const NO_CHUNK = '0\r\n\r\n';
/** Seconds for a head. */
const SOON = 0.2;
const METHODS = ['GET', 'HEAD', 'DELETE', 'OPTIONS'];

const watched = await watchInstance();
const vera = await watched.bearerOf(VERA);
const admin = await watched.bearerOf(ADMIN_PERSON);

/** The statuses of so many answers. */
async function statusesOf(bytes: string, { count = 1, port = watched.instance.port, cuts = [] as number[] } = {}) {
  const connection = await openConnection(port);
  await connection.send(bytes, cuts);
  await connection.settled(count);
  connection.close();
  return connection.answers().map(({ status }) => status);
}

/** Requests as the NVR got them, with their framing. */
const framed = (nvr: Pick<FakeNvr, 'received'>): string[] =>
  nvr.received.map(({ method, target, headers, body }) => {
    const lines = headers.filter(([name]) => name === 'transfer-encoding' || name === 'content-length');
    return [`${method} ${target}`, ...lines.map((line) => line.join(': ')), body].filter(Boolean).join(' ');
  });

describe('An empty chunked body', () => {
  for (const method of METHODS) {
    it(`of ${method} is forwarded without framing, and the connection goes on`, async () => {
      const one = `${head(`${method} /api/thing HTTP/1.1`, HOST, admin, CHUNKED)}${NO_CHUNK}`;
      const connection = await openConnection(watched.instance.port);
      await connection.send(one);
      await until('it has arrived', () => watched.nvr.received.length === 1);
      await connection.send(head('GET /api/stats HTTP/1.1', HOST, admin));
      await until('the next one has arrived', () => watched.nvr.received.length === 2);
      connection.close();
      assert.deepEqual(framed(watched.nvr), [`${method} /api/thing`, 'GET /api/stats']);
    });
  }

  it('may be cut anywhere, and hides no request', async () => {
    const one = `${head('GET /api/stats HTTP/1.1', HOST, vera, CHUNKED)}${NO_CHUNK}`;
    for (let cut = one.length - NO_CHUNK.length - 3; cut < one.length; cut += 1) {
      watched.nvr.received.length = 0;
      const stranger = head('GET /api/stats HTTP/1.1', HOST);
      assert.deepEqual(await statusesOf(`${one}${stranger}`, { count: 2, cuts: [cut] }), [200, 401]);
      assert.deepEqual(framed(watched.nvr), ['GET /api/stats']);
    }
  });

  it('that was sent ahead is answered in its turn', async () => {
    const one = `${head('GET /api/stats HTTP/1.1', HOST, vera, CHUNKED)}${NO_CHUNK}`;
    assert.deepEqual(await statusesOf(one.repeat(5), { count: 5 }), [200, 200, 200, 200, 200]);
    assert.deepEqual(framed(watched.nvr), Array(5).fill('GET /api/stats'));
  });

  it('with trailers passes, without them', async () => {
    const trailers = '0\r\nremote-role: admin\r\n\r\n';
    assert.deepEqual(await statusesOf(`${head('GET /api/stats HTTP/1.1', HOST, vera, CHUNKED)}${trailers}`), [200]);
    assert.deepEqual(framed(watched.nvr), ['GET /api/stats']);
    assert.deepEqual(watched.nvr.lastHeader('remote-role'), ['viewer']);
  });

  it('is none to /auth, to own routes, on the internal listener and with an expectation', async () => {
    const at = (line: string, ...lines: string[]) => `${head(line, HOST, ...lines, CHUNKED)}${NO_CHUNK}`;
    assert.deepEqual(await statusesOf(at('GET /auth HTTP/1.1', vera)), [202]);
    assert.deepEqual(await statusesOf(at('GET /api/profile HTTP/1.1', vera)), [200]);
    assert.deepEqual(await statusesOf(at('GET /login HTTP/1.1')), [200]);
    assert.deepEqual(await statusesOf(at('GET /s/no-such-link/snapshot.jpg HTTP/1.1')), [404]);
    assert.deepEqual(await statusesOf(at('GET /api/stats HTTP/1.1', vera, 'Expect: 100-continue')), [200]);
    const internal = head('GET /api/stats HTTP/1.1', 'Host: localhost', CHUNKED) + NO_CHUNK;
    assert.deepEqual(await statusesOf(internal, { port: watched.instance.internalPort }), [200]);
  });

  it('is none to a route that would read a body: it says what is missing', async () => {
    const without = await statusesOf(head('DELETE /api/curtain HTTP/1.1', HOST, admin, 'Content-Length: 0'));
    const chunked = `${head('DELETE /api/curtain HTTP/1.1', HOST, admin, CHUNKED)}${NO_CHUNK}`;
    const statuses = await statusesOf(chunked, { cuts: [chunked.length - 2] });
    assert.deepEqual(statuses, without);
    assert.deepEqual(await statusesOf(chunked), without);
  });
});

describe('A chunked body that is refused all the same', () => {
  // biome-ignore format: a table
  const refused: [story: string, line: string, lines: string[], body: string][] = [
    ['of one byte',              'GET /api/stats HTTP/1.1',    [CHUNKED],                        '1\r\nx\r\n0\r\n\r\n'],
    ['whose byte comes later',   'DELETE /api/stats HTTP/1.1', [CHUNKED],                        '5\r\nh'],
    ['beside a length',          'GET /api/stats HTTP/1.1',    [CHUNKED, 'Content-Length: 0'],   NO_CHUNK],
    ['said twice',               'GET /api/stats HTTP/1.1',    [CHUNKED, CHUNKED],               NO_CHUNK],
    ['in another spelling',      'GET /api/stats HTTP/1.1',    ['Transfer-Encoding: Chunked'],   NO_CHUNK],
    ['behind another coding',    'GET /api/stats HTTP/1.1',    ['Transfer-Encoding: cow, chunked'], NO_CHUNK],
    ['of HTTP/1.0',              'GET /api/stats HTTP/1.0',    [CHUNKED],                        NO_CHUNK],
    ['of a WebSocket upgrade',   'GET /ws HTTP/1.1',           [...UPGRADE, CHUNKED],            NO_CHUNK],
    ['that is malformed',        'GET /api/stats HTTP/1.1',    [CHUNKED],                        'x\r\n\r\n'],
  ];
  for (const [story, line, lines, body] of refused) {
    it(`${story}: 400, and nothing arrives`, async () => {
      assert.deepEqual(await statusesOf(`${head(line, HOST, admin, lines)}${body}`), [400]);
      assert.deepEqual(watched.nvr.received, []);
    });
  }

  it('by a client that leaves before its end: nothing arrives, and the next is served', async () => {
    const half = await openConnection(watched.instance.port);
    await half.send(head('GET /api/stats HTTP/1.1', HOST, admin, CHUNKED));
    half.reset();
    assert.deepEqual(await statusesOf(head('GET /api/version HTTP/1.1', HOST, admin)), [200]);
    assert.deepEqual(framed(watched.nvr), ['GET /api/version']);
  });
});

describe('A head whose body does not come', () => {
  let nvr: FakeNvr;
  const gates: StartedGate[] = [];
  let plain: StartedGate;
  let hasty: StartedGate;
  let ca: string;
  let client: Http2Client;
  before(async () => {
    nvr = await startFakeNvr();
    const served = await makeServed();
    ca = served.certificate;
    const start = async (timeoutHeaders: number, tls?: ServedCertificates): Promise<StartedGate> => {
      const gate = await startGate(upstreamAt(nvr.url), {}, undefined, { timeoutHeaders, ...(tls && { tls }) });
      gates.push(gate);
      return gate;
    };
    plain = await start(SOON);
    hasty = await start(SOON, changing(served));
    client = await http2Client((await start(15, changing(served))).url, ca);
  });
  after(async () => {
    client.close();
    for (const gate of gates) await gate.close();
    await nvr.close();
  });
  beforeEach(() => {
    nvr.received.length = 0;
  });

  const open = (method: string, { session } = client) =>
    session.request({ ':path': '/api/version', ':method': method }, { endStream: false });

  it('is 408 and the end of the connection, and nothing arrives', async () => {
    const connection = await openConnection(plain.port);
    await connection.send(head('GET /api/version HTTP/1.1', HOST, CHUNKED));
    await until('the connection is closed', () => connection.isClosed());
    assert.deepEqual(
      connection.answers().map(({ status }) => status),
      [408],
    );
    assert.deepEqual(nvr.received, []);
  });

  it('is 408 in HTTP/2, for that stream alone', async () => {
    const impatient = await http2Client(hasty.url, ca);
    const answer = await answerOf(open('GET', impatient));
    assert.equal(answer.status, 408);
    assert.deepEqual(nvr.received, []);
    assert.equal((await impatient.ask('/api/version')).status, 200);
    impatient.close();
  });

  for (const method of METHODS) {
    it(`passes for ${method} in HTTP/2 when it ends with an empty frame, or with trailers`, async () => {
      const empty = open(method);
      const answered = answerOf(empty);
      empty.end();
      assert.equal((await answered).status, 200);
      const trailed = client.session.request(
        { ':path': '/api/version', ':method': method },
        { endStream: false, waitForTrailers: true },
      );
      trailed.once('wantTrailers', () => trailed.sendTrailers({ 'remote-role': 'viewer' }));
      const alike = answerOf(trailed);
      trailed.end();
      assert.equal((await alike).status, 200);
      assert.deepEqual(framed(nvr), Array(2).fill(`${method} /api/version`));
    });

    it(`is 400 for ${method} in HTTP/2 at its first byte`, async () => {
      const stream = open(method);
      const answered = answerOf(stream);
      stream.write('x');
      assert.equal((await answered).status, 400);
      assert.deepEqual(nvr.received, []);
    });
  }

  it('is nothing when the client of HTTP/2 resets its stream', async () => {
    const stream = open('GET').on('error', () => {});
    stream.close();
    await once(stream, 'close');
    assert.equal((await client.ask('/api/stats')).status, 200);
    assert.deepEqual(framed(nvr), ['GET /api/stats']);
  });
});
