/** Logging in and out, as a person does it (SPEC 4.1, 8). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ADMIN_PERSON, CARL } from '../support/people.ts';
import type { Runtime } from '../support/start-instance.ts';
import { contrastOf, skip, visit } from './support/browser.ts';
import { enter, logInOnPage, menu, startPagesInstance } from './support/pages-instance.ts';

describe('The login page', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance({ auth: { failed_login_rate_limit: '2/minute' } });
  });
  after(() => instance.close());

  it('lets the right password in, and shows who is logged in', (t) =>
    visit(t, {}, async (page) => {
      await logInOnPage(page, instance, ADMIN_PERSON);
      assert.equal(page.url(), `${instance.url}/postern/`);
      await menu(page, 'Account: admin').click();
      assert.equal(await page.locator('.menu-role').textContent(), 'admin');
    }));

  it('is where a page without a session leads, and leads back to it', (t) =>
    visit(t, { expectedStatuses: [401] }, async (page) => {
      await page.goto(`${instance.url}/postern/explore?camera=cam2&label=car`);
      await page.waitForURL('**/login?**');
      await logInOnPage(page, instance, ADMIN_PERSON, new URL(page.url()).pathname + new URL(page.url()).search);
      assert.equal(page.url(), `${instance.url}/postern/explore?camera=cam2&label=car`);
      await page.locator('.event').first().waitFor();
      assert.deepEqual(new Set(await page.locator('.event-where').allInnerTexts()), new Set(['cam2']));
    }));

  it('does not lead to another site, whatever its address asks for', (t) =>
    visit(t, {}, async (page) => {
      await logInOnPage(page, instance, ADMIN_PERSON, '/login?next=//evil.example/');
      assert.equal(page.url(), `${instance.url}/postern/`);
    }));

  it('ends the session at Log out', (t) =>
    visit(t, { expectedStatuses: [401], expectedErrors: [/ERR_INCOMPLETE_CHUNKED/] }, async (page) => {
      await logInOnPage(page, instance, CARL);
      await menu(page, 'Account: carl').click();
      await page.getByRole('link', { name: 'Log out' }).click();
      await page.getByRole('button', { name: 'Log in' }).waitFor();
      assert.deepEqual(await page.context().cookies(), []);
      await page.goto(`${instance.url}/postern/`);
      await page.waitForURL('**/login?**');
    }));

  it('works by keyboard alone', (t) =>
    visit(t, {}, async (page) => {
      await page.goto(`${instance.url}/login`);
      await page.keyboard.type(ADMIN_PERSON.name);
      await page.keyboard.press('Tab');
      await page.keyboard.type(ADMIN_PERSON.password);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${instance.url}/postern/`);
      await page.getByRole('heading', { name: 'Live', exact: true }).waitFor();
      const focused = () => page.evaluate('document.activeElement.textContent.trim()');
      const outline = () => page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
      for (const name of ['Skip to content', 'Postern', 'Live', 'Explore', 'Activity', 'Settings', 'Status']) {
        await page.keyboard.press('Tab');
        assert.deepEqual([await focused(), await outline()], [name, 'solid']);
      }
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'Change password' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Password', exact: true }).waitFor();
      await page.getByRole('link', { name: 'Log out' }).waitFor({ state: 'hidden' });
    }));

  it('shows and hides the password', (t) =>
    visit(t, {}, async (page) => {
      await page.goto(`${instance.url}/login`);
      await page.getByText('Forgot it? Ask the administrator of this system.').waitFor();
      const password = page.locator('#password');
      await password.fill('secret');
      const [show, hide] = ['Show password', 'Hide password'].map((name) => page.getByRole('button', { name }));
      await show?.click();
      assert.equal(await password.getAttribute('type'), 'text');
      await hide?.click();
      assert.equal(await password.getAttribute('type'), 'password');
    }));

  it('hides a shown password when it is sent, and says when the browser does not keep the cookie', (t) =>
    visit(t, { expectedStatuses: [401] }, async (page) => {
      await page.goto(`${instance.url}/login`);
      await page.route('**/api/profile', (route) => route.fulfill({ status: 401, body: '{}' }));
      await page.getByLabel('User').fill(ADMIN_PERSON.name);
      await page.getByLabel('Password', { exact: true }).fill(ADMIN_PERSON.password);
      await page.getByRole('button', { name: 'Show password' }).click();
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByText('the browser did not keep the cookie').waitFor();
      assert.equal(await page.locator('#password').getAttribute('type'), 'password');
      assert.equal(page.url(), `${instance.url}/login`);
    }));

  it('is not gone to by a browser that takes no cookies: it is told so', (t) =>
    visit(t, { expectedStatuses: [401] }, async (page) => {
      await page.addInitScript(`
        Object.defineProperty(navigator, 'cookieEnabled', { get: () => false });
        for (const name of ['sessionStorage', 'localStorage'])
          Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError'); } });
      `);
      // Whose session is over by the time that the page asks for it.
      await page.route('**/api/profile', (route) => route.fulfill({ status: 401, body: '{}' }));
      await enter(page, instance, ADMIN_PERSON);
      await page.getByRole('heading', { name: 'The login is not kept' }).waitFor();
      await page.getByText('allow cookies for this address').waitFor();
    }));

  it('says that the recorder cannot be reached when the network is gone', (t) =>
    visit(t, { expectedErrors: [/ERR_CONNECTION_REFUSED/] }, async (page) => {
      await page.goto(`${instance.url}/login`);
      await page.route('**/api/login', (route) => route.abort('connectionrefused'));
      await page.getByLabel('User').fill('admin');
      await page.getByLabel('Password', { exact: true }).fill('x');
      await page.getByRole('button', { name: 'Log in' }).click();
      assert.match(await page.getByRole('alert').innerText(), /cannot be reached/);
      assert.equal(await page.locator('#submit').innerText(), 'Log in');
    }));

  it('says that the recorder is busy, and for how long', (t) =>
    visit(t, { expectedStatuses: [503], reducedMotion: 'reduce' }, async (page) => {
      await page.clock.install();
      await page.goto(`${instance.url}/login`);
      await page.route('**/api/login', (route) => route.fulfill({ status: 503, headers: { 'Retry-After': '7' } }));
      await page.getByLabel('User').fill('admin');
      await page.getByLabel('Password', { exact: true }).fill('x');
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByText('The server is busy.').waitFor();
      assert.match(await page.locator('#submit').innerText(), /^Try again in [67]\u00A0s$/);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const contrast = await contrastOf(page, '#submit');
        assert.ok(contrast >= 4.5, `${colorScheme}: ${contrast}`);
      }
      await page.clock.fastForward('00:08');
      assert.equal(await page.locator('#submit').innerText(), 'Log in');
    }));

  it('is in the language that was chosen in this browser, and so is the console, until the choice is taken back', (t) =>
    visit(t, { locale: 'en-GB' }, async (page) => {
      await page.goto(`${instance.url}/login?next=/postern/settings/password`);
      await page.getByLabel('Language').selectOption('Deutsch');
      await page.getByRole('button', { name: 'Anmelden' }).waitFor();
      assert.equal(await page.getByLabel('Sprache').inputValue(), 'de');
      await enter(page, instance, ADMIN_PERSON, '/postern/settings/password');
      await page.getByRole('heading', { name: 'Passwort', level: 1 }).waitFor();
      await menu(page, 'Konto: admin').click();
      await page.getByLabel('Sprache').selectOption('English');
      await page.getByRole('heading', { name: 'Password', level: 1 }).waitFor();
      await menu(page, 'Account: admin').click();
      await page.getByLabel('Language').selectOption('System');
      await page.waitForFunction('document.cookie === ""');
    }));

  it('says that Caps Lock is on, as long as it is', (t) =>
    visit(t, {}, async (page) => {
      await page.goto(`${instance.url}/login`);
      const press = (modifierCapsLock: boolean) =>
        page.locator('#password').dispatchEvent('keydown', { key: 'a', modifierCapsLock, bubbles: true });
      await press(true);
      await page.getByRole('status').getByText('Caps Lock is on').waitFor();
      await press(false);
      assert.equal(await page.locator('#caps-lock').innerText(), '');
    }));

  it('says of plain HTTP what it is, and of this machine nothing', (t) =>
    visit(t, {}, async (page) => {
      await page.route('http://nvr.example/**', async (route) => {
        const { pathname } = new URL(route.request().url());
        await route.fulfill({ response: await route.fetch({ url: `${instance.url}${pathname}` }) });
      });
      await page.goto('http://nvr.example/login');
      await page.getByText('This connection is not encrypted').waitFor();
      await page.goto(`${instance.url}/login`);
      assert.equal(await page.getByText('This connection is not encrypted').isVisible(), false);
    }));

  /** Last: from now on this address has to wait. */
  it('says that the password is wrong, then how long to wait, and counts down', (t) =>
    visit(t, { expectedStatuses: [401, 429] }, async (page) => {
      await page.clock.install();
      await page.goto(`${instance.url}/login`);
      await page.getByLabel('User').fill('admin');
      await page.getByLabel('Password', { exact: true }).fill('not the password');
      const submit = page.locator('#submit');
      for (let tries = 0; tries < 2; tries++) {
        await submit.click();
        await page.getByText('Wrong user name or password.').waitFor();
        const told =
          '[document.activeElement.id, document.activeElement.ariaInvalid, document.activeElement.ariaDescribedByElements[0].innerText]';
        assert.deepEqual(await page.evaluate(told), ['password', 'true', 'Wrong user name or password.']);
      }
      await submit.click();
      await page.getByText('Too many failed attempts from your address.').waitFor();
      assert.match(await submit.innerText(), /^Try again in (?:1\u00A0min|[45]\d\u00A0s)$/);
      assert.equal(await submit.isDisabled(), true);
      await page.clock.fastForward('00:30');
      assert.match(await submit.innerText(), /^Try again in [12345]?\d\u00A0s$/);
      await page.getByLabel('User').fill('adm');
      await page.clock.fastForward('00:31');
      assert.equal(await submit.innerText(), 'Log in');
      assert.equal(await submit.isEnabled(), true);
      assert.equal(await page.getByRole('alert').count(), 0);
      assert.equal(await page.locator(':focus').getAttribute('id'), 'user');
    }));
});

describe('The login page of a first start', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance({ auth: { reset_admin_password: true } });
  });
  after(() => instance.close());

  it('says where the password is found', (t) =>
    visit(t, {}, async (page) => {
      await page.goto(`${instance.url}/login`);
      const help = page.getByRole('region', { name: 'First login' });
      await help.waitFor();
      assert.match(
        await help.innerText(),
        /box at the end of the log.*auth\.reset_admin_password: true.*postern users password admin/s,
      );
    }));
});

describe('The internal port', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance();
  });
  after(() => instance.close());

  it('shows anonymous and admin, and no way to log out (interface 5.6)', (t) =>
    visit(t, {}, async (page) => {
      await page.goto(`${instance.internalUrl}/postern/`);
      await menu(page, 'Account: anonymous').click();
      assert.equal(await page.locator('.menu-role').textContent(), 'admin');
      assert.equal(await page.getByRole('link', { name: 'Log out' }).count(), 0);
      assert.equal(await page.getByRole('link', { name: 'Change password' }).count(), 0);
    }));

  it('lets every caller manage users, because every caller is an admin there', (t) =>
    visit(t, {}, async (page) => {
      await page.goto(`${instance.internalUrl}/postern/settings`);
      await page.getByRole('heading', { name: 'Users' }).waitFor();
      const sections = await page.getByRole('navigation', { name: 'Settings' }).getByRole('link').allInnerTexts();
      assert.deepEqual(sections, ['Users', 'Roles', 'Access', 'Sessions', 'API tokens', 'Security']);
      for (const section of sections) {
        await page.getByRole('link', { name: section }).click();
        await page.getByRole('heading', { name: section, exact: true }).waitFor();
      }
    }));
});
