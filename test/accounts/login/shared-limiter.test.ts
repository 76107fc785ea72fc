/** The limiter that replicas share, when the server goes away and comes back while an attempt waits (SPEC 10). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLoginLimiter } from '../../../src/accounts/login/login-limiter.ts';
import { addressWindows, createSharedLimiter } from '../../../src/accounts/login/shared-limiter.ts';
import type { SharedPlace } from '../../../src/domain/shared-windows.ts';
import { handClock } from '../support/people.ts';

it('An attempt that waited while the server was away asks it when it is back', async () => {
  let isUp = true;
  let answer: SharedPlace = { kind: 'unavailable' };
  let tell = (): void => {};
  const turn = (up: boolean): void => {
    isUp = up;
    tell();
  };
  const limiter = createSharedLimiter({
    shared: {
      isUp: () => isUp,
      onChange: (told) => {
        tell = told;
      },
      reserve: async () => {
        if (answer.kind === 'unavailable') turn(false);
        return answer;
      },
    },
    memory: createLoginLimiter({ clauses: [], clock: handClock() }),
    replicas: 2,
    windowsOf: addressWindows((text) => text),
  });
  const clause = { count: 2, windowSeconds: 60, text: '2/minute' };
  limiter.setClauses([clause]);
  const attempts = [limiter.reserve('192.0.2.1'), limiter.reserve('192.0.2.1')];
  const place = await Promise.race(attempts);
  assert.ok(place.kind === 'reserved', 'half of the count is allowed alone');
  answer = { kind: 'full', window: 0, clause, retryAfterSeconds: 60, isUnderWay: false };
  turn(true);
  place.keep();
  const kinds = (await Promise.all(attempts)).map(({ kind }) => kind);
  assert.deepEqual(kinds.sort(), ['limited', 'reserved']);
});
