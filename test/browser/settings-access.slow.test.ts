/** Settings: who sees which camera and why, as an admin works with it (SPEC 4, 8). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Role, UserName } from '../../src/domain/names.ts';
import { openStore } from '../../src/store/open-store.ts';
import { ADMIN_PERSON } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import type { Runtime } from '../support/start-instance.ts';
import { axeFindings, skip, visit } from './support/browser.ts';
import { startPagesInstance } from './support/pages-instance.ts';
import { act, openSettings, record, said } from './support/settings-page.ts';

describe('Settings of access', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance();
  });
  after(() => instance.close());

  it('says why a person does not see a camera, changes it, and shows what the person sees, with nothing to change', (t) =>
    visit(t, {}, async (page) => {
      await openSettings(page, instance, 'access');
      await page.getByLabel('Person', { exact: true }).selectOption('carl');
      await page.getByLabel('Camera', { exact: true }).selectOption('cam2');
      await page.getByText('No: role front_only has cam1 only.').waitFor();
      assert.deepEqual(await axeFindings(page), []);
      await page.getByRole('button', { name: 'View as carl' }).click();
      await page.getByText('You see Explore as carl sees it.').waitFor();
      await page.locator('.event').first().waitFor();
      assert.deepEqual(await axeFindings(page), []);
      const cameras = await page.locator('.event-where > bdi:first-child').allInnerTexts();
      assert.deepEqual([...new Set(cameras)], ['cam1']);
      await page.locator('.event').first().click();
      await page.locator('dialog.details').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Share' }).count(), 0);
      assert.equal(await page.locator('dialog.details a[href*="/api/"]').count(), 0);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Back to your own view' }).click();
      await page.getByRole('heading', { name: 'People and cameras' }).waitFor();
      // Of one camera, how many see it.
      const seers = (camera: string) => page.locator(`.access-table td:nth-child(${camera}) > .sight-all`).count();
      const all = await page.locator('.access-table tbody tr:not(.access-role)').count();
      const [first, second] = [await seers('2'), await seers('3')];
      assert.ok(second < first);
      for (const [camera, seen] of [
        ['cam1', first],
        ['cam2', second],
      ] as const) {
        await page.getByRole('searchbox', { name: 'Search cameras' }).fill(camera);
        await page.getByText(new RegExp(`^${seen} of ${all} people sees? ${camera}\\.$`)).waitFor();
      }
      await page.getByRole('button', { name: 'carl', exact: true }).click();
      await page.getByRole('button', { name: 'View as carl' }).click();
      await page.getByText('You see Explore as carl sees it.').waitFor();
      // It ends with the page, and no address begins it.
      await page.reload();
      await page.getByText('This is your own view again').waitFor();

      await page.goto(`${instance.url}/postern/settings/access`);
      await page.getByLabel('Person', { exact: true }).selectOption('carl');
      await page.getByLabel('Camera', { exact: true }).selectOption('cam2');
      await page.getByRole('button', { name: 'Change role' }).click();
      await page.getByLabel('Role', { exact: true }).selectOption('viewer');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Yes: role viewer sees all cameras.').waitFor();
      await page.getByRole('button', { name: 'Change role' }).click();
      await page.getByLabel('Role', { exact: true }).selectOption('front_only');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('No: role front_only has cam1 only.').waitFor();
    }));

  it('shows a person with a role of the configuration file one camera more, by a role of the own cameras, at 390 px', (t) =>
    visit(t, { viewport: { width: 390, height: 844 }, hasTouch: true }, async (page) => {
      const admin = await instance.logIn(ADMIN_PERSON);
      const grandma = { username: 'grandma', password: 'MagnesiumLamp77!', role: 'front_only' };
      assert.equal((await sendJson(instance, '/api/users', grandma, admin)).status, 200);
      await openSettings(page, instance, 'access');
      await page.getByLabel('Person', { exact: true }).selectOption('grandma');
      await page.getByLabel('Camera', { exact: true }).selectOption('cam2');
      await page.getByText('No: role front_only has cam1 only.').waitFor();
      await page.getByRole('button', { name: 'Change role' }).click();
      const dialog = page.getByRole('dialog', { name: 'Role of grandma' });
      // It begins with what the person sees now.
      for (const name of ['Only selected cameras', 'cam2']) await dialog.getByRole('switch', { name }).click();
      assert.deepEqual(await axeFindings(page), []);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText(/^Yes: role grandma has/).waitFor();
      const own = async () => {
        const roles = (await (await instance.ask('/api/roles', { token: admin })).json()) as { role: string }[];
        return roles.filter(({ role }) => role.startsWith('grandma'));
      };
      const [made, ...more] = await own();
      assert.deepEqual([made, more], [{ ...made, role: 'grandma', source: 'store', cameras: ['cam1', 'cam2'] }, []]);
      // The second time it is this role that changes, and what else limits it stays.
      const limited = { cameras: ['cam1', 'cam2'], deny: ['history'], hours: ['Mon-Fri 08:00-18:00'] };
      assert.equal((await sendJson(instance, '/api/roles/grandma', limited, admin, 'PUT')).status, 200);
      await openSettings(page, instance, 'users');
      await act(page, 'Change role', 'grandma');
      for (const name of ['Only selected cameras', 'cam2']) await dialog.getByRole('switch', { name }).click();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'hidden' });
      const now = await own();
      assert.deepEqual(now, [{ ...now[0], ...limited, role: 'grandma', cameras: ['cam1'] }]);
      for (const [path, name] of [
        ['/api/users/delete', 'grandma'],
        ['/api/roles/delete', 'grandma'],
      ] as const)
        assert.equal((await sendJson(instance, path, { name }, admin)).status, 200);
    }));

  it('shows which provider gives a role, keeps the role, and gives it back', (t) =>
    visit(t, {}, async (page) => {
      const store = await openStore({ url: `sqlite:${instance.directory}/postern.db` });
      const walt = {
        name: 'walt' as UserName,
        role: 'front_only' as Role,
        roleSource: 'home',
        hasNoPassword: true,
      } as const;
      const account = { ...walt, passwordHash: '', passwordChangedAt: null, createdAt: 1_700_000_000 };
      const signIn = { provider: 'home', issuer: 'https://id.example.com', subject: 'w', user: walt.name };
      await store.signIns.addUserWithSignIn(account, { ...signIn, connectedAt: 1, lastUsedAt: 1 });
      await openSettings(page, instance, 'users');
      await record(page, walt.name).locator('td').getByText('from home').first().waitFor();
      assert.deepEqual(await axeFindings(page), []);
      await act(page, 'Keep this role', walt.name);
      await page.getByRole('button', { name: 'Keep this role', exact: true }).click();
      await said(page, 'walt keeps the role front_only.');
      assert.equal((await store.accounts.findUser(walt.name))?.roleSource, undefined);
      await act(page, 'Role from the provider', walt.name);
      await page.getByRole('button', { name: 'Role from the provider', exact: true }).click();
      await said(page, 'The provider decides the role of walt from the next login on.');
      await record(page, walt.name).locator('td').getByText('from home').first().waitFor();
      await store.accounts.deleteUser(walt.name);
      await store.close();
    }));
});
