/** Where things stand in Explore and in the details of an event, from a phone to a desktop (SPEC 8). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON } from '../support/people.ts';
import type { Runtime } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { axeFindings, skip, visit } from './support/browser.ts';
import { enter, startPagesInstance } from './support/pages-instance.ts';

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
/** 26 November 2026, 14:05 in Berlin. */
const START = 1_795_698_300;
const EVENT = {
  id: `${START}.5-abc`,
  label: 'person',
  camera: 'front_door',
  start_time: START,
  end_time: START + 30,
  zones: [],
  thumbnail: null,
  has_clip: true,
  has_snapshot: true,
  data: { score: 0.9 },
};

describe('Explore', { skip }, () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  before(async () => {
    nvr = await startFakeNvr();
    nvr.answer = (request, response) => {
      const { pathname } = new URL(request.url ?? '', nvr.url);
      const json = (body: unknown): void =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      if (pathname === '/api/events') return json([EVENT]);
      if (pathname === '/api/labels') return json(['car', 'person']);
      if (pathname === `/api/events/${EVENT.id}`) return json(EVENT);
      if (pathname.endsWith('.jpg')) return void response.writeHead(200, { 'content-type': 'image/png' }).end(PICTURE);
      return json({});
    };
    instance = await startPagesInstance({ nvr: { url: nvr.url, cameras: ['front_door', 'garden'] } });
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });

  const SIZES = [
    { viewport: { width: 360, height: 640 }, locale: 'pl-PL' },
    { viewport: { width: 390, height: 844 }, locale: 'de-DE' },
    { viewport: { width: 1280, height: 800 }, locale: 'en-GB' },
  ] as const;
  for (const size of SIZES)
    it(`has its first event within 420 pixels at ${size.viewport.width} px, and the menus in one row`, (t) =>
      visit(t, size, async (page) => {
        await enter(page, instance, ADMIN_PERSON);
        let first: number | undefined;
        // A row that is drawn anew at that moment has no place.
        await until('the first event has its place', async () => {
          first = (await page.locator('.event').first().boundingBox())?.y;
          return first !== undefined;
        });
        assert.ok(Number(first) > 0 && Number(first) <= 420, `it stands at ${first}`);
        const menus = await page.locator('.filters summary').all();
        const rows = new Set(await Promise.all(menus.map(async (menu) => (await menu.boundingBox())?.y)));
        assert.equal(rows.size, 1);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
        assert.equal(await page.locator('.view-gallery').count(), size.viewport.width < 768 ? 0 : 1);
        assert.deepEqual(await axeFindings(page), []);
      }));

  it('takes the name of a label that is typed alone for that label, in the language of the page', (t) =>
    visit(t, { locale: 'de-DE' }, async (page) => {
      await enter(page, instance, ADMIN_PERSON);
      await page.locator('.event').first().waitFor();
      const asked = page.waitForRequest((request) => request.url().includes('/api/events?labels=car'));
      await page.getByRole('searchbox').fill('auto');
      await asked;
      await page.locator('.event').first().waitFor();
      assert.equal(await page.getByRole('searchbox').inputValue(), 'auto');
      assert.equal(new URL(page.url()).search, '?text=auto');
    }));

  it('tells camera and time in the title of an event, has one picture, and names a download by both', (t) =>
    visit(t, { viewport: { width: 1280, height: 800 } }, async (page) => {
      await enter(page, instance, ADMIN_PERSON, `/postern/explore?event=${EVENT.id}`);
      const details = page.locator('.details');
      assert.match(await details.locator('h2').innerText(), /Person\s*front door, 26\u00A0Nov, 14:05/);
      await details.getByRole('button', { name: 'Share' }).waitFor();
      assert.equal(await details.locator('video, img').count(), 1);
      assert.equal(await details.locator('.media > *').first().innerText(), 'Share');
      const [clip, snapshot] = await Promise.all(
        [0, 1].map((at) => details.locator('a[download]').nth(at).boundingBox()),
      );
      assert.deepEqual([clip?.y, clip?.width], [snapshot?.y, snapshot?.width], 'both downloads share a line');
      const names = await details
        .locator('a[download]')
        .evaluateAll((links) => links.map((link) => link.getAttribute('download')));
      assert.deepEqual(names, ['front-door_2026-11-26_14-05.mp4', 'front-door_2026-11-26_14-05.jpg']);
      assert.deepEqual(await axeFindings(page), []);
    }));
});
