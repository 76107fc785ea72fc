/** The pool of workers, with processes that the test ends: when another one is started, what is told, and when it gives up (SPEC 10). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FromPrimary } from '../../src/app/workers/messages.ts';
import { createNotes } from '../../src/app/workers/notes.ts';
import { openWorkerPool, type PoolDeps } from '../../src/app/workers/worker-pool.ts';
import type { WorkerProcessEvents } from '../../src/app/workers/worker-process-handle.ts';
import type { PoolWorker } from '../../src/app/workers/worker-slot.ts';
import { until } from '../support/until.ts';

interface Fake {
  readonly events: WorkerProcessEvents;
  readonly sent: FromPrimary[];
  wasKilled: boolean;
}

const ADDRESSES = { external: { host: '127.0.0.1', port: 1 }, internal: undefined, telemetry: undefined };

function fakePool(over: Partial<PoolDeps> = {}) {
  const fakes: Fake[] = [];
  const downs: (readonly [number: number, kind: string, text: string, pause: number])[] = [];
  const opening = openWorkerPool({
    count: 2,
    now: () => 0,
    fork(events) {
      const fake: Fake = { events, sent: [], wasKilled: false };
      fakes.push(fake);
      const end = (how: string): void => queueMicrotask(() => events.onEnd(how));
      return {
        pid: fakes.length,
        send(message) {
          fake.sent.push(message);
          if (message.kind === 'drain') end('exit code 0');
        },
        kill() {
          if (!fake.wasKilled) end('SIGKILL');
          fake.wasKilled = true;
        },
      };
    },
    onLine() {},
    onHere() {},
    onUp() {},
    onMessage() {},
    onEnd() {},
    onDown: ({ number }, { kind, text }, pause) => void downs.push([number, kind, text, pause]),
    ...over,
  });
  const at = (index: number): Fake => fakes[index] ?? assert.fail('it was not started');
  const listen = (index: number): void => at(index).events.onMessage({ kind: 'listening', addresses: ADDRESSES });
  return { fakes, downs, opening, at, listen };
}

describe('The pool of workers', () => {
  it('is open when all listen, and closed when all have ended', async () => {
    const { opening, listen, fakes } = fakePool();
    listen(0);
    listen(1);
    const pool = await opening;
    assert.deepEqual([pool.addresses, pool.workers().map(({ number }) => number)], [ADDRESSES, [1, 2]]);
    assert.deepEqual(pool.check(), { kind: 'ok' });
    await pool.close(1000);
    assert.deepEqual(
      fakes.map(({ sent }) => sent.at(-1)?.kind),
      ['drain', 'drain'],
    );
  });

  it('does not open when a worker cannot start, and says why', async () => {
    const { opening, at, fakes } = fakePool();
    at(1).events.onMessage({ kind: 'not-started', message: 'cannot listen on 127.0.0.1:80: this user may not' });
    await assert.rejects(opening, /cannot listen on 127\.0\.0\.1:80/);
    assert.ok(fakes.every(({ wasKilled, sent }) => wasKilled || sent.at(-1)?.kind === 'drain'));
  });

  it('waits longer before each restart of a worker that ends again and again, and says it', async () => {
    let noneLeft = 0;
    const onNone = (): void => {
      noneLeft += 1;
    };
    const { opening, at, listen, downs, fakes } = fakePool({ onNone });
    listen(0);
    listen(1);
    const pool = await opening;
    at(0).events.onEnd('SIGSEGV');
    assert.deepEqual(pool.check(), { kind: 'degraded', reason: 'worker 1 is being started: SIGSEGV' });
    await until('it is started again', () => fakes.length === 3);
    at(2).events.onMessage({ kind: 'not-started', message: 'the store is locked' });
    await until('that one has ended', () => downs.length === 2);
    assert.deepEqual(downs, [
      [1, 'ended', 'SIGSEGV', 500],
      [1, 'ended', 'the store is locked', 1000],
    ]);
    assert.equal(noneLeft, 0);
    at(1).events.onEnd('SIGSEGV');
    assert.deepEqual([pool.check().kind, noneLeft], ['failed', 1]);
    await pool.close(1000);
  });

  it('rejects what was asked of a worker that has ended', async () => {
    const { opening, at, listen } = fakePool();
    listen(0);
    listen(1);
    const pool = await opening;
    const answer = pool.workers()[0]?.ask({ kind: 'report' });
    at(0).events.onEnd('SIGKILL');
    await assert.rejects(answer ?? assert.fail('there is none'), /worker 1 has ended/);
    await pool.close(1000);
  });
});

describe('What is told to workers', () => {
  const REVOKED = { kind: 'held-revocation', tokenId: 'gone', expiresAt: 100 } as const;
  const noted = { kind: 'noted', note: REVOKED };

  it('reaches one that has its orders and does not listen yet, and comes with the orders of one that starts later', async () => {
    const told = createNotes({ accounts: {} as never, clock: { now: () => 0 } });
    const starting: PoolWorker[] = [];
    const onHere = (worker: PoolWorker): void => {
      told.starts(worker);
      starting.push(worker);
    };
    const { opening, at, listen } = fakePool({ onHere, onEnd: told.ended });
    for (const index of [0, 1]) at(index).events.onMessage({ kind: 'here' });
    listen(0);
    told.take(REVOKED, starting[0] ?? assert.fail());
    assert.deepEqual([at(0).sent, at(1).sent], [[], [noted]]);
    assert.deepEqual(told.current(), [REVOKED]);
    listen(1);
    const pool = await opening;
    at(0).events.onEnd('SIGKILL');
    told.tellAll({ kind: 'noted', note: REVOKED });
    assert.deepEqual([at(0).sent, at(1).sent], [[], [noted, noted]]);
    await pool.close(1000);
  });
});
