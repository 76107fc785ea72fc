/** Nothing is deleted by its age while the clock may be wrong (SPEC 14). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDeletionGuard } from '../../src/domain/clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `step`: the clock is set; `pass`: time goes on. */
function machine() {
  let [wall, steady] = [1_700_000_000_000, 5_000];
  const mayDelete = createDeletionGuard({ now: () => wall }, { now: () => steady });
  return {
    mayDelete,
    step: (milliseconds: number) => {
      wall += milliseconds;
    },
    pass: (milliseconds: number) => {
      wall += milliseconds;
      steady += milliseconds;
    },
  };
}

describe('Deletions by age', () => {
  it('begin a quarter of an hour after the start', () => {
    const { mayDelete, pass } = machine();
    assert.equal(mayDelete(), false);
    pass(15 * MINUTE - 1);
    assert.equal(mayDelete(), false);
    pass(1);
    assert.equal(mayDelete(), true);
  });

  for (const [what, by] of Object.entries({ 'ten years ahead': 3650 * DAY, back: -DAY, 'ahead by a minute': MINUTE }))
    it(`wait for an hour when the clock is set ${what}`, () => {
      const { mayDelete, pass, step } = machine();
      pass(HOUR);
      assert.equal(mayDelete(), true);
      step(by);
      assert.equal(mayDelete(), false);
      pass(HOUR - 1);
      assert.equal(mayDelete(), false);
      pass(1);
      assert.equal(mayDelete(), true);
    });

  it('wait for an hour from the last of several steps', () => {
    const { mayDelete, pass, step } = machine();
    pass(HOUR);
    step(3650 * DAY);
    assert.equal(mayDelete(), false);
    pass(8_000);
    step(-3650 * DAY);
    assert.equal(mayDelete(), false);
    pass(HOUR - 1);
    assert.equal(mayDelete(), false);
  });

  it('wait for a second look where more than a day has passed since the last one', () => {
    const { mayDelete, pass } = machine();
    pass(DAY);
    assert.equal(mayDelete(), true);
    pass(DAY + 1);
    assert.equal(mayDelete(), false);
    pass(15 * MINUTE);
    assert.equal(mayDelete(), true);
  });

  it('do not wait for what time synchronization does', () => {
    const { mayDelete, pass, step } = machine();
    pass(HOUR);
    step(9_000);
    assert.equal(mayDelete(), true);
  });
});
