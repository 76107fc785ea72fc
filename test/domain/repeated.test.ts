/** Work in rounds: what is wished for during a run is one further run, however often it is wished for. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { repeated } from '../../src/domain/async.ts';

/** Work that ends when it is told to, with a pause or without one. */
function heldWork() {
  const runs: ((pause?: number) => void)[] = [];
  const work = (): Promise<unknown> => new Promise((resolve) => runs.push(resolve));
  return { work, runs };
}

/** What waits behind a promise that is settled. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};

describe('Work that comes again', () => {
  it('runs once more for all that was wished for while it was under way', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { work, runs } = heldWork();
    const rounds = repeated(work);
    void rounds.now();
    await settled();
    for (let wish = 0; wish < 5; wish++) {
      rounds.after(1);
      t.mock.timers.tick(1);
    }
    for (const expected of [2, 2]) {
      runs.at(-1)?.();
      await settled();
      t.mock.timers.tick(1);
      await settled();
      assert.equal(runs.length, expected);
    }
    await rounds.close();
  });

  it('keeps the pause that a run gives, whatever was wished for meanwhile', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { work, runs } = heldWork();
    const rounds = repeated(work);
    void rounds.now();
    await settled();
    rounds.after(0);
    t.mock.timers.tick(0);
    runs[0]?.(1000);
    await settled();
    t.mock.timers.tick(999);
    await settled();
    assert.equal(runs.length, 1);
    t.mock.timers.tick(1);
    await settled();
    assert.equal(runs.length, 2);
    runs[1]?.();
    await rounds.close();
  });
});
