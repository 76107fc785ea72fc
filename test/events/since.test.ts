/** A caller who sees no further back than a moment, at the events backend: nothing older is told, and nothing is remembered for the others (SPEC 13). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { asEvent } from '../../src/events/import-events.ts';
import { openStore } from '../../src/store/open-store.ts';
import { movableClock } from '../support/clock.ts';
import { ADMIN_PERSON, type Person } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const NOW = Date.parse('2026-11-22T12:30:00Z') / 1000;
const NORA: Person = { name: 'nora', role: 'neighbour', password: 'CobaltPassw0rd!!' };
const NEWA: Person = { name: 'newa', role: 'newcomer', password: 'CopperPassw0rd!!' };

const event = (id: string, start: number, word: string) => ({
  id,
  camera: 'garden',
  label: `${word}-cat`,
  sub_label: `${word}-name`,
  start_time: start,
  end_time: start + 5,
  zones: [],
  has_clip: true,
  has_snapshot: true,
  false_positive: false,
  retain_indefinitely: false,
  plus_id: null,
  thumbnail: Buffer.from('\x89PNG').toString('base64'),
  model_hash: null,
  detector_type: null,
  model_type: null,
  data: { recognized_license_plate: `${word}-plate`, type: 'object' },
});

let at: Runtime;
const tokens: Record<string, string> = {};

before(async () => {
  const roles = {
    neighbour: { cameras: ['garden'], history_since: '7d' },
    newcomer: { cameras: ['garden'], history_since: 'grant' },
  };
  at = await startInstance({
    clock: movableClock(NOW * 1000),
    config: { events: { source: 'store' }, nvr: { cameras: ['garden'] }, auth: { roles } },
    people: [ADMIN_PERSON, NORA, NEWA],
  });
  const store = await openStore({ url: `sqlite:${at.directory}/postern.db` });
  const rows = [
    event('1700000001.5-aaaaa1', 1_700_000_001.5, 'old'),
    event(`${NOW - 3600}.5-bbbbb2`, NOW - 3599.5, 'new'),
    event(`${NOW + 60}.5-ccccc3`, NOW + 60.5, 'next'),
  ];
  await store.writeEvents(
    rows.map((row) => {
      const parsed = asEvent(row);
      return parsed.ok ? parsed.value : assert.fail(JSON.stringify(parsed.error));
    }),
  );
  await store.close();
  for (const person of [ADMIN_PERSON, NORA, NEWA]) tokens[person.name] = await at.logIn(person);
});
after(() => at.close());

async function told(who: string, path: string): Promise<string> {
  const answer = await at.ask(path, { token: tokens[who] ?? '' });
  const text = await answer.text();
  return answer.status === 200
    ? [...new Set(text.match(/old|new|next/g) ?? [])].sort().join(' ')
    : String(answer.status);
}

const LISTS = [
  '/api/events',
  '/api/events?after=0&sort=date_asc',
  '/api/events/explore',
  '/api/events/summary',
  '/api/labels',
  '/api/labels?camera=garden',
  '/api/sub_labels',
  '/api/sub_labels?split_joined=1',
  '/api/recognized_license_plates',
];

describe('The events of a store', () => {
  for (const path of LISTS)
    it(`${path}: of a week, since the account was made, and all of them, in any order`, async () => {
      assert.equal(await told('admin', path), 'new next old');
      assert.equal(await told('nora', path), 'new next');
      assert.equal(await told('newa', path), 'next');
      assert.equal(await told('admin', path), 'new next old');
      assert.equal(await told('nora', path), 'new next');
    });

  it('by id: what is older is refused as what is not there', async () => {
    const [old, recent, next] = ['1700000001.5-aaaaa1', `${NOW - 3600}.5-bbbbb2`, `${NOW + 60}.5-ccccc3`];
    for (const path of ['/api/events/ID', '/api/events/ID/thumbnail.png', '/api/event_ids?ids=ID']) {
      const statuses = async (who: string) =>
        Promise.all(
          [old, recent, next].map(
            async (id) => (await at.ask(path.replace('ID', id), { token: tokens[who] ?? '' })).status,
          ),
        );
      assert.deepEqual(await statuses('admin'), [200, 200, 200], path);
      assert.deepEqual(await statuses('nora'), [403, 200, 200], path);
      assert.deepEqual(await statuses('newa'), [403, 403, 200], path);
    }
  });
});
