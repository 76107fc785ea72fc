/** A question about a name that no event of these cameras has is answered from the names alone (SPEC 7). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { type EventCondition, foldCase } from '../../src/domain/events/event-question.ts';
import { parsePlates } from '../../src/domain/events/plate-patterns.ts';
import { STORE_SHAPE } from '../../src/store/events/event-shape.ts';
import { eventsPlace } from '../../src/store/events/events-table.ts';
import { isRuledOut } from '../../src/store/events/find-events.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { postgresDialect } from '../../src/store/postgres/postgres-dialect.ts';
import { sqliteDialect } from '../../src/store/sqlite/sqlite-dialect.ts';
import { event } from '../events/support/event.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { makeScratch } from './support/scratch-store.ts';

const scratch = makeScratch();
let postgres: TestPostgres;
before(async () => {
  if (!withoutPostgres) postgres = await startPostgres();
});
after(async () => {
  await postgres?.stop();
  scratch.remove();
});

/** Milliseconds: a machine that is busy with other tests is not what these are about. */
const ENOUGH = 10_000;

const EVENTS = [
  event({
    id: '1',
    camera: 'front',
    zones: ['yard', 'dr"ive'],
    sub_label: 'Anna,Bob',
    data: { recognized_license_plate: 'B-X 1' },
  }),
  event({ id: '2', camera: 'back', zones: [], sub_label: null, data: {} }),
];

const carries = (of: 'zone' | 'sub_label' | 'attribute', ...names: string[]): EventCondition => ({
  kind: 'carries',
  of,
  names: names.map(foldCase),
  orNone: false,
});
function plate(text: string): EventCondition {
  const parsed = parsePlates(text);
  assert.ok(parsed.ok);
  return parsed.value;
}

const ENGINES = { SQLite: sqliteDialect, PostgreSQL: postgresDialect };
for (const [engine, words] of Object.entries(ENGINES))
  describe(`A question is ruled out on ${engine}`, { skip: words === postgresDialect && withoutPostgres }, () => {
    let store: Store;
    before(async () => {
      store = await openStore({ url: words === sqliteDialect ? scratch.url : await postgres.newDatabase() });
      await store.writeEvents(EVENTS);
    });
    after(() => store?.close());

    // biome-ignore format: a table
    const rows: [sentence: string, condition: () => EventCondition, cameras: string[] | null, expected: boolean][] = [
    ['by a zone that no event was in',                     () => carries('zone', 'nowhere'),             null,      true],
    ['not by a zone that one was in',                      () => carries('zone', 'nowhere', 'yard'),     null,      false],
    ['not by a zone whose name is written otherwise',      () => carries('zone', 'dr"ive'),              null,      false],
    ['by a zone of other cameras',                         () => carries('zone', 'yard'),                ['back'],  true],
    ['by a sub-label that nobody has',                     () => carries('sub_label', 'carl'),           null,      true],
    ['not by one of several in one event',                 () => carries('sub_label', 'BOB'),            null,      false],
    ['by a sub-label of other cameras',                    () => carries('sub_label', 'bob'),            ['back'],  true],
    ['by a pattern that no plate has',                     () => plate('^Q.*'),                          null,      true],
    ['not by one that a plate has',                        () => plate('^B.*'),                          null,      false],
    ['by a plate of other cameras',                        () => plate('B-X 1'),                         ['back'],  true],
    ['not where events without a name are meant as well',  () => ({ ...plate('^Q.*'), orNone: true }) as EventCondition, null, false],
    ['not by what no index has the names of',              () => carries('attribute', 'nothing'),        null,      false],
    ['where there are no cameras',                         () => carries('zone', 'yard'),                [],        true],
  ];
    for (const [sentence, condition, cameras, expected] of rows)
      it(sentence, async () => {
        const question = {
          cameras,
          conditions: [condition()],
          sort: { key: 'date', direction: 'desc' } as const,
          limit: 10,
        };
        const place = eventsPlace(store.db, STORE_SHAPE, words);
        assert.equal(await isRuledOut(question, place, ENOUGH), expected);
        const found = await store.events.find(question);
        if (expected) assert.deepEqual(found, []);
      });

    it('by zones that an index has, without reading events', async () => {
      const zones = sql`select zones from events as e
      where e.camera = 'front' and e.zones <> '[]' and e.zones > 'x' order by e.zones limit 1`;
      const plan = await store.db.transaction().execute(async (db) => {
        if (words === sqliteDialect) return sql`explain query plan ${zones}`.execute(db);
        // Of two events all are read at once; the statement can be answered by the index alone.
        await sql`set local enable_seqscan = off`.execute(db);
        await sql`set local enable_bitmapscan = off`.execute(db);
        return sql`explain ${zones}`.execute(db);
      });
      assert.match(
        JSON.stringify(plan.rows),
        /COVERING INDEX events_camera_zones|Index Only Scan using events_camera_zones/,
      );
    });
  });
