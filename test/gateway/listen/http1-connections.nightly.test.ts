/** What one client's connections may hold: requests that were sent ahead, responses that nobody reads, bodies that do not come. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { WebSocket } from 'ws';
import { openConnection } from '../../attacks/support/raw-connection.ts';
import { answerLikeAnNvr, type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { changing, makeServed } from '../../support/served-certificate.ts';
import { type StartedGate, startGate, upstreamAt } from '../../support/start-gate.ts';
import { until } from '../../support/until.ts';

const IDLE = { timeoutIdle: 0.5 };
const STALLED = { timeoutStalled: 1.5 };

let nvr: FakeNvr;
let plain: StartedGate;
let overTls: StartedGate;
let ca: string;
let served: Awaited<ReturnType<typeof makeServed>>;

before(async () => {
  nvr = await startFakeNvr();
  served = await makeServed();
  ca = served.certificate;
  plain = await startGate(upstreamAt(nvr.url), IDLE, undefined, STALLED);
  overTls = await startGate(upstreamAt(nvr.url), IDLE, undefined, { tls: changing(served), ...STALLED });
});
after(async () => {
  for (const gate of [plain, overTls]) await gate.close();
  await nvr.close();
});
beforeEach(() => {
  nvr.received.length = 0;
  nvr.answer = answerLikeAnNvr;
});

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Bytes without end, as fast as they are taken. */
function stream(response: ServerResponse): void {
  const chunk = Buffer.alloc(64 * 1024);
  const go = (): void => {
    while (!response.destroyed && response.write(chunk));
    response.once('drain', go);
  };
  response.writeHead(200, { 'content-type': 'video/mp4' });
  go();
}

describe('Requests that a client sends ahead on one connection', () => {
  it('are under way one at a time, and all are answered in their order', async () => {
    const held: ServerResponse[] = [];
    nvr.answer = (_request, response) => void held.push(response);
    const count = 2500;
    const client = connect(plain.port, '127.0.0.1');
    let text = '';
    client.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
    });
    client.write(Array.from({ length: count }, (_, index) => get(`/api/${index}`)).join(''));
    for (let index = 0; index < count; index += 1) {
      await until(`request ${index} is at the NVR`, () => held.length > 0);
      assert.deepEqual([held.length, nvr.received.length], [1, index + 1]);
      if (index === 50) break;
      held.pop()?.end(`${index}.`);
    }
    nvr.answer = ({ url }, response) => void response.end(`${url?.slice('/api/'.length)}.`);
    held.pop()?.end('50.');
    await until('the last is answered', () => text.endsWith(`\r\n${count - 1}.`));
    assert.deepEqual(
      [...text.matchAll(/\r\n\r\n(\d+)\./g)].map(([, index]) => Number(index)),
      Array.from({ length: count }, (_, index) => index),
    );
    client.destroy();
    assert.ok(nvr.sockets.size <= 2);
  });

  it('are not asked any more when the client leaves', async () => {
    const held: ServerResponse[] = [];
    nvr.answer = (_request, response) => void held.push(response);
    const client = await openConnection(plain.port);
    await client.send(get('/api/x').repeat(40));
    await until('the first is at the NVR', () => held.length === 1);
    const isOver = once(held[0] as ServerResponse, 'close');
    client.reset();
    await isOver;
    nvr.answer = answerLikeAnNvr;
    assert.equal(await (await fetch(`${plain.url}/api/version`)).text(), '0.18.0-fake');
    assert.deepEqual(new Set(nvr.received.map(({ target }) => target)), new Set(['/api/x', '/api/version']));
    assert.ok(nvr.received.length <= 3, `${nvr.received.length}`);
  });

  it('are begun no more behind a response that said it is the last', async () => {
    const gate = await startGate(upstreamAt(nvr.url));
    const held: ServerResponse[] = [];
    nvr.answer = (_request, response) => void held.push(response);
    const client = await openConnection(gate.port);
    await client.send(get('/api/last'));
    await until('it is at the NVR', () => held.length === 1);
    const isClosed = gate.listener.close(5);
    await client.send(get('/api/behind'));
    held[0]?.end('last');
    await until('the connection is closed', client.isClosed);
    const answers = client
      .answers()
      .map(({ status, head, body }) => [status, /\r\nconnection: close/i.test(head), body]);
    assert.deepEqual(answers, [[200, true, 'last']]);
    await isClosed;
    nvr.answer = answerLikeAnNvr;
    await (await fetch(`${plain.url}/api/later`)).text();
    assert.deepEqual(
      nvr.received.map(({ target }) => target),
      ['/api/last', '/api/later'],
    );
    assert.equal(gate.ends.length, 1);
    await gate.close();
  });

  it('may have a body that comes later', async () => {
    const held: ServerResponse[] = [];
    nvr.answer = (_request, response) => void held.push(response);
    const client = await openConnection(plain.port);
    const body = 'b'.repeat(300_000);
    const sent = client.send(
      `${get('/api/a')}POST /api/b HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}${get('/api/c')}`,
    );
    await until('the first is at the NVR', () => held.length === 1);
    held[0]?.end('a');
    nvr.answer = (request, response) => void request.resume().once('end', () => response.end('x'));
    await sent;
    await client.settled(3);
    assert.deepEqual(
      nvr.received.map(({ target, bodyBytes }) => [target, bodyBytes]),
      [
        ['/api/a', 0],
        ['/api/b', body.length],
        ['/api/c', 0],
      ],
    );
    client.close();
  });

  it('are no upgrade: the connection is closed, and the NVR hears of none', async () => {
    const held: ServerResponse[] = [];
    nvr.answer = (_request, response) => void held.push(response);
    const client = await openConnection(plain.port);
    await client.send(
      `${get('/api/a')}GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
    );
    await until('the connection is closed', client.isClosed);
    assert.ok(nvr.received.every(({ target }) => target === '/api/a'));
  });

  it('are as many as one read brings, over TLS too', async () => {
    const client = connectTls({
      port: overTls.port,
      host: '127.0.0.1',
      ca,
      servername: 'localhost',
      ALPNProtocols: ['http/1.1'],
    });
    await once(client, 'secureConnect');
    let text = '';
    client.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1');
    });
    let most = 0;
    let open = 0;
    nvr.answer = (_request, response) => {
      open += 1;
      most = Math.max(most, open);
      setImmediate(() => {
        open -= 1;
        response.end('answer');
      });
    };
    client.write(get('/api/x').repeat(1000));
    await until('all are answered', () => text.split('\r\n\r\nanswer').length === 1001);
    client.destroy();
    assert.equal(most, 1);
  });
});

describe('A client that does not read', () => {
  const stopReading = (socket: Socket): Promise<unknown> => {
    socket.on('error', () => {}).pause();
    socket.write(get('/api/video'));
    return once(socket, 'close');
  };

  it('is cut off in the end, and its connection to the NVR is free', async () => {
    let isOver = false;
    nvr.answer = (_request, response) => stream(response.once('close', () => (isOver = true)) as ServerResponse);
    const socket = connect(plain.port, '127.0.0.1');
    void stopReading(socket);
    await until('the response ends at the NVR', () => isOver);
    await until('the log can say so', () => plain.ends.at(-1)?.isStalled === true);
    socket.destroy();
  });

  it('is cut off over TLS', async () => {
    let isOver = false;
    nvr.answer = (_request, response) => stream(response.once('close', () => (isOver = true)) as ServerResponse);
    const socket = connectTls({
      port: overTls.port,
      host: '127.0.0.1',
      ca,
      servername: 'localhost',
      ALPNProtocols: ['http/1.1'],
    });
    void stopReading(socket);
    await until('the response ends at the NVR', () => isOver);
    socket.destroy();
  });

  it('ends its stream over HTTP/2, and its other streams go on', async () => {
    let isOver = false;
    const session = connectHttp2(overTls.url, { ca, servername: 'localhost' });
    nvr.answer = (_request, response) => stream(response.once('close', () => (isOver = true)) as ServerResponse);
    const stuck = session.request({ ':path': '/api/video' }).on('error', () => {});
    stuck.pause();
    await until('the response ends at the NVR', () => isOver);
    await until('the log can say so', () => overTls.ends.at(-1)?.isStalled === true);
    nvr.answer = answerLikeAnNvr;
    const [head] = (await once(session.request({ ':path': '/api/version' }), 'response')) as [Record<string, unknown>];
    assert.equal(head[':status'], 200);
    session.destroy();
  });

  it('for longer than nvr.timeout_idle, as behind a proxy that has read ahead, gets all of it when it reads on', async () => {
    const patient = await startGate(upstreamAt(nvr.url), IDLE, undefined, { tls: changing(served) });
    const total = 40 * 1024 * 1024;
    nvr.answer = ({ url }, response) => {
      if (url !== '/api/video') return;
      response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': total }).end(Buffer.alloc(total));
    };
    const session = connectHttp2(patient.url, { ca, servername: 'localhost' });
    const options = { port: patient.port, host: '127.0.0.1', ca, servername: 'localhost', ALPNProtocols: ['http/1.1'] };
    const socket = connectTls(options);
    socket
      .on('error', () => {})
      .pause()
      .write(get('/api/video'));
    const stream = session.request({ ':path': '/api/video' }).pause();
    // Both are full. That the time is over is seen by clients whose bodies do not come, one after the other.
    for (let turn = 0; turn < 4; turn += 1) {
      const other = await openConnection(plain.port);
      await other.send('POST /api/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nbegun');
      await until('the time for silence is over', other.isClosed);
    }
    let [first, second] = [0, 0];
    socket.on('data', ({ length }: Buffer) => (first += length)).resume();
    stream.on('data', ({ length }: Buffer) => (second += length)).resume();
    await until('all of it is there', () => first >= total && second === total);
    socket.destroy();
    session.destroy();
    await patient.close();
  });

  it('and reads on in time gets all of it', async () => {
    const total = 40 * 1024 * 1024;
    nvr.answer = (_request, response) =>
      void response.writeHead(200, { 'content-length': total }).end(Buffer.alloc(total));
    const socket = connect(plain.port, '127.0.0.1');
    let bytes = 0;
    let pauses = 0;
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (pauses * 8 * 1024 * 1024 > bytes) return;
      pauses += 1;
      socket.pause();
      setTimeout(() => socket.resume(), 150);
    });
    socket.write(get('/api/large'));
    await until('all of it is there', () => bytes >= total);
    socket.destroy();
    assert.ok(pauses > 2);
  });
});

describe('A body that does not come', () => {
  const POST = 'POST /api/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nbegun';

  it('is told 408 after nvr.timeout_idle, and is not awaited by the NVR', async () => {
    nvr.answer = () => {};
    const before = nvr.sockets.size;
    const client = await openConnection(plain.port);
    await client.send(POST);
    await until('the connection is closed', client.isClosed);
    assert.match(client.text(), /^HTTP\/1\.1 408 /);
    await until('the NVR has no more connections', () => nvr.sockets.size <= before);
  });

  it('ends its stream over HTTP/2', async () => {
    const session = connectHttp2(overTls.url, { ca, servername: 'localhost' });
    const request = session.request({ ':method': 'POST', ':path': '/api/x' }).on('error', () => {});
    request.write('begun');
    await once(request, 'close');
    session.destroy();
  });
});

it('A WebSocket may be silent, also while a slow NVR opens it', async () => {
  nvr.answerUpgrade = (request, socket) =>
    void setTimeout(() => {
      nvr.answerUpgrade = undefined;
      nvr.acceptUpgrade(request, socket);
    }, 1200);
  const socket = new WebSocket(`${plain.url.replace('http', 'ws')}/ws`);
  await once(socket, 'open');
  await new Promise((resolve) => setTimeout(resolve, 1200));
  socket.send('said');
  assert.equal(String((await once(socket, 'message'))[0]), 'said');
  socket.terminate();
});

it('A client that waits for a slow NVR is not cut off by the time for silence', async () => {
  nvr.answer = (_request, response) => void setTimeout(() => response.end('late'), 1500);
  assert.equal(await (await fetch(`${plain.url}/api/x`)).text(), 'late');
  const session = connectHttp2(overTls.url, { ca, servername: 'localhost' });
  const answer = session.request({ ':path': '/api/x' });
  let text = '';
  for await (const bytes of answer) text += bytes;
  assert.equal(text, 'late');
  session.destroy();
});
