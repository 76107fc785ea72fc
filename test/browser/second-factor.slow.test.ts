/** Two-step login as a person meets it: set up, log in, recover, confirm again; with script and without (SPEC 8, 12). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { unixSeconds } from '../../src/domain/clock.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../support/people.ts';
import { codeOf, enrolled } from '../support/second-factor.ts';
import type { Runtime } from '../support/start-instance.ts';
import { axeFindings, skip, visit } from './support/browser.ts';
import { enter, startPagesInstance } from './support/pages-instance.ts';

const PHONE = { viewport: { width: 360, height: 740 }, locale: 'de-DE', colorScheme: 'dark' } as const;
const TWO_STEP = '/postern/settings/account';

const isWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

async function asLoggedIn(page: Page, instance: Runtime, token: string, path: string): Promise<void> {
  await page.context().addCookies([{ name: 'frigate_token', value: token, url: instance.url }]);
  await page.goto(`${instance.url}${path}`);
}

describe('Two-step login', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance();
  });
  after(() => instance.close());
  const codeOfPage = async (page: Page): Promise<string> => {
    const secret = (await page.locator('.secret code').innerText()).replaceAll(' ', '');
    // On the phone itself there is nothing to scan with.
    const address = await page.locator('a[href^="otpauth:"]').getAttribute('href');
    assert.ok(address?.includes(`secret=${secret}`));
    return codeOf(secret, unixSeconds(instance.clock));
  };

  it('is set up by keyboard, on a phone, in German and in the dark, and asked for at the next login', (t) =>
    visit(t, { ...PHONE, expectedStatuses: [400, 401] }, async (page) => {
      await enter(page, instance, VERA, TWO_STEP);
      await page.getByRole('button', { name: 'Authenticator-\u2060App einrichten' }).press('Enter');
      await page.getByRole('img', { name: /QR-Code/ }).waitFor();
      assert.deepEqual([await axeFindings(page), await isWide(page)], [[], false]);
      const code = page.getByLabel('Code', { exact: true });
      await code.fill('000000');
      await code.press('Enter');
      await page.getByText('Der Code ist falsch').waitFor();
      await code.fill(await codeOfPage(page));
      await code.press('Enter');
      await page.getByRole('heading', { name: 'Wiederherstellungscodes' }).waitFor();
      assert.deepEqual([await axeFindings(page), await isWide(page)], [[], false]);
      const codes = await page.locator('.code-list code').allInnerTexts();
      assert.equal(codes.length, 10);
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Als Datei speichern' }).click(),
      ]);
      assert.match(saved.suggestedFilename(), /^postern-recovery-codes-vera\.txt$/);
      await page.getByRole('button', { name: 'Ich habe sie gesichert' }).press('Enter');
      await page.getByText('eingerichtet', { exact: true }).waitFor();

      await page.context().clearCookies();
      await page.goto(`${instance.url}/login`);
      await page.getByLabel('Benutzer').fill(VERA.name);
      await page.getByLabel('Passwort', { exact: true }).fill(VERA.password);
      await page.keyboard.press('Enter');
      await code.waitFor();
      await page.locator('#code:focus').waitFor();
      const keyboard = () => code.getAttribute('inputmode');
      assert.deepEqual([await keyboard(), await code.getAttribute('autocomplete')], ['numeric', 'one-time-code']);
      await page.getByRole('button', { name: 'Wiederherstellungscode verwenden' }).click();
      assert.equal(await keyboard(), 'text');
      assert.deepEqual([await axeFindings(page), await isWide(page)], [[], false]);
      await code.fill('000000');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('Der Code ist falsch').waitFor();
      await code.fill((codes[0] ?? '').toLowerCase());
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => !url.pathname.includes('login'));
    }));

  it('takes its two steps without script', async (t) => {
    const { codeNow } = await enrolled(instance, CARL);
    await visit(t, { javaScriptEnabled: false, expectedStatuses: [401] }, async (page) => {
      await page.goto(`${instance.url}/login?next=%2Fpostern%2Fsettings%2Ftokens`);
      await page.getByLabel('User').fill(CARL.name);
      await page.getByLabel('Password', { exact: true }).fill(CARL.password);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByLabel('Code').fill('000000');
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('alert').getByText('The code is wrong').waitFor();
      assert.equal(await page.getByLabel('User').isVisible(), false);
      await page.getByLabel('Code').fill(codeNow());
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.waitForURL('**/postern/settings/tokens');
    });
  });

  it('asks for the password again before an API token, once, and goes on with what was wanted', (t) =>
    visit(t, { expectedStatuses: [401, 403] }, async (page) => {
      await enter(page, instance, ADMIN_PERSON, '/postern/settings/tokens');
      instance.clock.advance(601);
      await page.getByRole('button', { name: 'Create token' }).first().click();
      await page.getByLabel('Name').fill('doorbell');
      await page.getByLabel('Name').press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
      await dialog.locator('input[type="password"]:focus').waitFor();
      await dialog.getByLabel('Current password').fill('not it');
      await dialog.getByLabel('Current password').press('Enter');
      await dialog.getByText('Wrong password.').waitFor();
      assert.deepEqual(await axeFindings(page), []);
      await dialog.getByLabel('Current password').fill(ADMIN_PERSON.password);
      await dialog.getByLabel('Current password').press('Enter');
      await page.getByText(/^pst_/).waitFor();
    }));
});

describe('Where every user must have a second factor', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance({ auth: { second_factor: 'everyone' } });
  });
  after(() => instance.close());

  it('the console shows nothing but how to set it up, whatever page was wanted', (t) =>
    visit(t, {}, async (page) => {
      const person: Person = VERA;
      await asLoggedIn(page, instance, await instance.logIn(person), '/postern/status');
      await page.getByText('Your account must use two-step login').waitFor();
      assert.equal(await page.getByRole('navigation').getByRole('link').count(), 0);
      assert.deepEqual(await axeFindings(page), []);
      await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
      await page.locator('.secret code').waitFor();
      const secret = (await page.locator('.secret code').innerText()).replaceAll(' ', '');
      await page.getByLabel('Code', { exact: true }).fill(codeOf(secret, unixSeconds(instance.clock)));
      await page.getByRole('button', { name: 'Confirm the code' }).click();
      await page.getByRole('button', { name: 'I have saved them' }).click();
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').first().waitFor();
      assert.equal(page.url(), `${instance.url}/postern/status`);
    }));
});
