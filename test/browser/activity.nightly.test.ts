/** Activity in the browser: its filters are in the address of the page, which can be kept, sent and gone back to (SPEC 14). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ADMIN_PERSON } from '../support/people.ts';
import type { Runtime } from '../support/start-instance.ts';
import { hasCount, skip, visit } from './support/browser.ts';
import { FULL_ACTIVITY, FULL_DAYS } from './support/full-activity.ts';
import { enter, startPagesInstance } from './support/pages-instance.ts';

describe('Activity', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance();
  });
  after(() => instance.close());

  const asked = (page: Page, part: string) =>
    page.waitForRequest((request) => request.url().includes('/api/ledger?') && request.url().includes(part));
  const chosen = async (page: Page): Promise<readonly string[]> =>
    Promise.all(
      ['Person', 'Camera', 'What', 'Time'].map((label) => page.getByLabel(label, { exact: true }).inputValue()),
    );
  const searchOf = (page: Page): string => new URL(page.url()).search;

  it('begins with the filters in its address, of which unknown values count for nothing', (t) =>
    visit(t, {}, async (page) => {
      const request = asked(page, 'kind=login-failed');
      await enter(page, instance, ADMIN_PERSON, '/postern/activity?user=zoe&camera=cam2&group=failed&range=always');
      const query = new URL((await request).url()).searchParams;
      assert.deepEqual([query.get('user'), query.get('camera')], ['zoe', 'cam2']);
      await page.locator('.activity-filters').waitFor();
      assert.deepEqual(await chosen(page), ['zoe', 'cam2', 'failed', 'days7']);
    }));

  it('has what is chosen in its address, so that a reload and the way back keep it', (t) =>
    visit(t, {}, async (page) => {
      await enter(page, instance, ADMIN_PERSON, '/postern/activity');
      await page.locator('.activity-filters').waitFor();
      assert.equal(searchOf(page), '');
      assert.equal(await page.title(), 'Activity · Postern');
      await page.getByLabel('What', { exact: true }).selectOption('logins');
      await page.waitForURL(/\?group=logins$/);
      await page.getByLabel('Person', { exact: true }).focus();
      const carl = page.getByLabel('Person', { exact: true }).locator('option', { hasText: 'carl' });
      await carl.waitFor({ state: 'attached' });
      await page.getByLabel('Person', { exact: true }).selectOption('admin');
      await page.waitForURL(/user=admin/);
      assert.deepEqual([...new URLSearchParams(searchOf(page))].sort(), [
        ['group', 'logins'],
        ['user', 'admin'],
      ]);
      await page.reload();
      await page.locator('.activity-filters').waitFor();
      assert.deepEqual(await chosen(page), ['admin', '', 'logins', 'days7']);
      await page.goBack();
      await page.waitForURL(/\?group=logins$/);
      await page.locator('.activity-filters').waitFor();
      assert.deepEqual(await chosen(page), ['', '', 'logins', 'days7']);
    }));

  it('stands below its days, and says of what is watched now that it goes on, of nothing else', (t) =>
    visit(t, { viewport: { width: 390, height: 844 } }, async (page) => {
      const now = Math.floor(Date.now() / 1000);
      const record = (kind: string, id: string, from: number) => ({
        ...{ kind, id, from, to: from, user: 'vera', credential: 'session', address: '192.0.2.1', hash: null },
        ...{ camera: kind === 'live' ? 'cam1' : null, detail: {} },
      });
      const json = [record('live', 'a', now), record('login-failed', 'b', now), record('login', 'c', now - 86_400)];
      await page.route('**/api/ledger?*', (route) => route.fulfill({ json }));
      await enter(page, instance, ADMIN_PERSON, '/postern/activity');
      await page.locator('.record').last().waitFor();
      assert.deepEqual(await page.locator('.record-group').allInnerTexts(), ['Today', 'Yesterday']);
      const texts = await page.locator('.record-name').allInnerTexts();
      assert.deepEqual(
        texts.map((text) => / now$/.test(text)),
        [true, false, false],
      );
      // A row is its sentence, and one line of facts.
      const heights = await page.evaluate("[...document.querySelectorAll('.record')].map((row) => row.clientHeight)");
      assert.ok(
        (heights as number[]).every((height) => height < 90),
        String(heights),
      );
    }));

  it('names who watched in a line of its own on a phone, and below the plot where there is room, also once it is turned', (t) =>
    visit(t, { viewport: { width: 390, height: 844 } }, async (page) => {
      const json = FULL_DAYS.map((day, at) => ({ ...day, user: ['vera', 'zoe', 'carl', 'anna'][at % 4] }));
      await page.route('**/api/ledger?*', (route) => route.fulfill({ json: FULL_ACTIVITY }));
      await page.route('**/api/ledger/days*', (route) => route.fulfill({ json }));
      await enter(page, instance, ADMIN_PERSON, '/postern/activity');
      await page.locator('.legend-place > summary').waitFor();
      assert.equal(await page.locator('.legend').isVisible(), false);
      await page.setViewportSize({ width: 844, height: 390 });
      await page.locator('.legend').waitFor();
    }));

  it('tells of one camera with a way to it, leaves out a column without anything, and says what nobody watched', (t) =>
    visit(t, { viewport: { width: 1280, height: 860 } }, async (page) => {
      const act = (id: string, detail: object, more: object = {}) => ({
        ...{ id, kind: 'change', from: 1, to: 1, user: 'admin', credential: 'session', address: '192.0.2.1' },
        ...{ camera: null, detail, hash: null, ...more },
      });
      const stranger = { what: 'login', reason: 'bad-credentials', names: 'eve' };
      const drawn = act('a', { what: 'curtain-drawn', camera: 'cam2' });
      let json: object[] = [drawn, act('b', stranger, { kind: 'login-failed', user: null })];
      await page.route(/\/api\/ledger\?/, (route) => route.fulfill({ json }));
      await enter(page, instance, ADMIN_PERSON, '/postern/activity');
      await page.locator('.record', { hasText: 'No such user' }).getByText('eve').first().waitFor();
      await page.getByRole('columnheader', { name: 'Camera' }).waitFor();
      // The search is one of the filters.
      const search = page.locator('.activity-filters').getByRole('searchbox', { name: 'Search: Activity' });
      await search.fill('eve');
      await hasCount(page.locator('.record'), 0);
      await search.fill('curtain');
      await hasCount(page.locator('.record'), 1);
      json = [act('c', { what: 'logout' }, { kind: 'logout' })];
      await page.getByRole('button', { name: 'Who watched cam2?' }).click();
      await page.waitForURL(/camera=cam2/);
      await search.fill('');
      await page.locator('.record', { hasText: 'Logged out' }).first().waitFor();
      await hasCount(page.getByRole('columnheader', { name: 'Camera' }), 0);
      json = [];
      await page.getByLabel('Time', { exact: true }).selectOption('yesterday');
      await page.getByText('Nobody watched cam2 in this time.').waitFor();
    }));

  it('keeps the records that are shown when the next ones cannot be had, says so, and goes on from there', (t) =>
    visit(t, { expectedStatuses: [503] }, async (page) => {
      const record = (id: string) => ({
        ...{ id, kind: 'login', from: 1, to: 1, user: 'vera', credential: 'session', address: '192.0.2.1' },
        ...{ camera: null, detail: {}, hash: null },
      });
      const headers = { link: '<api/ledger?page_after=a>; rel="next"' };
      let isBroken = true;
      await page.route(/\/api\/ledger\?/, (route) => {
        if (!route.request().url().includes('page_after')) return route.fulfill({ json: [record('a')], headers });
        if (isBroken) return route.fulfill({ status: 503, json: { reason: 'store-unavailable' } });
        return route.fulfill({ json: [record('b')] });
      });
      await enter(page, instance, ADMIN_PERSON, '/postern/activity?group=logins');
      await page.getByRole('button', { name: 'Show more' }).click();
      const notice = page.getByRole('alert').getByText('This is not the latest state: The store cannot be read');
      await notice.waitFor();
      await hasCount(page.locator('.record'), 1);
      isBroken = false;
      await page.getByRole('button', { name: 'Show more' }).click();
      await notice.waitFor({ state: 'detached' });
      await page.locator('.record').first().waitFor();
    }));

  it('keeps its filter and its records when those of another filter cannot be had, says so beside the filter, and tries again', (t) =>
    visit(t, { expectedStatuses: [503, 403] }, async (page) => {
      const record = (id: string) => ({
        ...{ id, kind: 'login', from: 1, to: 1, user: 'vera', credential: 'session', address: '192.0.2.1' },
        ...{ camera: null, detail: {}, hash: null },
      });
      const headers = { link: '<api/ledger?page_after=a>; rel="next"' };
      let status = 200;
      await page.route(/\/api\/ledger\?/, (route) =>
        status === 200
          ? route.fulfill({ json: [record('a')], headers })
          : route.fulfill({ status, json: { reason: 'store-unavailable' } }),
      );
      await enter(page, instance, ADMIN_PERSON, '/postern/activity');
      await page.locator('.record').first().waitFor();
      status = 503;
      await page.getByLabel('What', { exact: true }).selectOption('logins');
      const notice = page.locator('.activity-filters + .notice[role="alert"]');
      await notice.getByText('This is not the latest state: The store cannot be read').waitFor();
      await hasCount(page.locator('.record'), 1);
      await hasCount(page.getByRole('button', { name: 'Show more' }), 0);
      // What is refused is no outage: its records go.
      status = 403;
      await page.getByLabel('What', { exact: true }).selectOption('changes');
      await hasCount(page.locator('.record'), 0);
      assert.deepEqual(await chosen(page), ['', '', 'changes', 'days7']);
      status = 200;
      await notice.getByRole('button', { name: 'Try again' }).click();
      await notice.waitFor({ state: 'detached' });
      await hasCount(page.locator('.record'), 1);
    }));
});
