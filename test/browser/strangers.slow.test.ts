/** Names that came from outside are text on every page, and people who came through a proxy find their way (SPEC 8). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON } from '../support/people.ts';
import type { Runtime } from '../support/start-instance.ts';
import { axeFindings, hasCount, skip, visit } from './support/browser.ts';
import { enter, menu, pageEvents, startPagesInstance } from './support/pages-instance.ts';

const SCRIPT = '<img src=x onerror=alert(1)>';
const LONG = 'n'.repeat(200);
const TURNED = '\u202Egpj.exe שלום';

/** Whatever an attribute or a script of such a name would do. */
async function assertHarmless(page: Page, where: string): Promise<void> {
  assert.equal(await page.evaluate('document.querySelectorAll("img[onerror], #console script, b").length'), 0, where);
  const sticksOut = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
  assert.equal(await page.evaluate(sticksOut), false, where);
}

describe('Cameras and labels with hostile names', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance({}, (now) => {
      const [first, ...others] = pageEvents(now);
      assert.ok(first);
      const hostile = [SCRIPT, LONG, TURNED].map((name, at) => ({
        ...first,
        id: `hostile${at}`,
        camera: name,
        label: name,
        sub_label: name,
        zones: [name],
      }));
      return [...hostile, ...others];
    });
  });
  after(() => instance.close());

  it('are text on every page that shows them', (t) =>
    visit(t, { viewport: { width: 360, height: 800 } }, async (page) => {
      const dialogs: string[] = [];
      page.on('dialog', (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      await enter(page, instance, ADMIN_PERSON);
      await page.locator('.event').first().waitFor();
      for (const name of [SCRIPT, LONG, TURNED])
        await page.locator('.event-label', { hasText: name }).first().waitFor();
      await assertHarmless(page, 'explore');
      await menu(page, 'Camera:').click();
      await hasCount(page.locator('.filter[open] .name-option', { hasText: SCRIPT }), 1);
      await assertHarmless(page, 'camera filter');
      await page.keyboard.press('Escape');
      await page.locator('.event', { hasText: LONG }).click();
      await page.locator('dialog').waitFor();
      await assertHarmless(page, 'details');
      await page.goto(`${instance.url}/postern/settings/roles`);
      await page.getByRole('button', { name: 'Add role' }).click();
      await page.getByRole('switch', { name: SCRIPT }).waitFor();
      await assertHarmless(page, 'role form');
      await page.goto(`${instance.url}/postern/settings/tokens`);
      await page.getByRole('button', { name: 'Create token' }).click();
      await page.getByLabel('Name').fill(SCRIPT);
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await page.getByRole('button', { name: 'I have copied it' }).click();
      await page.locator('.record-name', { hasText: SCRIPT }).waitFor();
      await assertHarmless(page, 'tokens');
      await page.goto(`${instance.url}/postern/settings/access`);
      await page.getByText('Advanced: a request with method and path').click();
      await page.getByLabel('Path').fill(`/${SCRIPT}`);
      await page.getByRole('button', { name: 'Explain' }).click();
      await page.locator('.judgement').waitFor();
      await assertHarmless(page, 'access');
      assert.deepEqual(dialogs, []);
    }));
});

describe('Behind an authenticating proxy', { skip }, () => {
  let sso: FakeNvr;
  let instance: Runtime;
  before(async () => {
    sso = await startFakeNvr();
    sso.answer = ({ url }, response) =>
      void response.setHeader('content-type', 'text/html').end(url === '/logout' ? 'the other logout' : '');
    instance = await startPagesInstance({
      auth: { enabled: false, roles: { front_only: ['cam1'] } },
      proxy: {
        header_map: { user: 'remote-user', role: 'remote-groups' },
        logout_url: `${sso.url}/logout`,
        auth_secret: 'a-secret-of-the-proxy',
      },
    });
  });
  after(async () => {
    await instance.close();
    await sso.close();
  });

  const as = (user: string, groups: string) => ({
    extraHTTPHeaders: { 'Remote-User': user, 'Remote-Groups': groups, 'X-Proxy-Secret': 'a-secret-of-the-proxy' },
  });

  for (const [sentence, name] of [
    ['a long name', 'n'.repeat(100)],
    ['a name that would end an attribute', "' autofocus onfocus=alert(1) x='"],
  ] as const) {
    it(`${sentence} fits, and there is no password to change`, (t) =>
      visit(t, { ...as(name, 'admin'), viewport: { width: 360, height: 800 } }, async (page) => {
        await page.goto(`${instance.url}/postern/settings`);
        await page.getByRole('link', { name: 'Roles' }).waitFor();
        const sections = await page.getByRole('navigation', { name: 'Settings' }).getByRole('link').allInnerTexts();
        assert.deepEqual(sections, ['Roles', 'Access', 'Links', 'API tokens']);
        await menu(page, 'Account: ').click();
        assert.equal(await page.locator('.menu-name').textContent(), name);
        assert.equal(await page.getByRole('link', { name: 'Change password' }).count(), 0);
        await assertHarmless(page, 'account');
        assert.deepEqual(await axeFindings(page), []);
      }));
  }

  it('even a name that no proxy may send is text', (t) =>
    visit(t, { viewport: { width: 320, height: 800 } }, async (page) => {
      const username = `${SCRIPT}${TURNED}${LONG}`;
      await page.route('**/api/profile', (route) =>
        route.fulfill({ json: { username, role: username, allowed_cameras: [username] } }),
      );
      await page.route('**/api/{events,labels}**', (route) => route.fulfill({ json: [] }));
      await page.goto(`${instance.url}/postern/`);
      await menu(page, 'Account: ').click();
      assert.equal(await page.locator('.menu-name').textContent(), username);
      assert.equal(await page.locator('.menu-role').textContent(), username);
      await assertHarmless(page, 'account');
    }));

  it('the login page has no form, but says who logs people in', (t) =>
    visit(t, {}, async (page) => {
      await page.goto(`${instance.url}/login`);
      await page.getByText('Login by password is turned off').waitFor();
      assert.equal(await page.locator('form :is(input, button):visible').count(), 0);
      assert.deepEqual(await axeFindings(page), []);
    }));

  it('the console says that no user name was received, and shows itself when one is', (t) =>
    visit(t, { expectedStatuses: [401] }, async (page) => {
      await page.goto(`${instance.url}/postern/`);
      await page.getByRole('heading', { name: 'The proxy has not logged you in', level: 1 }).waitFor();
      await page.route('**/api/profile', (route) =>
        route.fulfill({ status: 401, json: { success: false, message: '', reason: 'proxy-secret-mismatch' } }),
      );
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('this request came without its secret, or with a wrong one').waitFor();
      await page.unroute('**/api/profile');
      await page.setExtraHTTPHeaders(as('vera', 'viewer').extraHTTPHeaders);
      await page.getByRole('button', { name: 'Try again' }).click();
      await menu(page, 'Account: vera').waitFor();
    }));

  it('Log out leads to proxy.logout_url', (t) =>
    visit(t, as('vera', 'viewer'), async (page) => {
      await page.goto(`${instance.url}/postern/`);
      await menu(page, 'Account: vera').click();
      await page.getByRole('link', { name: 'Log out' }).click();
      await page.getByText('the other logout').waitFor();
    }));
});
