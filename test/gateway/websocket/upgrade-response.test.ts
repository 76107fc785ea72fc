/** An upgrade that the NVR answers with another status, or breaks off: one head on a connection, and a status that is one. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { type StartedGate, startGate, upstreamAt } from '../../support/start-gate.ts';

const UPGRADE = [
  'GET /live HTTP/1.1',
  'host: 127.0.0.1',
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  '\r\n',
].join('\r\n');
const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';
const PATIENCE_MS = 60_000;
const LONG = 'x'.repeat(1_000_000);

let nvr: FakeNvr;
let gate: StartedGate;
before(async () => {
  nvr = await startFakeNvr();
  gate = await startGate(upstreamAt(nvr.url));
});
after(async () => {
  await gate.close();
  await nvr.close();
});

/** All that the client gets until the connection ends. */
function answered(say: (socket: Duplex) => void): Promise<string> {
  nvr.answerUpgrade = (_request, socket) => {
    socket.on('error', () => {});
    say(socket);
  };
  return new Promise((resolve, reject) => {
    const client = connect(gate.port, '127.0.0.1');
    let text = '';
    client.setTimeout(PATIENCE_MS, () => reject(new Error(`the connection stays open: ${JSON.stringify(text)}`)));
    client
      .on('error', () => {})
      .on('data', (chunk) => {
        text += chunk.toString('latin1');
      });
    client.on('close', () => resolve(text));
    client.write(UPGRADE);
  });
}

const headsIn = (text: string): string[] => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status ?? '');
const says = (bytes: string) => (socket: Duplex) => void socket.end(bytes, 'latin1');

describe('An upgrade that the NVR answers with another status', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, bytes: string, heads: string[], ends: RegExp][] = [
    ['and a length passes whole',            'HTTP/1.1 403 x\r\nContent-Length: 2\r\n\r\nno',                            ['403'], /\r\n\r\nno$/],
    ['and chunks passes whole',              'HTTP/1.1 403 x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n', ['403'], /2\r\nno\r\n0\r\n\r\n$/],
    ['up to the end of its connection passes in chunks', 'HTTP/1.1 404 x\r\n\r\nno',                                     ['404'], /2\r\nno\r\n0\r\n\r\n$/],
    ['and more than is held for a client passes whole', `HTTP/1.1 403 x\r\nContent-Length: ${LONG.length}\r\n\r\n${LONG}`, ['403'], /\r\n\r\nx{1000000}$/],
    ['without a body passes',                'HTTP/1.1 204 x\r\n\r\n',                                                   ['204'], /\r\n\r\n$/],
    ['that breaks off in its length is cut', 'HTTP/1.1 403 x\r\nContent-Length: 9\r\n\r\nno',                            ['403'], /(?:no|\r\n\r\n)$/],
    ['that breaks in a chunk is cut',        'HTTP/1.1 403 x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\nzz\r\n',    ['403'], /(?:\r\n\r\n|no\r\n)$/],
    ['that breaks in its first chunk is cut', 'HTTP/1.1 200 x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',              ['200'], /\r\n\r\n$/],
    ['of 099 is 502',                        'HTTP/1.1 099 x\r\nContent-Length: 0\r\n\r\n',                              ['502'], /\}$/],
    ['of 600 is 502',                        'HTTP/1.1 600 x\r\nContent-Length: 0\r\n\r\n',                              ['502'], /\}$/],
    ['of 999 is 502',                        'HTTP/1.1 999 x\r\nContent-Length: 0\r\n\r\n',                              ['502'], /\}$/],
    ['with two lengths is 502',              'HTTP/1.1 200 x\r\nContent-Length: 0\r\nContent-Length: 1\r\n\r\n',          ['502'], /\}$/],
    ['of no HTTP is 502',                    'SSH-2.0-x\r\n\r\n',                                                        ['502'], /\}$/],
    ['of a head that breaks off is 502',     'HTTP/1.1 403 x\r\nContent-',                                               ['502'], /\}$/],
  ];
  for (const [sentence, bytes, heads, ends] of rows) {
    it(sentence, async () => {
      const text = await answered(says(bytes));
      assert.deepEqual(headsIn(text), heads, text);
      assert.match(text, ends);
    });
  }

  it('keeps nothing open, and passes none of what belongs to that hop', async () => {
    const text = await answered(
      says('HTTP/1.1 403 x\r\nContent-Length: 0\r\nKeep-Alive: 5\r\nRemote-Role: admin\r\n\r\n'),
    );
    assert.match(text, /\r\nconnection: close\r\n/i);
    assert.doesNotMatch(text, /keep-alive: 5|remote-role/i);
  });
});

describe('A WebSocket whose NVR resets', () => {
  it('ends without a response in HTTP among its frames', async () => {
    const text = await answered((socket) => {
      socket.write(`${SWITCHED}\x82\x01x`, 'latin1');
      setImmediate(() => (socket as unknown as { resetAndDestroy(): void }).resetAndDestroy());
    });
    assert.deepEqual(headsIn(text), ['101']);
  });
});

const openSockets = (): number => process.getActiveResourcesInfo().filter((type) => type === 'TCPSocketWrap').length;

describe('WebSockets whose clients leave at once', () => {
  it('end at the NVR as well, and those that still listen get its last words', async () => {
    const atFirst = openSockets();
    const gone: Promise<unknown>[] = [];
    nvr.answerUpgrade = (_request, socket) => {
      socket.on('error', () => {});
      socket.resume().once('end', () => socket.end('bye'));
      gone.push(new Promise((resolve) => socket.once('close', resolve)));
      socket.write(SWITCHED);
    };
    const open = async () => {
      const client = connect(gate.port, '127.0.0.1');
      client.write(UPGRADE);
      await once(client, 'data');
      return client;
    };
    const clients = await Promise.all(Array.from({ length: 60 }, open));
    const [listening, others] = [clients.slice(0, 30), clients.slice(30)];
    const heard = listening.map((client) => client.end().toArray());
    for (const client of others) client.resetAndDestroy();
    for (const words of await Promise.all(heard)) assert.equal(Buffer.concat(words).toString(), 'bye');
    assert.equal(gone.length, 60);
    await Promise.all(gone);
    while (openSockets() > atFirst) await nextTurn(); // those of the gate close last
  });
});
