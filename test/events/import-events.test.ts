/** Files of events into a real store: whole, cut, foreign and again (SPEC 1). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { type ImportOutcome, importEvents, type Skipped, splitEvents } from '../../src/events/import-events.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { makeScratch } from '../store/support/scratch-store.ts';
import { recordedEvents, recordedLines, recordedStream } from '../support/recorded.ts';
import { event, FIVE } from './support/event.ts';

const scratch = makeScratch();
let store: Store;
before(async () => {
  store = await openStore({ url: scratch.url });
});
after(async () => {
  await store.close();
  scratch.remove();
});
beforeEach(() => store.db.deleteFrom('events').execute());

async function* inPieces(text: string | Buffer, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const importText = (text: string | Buffer): Promise<ImportOutcome> =>
  importEvents(inPieces(text), { writeEvents: store.writeEvents });

const storedIds = async (): Promise<string> =>
  (await store.db.selectFrom('events').select('id').orderBy('id').execute()).map(({ id }) => id).join(' ');

/** Everything that is stored, in one value that can be compared. */
const everything = () => store.db.selectFrom('events').selectAll().orderBy('id').execute();

const lines = FIVE.map((one) => JSON.stringify(one)).join('\n');
const imported = (read: number, stored = read, ...skips: Skipped[]): ImportOutcome => ({
  kind: 'imported',
  read,
  stored,
  skipped: read - stored,
  skips,
});

const skipped = (reason: string, ...places: string[]): Skipped => ({ reason, count: places.length, places });

describe('An import of events', () => {
  // biome-ignore format: a table
  const shapes: [sentence: string, text: string][] = [
    ['reads lines',                             lines],
    ['reads lines with a newline at the end',   `${lines}\n`],
    ['reads lines with blank ones and returns', `\n\r\n${lines.replaceAll('\n', '\r\n\n')}`],
    ['reads lines behind a byte order mark',    `\ufeff${lines}`],
    ['reads an array',                          JSON.stringify(FIVE)],
    ['reads an array over many lines',          ` ${JSON.stringify(FIVE, null, 2)}\n`],
  ];
  for (const [sentence, text] of shapes) {
    it(sentence, async () => {
      assert.deepEqual(await importText(text), imported(5));
      const stored = await store.events.read(
        FIVE.map(({ id }) => id),
        { thumbnails: true },
      );
      const records = stored.map(({ zonesJson, dataJson, ...plain }) => ({
        ...plain,
        zones: JSON.parse(zonesJson),
        data: JSON.parse(dataJson),
      }));
      assert.deepEqual(records, FIVE);
    });
  }

  const minimal = { id: 'm', label: 'car', camera: 'front', start_time: 1, has_clip: 1, has_snapshot: 0 };
  const line = (more: Record<string, unknown>) => JSON.stringify({ ...minimal, ...more });

  // biome-ignore format: a table
  const odd: [sentence: string, text: string, outcome: ImportOutcome, ids: string][] = [
    ['takes what older answers lack for absent',   line({}),                                       imported(1), 'm'],
    ['lets further fields fall away',              line({ top_score: 0.5, box: [1] }),             imported(1), 'm'],
    ['takes the last of two of one id',            `${line({})}\n${line({ label: 'dog' })}`,       imported(2), 'm'],
    ['reads nothing from an empty file',           '',                                             imported(0), ''],
    ['reads nothing from an empty array',          '[ ]',                                          imported(0), ''],
    ['skips what is no JSON',                      `${line({})}\n{"id":\n`,                        imported(2, 1, skipped('not JSON', 'line 2')), 'm'],
    ['skips what is no object',                    `[5, "x", null, ${line({})}]`,                  imported(4, 1, skipped('not an object', 'event 1', 'event 2', 'event 3')), 'm'],
    ['skips an event without an id',               line({ id: undefined }),                        imported(1, 0, skipped('id is missing', 'line 1')), ''],
    ['skips an event with an empty camera',        line({ camera: '' }),                           imported(1, 0, skipped('camera is not a text', 'line 1')), ''],
    ['skips a time that is a text',                line({ start_time: '1' }),                      imported(1, 0, skipped('start_time is not a number', 'line 1')), ''],
    ['skips zones that are no list of texts',      line({ zones: [1] }),                           imported(1, 0, skipped('zones is not a list of texts', 'line 1')), ''],
    ['skips data that is a list',                  line({ data: [] }),                             imported(1, 0, skipped('data is not an object', 'line 1')), ''],
    ['skips a time beyond every calendar',         `${line({ start_time: 1e308 })}\n${line({ start_time: -1e12 })}\n${line({})}`, imported(3, 1, skipped('start_time is not a time of the years 1 to 9999', 'line 1', 'line 2')), 'm'],
    ['skips an end that is no time',               `${line({ end_time: 253_402_300_800 })}`,       imported(1, 0, skipped('end_time is not a time of the years 1 to 9999', 'line 1')), ''],
    ['skips half a letter and NUL in a text',      `${line({ label: '\ud800' })}\n${line({ camera: 'a\0' })}\n${line({ zones: ['\udc00'] })}\n${line({})}`, imported(4, 1, skipped('label is not plain text', 'line 1'), skipped('camera is not plain text', 'line 2'), skipped('zones is not plain text', 'line 3')), 'm'],
    ['skips names that are longer than any',       `${line({ id: 'a'.repeat(257) })}\n${line({})}`, imported(2, 1, skipped('id is longer than 256 letters', 'line 1')), 'm'],
    ['skips zones without end',                    `[${line({ zones: Array(1001).fill('a') })},${line({})}]`, imported(2, 1, skipped('zones has more than 1000 members', 'event 1')), 'm'],
    ['skips data that is nested without end',      `${line({ data: 5 }).replace('5', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`)}\n[${'['.repeat(100_000)}\n${line({})}`, imported(3, 1, skipped('nested too deeply', 'line 1', 'line 2')), 'm'],
    ['says where an array is cut',                 `[${line({})}, {"id": "n"`,                     imported(2, 1, skipped('the file ends before the array does', 'event 2')), 'm'],
    ['says what stands behind an array',           `[${line({})}] ${line({ id: 'n' })}`,           imported(2, 1, skipped('stands behind the array', 'event 2')), 'm'],
  ];
  for (const [sentence, text, outcome, ids] of odd) {
    it(sentence, async () => {
      assert.deepEqual(await importText(text), outcome);
      assert.equal(await storedIds(), ids);
    });
  }

  it('writes null for the NaN of an old NVR, and leaves texts alone that look like it', async () => {
    const text = `${line({ label: 'NaN' }).slice(0, -1)},"data":{"score":NaN,"path":[-Infinity,1],"say":"\\"NaN\\" NaN"}}`;
    assert.deepEqual(await importText(text), imported(1));
    const [stored] = await everything();
    assert.equal(stored?.data, '{"score":null,"path":[null,1],"say":"\\"NaN\\" NaN"}');
    assert.deepEqual([stored?.label, stored?.score], ['NaN', null]);
  });

  for (const [kind, bytes] of [
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3])],
    ['a text', Buffer.from('Dear Sir,')],
  ] as const) {
    it(`takes nothing from ${kind}`, async () => {
      assert.deepEqual(await importText(bytes), {
        kind: 'not-events',
        reason: 'it begins with neither "{" nor "[", so it is not JSON',
      });
    });
  }

  it('counts all that it skips for a reason, and names the first five of each', async () => {
    const outcome = await importText(`${'{}\n'.repeat(20)}${'{\n'.repeat(7)}`);
    const places = (from: number) => [0, 1, 2, 3, 4].map((more) => `line ${from + more}`);
    const missing = { reason: 'id is missing', count: 20, places: places(1) };
    assert.deepEqual(outcome, imported(27, 0, missing, { reason: 'not JSON', count: 7, places: places(21) }));
  });

  it('brings the recorded events in, camera by camera', async () => {
    const outcome = await importEvents(recordedStream(), { writeEvents: store.writeEvents });
    assert.deepEqual(outcome, imported(6000));
    const inFile: Record<string, number> = {};
    for (const one of recordedLines()) {
      const camera = /"camera":"([^"]+)"/.exec(one)?.[1] ?? '';
      inFile[camera] = (inFile[camera] ?? 0) + 1;
    }
    const rows = await store.db
      .selectFrom('events')
      .select(['camera', sql<number>`count(*)`.as('events')])
      .groupBy('camera')
      .execute();
    assert.deepEqual(Object.fromEntries(rows.map(({ camera, events }) => [camera, events])), inFile);
  });

  it('that was broken off and is run again leaves the same as one that ran through', async () => {
    const text = recordedEvents();
    await importText(text.subarray(0, 100_000));
    await importEvents(inPieces(text, 65_536), { writeEvents: store.writeEvents });
    const resumed = await everything();
    await store.db.deleteFrom('events').execute();
    await importEvents(inPieces(text, 65_536), { writeEvents: store.writeEvents });
    assert.deepEqual(resumed, await everything());
  });

  it('keeps whole batches when writing fails, and says why it ended', async () => {
    let batches = 0;
    const failing = importEvents(recordedStream(), {
      writeEvents: async (events) => {
        if (++batches === 3) throw new Error('disk full');
        await store.writeEvents(events);
      },
    });
    await assert.rejects(failing, /disk full/);
    assert.equal((await everything()).length, 1000);
  });
});

describe('Splitting a file into events', () => {
  const split = async (text: string, size: number): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const item of splitEvents(inPieces(text, size)))
      found.push(item.kind === 'event' ? JSON.parse(item.text) : item);
    return found;
  };
  const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ noUnicodeString: false })), { maxLength: 6 });

  it('finds the elements of any array, wherever it is cut into pieces', () =>
    fc.assert(
      fc.asyncProperty(objects, fc.integer({ min: 1, max: 9 }), fc.constantFrom(0, 1), async (list, size, indent) => {
        assert.deepEqual(await split(JSON.stringify(list, null, indent), size), JSON.parse(JSON.stringify(list)));
      }),
    ));

  it('finds the lines of any NDJSON, wherever it is cut into pieces', () =>
    fc.assert(
      fc.asyncProperty(objects, fc.integer({ min: 1, max: 9 }), async (list, size) => {
        const text = list.map((one) => JSON.stringify(one)).join('\n');
        assert.deepEqual(await split(text, size), JSON.parse(JSON.stringify(list)));
      }),
    ));

  it('survives any bytes', () =>
    fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', ',', 'a', '\n') }),
        async (text) => {
          for await (const item of splitEvents(inPieces(`[${text}`, 3)))
            assert.ok(item.kind === 'event' || item.kind === 'unreadable');
        },
      ),
    ));
});

it('An event with every field at its edge comes back as it was', async () => {
  const edge = event({
    id: 'ü"\\\u0001',
    camera: 'a b',
    zones: ['the "den"', 'a,b', ''],
    start_time: 1_794_776_423.926083,
    end_time: null,
    false_positive: true,
    data: { nested: { deep: [null, 'x', 1e300] }, __proto__x: 1 },
  });
  assert.deepEqual(await importText(JSON.stringify(edge)), imported(1));
  const [stored] = await store.events.read([edge.id], { thumbnails: false });
  assert.deepEqual(
    [stored?.start_time, JSON.parse(stored?.zonesJson ?? ''), JSON.parse(stored?.dataJson ?? '')],
    [edge.start_time, edge.zones, edge.data],
  );
});
