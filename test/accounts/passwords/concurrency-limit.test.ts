import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createConcurrencyLimit } from '../../../src/accounts/passwords/password-hash.ts';

describe('Work lanes', () => {
  it('run no more jobs at once than there are lanes, in the order of arrival', async () => {
    const { run, waiting } = createConcurrencyLimit({ lanes: 2, queue: 10 });
    const started: number[] = [];
    const ends: (() => void)[] = [];
    const start = (job: number): Promise<unknown> =>
      run(() => {
        started.push(job);
        return new Promise<void>((end) => ends.push(end));
      });
    const end = async (job: number): Promise<void> => {
      ends[job]?.();
      await setImmediate();
    };
    const jobs = [0, 1, 2, 3].map(start);
    await setImmediate();
    const seen = [[...started]];
    await end(1);
    seen.push([...started]);
    jobs.push(start(4));
    await end(0);
    seen.push([...started]);
    assert.deepEqual(seen, [
      [0, 1],
      [0, 1, 2],
      [0, 1, 2, 3],
    ]);
    assert.equal(waiting(), 1);
    for (const job of [2, 3, 4]) await end(job);
    await Promise.all(jobs);
    assert.deepEqual(started, [0, 1, 2, 3, 4]);
  });

  it('give a lane back when the job throws', async () => {
    const { run } = createConcurrencyLimit({ lanes: 1, queue: 0 });
    await assert.rejects(
      run(() => Promise.reject(new Error('disk'))),
      /disk/,
    );
    assert.equal(await run(() => Promise.resolve('done')), 'done');
  });
});
