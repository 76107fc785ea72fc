/** Forty cameras and 58 users: no page moves under the reader while it is filled, on a phone and on a desktop (SPEC 8). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ADMIN_PERSON } from '../support/people.ts';
import type { Runtime } from '../support/start-instance.ts';
import { skip, visit } from './support/browser.ts';
import { FULL_ACTIVITY, FULL_DAYS } from './support/full-activity.ts';
import { FULL_STATUS } from './support/full-status.ts';
import { enter, startPagesInstance } from './support/pages-instance.ts';

const CAMERAS = Array.from({ length: 40 }, (_, at) => `camera_${at}_of_the_club`);
const USERS = Array.from({ length: 58 }, (_, at) => ({
  username: `member_${at}`,
  role: ['viewer', 'gardener', 'admin'][at % 3],
  role_source: 'postern',
  second_factor: at % 2 === 0,
}));

/** The layout shifts that no input explains, summed up in the page. */
const WATCH_SHIFTS = `
  globalThis.shifted = 0;
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) shifted += value;
  }).observe({ type: 'layout-shift', buffered: true });`;

const PAINTED = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

const SETTINGS = [
  'users',
  'roles',
  'access',
  'security',
  'password',
  'account',
  'sessions',
  'links',
  'screens',
  'tokens',
];

describe('With forty cameras and 58 users', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance({
      nvr: { cameras: CAMERAS },
      auth: { roles: { gardener: { cameras: CAMERAS.slice(0, 9) } } },
    });
  });
  after(() => instance.close());

  const prepare = async (page: Page): Promise<void> => {
    await page.addInitScript(WATCH_SHIFTS);
    await page.route('**/api/users', (route) => route.fulfill({ json: USERS }));
    await page.route('**/api/status', (route) => route.fulfill({ json: FULL_STATUS }));
    // The tiles that come last: what was there before has been painted.
    for (const later of ['**/api/curtain', '**/api/status/limits'])
      await page.route(later, async (route) => {
        await page.evaluate(PAINTED);
        await route.continue();
      });
    await page.route('**/api/ledger?*', (route) => route.fulfill({ json: FULL_ACTIVITY }));
    await page.route('**/api/ledger/days?*', (route) => route.fulfill({ json: FULL_DAYS }));
  };
  /** All is there and has been painted. Explore keeps asking for what is new. */
  const settled = async (page: Page, path: string): Promise<void> => {
    if (path === '/postern/explore') await page.locator('.event').first().waitFor();
    else await page.waitForLoadState('networkidle');
    await page.evaluate(PAINTED);
  };

  for (const [device, width, height] of [
    ['a phone', 390, 800],
    ['a desktop', 1280, 1600],
  ] as const)
    it(`moves no page while it is filled, on ${device}`, (t) =>
      visit(t, { viewport: { width, height }, locale: 'de-DE' }, async (page) => {
        await prepare(page);
        const shifts: [page: string, shift: number][] = [];
        await page.goto(`${instance.url}/login`);
        for (const path of [
          '/login',
          '/postern/explore',
          '/postern/activity',
          '/postern/status',
          ...SETTINGS.map((name) => `/postern/settings/${name}`),
        ]) {
          if (path !== '/login') await enter(page, instance, ADMIN_PERSON, path);
          await page.locator('h1').waitFor();
          await settled(page, path);
          shifts.push([path, Math.round(Number(await page.evaluate('shifted')) * 1000) / 1000]);
        }
        assert.deepEqual(
          shifts.filter(([, shift]) => shift >= 0.02),
          [],
        );
      }));
});
