/** Settings: users, roles, tokens, sessions and the trace of a request, as an admin works with them (SPEC 4, 8). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { Role, UserName } from '../../src/domain/names.ts';
import { openStore } from '../../src/store/open-store.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import type { Runtime } from '../support/start-instance.ts';
import { axeFindings, hasCount, skip, visit } from './support/browser.ts';
import { enter, menu, startPagesInstance } from './support/pages-instance.ts';

const record = (page: Page, name: string): Locator =>
  page.locator('.record').filter({ has: page.locator('.record-name', { hasText: name }) });

/** From the menu of a row. */
const act = async (page: Page, text: string, name: string): Promise<void> => {
  await menu(page, `Actions: ${name}`).click();
  await page.getByRole('button', { name: `${text}: ${name}` }).click();
};

const openSettings = async (page: Page, instance: Runtime, section: string, person = ADMIN_PERSON): Promise<void> => {
  await enter(page, instance, person, `/postern/settings/${section}`);
  await page.locator('.records-page h1').waitFor();
};

const said = (page: Page, text: string): Promise<void> => page.getByRole('status').getByText(text).waitFor();

describe('Settings', { skip }, () => {
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
      for (const name of ['Only selected cameras', 'cam1', 'cam2']) await dialog.getByRole('switch', { name }).click();
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
      for (const name of ['Only selected cameras', 'cam1']) await dialog.getByRole('switch', { name }).click();
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

      await act(page, 'Reset password', 'dora');
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

  it('makes a role by switches and a pattern, limits it, and tells what its deletion does', (t) =>
    visit(t, { expectedStatuses: [400] }, async (page) => {
      await openSettings(page, instance, 'roles');
      assert.match(await record(page, 'front_only').innerText(), /configuration file.*auth\.roles/s);
      assert.deepEqual(await record(page, 'front_only').getByRole('button').allInnerTexts(), [
        'Take over into the console',
      ]);
      await page.getByRole('button', { name: 'Add role' }).click();
      const dialog = page.getByRole('dialog', { name: 'Add role' });
      await dialog.getByLabel('Name').fill('garden.team');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('Choose at least one camera.').waitFor();
      await dialog.getByRole('switch', { name: 'cam1' }).check();
      await dialog.getByLabel('Another camera or pattern').fill('*2');
      await dialog.getByLabel('Another camera or pattern').press('Enter');
      await dialog.locator('.entry', { hasText: 'cam2' }).waitFor();
      for (const verb of ['move the camera', 'talk through the camera'])
        assert.equal(await dialog.getByRole('switch', { name: verb }).isChecked(), false, verb);
      await dialog.getByRole('switch', { name: 'export' }).uncheck();
      await dialog.getByRole('switch', { name: 'talk through the camera' }).check();
      await dialog.getByLabel('Hours as text').fill('Mon-Fri 07:00-18:00\nSat 25:00-26:00');
      await dialog.getByLabel('History limit').fill('7d');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog
        .locator('[aria-invalid="true"] + .field-fault', { hasText: 'These hours are not accepted' })
        .waitFor();
      await dialog.getByLabel('Hours as text').fill('Mo-Fr 7-18');
      await dialog.getByRole('button', { name: 'Add hours' }).click();
      const added = dialog.locator('.hours-row').nth(1);
      for (const day of ['Sat', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri'])
        await added.getByRole('button', { name: day }).click();
      await added.getByLabel('From').fill('09:00');
      await added.getByLabel('To').fill('12:00');
      await added.getByLabel('To').blur();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await said(page, 'Role garden.team saved.');
      assert.match(
        await record(page, 'garden.team').innerText(),
        /May not:\s*export, move the camera\s*Hours:\s*Mon–Fri 07:00–18:00; Sat 09:00–12:00\s*History limit:\s*7d\s*Pages:\s*The page Export of the NVR stays empty\. No links can be created\./,
      );
      assert.match(await record(page, 'garden.team').innerText(), /created here.*cam1\s*\*2.*no users/s);

      const token = await instance.logIn(ADMIN_PERSON);
      const assigned = await instance.ask('/api/users/carl/role', {
        token,
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ role: 'garden.team' }),
      });
      assert.equal(assigned.status, 200);
      await page.reload();
      await page.getByRole('button', { name: 'Edit: garden.team' }).click();
      await page.getByRole('button', { name: 'Remove *2' }).click();
      assert.equal(await page.getByRole('switch', { name: 'export' }).isChecked(), false);
      await page.getByRole('switch', { name: 'export' }).check();
      for (const label of ['Hours as text', 'History limit']) await page.getByLabel(label).fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await said(page, 'Role garden.team saved.');
      await record(page, 'garden.team').getByText('7d').waitFor({ state: 'detached' });
      assert.match(await record(page, 'garden.team').innerText(), /May not:\s*move the camera/);
      await page.getByRole('button', { name: 'Delete: garden.team' }).click();
      await page.getByText('carl will become viewer and see all cameras.').waitFor();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await said(page, 'Role garden.team deleted.');
      await record(page, 'viewer').getByText('carl').waitFor();
    }));

  it('makes a token that works, shows it once, and takes it back', (t) =>
    visit(t, {}, async (page) => {
      await openSettings(page, instance, 'tokens');
      await page.getByText('No tokens yet.').waitFor();
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByLabel('Name').fill('Home Assistant');
      await page.getByRole('switch', { name: 'Only selected cameras' }).check();
      await page.getByRole('switch', { name: 'cam2' }).check();
      await page.getByLabel('Expires').selectOption('after 30 days');
      await page.getByRole('switch', { name: 'For Home Assistant' }).check();
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('dialog', { name: 'Token created' }).waitFor();
      await page.getByText('enter the user name admin, and the token as the password').waitFor();
      const secret = await page.locator('.secret code').innerText();
      assert.match(secret, /^pst_/);
      for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'I have copied it' }).click();
      await hasCount(page.getByText(secret), 0);
      assert.match(await record(page, 'Home Assistant').innerText(), /login.*viewer.*cam2.*never/s);
      const body = JSON.stringify({ user: 'admin', password: secret });
      const login = await instance.ask('/api/login', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      assert.equal(login.status, 200);

      const events = await instance.ask('/api/events?limit=500&include_thumbnails=0', { token: secret });
      const found = (await events.json()) as { camera: string }[];
      assert.deepEqual([...new Set(found.map(({ camera }) => camera))], ['cam2']);
      await page.getByRole('button', { name: 'Revoke: Home Assistant' }).click();
      await page.getByRole('button', { name: 'Revoke', exact: true }).click();
      await said(page, 'Token Home Assistant revoked.');
      assert.equal((await instance.ask('/api/events', { token: secret })).status, 401);

      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByLabel('Name').fill('Door');
      await page.getByRole('switch', { name: 'Only to draw and open the curtain' }).check();
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      const door = await page.locator('.secret code').innerText();
      assert.equal((await instance.ask('/api/curtain', { token: door })).status, 200);
      assert.equal((await instance.ask('/api/events', { token: door })).status, 403);
    }));

  it('ends a session in another window', (t) =>
    visit(t, { expectedStatuses: [503] }, async (page) => {
      await openSettings(page, instance, 'sessions');
      // Its stream of changes ends with its session.
      const ended = [/ERR_INCOMPLETE_CHUNKED_ENCODING/];
      await visit(t, { expectedStatuses: [401], expectedErrors: ended }, async (other) => {
        await enter(other, instance, VERA);
        await other.locator('.event').first().waitFor();
        await page.reload();
        const mine = page.locator('.record', { hasText: 'this device' });
        assert.match(await mine.innerText(), /Chrome on Linux.*127\.0\.0\.1/s);
        assert.deepEqual(await mine.getByRole('button').allInnerTexts(), ['Rename']);
        const hers = page.getByRole('button', { name: 'End: Chrome on Linux, vera' });
        let isBroken = true;
        await page.route('**/api/sessions/*', (route) =>
          isBroken ? route.fulfill({ status: 503, json: { reason: 'store-unavailable' } }) : route.fallback(),
        );
        await hers.click();
        await page.getByRole('alert').getByText('The store cannot be read').waitFor();
        isBroken = false;
        await hers.click();
        await said(page, 'Session ended. vera must log in again there.');
        await hasCount(page.getByRole('alert').getByText('The store cannot be read'), 0);
        await hasCount(hers, 0);
        await other.getByRole('button', { name: 'Refresh' }).click();
        await other.waitForURL('**/login?**');
      });
    }));

  it("ends one's other sessions, and those of all users with a separate button", (t) =>
    visit(t, {}, async (page) => {
      await openSettings(page, instance, 'sessions');
      const [mine, hers] = [await instance.logIn(ADMIN_PERSON), await instance.logIn(VERA)];
      const works = async (token: string) => (await instance.ask('/api/profile', { token })).status;
      assert.deepEqual([await works(mine), await works(hers)], [200, 200]);
      await page.reload();
      await page.locator('.record-group', { hasText: 'vera' }).waitFor();
      await page.getByRole('button', { name: 'End my other sessions' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'End my other sessions' }).click();
      await said(page, 'Your other sessions have ended.');
      assert.deepEqual([await works(mine), await works(hers)], [401, 200]);
      await page.getByRole('button', { name: 'End sessions of all users' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'End sessions of all users' }).click();
      await said(page, 'The sessions of all users have ended, except this one.');
      await page.locator('.record').nth(1).waitFor({ state: 'detached' });
      assert.equal(await works(hers), 401);
    }));

  it('explains how a request would be judged', (t) =>
    visit(t, {}, async (page) => {
      await openSettings(page, instance, 'access');
      await page.getByText('Advanced: a request with method and path').click();
      await page.getByLabel('User', { exact: true }).selectOption('vera');
      await page.getByLabel('Path').fill('/api/users');
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByRole('heading', { name: 'Refused' }).waitFor();
      assert.match(await page.locator('.judgement').innerText(), /403.*role-too-low.*vera.*viewer.*GET \/api\/users/s);
      await page.getByLabel('Path').fill('/api/events?cameras=cam1');
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByRole('heading', { name: 'Allowed' }).waitFor();
      assert.match(await page.locator('.judgement').innerText(), /remote-user: vera\s+remote-role: viewer/);
      await page.getByRole('radio', { name: 'Not logged in' }).check();
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.getByText('no-credentials').waitFor();
    }));

  it('offers a viewer the own password, sessions and tokens alone, and the API refuses the rest', (t) =>
    visit(t, { expectedStatuses: [403] }, async (page) => {
      await openSettings(page, instance, '', VERA);
      const links = page.getByRole('navigation', { name: 'Settings' }).getByRole('link');
      await hasCount(links, 7);
      const sections = await links.allInnerTexts();
      const own = ['Password', 'Two-step login', 'Sessions', 'Security events', 'Links', 'Screens', 'API tokens'];
      assert.deepEqual(sections, own);
      const pages = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts();
      assert.deepEqual(pages, ['Live', 'Explore', 'Activity', 'Settings']);
      for (const path of ['settings/users', 'settings/access', 'status']) {
        await page.goto(`${instance.url}/postern/${path}`);
        await page.getByRole('heading', { name: 'Administrators only' }).waitFor();
      }
      for (const path of ['/api/users', '/api/roles', '/api/explain?path=/', '/api/status']) {
        assert.equal((await page.request.get(`${instance.url}${path}`)).status(), 403, path);
      }
      const sessions: { user: string }[] = await (await page.request.get(`${instance.url}/api/sessions`)).json();
      assert.deepEqual([...new Set(sessions.map(({ user }) => user))], ['vera']);
    }));

  it('shows how strong a new password looks, sends nothing of it meanwhile, and says why one is refused', (t) =>
    visit(t, { locale: 'de-DE', expectedStatuses: [400] }, async (page) => {
      await openSettings(page, instance, 'password', CARL);
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      const field = page.getByLabel('Neues Passwort', { exact: true });
      for (const [typed, sentence] of [
        ['wrqz', 'Verwenden Sie mindestens 12 Zeichen.'],
        ['carl hat ein Rad im Keller', 'Lassen Sie die Namen des Benutzers'],
        ['wrqzkfmVtyh7', 'Mittel: Mit einigen Zeichen mehr'],
        ['drei Igel im Garten', 'Stark, sofern'],
      ] as const) {
        await field.fill(typed);
        await page.getByRole('status').filter({ hasText: sentence }).waitFor();
      }
      assert.deepEqual(asked, []);
      await page.getByLabel('Aktuelles Passwort').fill(CARL.password);
      for (const label of ['Neues Passwort', 'Neues Passwort wiederholen'])
        await page.getByLabel(label, { exact: true }).fill('Password123456');
      await page.getByRole('button', { name: 'Passwort ändern' }).click();
      await page.getByText('Dieses Passwort wird zu häufig verwendet').waitFor();
    }));

  it('changes the own password; this session goes on, and another ends', (t) =>
    visit(t, { expectedStatuses: [401] }, async (page) => {
      const elsewhere = await instance.logIn(CARL);
      await enter(page, instance, CARL);
      await menu(page, 'Account: carl').click();
      await page.getByRole('link', { name: 'Change password' }).click();
      await page.getByLabel('Current password').fill('not the password');
      await page.getByLabel('New password', { exact: true }).fill('FreshNewPassw0rd');
      await page.getByLabel('Repeat new password').fill('something else');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('The passwords do not match.').waitFor();
      await page.getByLabel('Repeat new password').fill('FreshNewPassw0rd');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.getByText('The current password is wrong.').waitFor();
      await page.getByLabel('Current password').fill(CARL.password);
      await page.getByRole('button', { name: 'Change password' }).click();
      await said(page, 'Password changed.');
      assert.equal((await instance.ask('/api/profile', { token: elsewhere })).status, 401);
      await page.getByRole('link', { name: 'Explore', exact: true }).click();
      await page.locator('.event').first().waitFor();
    }));
});
