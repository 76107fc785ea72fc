/** What holds of every place that counts attempts: in the memory of the process, or on a server (interface 5.4, 8; SPEC 4.5). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Clause, parseRateLimit } from '../../src/domain/rate-limit.ts';

export type Counted =
  | { readonly kind: 'reserved'; release(): unknown }
  | { readonly kind: 'limited'; readonly retryAfterSeconds: number; readonly clause: Clause };

/** New windows, in which nothing was counted. */
export interface CountingPlace {
  readonly clock: { now(): number; advance(seconds: number): void };
  setClauses(clauses: readonly Clause[]): void;
  reserve(address: string): Promise<Counted>;
}

export interface ContractOptions {
  readonly skip?: string | false;
  /** Of the comparison with a model. */
  readonly runs?: number;
}

const ADDRESS = '203.0.113.9';
const clausesOf = (text: string): readonly Clause[] => {
  const clauses = parseRateLimit(text);
  return clauses.ok ? clauses.value : assert.fail(clauses.error);
};

export function attemptWindowsContract(name: string, make: () => CountingPlace, options: ContractOptions = {}): void {
  const { skip = false, runs = 300 } = options;
  const placeOf = (text: string) => {
    const place = make();
    place.setClauses(clausesOf(text));
    const fail = async (address = ADDRESS): Promise<number> => {
      const counted = await place.reserve(address);
      return counted.kind === 'limited' ? counted.retryAfterSeconds : 0;
    };
    /** Seconds to wait for each of so many attempts in a row, 0 for none. */
    const waits = async (count: number): Promise<number[]> => {
      const all: number[] = [];
      for (let at = 0; at < count; at += 1) all.push(await fail());
      return all;
    };
    return { ...place, fail, waits };
  };

  describe(`${name}, by the contract (interface 5.4, 8)`, { skip }, () => {
    it('limits when failures exceed any clause', async () => {
      const { clock, waits, reserve } = placeOf('2/second;5/minute');
      assert.deepEqual(await waits(3), [0, 0, 1]);
      clock.advance(1);
      assert.deepEqual(await waits(3), [0, 0, 1]);
      clock.advance(1);
      assert.deepEqual(await waits(2), [0, 58]);
      const outcome = await reserve(ADDRESS);
      assert.equal(outcome.kind === 'limited' && outcome.clause.text, '5/minute');
    });

    it('limits by the clause that takes longest when several are full', async () =>
      assert.deepEqual(await placeOf('2/second;2/hour;2/minute').waits(3), [0, 0, 3600]));

    it('takes other clauses while it runs, and forgets no failure for it', async () => {
      const { clock, setClauses, waits } = placeOf('3/minute');
      assert.deepEqual(await waits(3), [0, 0, 0]);
      setClauses(clausesOf('4/hour'));
      assert.deepEqual(await waits(2), [0, 3600]);
      setClauses(clausesOf('2/second'));
      clock.advance(1);
      assert.deepEqual(await waits(3), [0, 0, 1]);
      setClauses([]);
      assert.deepEqual(await waits(1), [0]);
    });

    it('says to the second when to come back', async () => {
      const { clock, fail, waits } = placeOf('2/minute');
      await fail();
      clock.advance(20.25);
      await fail();
      clock.advance(10);
      assert.equal(await fail(), 30);
      clock.advance(29.7);
      assert.equal(await fail(), 1);
      clock.advance(0.05);
      assert.deepEqual(await waits(2), [0, 21]);
    });

    it('slides: failures leave one by one, not all at once', async () => {
      const { clock, fail, waits } = placeOf('2/minute');
      await fail();
      clock.advance(59);
      await fail();
      clock.advance(1);
      assert.deepEqual(await waits(2), [0, 59]);
    });

    it('gives a place back after a success, that one only, and only once', async () => {
      const { fail, waits, reserve } = placeOf('3/minute');
      await fail();
      const success = await reserve(ADDRESS);
      await fail();
      assert.equal(await fail(), 60);
      assert.ok(success.kind === 'reserved');
      await success.release();
      await success.release();
      assert.deepEqual(await waits(2), [0, 60]);
    });

    it('gives nothing back by the success of another client', async () => {
      const { fail, waits, reserve } = placeOf('2/minute');
      await fail();
      const other = await reserve('203.0.113.10');
      await fail();
      assert.ok(other.kind === 'reserved');
      await other.release();
      assert.deepEqual(await waits(1), [60]);
    });

    it('admits of attempts at once as many as one after the other', async () => {
      const { fail } = placeOf('5/minute');
      const all = await Promise.all(Array.from({ length: 40 }, () => fail()));
      assert.equal(all.filter((wait) => wait === 0).length, 5);
    });

    it('refuses every attempt with a count of 0', async () =>
      assert.deepEqual(await placeOf('0/minute').waits(1), [60]));

    it('admits every attempt without clauses', async () => {
      const { setClauses, waits } = placeOf('1/minute');
      setClauses([]);
      assert.deepEqual(await waits(100), Array(100).fill(0));
    });

    it('does as a plain model does, whatever happens in whatever order', async () => {
      await fc.assert(
        fc.asyncProperty(LIMITS, fc.array(STEP, { maxLength: 60 }), async (text, steps) => {
          const { clock, reserve } = placeOf(text);
          const model = modelOf(clausesOf(text));
          const releases: [real: () => unknown, model: () => void][] = [];
          for (const taken of steps) {
            if (taken.kind === 'wait') clock.advance(taken.seconds);
            if (taken.kind === 'success')
              for (const release of releases.splice(taken.which, 1)[0] ?? []) await release();
            if (taken.kind !== 'attempt') continue;
            const address = `10.0.0.${taken.address}`;
            const [real, expected] = [await reserve(address), model.reserve(address, clock.now())];
            assert.equal(real.kind === 'limited' ? real.retryAfterSeconds : 0, expected.wait);
            if (real.kind === 'reserved') releases.push([real.release, expected.release]);
          }
        }),
        { numRuns: runs },
      );
    });
  });
}

const STEP = fc.oneof(
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
const LIMITS = fc.constantFrom(
  '3/minute',
  '2/second;5/minute',
  '1/10 seconds;3/minute;4/2 minutes',
  '5/minute;2/30 seconds',
);

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
