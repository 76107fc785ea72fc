import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createLoginLimiter, type LoginLimiter } from '../../../src/accounts/login/login-limiter.ts';
import { type Clause, parseRateLimit } from '../../../src/domain/rate-limit.ts';
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
const waitOf = (limiter: LoginLimiter, address: string): number => {
  const outcome = limiter.reserve(address);
  return outcome.kind === 'limited' ? outcome.retryAfterSeconds : 0;
};
const times = <Value>(count: number, make: (at: number) => Value): Value[] =>
  Array.from({ length: count }, (_, at) => make(at));

describe('The login limiter (interface 5.4, 8)', () => {
  it('limits when failures exceed any clause', () => {
    const { clock, limiter, fail } = limiterOf('2/second;5/minute');
    assert.deepEqual(
      times(3, () => fail()),
      [0, 0, 1],
    );
    clock.advance(1);
    assert.deepEqual(
      times(3, () => fail()),
      [0, 0, 1],
    );
    clock.advance(1);
    assert.deepEqual(
      times(2, () => fail()),
      [0, 58],
    );
    const outcome = limiter.reserve(ADDRESS);
    assert.equal(outcome.kind === 'limited' && outcome.clause.text, '5/minute');
  });

  it('limits by the clause that takes longest when several are full', () => {
    const { fail } = limiterOf('2/second;2/hour;2/minute');
    assert.deepEqual(
      times(3, () => fail()),
      [0, 0, 3600],
    );
  });

  it('takes other clauses while it runs, and forgets no failure for it', () => {
    const { clock, limiter, fail } = limiterOf('3/minute');
    assert.deepEqual(
      times(3, () => fail()),
      [0, 0, 0],
    );
    limiter.setClauses(clausesOf('4/hour'));
    assert.deepEqual(
      times(2, () => fail()),
      [0, 3600],
    );
    limiter.setClauses(clausesOf('2/second'));
    clock.advance(1);
    assert.deepEqual(
      times(3, () => fail()),
      [0, 0, 1],
    );
    limiter.setClauses([]);
    assert.equal(fail(), 0);
  });

  it('says to the second when to come back', () => {
    const { clock, fail } = limiterOf('2/minute');
    fail();
    clock.advance(20.25);
    fail();
    clock.advance(10);
    assert.equal(fail(), 30);
    clock.advance(29.7);
    assert.equal(fail(), 1);
    clock.advance(0.05);
    assert.deepEqual(
      times(2, () => fail()),
      [0, 21],
    );
  });

  it('slides: failures leave one by one, not all at once', () => {
    const { clock, fail } = limiterOf('2/minute');
    fail();
    clock.advance(59);
    fail();
    clock.advance(1);
    assert.deepEqual(
      times(2, () => fail()),
      [0, 59],
    );
  });

  it('gives a place back after a success, that one only, and only once', () => {
    const { limiter, fail } = limiterOf('3/minute');
    fail();
    const success = limiter.reserve(ADDRESS);
    fail();
    assert.equal(fail(), 60);
    assert.ok(success.kind === 'reserved');
    success.release();
    success.release();
    assert.deepEqual(
      times(2, () => fail()),
      [0, 60],
    );
  });

  it('takes each address by itself, and a /64 of IPv6 as one', () => {
    const { fail } = limiterOf('1/minute');
    assert.deepEqual(
      ['2001:db8:1:1::1', '2001:db8:1:1::2', '2001:db8:1:2::1', '::ffff:192.0.2.1', '192.0.2.1'].map(fail),
      [0, 60, 0, 0, 60],
    );
  });

  it('refuses every attempt with a count of 0', () => assert.equal(limiterOf('0/minute').fail(), 60));

  it('admits every attempt without clauses', () => {
    const limiter = createLoginLimiter({ clauses: [], clock: handClock() });
    assert.deepEqual(
      times(1000, () => waitOf(limiter, ADDRESS)),
      Array(1000).fill(0),
    );
  });

  it('does as a plain model does, whatever happens in whatever order', () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('attempt' as const), address: fc.nat(1) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('success' as const), which: fc.nat(20) }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('wait' as const),
          seconds: fc.nat(20_000).map((milliseconds) => milliseconds / 1000),
        }),
      },
    );
    const limits = fc.constantFrom(
      '3/minute',
      '2/second;5/minute',
      '1/10 seconds;3/minute;4/2 minutes',
      '5/minute;2/30 seconds',
    );
    fc.assert(
      fc.property(limits, fc.array(step, { maxLength: 60 }), (text, steps) => {
        const { clock, limiter } = limiterOf(text);
        const model = modelOf(clausesOf(text));
        const releases: [real: () => void, model: () => void][] = [];
        for (const taken of steps) {
          if (taken.kind === 'wait') clock.advance(taken.seconds);
          if (taken.kind === 'success') for (const release of releases.splice(taken.which, 1)[0] ?? []) release();
          if (taken.kind !== 'attempt') continue;
          const address = numbered(taken.address);
          const [real, expected] = [limiter.reserve(address), model.reserve(address, clock.now())];
          assert.equal(real.kind === 'limited' ? real.retryAfterSeconds : 0, expected.wait);
          if (real.kind === 'reserved') releases.push([real.release, expected.release]);
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** The same by brute force: the wait is found by trying each second. */
function modelOf(clauses: readonly Clause[]) {
  const attempts: { address: string; at: number }[] = [];
  const isLimited = (address: string, now: number): boolean =>
    clauses.some(({ count, windowSeconds }) => {
      const recent = attempts.filter(
        (attempt) => attempt.address === address && now - attempt.at < windowSeconds * 1000,
      );
      return recent.length >= count;
    });
  return {
    reserve(address: string, now: number): { wait: number; release: () => void } {
      let wait = 0;
      while (isLimited(address, now + wait * 1000)) wait += 1;
      const attempt = { address, at: now };
      if (wait === 0) attempts.push(attempt);
      return { wait, release: () => attempts.splice(attempts.indexOf(attempt), 1) };
    },
  };
}

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
