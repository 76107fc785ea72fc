/** What must look at every event does so window by window: the answer is the same, and others do not wait for it (SPEC 7). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { createTaskQueue } from '../../src/domain/async.ts';
import { type EventCondition, type EventQuestion, isOutOfTime } from '../../src/domain/events/event-question.ts';
import { type EventsPlace, STORE_SHAPE } from '../../src/store/events/event-shape.ts';
import { eventsPlace } from '../../src/store/events/events-table.ts';
import { findEvents, findInWindows, windowedFind } from '../../src/store/events/find-events.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { sqliteDialect } from '../../src/store/sqlite/sqlite-dialect.ts';
import { event } from '../events/support/event.ts';
import { makeScratch } from './support/scratch-store.ts';

const COUNT = 120;
const NEWEST = { key: 'date', direction: 'desc' } as const;
const scratch = makeScratch();
let store: Store;
let place: EventsPlace;
before(async () => {
  store = await openStore({ url: scratch.url });
  place = eventsPlace(store.db, STORE_SHAPE, sqliteDialect);
  // Several begin at once, several have one score or none.
  const events = Array.from({ length: COUNT }, (_, n) =>
    event({
      id: `e${(n * 37) % COUNT}`,
      camera: n % 3 ? 'front' : 'back',
      start_time: Math.floor(n / 5),
      zones: n % 4 ? ['drive'] : [],
      data: { score: n % 7 ? (n % 10) / 10 : null, ...(n % 2 ? { recognized_license_plate: `P${n % 9}` } : {}) },
    }),
  );
  await store.writeEvents(events);
});
after(async () => {
  await store.close();
  scratch.remove();
});

const times = fc.integer({ min: -1, max: 25 });
const conditions: fc.Arbitrary<EventCondition> = fc.oneof(
  fc.constant({ kind: 'carries', of: 'zone', names: ['drive'], orNone: false } as const),
  fc.constant({ kind: 'compared', measure: 'score', by: '>=', to: 0.4 } as const),
  fc.constant({
    kind: 'plate',
    isWanted: { plates: [], matches: (plate: string) => plate > 'P4' },
    orNone: false,
  } as const),
  fc.record({
    kind: fc.constant('compared'),
    measure: fc.constant('start_time'),
    by: fc.constantFrom('<', '>'),
    to: times,
  }),
);
const questions: fc.Arbitrary<EventQuestion> = fc.record({
  cameras: fc.constantFrom(null, ['back'], ['front', 'back'], []),
  conditions: fc.array(conditions, { maxLength: 3 }),
  sort: fc.record({ key: fc.constantFrom('date', 'score', 'speed'), direction: fc.constantFrom('asc', 'desc') }),
  limit: fc.constantFrom(1, 10, 50, 1000),
});

describe('A walk in windows', () => {
  it('finds what one go finds, in the same order, page after page', () =>
    fc.assert(
      fc.asyncProperty(questions, fc.integer({ min: 1, max: 40 }), async (question, eventsEach) => {
        const inOneGo = await findEvents(question, place);
        assert.deepEqual(await findInWindows(question, place, eventsEach), inOneGo);
        const next = { ...question, after: inOneGo.at(-1) };
        assert.deepEqual(await findInWindows(next, place, eventsEach), await findEvents(next, place));
      }),
      { numRuns: 150 },
    ));
});

/** Every event is looked at, for none fulfils it. */
const NOTHING: EventQuestion = {
  cameras: null,
  conditions: [{ kind: 'carries', of: 'zone', names: ['nowhere'], orNone: false }],
  sort: NEWEST,
  limit: 10,
};
const LITTLE: EventQuestion = { cameras: null, conditions: [], sort: NEWEST, limit: 1 };

describe('While a question is walked in windows', () => {
  it('a smaller one is answered, and a second long one waits in line', async () => {
    const ended: string[] = [];
    const first = findInWindows(NOTHING, place, 2).then(() => ended.push('first'));
    await nextTurn();
    const second = findInWindows(NOTHING, place, 2).then(() => ended.push('second'));
    const little = findEvents(LITTLE, place).then(() => ended.push('little'));
    await Promise.all([first, second, little]);
    assert.deepEqual(ended, ['little', 'first', 'second']);
  });

  it('a query that waited past its deadline is told so, and the next one runs', async () => {
    const first = findInWindows(NOTHING, place, 2);
    const late = findInWindows(NOTHING, { ...place, deadline: { at: Number.NEGATIVE_INFINITY } }, 2);
    const next = findInWindows(NOTHING, place, 2);
    await assert.rejects(late, isOutOfTime);
    assert.deepEqual([await first, await next], [[], []]);
  });
});

it('Walks go one by one, in the order in which they came', async () => {
  const lane = createTaskQueue(1).enter;
  const entered: number[] = [];
  const walks = [1, 2, 3].map(async (walk) => {
    const leave = await lane();
    entered.push(walk);
    return leave;
  });
  for (const [at, walk] of walks.entries()) {
    const leave = await walk;
    await nextTurn();
    assert.deepEqual(entered, [1, 2, 3].slice(0, at + 1));
    leave();
  }
});

describe('A question', () => {
  it('that takes too long in one go is answered in windows', async () => {
    const other = makeScratch();
    const many = await openStore({ url: other.url });
    // The clock is looked at once in 1024 events.
    await many.writeEvents(
      Array.from({ length: 1100 }, (_, n) => event({ id: `e${n}`, start_time: n, zones: n ? [] : ['nowhere'] })),
    );
    const bounded = { ...eventsPlace(many.db, STORE_SHAPE, sqliteDialect), deadline: { at: Number.POSITIVE_INFINITY } };
    assert.deepEqual(await windowedFind(NOTHING, bounded, -1), [{ id: 'e0', value: 0 }]);
    await many.close();
    other.remove();
  });

  it('is given up in the midst of testing plates, when that is what takes its time', async () => {
    const deadline = { at: performance.now() + 60_000 };
    let tested = 0;
    const matches = (): boolean => {
      tested += 1;
      deadline.at = 0; // the first test took all the time that there was
      return false;
    };
    const slow: EventCondition = { kind: 'plate', isWanted: { plates: [], matches }, orNone: false };
    await assert.rejects(findEvents({ ...LITTLE, conditions: [slow] }, { ...place, deadline }), isOutOfTime);
    assert.equal(tested, 1);
  });
});
