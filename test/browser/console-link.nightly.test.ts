/** In front of an NVR: a login leads to the NVR's pages, and the way to the console is on the login page (SPEC 8). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { answerLikeAnNvr, type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL } from '../support/people.ts';
import { servePostern } from '../support/run-postern.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { skip, visit } from './support/browser.ts';
import { enter, logInOnPage } from './support/pages-instance.ts';

const LINK = 'Log in to the console: users, roles, tokens, status';

describe('In front of an NVR', { skip }, () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  before(async () => {
    nvr = await startFakeNvr();
    instance = await startInstance({ config: { nvr: { url: nvr.url } } });
  });
  after(async () => {
    await instance?.close();
    await nvr?.close();
  });

  it("a login leads to the NVR's own pages", (t) =>
    visit(t, {}, async (page) => {
      await logInOnPage(page, instance, ADMIN_PERSON);
      assert.deepEqual([page.url(), await page.title()], [`${instance.url}/`, 'NVR']);
    }));

  it('the login page has a link to the console, which a login by it leads to', (t) =>
    visit(t, {}, async (page) => {
      await page.goto(`${instance.url}/login`);
      await page.getByRole('link', { name: LINK }).click();
      const { pathname, search } = new URL(page.url());
      await logInOnPage(page, instance, ADMIN_PERSON, `${pathname}${search}`);
      assert.equal(page.url(), `${instance.url}/postern/`);
    }));

  it('and none on the way to the console', (t) =>
    visit(t, {}, async (page) => {
      await page.goto(`${instance.url}/login?next=/postern/settings/users`);
      assert.equal(await page.getByRole('link', { name: LINK }).count(), 0);
    }));

  it('both hold for a form that is sent without a script', (t) =>
    visit(t, { javaScriptEnabled: false }, async (page) => {
      await logInOnPage(page, instance, ADMIN_PERSON);
      assert.equal(page.url(), `${instance.url}/`);
      await page.context().clearCookies();
      await page.goto(`${instance.url}/login`);
      const to = await page.getByRole('link', { name: LINK }).getAttribute('href');
      await logInOnPage(page, instance, ADMIN_PERSON, `/login${to}`);
      assert.equal(page.url(), `${instance.url}/postern/`);
    }));
});

describe("Where the login page is the NVR's", { skip }, () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  before(async () => {
    nvr = await startFakeNvr();
    instance = await startInstance({ config: { nvr: { url: nvr.url }, ui: { login: 'nvr' } } });
  });
  after(async () => {
    await instance?.close();
    await nvr?.close();
  });

  it('the console has a login page of its own, and leads there', (t) =>
    visit(t, { expectedStatuses: [401] }, async (page) => {
      await page.goto(`${instance.url}/postern/settings/users`);
      await page.waitForURL('**/postern/login?**');
      await page.getByLabel('User').fill(ADMIN_PERSON.name);
      await page.getByLabel('Password', { exact: true }).fill(ADMIN_PERSON.password);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.waitForURL('**/postern/settings/users');
      await page.getByText('vera').first().waitFor();
    }));
});

describe('With the password that the first start has printed', { skip }, () => {
  it("a login at the house's own name asks for another one, also after a reload, and then leads to the NVR", async (t) => {
    const nvr = await startFakeNvr();
    const postern = await servePostern({ env: { POSTERN__NVR__URL: nvr.url, POSTERN__UI__NAME: 'Villa Rosa' } });
    t.after(async () => Promise.all([postern.end(), nvr.close()]));
    const [current = '', password] = [postern.adminPassword, 'CalciumCandle55?'];
    await visit(t, {}, async (page) => {
      await page.goto(`${postern.url}/login`);
      await page.getByRole('heading', { name: 'Villa Rosa' }).waitFor();
      await page.getByText('Forgot it? Ask the administrator of this system.').waitFor();
      assert.equal(await page.title(), 'Log in · Villa Rosa');
      await logInOnPage(page, postern, { name: 'admin', password: current });
      await page.waitForURL(`${postern.url}/postern/?next=%2F`);
      await page.reload();
      await page.getByLabel('Current password').fill(current);
      await page.getByLabel('New password', { exact: true }).fill(password);
      await page.getByLabel('Repeat new password').fill(password);
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.waitForURL(`${postern.url}/`);
      assert.equal(await page.title(), 'NVR');
    });
  });
});

describe('In front of an NVR whose pages know two roles', { skip }, () => {
  it('the console shows the role itself', async (t) => {
    const nvr = await startFakeNvr();
    nvr.answer = (request, response, received) =>
      request.url === '/api/version' ? void response.end('0.16.4') : answerLikeAnNvr(request, response, received);
    const instance = await startInstance({ config: { nvr: { url: nvr.url } } });
    try {
      await visit(t, {}, async (page) => {
        await enter(page, instance, CARL, '/postern/settings/password');
        await page.locator('summary', { hasText: CARL.name }).click();
        await page.getByText('front_only', { exact: true }).waitFor();
      });
    } finally {
      await instance.close();
      await nvr.close();
    }
  });
});
