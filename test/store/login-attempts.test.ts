/** Attempts at a login in a real PostgreSQL: the contract of the limiter in memory, its rows, its clock (SPEC 4.5, 10). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { type Clause, parseRateLimit } from '../../src/domain/rate-limit.ts';
import type { AttemptStore, AttemptWindow } from '../../src/store/engine/engine.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { handClock } from '../accounts/support/people.ts';
import { attemptWindowsContract, type Counted } from '../contracts/attempt-windows.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { until } from '../support/until.ts';

const clausesOf = (text: string): readonly Clause[] => {
  const clauses = parseRateLimit(text);
  return clauses.ok ? clauses.value : assert.fail(clauses.error);
};

let postgres: TestPostgres;
let url: string;
let store: Store;
let attempts: AttemptStore;
let clock = handClock();
before(async () => {
  if (withoutPostgres) return;
  // The strictest case: by default a statement there would not see what was committed while it waited for a lock.
  postgres = await startPostgres({ default_transaction_isolation: 'repeatable read' });
  url = await postgres.newDatabase();
  store = await openStore({ url });
  attempts = store.attempts ?? assert.fail();
});
after(async () => {
  await store?.close();
  await postgres?.stop();
});

let names = 0;
const fresh = (): string => {
  names += 1;
  return `name ${names}`;
};

/** `own`: by the server's clock. */
async function counted(windows: readonly AttemptWindow[], own?: 'own'): Promise<Counted & { keep?(): Promise<void> }> {
  const attempt = fresh();
  const full = await attempts.reserve(attempt, windows, own ? undefined : clock.now());
  if (full) return { ...full, kind: 'limited' };
  return {
    kind: 'reserved',
    keep: () => attempts.keep(attempt),
    release: () => attempts.release([attempt]),
  };
}
const kept = async (windows: readonly AttemptWindow[]): Promise<boolean> => {
  const place = await counted(windows);
  await place.keep?.();
  return place.kind === 'reserved';
};
const rowsOf = async (key: string): Promise<number> => {
  const { rows } = await sql<{ count: number }>`select count(*) from login_attempts where key = ${key}`.execute(
    store.db,
  );
  return rows[0]?.count ?? Number.NaN;
};

attemptWindowsContract(
  'A window in PostgreSQL',
  () => {
    clock = handClock();
    const name = fresh();
    let clauses: readonly Clause[] = [];
    return {
      clock,
      setClauses(given) {
        clauses = given;
      },
      reserve: (address) => counted(clauses.length > 0 ? [{ key: `${name} ${address}`, clauses }] : []),
    };
  },
  { skip: withoutPostgres, runs: 80 },
);

describe('Attempts in PostgreSQL', { skip: withoutPostgres }, () => {
  it('take a place in all windows, or in none', async () => {
    const narrow = { key: fresh(), clauses: clausesOf('1/minute') };
    const wide = { key: fresh(), clauses: clausesOf('2/minute') };
    assert.equal((await counted([narrow, wide])).kind, 'reserved');
    for (let at = 0; at < 3; at += 1) assert.equal((await counted([narrow, wide])).kind, 'limited');
    assert.equal(await rowsOf(wide.key), 1);
    assert.equal((await counted([wide])).kind, 'reserved');
    const other = { ...narrow, key: fresh() };
    assert.equal((await attempts.reserve(fresh(), [other, wide], clock.now()))?.window, 1);
    assert.equal(await rowsOf(other.key), 0);
  });

  it('tell whether one is under way, and a failure that was kept is none', async () => {
    const windows = [{ key: fresh(), clauses: clausesOf('2/minute') }];
    const isUnderWay = async (): Promise<boolean | undefined> =>
      (await attempts.reserve(fresh(), windows, clock.now()))?.isUnderWay;
    const [one, other] = [await counted(windows), await counted(windows)];
    assert.equal(await isUnderWay(), true);
    await one.keep?.();
    assert.equal(await isUnderWay(), true);
    await other.keep?.();
    assert.equal(await isUnderWay(), false);
    clock.advance(60);
    await counted(windows);
    await counted(windows);
    assert.equal(await isUnderWay(), true);
    clock.advance(31); // the process that began them has died, or they would have ended by now
    assert.equal(await isUnderWay(), false);
  });

  it('hold no more than the largest count, and go when their windows are over, whoever is counted then', async () => {
    const key = fresh();
    const clauses = clausesOf('5/minute;20/hour');
    for (let minute = 0; minute < 100; minute += 1) {
      clock.advance(60);
      for (let at = 0; at < 6; at += 1) await kept([{ key, clauses }]);
    }
    assert.equal(await rowsOf(key), 20);
    clock.advance(3600);
    await kept([{ key: fresh(), clauses }]);
    assert.equal(await rowsOf(key), 0);
  });

  it('lengthen no limit by more than its window when the clock is set back', async () => {
    const windows = [{ key: fresh(), clauses: clausesOf('1/minute') }];
    assert.ok(await kept(windows));
    clock.advance(-86_400);
    const full = await attempts.reserve(fresh(), windows, clock.now());
    assert.equal(full?.retryAfterSeconds, 60);
    clock.advance(60);
    assert.ok(await kept(windows));
  });

  it('go by the clock of the server', async () => {
    const windows = [{ key: fresh(), clauses: clausesOf('1/second;2/minute') }];
    assert.equal((await counted(windows, 'own')).kind, 'reserved');
    const full = await counted(windows, 'own');
    assert.equal(full.kind === 'limited' && full.retryAfterSeconds, 1);
    await until('the second is over', async () => (await counted(windows, 'own')).kind === 'reserved');
    const minute = await counted(windows, 'own');
    assert.ok(minute.kind === 'limited' && minute.retryAfterSeconds >= 50, JSON.stringify(minute));
  });

  it('are judged one after the other: an attempt waits for one that is not counted yet', async () => {
    const windows = [{ key: fresh(), clauses: clausesOf('1/minute') }];
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query('begin');
    const asked = JSON.stringify([{ key: windows[0]?.key, clauses: [{ count: 1, length: 60_000 }] }]);
    await other.query('select postern_reserve_attempt($1, $2, $3)', [fresh(), asked, clock.now()]);
    const places: Counted[] = [];
    const judged = counted(windows).then((place) => places.push(place));
    await until('it waits, or is judged', async () => {
      const { rows } = await other.query(`select from pg_locks where locktype = 'advisory' and not granted`);
      return rows.length + places.length > 0;
    });
    assert.equal(places.length, 0);
    await other.query('commit');
    await other.end();
    await judged;
    assert.equal(places[0]?.kind, 'limited');
  });

  it('of clients of one network, asked and given back at once, wait for no other in a circle', async () => {
    const wide = { key: fresh(), clauses: clausesOf('1000/minute') };
    const turn = async (number: number): Promise<void> => {
      const place = await counted([{ key: `${wide.key} ${number % 7}`, clauses: clausesOf('1000/minute') }, wide]);
      assert.ok(place.kind === 'reserved');
      await place.release();
    };
    await Promise.all(Array.from({ length: 200 }, (_, number) => turn(number)));
  });
});
