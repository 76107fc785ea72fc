/** Work in turns: no more at once than there are turns, first come, first served. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createTaskQueue } from '../../src/domain/async.ts';

it('Turns are given in the order of the callers, and one that is ended twice makes room for one', async () => {
  const turns = createTaskQueue(2);
  const order: number[] = [];
  const enter = async (number: number): Promise<() => void> => {
    const leave = await turns.enter();
    order.push(number);
    return leave;
  };
  const [one, two, three, four] = [enter(1), enter(2), enter(3), enter(4)];
  const leave = await one;
  await two;
  assert.deepEqual([order, turns.waiting()], [[1, 2], 2]);
  leave();
  leave();
  await three;
  assert.deepEqual([order, turns.waiting()], [[1, 2, 3], 1]);
  (await two)();
  (await three)();
  (await four)();
  assert.deepEqual(order, [1, 2, 3, 4]);
});
