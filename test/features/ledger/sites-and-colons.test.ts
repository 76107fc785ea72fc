/** A camera of one site whose name looks like that of a camera of another: its records are its own (SPEC 14, 20). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type SharedStore, type Site, sharedStore } from '../../sites/support/two-sites.ts';
import { ADMIN_PERSON, type Person, VERA } from '../../support/people.ts';
import { until } from '../../support/until.ts';

const OTTO: Person = { name: 'otto', role: 'odd', password: 'TungstenPassw0rd!' };
const LEDGER = { visible_to_viewers: true };

describe('A camera that is called barn:garden, and is at the house', () => {
  let store: SharedStore;
  let house: Site;
  let barn: Site;
  before(async () => {
    store = sharedStore();
    const auth = { roles: { odd: ['barn:garden'] } };
    const people = [ADMIN_PERSON, VERA, OTTO];
    house = await store.start({ name: 'house', cameras: ['barn:garden'], people, config: { auth, ledger: LEDGER } });
    barn = await store.start({ name: 'barn', cameras: ['garden'], people: [], config: { ledger: LEDGER } });
  });
  after(() => store.close());

  it('is told with its own records, and without those of garden at the barn', async () => {
    const [admin, vera, otto] = [
      await house.postern.logIn(ADMIN_PERSON),
      await house.postern.logIn(VERA),
      await house.postern.logIn(OTTO),
    ];
    assert.equal((await barn.postern.ask('/api/garden/latest.jpg', { token: vera })).status, 200);
    assert.equal((await house.postern.ask('/api/barn:garden/latest.jpg', { token: otto })).status, 200);
    const camerasFor = async (token: string, query = '') => {
      const records = await house.postern.ask(`/api/ledger?kind=live${query}`, { token });
      return ((await records.json()) as { camera: string }[]).map(({ camera }) => camera).sort();
    };
    await until('both have written', async () => (await camerasFor(admin)).length === 2);
    assert.deepEqual(await camerasFor(otto), ['house:barn:garden']);
    assert.deepEqual(await camerasFor(otto, '&camera=barn:garden'), ['house:barn:garden']);
  });
});
