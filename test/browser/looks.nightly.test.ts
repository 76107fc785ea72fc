/** The pages on small and large screens, in light and dark: nothing sticks out, everything can be read (SPEC 8). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { LANGUAGES } from '../../src/locales/languages.ts';
import { ADMIN_PERSON } from '../support/people.ts';
import type { Runtime } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { axeFindings, skip, visit } from './support/browser.ts';
import { FULL_ACTIVITY, FULL_DAYS } from './support/full-activity.ts';
import { FULL_REPORT, FULL_STATUS } from './support/full-status.ts';
import { enter, menu, pageEvents, startPagesInstance } from './support/pages-instance.ts';

/** The page, its bar, or what is open over it: none of these makes the page any wider. */
const sticksOut = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('html, .bar-nav, dialog[open], .menu[open] .menu-panel')].some((element) => {
    const { left, right } = element.getBoundingClientRect();
    return left < 0 || right > innerWidth || element.scrollWidth > element.clientWidth;
  })`);

/** WCAG 2.2, 1.4.3: text against the nearest background that is painted behind it. */
const FAINT_TEXTS = `(() => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (channel) => (channel / 255 <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * light(r) + 0.7152 * light(g) + 0.0722 * light(b);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const isSeen = (element) => element.checkVisibility() && element.getBoundingClientRect().width > 1;
  return [...document.querySelectorAll('body *')]
    .filter((element) => isSeen(element) && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .map((element) => {
      const [a, b] = [luminance(rgba(getComputedStyle(element).color)), luminance(behind(element))];
      return [element.textContent.trim().slice(0, 30), (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
    })
    .filter(([, ratio]) => ratio < 4.5);
})()`;

describe('The pages', { skip }, () => {
  let instance: Runtime;
  let token: string;
  before(async () => {
    // As many as fill a screen: each is looked at closely, again and again.
    instance = await startPagesInstance({}, (now) => pageEvents(now).slice(0, 12));
    token = await instance.logIn(ADMIN_PERSON);
    const body = JSON.stringify({ name: 'x'.repeat(60), cameras: ['patio_*', 'cam1'] });
    const headers = { 'Content-Type': 'application/json' };
    assert.equal((await instance.ask('/api/tokens', { token, method: 'POST', headers, body })).status, 201);
  });
  after(() => instance.close());

  // biome-ignore format: a table
  const screens: [colorScheme: 'light' | 'dark', width: number, locale: string, hasAxe: boolean][] = [
    ['light', 320,  'de-DE', false],
    ['dark',  360,  'de-DE', true ],
    ['light', 1440, 'en-GB', true ],
  ];
  for (const [colorScheme, width, locale, hasAxe] of screens) {
    const viewport = { width, height: 800 };
    const look = async (page: Page, where: string, changed?: string): Promise<void> => {
      assert.equal(await sticksOut(page), false, where);
      assert.deepEqual(await page.evaluate(FAINT_TEXTS), [], where);
      if (hasAxe) assert.deepEqual(await axeFindings(page, changed), [], where);
    };
    const lookAtAnswer = async (page: Page): Promise<void> => {
      const fields = page.locator('.access-question select');
      await fields.nth(0).selectOption('carl');
      await fields.nth(1).selectOption('cam2');
      await page.locator('.access-sentence').waitFor();
      await look(page, 'access: answer');
      await page.locator('.access-acts button').last().click();
      await page.locator('.view-as-profile').waitFor();
      await page.locator('.event').first().waitFor();
      await look(page, 'view as', '.view-as');
    };
    it(`fit and can be read on ${width} pixels in ${colorScheme}`, (t) =>
      visit(t, { colorScheme, viewport }, async (page) => {
        await page.goto(`${instance.url}/login`);
        await look(page, 'login');
        await enter(page, instance, ADMIN_PERSON);
        await page.locator('.plot-area path').first().waitFor();
        await look(page, 'explore');
        await page.locator('.event .score').first().click({ trial: true });
        for (const name of ['Camera:', 'Label:', 'Time:', 'More', 'Account:']) {
          await menu(page, name).click();
          await look(page, name, '.menu[open]');
          await page.keyboard.press('Escape');
        }
        await page.getByRole('radio', { name: 'Gallery' }).check();
        await look(page, 'gallery', '.events');
        await page.locator('.event .score').first().click({ trial: true });
        await page.locator('.event').first().click();
        await page.locator('dialog').waitFor();
        await look(page, 'details', '.details');
      }));

    it(`of the settings fit and can be read on ${width} pixels in ${colorScheme}`, (t) =>
      visit(t, { colorScheme, viewport, locale }, async (page) => {
        await page.route('**/api/status', (route) => route.fulfill({ json: FULL_STATUS }));
        await page.context().addCookies([{ name: 'frigate_token', value: token, url: instance.url }]);
        for (const section of ['users', 'roles', 'tokens', 'links', 'sessions', 'access', 'password', 'account']) {
          await page.goto(`${instance.url}/postern/settings/${section}`);
          await page.locator('.records-page:not(:has(.skeleton)) h1').waitFor();
          await look(page, section);
          if (section === 'access') await lookAtAnswer(page);
          if (!['users', 'roles', 'tokens'].includes(section)) continue;
          await page.locator('.page-head .button-strong').click();
          await page.locator('dialog[open]').waitFor();
          await look(page, `${section}: form`, 'dialog');
        }
        await page.goto(`${instance.url}/postern/status`);
        await page.locator('.tiles').waitFor();
        await page.route('**/api/status/doctor', (route) => route.fulfill({ json: FULL_REPORT }));
        const address = page.locator('.tile').filter({ hasText: 'nvr.example.com' });
        await address.locator('summary').click();
        await address.getByRole('button').click();
        await page.locator('.findings').waitFor();
        await look(page, 'status');
        await page.route('**/api/ledger?*', (route) => route.fulfill({ json: FULL_ACTIVITY }));
        await page.route('**/api/ledger/days?*', (route) => route.fulfill({ json: FULL_DAYS }));
        await page.goto(`${instance.url}/postern/activity`);
        await page.locator('.activity .plot-area path').first().waitFor();
        await page.locator('.record').last().waitFor();
        await look(page, 'activity');
      }));
  }

  for (const [tag] of LANGUAGES)
    it(`have room for the names in their bar on 320 pixels in ${tag}`, (t) =>
      visit(t, { viewport: { width: 320, height: 800 }, locale: tag }, async (page) => {
        await page.context().addCookies([{ name: 'frigate_token', value: token, url: instance.url }]);
        await page.goto(`${instance.url}/postern/settings/access`);
        await page.locator('.access-question').waitFor();
        assert.equal(await page.evaluate('document.documentElement.lang'), tag);
        assert.equal(await sticksOut(page), false);
      }));

  it('have room for users with long names and their menus, beside the list of sections', (t) =>
    visit(t, { viewport: { width: 1080, height: 800 } }, async (page) => {
      const users = ['guest.of.the.house.in.2026', 'neighbour_across_the_street'].map((username) => ({
        username,
        role: 'neighbours_and_their_friends',
        role_source: 'postern',
      }));
      await page.route('**/api/users', (route) => route.fulfill({ json: users }));
      await enter(page, instance, ADMIN_PERSON, '/postern/settings/users');
      await page.locator('.record').last().waitFor();
      assert.equal(await sticksOut(page), false);
      await menu(page, 'Actions: neighbour').click();
      assert.equal(await sticksOut(page), false);
    }));

  it('tell who watched a camera, and what a person saw, by one click each', (t) =>
    visit(t, {}, async (page) => {
      const asked: URL[] = [];
      await page.route('**/api/ledger?*', (route) => {
        const url = new URL(route.request().url());
        // The small pictures of lists are asked for apart.
        if (url.searchParams.get('kind') !== 'browse') asked.push(url);
        return route.fulfill({ json: FULL_ACTIVITY });
      });
      await enter(page, instance, ADMIN_PERSON);
      await page.getByRole('link', { name: 'Activity' }).click();
      await page
        .getByRole('button', { name: /^Who watched patio/ })
        .first()
        .click();
      await page
        .locator('select')
        .nth(1)
        .filter({ hasText: /^Everyone/ })
        .waitFor();
      await page.getByRole('button', { name: 'What did vera see?' }).first().click();
      await until('both were asked for', () => asked.length >= 3);
      const named = asked.map(({ searchParams }) => [searchParams.get('camera'), searchParams.get('user')]);
      assert.deepEqual(named.slice(-2), [
        ['patio_with_a_long_name_for_a_camera', null],
        [null, 'vera'],
      ]);
      assert.equal(asked.at(-1)?.searchParams.get('kind'), 'live,history,export');
      const csv = await page.getByRole('link', { name: 'Download CSV' }).getAttribute('href');
      assert.match(csv ?? '', /api\/ledger\?.*user=vera.*format=csv/);
    }));

  it('keep the theme that was chosen, also on the login page', (t) =>
    visit(t, { colorScheme: 'light' }, async (page) => {
      const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
      await enter(page, instance, ADMIN_PERSON);
      const light = await ground();
      await menu(page, 'Account:').click();
      await page.getByRole('radio', { name: 'Dark' }).check();
      const dark = await ground();
      assert.notEqual(dark, light);
      await page.goto(`${instance.url}/login`);
      assert.equal(await ground(), dark);
    }));

  it('have a page for what is refused, in the same dress', (t) =>
    visit(t, { expectedStatuses: [404] }, async (page) => {
      await enter(page, instance, ADMIN_PERSON);
      await page.goto(`${instance.url}/nothing/here`);
      await page.getByRole('heading', { name: 'Not found' }).waitFor();
      assert.match(await page.locator('.refusal-request').innerText(), /^Request ID \S+$/);
      assert.equal(await page.evaluate('document.styleSheets.length'), 1);
      assert.deepEqual(await page.evaluate(FAINT_TEXTS), []);
    }));
});
