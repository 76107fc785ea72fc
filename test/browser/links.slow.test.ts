/** Links as people meet them: shared from Explore, opened on a phone without an account or a script, ended in the settings (SPEC 13). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { VERA } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import type { Runtime } from '../support/start-instance.ts';
import { axeFindings, hasCount, skip, visit } from './support/browser.ts';
import { startPagesInstance } from './support/pages-instance.ts';

const PHONE = { viewport: { width: 360, height: 740 }, locale: 'de-DE', colorScheme: 'dark' } as const;
const fileNamed = (name: string): Buffer => readFileSync(new URL(`../data/${name}`, import.meta.url));
const CLIP = fileNamed('clip.mp4');
/** The same two seconds as a playlist, with the names that the NVR's video module gives. */
const HLS: Readonly<Record<string, Buffer>> = {
  'index.m3u8': Buffer.from(
    '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXT-X-VERSION:7\n#EXT-X-MEDIA-SEQUENCE:1\n#EXT-X-MAP:URI="init-v1.mp4"\n#EXTINF:2.000,\nseg-1-v1.m4s\n#EXT-X-ENDLIST\n',
  ),
  'init-v1.mp4': fileNamed('hls/init-v1.mp4'),
  'seg-1-v1.m4s': fileNamed('hls/seg-1-v1.m4s'),
};
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const ID = '1700000000.5-front';
/** Also as the video: what `HTMLMediaElement` has is not known to the types of this test. */
const PLAYED = `new Promise((done, failed) => {
  const video = document.querySelector('video');
  video.addEventListener('ended', () => done([video.videoWidth, video.videoHeight]));
  video.addEventListener('error', () => failed(new Error('the video failed: ' + video.error?.message)));
  video.muted = true;
  video.play().catch(failed);
})`;

const isWide = (page: Page): Promise<boolean> =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
async function assertSound(page: Page): Promise<void> {
  assert.deepEqual([await axeFindings(page), await isWide(page)], [[], false]);
}

describe('A link', { skip }, () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  let url = '';
  let hasPlaylists = true;
  before(async () => {
    nvr = await startFakeNvr();
    nvr.answer = (request, response) => {
      const path = request.url ?? '';
      // As the NVR does: the clip is made while it is sent, without length and ranges; files of a playlist have both.
      if (path.endsWith('/clip.mp4')) return void response.writeHead(200, { 'content-type': 'video/mp4' }).end(CLIP);
      if (path.startsWith('/vod/')) {
        const file = hasPlaylists ? HLS[path.split('/').at(-1) ?? ''] : undefined;
        if (!file) return void response.writeHead(404).end();
        const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
        const part = file.subarray(Number(from), to === '' ? file.length : Number(to) + 1);
        const range = { 'content-range': `bytes ${from}-${Number(from) + part.length - 1}/${file.length}` };
        const head = { 'accept-ranges': 'bytes', 'content-length': part.length };
        return void response.writeHead(request.headers.range ? 206 : 200, { ...head, ...range }).end(part);
      }
      if (path.endsWith('.jpg')) return void response.writeHead(200, { 'content-type': 'image/png' }).end(PICTURE);
      const event = {
        id: ID,
        camera: 'cam1',
        label: 'person',
        start_time: 1_700_000_000.5,
        has_clip: true,
        has_snapshot: true,
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(event));
    };
    instance = await startPagesInstance({
      nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] },
      events: { source: 'store' },
    });
    url = `http://localhost:${instance.port}`;
  });
  after(async () => {
    await instance?.close();
    await nvr?.close();
  });

  const linkTo = async (body: object): Promise<string> => {
    const answer = await sendJson(instance, '/api/links', body, await instance.logIn(VERA));
    assert.equal(answer.status, 201, await answer.clone().text());
    return `${url}${((await answer.json()) as { url: string }).url}`;
  };
  const recording = {
    what: { recording: { camera: 'cam1', from: 1_700_000_000, to: 1_700_000_060 } },
    name: 'Einfahrt',
  };

  it('plays a real clip on a phone, in German and in the dark, without a script, by the playlist where the browser takes it', (t) =>
    visit(t, { ...PHONE, javaScriptEnabled: true }, async (page) => {
      const link = await linkTo({ ...recording, uses: 1 });
      nvr.received.splice(0);
      await page.goto(link);
      await page.getByRole('heading', { name: 'Einfahrt' }).waitFor();
      assert.equal(await page.locator('script').count(), 0);
      await assertSound(page);
      assert.deepEqual(await page.evaluate(PLAYED), [160, 90]);
      const takesHls = await page.evaluate(
        `document.createElement('video').canPlayType('application/vnd.apple.mpegurl') !== ''`,
      );
      const span = 'cam1/start/1700000000/end/1700000060';
      const asked = nvr.received
        .map(({ target }) => target)
        .filter((target) => !target.startsWith('/api/cam1/recordings'));
      const vod = Object.keys(HLS).map((file) => `/vod/${span}/${file}`);
      assert.deepEqual([...new Set(asked)].sort(), takesHls ? vod.sort() : [`/api/${span}/clip.mp4`]);
      await page.reload();
      await page.getByText('Dieser Link ist gültig bis').waitFor();
    }));

  it('plays the clip itself where there is no playlist', (t) =>
    visit(t, { ...PHONE, expectedStatuses: [404] }, async (page) => {
      hasPlaylists = false;
      t.after(() => {
        hasPlaylists = true;
      });
      await page.goto(await linkTo(recording));
      assert.deepEqual(await page.evaluate(PLAYED), [160, 90]);
    }));

  it('asks for its PIN by a form that needs no script', (t) =>
    visit(t, { ...PHONE, javaScriptEnabled: false, expectedStatuses: [403] }, async (page) => {
      const link = await linkTo({ what: { snapshot: { camera: 'cam1' } }, pin: '0815' });
      await page.goto(link);
      await page.getByLabel('PIN').fill('9999');
      await page.getByRole('button', { name: 'Öffnen' }).click();
      await page.getByRole('alert').getByText('Die PIN ist falsch').waitFor();
      await page.getByLabel('PIN').fill('0815');
      await page.getByRole('button', { name: 'Öffnen' }).click();
      await page.getByAltText('Bild der Kamera cam1').waitFor();
      assert.equal(page.url(), link);
    }));

  it('is made in Explore, where the settings lead while there is none', (t) =>
    visit(t, PHONE, async (page) => {
      const value = await instance.logIn(VERA);
      await page.context().addCookies([{ name: 'frigate_token', value, url, httpOnly: true, sameSite: 'Lax' }]);
      await page.route('**/api/links', (route) => route.fulfill({ json: [] }));
      await page.goto(`${url}/postern/settings/links`);
      await page.getByText('Noch keine Links.').waitFor();
      await assertSound(page);
      await page.getByRole('link', { name: 'Zu den Ereignissen' }).click();
      await page.waitForURL('**/postern/explore');
    }));

  it('is shared in Explore, and listed and revoked in the settings', (t) =>
    visit(t, { ...PHONE, expectedStatuses: [403, 404, 503] }, async (page) => {
      const value = await instance.logIn(VERA);
      await page.context().addCookies([{ name: 'frigate_token', value, url, httpOnly: true, sameSite: 'Lax' }]);
      await page.goto(`${url}/postern/explore`);
      await page.locator('[data-event]').first().click();
      await page.getByRole('button', { name: 'Teilen' }).click();
      const made = page.getByRole('dialog', { name: 'Link erstellt' });
      const first = await made.locator('code').innerText();
      await made.getByRole('button', { name: 'Kopiert', exact: true }).waitFor();
      await made.getByRole('button', { name: 'Ändern: Ende, Name, PIN' }).click();
      await page.getByLabel('Name, für den Empfänger').fill('Für Oma');
      await assertSound(page);
      await page.getByLabel('Gültig für').selectOption('1 Woche');
      // For longer than a day the person is asked for again.
      instance.clock.advance(601);
      await page.getByRole('button', { name: 'Link erstellen' }).click();
      const proof = page.getByRole('dialog', { name: 'Bestätigen Sie, dass Sie es sind' });
      await proof.getByLabel('Aktuelles Passwort').fill(VERA.password);
      await proof.getByRole('button', { name: 'Bestätigen' }).click();
      const link = await made.locator('code').innerText();
      assert.match(link, new RegExp(`^${url}/s/[\\w-]{43}$`));
      await assertSound(page);
      const statusOf = async (address: string) => (await instance.ask(new URL(address).pathname)).status;
      assert.deepEqual(
        [await statusOf(first), await statusOf(link)],
        [404, 200],
        'it takes the place of the first one',
      );
      await hasCount(made.getByText('Der erste Link'), 0);
      await page.route('**/api/links/*', (revoked) => revoked.fulfill({ status: 503, json: {} }));
      await made.getByRole('button', { name: 'Ändern: Ende, Name, PIN' }).click();
      await page.getByRole('button', { name: 'Link erstellen' }).click();
      await made.getByText('Der erste Link konnte nicht widerrufen werden und gilt noch.').waitFor();
      const last = await made.locator('code').innerText();
      assert.deepEqual([await statusOf(link), await statusOf(last)], [200, 200], 'both are known to the person');
      await page.unroute('**/api/links/*');
      await made.getByRole('link', { name: 'Einstellungen > Links' }).click();
      await page.getByText('Für Oma').waitFor();
      assert.match(await page.locator('.record').first().innerText(), /cam\d\s+Ereignis, \d+\.\s\S+, \d+:\d\d/);
      await assertSound(page);
      assert.doesNotMatch(await page.content(), new RegExp(link.slice(-43)));
      await page.getByRole('button', { name: 'Widerrufen: Für Oma' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Widerrufen' }).click();
      await page.getByText('Link Für Oma wurde widerrufen.').waitFor();
      await page.goto(link);
      await page.getByRole('heading', { name: 'Link ungültig' }).waitFor();
      await assertSound(page);
    }));
});
