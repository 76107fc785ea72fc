/** Postern's own connections to an upstream: what is kept, what is never used again, and that lent memory holds what was sent. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type ClientRequest, get, type IncomingMessage } from 'node:http';
import { get as getOverTls } from 'node:https';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { type ConnectionPool, createConnectionPool } from '../../../src/gateway/http1/connection-pool.ts';
import type { ResponseControl } from '../../../src/gateway/narrow/held-body.ts';
import { openConnection, type RawConnection } from '../../attacks/support/raw-connection.ts';
import { type Http2Client, http2Client } from '../../support/http2-client.ts';
import { changing, makeServed } from '../../support/served-certificate.ts';
import { type StartedGate, startGate, upstreamAt } from '../../support/start-gate.ts';
import { until } from '../../support/until.ts';

/** Not spoken to these upstreams. */
const PLAIN = { servername: '', rejectUnauthorized: true };

/** An upstream of plain TCP: what it says to the request that came as number so-and-so, and on which connection. */
type Say = (socket: Socket, head: string, connection: number) => void;

let server: Server;
let gate: StartedGate;
let say: Say;
let connections = 0;
const requests: string[] = [];
const open = new Set<Socket>();

before(async () => {
  server = createServer((socket) => {
    connections += 1;
    const number = connections;
    let text = '';
    open.add(socket);
    socket.on('error', () => {}).once('close', () => open.delete(socket));
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const head = text.slice(0, end + 4);
        text = text.slice(end + 4);
        requests.push(head);
        say(socket, head, number);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  gate = await startGate(gateUpstream(), { timeoutIdle: 0.3 });
});
after(async () => {
  await gate.close();
  for (const socket of open) socket.destroy();
  server.close();
});
beforeEach(() => {
  connections = 0;
  requests.length = 0;
  for (const socket of open) socket.destroy();
});

const gateUpstream = () => upstreamAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi';
const text = (path = '/api/x', init?: RequestInit): Promise<string> =>
  fetch(`${gate.url}${path}`, init).then((answer) => answer.text());
const FOREIGN = 'HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nforeign';

describe('A connection to the upstream', () => {
  it('is kept for the next request', async () => {
    say = (socket) => socket.write(OK);
    assert.deepEqual([await text(), await text(), connections], ['hi', 'hi', 1]);
  });

  // biome-ignore format: a table
  const notKept: readonly (readonly [sentence: string, bytes: string])[] = [
    ['that says more than its response',     `${OK}${FOREIGN}`],
    ['that says Connection: close',          'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: x, CLOSE\r\n\r\nhi'],
    ['that speaks HTTP/1.0',                 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi'],
    ['that says more than its last chunk',   `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n${FOREIGN}`],
  ];
  for (const [sentence, bytes] of notKept) {
    it(`${sentence} is not used again`, async () => {
      say = (socket, _head, connection) => socket.write(connection === 1 ? bytes : OK);
      assert.deepEqual([await text(), await text(), connections], ['hi', 'hi', 2]);
    });
  }

  it('that says something unasked is not used again', async () => {
    say = (socket) => socket.write(OK);
    assert.equal(await text(), 'hi');
    const [socket] = open;
    socket?.write(FOREIGN);
    await until('the gate closes the connection', () => !open.has(socket as Socket));
    assert.deepEqual([await text(), connections], ['hi', 2]);
  });

  it('is not used after HEAD, and the body that followed is not the response to another request', async () => {
    say = (socket, head) =>
      socket.write(
        head.startsWith('HEAD') ? `HTTP/1.1 200 OK\r\nContent-Length: ${FOREIGN.length}\r\n\r\n${FOREIGN}` : OK,
      );
    await text('/api/x', { method: 'HEAD' });
    assert.deepEqual([await text(), connections], ['hi', 2]);
    assert.match(requests[0] ?? '', /\r\nconnection: close\r\n/);
  });

  it('is not used for a body, nor after one: it may not have been read, and would be the next request', async () => {
    say = (socket) => socket.write(OK);
    const bodies = ['early', undefined, 'late'] as const;
    for (const body of [...bodies, undefined]) await text('/api/x', body ? { method: 'POST', body } : {});
    assert.deepEqual([requests.map((head) => / close\r/.test(head)), connections], [[true, false, true, false], 3]);
  });

  it('is not used after a 304 that announces a body: from servers that are wrong the body follows', async () => {
    for (const framing of ['Content-Length: 7', 'Transfer-Encoding: chunked']) {
      const until = connections;
      const etag = { headers: { 'if-none-match': '"1"' } };
      say = (socket, head) =>
        socket.write(head.includes('if-none-match') ? `HTTP/1.1 304 x\r\n${framing}\r\n\r\n` : OK);
      assert.deepEqual([await text('/api/x', etag), await text(), connections - until], ['', 'hi', 2], framing);
      for (const socket of open) socket.destroy();
    }
  });

  for (const status of [204, 304])
    it(`is not used after a ${status}: a body that comes late is the response to nothing`, async () => {
      const before = connections;
      const etag = { headers: { 'if-none-match': '"1"' } };
      const late: Socket[] = [];
      say = (socket, head) => {
        if (late.includes(socket)) return void socket.write(FOREIGN);
        if (head.includes('if-none-match')) late.push(socket);
        socket.write(head.includes('if-none-match') ? `HTTP/1.1 ${status} x\r\n\r\n` : OK);
      };
      assert.equal(await text('/api/x', etag), '');
      assert.deepEqual([await text(), connections - before], ['hi', 2]);
    });

  it('that sends a second response is given to nobody', async () => {
    let isFirst = true;
    say = (socket) => {
      socket.write(OK);
      // In a packet of its own, when the first response was read and before the next request can be.
      if (isFirst) setImmediate(() => setImmediate(() => socket.write(FOREIGN)));
      isFirst = false;
    };
    const pool: ConnectionPool = createConnectionPool(
      gateUpstream(),
      {
        timeoutConnect: 5,
        timeoutResponse: 5,
        timeoutIdle: 5,
      },
      PLAIN,
    );
    const ask = (): Promise<string> =>
      new Promise((resolve, reject) => {
        let body = '';
        pool.dispatch({
          head: { method: 'GET', target: '/', headers: {} },
          isRepeatable: true,
          mayBorrow: false,
          onStart() {},
          onHead() {},
          onBody(bytes) {
            body += bytes.toString();
          },
          onEnd: () => resolve(body),
          onError: reject,
        });
      });
    try {
      assert.deepEqual([await ask(), await ask()], ['hi', 'hi']);
    } finally {
      pool.close();
    }
  });

  it('that is kept, and may be stale, is not used for a DELETE: it could not be sent again', async () => {
    say = (socket, _head, number) => {
      // The first connection is closed by the other side as soon as it is used again.
      if (number === 1 && requests.length > 1) return void socket.destroy();
      socket.write(OK);
    };
    assert.equal(await text(), 'hi');
    for (const method of ['DELETE', 'POST', 'OPTIONS']) {
      const { status } = await fetch(`${gate.url}/api/x`, { method });
      assert.equal(status, 200, method);
    }
  });

  it('that is closed under a request gets a GET once more, on a new connection, and a POST not', async () => {
    const closeFirst = (method: string) => {
      let isFirst = true;
      say = (socket, head) => {
        if (!isFirst || !head.startsWith(method)) return void socket.write(OK);
        isFirst = false;
        socket.destroy();
      };
    };
    for (const method of ['GET', 'POST']) {
      say = (socket) => socket.write(OK);
      assert.equal(await text(), 'hi');
      closeFirst(method);
      const { status } = await fetch(`${gate.url}/api/x`, { method });
      assert.equal(status, method === 'GET' ? 200 : 502);
    }
    assert.equal(requests.filter((head) => head.startsWith('POST')).length, 1);
  });

  it('ends when a response falls silent in its middle, and the client sees it cut', async () => {
    say = (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhi');
    await assert.rejects(text());
    await until('the gate closes the connection', () => open.size === 0);
  });
});

describe('Many people at once, some of whom leave, and an upstream that breaks off', () => {
  const bodyOf = (mark: string): string => `[${mark}]`.repeat(200);
  const lengthOf = (body: string): string => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`;
  const chunksOf = (body: string): string =>
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n`;
  type Behaviour = (socket: Socket, body: string) => void;
  // biome-ignore format: a table
  const behaviours: readonly Behaviour[] = [
    (socket, body) => socket.write(lengthOf(body) + body),
    (socket, body) => socket.write(`${chunksOf(body)}0\r\n\r\n`),
    (socket, body) => socket.write(`${lengthOf(body)}${body}${FOREIGN}`),
    (socket, body) => socket.write(lengthOf(body) + body.slice(0, 900), () => socket.destroy()),
    (socket, body) => socket.write(chunksOf(body), () => socket.resetAndDestroy()),
    (socket) => socket.resetAndDestroy(),
    (socket, body) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${body}`),
    (socket, body) => void setImmediate(() => socket.write(lengthOf(body) + body)),
  ];

  it('get no response, nor a part of one, that is not their own', async () => {
    const patient = await startGate(gateUpstream());
    say = (socket, head) => {
      const [, mark = '', way] = /^GET \/api\/(\d+-\d+)\?(\d) /.exec(head) ?? [];
      const answer = (): void => behaviours[Number(way)]?.(socket, bodyOf(mark));
      const left = leaving.get(mark)?.destroy();
      if (left) setTimeout(answer, 2);
      else answer();
    };
    const leaving = new Map<string, ClientRequest>();
    let whole = 0;
    const ask = async (mark: string, way: number, leaves: boolean, agent: Agent): Promise<void> => {
      const asked = get(`${patient.url}/api/${mark}?${way}`, { agent });
      if (leaves) leaving.set(mark, asked);
      let [body, status, isWhole] = ['', 0, false];
      asked
        .on('error', () => {})
        .on('response', (response) => {
          status = response.statusCode ?? 0;
          response.on('error', () => {}).on('data', (piece: Buffer) => (body += piece.toString('latin1')));
          response.on('end', () => (isWhole = status === 200 && !leaves));
        });
      await new Promise((resolve) => asked.once('close', resolve));
      if (status === 200) assert.equal(body, isWhole ? bodyOf(mark) : bodyOf(mark).slice(0, body.length));
      if (isWhole) whole += 1;
    };
    const person = async (number: number): Promise<void> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let turns = 0; turns < 40; turns += 1)
        await ask(`${number}-${turns}`, (number * 3 + turns) % behaviours.length, (number + turns) % 7 === 0, agent);
      agent.destroy();
    };
    await Promise.all(Array.from({ length: 12 }, (_, number) => person(number)));
    await patient.close();
    assert.ok(whole > 150, `only ${whole} of 480 were whole: that proves too little`);
  });
});

/** Random bytes that the sender may send in any pieces. */
const BODY = Buffer.alloc(6_000_000, createHash('sha512').update('seed').digest());
for (let at = 0; at < BODY.length; at += 4096) BODY.writeUInt32LE(at, at);
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const SUM = sha256(BODY);

const chunked = (): Buffer => {
  const parts: Buffer[] = [];
  for (let at = 0, size = 1; at < BODY.length; at += size, size = ((size * 7) % 200_000) + 1) {
    const part = BODY.subarray(at, at + size);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\nX-Sum: 1\r\n\r\n')]);
};
// biome-ignore format: a table
const FRAMINGS: readonly (readonly [name: string, head: string, body: () => Buffer, closes: boolean])[] = [
  ['by its length',  `Content-Length: ${BODY.length}`, () => BODY, false],
  ['in chunks',      'Transfer-Encoding: chunked',      chunked,   false],
  ['until it closes', 'Connection: close',              () => BODY, true],
];

describe('A head that never ends', () => {
  it('is 504 when the time for the response is over, however many pieces come', async () => {
    const impatient = await startGate(gateUpstream(), { timeoutResponse: 0.2 });
    say = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-A: ');
      const drip = setInterval(() => socket.write('a'), 20);
      socket.once('close', () => clearInterval(drip));
    };
    assert.equal((await fetch(`${impatient.url}/api/x`)).status, 504);
    await impatient.close();
  });
});

describe('While a body is on its way to the upstream', { timeout: 20_000 }, () => {
  const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
  let impatient: StartedGate;
  before(async () => {
    impatient = await startGate(gateUpstream(), { timeoutResponse: 0.2 });
  });
  after(() => impatient.close());

  /** Read as a head of its own by the upstream of these tests. */
  const PART = 'part\r\n\r\n';
  const upload = async (parts: number): Promise<RawConnection> => {
    const client = await openConnection(impatient.port);
    await client.send(`POST /api/x HTTP/1.1\r\nHost: nvr\r\nContent-Length: ${parts * PART.length}\r\n\r\n`);
    return client;
  };

  for (const [sentence, interim] of [
    ['the client may take longer than a response may', ''],
    ['so it may behind an interim response', CONTINUE],
  ] as const) {
    it(sentence, async () => {
      say = (socket, text) => {
        if (text.startsWith('POST')) socket.write(interim);
        if (text === PART) socket.write(OK);
      };
      const client = await upload(1);
      await until('the upload begins', () => requests.length === 1);
      assert.equal((await fetch(`${impatient.url}/api/silent`)).status, 504); // so much time has passed for the upload too
      await client.send(PART);
      await client.settled();
      assert.equal(client.answers()[0]?.status, 200);
      client.close();
    });
  }

  it('an interim response does not end the wait for the response itself', async () => {
    say = (socket, text) => {
      if (text === PART) socket.write(CONTINUE);
    };
    const client = await upload(2);
    await client.send(PART);
    await until('the upstream has a part', () => requests.includes(PART));
    await client.send(PART);
    await client.settled();
    assert.equal(client.answers()[0]?.status, 504);
    client.close();
  });
});

describe('What is told of a response that is over', () => {
  it('does not touch the next one on the same connection', { timeout: 20_000 }, async () => {
    const address = gateUpstream();
    const pool = createConnectionPool(address, { timeoutConnect: 5, timeoutResponse: 5, timeoutIdle: 5 }, PLAIN);
    let answerSecond = (): void => {};
    say = (socket) => {
      if (requests.length === 1) socket.write(OK);
      else answerSecond = () => socket.write(OK);
    };
    const first = await exchangeOver(pool);
    const second = exchangeOver(pool);
    await until('the second request arrives', () => requests.length === 2);
    first.control.pause();
    first.control.abort();
    answerSecond();
    assert.deepEqual([(await second).body, connections], ['hi', 1]);
    pool.close();
  });
});

/** Bytes: after a shorter read the connection gives its own memory up. */
const SHALLOW_READ = 32 * 1024;

describe('A receiver that pauses and resumes in one call', () => {
  it('gets all of the body, though short parts of it were lent', { timeout: 30_000 }, async () => {
    const [first, short, parts] = [1_000_000, 1000, 20];
    const length = first + short * parts;
    let sent = first;
    let upstream: Socket | undefined;
    say = (socket) => {
      upstream = socket;
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(first)}`);
    };
    let [bytes, lentShort] = [0, 0];
    const pool = createConnectionPool(gateUpstream(), { timeoutConnect: 5, timeoutResponse: 5, timeoutIdle: 5 }, PLAIN);
    await exchangeOver(pool, (control, piece, onTaken) => {
      bytes += piece.length;
      if (onTaken && piece.length < SHALLOW_READ) lentShort += 1;
      control.pause();
      control.resume();
      setImmediate(() => {
        onTaken?.();
        if (bytes !== sent || sent === length) return;
        sent += short;
        upstream?.write('x'.repeat(short));
      });
    });
    pool.close();
    assert.equal(bytes, length);
    assert.ok(lentShort > 0, 'no short part was lent: that proves too little');
  });
});

describe('Bodies that come faster than they are read', () => {
  // biome-ignore format: a table
  const taken: readonly (readonly [sentence: string, tell: (onTaken: () => void) => void])[] = [
    ['used up at once',                    (onTaken) => onTaken()],
    ['taken by the kernel in the same turn', (onTaken) => process.nextTick(onTaken)],
    ['taken by the kernel later',          (onTaken) => void setImmediate(onTaken)],
  ];
  for (const [sentence, tell] of taken) {
    it(`leave each turn of the event loop to others as well: ${sentence}`, { timeout: 20_000 }, async () => {
      const [length, atOnce] = [4_000_000, 4];
      say = (socket) => void socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`);
      let [turns, left] = [0, length * atOnce];
      const read: Record<number, number> = {};
      const pool = createConnectionPool(
        gateUpstream(),
        { timeoutConnect: 5, timeoutResponse: 5, timeoutIdle: 5 },
        PLAIN,
      );
      const body = () =>
        exchangeOver(pool, (_control, piece, onTaken) => {
          left -= piece.length;
          read[turns] = (read[turns] ?? 0) + piece.length;
          if (onTaken) tell(onTaken);
        });
      const bodies = Array.from({ length: atOnce }, body);
      for (; left > 0; turns += 1) await turn();
      await Promise.all(bodies);
      pool.close();
      assert.ok(Math.max(...Object.values(read)) < length, `bytes in each turn: ${Object.values(read)}`);
    });
  }
});

type OnBody = (control: ResponseControl, bytes: Buffer, onTaken: (() => void) | undefined) => void;

/** Resolves when the response is whole. */
function exchangeOver(
  pool: ConnectionPool,
  borrows?: OnBody,
): Promise<{ readonly control: ResponseControl; readonly body: string }> {
  return new Promise((resolve, reject) => {
    let control: ResponseControl;
    let body = '';
    pool.dispatch({
      head: { method: 'GET', target: '/', headers: { host: 'nvr' } },
      isRepeatable: true,
      mayBorrow: borrows !== undefined,
      onStart(started) {
        control = started;
      },
      onHead() {},
      onBody(bytes, onTaken) {
        borrows?.(control, bytes, onTaken);
        body += bytes.toString('latin1');
      },
      onEnd: () => resolve({ control, body }),
      onError: reject,
    });
  });
}

describe('A long body', () => {
  /** Slow readers on a busy machine pause for longer than the other tests allow. */
  let patientGate: StartedGate;
  let tlsGate: StartedGate;
  let http2: Http2Client;
  before(async () => {
    const served = await makeServed();
    patientGate = await startGate(gateUpstream());
    tlsGate = await startGate(gateUpstream(), {}, undefined, { tls: changing(served) });
    http2 = await http2Client(tlsGate.url, served.certificate);
  });
  after(async () => {
    http2.close();
    await patientGate.close();
    await tlsGate.close();
  });
  const readHttp2 = async (): Promise<string> => sha256((await http2.ask('/api/x')).body);

  for (const [name, head, body, closes] of FRAMINGS) {
    it(`framed ${name} arrives whole, at fast and slow readers beside each other, over TLS and HTTP/2 or not`, async () => {
      const bytes = Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`), body()]);
      say = (socket) => (closes ? socket.end(bytes) : socket.write(bytes));
      const over = [patientGate, tlsGate].flatMap((from) => [read(from, false), read(from, true)]);
      assert.deepEqual(await Promise.all([...over, readHttp2(), readHttp2()]), Array(6).fill(SUM));
    });
  }

  it('whose reader leaves ends at the upstream', async () => {
    say = (socket) => socket.write(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), BODY]));
    const socket = connect(gate.port, '127.0.0.1');
    socket.write('GET /api/x HTTP/1.1\r\nHost: nvr\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
    await until('the upstream sees it', () => open.size === 0);
  });
});

/** A slow one takes a little, and lets others go first. */
async function read({ url }: StartedGate, isSlow: boolean): Promise<string> {
  const options = { agent: false as const, highWaterMark: 16 * 1024, rejectUnauthorized: false };
  const asked = url.startsWith('https:') ? getOverTls(`${url}/api/x`, options) : get(`${url}/api/x`, options);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const parts: Buffer[] = [];
  for await (const part of response) {
    parts.push(part);
    if (isSlow) for (let turns = 0; turns < 3; turns += 1) await turn();
  }
  return sha256(Buffer.concat(parts));
}
