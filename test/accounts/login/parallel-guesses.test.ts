/** Passwords offered side by side (interface 5.4): wrong ones are no more than one after the other, right ones all pass. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Refused } from '../../../src/accounts/http/kernel.ts';
import { judgeGuess } from '../../../src/accounts/login/guesses.ts';
import { createKnownClients, createLoginLimiter, inTurn } from '../../../src/accounts/login/login-limiter.ts';
import { createPasswordHasher } from '../../../src/accounts/passwords/password-hash.ts';
import { parseRateLimit } from '../../../src/domain/rate-limit.ts';
import { movableClock } from '../../support/clock.ts';

const RIGHT = 'the-right-password';
const FIVE = parseRateLimit('5/minute');

async function outcomesOf(passwords: readonly string[]): Promise<string[]> {
  const hasher = createPasswordHasher({ iterations: 1000, concurrency: 1, queue: passwords.length });
  const hashed = await hasher.hash(RIGHT);
  const limiter = createLoginLimiter({ clauses: FIVE.ok ? FIVE.value : [], clock: movableClock() });
  const storedHash = async () => hashed;
  const guesses = passwords.map((password) =>
    judgeGuess(
      { password, address: '192.0.2.1', storedHash },
      { limiter: inTurn(limiter), hasher, knownClients: createKnownClients() },
    ),
  );
  const outcomes = await Promise.all(
    guesses.map((guess) => guess.then(({ ok }) => (ok ? 'match' : 'mismatch'), reasonOf)),
  );
  assert.equal(limiter.settles('192.0.2.1'), undefined, 'nothing is under way any more');
  return outcomes.sort();
}

const reasonOf = (fault: unknown): string => (fault instanceof Refused && fault.recorded) || assert.fail(String(fault));

const times = (count: number, password: string): string[] => Array<string>(count).fill(password);

describe('Passwords that one client offers side by side', () => {
  it('pass when they are right, though they are more than the limit', async () =>
    assert.deepEqual(await outcomesOf(times(20, RIGHT)), times(20, 'match')));

  it('are checked as often as the limit says when they are wrong', async () =>
    assert.deepEqual(await outcomesOf(times(50, 'a-wrong-password')), [
      ...times(5, 'mismatch'),
      ...times(45, 'rate-limited'),
    ]));

  it('count as failures only where they are wrong', async () => {
    const outcomes = await outcomesOf([...times(4, 'a-wrong-password'), ...times(10, RIGHT)]);
    assert.deepEqual(outcomes, [...times(10, 'match'), ...times(4, 'mismatch')]);
  });
});
