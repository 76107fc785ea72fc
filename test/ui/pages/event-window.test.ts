/** The list in days and pieces: nothing lost, nothing twice, no piece too long. */
import '../support/in-english.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { groupByDay, PIECE_SIZE } from '../../../src/ui/pages/explore/arrivals.ts';
import { type EventView, readEvents } from '../../../src/ui/pages/shared/events/event-view.ts';

const NOW = 1_785_800_000;
const eventsAt = (times: readonly number[]) =>
  readEvents(times.map((time, at) => ({ id: `${at}`, start_time: time, camera: 'front', label: 'dog' })));
/** The first ones have arrived since the list was loaded. */
const withNew = (events: readonly EventView[], count: number) => ({
  events,
  newIds: new Set(events.slice(0, count).map(({ id }) => id)),
});
const loaded = (events: readonly EventView[]) => withNew(events, 0);

describe('The list', () => {
  it('is cut into days, and long days into pieces', () => {
    const events = eventsAt([
      ...Array.from({ length: PIECE_SIZE + 1 }, () => NOW),
      ...Array.from({ length: 2 }, () => NOW - 10 * 86_400),
    ]);
    const sizes = groupByDay(loaded(events), NOW).map(({ name, pieces }) => [
      name,
      pieces.map(([, piece]) => piece.length),
    ]);
    assert.deepEqual(
      sizes.map(([, pieces]) => pieces),
      [[PIECE_SIZE, 1], [2]],
    );
    assert.equal(sizes[0]?.[0], 'Today');
  });

  it('is one day without a name in an order that mixes the days', () => {
    const events = eventsAt(Array.from({ length: 2 * PIECE_SIZE }, (_, at) => NOW - (at % 2) * 86_400));
    const days = groupByDay(loaded(events), undefined).map(({ name, pieces }) => [
      name,
      pieces.map(([, piece]) => piece.length),
    ]);
    assert.deepEqual(days, [['', [PIECE_SIZE, PIECE_SIZE]]]);
  });

  it('keeps every event, in its order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: NOW - 86_400 * 5, max: NOW })), (some) => {
        const times = some.sort((one, other) => other - one);
        const events = eventsAt(times);
        const pieces = groupByDay(withNew(events, times.length >> 1), NOW).flatMap((day) =>
          day.pieces.map(([, piece]) => piece),
        );
        assert.deepEqual(pieces.flat(), events);
        assert.ok(pieces.every((piece) => piece.length > 0 && piece.length <= PIECE_SIZE));
      }),
    );
  });

  it('keeps its pieces when events arrive at its head and are loaded at its end', () => {
    const all = eventsAt(Array.from({ length: 5 * PIECE_SIZE }, () => NOW));
    const first = 2 * PIECE_SIZE + 10;
    const keysOf = (arrived: number, loaded: number) => {
      const shown = all.slice(first - arrived, first + loaded);
      return groupByDay(withNew(shown, arrived), NOW).flatMap((day) => day.pieces.map(([key]) => key));
    };
    let before = keysOf(0, 90);
    for (const [arrived, loaded] of [
      [1, 90],
      [60, 90],
      [61, 150],
      [130, 150],
    ] as const) {
      const now = keysOf(arrived, loaded);
      assert.deepEqual(
        before.filter((key) => !now.includes(key)),
        [],
      );
      assert.equal(new Set(now).size, now.length);
      before = now;
    }
  });
});
