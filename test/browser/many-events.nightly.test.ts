/** Ten thousand events in one list: few of them are on the page at any time, and the place in it is kept (SPEC 8). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ADMIN_PERSON } from '../support/people.ts';
import type { Runtime } from '../support/start-instance.ts';
import { skip, visit } from './support/browser.ts';
import { askForPagesOf, enter, manyEvents, startPagesInstance } from './support/pages-instance.ts';

const COUNT = 10_000;
/** What is on the screen and near it, in pieces of sixty. */
const MOST_ROWS = 360;

/** After the browser has drawn twice: the pieces come and go between two drawings. */
const scrollTo = (page: Page, share: number): Promise<unknown> =>
  page.evaluate(`new Promise((done) => {
    scrollTo(0, ${share} * (document.documentElement.scrollHeight - innerHeight));
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)));
  })`);

const seenInTheMiddle = (page: Page): Promise<string | null> =>
  page.evaluate(`document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest('.event')?.textContent ?? null`);

describe('A list of ten thousand events', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance({}, manyEvents(COUNT));
  });
  after(() => instance.close());

  it('has few rows on the page, and no gap in the visible part', (t) =>
    visit(t, {}, async (page) => {
      // So that the test need not turn a hundred and sixty pages.
      await askForPagesOf(page, 2500);
      await enter(page, instance, ADMIN_PERSON);
      // A wide window begins with the gallery, where the middle lies between two pictures.
      await page.getByRole('radio', { name: 'List' }).check();
      await page.locator('.event').first().waitFor();
      const end = page.getByText('No more events.');
      // A page of the list comes with each turn, or after several where the machine is busy: the clock bounds it, not a count.
      const deadline = Date.now() + 90_000;
      while (!(await end.isVisible()) && Date.now() < deadline) await scrollTo(page, 1);
      await end.waitFor();
      const seen: (string | null)[] = [];
      for (const share of [0.99, 0.75, 0.5, 0.25, 0.01, 0.25, 0.5]) {
        await scrollTo(page, share);
        const rows = await page.locator('.event').count();
        assert.ok(rows > 0 && rows <= MOST_ROWS, `${rows} rows at ${share}`);
        seen.push(await seenInTheMiddle(page));
      }
      assert.ok(seen.every((text) => text?.includes('cam1')));
      assert.equal(new Set(seen.slice(0, 5)).size, 5);
      await scrollTo(page, 1);
      const last = await page.locator('.event').last().innerText();
      await page.locator('.event').last().click();
      await page.locator('dialog').waitFor();
      assert.equal(await page.locator('.event.is-open').innerText(), last);
    }));
});
