/** In front of an NVR: a login leads to the NVR's pages, and the way to the console is on the login page (SPEC 8). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { skip, visit } from './support/browser.ts';
import { logInOnPage } from './support/pages-house.ts';

const LINK = 'Log in to the console: users, roles, tokens, status';

describe('In front of an NVR', { skip }, () => {
  let nvr: FakeNvr;
  let house: Runtime;
  before(async () => {
    nvr = await startFakeNvr();
    house = await startInstance({ config: { nvr: { url: nvr.url } } });
  });
  after(async () => {
    await house?.close();
    await nvr?.close();
  });

  it("a login leads to the NVR's own pages", (t) =>
    visit(t, {}, async (page) => {
      await logInOnPage(page, house, ADMIN_PERSON);
      assert.deepEqual([page.url(), await page.title()], [`${house.url}/`, 'NVR']);
    }));

  it('the login page has a link to the console, which a login by it leads to', (t) =>
    visit(t, {}, async (page) => {
      await page.goto(`${house.url}/login`);
      await page.getByRole('link', { name: LINK }).click();
      const { pathname, search } = new URL(page.url());
      await logInOnPage(page, house, ADMIN_PERSON, `${pathname}${search}`);
      assert.equal(page.url(), `${house.url}/postern/`);
    }));

  it('and none on the way to the console', (t) =>
    visit(t, {}, async (page) => {
      await page.goto(`${house.url}/login?next=/postern/settings/users`);
      assert.equal(await page.getByRole('link', { name: LINK }).count(), 0);
    }));

  it('both hold for a form that is sent without a script', (t) =>
    visit(t, { javaScriptEnabled: false }, async (page) => {
      await logInOnPage(page, house, ADMIN_PERSON);
      assert.equal(page.url(), `${house.url}/`);
      await page.context().clearCookies();
      await page.goto(`${house.url}/login`);
      const to = await page.getByRole('link', { name: LINK }).getAttribute('href');
      await logInOnPage(page, house, ADMIN_PERSON, `/login${to}`);
      assert.equal(page.url(), `${house.url}/postern/`);
    }));
});

describe("Where the login page is the NVR's", { skip }, () => {
  let nvr: FakeNvr;
  let house: Runtime;
  before(async () => {
    nvr = await startFakeNvr();
    house = await startInstance({ config: { nvr: { url: nvr.url }, ui: { login: 'nvr' } } });
  });
  after(async () => {
    await house?.close();
    await nvr?.close();
  });

  it('the console has a login page of its own, and leads there', (t) =>
    visit(t, { expectedStatuses: [401] }, async (page) => {
      await page.goto(`${house.url}/postern/settings/users`);
      await page.waitForURL('**/postern/login?**');
      await page.getByLabel('User').fill(ADMIN_PERSON.name);
      await page.getByLabel('Password', { exact: true }).fill(ADMIN_PERSON.password);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.waitForURL('**/postern/settings/users');
      await page.getByText('vera').first().waitFor();
    }));
});
