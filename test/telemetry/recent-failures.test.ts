/** Failed logins by the hour, as the page Status draws them (SPEC 8). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRecentFailures } from '../../src/telemetry/recent-failures.ts';
import { movableClock } from '../support/clock.ts';

const HOUR = 3600;

it('Failed logins are told for the last 24 hours, without gaps', () => {
  const clock = movableClock();
  const recent = createRecentFailures(clock);
  for (const hours of [1, 23, 0]) {
    recent.noteLoginFailure();
    clock.advance(hours * HOUR);
  }
  const hour = Math.floor(clock.now() / 1000 / HOUR) * HOUR;
  const told = recent.loginFailures();
  assert.deepEqual(
    told.map(({ start }) => start),
    Array.from({ length: 24 }, (_, at) => hour + (at - 23) * HOUR),
  );
  assert.deepEqual([told.at(0)?.count, told.at(-1)?.count], [1, 1], 'the first of three is a day ago');
  assert.equal(
    told.reduce((sum, { count }) => sum + count, 0),
    2,
  );
});
