/** Live: the wall inside the console, for its person; it asks for what is seen, and for nothing else (SPEC 8, 14, 18, 19). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import type { Runtime } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { axeFindings, hasCount, skip, visit } from './support/browser.ts';
import { enter, startPagesInstance } from './support/pages-instance.ts';

const PHONE = { viewport: { width: 390, height: 844 }, locale: 'de-DE', colorScheme: 'dark' } as const;
const CAMERAS = Array.from({ length: 40 }, (_, at) => `cam${at + 1}`);
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('Live', { skip }, () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  before(async () => {
    nvr = await startFakeNvr();
    nvr.answer = (request, response) => {
      const url = request.url ?? '';
      if (url.includes('/latest.jpg')) response.writeHead(200, { 'content-type': 'image/png' }).end(PICTURE);
      else if (url === '/api/config')
        response.writeHead(200, { 'content-type': 'application/json' }).end(
          JSON.stringify({
            cameras: {
              ...Object.fromEntries(CAMERAS.map((camera) => [camera, {}])),
              cam1: { friendly_name: 'Front door' },
            },
          }),
        );
      else if (url === '/') response.writeHead(200, { 'content-type': 'text/html' }).end('<title>NVR</title>');
      else response.writeHead(404).end();
    };
    instance = await startPagesInstance({ nvr: { url: nvr.url }, auth: { roles: { front_only: ['cam1'] } } });
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });

  const asked = (): Set<string> =>
    new Set(nvr.received.flatMap(({ target }) => /^\/api\/([^/]+)\/latest\.jpg/.exec(target)?.[1] ?? []));
  const tiles = (page: Page) => page.locator('.camera-tile');
  const shown = (page: Page) => page.locator('.camera-tile:not(.has-fault) img.is-shown');

  it('is the first page, and asks for the pictures that are seen alone: others are not watched', async (t) => {
    await visit(t, { viewport: { width: 1280, height: 800 } }, async (page) => {
      nvr.received.splice(0);
      await enter(page, instance, VERA, '/postern/');
      await hasCount(tiles(page), 40);
      await page.getByRole('button', { name: 'Front door' }).waitFor();
      await until('some pictures are there', async () => (await shown(page).count()) >= 15);
      assert.ok(asked().size <= 30, `${asked().size} cameras were asked for`);
      assert.ok(!asked().has('cam40'));
      assert.equal(await page.getByRole('switch').count(), 0, 'the curtain is for admins');
      assert.deepEqual(await axeFindings(page), []);
      await tiles(page).last().scrollIntoViewIfNeeded();
      await until('the last one is asked for', () => asked().has('cam40'));
      await until('the first one is asked for no more', () => {
        nvr.received.splice(0);
        return until('pictures come', () => asked().has('cam40')).then(() => !asked().has('cam1'));
      });
    });
  });

  it('fills the screen at one press, asks for that camera alone, and comes back by Escape and by Back', async (t) => {
    await visit(t, PHONE, async (page) => {
      await enter(page, instance, VERA, '/postern/');
      await tiles(page).first().click();
      const { width, height } = (await page.locator('.camera-tile.is-full').boundingBox()) ?? {};
      assert.deepEqual([width, height], [390, 844]);
      const events = page.getByRole('link', { name: 'Ereignisse von Front door' });
      assert.match((await events.getAttribute('href')) ?? '', /\/explore\?camera=cam1$/);
      await events.click({ trial: true });
      await until('the others rest', () => {
        nvr.received.splice(0);
        return until('pictures come', () => asked().size > 0).then(() => asked().size === 1 && asked().has('cam1'));
      });
      assert.deepEqual(await axeFindings(page), []);
      await page.keyboard.press('Escape');
      await page.locator('.camera-tile.is-full').waitFor({ state: 'detached' });
      await tiles(page).nth(1).press('Enter');
      await page.locator('.camera-tile.is-full').waitFor();
      await page.goBack();
      await page.locator('.camera-tile.is-full').waitFor({ state: 'detached' });
      await page.getByRole('heading', { name: 'Live' }).waitFor();
    });
  });

  it('asks for a small picture first, which is there sooner on a slow line', async (t) => {
    await visit(t, PHONE, async (page) => {
      nvr.received.splice(0);
      await enter(page, instance, VERA, '/postern/?full=cam1');
      const heights = (): string[] =>
        nvr.received.flatMap(({ target }) => /^\/api\/cam1\/latest\.jpg\?h=(\d+)/.exec(target)?.[1] ?? []);
      await until('one for the whole screen follows', () => heights().includes('1080'));
      assert.equal(heights()[0], '180');
    });
  });

  it('has the switch of the curtain at each camera, for an hour too, and the drawn camera is gone for others', async (t) => {
    await visit(t, PHONE, async (page) => {
      await enter(page, instance, ADMIN_PERSON, '/postern/');
      await page.locator('summary', { hasText: 'Vorhang' }).click();
      const { y = 0 } = (await page.getByText('sehen nur Administratoren').boundingBox()) ?? {};
      assert.ok(y > 0 && y < 300, 'the panel hangs from its button');
      await page.keyboard.press('Escape');
      const card = page.locator('.wall-camera').first();
      const [tile, place] = [
        await card.locator('.camera-tile').boundingBox(),
        await page.getByRole('switch', { name: 'Vorhang: Front door', exact: true }).boundingBox(),
      ];
      assert.ok(tile && place && place.width >= 44 && place.height >= 44, 'as large as a finger');
      assert.equal((await card.boundingBox())?.height, tile.height, 'on the tile, and no row below it');
      assert.ok(place.x + place.width <= tile.x + tile.width && place.y >= tile.y);
      await page.getByRole('switch').first().click();
      await page.getByRole('button', { name: 'Für 1 Stunde' }).click();
      await card.getByText(/zugezogen von admin, bis /).waitFor();
      assert.deepEqual(await axeFindings(page), []);
      await visit(t, PHONE, async (other) => {
        await enter(other, instance, CARL, '/postern/');
        await other.getByText('Keine Livebilder').waitFor();
        const why = other.getByText(/oder der Vorhang ist zugezogen\.$/);
        await why.waitFor();
        await other.locator('main').getByRole('link', { name: 'Ereignisse' }).click();
        await other.getByRole('heading', { name: /^Keine Ereignisse/ }).waitFor();
        await why.waitFor();
      });
      await page.getByRole('switch').first().click();
      await card.getByText(/zugezogen/).waitFor({ state: 'detached' });
      await page.locator('summary', { hasText: 'Vorhang' }).click();
      await page.locator('.page-head').getByRole('button', { name: 'Bis Mitternacht' }).click();
      await hasCount(page.locator('.wall-curtain.is-drawn'), 40);
      await page.getByRole('button', { name: 'Bei allen Kameras öffnen' }).click();
      await hasCount(page.locator('.wall-curtain.is-drawn'), 0);
    });
  });

  for (const viewport of [
    { width: 1280, height: 900 },
    { width: 390, height: 844 },
  ])
    it(`has a switch for a pattern, too, at ${viewport.width} px: who drew it, until when, and by which pattern`, (t) =>
      visit(t, { viewport }, async (page) => {
        const token = await instance.logIn(ADMIN_PERSON);
        await sendJson(instance, '/api/curtain', { cameras: ['cam4*'] }, token, 'PUT');
        await enter(page, instance, ADMIN_PERSON, '/postern/');
        await hasCount(page.locator('.wall-curtain.is-drawn'), 3);
        await page.getByText('drawn by admin, by the pattern cam4*', { exact: true }).first().waitFor();
        await page.locator('.page-head summary').click();
        await page.getByRole('switch', { name: 'cam4*', exact: true }).click();
        await hasCount(page.locator('.wall-curtain.is-drawn'), 0);
      }));

  it('tells an admin of first steps that are open, once the pictures are there, and moves nothing', (t) =>
    visit(t, { viewport: { width: 390, height: 844 } }, async (page) => {
      const place = () => tiles(page).first().boundingBox();
      await enter(page, instance, ADMIN_PERSON, '/postern/');
      await until('pictures come', async () => (await shown(page).count()) > 0);
      const before = await place();
      await page.getByText(/^First steps 1 of 2 left$/).waitFor();
      assert.deepEqual(await place(), before);
      assert.deepEqual(await axeFindings(page), []);
      const off = { required: false, off: true, totp: false, passkeys: [], recovery_codes_left: 0 };
      await page.route('**/api/second-factor', (route) => route.fulfill({ json: off }));
      await page.route('**/api/roles', (route) => route.fulfill({ json: [{ role: 'admin', users: 1 }] }));
      await page.reload();
      await page.getByText(/^First steps 1 of 1 left$/).waitFor();
      await page.getByRole('link', { name: 'First steps' }).click();
      await page.waitForURL(`${instance.url}/postern/settings/account`);
    }));

  it('says once why no picture comes, to an admin with the way to Status, and is silent when pictures come again', async (t) => {
    const { answer } = nvr;
    t.after(() => {
      nvr.answer = answer;
    });
    const expected = { expectedStatuses: [502], expectedErrors: [/net::ERR_INTERNET_DISCONNECTED/] };
    await visit(t, { viewport: { width: 1280, height: 800 }, ...expected }, async (page) => {
      const notice = page.locator('.notice-warn');
      await page.clock.install();
      /** Longer than a picture stays one of now, and shorter than one that is asked for is waited for. */
      const passTime = () => page.clock.fastForward(6500);
      await enter(page, instance, ADMIN_PERSON, '/postern/');
      await until('pictures come', async () => (await shown(page).count()) > 0);
      // One camera without a picture has its tile for that.
      nvr.answer = (request, response, record) =>
        request.url?.startsWith('/api/cam2/') ? void response.writeHead(502).end() : answer(request, response, record);
      await passTime();
      await tiles(page).nth(1).getByText('No picture at the moment').waitFor();
      await hasCount(notice, 0);
      nvr.answer = (request) => void request.socket.destroy();
      await passTime();
      await passTime();
      await notice.getByText('The NVR does not answer').waitFor();
      await hasCount(notice, 1);
      assert.deepEqual(await axeFindings(page), []);
      nvr.answer = answer;
      await notice.waitFor({ state: 'detached' });
      await page.context().setOffline(true);
      await passTime();
      await passTime();
      await notice.getByText('The server cannot be reached.').waitFor();
      await page.context().setOffline(false);
      await notice.waitFor({ state: 'detached' });
      nvr.answer = (request) => void request.socket.destroy();
      await passTime();
      await passTime();
      await notice.getByRole('link', { name: 'Status' }).click();
      await page.waitForURL(`${instance.url}/postern/status`);
    });
  });

  it('is where a guest lands after the login, in front of an NVR, whose own pages are one press away', async (t) => {
    const admin = await instance.logIn(ADMIN_PERSON);
    const guest = { name: 'gast', password: 'SunnyWeekend!99' };
    const made = await sendJson(
      instance,
      '/api/users',
      {
        username: guest.name,
        password: guest.password,
        role: 'viewer',
        valid_until: Math.floor(Date.now() / 1000) + 3600,
      },
      admin,
    );
    assert.ok(made.ok);
    await visit(t, {}, async (page) => {
      await page.goto(`${instance.url}/login`);
      await page.getByLabel('User').fill(guest.name);
      await page.getByLabel('Password', { exact: true }).fill(guest.password);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.waitForURL(`${instance.url}/postern/`);
      await hasCount(tiles(page), 40);
      await page.getByRole('link', { name: 'Cameras' }).click();
      await page.waitForURL(`${instance.url}/`);
    });
  });

  it('leads to the events where there is no NVR, as after the first start with sample events', async (t) => {
    const alone = await startPagesInstance();
    t.after(() => alone.close());
    await visit(t, PHONE, async (page) => {
      await enter(page, alone, ADMIN_PERSON, '/postern/');
      await page.getByText('Keine Livebilder').waitFor();
      await page.locator('main').getByRole('link', { name: 'Ereignisse' }).click();
      await page.locator('.event').first().waitFor();
    });
  });

  it('leaves old addresses of Explore working', async (t) => {
    await visit(t, {}, async (page) => {
      await enter(page, instance, VERA, '/postern/?camera=cam2&label=car');
      await page.waitForURL(`${instance.url}/postern/explore?camera=cam2&label=car`);
    });
  });
});
