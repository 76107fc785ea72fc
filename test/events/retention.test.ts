/** `events.retention`: events that are older are deleted within the hour, and none by a configuration without it (SPEC 10). */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { keepEvents } from '../../src/events/event-upkeep.ts';
import { eventRetentionContract } from '../contracts/event-retention.ts';

eventRetentionContract('SQLite', { newStoreUrl: async () => undefined });

const DAY = 86_400;
const NOW = 1_700_000_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A store of which only what is asked counts. */
function kept(t: TestContext, retention: number | null) {
  t.mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  const asked: number[] = [];
  const said: unknown[] = [];
  let fault: Error | undefined;
  const store = {
    async forgetEvents(before: number) {
      asked.push(before);
      if (fault) throw fault;
      return 3;
    },
  };
  const deps = { store, clock: { now: () => NOW * 1000 }, mayDelete: () => true };
  return {
    asked,
    said,
    fail(why: Error | undefined) {
      fault = why;
    },
    open: () =>
      keepEvents(
        deps,
        retention,
        (events) => said.push(events),
        (why) => said.push(why),
      ),
    async pass(milliseconds: number) {
      t.mock.timers.tick(milliseconds);
      for (let turns = 0; turns < 5; turns += 1) await turn();
    },
  };
}

describe('Events that are older than events.retention', () => {
  it('are deleted a quarter of an hour after the start and then each hour, until the service stops', async (t) => {
    const { asked, said, open, pass } = kept(t, 2 * DAY);
    const upkeep = await open();
    await pass(16 * MINUTE_MS - 1);
    assert.deepEqual(asked, []);
    await pass(1);
    assert.deepEqual([asked, said], [[NOW - 2 * DAY], [3]]);
    await pass(HOUR_MS);
    assert.deepEqual([asked.length, said], [2, [3, 3]]);
    await upkeep.close();
    await pass(HOUR_MS);
    assert.equal(asked.length, 2);
  });

  it('are not deleted under a configuration that was refused within the minute, or that keeps them', async (t) => {
    const { asked, open, pass } = kept(t, DAY);
    await (await open()).close();
    await pass(HOUR_MS);
    t.mock.timers.reset();
    const forEver = kept(t, null);
    const upkeep = await forEver.open();
    await forEver.pass(HOUR_MS);
    assert.deepEqual([asked, forEver.asked], [[], []]);
    await upkeep.close();
  });

  it('are tried again in the next hour when the store fails, which is said', async (t) => {
    const { said, fail, open, pass } = kept(t, DAY);
    const upkeep = await open();
    fail(new Error('disk'));
    await pass(HOUR_MS);
    fail(undefined);
    await pass(HOUR_MS);
    assert.deepEqual([...new Set(said)], [new Error('disk'), 3]);
    await upkeep.close();
  });
});
