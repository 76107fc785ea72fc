/** Below a prefix: every link, redirect and question of the pages stays there (SPEC 1, `server.base_path`). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ADMIN_PERSON } from '../support/people.ts';
import type { Runtime } from '../support/start-instance.ts';
import { skip, visit } from './support/browser.ts';
import { menu, startPagesInstance } from './support/pages-instance.ts';

describe('Below a base path', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance({ server: { base_path: '/nvr' } });
  });
  after(() => instance.close());

  it('the way leads from the console to the login, back, through the settings and out', (t) =>
    visit(t, { expectedStatuses: [401] }, async (page) => {
      const strays: string[] = [];
      page.on('request', (request) => {
        if (!new URL(request.url()).pathname.startsWith('/nvr/')) strays.push(request.url());
      });
      await page.goto(`${instance.url}/nvr/postern/?label=car`);
      await page.waitForURL('**/nvr/login?next=%2Fnvr%2Fpostern%2F%3Flabel%3Dcar');
      await page.getByLabel('User').fill(ADMIN_PERSON.name);
      await page.getByLabel('Password', { exact: true }).fill(ADMIN_PERSON.password);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.waitForURL(`${instance.url}/nvr/postern/explore?label=car`);
      await page.locator('.event').first().waitFor();
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.waitForURL(`${instance.url}/nvr/postern/settings/users`);
      await page.locator('.record').first().waitFor();
      await menu(page, 'Account:').click();
      await page.getByRole('link', { name: 'Log out' }).click();
      await page.waitForURL(`${instance.url}/nvr/login`);
      assert.deepEqual(strays, []);
    }));

  it('the form without JavaScript stays there too', (t) =>
    visit(t, { javaScriptEnabled: false }, async (page) => {
      await page.goto(`${instance.url}/nvr/login?next=/postern/`);
      await page.getByLabel('User').fill(ADMIN_PERSON.name);
      await page.getByLabel('Password', { exact: true }).fill(ADMIN_PERSON.password);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.waitForURL(`${instance.url}/nvr/postern/`);
    }));
});
