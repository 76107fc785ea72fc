/** What the login page makes of an answer, in words and in seconds (SPEC 4.1). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  formatSeconds,
  type LoginFailure,
  type LoginOutcome,
  loginOutcome,
} from '../../../src/ui/pages/login/login-outcome.ts';

const NOW = Date.parse('2026-08-04T12:00:00Z');

const tooMany = (seconds: number): LoginOutcome => ({ kind: 'wait', why: 'too-many-tries', seconds });
const busy = (seconds: number): LoginOutcome => ({ kind: 'wait', why: 'busy', seconds });

describe('A login that is answered', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, status: number, retryAfter: string | null, outcome: LoginOutcome][] = [
    ['200 is in',                                         200, null,                             { kind: 'logged-in' }],
    ['401 had the wrong user or password',                401, null,                             { kind: 'wrong-credentials' }],
    ['429 waits as many seconds as it says',              429, '42',                             tooMany(42)],
    ['429 waits until the date it says',                  429, 'Tue, 04 Aug 2026 12:01:30 GMT',  tooMany(90)],
    ['429 waits a second when the date is over',          429, 'Tue, 04 Aug 2026 11:00:00 GMT',  tooMany(1)],
    ['429 waits a second when it says none',              429, '0',                              tooMany(1)],
    ['429 waits a minute when it does not say how long',  429, null,                             tooMany(60)],
    ['429 waits a minute when it says nonsense',          429, 'soon',                           tooMany(60)],
    ['503 waits, and does not blame the person',          503, '2',                              busy(2)],
    ['503 waits a little when it does not say how long',  503, null,                             busy(5)],
  ];
  for (const [sentence, status, retryAfter, outcome] of rows) {
    it(sentence, () => assert.deepEqual(loginOutcome({ status, retryAfter }, NOW), outcome));
  }

  // biome-ignore format: a table
  const failures: [status: number, why: LoginFailure][] = [
    [400, 'notUnderstood'],
    [403, 'otherWebsite'],
    [404, 'noPasswords'],
    [415, 'notUnderstood'],
    [422, 'fillIn'],
    [500, 'fault'],
    [502, 'notReached'],
    [504, 'notReached'],
    [418, 'otherStatus'],
  ];
  for (const [status, why] of failures) {
    it(`${status} is told as ${why}`, () =>
      assert.deepEqual(loginOutcome({ status, retryAfter: null }, NOW), { kind: 'failed', why, status }));
  }
});

describe('Seconds to wait', () => {
  const rows: [number, string][] = [
    [1, '1 s'],
    [59, '59 s'],
    [60, '1 min'],
    [65, '1 min 5 s'],
    [3600, '1 h'],
    [4205, '1 h 10 min'],
  ];
  for (const [seconds, said] of rows)
    it(`of ${seconds} are said as ${said}, in one line`, () =>
      assert.equal(formatSeconds(seconds), said.replaceAll(' ', '\u00A0')));
});
