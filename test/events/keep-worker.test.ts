/** An events worker that really dies, each time by another cause, and who starts it again (SPEC 7). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { Worker } from 'node:worker_threads';
import type { CameraName, Role } from '../../src/domain/names.ts';
import {
  type EventsWorker,
  keepWorker,
  pauseAfter,
  startEventsWorker,
  type WorkerKeeping,
} from '../../src/events/worker.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { makeScratch } from '../store/support/scratch-store.ts';
import { FIVE } from './support/event.ts';
import { askAt } from './support/served-events.ts';

const scratch = makeScratch();
let store: Store;
/** Threads as Node tells of them: a test may do to them what only fate does else. */
const threads: Worker[] = [];
const note = (thread: Worker): void => void threads.push(thread);
before(async () => {
  process.on('worker', note);
  store = await openStore({ url: scratch.url });
  await store.writeEvents(FIVE);
});
after(async () => {
  process.off('worker', note);
  await store.close();
  scratch.remove();
});

interface Kept {
  readonly worker: ReturnType<typeof keepWorker>;
  /** Pauses that were announced, in milliseconds. */
  readonly pauses: number[];
  readonly faults: string[];
  /** Resolves with the next one that listens. */
  nextUp(): Promise<void>;
  advance(milliseconds: number): void;
}

/** `isLazy`: it is started by the first that needs it. */
async function keep(t: TestContext, options: Partial<WorkerKeeping> = {}, isLazy = false): Promise<Kept> {
  const socketPath = join(scratch.directory, 'events.sock');
  let now = 0;
  let up = Promise.withResolvers<void>();
  const pauses: number[] = [];
  const faults: string[] = [];
  const worker = keepWorker({
    start: (onCrash) =>
      startEventsWorker({
        storeUrl: scratch.url,
        socketPath,
        roles: new Map([['guard' as Role, ['front']]]),
        cameras: null,
        queryTimeout: 10,
        onCrash,
      }),
    now: () => now,
    onDown(fault, pause) {
      faults.push(fault.message);
      pauses.push(pause);
    },
    onUp: (isAnother) => isAnother && up.resolve(),
    firstPause: 1,
    ...options,
  });
  t.after(worker.stop);
  await (isLazy ? worker.wake() : worker.start());
  return {
    worker,
    pauses,
    faults,
    async nextUp() {
      await up.promise;
      up = Promise.withResolvers();
    },
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
}

/** A thread that only runs, for what does not ask the backend: to start that takes half a second. */
async function startIdle(onCrash: (fault: Error) => void): Promise<EventsWorker> {
  const thread = new Worker('setInterval(() => {}, 60_000)', { eval: true });
  let isStopping = false;
  thread.once('exit', () => isStopping || onCrash(new Error('the thread ended')));
  await once(thread, 'online');
  const terminate = async (): Promise<void> => void (await thread.terminate());
  const stop = (): Promise<void> => {
    isStopping = true;
    return terminate();
  };
  return { setRoles() {}, terminate, stop };
}

const idsForGuard = async (): Promise<string> => {
  const answer = await askAt({ socketPath: join(scratch.directory, 'events.sock') }, '/api/events', { role: 'guard' });
  return (answer.json() as { id: string }[]).map(({ id }) => id).join(' ');
};

describe('An events worker', () => {
  const DEATHS: [sentence: string, die: (thread: Worker | undefined) => unknown, told: RegExp][] = [
    ['that is ended from outside', (thread) => thread?.terminate(), /^the events backend ended$/],
    ['that meets an uncaught error', (thread) => thread?.postMessage(null), /^Cannot read properties of null/],
  ];
  for (const [sentence, die, told] of DEATHS) {
    it(`${sentence} is started again, and answers as before`, async (t) => {
      const kept = await keep(t);
      assert.equal(await idsForGuard(), '2-b 1-a 5-e');
      die(threads.at(-1));
      await kept.nextUp();
      assert.equal(await idsForGuard(), '2-b 1-a 5-e');
      assert.deepEqual([kept.pauses, kept.worker.fault()], [[1], undefined]);
      assert.match(kept.faults.join(), told);
    });
  }

  it('is told of new roles after it was started again', async (t) => {
    const kept = await keep(t);
    await threads.at(-1)?.terminate();
    await kept.nextUp();
    kept.worker.setRoles(new Map([['guard' as Role, ['back']]]), ['front', 'back'] as CameraName[]);
    assert.equal(await idsForGuard(), '3-c');
  });

  it('that dies again and again is started after ever longer pauses', async (t) => {
    const kept = await keep(t, { start: startIdle });
    for (let time = 0; time < 4; time += 1) {
      await threads.at(-1)?.terminate();
      await kept.nextUp();
    }
    assert.deepEqual(kept.pauses, [1, 2, 4, 8]);
  });

  it('is waited for no longer than a minute', () =>
    assert.deepEqual(
      [0, 1, 2, 6, 7, 5000].map((failures) => pauseAfter(failures)),
      [500, 1000, 2000, 32_000, 60_000, 60_000],
    ));

  it('that ran for a minute begins with the short pause again', async (t) => {
    const kept = await keep(t, { start: startIdle });
    for (const ranFor of [0, 59_999, 60_000]) {
      kept.advance(ranFor);
      await threads.at(-1)?.terminate();
      await kept.nextUp();
    }
    assert.deepEqual(kept.pauses, [1, 2, 1]);
  });

  it('that cannot be started again is tried for', async (t) => {
    let starts = 0;
    const kept = await keep(t, {
      async start(onCrash) {
        starts += 1;
        if (starts === 2) throw new Error('no thread is to be had');
        return startIdle(onCrash);
      },
    });
    await threads.at(-1)?.terminate();
    await kept.nextUp();
    assert.deepEqual([kept.pauses, kept.faults[1]], [[1, 2], 'no thread is to be had']);
  });

  it('is started when it is first needed, once for all that wait for it', async (t) => {
    const known = threads.length;
    const { worker, pauses } = await keep(t, {}, true);
    await Promise.all([worker.wake(), worker.wake()]);
    assert.equal(await idsForGuard(), '2-b 1-a 5-e');
    assert.deepEqual([threads.length - known, worker.wake(), pauses], [1, undefined, []]);
  });

  it('that cannot start when it is first needed is tried again, and keeps no request waiting', async (t) => {
    let starts = 0;
    const kept = await keep(
      t,
      {
        async start(onCrash) {
          starts += 1;
          if (starts === 1) throw new Error('no thread is to be had');
          return startIdle(onCrash);
        },
      },
      true,
    );
    assert.deepEqual([kept.worker.fault()?.message, kept.worker.wake()], ['no thread is to be had', undefined]);
    await kept.nextUp();
    assert.deepEqual([starts, kept.worker.fault(), kept.pauses], [2, undefined, [1]]);
  });

  it('that is stopped stays so, also while it waits for its next start', async (t) => {
    const kept = await keep(t, { firstPause: 60_000 });
    await threads.at(-1)?.terminate();
    assert.equal(kept.worker.fault()?.message, 'the events backend ended');
    await kept.worker.stop();
    await assert.rejects(idsForGuard(), /ECONNREFUSED|ENOENT/);
    const quiet = await keep(t, { start: startIdle });
    await quiet.worker.stop();
    assert.deepEqual(quiet.pauses, []);
  });
});
