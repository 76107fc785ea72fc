/** A real Chromium for a test file: any console error, exception or policy violation on a page fails the test. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { openBrowser } from './chromium.ts';

export { skip } from './chromium.ts';

/** For a slow machine under load; what is right appears in a tenth of a second. */
const PATIENCE_MILLISECONDS = 60_000;

const FAILURES = join(import.meta.dirname, '../failures');

export interface VisitOptions extends BrowserContextOptions {
  /** Statuses that the test provokes on purpose: the browser logs each as an error. */
  readonly expectedStatuses?: readonly number[];
  /** Exceptions that the test provokes on purpose. */
  readonly expectedErrors?: readonly RegExp[];
}

export type RequestContext = (
  test: TestContext,
  options: VisitOptions,
  walk: (page: Page) => Promise<void>,
) => Promise<void>;

let browser: Promise<Browser> | undefined;
let mayShare = true;

/** Gives this file a browser of its own: a page that asks for a passkey must have the focus, which another file's page may take. */
export const keepFocus = (): void => {
  mayShare = false;
};

after(async () => (await browser)?.close());

export const visit: RequestContext = async (test, { expectedStatuses = [], expectedErrors = [], ...options }, walk) => {
  browser ??= openBrowser(mayShare);
  const context = await (await browser).newContext({
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    permissions: ['clipboard-write'], // which a whole Chromium gives to a page in focus
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MILLISECONDS);
  const complaints = listenForComplaints(page, expectedStatuses, expectedErrors);
  try {
    await walk(page);
    assert.deepEqual(complaints, []);
  } catch (failure) {
    await keepScreenshot(page, test.name);
    throw failure;
  } finally {
    await context.close();
  }
};

function listenForComplaints(
  page: Page,
  expectedStatuses: readonly number[],
  expectedErrors: readonly RegExp[],
): string[] {
  const complaints: string[] = [];
  const isExpected = (text: string): boolean =>
    expectedStatuses.some((status) => text.includes(`status of ${status} `)) ||
    expectedErrors.some((error) => error.test(text));
  page.on('pageerror', ({ message }) => isExpected(message) || complaints.push(message));
  page.on('console', (line) => {
    if (line.type() !== 'error' || isExpected(line.text())) return;
    complaints.push(`${line.text()} ${line.location().url}`);
  });
  return complaints;
}

async function keepScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(FAILURES, { recursive: true });
  const file = `${name.replaceAll(/[^\w]+/g, '-').slice(0, 80)}.png`;
  const path = join(FAILURES, file);
  // A page can be too long for one picture. Without any the failure itself is still to be told.
  await page
    .screenshot({ path, fullPage: true })
    .catch(() => page.screenshot({ path }))
    .catch(() => undefined);
}

/** Waits until so many are there: what an act changes may follow it by a moment. */
export async function hasCount(locator: Locator, count: number): Promise<void> {
  await locator.nth(count).waitFor({ state: 'detached' });
  if (count > 0) await locator.nth(count - 1).waitFor({ state: 'attached' });
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A button that was pressed, or a dialog that opens, has other colours for a moment. */
const MOST_LOOKS = 5;
const SETTLED = `Promise.all(document.getAnimations()
  .filter(({ effect, playState }) => playState === 'running' && effect.getComputedTiming().iterations !== Infinity)
  .map(({ finished }) => finished.catch(() => {}))).then(() => {})`;

/** What axe finds wrong with the page once it stands still, as `rule: element`; the policy of the page does not bind it. */
export async function axeFindings(page: Page, within = 'html'): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  let findings: string[] = [];
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    await page.evaluate(SETTLED);
    findings = await findingsNow(page, within);
    if (findings.length === 0) break;
  }
  return findings;
}

function findingsNow(page: Page, within: string): Promise<string[]> {
  return page.evaluate(`axe
    .run(${JSON.stringify(within)}, { resultTypes: ['violations'] })
    .then(({ violations }) => violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`);
}

const CONTRAST = `(element) => {
  const { color, backgroundColor, opacity } = getComputedStyle(element);
  const luminance = (text) => {
    const [red, green, blue] = text.match(/[\\d.]+/g).map((part) => {
      const share = Number(part) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark, light] = [luminance(color), luminance(backgroundColor)].sort((one, other) => one - other);
  return opacity === '1' ? (light + 0.05) / (dark + 0.05) : 0;
}`;

/** Of the text of an element to its own background, as WCAG computes it; axe leaves disabled buttons out. */
export const contrastOf = (page: Page, selector: string): Promise<number> =>
  page.evaluate(`(${CONTRAST})(document.querySelector(${JSON.stringify(selector)}))`) as Promise<number>;

/** For the page: no test can send a tab behind another one. */
export const seeOrHide = (page: Page, state: 'hidden' | 'visible'): Promise<unknown> =>
  page.evaluate(`
    Object.defineProperty(document, 'hidden', { value: ${state === 'hidden'}, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  `);
