/** The list of routes that the table does not know: short, whatever is asked (SPEC 5). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createUnknownRoutes } from '../../src/gateway/entry/pipeline.ts';
import { movableClock } from '../support/clock.ts';

describe('Unknown routes', () => {
  it('are told with their count, ids and dates left out', () => {
    const clock = movableClock(5000);
    const unknown = createUnknownRoutes(clock);
    for (const id of ['17.5-abc', '18.5-def']) unknown.note('GET', ['api', 'new_thing', id]);
    clock.advance(1);
    unknown.note('POST', ['api', 'new_thing', 'x']);
    assert.deepEqual(unknown.list(), [
      { method: 'POST', path: '/api/new_thing/x', count: 1, lastSeenAt: 6 },
      { method: 'GET', path: '/api/new_thing/*', count: 2, lastSeenAt: 5 },
    ]);
  });

  it('are never more than a hundred, of at most 200 letters', () => {
    const unknown = createUnknownRoutes(movableClock(0));
    const letters = 'abcdefghij';
    for (const one of letters)
      for (const two of letters)
        for (const three of letters) unknown.note('GET', [one + two + three, ...Array(40).fill('segment')]);
    const list = unknown.list();
    assert.equal(list.length, 100);
    assert.ok(list.every(({ path }) => path.length <= 200));
  });
});
