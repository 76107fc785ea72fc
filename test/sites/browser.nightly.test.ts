/** Two sites in one browser: the login of one counts at the other, and the console leads there and names cameras of both (SPEC 20). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openBrowser, skip } from '../browser/support/chromium.ts';
import { ADMIN_PERSON, VERA } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import { until } from '../support/until.ts';
import { BARN, HOUSE, SAM, type SharedStore, type Site, sharedStore } from './support/two-sites.ts';

const HOSTS = { house: 'house.sites.localhost', barn: 'barn.sites.localhost' };

describe('Two sites in a browser', { skip, timeout: 300_000 }, () => {
  let store: SharedStore;
  let [house, barn]: Site[] = [];
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  before(async () => {
    store = sharedStore();
    const auth = { cookie_domain: 'sites.localhost' };
    barn = await store.start({ ...BARN, people: [ADMIN_PERSON, VERA, SAM], config: { auth } });
    const sites = [{ name: 'barn', url: `http://${HOSTS.barn}:${barn.postern.port}` }];
    house = await store.start({ ...HOUSE, people: [], config: { server: { sites }, auth } });
    const admin = await house.postern.logIn(ADMIN_PERSON);
    await sendJson(house.postern, '/api/roles/both', { cameras: ['garden', 'yard'] }, admin, 'PUT');
    browser = await openBrowser(false);
    context = await browser.newContext({ locale: 'en-GB' });
    page = await context.newPage();
  });
  after(async () => {
    await browser?.close();
    await store?.close();
  });

  const at = (site: Site | undefined, path: string): string =>
    `http://${HOSTS[site?.name as 'house']}:${site?.postern.port}${path}`;

  it('lead from one to the other, without another login', async () => {
    await page.goto(at(house, '/login'));
    await page.getByLabel('User').fill(ADMIN_PERSON.name);
    await page.getByLabel('Password', { exact: true }).fill(ADMIN_PERSON.password);
    await page.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.waitForURL((url) => !url.pathname.endsWith('/login'));
    await page.goto(at(house, '/postern/'));
    await page.locator('.account summary').click();
    const link = page.getByRole('navigation', { name: 'Other sites' }).getByRole('link', { name: 'barn' });
    assert.equal(await link.getAttribute('href'), at(barn, '/'));
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/menu.png` });
    await page.goto(at(barn, '/postern/'));
    await page.locator('.account summary').waitFor();
    assert.match((await page.locator('.account summary').textContent()) ?? '', /admin/);
  });

  it('offer the cameras of both for a role', async () => {
    await page.goto(at(house, '/postern/settings/roles'));
    await page
      .getByRole('button', { name: 'Add role' })
      .or(page.getByRole('button', { name: 'New role' }))
      .first()
      .click();
    for (const camera of ['garden', 'hall', 'yard'])
      await page.getByRole('dialog').getByText(camera, { exact: true }).first().waitFor();
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/role.png` });
  });

  it('show the records of both in one page, with their sites', async () => {
    const sam = await house?.postern.logIn(SAM);
    await house?.postern.ask('/api/garden/latest.jpg', { token: sam ?? '' });
    await barn?.postern.ask('/api/yard/latest.jpg', { token: sam ?? '' });
    await until('both are recorded', async () => {
      await page.goto(at(house, '/postern/activity'));
      await page.getByRole('table').waitFor();
      const text = (await page.getByRole('table').textContent()) ?? '';
      return text.includes('garden') && text.includes('yard');
    });
    await page.getByRole('columnheader', { name: 'Site' }).waitFor();
    if (process.env['SHOTS']) await page.screenshot({ path: `${process.env['SHOTS']}/activity.png` });
    await page.getByLabel('Site', { exact: true }).selectOption('barn');
    await until('those of the house are gone', async () => {
      const text = (await page.getByRole('table').textContent()) ?? '';
      // The page Live at the barn has shown its garden, too: the column of the site tells them apart.
      return text.includes('yard') && !text.includes('house');
    });
  });
});
