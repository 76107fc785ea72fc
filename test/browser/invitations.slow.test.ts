/** Invitations as people meet them: made in the settings, accepted by password or passkey, with script and without (SPEC 12). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { openStore } from '../../src/store/open-store.ts';
import { ADMIN_PERSON, CARL, type Person } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import type { Runtime } from '../support/start-instance.ts';
import { plugIn } from './support/authenticator.ts';
import { axeFindings, keepFocus, skip, visit } from './support/browser.ts';
import { press } from './support/keyboard.ts';
import { startPagesInstance } from './support/pages-instance.ts';

keepFocus();

const PHONE = { viewport: { width: 360, height: 740 }, locale: 'de-DE', colorScheme: 'dark' } as const;
const PASSWORD = 'MagnesiumLamp77!';

const isWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
async function assertSound(page: Page): Promise<void> {
  assert.deepEqual([await axeFindings(page), await isWide(page)], [[], false]);
}

describe('An invitation', { skip }, () => {
  let instance: Runtime;
  let url = '';
  before(async () => {
    instance = await startPagesInstance();
    url = `http://localhost:${instance.port}`;
    assert.equal(
      (await instance.reload({ auth: { timezone: 'Europe/Berlin' }, server: { public_url: url } })).isTaken,
      true,
    );
  });
  after(() => instance.close());

  const enter = async (page: Page, person: Person, path: string): Promise<void> => {
    const value = await instance.logIn(person);
    await page.context().addCookies([{ name: 'frigate_token', value, url, httpOnly: true, sameSite: 'Lax' }]);
    await page.goto(`${url}${path}`);
  };
  const invited = async (name: string, wanted: object = { role: 'viewer' }): Promise<string> => {
    const admin = await instance.logIn(ADMIN_PERSON);
    const answer = await sendJson(instance, `/api/users/${name}/invitation`, wanted, admin);
    return ((await answer.json()) as { url: string }).url;
  };

  it('is made, shown once, listed and revoked in the settings, by keyboard, on a phone, in German and in the dark', (t) =>
    visit(t, PHONE, async (page) => {
      await enter(page, ADMIN_PERSON, '/postern/settings/users');
      await press(page, 'Benutzer einladen');
      await page.getByLabel('Name', { exact: true }).fill('grace');
      await page.getByLabel('Rolle', { exact: true }).selectOption('viewer');
      await page.getByLabel('Gültig bis').fill('2040-05-08T08:00');
      await assertSound(page);
      await page.keyboard.press('Enter');
      const made = page.getByRole('dialog', { name: 'Link für grace' });
      const link = await made.locator('code').innerText();
      assert.match(link, new RegExp(`^${url}/invitation/[\\w-]{43}$`));
      await made.getByRole('img', { name: 'Diese Adresse als QR-Code' }).waitFor();
      await assertSound(page);
      // It was copied without a press. A browser that forbids it: nothing was copied, so it does not say so.
      await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("forbidden"))');
      await press(page, 'Kopiert');
      await made.getByRole('button', { name: 'Markieren und kopieren' }).waitFor();
      assert.equal(await page.evaluate('String(getSelection())'), link);
      await page.keyboard.press('Escape');
      assert.equal(await made.isVisible(), true);
      await made.getByRole('button', { name: 'Ich habe' }).press('Enter');
      await page.locator('button:focus', { hasText: 'Benutzer einladen' }).waitFor();
      await page.getByRole('heading', { name: 'Offene Einladungen' }).waitFor();
      await page.getByText('bis 8. Mai 2040').first().waitFor();
      await assertSound(page);
      assert.doesNotMatch(await page.content(), new RegExp(link.slice(-43)));
      await press(page, 'Widerrufen: grace');
      await page.getByRole('dialog').getByRole('button', { name: 'Widerrufen' }).press('Enter');
      await page.getByText('Link für grace wurde widerrufen.').waitFor();
      await page.getByRole('heading', { name: 'Offene Einladungen' }).waitFor({ state: 'detached' });
      const acts = page.locator('summary', { hasText: 'Aktionen: carl' });
      await acts.press('Enter');
      await press(page, 'Link für neues Passwort senden: carl');
      await page.getByRole('dialog').getByRole('button', { name: 'Abbrechen' }).press('Enter');
      await page.locator('summary:focus', { hasText: 'Aktionen: carl' }).press('Enter');
      await press(page, 'Link für neues Passwort senden: carl');
      await page.getByRole('dialog').getByRole('button', { name: 'Link erstellen' }).press('Enter');
      await page.getByRole('dialog', { name: 'Link für carl' }).waitFor();
      // It is told to whose account it is.
      await enter(page, CARL, '/postern/settings/account');
      await page.getByText('Link für ein neues Passwort erstellt', { exact: true }).waitFor();
      await assertSound(page);
    }));

  for (const options of [PHONE, { viewport: { width: 1280, height: 800 }, locale: 'de-DE' } as const])
    it(`for two cameras until Sunday takes five presses from Live, at ${options.viewport.width} px`, (t) =>
      visit(t, options, async (page) => {
        const name = `gast_${options.viewport.width}`;
        let presses = 0;
        const pressOn = async (place: Locator): Promise<void> => {
          presses += 1;
          await place.click();
        };
        await enter(page, ADMIN_PERSON, '/postern/');
        await pressOn(page.getByRole('link', { name: 'Benutzer einladen' }));
        const dialog = page.getByRole('dialog');
        await dialog.waitFor();
        // The first field has the focus.
        await page.keyboard.type(name);
        assert.equal(await dialog.getByRole('switch', { name: 'Nur ausgewählte Kameras' }).isChecked(), true);
        await pressOn(dialog.getByRole('switch', { name: 'cam1' }));
        await pressOn(dialog.getByRole('switch', { name: 'cam2' }));
        await assertSound(page);
        await pressOn(dialog.getByRole('button', { name: 'Bis Sonntag' }));
        await pressOn(dialog.getByRole('button', { name: 'Link erstellen' }));
        const link = await page
          .getByRole('dialog', { name: `Link für ${name}` })
          .locator('code')
          .innerText();
        assert.equal(presses, 5);
        const admin = await instance.logIn(ADMIN_PERSON);
        const roles = (await (await instance.ask('/api/roles', { token: admin })).json()) as { role: string }[];
        const made = roles.find(({ role }) => role === name);
        assert.deepEqual(made, { ...made, cameras: ['cam1', 'cam2'], deny: ['ptz', 'talk'] });
        await page.goto(link);
        await page.getByText('Für Sie freigegeben: cam1, cam2.').waitFor();
      }));

  it('is what a closed guest of a provider needs, whom the page of the users lists without a name', (t) =>
    visit(t, PHONE, async (page) => {
      const store = await openStore({ url: `sqlite:${instance.directory}/postern.db` });
      const closed = {
        id: 'https://id.example.org s-77',
        subject: 's-77',
        provider: 'home',
        known_until: 2_300_000_000,
      };
      await store.db.insertInto('closed_sign_ins').values(closed).execute();
      await store.close();
      await enter(page, ADMIN_PERSON, '/postern/settings/users');
      await page.getByRole('heading', { name: 'Ehemalige Gäste' }).waitFor();
      await page.getByText('s-77').first().waitFor();
      await page.getByText('postern users sign-ins forget').waitFor();
      await assertSound(page);
    }));

  it('is accepted by a password, whose strength is shown while it is typed, by keyboard, on a phone, in German and in the dark', (t) =>
    visit(t, { ...PHONE, expectedStatuses: [400] }, async (page) => {
      await page.goto(await invited('heidi'));
      await page.locator('#passkey-offer button:focus', { hasText: 'Passkey verwenden' }).waitFor();
      await page.getByText('oder ein Passwort wählen').waitFor();
      await assertSound(page);
      const strength = page.locator('#strength');
      await page.keyboard.press('Tab');
      await page.keyboard.type('heidi');
      await strength.getByText('mindestens 12 Zeichen').waitFor();
      await page.locator('#password').fill(PASSWORD);
      await strength.getByText('Stark').waitFor();
      await assertSound(page);
      // What was typed can be seen, in each of both fields.
      await page.keyboard.press('Tab');
      await page.locator('#password + [aria-label="Passwort anzeigen"]').press('Enter');
      assert.equal(await page.locator('#password:focus').getAttribute('type'), 'text');
      await page.locator('#password + [aria-label="Passwort verbergen"]').press('Enter');
      assert.equal(await page.locator('#password').getAttribute('type'), 'password');
      await page.locator('#again + [aria-label="Passwort anzeigen"]').click();
      await page.locator('#again[type="text"]:focus').waitFor();
      await page.keyboard.type('password1234');
      // What is wrong stands below its field.
      await page.locator('#password').fill('short');
      await page.keyboard.press('Enter');
      await page.locator('#strength.field-fault', { hasText: /\d+ Zeichen/ }).waitFor();
      await page.locator('#password[aria-invalid="true"]').waitFor();
      await page.locator('#rules').waitFor({ state: 'hidden' });
      await page.locator('#password').fill('another12345');
      await page.keyboard.press('Enter');
      await page.locator('#fault.field-fault', { hasText: /stimmen nicht überein/ }).waitFor();
      await page.locator('#again:focus').waitFor();
      await assertSound(page);
      await page.locator('#password').fill('password1234');
      await page.locator('#fault:empty').waitFor({ state: 'attached' });
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('Dieses Passwort wird zu häufig verwendet').waitFor();
      await assertSound(page);
      await page.locator('#password').fill(PASSWORD);
      await page.locator('#again').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${url}/postern/**`);
      await instance.logIn({ name: 'heidi', role: 'viewer', password: PASSWORD });
    }));

  for (const [sentence, javaScriptEnabled, end] of [
    ['the reader', true, /valid until Wednesday, May\u00A09, 2040 at\u00A06:59\sPM\.$/],
    ['the house without script', false, /valid until Thursday, May\u00A010, 2040 at\u00A01:59\sAM GMT\+2\.$/],
  ] as const)
    it(`tells the end in the time zone of ${sentence}`, async (t) => {
      const wanted = { role: 'viewer', valid_until: Date.UTC(2040, 4, 9, 23, 59) / 1000 };
      const link = await invited(`guest_${javaScriptEnabled}`, wanted);
      await visit(t, { javaScriptEnabled, locale: 'en-US', timezoneId: 'America/Lima' }, async (page) => {
        await page.goto(link);
        await page.getByText(end).waitFor();
      });
    });

  it('is accepted without script, and says which rule a password breaks', async (t) => {
    const link = await invited('ivan');
    await visit(t, { javaScriptEnabled: false, expectedStatuses: [400, 404] }, async (page) => {
      await page.goto(link);
      assert.equal(await page.getByRole('button').count(), 1);
      const send = async (password: string, again: string): Promise<void> => {
        await page.getByLabel('New password', { exact: true }).fill(password);
        await page.getByLabel('Repeat new password').fill(again);
        await page.getByRole('button', { name: 'Set password' }).click();
      };
      await send(PASSWORD, 'MagnesiumLamp78!');
      await page.getByRole('alert').getByText('The two passwords differ').waitFor();
      await send(PASSWORD, PASSWORD);
      await page.waitForURL(`${url}/postern/**`);
      await page.goto(link);
      await page.getByRole('heading', { name: 'Link not valid' }).waitFor();
    });
  });

  it('is accepted by a passkey, which logs in at once, and later, and confirms an act ten minutes later, by keyboard', (t) =>
    // 401: what the page asked for before its session ended.
    visit(t, { ...PHONE, expectedStatuses: [401, 403] }, async (page) => {
      await plugIn(page);
      await page.goto(await invited('judy'));
      await press(page, 'Passkey verwenden');
      await page.waitForURL(`${url}/postern/**`);
      await page.goto(`${url}/logout`);
      // The page that is left may be told of the end first: then it names itself as the next one.
      await page.waitForURL(({ pathname }) => pathname === '/login');
      await press(page, 'Mit Passkey anmelden');
      await page.waitForURL(`${url}/postern/**`);
      await page.goto(`${url}/postern/settings/tokens`);
      instance.clock.advance(601);
      await press(page, 'Token erstellen');
      await page.getByLabel('Name', { exact: true }).fill('doorbell');
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Bestätigen Sie, dass Sie es sind' }).waitFor();
      await assertSound(page);
      await press(page, 'Passkey verwenden');
      await page.getByText(/^pst_/).waitFor();
    }));
});
