/** The NVR's own file: read beside its writer, in any age of its table, never written (SPEC 1). */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import type { EventCondition, EventQuestion } from '../../src/domain/events/event-question.ts';
import { copyEvents } from '../../src/events/import-events.ts';
import { openNvrDatabase } from '../../src/store/nvr-database.ts';
import { event } from '../events/support/event.ts';
import { makeNvrDatabase, OLD_SCHEMA } from '../events/support/nvr-file.ts';
import { serveEvents } from '../events/support/served-events.ts';
import { makeScratch } from './support/scratch-store.ts';

const scratch = makeScratch();
after(scratch.remove);

const ALL: EventQuestion = { cameras: null, conditions: [], sort: { key: 'date', direction: 'asc' }, limit: 10 };
const line = (given: Parameters<typeof event>[0]): string => JSON.stringify(event(given));

describe("An NVR's database", () => {
  it('shows what the NVR writes while it is open', async () => {
    const nvr = await makeNvrDatabase([line({ id: '1-a' })]);
    const writer = new DatabaseSync(nvr.path);
    writer.exec(
      "INSERT INTO event SELECT '2-b', label, 'back', start_time + 1, null, null, null, zones, '', 1, 1, null, null, null, 0, null, null, null, null, null, null, null, '{\"score\": NaN}' FROM event",
    );
    assert.deepEqual(await nvr.events.find(ALL), [
      { id: '1-a', value: 1_700_000_000 },
      { id: '2-b', value: 1_700_000_001 },
    ]);
    assert.deepEqual(await nvr.events.cameras(), ['back', 'front']);
    const [second] = await nvr.events.read(['2-b'], { thumbnails: true });
    assert.deepEqual([second?.dataJson, second?.thumbnail, second?.end_time], ['{"score": null}', null, null]);
    writer.close();
    await nvr.close();
  });

  it('of an older version has nothing where its columns are missing', async () => {
    const nvr = await makeNvrDatabase([line({ id: '1-a', zones: ['drive'], sub_label: 'bob' })], OLD_SCHEMA);
    const { zones, data, ...plain } = event({ id: '1-a' });
    assert.deepEqual(await nvr.events.read(['1-a'], { thumbnails: true }), [
      { ...plain, zonesJson: '["drive"]', dataJson: '{}' },
    ]);
    const none = { kind: 'carries', of: 'sub_label', names: [], orNone: true } as const;
    assert.equal((await nvr.events.find({ ...ALL, conditions: [none] })).length, 1);
    await nvr.close();
  });

  it('has the labels that its cameras have seen', async () => {
    const nvr = await makeNvrDatabase([
      line({ id: '1-a', label: 'car' }),
      line({ id: '2-b', label: 'dog', camera: 'back' }),
      line({ id: '3-c', label: 'cat', camera: 'back' }),
    ]);
    const labels = async (...cameras: string[]) => [...(await nvr.events.distinct('label', cameras))].sort();
    assert.deepEqual(await labels('front'), ['car']);
    assert.deepEqual(await labels('front', 'back'), ['car', 'cat', 'dog']);
    assert.deepEqual(await labels(), []);
    await nvr.close();
  });

  it('with odd rows is searched as the store is that has imported them', async () => {
    const nvr = await makeNvrDatabase([line({ id: 'good', zones: ['drive'], data: { score: 0.9 } })]);
    const writer = new DatabaseSync(nvr.path);
    const put = writer.prepare(`INSERT INTO event (id, label, camera, start_time, zones, has_clip, has_snapshot,
      retain_indefinitely, data) VALUES (?, 'car', 'front', 1, ?, 1, 1, 0, ?)`);
    const odd: [id: string, zones: string, data: string][] = [
      ['broken', '[broken', '{broken'],
      ['empty', '', ''],
      ['of another kind', '{"drive":1}', '["amazon"]'],
      [
        'mistyped',
        '["drive"]',
        '{"score":"0.9","recognized_license_plate":5,"average_estimated_speed":true,"x":"amazon"}',
      ],
    ];
    for (const row of odd) put.run(...row);
    writer.close();
    const idsOf = async (condition: EventCondition) =>
      (await nvr.events.find({ ...ALL, conditions: [condition] })).map(({ id }) => id).join(', ');
    // biome-ignore format: a table
    const questions: [condition: EventCondition, ids: string][] = [
      [{ kind: 'compared', measure: 'score', by: '>=', to: 0.5 },                      'good'],
      [{ kind: 'compared', measure: 'speed', by: '>=', to: 0 },                        ''],
      [{ kind: 'plate', isWanted: { plates: ['5'], matches: (plate) => plate !== '' }, orNone: false }, ''],
      [{ kind: 'carries', of: 'zone', names: ['drive'], orNone: false },               'mistyped, good'],
      [{ kind: 'carries', of: 'attribute', names: ['amazon'], orNone: false },         'mistyped'],
    ];
    for (const [condition, ids] of questions) assert.equal(await idsOf(condition), ids, JSON.stringify(condition));
    const rows = await nvr.events.read(['broken', 'empty', 'of another kind'], { thumbnails: true });
    assert.deepEqual(
      rows.map(({ zonesJson, dataJson }) => [zonesJson, dataJson]),
      [
        ['null', 'null'],
        ['null', 'null'],
        ['null', 'null'],
      ],
    );
    const served = await serveEvents({ source: nvr.events });
    for (const target of ['/api/events', '/api/events/explore']) {
      const shown = (await served.ask(target)).json() as { id: string; zones: unknown; data: unknown }[];
      const broken = shown.find(({ id }) => id === 'broken');
      assert.deepEqual([shown.length, broken?.zones, broken?.data], [5, [], {}], target);
    }
    await served.close();
    const imported = await copyEvents(nvr.events, { writeEvents: async () => {} });
    assert.deepEqual(imported, {
      kind: 'imported',
      read: 5,
      stored: 2,
      skipped: 3,
      skips: [
        {
          reason: 'zones is not a list of texts',
          count: 3,
          places: ['event broken', 'event empty', 'event of another kind'],
        },
      ],
    });
    await nvr.close();
  });

  it('walks the index of start times for the newest, whichever cameras are seen', async () => {
    const nvr = await makeNvrDatabase([line({ id: '1-a' })]);
    const before = readFileSync(nvr.path);
    const found = await nvr.events.find({ ...ALL, cameras: ['front', 'back'] });
    assert.deepEqual(
      found.map(({ id }) => id),
      ['1-a'],
    );
    assert.deepEqual(readFileSync(nvr.path), before);
    await nvr.close();
  });

  const refused: [sentence: string, make: (path: string) => void, message: RegExp][] = [
    [
      'that is not there',
      () => {},
      /cannot open the database of the NVR at .*: check that the file and the files beside it are there/,
    ],
    ['that is of another kind', (path) => writeFileSync(path, 'GIF89a'.repeat(1000)), /file is not a database/],
    [
      'without events',
      (path) => new DatabaseSync(path).close(),
      /cannot read .* as the database of an NVR: it has no table "event"/,
    ],
  ];
  for (const [sentence, make, message] of refused) {
    it(`${sentence} is refused with a reason`, async () => {
      const path = join(scratch.directory, `${sentence}.db`);
      make(path);
      await assert.rejects(openNvrDatabase(path), { message });
    });
  }
});
