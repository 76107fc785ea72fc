/** Explore: the events, narrowed and looked at, in the address bar and by role (SPEC 8, interface 5.6). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type WebSocket, WebSocketServer } from 'ws';
import { openStore } from '../../src/store/open-store.ts';
import { event } from '../events/support/event.ts';
import { answerLikeAnNvr, type FakeNvr, type NvrAnswer, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { axeFindings, hasCount, seeOrHide, skip, visit } from './support/browser.ts';
import {
  askForPagesOf,
  enter,
  HOSTILE,
  manyEvents,
  menu,
  pageEvents,
  startPagesInstance,
} from './support/pages-instance.ts';

/** As high as all of the test's events: none of them is out of sight, and more of them come at once. */
const TALL = { viewport: { width: 1280, height: 7000 } };

const rowsOf = async (page: Page): Promise<number> => {
  await page.locator('.events[aria-busy=false] :is(.events-end, .blank)').waitFor();
  await page.locator('.event-rows:empty').first().waitFor({ state: 'detached' });
  return page.locator('.event').count();
};
/** The list before it may still be there for a moment. */
async function hasRows(page: Page, count: number): Promise<void> {
  await page.locator('.event').nth(count).waitFor({ state: 'detached' });
  await page
    .locator('.event')
    .nth(count - 1)
    .waitFor();
  assert.equal(await rowsOf(page), count);
}

/** What the tests use of a `<video>`. */
interface Player {
  readonly currentTime: number;
  play(): Promise<void>;
  addEventListener(type: string, listener: () => void): void;
}

const SECOND_OF_SILENCE = (() => {
  const samples = 8000;
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(samples, 24);
  head.writeUInt32LE(samples, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples, 40);
  return Buffer.concat([head, Buffer.alloc(samples, 128)]);
})();

const SNAPSHOT =
  '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="360"><rect width="640" height="360"/></svg>';

/** A sound in the place of a clip: every browser plays it. */
const answerWithMedia: NvrAnswer = (request, response, received) => {
  if (received.target.endsWith('/clip.mp4')) {
    const [, from = '0'] = /^bytes=(\d+)-/.exec(request.headers.range ?? '') ?? [];
    const body = SECOND_OF_SILENCE.subarray(Number(from));
    const range = `bytes ${from}-${SECOND_OF_SILENCE.length - 1}/${SECOND_OF_SILENCE.length}`;
    response.writeHead(206, { 'content-type': 'audio/wav', 'content-length': body.length, 'content-range': range });
    response.end(body);
  } else if (received.target.endsWith('/snapshot.jpg')) {
    response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(SNAPSHOT);
  } else answerLikeAnNvr(request, response, received);
};

/** The layout shifts that no input explains, summed up in the page. */
const WATCH_SHIFTS = `
  globalThis.shifted = 0;
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) shifted += value;
  }).observe({ type: 'layout-shift', buffered: true });`;

const searchOf = (page: Page): string => decodeURIComponent(new URL(page.url()).search);

describe('Explore', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance();
  });
  after(() => instance.close());

  it('shows the events, newest first', (t) =>
    visit(t, TALL, async (page) => {
      await enter(page, instance, ADMIN_PERSON);
      await hasRows(page, 72);
      const first = await page.locator('.event').first().innerText();
      assert.match(first, /^Person\s+Zoë\s+cam1\s+score\s+87%\s+\d\d:\d\d:\d\d\s+\d min ago\s+in progress$/);
      const time = page.locator('.event time').first();
      assert.match(String(await time.getAttribute('title')), /20\d\d.*\d\d:\d\d:\d\d/);
      assert.match(await page.locator('.event').nth(2).innerText(), /^Car\s+cam1.*1\u00A0min 5\u00A0secs$/s);
    }));

  it('asks for the profile with the page, before the script, and once', (t) =>
    visit(t, { locale: 'de-DE' }, async (page) => {
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await enter(page, instance, ADMIN_PERSON);
      await page.locator('.event').first().waitFor();
      const profiles = asked.flatMap((path, at) => (path === '/api/profile' ? [at] : []));
      assert.equal(profiles.length, 1);
      assert.ok(Number(profiles[0]) < asked.findIndex((path) => path.startsWith('/api/events')));
      assert.equal(asked.filter((path) => path.includes('/assets/de-')).length, 1);
    }));

  it('loads more when the end comes near, and keeps its place', (t) =>
    visit(t, {}, async (page) => {
      await askForPagesOf(page, 60);
      await enter(page, instance, ADMIN_PERSON);
      await page.locator('.event').first().waitFor();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      const button = page.getByRole('button', { name: 'Load more' });
      await button.scrollIntoViewIfNeeded();
      // By what a person sees: what comes late above moves the page below it, and the browser scrolls along.
      // One element, and no number of it: events of a day that is out of sight are taken out.
      const ofFirst = await page.locator('.event').nth(50).elementHandle();
      const place = await ofFirst?.boundingBox();
      await page.getByText('No more events.').waitFor();
      assert.equal(asked.filter((url) => url.includes('page_after=')).length, 1);
      const now = await ofFirst?.boundingBox();
      assert.ok(place && now && Math.abs(now.y - place.y) < 200, JSON.stringify({ place, now }));
    }));

  it('says at the end of the list that the next events cannot be had, and goes on from there', (t) =>
    visit(t, { expectedStatuses: [503] }, async (page) => {
      let isBroken = true;
      await askForPagesOf(page, 60);
      await page.route('**/api/events?*page_after=*', (route) =>
        isBroken ? route.fulfill({ status: 503, json: { reason: 'store-unavailable' } }) : route.fallback(),
      );
      await enter(page, instance, ADMIN_PERSON);
      await page.getByRole('button', { name: 'Load more' }).scrollIntoViewIfNeeded();
      await page.getByText('More events cannot be loaded: The store cannot be read').waitFor();
      isBroken = false;
      await page.getByRole('button', { name: 'Load more' }).click();
      await page.getByText('No more events.').waitFor();
    }));

  it('narrows by camera and by label, and says so in the address bar', (t) =>
    visit(t, TALL, async (page) => {
      await enter(page, instance, ADMIN_PERSON);
      await menu(page, 'Camera: Cameras').click();
      await page.getByRole('option', { name: 'cam2' }).click();
      await page.waitForURL('**/postern/explore?camera=cam2');
      await hasRows(page, 35);
      assert.deepEqual(new Set(await page.locator('.event-where').allInnerTexts()), new Set(['cam2']));
      await page.keyboard.press('Escape');
      await menu(page, 'Label: Labels').click();
      await page.getByRole('option', { name: 'person' }).click();
      await page.getByRole('heading', { name: 'No matching events' }).waitFor();
      assert.equal(searchOf(page), '?camera=cam2&label=person');
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await hasRows(page, 72);
      assert.equal(searchOf(page), '');
      await page.goBack();
      await page.getByRole('heading', { name: 'No matching events' }).waitFor();
    }));

  it('chooses cameras from suggestions by the keyboard alone, and says what is active and chosen', (t) =>
    visit(t, TALL, async (page) => {
      await enter(page, instance, ADMIN_PERSON);
      await page.locator('.event').first().waitFor();
      await menu(page, 'Camera: Cameras').focus();
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      const field = page.getByRole('combobox', { name: 'Camera' });
      await page.keyboard.type('2');
      const option = page.locator('.filter[open] .name-option');
      await hasCount(option, 1);
      assert.deepEqual(await option.allInnerTexts(), ['cam2']);
      await page.keyboard.press('ArrowDown');
      assert.equal(await field.getAttribute('aria-activedescendant'), await option.getAttribute('id'));
      await page.keyboard.press('Enter');
      await page.waitForURL('**/postern/explore?camera=cam2');
      await hasCount(option, 2);
      assert.deepEqual(await option.evaluateAll((all) => all.map((one) => one.getAttribute('aria-selected'))), [
        'false',
        'true',
      ]);
      assert.deepEqual(await axeFindings(page, '.filters'), []);
      await page.keyboard.press('Backspace');
      await page.waitForURL('**/postern/explore');
      await page.keyboard.type('nothing');
      await page.getByText('No suggestions').waitFor();
      await page.keyboard.press('Escape');
      assert.equal(await field.inputValue(), '');
      await page.keyboard.press('Escape');
      await field.waitFor({ state: 'hidden' });
    }));

  it('suggests what there is for zones and sub labels, and takes what is typed', (t) =>
    visit(t, { ...TALL, hasTouch: true }, async (page) => {
      await enter(page, instance, CARL);
      await page.locator('summary', { hasText: 'More' }).tap();
      await page.getByRole('combobox', { name: 'Sub labels' }).tap();
      await page.getByRole('option', { name: 'Zoë' }).tap();
      await page.waitForURL(/sub_labels=Zo/);
      await hasRows(page, 1);
      await page.getByRole('button', { name: 'Remove Zoë' }).tap();
      const plate = page.getByRole('combobox', { name: 'Licence plate' });
      await plate.fill('B-.*');
      await plate.press('Enter');
      await page.getByRole('heading', { name: 'No matching events' }).waitFor();
      assert.equal(searchOf(page), '?recognized_license_plate=B-.*');
    }));

  for (const width of [320, 390, 768, 1080, 1440])
    it(`opens its menus inside a window of ${width} pixels`, (t) =>
      visit(t, { viewport: { width, height: 900 } }, async (page) => {
        await enter(page, instance, ADMIN_PERSON);
        await page.locator('.event').first().waitFor();
        const menus = await page.locator('.menu > summary:visible').all();
        assert.ok(menus.length >= 4);
        for (const button of menus) {
          await button.click();
          const panel = page.locator('.menu[open] > .menu-panel');
          await panel.waitFor();
          await until('the panel is inside', async () => {
            const box = await panel.boundingBox();
            return box !== null && box.x >= 0 && box.x + box.width <= width;
          });
          await page.keyboard.press('Escape');
        }
      }));

  it('finds words of sub labels, and names common labels in German', (t) =>
    visit(t, { ...TALL, locale: 'de-DE' }, async (page) => {
      await enter(page, instance, ADMIN_PERSON);
      await page.getByRole('searchbox').fill('ZO');
      await page.waitForURL(/text=ZO/);
      await hasRows(page, 1);
      assert.match(await page.locator('.event').innerText(), /^Person\s+Zoë/);
      await page.locator('.filter summary').nth(1).click();
      await page.locator('.filter[open] .name-option', { hasText: 'Person' }).waitFor();
      assert.deepEqual((await page.locator('.filter[open] .name-option').allInnerTexts()).slice(-2), [
        'Auto',
        'Person',
      ]);
    }));

  it('narrows by time', (t) =>
    visit(t, TALL, async (page) => {
      await enter(page, instance, ADMIN_PERSON);
      await menu(page, 'Time: Last 7 days').click();
      await page.getByRole('button', { name: 'Last hour' }).click();
      await page.waitForURL('**/postern/explore?after=*');
      await hasRows(page, 5);
      // Nothing stands before the results.
      await page.locator('.moment').waitFor({ state: 'hidden' });
      await page.locator('summary', { hasText: 'Time: Since' }).click();
      const seen: string[] = [];
      page.on('framenavigated', () => seen.push(searchOf(page)));
      const [from, to] = await page.locator('.moment input').all();
      await from?.focus();
      for (const key of [...'08042020', 'Tab', ...'0205P']) await page.keyboard.press(key);
      await page.waitForURL('**/postern/explore?after=1596542700');
      await hasRows(page, 72);
      await to?.fill('2020-08-04T15:00');
      await page.getByRole('heading', { name: 'No matching events' }).waitFor();
      assert.equal(searchOf(page), '?after=1596542700&before=1596546000');
      assert.ok(seen.length <= 3, seen.join('\n'));
    }));

  it('names a whole day by its name', (t) =>
    visit(t, TALL, async (page) => {
      await enter(page, instance, ADMIN_PERSON);
      await menu(page, 'Time: Last 7 days').click();
      await page.locator('.filter[open]').getByRole('button', { name: 'Yesterday' }).click();
      await menu(page, 'Time: Yesterday').waitFor();
      // One press at the plot does the same.
      const press = (name: string) => page.locator('.overview').getByRole('button', { name });
      assert.equal(await press('Yesterday').getAttribute('aria-pressed'), 'true');
      await press('Today').click();
      await page.waitForURL(/[?]after=\d+$/);
      await menu(page, 'Time: Today').waitFor();
    }));

  it('narrows by the time of day, in the zone of the viewer', (t) =>
    visit(t, TALL, async (page) => {
      await enter(page, instance, ADMIN_PERSON);
      await page.locator('summary', { hasText: 'More' }).click();
      const asked = page.waitForRequest(/time_range=/);
      await page.getByRole('group', { name: 'Time of day' }).getByLabel('From').fill('08:30');
      const { searchParams } = new URL((await asked).url());
      assert.deepEqual(
        [searchParams.get('time_range'), searchParams.get('timezone')],
        ['08:30,24:00', 'Europe/Berlin'],
      );
    }));

  it('narrows by everything else that the API knows, and a link shows the same', (t) =>
    visit(t, TALL, async (page) => {
      await enter(page, instance, ADMIN_PERSON);
      await page.locator('summary', { hasText: 'More' }).click();
      await page.getByRole('checkbox', { name: 'in progress' }).check();
      await page.waitForURL(/in_progress=1/);
      await page.locator('.event', { hasText: 'car' }).first().waitFor({ state: 'detached' });
      await hasRows(page, 1);
      await page.getByRole('checkbox', { name: 'in progress' }).uncheck();
      await page.getByRole('combobox', { name: 'Sub labels' }).fill('zoë');
      await page.getByLabel('Minimum score (%)').fill('50');
      await page.getByLabel('Maximum score (%)').fill('90');
      await page.getByLabel('Maximum score (%)').press('Enter');
      await page.waitForURL(/max_score=0.9/);
      await page.locator('.event', { hasText: 'car' }).first().waitFor({ state: 'detached' });
      await hasRows(page, 1);
      const link = page.url();
      assert.equal(searchOf(page), '?sub_labels=Zoë&min_score=0.5&max_score=0.9');
      await page.goto('about:blank');
      await page.goto(link);
      await hasRows(page, 1);
      assert.match(await page.locator('summary', { hasText: 'More' }).innerText(), /More\s*3/);
      await page.locator('summary', { hasText: 'More' }).click();
      assert.equal(await page.getByLabel('Maximum score (%)').inputValue(), '90');
      await page.getByLabel('Minimum speed').fill('30');
      await page.getByLabel('Minimum speed').press('Enter');
      await page.getByRole('heading', { name: 'No matching events' }).waitFor();
      await page.getByRole('button', { name: 'Clear', exact: true }).click();
      await page.locator('summary', { hasText: 'More' }).click();
      await page.getByLabel('Sort by').selectOption('Oldest first');
      await page.waitForURL('**/postern/explore?sort=date_asc');
      await page.locator('.event').first().getByText('1 min 5 secs').waitFor();
      await hasRows(page, 72);
      assert.match(await page.locator('.event').last().innerText(), /Zoë/);
    }));

  it('names the day in every row when the order mixes the days', (t) =>
    visit(t, TALL, async (page) => {
      await enter(page, instance, ADMIN_PERSON, '/postern/explore?sort=score_desc');
      await hasRows(page, 72);
      await hasCount(page.locator('.day'), 1);
      assert.match(await page.locator('.event time').first().innerText(), /^\d+\u00A0\w+, \d+:\d\d$/);
    }));

  it('shows a link whose times no calendar knows as if they were not there', (t) =>
    visit(t, TALL, async (page) => {
      await enter(page, instance, ADMIN_PERSON, '/postern/explore?after=1e300&before=-1e300');
      await hasRows(page, 72);
    }));

  it('draws a small plot of the newest days, to be read, clicked and dragged over, and nothing moves meanwhile', (t) =>
    visit(t, TALL, async (page) => {
      await page.addInitScript(WATCH_SHIFTS);
      await enter(page, instance, ADMIN_PERSON, '/postern/explore?after=0');
      const plot = page.locator('.plot-area');
      await page.locator('.plot-area path').waitFor();
      assert.equal(await page.locator('.overview-stretch').innerText(), 'Detections a day');
      await hasCount(page.locator('.plot-shaded'), 0);
      const { height: whole } = (await page.locator('.plot').boundingBox()) ?? assert.fail('the plot has no place');
      assert.ok(whole <= 100, `${whole} pixels`);
      const { x, y, width, height } = (await plot.boundingBox()) ?? assert.fail('the plot has no place');
      await page.mouse.move(x + width - 1, y + height / 2);
      await page.locator('.overview-stretch', { hasText: /20\d\d: \d+$/ }).waitFor();
      assert.deepEqual(await plot.boundingBox(), { x, y, width, height });
      assert.ok(Number(await page.evaluate('shifted')) < 0.02);
      await page.mouse.down();
      await page.mouse.move(x + width * 0.9, y + height / 2, { steps: 4 });
      await page.mouse.up();
      await page.waitForURL(/[?]after=\d+&before=\d+$/);
      await hasRows(page, 72);
      await page.mouse.click(x + width * 0.5, y + height - 4);
      await page.getByRole('heading', { name: 'No matching events' }).waitFor();
      const { searchParams } = new URL(page.url());
      const seconds = Number(searchParams.get('before')) - Number(searchParams.get('after'));
      assert.ok(seconds >= 23 * 3600 && seconds <= 25 * 3600, `${seconds} s`);
    }));

  it('is asked for by cameras, labels and zone alone, and hidden where another filter makes it untrue', (t) =>
    visit(t, TALL, async (page) => {
      const asked = page.waitForRequest(/\/api\/events\/days\?/);
      await enter(page, instance, ADMIN_PERSON, '/postern/explore?camera=cam2&label=car&sort=date_asc');
      const { searchParams } = new URL((await asked).url());
      assert.deepEqual([...searchParams.keys()].sort(), ['cameras', 'labels', 'timezone']);
      assert.deepEqual([searchParams.get('cameras'), searchParams.get('labels')], ['cam2', 'car']);
      assert.deepEqual(await axeFindings(page, '.overview'), []);
      await page.goto(`${instance.url}/postern/explore?min_score=0.5`);
      await page.locator('.event').first().waitFor();
      await hasCount(page.locator('.plot-area'), 0);
    }));

  it('is chosen from by keys, and by touch only when that is asked for', (t) =>
    visit(t, { ...TALL, hasTouch: true }, async (page) => {
      await enter(page, instance, ADMIN_PERSON);
      const plot = page.getByRole('slider', { name: 'Detections a day' });
      await page.locator('.plot-area path').waitFor();
      await plot.focus();
      for (const key of ['End', 'Shift+ArrowLeft', 'Shift+PageDown']) await page.keyboard.press(key);
      assert.match(String(await plot.getAttribute('aria-valuetext')), / – .*: 72$/);
      await page.keyboard.press('Enter');
      await page.waitForURL(/[?]after=\d+&before=\d+$/);
      await hasRows(page, 72);
      const { x, y, width, height } = (await plot.boundingBox()) ?? assert.fail('the plot has no place');
      await page.goto(`${instance.url}/postern/explore`);
      await page.locator('.plot-area path').waitFor();
      await page.touchscreen.tap(x + width * 0.5, y + height / 2);
      await page.getByRole('button', { name: 'Zoom in' }).waitFor();
      assert.equal(searchOf(page), '');
      await page.getByRole('button', { name: 'Zoom in' }).tap();
      await page.waitForURL(/[?]after=\d+&before=\d+$/);
    }));

  it('is called reviews a day where the NVR counts', async (t) => {
    const nvr = await startFakeNvr();
    nvr.answer = (request, response, received) =>
      received.target.startsWith('/api/review/summary')
        ? response.end('{"2026-11-22":{"total_alert":2,"total_detection":1}}')
        : answerLikeAnNvr(request, response, received);
    const other = await startInstance({ people: [ADMIN_PERSON], config: { nvr: { url: nvr.url, cameras: ['cam1'] } } });
    t.after(() => Promise.all([other.close(), nvr.close()]));
    await visit(t, TALL, async (page) => {
      await enter(page, other, ADMIN_PERSON, '/postern/explore');
      await page.locator('.plot-area path').waitFor();
      assert.equal(await page.locator('.overview-stretch').innerText(), 'Reviews a day');
    });
  });

  it('begins with the last seven days, compressed, and shades them in the plot', (t) =>
    visit(t, TALL, async (page) => {
      const asked = page.waitForResponse(/\/api\/events\?/);
      await enter(page, instance, ADMIN_PERSON);
      const weekAgo = Date.now() / 1000 - 7 * 86_400;
      const response = await asked;
      const after = Number(new URL(response.url()).searchParams.get('after'));
      assert.ok(after <= weekAgo && after > weekAgo - 7200, `${after}`);
      assert.equal(response.headers()['content-encoding'], 'br');
      // It begins within a day.
      assert.match(String(await page.locator('.plot-shaded').getAttribute('width')), /^[78]$/);
    }));

  it('keeps what is shown without a network, says so, is not live meanwhile, and goes on by itself', (t) =>
    visit(t, { ...TALL, expectedErrors: [/ERR_INTERNET_DISCONNECTED/] }, async (page) => {
      await enter(page, instance, ADMIN_PERSON, '/postern/explore?label=car');
      const rows = await rowsOf(page);
      await page.locator('.live-open').waitFor();
      await page.context().setOffline(true);
      await page.locator('.live-waiting').waitFor();
      await page.getByRole('button', { name: 'Refresh' }).click();
      const notice = page.getByRole('alert').getByText('This is not the latest state: The server cannot be reached');
      await notice.waitFor();
      assert.equal(await page.locator('.event').count(), rows);
      await page.locator('.plot-area path').waitFor();
      await page.locator('.live-waiting').waitFor();
      await page.context().setOffline(false);
      await page.locator('.live-open').waitFor();
      await notice.waitFor({ state: 'detached' });
    }));

  it('shows nothing any more once it is refused', (t) =>
    visit(t, { ...TALL, expectedErrors: [/403/] }, async (page) => {
      await enter(page, instance, ADMIN_PERSON, '/postern/explore?label=car');
      await rowsOf(page);
      const over = { status: 403, contentType: 'application/json', body: '{"reason":"account-ended"}' };
      await page.route('**/api/events**', (route) => route.fulfill(over));
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.locator('.event').first().waitFor({ state: 'detached' });
      assert.equal(await page.locator('.event').count(), 0);
      assert.equal(await page.locator('.plot-area path').count(), 0);
    }));

  it('shows everything about one event, by a link that can be shared', (t) =>
    visit(t, {}, async (page) => {
      await enter(page, instance, ADMIN_PERSON);
      await page.locator('.event').first().click();
      const details = page.getByRole('dialog', { name: 'person' });
      await details.waitFor();
      assert.match(searchOf(page), /^\?event=\d+-person$/);
      assert.match(await details.innerText(), /Sub label\s+Zoë/);
      assert.doesNotMatch(await details.innerText(), /Ended|Zones|ID|–/);
      await details.getByText('Technical details').click();
      assert.match(await details.innerText(), /ID\s+\d+-person/);
      assert.match(await details.locator('pre').innerText(), /"thumbnail": "\w{24}… \(\d+ characters\)"/);
      await page.reload();
      await details.waitFor();
      await details.getByRole('button', { name: 'Close details' }).click();
      await details.waitFor({ state: 'detached' });
      assert.equal(searchOf(page), '');
    }));

  it('leads from event to event, over the end of what is loaded, and back to the row', (t) =>
    visit(t, { viewport: { width: 360, height: 800 } }, async (page) => {
      await askForPagesOf(page, 24);
      await enter(page, instance, ADMIN_PERSON);
      await page.locator('.event').first().click();
      const details = page.locator('dialog');
      await details.getByText('Technical details').click();
      const [previous, next] = ['Previous event', 'Next event'].map((name) => page.getByRole('button', { name }));
      assert.ok(previous && next);
      assert.equal(await previous.getAttribute('aria-disabled'), 'true');
      assert.equal(await next.getAttribute('aria-disabled'), 'false');
      for (let steps = 1; steps <= 26; steps++) {
        await next.click();
        const id = new RegExp(steps === 1 ? '-hostile$' : `-car${steps - 2}$`);
        await details.locator('dd').filter({ hasText: id }).waitFor();
      }
      await page.keyboard.press('Escape');
      await details.waitFor({ state: 'detached' });
      await page.waitForFunction("document.activeElement?.dataset.event?.endsWith('-car24')");
      assert.equal(searchOf(page), '');
      await page.goBack();
      assert.equal(page.url(), `${instance.url}/postern/explore`);
    }));

  it('says of a link to an event that is gone that it is', (t) =>
    visit(t, { expectedStatuses: [404] }, async (page) => {
      await enter(page, instance, ADMIN_PERSON, '/postern/explore?event=1.5-gone');
      await page.getByRole('alert').getByText('deleted, or your role may not see it').waitFor();
      assert.equal(await page.locator('dialog').count(), 0);
    }));

  it('shows an event that is too old for the first page when a link names it', (t) =>
    visit(t, {}, async (page) => {
      await enter(page, instance, ADMIN_PERSON);
      const answer = await page.request.get(`${instance.url}/api/events?limit=1&sort=date_asc`);
      const [oldest] = await answer.json();
      await page.goto(`${instance.url}/postern/explore?event=${oldest.id}`);
      const details = page.getByRole('dialog', { name: 'car' });
      await details.getByText('Technical details').click();
      await details.getByText(oldest.id, { exact: true }).waitFor();
    }));

  it('gives the focus back to the row when the details are closed by Escape', (t) =>
    visit(t, {}, async (page) => {
      await enter(page, instance, ADMIN_PERSON);
      await page.locator('.event').nth(1).focus();
      await page.keyboard.press('Enter');
      await page.locator('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
      const focused = '[...document.querySelectorAll(".event")].indexOf(document.activeElement)';
      await until('the row has the focus again', async () => (await page.evaluate(focused)) === 1);
    }));

  it('takes hostile names for what they are: text', (t) =>
    visit(t, {}, async (page) => {
      const dialogs: string[] = [];
      page.on('dialog', (dialog) => {
        dialogs.push(dialog.message());
        void dialog.dismiss();
      });
      await enter(page, instance, ADMIN_PERSON);
      const row = page.locator('.event').nth(1);
      assert.equal(await row.locator('.event-label').textContent(), HOSTILE.label);
      assert.equal(await row.locator('.event-zone').textContent(), HOSTILE.zone);
      assert.equal(await row.locator('.event-sub-label').textContent(), HOSTILE.subLabel);
      await row.click();
      await page.locator('dialog').getByText('Technical details').click();
      await page.goto(
        `${instance.url}/postern/explore?${new URLSearchParams({ label: HOSTILE.label, camera: HOSTILE.zone })}`,
      );
      await page.getByRole('heading', { name: 'No matching events' }).waitFor();
      assert.equal(await page.evaluate('document.querySelectorAll("img[onerror], #console script").length'), 0);
      assert.deepEqual(dialogs, []);
    }));

  it('shows a restricted role its own cameras alone', (t) =>
    visit(t, TALL, async (page) => {
      await enter(page, instance, CARL);
      await hasRows(page, 37);
      await menu(page, 'Camera: Cameras').click();
      const option = page.locator('.filter[open] .name-option');
      await hasCount(option, 1);
      assert.deepEqual(await option.allInnerTexts(), ['cam1']);
    }));

  it('says that a camera is not for this role, and offers a way out', (t) =>
    visit(t, { ...TALL, expectedStatuses: [403] }, async (page) => {
      await enter(page, instance, CARL, '/postern/explore?camera=cam2');
      assert.match(await page.getByRole('alert').innerText(), /Your role does not include this camera/);
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await hasRows(page, 37);
    }));

  it('does not leave the events of one filter below another that failed', (t) =>
    visit(t, { ...TALL, expectedStatuses: [403] }, async (page) => {
      await enter(page, instance, CARL);
      await hasRows(page, 37);
      await page.evaluate("history.pushState(null, '', '/postern/explore?camera=cam2')");
      await page.getByRole('alert').getByText('Your role does not include this camera').waitFor();
      await hasCount(page.locator('.event'), 0);
      await hasCount(page.locator('.plot-area path'), 0);
    }));

  it('goes to the login when the session ends meanwhile', (t) =>
    visit(t, { ...TALL, expectedStatuses: [401] }, async (page) => {
      await enter(page, instance, ADMIN_PERSON, '/postern/explore?label=car');
      await rowsOf(page);
      await page.context().clearCookies();
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.waitForURL('**/login?next=%2Fpostern%2Fexplore%3Flabel%3Dcar');
    }));

  it('follows the Location of a 401 to the login of a proxy in front (interface 5.5.8)', (t) =>
    visit(t, { expectedStatuses: [401] }, async (page) => {
      await page.route('**/api/profile', (route) =>
        route.fulfill({ status: 401, headers: { Location: '/oauth2/start' }, body: '{}' }),
      );
      await page.route('**/oauth2/start', (route) =>
        route.fulfill({ contentType: 'text/html', body: 'the other login' }),
      );
      // A session that ends at this moment: without one the server leads to the login before any script runs.
      await enter(page, instance, ADMIN_PERSON);
      await page.getByText('the other login').waitFor();
    }));

  for (const status of [302, 307]) {
    it(`goes back to the proxy in front when that answers ${status} (interface 5.5.8)`, (t) =>
      visit(t, {}, async (page) => {
        // The list is read on by itself: that request, too, would lead to the login.
        const rest = page.waitForResponse((response) => response.url().includes('page_after='));
        await enter(page, instance, ADMIN_PERSON, '/postern/explore?label=car#content');
        await rest;
        // A session that ended at the proxy: from now on everything leads to its login.
        await page.route('**/api/events*', (route) =>
          route.fulfill({ status, headers: { Location: 'https://sso.example/login' } }),
        );
        await page.route('**/postern/explore?*', (route) =>
          route.fulfill({ contentType: 'text/html', body: `the login for ${new URL(route.request().url()).search}` }),
        );
        const login = page.getByText('the login for ?label=car');
        // A request that the page sends by itself may lead there first: then there is nothing to press.
        const pressed = page.getByRole('button', { name: 'Refresh' }).click();
        await Promise.race([pressed.catch(() => undefined), login.waitFor()]);
        await login.waitFor();
      }));
  }

  it('shows nothing of the former user when Back returns to it after a logout', (t) =>
    visit(t, { expectedStatuses: [401] }, async (page) => {
      await enter(page, instance, ADMIN_PERSON);
      await page.locator('.event').first().waitFor();
      await page.context().clearCookies();
      // The page leaves at once: the answer to the evaluation may not come any more.
      await page
        .evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })), 0")
        .catch(() => undefined);
      await page.waitForURL('**/login?**');
    }));

  it('says that logging in does not hold instead of going round for ever', (t) =>
    visit(t, { expectedStatuses: [401] }, async (page) => {
      await page.route('**/api/profile', (route) => route.fulfill({ status: 401, body: '{}' }));
      for (let trips = 0; trips < 2; trips++) {
        await enter(page, instance, ADMIN_PERSON);
        await page.waitForURL('**/login?**');
      }
      await enter(page, instance, ADMIN_PERSON);
      await page.getByRole('heading', { name: 'The login is not kept' }).waitFor();
    }));
});

describe('Explore without events and without an NVR', { skip }, () => {
  let instance: Runtime;
  before(async () => {
    instance = await startPagesInstance({}, () => []);
  });
  after(() => instance.close());

  const TEXTS: readonly (readonly [locale: string, heading: string])[] = [
    ['en-GB', 'Next: connect your NVR'],
    ['de-DE', 'Als Nächstes: den NVR anbinden'],
  ];
  for (const [locale, heading] of TEXTS)
    it(`says to an admin how to connect one, in ${locale}`, (t) =>
      visit(t, { locale, viewport: { width: 390, height: 800 } }, async (page) => {
        await enter(page, instance, ADMIN_PERSON);
        await page.getByRole('heading', { name: heading }).waitFor();
        assert.equal(await page.locator('.blank pre').innerText(), 'nvr:\n  url: http://<NVR>:5000');
        assert.deepEqual(await axeFindings(page), []);
      }));

  it('says to others that nothing was detected yet', (t) =>
    visit(t, {}, async (page) => {
      await enter(page, instance, CARL);
      await page.getByRole('heading', { name: 'No events in the last 7 days' }).waitFor();
      await page.locator('.blank').getByRole('button', { name: 'Any time' }).click();
      await page.waitForURL('**/postern/explore?after=0');
      await page.getByRole('heading', { name: 'No events yet' }).waitFor();
      assert.equal(await page.locator('.blank pre').count(), 0);
    }));
});

describe('Explore with an NVR behind it', { skip }, () => {
  let instance: Runtime;
  let nvr: FakeNvr;
  before(async () => {
    nvr = await startFakeNvr();
    nvr.answer = answerWithMedia;
    const config = { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] }, events: { source: 'store' } };
    instance = await startPagesInstance(config, (now) =>
      pageEvents(now).map((event) => ({ ...event, has_clip: true, has_snapshot: event.label === 'car' })),
    );
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });
  /** As the NVR or an import would write it. */
  const arrive = async (id: string): Promise<void> => {
    const store = await openStore({ url: `sqlite:${join(instance.directory, 'postern.db')}` });
    await store.writeEvents([
      event({ id, camera: 'cam1', start_time: Date.now() / 1000, has_clip: false, has_snapshot: false }),
    ]);
    await store.close();
  };

  it('plays the clip and shows the snapshot inside the details, and offers both for download', (t) =>
    visit(t, {}, async (page) => {
      await enter(page, instance, ADMIN_PERSON);
      await page.locator('.event').first().click();
      const details = page.locator('dialog');
      await details.locator('video').waitFor();
      assert.equal(await details.locator('.details-snapshot').count(), 0, 'this event has no snapshot');
      assert.match(
        await details.locator('video').innerHTML(),
        /^<source src="\S+\/vod\/event\/[^/]+\/index\.m3u8" type="application\/vnd\.apple\.mpegurl"><source src="\S+\/clip\.mp4" type="video\/mp4">$/,
        'iPhones play no clip without length and ranges',
      );
      await page.locator('.event').nth(2).click();
      await details.getByRole('link', { name: 'Download snapshot' }).waitFor();
      assert.equal(await details.locator('.details-snapshot').count(), 0, 'a clip is the one picture');
      assert.ok(!nvr.received.some(({ target }) => target.includes('clip.mp4')), 'a clip is made for who plays it');
      const video = details.locator('video');
      const advanced = video.evaluate(
        (clip: Player) =>
          new Promise((resolve) => clip.addEventListener('timeupdate', () => clip.currentTime > 0 && resolve(0))),
      );
      await video.evaluate((clip: Player) => clip.play());
      await advanced;
      const asked = nvr.received.find(({ target }) => target.includes('clip.mp4'));
      assert.ok(asked?.headers.some(([name, value]) => name === 'range' && value.startsWith('bytes=')));
      const saved = page.waitForEvent('download');
      await details.getByRole('link', { name: 'Download clip' }).click();
      assert.match((await saved).suggestedFilename(), /^cam\d_\d{4}-\d\d-\d\d_\d\d-\d\d\.mp4$/);
      assert.match(
        String(await details.getByRole('link', { name: 'Download snapshot' }).getAttribute('download')),
        /^cam\d_\d{4}-\d\d-\d\d_\d\d-\d\d\.jpg$/,
      );
    }));

  it('says in words that the clip cannot be played, and lets it be tried again', (t) =>
    visit(t, { expectedStatuses: [404] }, async (page) => {
      await page.route('**/clip.mp4', (route) => route.fulfill({ status: 404, json: {} }));
      await enter(page, instance, ADMIN_PERSON);
      await page.locator('.event').first().click();
      await page.locator('video').evaluate((clip: Player) => clip.play().catch(() => {}));
      await page.getByRole('alert').getByText('The clip cannot be played').waitFor();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.locator('video').waitFor();
    }));

  it('shows new events by themselves: above when the list is not being read, else in a bar that moves nothing', (t) =>
    visit(t, {}, async (page) => {
      await enter(page, instance, ADMIN_PERSON);
      await page.locator('.live-open').waitFor();
      await page.locator('.event').first().waitFor();
      await arrive('first');
      const newest = page.locator('[data-event=first]');
      await newest.getByText('new', { exact: true }).waitFor();
      assert.equal(await page.locator('.event').first().getAttribute('data-event'), 'first');

      const row = page.locator('.event').nth(3);
      await row.focus();
      const before = await row.boundingBox();
      await arrive('second');
      const bar = page.getByRole('button', { name: '1 new event' });
      await bar.waitFor();
      assert.deepEqual(await row.boundingBox(), before);
      assert.equal(await row.evaluate('document.activeElement.dataset.event'), await row.getAttribute('data-event'));
      await bar.click();
      await page.locator('.event[data-event=second]:focus').waitFor();
    }));

  it('does not ask again for what the list has, though the line for changes was open before the list came', (t) =>
    visit(t, { expectedErrors: [/ERR_INCOMPLETE_CHUNKED/] }, async (page) => {
      const other = await startPagesInstance({}, manyEvents(90));
      const asked: URLSearchParams[] = [];
      await page.route('**/api/events?*', async (route, request) => {
        asked.push(new URL(request.url()).searchParams);
        await page.locator('.live-open').waitFor();
        await route.continue();
      });
      try {
        await enter(page, other, ADMIN_PERSON);
        await page.locator('.event').nth(20).waitFor();
        const pages = asked.filter((query) => query.has('page_after'));
        assert.ok(pages.length > 0);
        assert.equal(asked.length - pages.length, 1, asked.join('\n'));
      } finally {
        await other.close();
      }
    }));

  it('asks for nothing in a hidden tab, and catches up when it is seen again', (t) =>
    visit(t, {}, async (page) => {
      // The first screen is asked for alone; the rest of the list follows.
      const rest = page.waitForResponse((response) => /\/api\/events\?.*\blimit=60\b/.test(response.url()));
      await enter(page, instance, ADMIN_PERSON);
      await page.locator('.live-open').waitFor();
      await rest;
      const left = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/events/changes'));
      await seeOrHide(page, 'hidden');
      await left;
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await arrive('third');
      await until('the service has it', async () => (await page.request.get(`${instance.url}/api/events/third`)).ok());
      assert.deepEqual(asked, []);
      await seeOrHide(page, 'visible');
      await page.locator('[data-event=third]').waitFor();
      assert.deepEqual(asked.slice(0, 2), ['/api/events/changes', '/api/events']);
    }));

  it('says that the line is lost, tries again by itself, and says when the session is over', (t) =>
    visit(
      t,
      { expectedStatuses: [401], expectedErrors: [/ERR_CONNECTION_REFUSED/, /ERR_INCOMPLETE_CHUNKED/] },
      async (page) => {
        await page.route('**/api/events/changes', (route) => route.abort('connectionrefused'));
        await enter(page, instance, ADMIN_PERSON);
        await page.getByText('Live updates are interrupted').waitFor();
        await page.unroute('**/api/events/changes');
        await page.locator('.live-open').waitFor();
        const [cookie] = await page.context().cookies();
        await instance.ask('/api/logout', { method: 'POST', token: cookie?.value ?? '' });
        await page.getByText('Your session has ended.').waitFor();
      },
    ));

  it('is told of new events by the WebSocket of an NVR that answers for them, and of no foreign ones', (t) =>
    visit(t, {}, async (page) => {
      const sockets = new Set<WebSocket>();
      const server = new WebSocketServer({ noServer: true });
      nvr.answerUpgrade = (request, socket) =>
        server.handleUpgrade(request, socket, Buffer.alloc(0), (open) => void sockets.add(open));
      const listed = [{ id: 'n1', camera: 'cam1', label: 'cat', start_time: Date.now() / 1000 - 60, end_time: 1 }];
      const cameras = { cam1: { friendly_name: 'Hof' }, cam2: { friendly_name: 'Keller' } };
      nvr.answer = (request, response, received) => {
        const path = received.target.split('?')[0];
        const answers: Record<string, unknown> = { '/api/events': listed, '/api/config': { cameras } };
        if (path === undefined || !(path in answers)) return answerLikeAnNvr(request, response, received);
        return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answers[path]));
      };
      const other = await startPagesInstance({ nvr: { url: nvr.url } });
      let automatic = 0;
      page.on('request', (request) => {
        if (request.headers()['x-postern-automatic'] && request.url().includes('/api/events?')) automatic += 1;
      });
      try {
        await enter(page, other, CARL);
        await page.locator('.live-open').waitFor();
        await page.locator('[data-event=n1]').waitFor();
        const tell = (camera: string): void => {
          const payload = JSON.stringify({ type: 'new', before: { camera }, after: { camera } });
          for (const socket of sockets) socket.send(JSON.stringify({ topic: 'events', payload }));
        };
        await until('it has asked for what came before the WebSocket was open', () => automatic === 1);
        tell('cam2');
        listed.unshift({ id: 'n2', camera: 'cam1', label: 'dog', start_time: Date.now() / 1000, end_time: 1 });
        tell('cam1');
        await page.locator('[data-event=n2]').getByText('new', { exact: true }).waitFor();
        assert.match(await page.locator('[data-event=n2]').innerText(), /Hof/);
        const profile = await (await page.request.get(`${other.url}/api/profile`)).json();
        assert.deepEqual([profile.allowed_cameras, profile.camera_names], [['cam1'], { cam1: 'Hof' }]);
        assert.equal(automatic, 2, 'the message of the foreign camera asked for nothing');
      } finally {
        await other.close();
        nvr.answer = answerWithMedia;
        nvr.answerUpgrade = undefined;
      }
    }));

  for (const width of [360, 1280]) {
    it(`leads to the pages of the NVR, on ${width} pixels`, (t) =>
      visit(t, { viewport: { width, height: 800 } }, async (page) => {
        await enter(page, instance, ADMIN_PERSON);
        const link = page.getByRole('link', { name: 'Cameras: leaves the console for the recorder’s own page' });
        await link.waitFor();
        assert.equal(await link.getAttribute('href'), '/postern/start?cameras');
      }));
  }
});
