/** Settings: users and what their rows say, as an admin works with them (SPEC 4, 8). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ADMIN_PERSON } from '../support/people.ts';
import type { Runtime } from '../support/start-instance.ts';
import { axeFindings, hasCount, skip, visit } from './support/browser.ts';
import { menu, startPagesInstance } from './support/pages-instance.ts';
import { act, openSettings, record, said } from './support/settings-page.ts';

describe('Settings of users', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance();
  });
  after(() => instance.close());

  it('makes a user, changes role, validity and password, and deletes the user again', (t) =>
    visit(t, { expectedStatuses: [400] }, async (page) => {
      const dora = { name: 'dora', role: 'viewer', password: 'LonelyPassw0rd!!!' };
      await openSettings(page, instance, 'users');
      await page.getByRole('button', { name: 'Add user' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add user' });
      await dialog.getByLabel('Name').fill('not/a name');
      await dialog.getByLabel('Password', { exact: true }).fill('short');
      await dialog.getByRole('button', { name: 'Add user' }).click();
      await dialog.getByText('Use 1 to 30 letters, digits, dots and underscores.').waitFor();
      await dialog.getByText('Choose a role.').waitFor();
      await dialog.getByLabel('Role', { exact: true }).selectOption(dora.role);
      await dialog.getByLabel('Name').fill('vera');
      await dialog.getByRole('button', { name: 'Add user' }).click();
      await dialog.getByText('This user name is already taken.').waitFor();
      await dialog.getByLabel('Name').fill(dora.name);
      await dialog.getByRole('button', { name: 'Add user' }).click();
      await dialog.getByText('Use at least 12 characters.').waitFor();
      const wrong = dialog.getByLabel('Password', { exact: true });
      await dialog.locator('input:focus[aria-invalid=true]').waitFor();
      const described =
        '[document.activeElement.ariaInvalid, document.activeElement.ariaDescribedByElements[0].innerText]';
      assert.deepEqual(await page.evaluate(described), ['true', 'Use at least 12 characters.']);
      assert.equal(await wrong.getAttribute('aria-invalid'), 'true');
      await dialog.getByLabel('Password', { exact: true }).fill(dora.password);
      await dialog.getByRole('button', { name: 'Add user' }).click();
      await said(page, 'User dora created.');
      await instance.logIn(dora);

      await act(page, 'Change role', 'dora');
      await page.getByLabel('Role', { exact: true }).selectOption('front_only');
      await page.getByRole('button', { name: 'Save' }).click();
      await said(page, 'Role of dora changed to front_only.');
      await record(page, 'dora').getByText('front_only').waitFor();

      await act(page, 'Validity', 'dora');
      const validity = page.getByRole('dialog', { name: 'Validity of dora' });
      await validity.getByLabel('Valid from').fill('2040-05-01T08:00');
      await validity.getByLabel('Valid until').fill('2040-04-01T08:00');
      await validity.getByRole('button', { name: 'Save' }).click();
      await validity.getByText('The end must be later than the beginning.').waitFor();
      await validity.getByLabel('Valid until').fill('2040-05-08T08:00');
      await validity.getByRole('button', { name: 'Save' }).click();
      await said(page, 'The validity of dora was changed.');
      await record(page, 'dora').locator('td').getByText('valid from 1 May 2040').waitFor();
      await act(page, 'Validity', 'dora');
      assert.equal(await validity.getByLabel('Valid until').inputValue(), '2040-05-08T08:00');
      for (const label of ['Valid from', 'Valid until']) await validity.getByLabel(label).fill('');
      await validity.getByRole('button', { name: 'Save' }).click();
      await record(page, 'dora').locator('td').getByText('valid from 1').waitFor({ state: 'detached' });

      await act(page, 'Set password', 'dora');
      await page.getByRole('button', { name: 'Generate' }).click();
      const password = await page.getByLabel('New password', { exact: true }).inputValue();
      await page.getByRole('button', { name: 'Save' }).click();
      await said(page, 'Password of dora changed.');
      await instance.logIn({ ...dora, password });

      await act(page, 'Delete', 'dora');
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await said(page, 'User dora deleted.');
      await record(page, 'dora').waitFor({ state: 'detached' });
      await assert.rejects(instance.logIn({ ...dora, password }), /401/);
    }));

  it('keeps the last admin, and says why', (t) =>
    visit(t, {}, async (page) => {
      await openSettings(page, instance, 'users');
      await menu(page, 'Actions: admin').click();
      assert.equal(await page.getByRole('button', { name: 'Delete: admin' }).isDisabled(), true);
      assert.equal(await page.getByRole('button', { name: 'Change role: admin' }).isDisabled(), true);
      assert.match(await record(page, 'admin').innerText(), /Always admin/);
    }));

  it('sorts, searches and pages sixty users, keeps forty cameras of a role in one line, and fits a phone', (t) =>
    visit(t, { viewport: { width: 1440, height: 900 } }, async (page) => {
      const cameras = Array.from({ length: 40 }, (_, at) => `${['garden', 'hall'][at % 2]}_${at}`);
      const users = Array.from({ length: 60 }, (_, at) => ({
        username: `person.${at}`,
        role: at % 2 === 0 ? 'guards' : 'viewer',
        ...(at < 3 && { last_login_at: 1_790_000_000 + at }),
      }));
      const guards = {
        role: 'guards',
        cameras,
        source: 'store',
        users: 30,
        deny: ['export'],
        hours: ['Fri 08:00-12:00'],
      };
      await page.route('**/api/users', (route) => route.fulfill({ json: users }));
      await page.route('**/api/roles', (route) => route.fulfill({ json: [guards] }));
      await page.route('**/api/profile', (route) =>
        route.fulfill({ json: { username: 'admin', role: 'admin', allowed_cameras: cameras } }),
      );
      const names = () => page.locator('.record-name bdi').allInnerTexts();
      const head = (name: string) => page.getByRole('columnheader', { name });
      await openSettings(page, instance, 'users');
      await page.getByText('1–25 of 60').waitFor();
      assert.deepEqual((await names()).slice(0, 3), ['person.0', 'person.1', 'person.2']);
      assert.equal(await head('User').getAttribute('aria-sort'), 'ascending');
      await head('Last login').getByRole('button').press('Enter');
      assert.deepEqual((await names()).slice(0, 3), ['person.2', 'person.1', 'person.0']);
      assert.equal(await head('Last login').getAttribute('aria-sort'), 'descending');
      // No account ends: there is nothing to say of it.
      assert.equal(await head('Validity').count(), 0);
      await page.getByRole('navigation', { name: 'Pages of the table' }).getByRole('button', { name: 'Next' }).click();
      await page.getByText('26–50 of 60').waitFor();
      await page.getByRole('searchbox', { name: 'Search: Users' }).fill('5 guards');
      await page.getByRole('status').getByText('5 of 60 entries').waitFor();
      assert.deepEqual((await names()).slice(0, 2), ['person.50', 'person.52']);
      assert.deepEqual(await axeFindings(page), []);

      await page.goto(`${instance.url}/postern/settings/roles`);
      const row = record(page, 'guards');
      assert.match(
        await row.innerText(),
        /garden 0\s*hall 1\s*garden 2\s*\+37.*May not:\s*export.*Hours:\s*Fri 08:00–12:00/s,
      );
      await row.getByRole('button', { name: 'Show all 40' }).click();
      await hasCount(row.locator('td').first().locator('.chip:not(button)'), 40);
      await page.getByRole('button', { name: 'Edit: guards' }).click();
      const dialog = page.getByRole('dialog', { name: 'Role guards' });
      await dialog.getByRole('button', { name: 'hall 20' }).click();
      await dialog.getByText('20 of 40').waitFor();
      await dialog.getByRole('searchbox', { name: 'Search cameras' }).fill('_3');
      await dialog.getByRole('button', { name: 'Choose these 11' }).click();
      await dialog.getByText('26 of 40').waitFor();
      assert.deepEqual(await axeFindings(page), []);
      await page.setViewportSize({ width: 360, height: 800 });
      for (const section of ['users', 'roles']) {
        await page.goto(`${instance.url}/postern/settings/${section}`);
        await page.locator('.record').first().waitFor();
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
        assert.deepEqual(await axeFindings(page), []);
      }
    }));

  for (const [width, rowHeight] of [
    [360, 130],
    [1080, 80],
    [1280, 120],
  ] as const) {
    it(`keeps names whole, rows low and the menu of a row in sight, on ${width} pixels`, (t) =>
      visit(t, { viewport: { width, height: 800 } }, async (page) => {
        const cameras = Array.from({ length: 40 }, (_, at) => `garden_${at}`);
        const users = Array.from({ length: 58 }, (_, at) => ({
          username: `maximilian.oberhofer.${at}`,
          role: at % 2 === 0 ? 'neighbours' : 'viewer',
          second_factor: at % 4 === 0,
          valid_until: Math.floor(Date.now() / 1000) + 200_000,
        }));
        const neighbours = { role: 'neighbours', cameras, source: 'store', users: 29 };
        await page.route('**/api/users', (route) => route.fulfill({ json: users }));
        await page.route('**/api/roles', (route) => route.fulfill({ json: [neighbours] }));
        await openSettings(page, instance, 'users');
        await page.locator('.record').nth(24).waitFor();
        const highest = (what: string): Promise<number> =>
          page.evaluate(`Math.max(...[...document.querySelectorAll('${what}')].map((one) => one.offsetHeight))`);
        assert.ok((await highest('.record-name bdi')) < 30, 'a name in two lines');
        const cut = await page.evaluate(
          `[...document.querySelectorAll('.record :is(.record-name bdi, .badge)')]
            .filter(({ scrollWidth, offsetWidth }) => scrollWidth > offsetWidth).map(({ innerText }) => innerText)`,
        );
        assert.deepEqual(cut, []);
        assert.ok((await highest('.record')) < rowHeight, `${await highest('.record')} px`);
        await menu(page, 'Actions: maximilian.oberhofer.0').click();
        const panel = await page.locator('.row-menu[open] .menu-panel').boundingBox();
        assert.ok(panel && panel.x >= 0 && panel.x + panel.width <= width);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
        await page.getByRole('button', { name: 'Change role: maximilian.oberhofer.0' }).click();
        await page.getByRole('dialog').getByLabel('Role', { exact: true }).waitFor();
      }));
  }

  it('keeps the acts of a role in the page, however long the names of its cameras and people are', (t) =>
    visit(t, { locale: 'de-DE' }, async (page) => {
      const users = Array.from({ length: 5 }, (_, at) => ({ username: `${at}${'n'.repeat(29)}`, role: 'neighbours' }));
      const cameras = Array.from({ length: 5 }, (_, at) => `camera_of_the_garden_behind_the_house_${at}`);
      const more = { source: 'store', users: 5, deny: ['export', 'talk', 'ptz'], hours: ['Mon-Fri 08:00-18:00'] };
      await page.route('**/api/users', (route) => route.fulfill({ json: users }));
      await page.route('**/api/roles', (route) => route.fulfill({ json: [{ role: 'neighbours', cameras, ...more }] }));
      await openSettings(page, instance, 'roles');
      for (const width of [320, 768, 1024, 1280, 1440, 1920]) {
        await page.setViewportSize({ width, height: 800 });
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
        const remove = await page.getByRole('button', { name: 'Löschen: neighbours' }).boundingBox();
        assert.ok(remove && remove.x + remove.width <= width, `${width} px`);
      }
    }));

  it('offers the roles that there are to whoever presses "Add user" before they have come', (t) =>
    visit(t, {}, async (page) => {
      const { promise: pressed, resolve: release } = Promise.withResolvers<void>();
      await page.route('**/api/roles', async (route) => {
        await pressed;
        await route.continue();
      });
      await openSettings(page, instance, 'users');
      await page.getByRole('button', { name: 'Add user' }).click();
      release();
      const dialog = page.getByRole('dialog', { name: 'Add user' });
      await dialog.getByLabel('Role', { exact: true }).selectOption('front_only');
    }));

  it('shows the pages of the new role to an admin who has given up the old one', (t) =>
    visit(t, {}, async (page) => {
      const eva = { name: 'eva', role: 'admin', password: 'GreenPassw0rd!!!' };
      const token = await instance.logIn(ADMIN_PERSON);
      const tell = (method: string, path: string, body?: object) =>
        instance.ask(path, {
          token,
          method,
          headers: { 'Content-Type': 'application/json' },
          ...(body ? { body: JSON.stringify(body) } : {}),
        });
      assert.equal(
        (await tell('POST', '/api/users', { username: eva.name, password: eva.password, role: eva.role })).status,
        200,
      );
      await openSettings(page, instance, 'users', eva);
      await act(page, 'Change role', 'eva');
      await page.getByLabel('Role', { exact: true }).selectOption('viewer');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Administrators only' }).waitFor();
      assert.equal(await page.getByRole('link', { name: 'Status' }).count(), 0);
      assert.equal((await tell('DELETE', '/api/users/eva')).status, 200);
    }));
});
