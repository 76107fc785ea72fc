/** What the store said is used for a grace while it cannot be reached: never longer, never against what was heard (SPEC 10). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createStoreGrace } from '../../../src/accounts/sessions/store-grace.ts';
import { type StoreFault, storeFault } from '../../../src/domain/store/store-fault.ts';
import { createRowNotices, type RowNotices } from '../../../src/store/postgres/postgres-changes.ts';
import { movableClock } from '../../support/clock.ts';

const GRACE_SECONDS = 60;

/** A store that answers 'good' until it is cut. */
function storeWithGrace(seconds = GRACE_SECONDS, isOfRows = false) {
  const clock = movableClock();
  let [stale, reads] = [0, 0];
  const heard = createRowNotices();
  let fault: Error | undefined;
  const version = (): string => (fault ? `stale.${++stale}` : `${heard.revision()}`);
  const ask = createStoreGrace({ version, heard, clock, seconds }).memory<string>(10, {
    rowsOf: (key) => [`users ${key}`],
    isOfRows,
    inGrace: (result) => `${result} (in grace)`,
  });
  return {
    clock,
    reads: () => reads,
    ask: async (key = 'vera') =>
      ask(key, async () => {
        reads += 1;
        if (fault) throw fault;
        return 'good';
      }),
    heard,
    change: (name = 'vera') => heard.heard(`users ${name}`),
    cut(kind: StoreFault) {
      fault = storeFault(kind, `the store is ${kind}`, undefined);
    },
    mend() {
      fault = undefined;
    },
  };
}

describe('The grace of a store that cannot be reached', () => {
  it('lasts from the last time when the store confirmed the answer', async () => {
    const { ask, cut, clock } = storeWithGrace();
    await ask();
    clock.advance(GRACE_SECONDS * 2);
    await ask(); // confirmed by the version alone
    cut('unreachable');
    clock.advance(GRACE_SECONDS - 1);
    assert.equal(await ask(), 'good (in grace)');
    clock.advance(1);
    await assert.rejects(ask(), /unreachable/);
  });

  it('is not made longer by its own use', async () => {
    const { ask, cut, clock } = storeWithGrace();
    await ask();
    cut('unreachable');
    for (let second = 1; second < GRACE_SECONDS; second++) {
      clock.advance(1);
      assert.equal(await ask(), 'good (in grace)');
    }
    clock.advance(1);
    await assert.rejects(ask(), /unreachable/);
  });

  it('is given to no caller who was not asked for before', async () => {
    const { ask, cut } = storeWithGrace();
    await ask();
    cut('unreachable');
    assert.equal(await ask(), 'good (in grace)');
    await assert.rejects(ask('carl'), /unreachable/);
  });

  it('is not given against a change that was heard of', async () => {
    const { ask, cut, change } = storeWithGrace();
    await ask();
    change();
    cut('unreachable');
    await assert.rejects(ask(), /unreachable/);
  });

  it('is given where another row has changed', async () => {
    const { ask, cut, change } = storeWithGrace();
    await ask();
    change('carl');
    cut('unreachable');
    assert.equal(await ask(), 'good (in grace)');
  });

  const UNNAMED: Readonly<Record<string, (heard: RowNotices) => void>> = {
    'may have gone unheard': (heard) => heard.missed(),
    'names a table alone': (heard) => heard.heard('users'),
    'was made here': (heard) => heard.changedHere('users vera'),
  };
  for (const [what, happen] of Object.entries(UNNAMED))
    it(`is not given against a change that ${what}`, async () => {
      const { ask, cut, heard } = storeWithGrace();
      await ask();
      happen(heard);
      cut('unreachable');
      await assert.rejects(ask(), /unreachable/);
    });

  it('is given where another row was changed here, before any notice has come', async () => {
    const { ask, cut, heard } = storeWithGrace();
    await ask();
    heard.changedHere('users carl');
    heard.changedHere();
    cut('unreachable');
    assert.equal(await ask(), 'good (in grace)');
    heard.heard('users vera');
    await assert.rejects(ask(), /unreachable/);
  });

  for (const kind of ['locked', 'full', 'read-only', 'corrupt', 'missing'] as const)
    it(`is not given for a store that is ${kind}`, async () => {
      const { ask, cut } = storeWithGrace();
      await ask();
      cut(kind);
      await assert.rejects(ask(), new RegExp(kind));
    });

  it('of 0 seconds is none', async () => {
    const { ask, cut } = storeWithGrace(0);
    await ask();
    cut('unreachable');
    await assert.rejects(ask(), /unreachable/);
  });

  it('asks the store again soon, and then uses what it says', async () => {
    const { ask, cut, mend, change, clock, reads } = storeWithGrace();
    await ask();
    cut('unreachable');
    for (let request = 0; request < 10; request++) await ask();
    assert.equal(reads(), 2); // the first, and one that failed: the others did not wait for it
    clock.advance(1);
    mend();
    change();
    assert.equal(await ask(), 'good');
    assert.equal(reads(), 3);
    await ask();
    assert.equal(reads(), 3);
  });
});

describe('An answer of rows that are heard of by name', () => {
  const remembered = () => storeWithGrace(GRACE_SECONDS, true);

  it('is read again after a change of one of them, and after no other', async () => {
    const { ask, change, heard, reads } = remembered();
    await ask();
    change('carl');
    heard.changedHere();
    for (let request = 0; request < 3; request++) assert.equal(await ask(), 'good');
    assert.equal(reads(), 1);
    change('vera');
    await ask();
    assert.equal(reads(), 2);
  });

  it('is read again when changes may have gone unheard', async () => {
    const { ask, heard, reads } = remembered();
    for (const happen of [() => {}, heard.missed, () => heard.heard('users')]) {
      happen();
      await ask();
    }
    assert.equal(reads(), 3);
  });

  it('is asked for at each call while changes may go unheard', async () => {
    const { ask, cut, reads } = remembered();
    await ask();
    cut('locked');
    for (let request = 0; request < 2; request++) await assert.rejects(ask(), /locked/);
    assert.equal(reads(), 3);
  });
});

it('Any other answer is read again after each change', async () => {
  const { ask, change, reads } = storeWithGrace();
  await ask();
  change('carl');
  await ask();
  assert.equal(reads(), 2);
});
