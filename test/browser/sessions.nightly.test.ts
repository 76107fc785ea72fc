/** Sessions of a person: they stand together, and end one by one or together (SPEC 4.2, 12). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import type { Runtime } from '../support/start-instance.ts';
import { axeFindings, hasCount, skip, visit } from './support/browser.ts';
import { enter, startPagesInstance } from './support/pages-instance.ts';

describe('The sessions of a person', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance();
  });
  after(() => instance.close());

  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ])
    it(`stand below the name, and end by one act in the menu of the user, at ${viewport.width} px`, (t) =>
      visit(t, { viewport }, async (page) => {
        const lost = [await instance.logIn(VERA), await instance.logIn(CARL), await instance.logIn(VERA)];
        const statusOf = async (token: string | undefined) =>
          (await instance.ask('/api/profile', { token: token ?? '' })).status;
        assert.deepEqual(await Promise.all(lost.map(statusOf)), [200, 200, 200]);
        await enter(page, instance, ADMIN_PERSON, '/postern/settings/sessions');
        await page.locator('.record-group').first().waitFor();
        assert.deepEqual(await page.locator('.record-group').allInnerTexts(), ['admin', 'carl', 'vera']);
        assert.deepEqual(await axeFindings(page), []);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
        await page.goto(`${instance.url}/postern/settings/users`);
        await page.locator('summary', { hasText: 'Actions: vera' }).click();
        await page.getByRole('button', { name: 'End all sessions: vera' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'End all sessions' }).click();
        await page.getByText('The sessions of vera have ended.').waitFor();
        assert.deepEqual(await Promise.all(lost.map(statusOf)), [401, 200, 401]);
      }));

  for (const width of [1280, 360])
    it(`of a lost phone ends by three presses from Live, at ${width} px`, (t) =>
      visit(t, { viewport: { width, height: 844 } }, async (page) => {
        const lost = await instance.logIn(VERA);
        await enter(page, instance, ADMIN_PERSON, '/postern/');
        await page.locator('summary', { hasText: 'Account:' }).click();
        await page.getByRole('link', { name: 'Sessions', exact: true }).click();
        const ends = page.getByRole('button', { name: /^End: .*, vera$/ });
        await ends.first().waitFor();
        const before = await ends.count();
        await ends.first().click();
        await page.getByText('Session ended. vera must log in again there.').waitFor();
        await hasCount(ends, before - 1);
        assert.equal((await instance.ask('/api/profile', { token: lost })).status, 401);
      }));

  it('end once at two presses in haste, and nothing is told as a fault', (t) =>
    visit(t, {}, async (page) => {
      await instance.logIn(CARL);
      await enter(page, instance, ADMIN_PERSON, '/postern/settings/sessions');
      const deletions: string[] = [];
      page.on('request', (request) => request.method() === 'DELETE' && deletions.push(request.url()));
      const ends = page.getByRole('button', { name: /^End: .*, carl$/ });
      await ends.first().waitFor();
      const before = await ends.count();
      await ends.first().evaluate((button) => {
        button.click();
        button.click();
      });
      await page.getByText('Session ended. carl must log in again there.').waitFor();
      await hasCount(ends, before - 1);
      assert.equal(deletions.length, 1);
      await hasCount(page.getByRole('alert').filter({ hasText: /./ }), 0);
    }));

  it('stand on a phone in few lines a device, the own ones first, each beside its acts', (t) =>
    visit(t, { viewport: { width: 360, height: 800 }, locale: 'de-DE', colorScheme: 'dark' }, async (page) => {
      const now = Math.floor(Date.now() / 1000);
      const names = ['anna', 'admin', ...Array.from({ length: 10 }, (_, at) => `mitglied_${at}`)];
      const sessions = Array.from({ length: 30 }, (_, at) => ({
        id: `s${at}`,
        user: names[at % 12],
        name: at % 7 === 3 ? 'Küchentablet im Erdgeschoss' : null,
        agent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:120.0) Gecko/20100101 Firefox/120.0',
        address: '192.168.178.20',
        since: now - 86_400,
        last_seen: now - 3600 * at,
        current: at === 13,
      }));
      await page.route('**/api/sessions', (route) => route.fulfill({ json: sessions }));
      await enter(page, instance, ADMIN_PERSON, '/postern/settings/sessions');
      await page.locator('.pager').waitFor();
      assert.equal(await page.locator('.record-group').first().innerText(), 'admin');
      const first = page.locator('.record').first();
      assert.match(await first.innerText(), /Firefox auf Windows\s+dieses Gerät\s+192\.168\.178\.20\s+vor 13 Std\./);
      await hasCount(page.getByText('dieses Gerät'), 1);
      const { height = 0 } = (await page.locator('.records-page').boundingBox()) ?? {};
      assert.ok(height < 3700, `${height} px for the 25 devices of a page`);
      const end = (await page
        .getByRole('button', { name: 'Beenden: Firefox auf Windows, anna' })
        .first()
        .boundingBox()) ?? { x: 0, width: 0 };
      assert.ok(end.x > 180 && end.x + end.width <= 348, 'the act stands beside the device');
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
      assert.deepEqual(await axeFindings(page), []);
    }));
});
