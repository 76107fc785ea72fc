/** As a new user would: the NVR's database is imported, and every event comes by Link once, in each order (SPEC 7). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { copyEvents } from '../../src/events/import-events.ts';
import { openNvrDatabase } from '../../src/store/nvr-database.ts';
import { nvrDatabaseFile } from '../support/recorded.ts';
import { type ServedEvents, serveEvents } from './support/served-events.ts';

const NVR = nvrDatabaseFile();
const OWN = ['garage', 'Side_Gate', 'front_door'];

describe("An NVR's database that was imported", () => {
  let served: ServedEvents;
  const camerasOf = new Map<string, string>();
  before(async () => {
    served = await serveEvents({ roles: { guard: OWN } });
    const nvr = await openNvrDatabase(NVR);
    const outcome = await copyEvents(nvr.events, { writeEvents: served.store.writeEvents });
    assert.deepEqual(outcome, { kind: 'imported', read: 6000, stored: 6000, skipped: 0, skips: [] });
    await nvr.close();
    const rows = await served.store.db.selectFrom('events').select(['id', 'camera']).execute();
    for (const { id, camera } of rows) camerasOf.set(id, camera);
  });
  after(() => served.close());

  const everyId = async (query: string, role: string): Promise<string[]> => {
    const ids: string[] = [];
    let target: string | undefined = `?limit=37&include_thumbnails=0&${query}`;
    while (target !== undefined) {
      const page = await served.ask(`/api/events${target}`, { role });
      ids.push(...(page.json() as { id: string }[]).map(({ id }) => id));
      target = /<(?<next>[^>]+)>; rel="next"/.exec(String(page.headers['link'] ?? ''))?.groups?.['next'];
    }
    return ids;
  };

  for (const sort of ['date_asc', 'date_desc', 'score_asc', 'score_desc', 'speed_asc', 'speed_desc']) {
    it(`is given whole, every event once, sorted by ${sort}`, async () => {
      assert.deepEqual((await everyId(`sort=${sort}`, 'admin')).sort(), [...camerasOf.keys()].sort());
    });
  }

  it('is given to a restricted role as far as its cameras go', async () => {
    const own = [...camerasOf].filter(([, camera]) => OWN.includes(camera)).map(([id]) => id);
    assert.ok(own.length > 0 && own.length < 6000);
    assert.deepEqual((await everyId('sort=date_desc', 'guard')).sort(), own.sort());
  });
});
