/** Events in PostgreSQL: written whatever they hold, indexed as in SQLite, and slow questions given up (SPEC 7, 10). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import pg from 'pg';
import type { EventRecord } from '../../src/domain/events/event.ts';
import { openStore } from '../../src/store/open-store.ts';
import { eventRetentionContract } from '../contracts/event-retention.ts';
import { makeScratch } from '../store/support/scratch-store.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { until } from '../support/until.ts';
import { event } from './support/event.ts';
import { type ServedEvents, serveEvents } from './support/served-events.ts';

/** What ends or escapes a field or a row of COPY. */
const HOSTILE = [
  '\\',
  '\\N',
  '\\.',
  '\t',
  '\n',
  '\r',
  '\r\n',
  '\\t',
  '"',
  "'",
  '\u2028',
  '\v',
  '\b',
  'Straße',
  '🚲',
  '',
];
const text = fc.array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'grapheme' })), { maxLength: 4 });
const hostile = text.map((parts) => parts.join('').replaceAll('\0', ''));
/** So short that a question which waits for a lock is given up soon. */
const HASTY_SECONDS = 0.3;

describe('Events in PostgreSQL', { skip: withoutPostgres }, () => {
  let server: TestPostgres;
  let url: string;
  let served: ServedEvents;
  before(async () => {
    server = await startPostgres();
    url = await server.newDatabase();
    served = await serveEvents({ storeUrl: url });
  });
  after(async () => {
    await served?.close();
    await server?.stop();
  });
  beforeEach(() => server.run('truncate events', 'store_1'));

  const stored = async (): Promise<EventRecord[]> =>
    (await served.ask('/api/events?sort=date_asc&limit=1000')).json() as EventRecord[];
  const names = async (query: string): Promise<string[]> => {
    const { rows } = await sql<{ name: string }>`${sql.raw(query)}`.execute(served.store.db);
    return rows.map(({ name }) => name).sort();
  };

  eventRetentionContract('PostgreSQL', { newStoreUrl: () => server.newDatabase() });

  it('are read as they were written, whatever text they hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(hostile, { minLength: 1, maxLength: 5 }), async (texts) => {
        const given = texts.map((one, at) =>
          event({ id: `${at}`, start_time: at, label: one, sub_label: one, data: { [one]: one }, thumbnail: one }),
        );
        await served.store.writeEvents(given);
        const found = (await stored()).slice(0, given.length);
        assert.deepEqual(
          found.map(({ label, sub_label, data }) => ({ label, sub_label, data })),
          given.map(({ label, sub_label, data }) => ({ label, sub_label, data })),
        );
      }),
      { numRuns: 50 },
    );
  });

  it('are found by zone and attribute beside ones whose text no jsonb takes, and that text may have a NUL', async () => {
    const texts = ['\ud800', '\udfff\ud800', '\\u0000', '\\', '\\\\ud800', 'a\0b\0\0', '\0'];
    const hard = texts.map((one, at) =>
      event({ id: `${at}`, start_time: at, label: one, zones: [one], data: { [one]: one, attribute: one } }),
    );
    const wanted = event({ id: 'wanted', start_time: 99, zones: ['yard'], data: { attribute: 'courier' } });
    await served.store.writeEvents([...hard, wanted]);
    for (const question of ['zones=yard', 'attributes=courier', 'zones=yard,None']) {
      const answer = await served.ask(`/api/events?${question}`);
      assert.equal(answer.status, 200, question);
      assert.deepEqual(
        (answer.json() as EventRecord[]).map(({ id }) => id),
        ['wanted'],
        question,
      );
    }
    assert.equal((await stored()).length, texts.length + 1);
  });

  it('are asked for by text with a NUL, which fails no question', async () => {
    await served.store.writeEvents([event({ id: 'n', label: 'a\0b', zones: ['yard'] }), event({ id: 'other' })]);
    const found = (await served.ask('/api/events?labels=a%00b')).json() as EventRecord[];
    assert.deepEqual(
      found.map(({ id }) => id),
      ['n'],
    );
    for (const name of ['zones', 'attributes', 'sub_labels', 'recognized_license_plate', 'event_id', 'cameras'])
      assert.equal((await served.ask(`/api/events?${name}=a%00b`)).status, 200, name);
    assert.equal((await served.ask('/api/events/a%00b')).status, 404);
    assert.equal((await served.ask('/api/event_ids?ids=a%00b')).status, 200);
  });

  it('have one row for ids that are the same once written', async () => {
    const same = ['\ud800', '\ud801'].map((id, at) => event({ id, start_time: 5, label: `${at}` }));
    await served.store.writeEvents(same);
    assert.deepEqual(
      (await stored()).map(({ label }) => label),
      ['1'],
    );
  });

  it('replace events of the same id, and the last of a batch counts', async () => {
    const write = (...starts: number[]): Promise<void> =>
      served.store.writeEvents(starts.map((start_time) => event({ id: 'same', start_time })));
    await write(1_700_000_000);
    await write(1_710_000_000, 1_720_000_000);
    assert.deepEqual(
      (await stored()).map(({ start_time }) => start_time),
      [1_720_000_000],
    );
  });

  it('are written by several at once, each once', async () => {
    const batch = Array.from({ length: 50 }, (_, at) => event({ id: `e${at}`, start_time: 1_700_000_000 + at }));
    await Promise.all([1, 2, 3, 4].map(() => served.store.writeEvents(batch)));
    assert.equal((await stored()).length, 50);
  });

  it('have the indices that they have in SQLite', async () => {
    const scratch = makeScratch();
    const store = await openStore({ url: scratch.url });
    const { rows } = await sql<{ name: string }>`
      select name from sqlite_master where type = 'index' and tbl_name = 'events' and name like 'events_%'`.execute(
      store.db,
    );
    await store.close();
    scratch.remove();
    const own = await names(
      "select indexname as name from pg_indexes where tablename = 'events' and indexname <> 'events_pkey'",
    );
    assert.deepEqual(own, rows.map(({ name }) => name).sort());
  });

  it('are found by camera and label in their index, also where the camera never saw the label', async () => {
    const { db } = served.store;
    await sql`insert into events (id, camera, label, start_time, has_clip, has_snapshot, retain_indefinitely, zones, data)
      select n::text, 'cam' || n % 4, 'label' || n % 4, n, false, false, false, '[]', '{}' from generate_series(1, 20000) as n`.execute(
      db,
    );
    await sql`analyze events`.execute(db);
    const plan = await sql`explain select id from events where camera = 'cam1' and label = 'label2'
      order by start_time desc, id desc limit 100`.execute(db);
    assert.match(JSON.stringify(plan.rows), /events_camera_label_start_time/);
  });

  it('are not waited for longer than a query may take', async (t) => {
    const hasty = await serveEvents({ storeUrl: url, queryTimeout: HASTY_SECONDS });
    t.after(() => hasty.close());
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query('begin; lock table events in access exclusive mode');
    for (const target of ['/api/events', '/api/events/summary', '/api/events/explore', '/api/labels']) {
      const answer = await hasty.ask(target);
      assert.equal(answer.status, 503, target);
      assert.match((answer.json() as { message: string }).message, /took too long/);
    }
    await other.query('rollback');
    await other.end();
    assert.deepEqual(hasty.faults, []);
    await until('an answer in time', async () => (await hasty.ask('/api/events')).status === 200);
  });
});
