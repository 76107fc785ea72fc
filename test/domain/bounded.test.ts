/** An LRU cache with a bound of entries, and no room made for them beforehand. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LRUCache } from 'lru-cache';
import { upTo } from '../../src/domain/bounded.ts';

describe('A cache of up to 3 entries', () => {
  const filled = (): LRUCache<string, number> => {
    const cache = new LRUCache<string, number>(upTo(3));
    for (const [key, value] of Object.entries({ a: 1, b: 2, c: 3 })) cache.set(key, value);
    return cache;
  };

  it('keeps three, and forgets the one that was idle longest for a fourth', () => {
    const cache = filled();
    cache.get('a');
    cache.set('d', 4);
    assert.deepEqual([...cache.keys()].sort(), ['a', 'c', 'd']);
  });

  it('counts a value that is set again once, and makes room when one is deleted', () => {
    const cache = filled();
    cache.set('c', 5);
    cache.delete('a');
    cache.set('d', 4);
    assert.deepEqual(Object.fromEntries(cache.entries()), { b: 2, c: 5, d: 4 });
  });
});
