import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLoginLimiter, type MemoryLimiter } from '../../../src/accounts/login/login-limiter.ts';
import { type Clause, parseRateLimit } from '../../../src/domain/rate-limit.ts';
import { attemptWindowsContract } from '../../contracts/attempt-windows.ts';
import { handClock } from '../support/people.ts';

const clausesOf = (text: string): readonly Clause[] => {
  const clauses = parseRateLimit(text);
  return clauses.ok ? clauses.value : assert.fail(clauses.error);
};
const ADDRESS = '203.0.113.9';
const numbered = (number: number): string => `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;

/** A limiter, and what it says to an attempt: seconds to wait, 0 for none. */
function limiterOf(text: string, capacity = 100) {
  const clock = handClock();
  const limiter = createLoginLimiter({ clauses: clausesOf(text), clock, capacity });
  return { clock, limiter, fail: (address = ADDRESS) => waitOf(limiter, address) };
}
const waitOf = (limiter: MemoryLimiter, address: string, isKnown = false, costsHash = true): number => {
  const outcome = limiter.reserve(address, isKnown, costsHash);
  return outcome.kind === 'limited' ? outcome.retryAfterSeconds : 0;
};
const times = <Value>(count: number, make: (at: number) => Value): Value[] =>
  Array.from({ length: count }, (_, at) => make(at));

attemptWindowsContract('The login limiter in memory', () => {
  const clock = handClock();
  const limiter = createLoginLimiter({ clauses: [], clock });
  return { clock, setClauses: limiter.setClauses, reserve: async (address) => limiter.reserve(address) };
});

describe('The login limiter in memory', () => {
  it('takes each address by itself, and a /64 of IPv6 as one', () => {
    const { fail } = limiterOf('1/minute');
    assert.deepEqual(
      ['2001:db8:1:1::1', '2001:db8:1:1::2', '2001:db8:1:2::1', '::ffff:192.0.2.1', '192.0.2.1'].map(fail),
      [0, 60, 0, 0, 60],
    );
  });
});

describe('The login limiter, filled by an attacker (G15)', () => {
  it('stays bounded over 100,000 addresses once each, and a fresh one can still log in', () => {
    const limiter = createLoginLimiter({ clauses: clausesOf('5/minute;20/hour'), clock: handClock() });
    const waits = new Set(times(100_000, (at) => waitOf(limiter, numbered(at))));
    assert.deepEqual([[...waits], limiter.size(), waitOf(limiter, ADDRESS)], [[0], 10_000, 0]);
  });

  it('forgets the idle before the limited, however old', () => {
    const { fail } = limiterOf('2/minute', 10);
    times(3, () => fail());
    const others = times(1000, (at) => fail(numbered(at)));
    assert.deepEqual([new Set(others), fail()], [new Set([0]), 60]);
  });

  it('puts new addresses into one bucket when all that it knows are limited', () => {
    const { clock, fail } = limiterOf('2/minute', 10);
    for (const at of times(10, numbered)) times(2, () => fail(at));
    assert.deepEqual(
      times(4, (at) => fail(numbered(1000 + at))),
      [0, 0, 60, 60],
    );
    assert.equal(fail(numbered(3)), 60);
    clock.advance(60);
    assert.deepEqual(
      times(20, (at) => fail(numbered(2000 + at))),
      Array(20).fill(0),
    );
  });

  it('forgets a client that is limited by cheap failures alone, and not one that is limited by wrong passwords', () => {
    const { limiter, fail } = limiterOf('2/minute', 10);
    const failCheaply = (address = ADDRESS) => waitOf(limiter, address, false, false);
    times(2, () => fail());
    const cheap = times(50, (at) => times(3, () => failCheaply(numbered(at))));
    assert.deepEqual(
      [cheap.flatMap(([, , third]) => third), fail(), fail(numbered(2000))],
      [Array(50).fill(60), 60, 0],
    );
  });

  it('gives cheap failures no place in the bucket that new addresses share, which limits them all the same', () => {
    const { limiter, fail } = limiterOf('2/minute', 10);
    const failCheaply = (address: string) => waitOf(limiter, address, false, false);
    for (const at of times(10, numbered)) times(2, () => fail(at));
    assert.deepEqual(
      times(20, (at) => failCheaply(numbered(1000 + at))),
      Array(20).fill(0),
    );
    assert.deepEqual(
      times(3, (at) => fail(numbered(2000 + at))),
      [0, 0, 60],
    );
    assert.equal(failCheaply(numbered(3000)), 60);
  });

  it('remembers clients that logged in before apart from strangers, and each client once', () => {
    const { limiter, fail } = limiterOf('2/minute', 10);
    const known = (address: string) => waitOf(limiter, address, true);
    fail();
    for (const at of times(10, numbered)) times(2, () => fail(at));
    times(2, (at) => fail(numbered(1000 + at)));
    assert.equal(fail(numbered(2000)), 60, 'the bucket of strangers is full');
    assert.deepEqual([known(numbered(3000)), known(numbered(3000)), known(numbered(3000))], [0, 0, 60]);
    assert.equal(fail(numbered(3000)), 60, 'no second count as a stranger');
    assert.equal(known(numbered(1)), 60, 'nor another one as a known client');
  });

  it('fills by every failure where its keys are no addresses', () => {
    const limiter = createLoginLimiter({
      clauses: clausesOf('1/minute'),
      clock: handClock(),
      capacity: 2,
      filledBy: 'failures',
    });
    const fail = (key: string) => waitOf(limiter, key, false, false);
    assert.deepEqual(['a', 'b', 'c', 'd', 'a'].map(fail), [0, 0, 0, 60, 60]);
  });

  it('does not take a failure from a client that was evicted in between', () => {
    const { limiter, fail } = limiterOf('2/minute', 1);
    const early = limiter.reserve(ADDRESS);
    fail(numbered(1));
    times(2, () => fail());
    assert.ok(early.kind === 'reserved');
    early.release();
    assert.equal(fail(), 60);
  });

  it('does not remember a client whose attempts all succeeded', () => {
    const { limiter } = limiterOf('2/minute');
    const success = limiter.reserve(ADDRESS);
    assert.ok(success.kind === 'reserved');
    success.release();
    assert.equal(limiter.size(), 0);
  });
});
