/** What every store must do with events that are older than they must be kept, whatever the engine (SPEC 10). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { event } from '../events/support/event.ts';
import { type ServedEvents, serveEvents } from '../events/support/served-events.ts';

const DAY = 86_400;
/** Within a month. */
const CUT = Date.UTC(2024, 5, 15, 12) / 1000;
const at = (year: number, month: number, day = 1): number => Date.UTC(year, month - 1, day) / 1000;

export function eventRetentionContract(
  engineName: string,
  engine: { newStoreUrl(): Promise<string | undefined> },
): void {
  describe(`Events in ${engineName} that are older than they must be kept`, () => {
    let served: ServedEvents;
    before(async () => {
      served = await serveEvents({ storeUrl: await engine.newStoreUrl() });
    });
    after(() => served?.close());

    const forget = (before: number, signal = new AbortController().signal): Promise<number> =>
      served.store.forgetEvents(before, signal);
    const ids = async (): Promise<string[]> =>
      ((await served.ask('/api/events?sort=date_asc&limit=10000')).json() as { id: string }[]).map(({ id }) => id);
    const counted = async (): Promise<number> =>
      ((await served.ask('/api/events/summary')).json() as { count: number }[]).reduce(
        (sum, { count }) => sum + count,
        0,
      );

    it('are deleted, however many and wherever they lie, and no other', async () => {
      const crowd = Array.from({ length: 250 }, (_, n) => event({ id: `crowd-${n}`, start_time: CUT - DAY - (n % 7) }));
      await served.store.writeEvents([
        ...crowd,
        event({ id: 'before all months', start_time: -5 }),
        event({ id: 'oldest', start_time: at(2022, 1, 3) }),
        event({ id: 'last of a month', start_time: at(2024, 6) - 0.001 }),
        event({ id: 'kept month', start_time: at(2023, 4, 4), retain_indefinitely: true }),
        event({ id: 'beside the kept', start_time: at(2023, 4, 4) }),
        event({ id: 'in progress', start_time: at(2024, 6, 2), end_time: null }),
        event({ id: 'just too old', start_time: CUT - 0.001 }),
        event({ id: 'kept day', start_time: CUT - 1, retain_indefinitely: true }),
        event({ id: 'just young enough', start_time: CUT }),
        event({ id: 'young', start_time: at(2024, 8) }),
      ]);
      assert.equal(await counted(), 260);
      assert.equal(await forget(CUT), 256);
      assert.deepEqual(await ids(), ['kept month', 'kept day', 'just young enough', 'young']);
      assert.equal(await counted(), 4);
      assert.equal(await forget(CUT), 0);
    });

    it('can be written again, and are deleted again, beside one of the same days that is kept', async () => {
      const again = [at(2022, 3, 31), at(2024, 6, 1)].map((start_time, n) => event({ id: `again-${n}`, start_time }));
      const beside = event({ id: 'kept beside', start_time: at(2022, 4, 1), retain_indefinitely: true });
      await served.store.writeEvents([...again, beside]);
      assert.deepEqual([(await ids()).length, await counted()], [7, 7]);
      assert.equal(await forget(CUT), 2);
      assert.deepEqual([(await ids()).length, await counted()], [5, 5]);
    });

    it('are left for the next time when the service stops', async () => {
      const many = Array.from({ length: 250 }, (_, n) => event({ id: `many-${n}`, start_time: CUT - 10 }));
      await served.store.writeEvents(many);
      const stopped = new AbortController();
      const deleting = forget(CUT, stopped.signal);
      stopped.abort();
      const gone = await deleting;
      assert.ok(gone < 250, `${gone}`);
      assert.equal(gone + (await forget(CUT)), 250);
    });

    it('are deleted by several at once, each once', async () => {
      const many = Array.from({ length: 250 }, (_, n) => event({ id: `each-${n}`, start_time: CUT - 10 - n * DAY }));
      await served.store.writeEvents(many);
      const gone = await Promise.all([forget(CUT), forget(CUT), forget(CUT)]);
      assert.equal(
        gone.reduce((sum, count) => sum + count, 0),
        250,
      );
      assert.equal((await ids()).length, 5);
    });
  });
}
