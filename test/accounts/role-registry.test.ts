import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createRoleRegistry } from '../../src/accounts/roles/roles.ts';
import { createStoreGrace } from '../../src/accounts/sessions/store-grace.ts';
import type { CustomRoles } from '../../src/domain/camera-scope.ts';
import type { Role } from '../../src/domain/names.ts';
import { until } from '../support/until.ts';
import { IN_FORCE, openInstanceStore, ROLES } from './support/people.ts';
import { tempDirectory } from './support/temp-directory.ts';

const GUARD = { role: 'guard' as Role, cameras: ['street'] };

async function book(t: TestContext) {
  const directory = tempDirectory(t);
  const store = await openInstanceStore(t, directory);
  const told: CustomRoles[] = [];
  let reads = 0;
  const counted = {
    listRoles: () => {
      reads += 1;
      return store.roles.listRoles();
    },
  };
  const onChange = (roles: CustomRoles): void => void told.push(roles);
  const grace = createStoreGrace({ version: store.version });
  const roleRegistry = createRoleRegistry({ store: counted, fixed: IN_FORCE, grace, onChange });
  return { directory, store, told, reads: () => reads, ...roleRegistry };
}

const shown = (roles: CustomRoles) => Object.fromEntries(roles);

describe('The custom roles', () => {
  it('are those of the file and those made here', async (t) => {
    const { store, latest, current } = await book(t);
    await store.roles.changeRoles({ saved: [GUARD], deleted: [] });
    const both = { gardener: ['garden', 'patio_*'], guard: ['street'] };
    assert.deepEqual([shown(current()), shown(await latest()), shown(current())], [shown(ROLES), both, both]);
  });

  it('are the file’s where both have one of a name', async (t) => {
    const { store, latest } = await book(t);
    await store.roles.changeRoles({ saved: [{ role: 'gardener' as Role, cameras: ['street'] }], deleted: [] });
    assert.deepEqual(shown(await latest()), shown(ROLES));
  });

  it('are read once for each change, and each listener is called once', async (t) => {
    const { store, latest, reads, told } = await book(t);
    await latest();
    await latest();
    assert.deepEqual([reads(), told.length], [1, 0]);
    await store.roles.changeRoles({ saved: [GUARD], deleted: [] });
    await latest();
    await latest();
    assert.deepEqual([reads(), told.map(shown)], [2, [{ gardener: ['garden', 'patio_*'], guard: ['street'] }]]);
  });

  it('are read again when another process has changed them', { timeout: 300_000 }, async (t) => {
    const { directory, store, latest } = await book(t);
    await latest();
    const before = store.version();
    const other = await openInstanceStore(t, directory);
    await other.roles.changeRoles({ saved: [GUARD], deleted: [] });
    await until('the version of the store rises', () => store.version() !== before);
    assert.deepEqual((await latest()).get('guard' as Role), ['street']);
  });

  it('of a file that was read again hold at once, above those made here, and listeners are told', async (t) => {
    const { store, latest, current, renew, told, reads } = await book(t);
    await store.roles.changeRoles({ saved: [GUARD], deleted: [] });
    await latest();
    renew({ ...IN_FORCE, cameras: new Map([['guard' as Role, ['garage']]]) });
    assert.deepEqual(shown(current()), { guard: ['garage'] });
    renew(IN_FORCE);
    const both = { gardener: ['garden', 'patio_*'], guard: ['street'] };
    assert.deepEqual([shown(current()), shown(await latest()), reads()], [both, both, 1]);
    renew(IN_FORCE);
    assert.deepEqual(told.map(shown), [both, { guard: ['garage'] }, both]);
  });
});
