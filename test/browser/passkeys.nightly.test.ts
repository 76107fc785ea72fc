/** Passkeys in a real Chromium, whose authenticator is virtual, by keyboard alone (SPEC 12). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type Person, VERA } from '../support/people.ts';
import type { Runtime } from '../support/start-instance.ts';
import { type Authenticator, type PlugInOptions, plugIn } from './support/authenticator.ts';
import { axeFindings, keepFocus, skip, visit } from './support/browser.ts';
import { press, retype } from './support/keyboard.ts';
import { startPagesInstance } from './support/pages-instance.ts';

keepFocus();

/** What the authenticator keeps, to be put into another one: a copy of it. */
const keysOf = async ({ cdp, authenticatorId }: Authenticator) =>
  (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials;

describe('A passkey', { skip }, () => {
  let instance: Runtime;
  let url = '';
  let kept: Awaited<ReturnType<typeof keysOf>> = [];
  before(async () => {
    instance = await startPagesInstance();
    url = `http://localhost:${instance.port}`;
    assert.equal((await instance.reload({ server: { public_url: url } })).isTaken, true);
  });
  after(() => instance.close());

  const typePassword = async (page: Page, { name, password }: Person): Promise<void> => {
    await page.goto(`${url}/login`);
    await page.keyboard.type(name);
    await page.keyboard.press('Tab');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
  };
  const isIn = (page: Page): Promise<void> => page.waitForURL(`${url}/postern/**`);

  it('is set up, named and listed, with recovery codes, by keyboard', (t) =>
    visit(t, {}, async (page) => {
      const phone = await plugIn(page);
      await typePassword(page, VERA);
      await isIn(page);
      await page.goto(`${url}/postern/settings/account`);
      await page.getByRole('heading', { name: 'Passkeys' }).waitFor();
      await press(page, 'Add a passkey');
      await retype(page, 'Name', 'My phone');
      assert.deepEqual(await axeFindings(page), []);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
      await press(page, 'I have saved them');
      await page.getByText('My phone', { exact: true }).waitFor();
      await press(page, 'Rename: My phone');
      await retype(page, 'Name', 'Old phone');
      await page.keyboard.press('Enter');
      await page.getByText('Old phone', { exact: true }).waitFor();
      kept = await keysOf(phone);
      assert.deepEqual(
        kept.map(({ rpId, isResidentCredential }) => [rpId, isResidentCredential]),
        [['localhost', true]],
      );
    }));

  /** A browser in which the passkey is known, with the counter as it was left. */
  const withPhone = async (page: Page, options: PlugInOptions = {}): Promise<Authenticator> => {
    const phone = await plugIn(page, options);
    for (const credential of kept)
      await phone.cdp.send('WebAuthn.addCredential', { authenticatorId: phone.authenticatorId, credential });
    return phone;
  };

  it('logs in alone by the button', (t) =>
    visit(t, {}, async (page) => {
      const phone = await plugIn(page);
      await page.goto(`${url}/login`);
      // Far ahead, so that a copy does not catch up within a test.
      for (const credential of kept)
        await phone.cdp.send('WebAuthn.addCredential', {
          authenticatorId: phone.authenticatorId,
          credential: { ...credential, signCount: 1000 },
        });
      await press(page, 'Log in with a passkey');
      await isIn(page);
      await page.locator('summary', { hasText: 'Account: vera' }).waitFor();
      kept = await keysOf(phone);
    }));

  it('is a second factor after the password, with an authenticator that verifies no user', (t) =>
    visit(t, { expectedStatuses: [401] }, async (page) => {
      const phone = await withPhone(page, { verifies: false });
      await typePassword(page, VERA);
      await page.getByLabel('Code').waitFor();
      assert.deepEqual(await axeFindings(page), []);
      // It is first, before the code.
      const { y: passkey = 0 } = (await page.locator('#passkey').boundingBox()) ?? {};
      assert.ok(passkey < ((await page.locator('#code').boundingBox())?.y ?? 0));
      await press(page, 'Log in with a passkey');
      await isIn(page);
      kept = await keysOf(phone);
    }));

  it('that is a copy whose counter is behind is refused, and the page says so', (t) =>
    visit(t, { expectedStatuses: [401] }, async (page) => {
      const phone = await plugIn(page);
      await page.goto(`${url}/login`);
      for (const credential of kept)
        await phone.cdp.send('WebAuthn.addCredential', {
          authenticatorId: phone.authenticatorId,
          credential: { ...credential, signCount: 0 },
        });
      await press(page, 'Log in with a passkey');
      await page.getByText('is unknown here or was rejected').waitFor();
      assert.equal(instance.log.findLast(({ what }) => what === 'login')?.['reason'], 'passkey-cloned');
      assert.equal(page.url(), `${url}/login`);
    }));

  it('is not asked for on a page at another address', (t) =>
    visit(t, {}, async (page) => {
      await page.goto(`${instance.url}/login`);
      await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
      assert.equal(await page.locator('#passkey').isVisible(), false);
    }));

  it('of another RP ID is refused by the browser', (t) =>
    visit(t, {}, async (page) => {
      await plugIn(page);
      await page.route('**/api/login/passkey/options', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, json: { ...(await response.json()), rpId: 'example.com' } });
      });
      await page.goto(`${url}/login`);
      await press(page, 'Log in with a passkey');
      await page.getByText('The passkey did not work').waitFor();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    }));

  it('that is not shown leaves the login as it was, and the password works', (t) =>
    visit(t, { expectedStatuses: [401] }, async (page) => {
      // Its user never says yes: the browser gives up, as it does when the dialog is closed.
      const phone = await plugIn(page);
      await phone.cdp.send('WebAuthn.setUserVerified', {
        authenticatorId: phone.authenticatorId,
        isUserVerified: false,
      });
      await page.goto(`${url}/login`);
      await press(page, 'Log in with a passkey');
      await page.getByText('No passkey was used').waitFor();
      assert.deepEqual(await axeFindings(page), []);
      await page.getByLabel('User').fill(VERA.name);
      await page.getByLabel('Password', { exact: true }).fill(VERA.password);
      await page.keyboard.press('Enter');
      await page.getByLabel('Code').waitFor();
    }));

  it('is offered in the autofill of the user field', (t) =>
    visit(t, {}, async (page) => {
      await withPhone(page, { autofill: true }); // nothing is pressed
      await page.goto(`${url}/login`);
      await isIn(page);
      assert.equal(await page.locator('#passkey').count(), 0);
    }));

  it('fits a narrow screen in German', (t) =>
    visit(t, { locale: 'de-DE', colorScheme: 'dark', viewport: { width: 360, height: 740 } }, async (page) => {
      await plugIn(page);
      await page.goto(`${url}/login`);
      await page.getByRole('button', { name: 'Mit Passkey anmelden' }).waitFor();
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
      assert.deepEqual(await axeFindings(page), []);
    }));
});
