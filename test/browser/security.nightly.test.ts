/** Settings > Security in the browser: two-step login for admins, time zone and public address without an editor (SPEC 8). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { SettingsAnswer } from '../../src/accounts/settings/house-settings.ts';
import { ADMIN_PERSON } from '../support/people.ts';
import type { Runtime } from '../support/start-instance.ts';
import { axeFindings, skip, visit } from './support/browser.ts';
import { enter, startPagesInstance } from './support/pages-instance.ts';

const PATH = '/postern/settings/security';
const PHONE = { viewport: { width: 390, height: 844 }, locale: 'de-DE', timezoneId: 'Europe/Berlin' } as const;

describe('The page Security', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance();
  });
  after(() => instance.close());

  /** Port 5000 is an admin's. */
  const kept = async (): Promise<Record<string, string | null>> => {
    const settings = (await (await fetch(`${instance.internalUrl}/api/settings`)).json()) as SettingsAnswer;
    return Object.fromEntries(Object.entries(settings).map(([name, { value }]) => [name, value]));
  };

  it('begins with what is set, says what is wrong at its field, and sets what is chosen', (t) =>
    visit(t, PHONE, async (page) => {
      await enter(page, instance, ADMIN_PERSON, PATH);
      const zone = page.getByLabel('Zeitzone');
      const save = page.getByRole('button', { name: 'Speichern' });
      assert.equal(await save.isEnabled(), false, 'nothing has changed');
      assert.equal(await page.getByLabel('Zwei-Schritt-Anmeldung').inputValue(), 'optional');
      assert.equal(await zone.inputValue(), '');
      await zone.fill('Europe/Berlni');
      await page.getByRole('button', { name: 'Speichern' }).click();
      await page.getByText('IANA-Namen').waitFor();
      assert.equal((await kept())['timezone'], null);
      await page.getByRole('button', { name: 'Europe/Berlin übernehmen' }).click();
      await page.getByRole('button', { name: 'Speichern' }).click();
      await page.getByText('Gespeichert.').waitFor();
      assert.equal((await kept())['timezone'], 'Europe/Berlin');
      await page.locator('button:disabled', { hasText: 'Speichern' }).waitFor();
      assert.deepEqual(await axeFindings(page), []);
      await page.reload();
      await zone.waitFor();
      assert.equal(await zone.inputValue(), 'Europe/Berlin');
      await zone.fill('');
      await page.getByRole('button', { name: 'Speichern' }).click();
      await page.getByText('Gespeichert.').waitFor();
      assert.equal((await kept())['timezone'], null);
    }));

  it('sends what was changed alone, without blanks around it, and no address that is none', (t) =>
    visit(t, { locale: 'en-GB' }, async (page) => {
      const sent: unknown[] = [];
      await page.route('**/api/settings', (route) => {
        if (route.request().method() !== 'PUT') return route.continue();
        sent.push(route.request().postDataJSON());
        return route.fulfill({ json: { success: true } });
      });
      await enter(page, instance, ADMIN_PERSON, PATH);
      const address = page.getByLabel('Public address');
      for (const unfit of ['nvr', 'nvr.example.com:8443', 'http://nvr.example.com']) {
        await address.fill(unfit);
        await page.getByRole('button', { name: 'Save' }).click();
        await page.locator('[aria-invalid="true"]').waitFor();
        await page.getByText('Enter an address that begins with https://.', { exact: true }).waitFor();
        assert.deepEqual(sent, [], unfit);
      }
      await address.fill(' https://nvr.example.com ');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved.').waitFor();
      assert.deepEqual(sent, [{ public_url: 'https://nvr.example.com' }]);
    }));

  it('speaks of no set-up to an admin who has a second step', (t) =>
    visit(t, { locale: 'en-GB' }, async (page) => {
      const own = { required: false, totp: true, passkeys: [], recovery_codes_left: 8 };
      await page.route('**/api/second-factor', (route) => route.fulfill({ json: own }));
      const puts: unknown[] = [];
      await page.route('**/api/settings', (route) => {
        if (route.request().method() !== 'PUT') return route.continue();
        puts.push(route.request().postDataJSON());
        return route.fulfill({ json: { success: true } });
      });
      const told = page.waitForResponse('**/api/second-factor');
      await enter(page, instance, ADMIN_PERSON, PATH);
      await told;
      await page.getByLabel('Two-step login').selectOption('required for admins');
      await page.getByText('Admins who have not set it up must do so first.', { exact: true }).waitFor();
      const reloaded = page.waitForEvent('load');
      await page.getByRole('button', { name: 'Save' }).click();
      await reloaded;
      assert.deepEqual(puts, [{ second_factor: 'admins' }]);
    }));

  it('only shows what the configuration file sets, and where', (t) =>
    visit(t, { locale: 'en-GB' }, async (page) => {
      const { isTaken } = await instance.reload({ auth: { timezone: 'Asia/Tokyo' } });
      assert.equal(isTaken, true);
      await enter(page, instance, ADMIN_PERSON, PATH);
      const help = 'For the hours of roles and the times of links. Set by config.yaml. Change it there.';
      await page.getByText(help, { exact: true }).waitFor();
      const shown = page.getByLabel('Time zone');
      assert.equal(await shown.isEditable(), false);
      assert.match((await shown.getAttribute('title')) ?? '', /config\.yaml:\d+:\d+$/);
      assert.equal((await instance.reload({})).isTaken, true);
    }));

  it('leads an admin without a second step to its set-up, once it is required', (t) =>
    visit(t, { locale: 'en-GB', expectedStatuses: [403] }, async (page) => {
      await enter(page, instance, ADMIN_PERSON, PATH);
      await page.getByLabel('Two-step login').selectOption('required for everyone');
      await page.getByText(/^People who have not set it up/).waitFor();
      await page.getByLabel('Two-step login').selectOption('required for admins');
      await page.getByRole('button', { name: 'Save' }).click();
      const asked = page.getByRole('dialog', { name: 'Require two-step login?' });
      await asked.getByText('Right after saving you set it up').waitFor();
      await asked.getByRole('button', { name: 'Cancel' }).click();
      assert.equal((await kept())['second_factor'], 'optional');
      await page.getByRole('button', { name: 'Save' }).click();
      await asked.getByRole('button', { name: 'Save and set it up' }).click();
      await page.getByRole('button', { name: 'Set up an authenticator app' }).waitFor();
      assert.equal((await kept())['second_factor'], 'admins');
    }));
});
