/** Random events and random questions: the database answers as a plain walk over a list would. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { EventRecord } from '../../src/domain/events/event.ts';
import { startPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { event } from './support/event.ts';
import { makeNvrDatabase } from './support/nvr-file.ts';
import { plainAnswer, type Query } from './support/plain-filter.ts';
import { type ServedEvents, serveEvents } from './support/served-events.ts';

const CAMERAS = ['front', 'back', 'Front', 'c,d'];
const LABELS = ['person', 'car', 'dog', 'all'];
const ZONES = ['drive', 'garten_süd', 'the "den"', 'den', 'None', "dad's"];
const NAMES = ['Bob', 'bob', 'Bobby', 'Émile', 'Straße', 'None', ' Ann '];
const PLATES = ['ABC123', 'abc123', 'A|B'];
/** Winter, summer, and the hours around the changes of Berlin in 2025; in quarters of an hour. */
const TIMES = [1_736_900_000, 1_752_500_000, 1_743_296_400 - 3600, 1_743_296_400, 1_761_440_400 - 7200, 1_761_440_400];

const nullable = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: null });
const time = fc
  .tuple(fc.constantFrom(...TIMES), fc.integer({ min: 0, max: 12 }))
  .map(([base, quarters]) => base + quarters * 900 + 0.25);

const someEvent = fc
  .record({
    camera: fc.constantFrom(...CAMERAS),
    label: fc.constantFrom(...LABELS),
    sub_label: nullable(fc.array(fc.constantFrom(...NAMES), { maxLength: 2 }).map((names) => names.join(','))),
    zones: fc.uniqueArray(fc.constantFrom(...ZONES), { maxLength: 2 }),
    start_time: time,
    lasting: nullable(fc.constantFrom(0, 5, 5.5)),
    has_clip: fc.boolean(),
    has_snapshot: fc.boolean(),
    retain_indefinitely: fc.boolean(),
    plus_id: fc.constantFrom(null, '', 'p'),
    data: fc.record(
      {
        score: nullable(fc.constantFrom(0.1, 0.5, 0.9)),
        average_estimated_speed: fc.constantFrom(0, 10, 20.5),
        recognized_license_plate: nullable(fc.constantFrom(...PLATES)),
        attributes: fc.constant([{ label: 'amazon', score: 1 }]),
        tags: fc.constant(['amazon']),
        description: fc.constantFrom('A "white" van, Straße', 'two\\dogs', 7),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ lasting, ...given }) => ({ ...given, end_time: lasting === null ? null : given.start_time + lasting }));

const events = fc
  .array(someEvent, { maxLength: 25 })
  .map((list) => list.map((given, n): EventRecord => event({ ...given, id: `e${(n * 7) % 25}-${n}` })));

const several = (...values: string[]) =>
  fc.array(fc.constantFrom(...values, 'None', ''), { maxLength: 3 }).map((list) => list.join(','));
const listOf = (...values: string[]) => fc.oneof(fc.constant('all'), several(...values));
const flag = fc.constantFrom('0', '1', '-1');

const query: fc.Arbitrary<Query> = fc.record(
  {
    camera: fc.constantFrom('all', 'front', 'c,d', ' back '),
    cameras: listOf('front', 'back', 'Front'),
    label: listOf('person', 'car'),
    labels: listOf('person', 'dog', 'cat'),
    sub_label: listOf('BOB', 'émile', 'STRASSE'),
    sub_labels: listOf('Bob', 'Bobby', 'ann', 'Bo'),
    zone: listOf('drive', 'den'),
    zones: listOf('den', 'the "den"', 'garten_süd', 'dr*'),
    attributes: listOf('amazon', 'ABC123'),
    recognized_license_plate: listOf('ABC123', 'A|B'),
    limit: fc.constantFrom('0', '3', '100'),
    after: time.map(String),
    before: time.map(String),
    time_range: fc.constantFrom('00:00,24:00', '2:00,3:00', '22:00,6:00', '01:15,01:15', '12:00,24:00', '03:00,00:00'),
    timezone: fc.constantFrom('UTC', 'europe/berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'),
    has_clip: flag,
    has_snapshot: flag,
    in_progress: flag,
    favorites: flag,
    is_submitted: flag,
    min_score: fc.constantFrom('0.1', '0.5'),
    max_score: fc.constantFrom('0.5', '1'),
    min_speed: fc.constantFrom('0', '10'),
    max_speed: fc.constantFrom('5', '20.5'),
    min_length: fc.constantFrom('0', '5'),
    max_length: fc.constantFrom('5', '6'),
    // Only ASCII in another case: other letters go by the locale of the database.
    text: fc.constantFrom('BOB', 'mile', 'straße WHITE', '"white"', 's\\D', 'VAN an', '  '),
    event_id: fc.constantFrom('e0-0', 'e7-1'),
    sort: fc.constantFrom('date_asc', 'date_desc', 'score_asc', 'score_desc', 'speed_asc', 'speed_desc', 'other'),
  },
  { requiredKeys: [] },
);
/** Most questions have few parts, or nothing would be left to compare. */
const shortQuery = fc.tuple(query, fc.array(fc.nat(), { minLength: 1, maxLength: 4 })).map(([whole, picks]): Query => {
  const names = Object.keys(whole);
  const kept = picks.flatMap((pick) => (names.length > 0 ? [names[pick % names.length] ?? ''] : []));
  return Object.fromEntries(kept.map((name) => [name, whole[name] ?? '']));
});

interface Kept extends ServedEvents {
  replaceAll(list: readonly EventRecord[]): Promise<void>;
}

const keptInStore = async (storeUrl?: string): Promise<Kept> => {
  const served = await serveEvents({ storeUrl });
  const replaceAll = async (list: readonly EventRecord[]): Promise<void> => {
    await served.store.db.deleteFrom('events').execute();
    await served.store.writeEvents(list);
  };
  return { ...served, replaceAll };
};

const IN_POSTGRES = 'in PostgreSQL';

const places: Record<string, () => Promise<Kept>> = {
  'in the store': () => keptInStore(),
  [IN_POSTGRES]: async () => {
    const postgres = await startPostgres();
    const kept = await keptInStore(await postgres.newDatabase());
    return { ...kept, close: () => kept.close().then(postgres.stop) };
  },
  "in an NVR's own file": async () => {
    const nvr = await makeNvrDatabase([]);
    const served = await serveEvents({ source: nvr.events });
    return {
      ...served,
      replaceAll: async (list) => nvr.replaceAll(list.map((one) => JSON.stringify(one))),
      close: () => Promise.all([served.close(), nvr.close()]).then(() => undefined),
    };
  },
};

for (const [place, serve] of Object.entries(places)) {
  describe(`Events ${place}`, { skip: place === IN_POSTGRES && withoutPostgres }, () => {
    let served: Kept;
    before(async () => {
      served = await serve();
    });
    after(() => served.close());

    it('are found as a plain walk would find them', async () => {
      let nonEmpty = 0;
      await fc.assert(
        fc.asyncProperty(events, fc.array(shortQuery, { minLength: 6, maxLength: 6 }), async (list, queries) => {
          await served.replaceAll(list);
          for (const asked of queries) {
            const answer = await served.ask(`/api/events?${new URLSearchParams(asked)}`);
            const ids = (answer.json() as { id: string }[]).map(({ id }) => id);
            const expected = plainAnswer(list, asked);
            if (expected.length > 0) nonEmpty++;
            assert.deepEqual(ids, expected, JSON.stringify(asked));
          }
        }),
        { numRuns: 100 },
      );
      assert.ok(nonEmpty > 100, 'too few questions had an answer to tell anything');
    });
  });
}
