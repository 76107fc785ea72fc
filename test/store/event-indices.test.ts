/** Pages in any order come straight from an index: nothing is sorted, however many events are equal (SPEC 7). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { makeScratch } from './support/scratch-store.ts';

const scratch = makeScratch();
let store: Store;
before(async () => {
  store = await openStore({ url: scratch.url });
});
after(async () => {
  await store.close();
  scratch.remove();
});

// biome-ignore format: a table
const orders: [order: string, index: string][] = [
  ['score asc, id asc',   'events_score_id'],
  ['score desc, id desc', 'events_score_id'],
  ['speed asc, id asc',   'events_speed_id'],
  ['speed desc, id desc', 'events_speed_id'],
];

describe('The store has an index for events', () => {
  for (const [order, index] of orders) {
    it(`by ${order}`, async () => {
      const { rows } = await sql<{ detail: string }>`
        explain query plan select id from events order by ${sql.raw(order)} limit 10`.execute(store.db);
      assert.deepEqual(
        rows.map(({ detail }) => detail),
        [`SCAN events USING COVERING INDEX ${index}`],
      );
    });
  }
});
