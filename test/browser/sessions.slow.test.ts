/** Sessions of a person: they stand together, and end together (SPEC 4.2, 12). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import type { Runtime } from '../support/start-instance.ts';
import { axeFindings, skip, visit } from './support/browser.ts';
import { enter, startPagesInstance } from './support/pages-instance.ts';

describe('The sessions of a person', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance();
  });
  after(() => instance.close());

  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ])
    it(`stand below the name, and end by one act in the menu of the user, at ${viewport.width} px`, (t) =>
      visit(t, { viewport }, async (page) => {
        const lost = [await instance.logIn(VERA), await instance.logIn(CARL), await instance.logIn(VERA)];
        const statusOf = async (token: string | undefined) =>
          (await instance.ask('/api/profile', { token: token ?? '' })).status;
        assert.deepEqual(await Promise.all(lost.map(statusOf)), [200, 200, 200]);
        await enter(page, instance, ADMIN_PERSON, '/postern/settings/sessions');
        await page.locator('.record-group').first().waitFor();
        assert.deepEqual(await page.locator('.record-group').allInnerTexts(), ['admin', 'carl', 'vera']);
        assert.deepEqual(await axeFindings(page), []);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
        await page.goto(`${instance.url}/postern/settings/users`);
        await page.locator('summary', { hasText: 'Actions: vera' }).click();
        await page.getByRole('button', { name: 'End all sessions: vera' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click();
        await page.getByText('The sessions of vera have ended.').waitFor();
        assert.deepEqual(await Promise.all(lost.map(statusOf)), [401, 200, 401]);
      }));
});
