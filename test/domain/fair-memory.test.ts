import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createFairMemory } from '../../src/gateway/decision/owner-lookup.ts';

describe('A memory that holders share', () => {
  const filled = () => {
    const memory = createFairMemory<number>(10);
    memory.set('vera', 'v1', 1);
    memory.set('vera', 'v2', 2);
    for (let at = 0; at < 50; at += 1) memory.set('mallory', `m${at}`, at);
    return memory;
  };
  const kept = (memory: ReturnType<typeof filled>, ...keys: string[]) =>
    keys.filter((key) => memory.get(key) !== undefined);

  it('keeps what others have, however much one of them adds', () => {
    const memory = filled();
    assert.deepEqual(kept(memory, 'v1', 'v2'), ['v1', 'v2']);
    assert.deepEqual(kept(memory, ...Array.from({ length: 50 }, (_, at) => `m${at}`)), [
      ...['m42', 'm43', 'm44', 'm45', 'm46', 'm47', 'm48', 'm49'],
    ]);
  });

  it('takes from the one that has most what it has not used for longest', () => {
    const memory = filled();
    assert.equal(memory.get('m42'), 42);
    memory.set('gus', 'g1', 7);
    assert.deepEqual(kept(memory, 'm42', 'm43', 'v1', 'g1'), ['m42', 'v1', 'g1']);
  });

  it('has one value for a key, of the one that set it last', () => {
    const memory = filled();
    memory.set('gus', 'v1', 9);
    assert.equal(memory.get('v1'), 9);
    assert.deepEqual(kept(memory, 'v2', 'm42', 'm49'), ['v2', 'm42', 'm49']);
  });
});
