/** A worker that is alive and does not answer is ended, so that another one is started; one that is only busy is not (SPEC 7). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { askWorker, keepWorker } from '../../src/events/worker.ts';

const directory = mkdtempSync(join(tmpdir(), 'postern-watch-'));
const socketPath = join(directory, 'stuck.sock');
let stuck: Server;

before(async () => {
  stuck = createServer(() => {}).listen(socketPath); // takes each request and answers none
  await once(stuck, 'listening');
});
after(() => {
  stuck.closeAllConnections();
  stuck.close();
  rmSync(directory, { recursive: true });
});

describe('A worker that does not answer', () => {
  it('is busy at first, and stuck when it has been silent for longer than any work takes', async () => {
    let now = 0;
    const reasons: string[] = [];
    const worker = keepWorker({
      start: async () => ({ setRoles() {}, async stop() {}, terminate: async (why) => void reasons.push(why.message) }),
      ask: () => askWorker(socketPath, 20),
      longestWork: 10_000,
      now: () => now,
      onDown() {},
      onUp() {},
    });
    await worker.start();
    assert.equal((await worker.look()).kind, 'silent');
    now = 20_000;
    assert.deepEqual([(await worker.look()).kind, reasons], ['silent', []]);
    now = 20_001;
    await worker.look();
    assert.deepEqual(reasons, ['it runs but does not answer']);
    await worker.stop();
  });
});

describe('A socket at which nothing listens', () => {
  it('is told from one that is slow', async () => {
    assert.equal((await askWorker(join(directory, 'absent.sock'), 1000)).kind, 'gone');
    assert.equal((await askWorker(socketPath, 20)).kind, 'silent');
  });
});
