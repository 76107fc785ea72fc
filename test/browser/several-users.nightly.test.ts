/** Users by kind, and what is done with several of them at once (SPEC 4.3, 8). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ADMIN_PERSON } from '../support/people.ts';
import type { Runtime } from '../support/start-instance.ts';
import { axeFindings, hasCount, skip, visit } from './support/browser.ts';
import { enter, startPagesInstance } from './support/pages-instance.ts';

const PASSWORD = 'LonelyPassw0rd!!!';

describe('Several users', { skip }, () => {
  let instance: Runtime;
  let admin: string;
  const send = (path: string, body: object, token = admin) =>
    instance.ask(path, {
      token,
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  before(async () => {
    instance = await startPagesInstance();
    admin = await instance.logIn(ADMIN_PERSON);
    for (const username of ['dora', 'emil', 'fred'])
      await send('/api/users', { username, password: PASSWORD, role: 'viewer' });
    const emil = await instance.logIn({ name: 'emil', role: 'viewer', password: PASSWORD });
    await send('/api/tokens', { name: 'script', role: 'viewer' }, emil);
    for (const uses of [1, 2]) await send('/api/links', { what: { snapshot: { camera: 'cam1' } }, uses }, emil);
  });
  after(() => instance.close());

  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 320, height: 640 },
  ])
    it(`are those of the kinds that are pressed, at ${viewport.width} px`, (t) =>
      visit(t, { viewport, locale: 'de-DE' }, async (page) => {
        await enter(page, instance, ADMIN_PERSON, '/postern/settings/users');
        const names = page.locator('.record-name > bdi:first-child');
        await hasCount(names, 6);
        const kind = (text: string) => page.getByRole('button', { name: text });
        await kind('Administratoren 1').click();
        assert.deepEqual(await names.allInnerTexts(), ['admin']);
        await kind('Nie angemeldet').click();
        await page.getByText('Kein Eintrag passt').waitFor();
        await kind('Administratoren 1').click();
        assert.ok((await names.allInnerTexts()).includes('dora'));
        assert.ok(!(await names.allInnerTexts()).includes('emil'));
        await page.getByRole('button', { name: 'Mehrere auswählen' }).click();
        await page.getByRole('checkbox', { name: 'Alle auswählen' }).check();
        assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
        assert.deepEqual(await axeFindings(page), []);
      }));

  it('get one role, one end, and go in one question that counts what goes with them', (t) =>
    visit(t, {}, async (page) => {
      await enter(page, instance, ADMIN_PERSON, '/postern/settings/users');
      const press = (name: string, scope = page.locator('body')) =>
        scope.getByRole('button', { name, exact: true }).click();
      const dialog = page.getByRole('dialog');
      const box = (name: string) => page.getByRole('checkbox', { name: `Choose ${name}` });
      await press('Choose several');
      assert.equal(await box('admin').isDisabled(), true);
      for (const name of ['dora', 'emil']) await box(name).check();
      await page.getByRole('status').getByText('2 chosen').waitFor();
      await press('Change role');
      await dialog.getByText('dora, emil').waitFor();
      await dialog.getByLabel('Role', { exact: true }).selectOption('front_only');
      await press('Save', dialog);
      await page.getByText('2 users have the role front_only now.').waitFor();
      await press('Validity', page.locator('.table-choice'));
      await dialog.getByLabel('Valid until').fill('2040-04-01T08:00');
      await press('Save', dialog);
      await page.getByText('The validity of 2 users was changed.').waitFor();
      const users = (await (await instance.ask('/api/users', { token: admin })).json()) as { username: string }[];
      const kept = (of: string) =>
        Object.assign(
          {},
          users.find(({ username }) => username === of),
        ) as Record<string, unknown>;
      for (const name of ['dora', 'emil'])
        assert.deepEqual([kept(name)['role'], kept(name)['valid_until']], ['front_only', 2_216_872_800]);
      await press('Delete');
      await dialog
        .getByText('dora, emil. Also deleted: 1 session, 1 API token, 2 links. This cannot be undone.')
        .waitFor();
      assert.deepEqual(await axeFindings(page), []);
      await press('Delete', dialog);
      await page.getByText('2 users deleted.').waitFor();
      await hasCount(page.locator('.record').getByRole('checkbox'), 4);
    }));

  it('of whom one is refused: the message stays, and the page shows what was done before', (t) =>
    visit(t, { expectedStatuses: [409] }, async (page) => {
      await send('/api/users', { username: 'gina', password: PASSWORD, role: 'viewer' });
      await enter(page, instance, ADMIN_PERSON, '/postern/settings/users');
      await page.getByRole('button', { name: 'Choose several' }).click();
      for (const name of ['fred', 'gina']) await page.getByRole('checkbox', { name: `Choose ${name}` }).check();
      await page.route('**/api/users/delete', (route) =>
        route.request().postData()?.includes('gina')
          ? route.fulfill({
              status: 409,
              json: { success: false, message: 'The last admin stays', reason: 'last-admin' },
            })
          : route.continue(),
      );
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await page.getByText('It has no sessions').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('alert').getByText('This is the last administrator').waitFor();
      await page.getByText('fred', { exact: true }).waitFor({ state: 'detached' });
    }));
});
