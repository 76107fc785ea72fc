/** Windows of attempts on a real Redis: the contract of the limiter in memory, its keys, its clock (SPEC 4.5, 10). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { parseRedisUrl } from '../../src/domain/addresses/redis-address.ts';
import { type Clause, parseRateLimit } from '../../src/domain/rate-limit.ts';
import type { AttemptWindow } from '../../src/domain/shared-windows.ts';
import { createConnection } from '../../src/limits/redis-connection.ts';
import { createRedisWindows, type RedisWindows } from '../../src/limits/redis-windows.ts';
import { handClock } from '../accounts/support/people.ts';
import { attemptWindowsContract, type Counted } from '../contracts/attempt-windows.ts';
import { startRedis, type TestRedis, withoutRedis } from '../support/servers/redis.ts';
import { until } from '../support/until.ts';

const clausesOf = (text: string): readonly Clause[] => {
  const clauses = parseRateLimit(text);
  return clauses.ok ? clauses.value : assert.fail(clauses.error);
};

let redis: TestRedis;
let clock = handClock();
let windows: RedisWindows;
before(async () => {
  if (withoutRedis) return;
  redis = await startRedis();
  windows = await opened({ now: () => clock.now() });
});
after(async () => {
  await windows?.close();
  await redis?.stop();
});

async function opened(told: { now(): number } | undefined, faults: unknown[] = []): Promise<RedisWindows> {
  const address = parseRedisUrl(redis.url);
  const made = createRedisWindows({
    connect: (onLost) => (address.ok ? createConnection(address.value, onLost) : assert.fail(address.error)),
    clock: told,
    onChange: (fault) => void faults.push(fault),
  });
  await made.start();
  return made;
}

let places = 0;
const fresh = (): string => {
  places += 1;
  return `{${places}}`;
};
const counted = async (asked: readonly AttemptWindow[], at = windows): Promise<Counted> => {
  const place = await at.reserve(asked);
  if (place.kind === 'unavailable') return assert.fail('Redis could not be asked');
  return place.kind === 'full' ? { ...place, kind: 'limited' } : place;
};
const kept = async (asked: readonly AttemptWindow[]): Promise<boolean> => {
  const place = await windows.reserve(asked);
  if (place.kind === 'reserved') place.keep();
  return place.kind === 'reserved';
};

attemptWindowsContract(
  'A window on Redis',
  () => {
    clock = handClock();
    const name = fresh();
    let clauses: readonly Clause[] = [];
    return {
      clock,
      setClauses(given) {
        clauses = given;
      },
      reserve: (address) => counted([{ key: `${name}${address}`, clauses }]),
    };
  },
  { skip: withoutRedis, runs: 80 },
);

describe('Windows on Redis', { skip: withoutRedis }, () => {
  it('take a place in all of them, or in none', async () => {
    const name = fresh();
    const narrow = { key: `${name}one`, clauses: clausesOf('1/minute') };
    const wide = { key: `${name}all`, clauses: clausesOf('2/minute') };
    assert.equal((await counted([narrow, wide])).kind, 'reserved');
    for (let at = 0; at < 3; at += 1) assert.equal((await counted([narrow, wide])).kind, 'limited');
    assert.equal(redis.ask('zcard', `postern:limits:${wide.key}`), '1');
    assert.equal((await counted([wide])).kind, 'reserved');
    const full = await windows.reserve([{ ...narrow, key: `${name}two` }, wide]);
    assert.equal(full.kind === 'full' && full.window, 1);
    assert.equal(redis.ask('exists', `postern:limits:${name}two`), '0');
  });

  it('tell whether an attempt is under way, and a failure that was kept is given back by nothing', async () => {
    const asked = [{ key: fresh(), clauses: clausesOf('1/minute') }];
    const place = await windows.reserve(asked);
    const isUnderWay = async (): Promise<boolean> => {
      const full = await windows.reserve(asked);
      return full.kind === 'full' && full.isUnderWay;
    };
    assert.equal(await isUnderWay(), true);
    clock.advance(31); // the caller that began it has died, or would have ended by now
    assert.equal(await isUnderWay(), false);
    if (place.kind === 'reserved') place.keep();
    if (place.kind === 'reserved') place.release();
    assert.equal((await windows.reserve(asked)).kind, 'full');
  });

  it('expire by themselves', async () => {
    const name = fresh();
    await kept([{ key: `${name}a`, clauses: clausesOf('5/minute;20/hour') }]);
    const left = Number(redis.ask('pttl', `postern:limits:${name}a`));
    assert.ok(left > 3_600_000 && left <= 3_660_000, `${left} ms`);
    const endless =
      "local n = 0 for _, key in ipairs(redis.call('KEYS', '*')) do if redis.call('PTTL', key) < 0 then n = n + 1 end end return n";
    assert.equal(redis.ask('eval', endless, '0'), '0');
  });

  it('hold no more than the largest count, however often one tries', async () => {
    const key = fresh();
    const clauses = clausesOf('5/minute;20/hour');
    for (let minute = 0; minute < 200; minute += 1) {
      clock.advance(60);
      for (let at = 0; at < 7; at += 1) await kept([{ key, clauses }]);
    }
    assert.equal(redis.ask('zcard', `postern:limits:${key}`), '20');
  });

  it('lengthen no limit by more than its window when the clock is set back', async () => {
    const asked = [{ key: fresh(), clauses: clausesOf('1/minute') }];
    assert.ok(await kept(asked));
    clock.advance(-86_400);
    const full = await windows.reserve(asked);
    assert.equal(full.kind === 'full' && full.retryAfterSeconds, 60);
    clock.advance(60);
    assert.ok(await kept(asked));
  });

  it('go by the clock of the server when they are told no other', async () => {
    const own = await opened(undefined);
    const asked = [{ key: fresh(), clauses: clausesOf('1/second;2/minute') }];
    assert.equal((await counted(asked, own)).kind, 'reserved');
    const full = await counted(asked, own);
    assert.equal(full.kind === 'limited' && full.retryAfterSeconds, 1);
    await until('the second is over', async () => (await counted(asked, own)).kind === 'reserved');
    const minute = await counted(asked, own);
    assert.ok(minute.kind === 'limited' && minute.retryAfterSeconds >= 58, JSON.stringify(minute));
    await own.close();
  });

  it('go on when the server has forgotten the scripts', async () => {
    redis.ask('script', 'flush');
    assert.ok(await kept([{ key: fresh(), clauses: clausesOf('1/minute') }]));
  });

  it('take no answer for a place that the script did not give', async () => {
    const odd = createRedisWindows({
      connect: async () => ({
        open: async () => {},
        run: async () => 'OK',
        close: async () => {},
        destroy() {},
      }),
      onChange: () => {},
    });
    await odd.start();
    assert.equal((await odd.reserve([{ key: 'k', clauses: clausesOf('1/minute') }])).kind, 'unavailable');
    await odd.close();
  });
});
