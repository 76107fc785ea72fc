import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createWorkLanes } from '../../src/accounts/work-lanes.ts';

describe('Work lanes', () => {
  it('run no more jobs at once than there are lanes, in the order of arrival', async () => {
    const { run } = createWorkLanes({ lanes: 2, queue: 10 });
    const started: number[] = [];
    const finish: (() => void)[] = [];
    const jobs = [0, 1, 2, 3].map((job) =>
      run(() => {
        started.push(job);
        return new Promise<void>((done) => finish.push(done));
      }),
    );
    await Promise.resolve();
    assert.deepEqual(started, [0, 1]);
    finish[0]?.();
    await jobs[0];
    await Promise.resolve();
    assert.deepEqual(started, [0, 1, 2]);
    finish[1]?.();
    finish[2]?.();
    await Promise.all([jobs[1], jobs[2]]);
    await Promise.resolve();
    finish[3]?.();
    await jobs[3];
    assert.deepEqual(started, [0, 1, 2, 3]);
  });

  it('give a lane back when the job throws', async () => {
    const { run } = createWorkLanes({ lanes: 1, queue: 0 });
    await assert.rejects(
      run(() => Promise.reject(new Error('disk'))),
      /disk/,
    );
    assert.equal(await run(() => Promise.resolve('done')), 'done');
  });
});
