/** Screens as people meet them: a display shows a code, a phone confirms it, and the display shows its cameras for months (SPEC 18). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { VERA } from '../support/people.ts';
import type { Runtime } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { axeFindings, hasCount, skip, visit } from './support/browser.ts';
import { enter, startPagesInstance } from './support/pages-instance.ts';

const PHONE = { viewport: { width: 390, height: 844 }, locale: 'de-DE', colorScheme: 'dark' } as const;
const TELEVISION = { viewport: { width: 1920, height: 1080 } } as const;
const CAMERAS = Array.from({ length: 12 }, (_, at) => `cam${at + 1}`);
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const COLUMNS = `getComputedStyle(document.querySelector('.screen-wall')).gridTemplateColumns.split(' ').length`;

describe('A screen', { skip }, () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  let isDead = false;
  before(async () => {
    nvr = await startFakeNvr();
    nvr.answer = (request, response) => {
      if (isDead) return void request.socket.destroy();
      if ((request.url ?? '').includes('/latest.jpg'))
        return void response.writeHead(200, { 'content-type': 'image/png' }).end(PICTURE);
      response.writeHead(404).end();
    };
    instance = await startPagesInstance({ nvr: { url: nvr.url, cameras: CAMERAS } });
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });

  const shown = (display: Page) => display.locator('.camera-tile:not(.has-fault) img.is-shown');

  it('says how many cameras it does not show', (t) =>
    visit(t, { ...TELEVISION, locale: 'de-DE', expectedStatuses: [401] }, async (display) => {
      const allowed_cameras = Array.from({ length: 40 }, (_, at) => `cam${at + 1}`);
      const json = { username: 'vera', role: 'viewer', screen: 'hall', allowed_cameras };
      await display.route('**/api/profile', (route) => route.fulfill({ json }));
      await display.goto(`${instance.url}/postern/screen?live=off`);
      await display.getByText('Weitere Kameras, nicht gezeigt: 4').waitFor();
      await hasCount(display.locator('.camera-tile'), 36);
    }));

  it('is told of on the smallest phone without a scroll to the side, while there is none', (t) =>
    visit(t, { ...PHONE, viewport: { width: 320, height: 700 } }, async (page) => {
      await enter(page, instance, VERA, '/postern/settings/screens');
      await page.getByText('Noch keine Bildschirme.').waitFor();
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
    }));

  it('is no page for the phone of a person, which is led to the code and watches no camera', (t) =>
    visit(t, { ...PHONE, hasTouch: true, isMobile: true, expectedStatuses: [404] }, async (phone) => {
      nvr.received.splice(0);
      await enter(phone, instance, VERA, '/postern/screen');
      await hasCount(phone.locator('.camera-tile'), CAMERAS.length);
      await phone.locator('.screen-person > .screen-link').tap();
      await phone.getByRole('dialog').getByLabel('Code auf dem Bildschirm').waitFor();
      assert.deepEqual(
        nvr.received.map(({ target }) => target).filter((target) => /latest|ws|mse|webrtc/.test(target)),
        [],
      );
    }));

  it('is paired by a phone, shows a wall of twelve cameras, and shows them again when the NVR is back', async (t) => {
    await visit(t, { ...TELEVISION, expectedStatuses: [400, 401, 502] }, async (display) => {
      await display.goto(`${instance.url}/postern/screen?dim=22-7`);
      const letters = await display.locator('.screen-code').innerText();
      assert.match(letters, /^[A-Z]{4}-[A-Z]{4}$/);
      assert.ok((await display.locator('.screen-code').boundingBox())?.height ?? 0 > 90, 'it is read from afar');
      await display.locator('img.screen-qr').waitFor();
      assert.deepEqual(await axeFindings(display), []);
      await visit(t, { ...PHONE, expectedStatuses: [404] }, async (phone) => {
        await enter(phone, instance, VERA, '/postern/settings/password');
        await phone.goto(`${instance.url}/pair`);
        const dialog = phone.getByRole('dialog');
        const typed = dialog.getByLabel('Code auf dem Bildschirm');
        const wrong = letters.replace(/.$/, (last) => (last === 'B' ? 'C' : 'B'));
        await typed.fill(wrong);
        await dialog.getByRole('button', { name: 'Weiter' }).click();
        await dialog.locator('[aria-invalid] + .field-fault', { hasText: 'Mit diesem Code wartet' }).waitFor();
        assert.equal(await typed.inputValue(), wrong, 'the field is kept');
        await typed.fill(letters);
        await dialog.getByRole('button', { name: 'Weiter' }).click();
        await dialog.getByText('von 127.0.0.1').waitFor();
        // What is no display of one's own is denied without scrolling.
        const deny = await dialog.locator('.form-actions').getByRole('button').first().boundingBox();
        assert.ok(deny !== null && deny.y + deny.height <= (phone.viewportSize()?.height ?? 0));
        await dialog.getByText(letters).waitFor();
        assert.deepEqual(await axeFindings(phone), []);
        await dialog.getByLabel('Name').fill('Flur');
        await dialog.getByRole('button', { name: 'Bestätigen' }).click();
        await hasCount(dialog.locator('.field-fault'), 2);
        await dialog.getByText('Wählen Sie eine Gültigkeitsdauer.', { exact: true }).waitFor();
        await dialog.getByRole('switch', { name: 'Nur ausgewählte Kameras' }).click();
        await dialog.getByLabel('Läuft ab').selectOption('never');
        await dialog.getByRole('button', { name: 'Bestätigen' }).click();
        await phone.getByText('Bildschirm Flur gekoppelt').waitFor();
        await phone.getByRole('cell', { name: /Flur/ }).or(phone.getByText('Flur').first()).first().waitFor();
      });
      await hasCount(shown(display), CAMERAS.length);
      assert.equal(await display.evaluate(COLUMNS), 4);
      await display.locator('.camera-tile').first().click();
      const { width } = (await display.locator('.camera-tile.is-full').boundingBox()) ?? {};
      assert.equal(width, 1920);
      await display.locator('.camera-tile').first().press('Escape');
      assert.deepEqual(await axeFindings(display), []);

      isDead = true;
      await hasCount(display.locator('.camera-tile.has-fault'), CAMERAS.length);
      isDead = false;
      nvr.received.splice(0);
      await hasCount(shown(display), CAMERAS.length);
      await until('pictures come again of each camera', () =>
        CAMERAS.every((camera) => nvr.received.some(({ target }) => target.startsWith(`/api/${camera}/latest.jpg`))),
      );

      // Somebody logged in here, long ago.
      await display.context().addCookies([{ name: 'frigate_token', value: 'over', url: instance.url }]);
      await display.reload();
      await hasCount(shown(display), CAMERAS.length);
    });
  });
});
