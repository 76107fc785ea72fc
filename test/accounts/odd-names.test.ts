/** Names that no path can hold, and twins of case: none is made on any way, and those that exist can be removed (SPEC 4.3). */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { Role } from '../../src/domain/names.ts';
import { openStore } from '../../src/store/open-store.ts';
import { ADMIN_PERSON } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import { startInstance } from '../support/start-instance.ts';
import { person } from './support/people.ts';

const at = await startInstance({ config: { nvr: { cameras: ['cam1'] } } });
after(() => at.close());
const admin = await at.logIn(ADMIN_PERSON);
const send = async (method: string, path: string, body: object): Promise<number> =>
  (await sendJson(at, path, body, admin, method)).status;
const names = async (path: string, key: string): Promise<string[]> =>
  ((await (await at.ask(path, { token: admin })).json()) as Record<string, string>[]).map((row) => row[key] ?? '');

describe('A name that is odd', () => {
  for (const name of [
    '.',
    '..',
    'Admin',
    'ADMIN',
    'ANONYMOUS',
    'Anonymous',
    'Vera',
    'VERA',
    'ｖera',
    've\u0301ra',
    '%2e',
  ])
    it(`is none for a user, nor for an invitation: ${name}`, async () => {
      const before = await names('/api/users', 'username');
      const password = 'CalciumCandle55?';
      assert.equal(await send('POST', '/api/users', { username: name, password, role: 'viewer' }), 400);
      const invited = await send('POST', `/api/users/${encodeURIComponent(name)}/invitation`, { role: 'viewer' });
      assert.ok(invited >= 400 && invited < 500, `${invited}`);
      assert.deepEqual(await names('/api/users', 'username'), before);
    });

  it('is none for a role', async () => {
    const config_data = (name: string) => ({ config_data: { auth: { roles: { [name]: ['cam1'] } } } });
    const before = await names('/api/roles', 'role');
    for (const name of ['Admin', 'VIEWER', 'Front_Only'])
      assert.equal(await send('PUT', '/api/config/set', config_data(name)), 400, name);
    assert.deepEqual(await names('/api/roles', 'role'), before);
  });

  it('does not keep a user or a role from being removed', async (t) => {
    const roles = ['.', '..'] as Role[];
    const store = await openStore({ url: `sqlite:${at.directory}/postern.db` });
    t.after(() => store.close());
    // As former versions made them: today none is made beside a user whose name differs in case only.
    for (const name of ['.', '..', 'Admin', 'ANONYMOUS']) {
      await store.accounts.addUser(await person(`made_${name}`));
      await store.db.updateTable('users').set({ name }).where('name', '=', `made_${name}`).execute();
    }
    await store.roles.changeRoles({ saved: roles.map((role) => ({ role, cameras: ['cam1'] })), deleted: [] });
    for (const name of ['.', '..', 'Admin', 'ANONYMOUS']) {
      assert.equal(await send('POST', '/api/users/delete', { name }), 200, name);
      assert.equal(await send('POST', '/api/users/delete', { name }), 404, name);
    }
    for (const name of roles) assert.equal(await send('POST', '/api/roles/delete', { name }), 200, name);
    assert.deepEqual((await names('/api/users', 'username')).sort(), ['admin', 'carl', 'vera']);
    assert.doesNotMatch((await names('/api/roles', 'role')).join(' '), /\./);
  });

  it('is removed by admins alone, with a body, and never the admin', async () => {
    const viewer = await at.logIn({ name: 'vera', role: 'viewer', password: 'ZincPassw0rd!!!' });
    for (const path of ['/api/users/delete', '/api/roles/delete']) {
      assert.equal((await sendJson(at, path, { name: 'carl' }, viewer)).status, 403);
      assert.equal((await sendJson(at, path, { name: 'carl' })).status, 401);
      assert.equal(await send('POST', path, {}), 422);
    }
    assert.equal(await send('POST', '/api/users/delete', { name: 'admin' }), 403);
  });
});
