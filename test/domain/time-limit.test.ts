/** Waiting that ends when its time is over. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withTimeLimit } from '../../src/domain/async.ts';

describe('What is waited for', () => {
  const never = new Promise<string>(() => {});
  it('counts when it comes in time, whether it is kept or broken', async () => {
    assert.equal(await withTimeLimit(Promise.resolve('answer'), 30_000, () => 'late'), 'answer');
    await assert.rejects(
      withTimeLimit(Promise.reject(new Error('broken')), 30_000, () => 'late'),
      /broken/,
    );
  });
  it('is left when it comes late: by a value, or by a fault', async () => {
    assert.equal(await withTimeLimit(never, 1, () => 'late'), 'late');
    const fault = (): never => {
      throw new Error('too late');
    };
    await assert.rejects(withTimeLimit(never, 1, fault), /too late/);
  });
});
