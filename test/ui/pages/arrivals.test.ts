/** Events that arrive while the list is looked at: none lost, none twice, none moved while the list is being read. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Arrivals, askedSince, withArrivals, withWaiting } from '../../../src/ui/pages/explore/arrivals.ts';
import { readEvents } from '../../../src/ui/pages/shared/events/event-view.ts';
import { eventKind, pauseAfter } from '../../../src/ui/pages/shared/line-rules.ts';

const eventsOf = (...given: readonly object[]) =>
  readEvents(given.map((one) => ({ camera: 'front', label: 'dog', end_time: 1, ...one })));
const at = (...times: readonly number[]) => eventsOf(...times.map((time) => ({ id: `e${time}`, start_time: time })));
const listOf = (...times: readonly number[]): Arrivals => ({
  events: at(...times),
  waiting: [],
  newIds: new Set(),
});
const idsOf = ({ events, waiting, newIds }: Arrivals) => [
  events.map(({ id }) => id).join(' '),
  waiting.map(({ id }) => id).join(' '),
  [...newIds].join(' '),
];
const NOW = { hasMore: true, isHeldBack: false };
const LATER = { hasMore: true, isHeldBack: true };

describe('Events that arrive', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, list: Arrivals, expected: unknown[]][] = [
    ['come in above',                                      withArrivals(listOf(9, 8), at(11, 10, 9), NOW),                    ['e11 e10 e9 e8', '', 'e11 e10']],
    ['wait while the list is read',                        withArrivals(listOf(9, 8), at(10, 9), LATER),                      ['e9 e8', 'e10', '']],
    ['come in with events that waited',                    withArrivals(withArrivals(listOf(9, 8), at(10), LATER), at(11), NOW), ['e11 e10 e9 e8', '', 'e11 e10']],
    ['come in when they are asked for',                    withWaiting(withArrivals(listOf(9, 8), at(10), LATER)),            ['e10 e9 e8', '', 'e10']],
    ['stand in order of time when one was stored late',    withArrivals(listOf(9, 6), at(7), NOW),                            ['e9 e7 e6', '', 'e7']],
    ['are left to the next page when they are older',      withArrivals(listOf(9, 6), at(5), NOW),                            ['e9 e6', '', '']],
    ['are shown at the end where there is no next page',   withArrivals(listOf(9, 6), at(5), { ...NOW, hasMore: false }),     ['e9 e6 e5', '', 'e5']],
    ['are the first ones of an empty list',                withArrivals(listOf(), at(5), NOW),                                ['e5', '', 'e5']],
  ];
  for (const [sentence, list, expected] of rows) it(sentence, () => assert.deepEqual(idsOf(list), expected));

  it('replace what is known where it stands', () => {
    const events = eventsOf({ id: 'a', start_time: 9, end_time: null }, { id: 'b', start_time: 8 });
    const list = { ...listOf(), events };
    const now = withArrivals(
      list,
      eventsOf({ id: 'a', start_time: 9, end_time: 20 }, { id: 'b', start_time: 8 }),
      LATER,
    );
    assert.deepEqual([now.events.map(({ endTime }) => endTime), now.waiting], [[20, 1], []]);
    assert.equal(askedSince(list.events), -291);
    assert.equal(
      askedSince(eventsOf({ id: 'n', start_time: 9000 }, { id: 'r', start_time: 8000, end_time: null })),
      7999,
    );
    assert.equal(askedSince([]), undefined);
  });

  it('are each shown once, newest first, however they come', () => {
    const batch = fc.tuple(fc.uniqueArray(fc.nat(40), { maxLength: 8 }), fc.boolean());
    fc.assert(
      fc.property(fc.array(batch, { maxLength: 8 }), (batches) => {
        let list = listOf(20, 19);
        for (const [times, isHeldBack] of batches) {
          const before = list.events.map(({ id }) => id);
          list = withArrivals(list, at(...times), { hasMore: false, isHeldBack });
          if (isHeldBack)
            assert.deepEqual(
              list.events.map(({ id }) => id),
              before,
            );
        }
        const shown = withWaiting(list).events.map(({ startTime }) => startTime);
        const all = [...new Set([20, 19, ...batches.flatMap(([times]) => times)])];
        assert.deepEqual(
          shown,
          all.sort((a, b) => b - a),
        );
      }),
    );
  });
});

it('Pauses grow to a minute, and differ from page to page', () => {
  assert.deepEqual(
    [1, 2, 3, 7, 50].map((tries) => pauseAfter(tries, 0.5)),
    [1000, 2000, 4000, 60_000, 60_000],
  );
  assert.deepEqual([pauseAfter(1, 0), pauseAfter(1, 1)], [750, 1250]);
});

it('Of the messages of the NVR only those about events count, whatever their form', () => {
  const message = (payload: unknown, topic = 'events') => JSON.stringify({ topic, payload });
  // biome-ignore format: a table
  const rows: [text: string, kind: string | undefined][] = [
    [message('{"type":"new","after":{}}'),    'new'],
    [message('{"type":"end"}'),               'end'],
    [message('{"type":"new"}', 'reviews'),    undefined],
    [message({ type: 'new' }),                undefined],
    [message('not JSON'),                     undefined],
    [message('[1]'),                          undefined],
    ['not JSON',                              undefined],
    ['null',                                  undefined],
  ];
  for (const [text, kind] of rows) assert.equal(eventKind(text), kind, text);
});
