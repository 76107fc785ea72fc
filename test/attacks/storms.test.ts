/** Many clients that leave at the worst moment, or never finish: no other client waits, and nothing is left behind. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { ADMIN_PERSON, VERA } from '../support/people.ts';
import { rawRequest } from '../support/raw-request.ts';
import { until } from '../support/until.ts';
import { behaveWell, FAULTS } from './support/faults.ts';
import { HOST, head, UPGRADE, watchInstance } from './support/watched-instance.ts';

const HEADERS_SECONDS = 0.5;
const LOGIN_BODY_SECONDS = 0.3;

const watched = await watchInstance({}, { head: HEADERS_SECONDS, body: LOGIN_BODY_SECONDS });
let bearer: string;
beforeEach(async () => {
  behaveWell(watched.nvr);
  bearer = await watched.bearerOf(VERA);
});

async function isServed(): Promise<void> {
  const { status, text } = await rawRequest(watched.instance.port, head('GET /api/version HTTP/1.1', HOST, bearer));
  assert.equal(status, 200);
  assert.match(text, /0\.18\.0-fake/);
}

/** A connection that was made for a request and never got it would wait for one until it is timed out. */
const isQuiet = (sockets: ReadonlySet<Socket>): boolean =>
  sockets.size <= 2 && [...sockets].every(({ bytesRead }) => bytesRead > 0);

/** What the kernel keeps for three readers that do not read, and more. */
const MOST_BUFFERED_BYTES = 120_000_000;

const open = (): Socket => connect(watched.instance.port, '127.0.0.1').on('error', () => {});

describe('Three hundred clients that reset at a random point of a request', () => {
  const requests = (): readonly string[] => {
    const body = 'x'.repeat(5000);
    return [
      head('GET /api/version HTTP/1.1', HOST, bearer),
      head('GET /vod/cam1/start/1/end/2/big.bin HTTP/1.1', HOST, bearer),
      head('GET /api/nothing-of-theirs HTTP/1.1', HOST, bearer),
      `${head('POST /api/login HTTP/1.1', HOST, 'Content-Type: application/json', 'Content-Length: 5000')}${body}`,
      head('GET /ws HTTP/1.1', HOST, bearer, UPGRADE),
      `${head('GET /api/stats HTTP/1.1', HOST, bearer, 'Content-Length: 5000')}${body}`,
    ];
  };

  for (const fault of ['none', 'hang', 'endless-body', 'close-mid-body'] as const) {
    it(`leave nothing behind, before an NVR whose fault is: ${fault}`, async () => {
      FAULTS[fault]?.(watched.nvr);
      const [plan = []] = fc.sample(
        fc.array(
          fc.record({ which: fc.nat(5), cut: fc.double({ min: 0, max: 1, noNaN: true }), waits: fc.boolean() }),
          {
            minLength: 300,
            maxLength: 300,
          },
        ),
        { numRuns: 1, seed: 7 },
      );
      const bytes = requests();
      await Promise.all(
        plan.map(async ({ which, cut, waits }) => {
          const socket = open();
          await once(socket, 'connect');
          const request = bytes[which] ?? '';
          // Half of them send everything, and leave while they wait or are answered.
          const sent = waits ? request : request.slice(0, Math.floor(cut * request.length));
          await new Promise((resolve) => socket.write(sent, 'latin1', resolve));
          socket.resetAndDestroy();
        }),
      );
      behaveWell(watched.nvr);
      for (let count = 0; count < 5; count += 1) await isServed();
      await until('the NVR has only the connections that are kept for the next request', () =>
        isQuiet(watched.nvr.sockets),
      );
      assert.deepEqual(
        watched.instance.log.filter(({ level }) => level === 'error' || Number(level) >= 50),
        [],
      );
    });
  }
});

describe('Clients that never finish', () => {
  it('a head are cut off in time, and others are served meanwhile', async () => {
    const slow = Array.from({ length: 100 }, open);
    const answers = slow.map(() => '');
    for (const [index, socket] of slow.entries()) {
      socket.on('data', (chunk) => {
        answers[index] += chunk.toString('latin1');
      });
      socket.write(`GET /api/stats HTTP/1.1\r\n${HOST}\r\nX-a: `);
    }
    await isServed();
    await until('the slow ones are cut off', () => slow.every(({ closed }) => closed));
    assert.deepEqual(
      answers.filter((text) => !text.startsWith('HTTP/1.1 408 ')),
      [],
    );
    await isServed();
    assert.deepEqual(
      watched.nvr.received.map(({ target }) => target),
      ['/api/version', '/api/version'],
    );
  });

  it('a login are told that it took too long, and it is not tried', async () => {
    const lines = [HOST, 'Content-Type: application/json', 'Content-Length: 60'];
    const { status, text } = await rawRequest(
      watched.instance.port,
      `${head('POST /api/login HTTP/1.1', lines)}{"user":`,
    );
    assert.equal(status, 408);
    assert.match(text, /connection: close/i);
  });

  it('the reading of an answer that never ends hold back the NVR, not the memory of the instance', async () => {
    FAULTS['endless-body']?.(watched.nvr);
    const readers = Array.from({ length: 3 }, open);
    for (const socket of readers) {
      socket.pause();
      socket.write(head('GET /api/cam1 HTTP/1.1', HOST, bearer));
    }
    await until('every request arrives', () => watched.nvr.received.length === readers.length);
    const written = (): number => [...watched.nvr.sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0);
    await until('the NVR begins to answer', () => written() > 0);
    for (let before = -1; before !== written(); ) {
      before = written();
      assert.ok(before < MOST_BUFFERED_BYTES, `the NVR could write ${before} bytes`);
      await isAnsweredByPostern();
      await isAnsweredByPostern();
    }
    for (const socket of readers) socket.resetAndDestroy();
    await until('the NVR sees them leave', () => watched.nvr.sockets.size <= 2);
  });
});

/** By Postern alone: the NVR has no answer that ends. */
async function isAnsweredByPostern(): Promise<void> {
  const admin = await watched.instance.logIn(ADMIN_PERSON);
  assert.equal((await watched.instance.ask('/api/profile', { token: admin })).status, 200);
}
