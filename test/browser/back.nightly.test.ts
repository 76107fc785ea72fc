/** Back on a phone: it closes the dialog that is open, keeps what is shown once, and takes filters back; it leaves no page by mistake (SPEC 8). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ADMIN_PERSON } from '../support/people.ts';
import type { Runtime } from '../support/start-instance.ts';
import { hasCount, skip, visit } from './support/browser.ts';
import { enter, menu, startPagesInstance } from './support/pages-instance.ts';

const PHONE = { viewport: { width: 390, height: 844 } };

describe('Back', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance();
  });
  after(() => instance.close());

  it('closes a dialog and stays on its page; a dialog that was closed by its button leaves nothing to go back to', (t) =>
    visit(t, PHONE, async (page) => {
      await enter(page, instance, ADMIN_PERSON, '/postern/settings/roles');
      await page.goto(`${instance.url}/postern/settings/users`);
      const add = page.getByRole('button', { name: 'Add user' });
      for (const close of ['Back', 'Cancel', 'Back']) {
        await add.first().click();
        await page.getByRole('dialog').waitFor();
        if (close === 'Back') await page.goBack();
        else await page.getByRole('button', { name: close }).click();
        await hasCount(page.getByRole('dialog'), 0);
        assert.equal(new URL(page.url()).pathname, '/postern/settings/users');
      }
      await page.waitForFunction('history.state === null');
      await page.goBack();
      assert.equal(new URL(page.url()).pathname, '/postern/settings/roles');
    }));

  it('closes the question above a form first, and loses no token that is shown once', (t) =>
    visit(t, { ...PHONE, expectedStatuses: [403] }, async (page) => {
      await enter(page, instance, ADMIN_PERSON, '/postern/settings/roles');
      await page.goto(`${instance.url}/postern/settings/tokens`);
      instance.clock.advance(601);
      await page.getByRole('button', { name: 'Create token' }).first().click();
      const form = page.getByRole('dialog', { name: 'Create token' });
      await form.getByLabel('Name').fill('doorbell');
      await form.getByLabel('Name').press('Enter');
      const question = page.getByRole('dialog', { name: 'Confirm that it is you' });
      await question.waitFor();
      await page.goBack();
      await hasCount(question, 0);
      assert.equal(await form.getByLabel('Name').inputValue(), 'doorbell');
      await form.getByRole('button', { name: 'Create', exact: true }).click();
      await question.getByLabel('Current password').fill(ADMIN_PERSON.password);
      await question.getByLabel('Current password').press('Enter');
      const secret = page.getByText(/^pst_/);
      await secret.waitFor();
      for (let press = 0; press < 2; press += 1) {
        await page.waitForFunction('history.state !== null');
        await page.goBack();
        assert.equal(await secret.isVisible(), true);
      }
      await page.getByRole('button', { name: 'I have copied it' }).click();
      await hasCount(secret, 0);
      await page.waitForFunction('history.state === null');
      await page.goBack();
      assert.equal(new URL(page.url()).pathname, '/postern/settings/roles');
    }));

  it('takes back a filter of Explore, which is in the address and outlives a reload', (t) =>
    visit(t, PHONE, async (page) => {
      await enter(page, instance, ADMIN_PERSON);
      await menu(page, 'Camera: Cameras').click();
      await page.getByRole('option', { name: 'cam2' }).click();
      await page.waitForURL('**/postern/explore?camera=cam2');
      await page.reload();
      await menu(page, 'Camera: cam2').waitFor();
      await page.goBack();
      await page.waitForURL('**/postern/explore');
      await menu(page, 'Camera: Cameras').waitFor();
    }));
});
