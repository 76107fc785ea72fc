/** The pages of go2rtc itself in Chromium, behind Postern: they play the own streams, and no other one (SPEC 20). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { skip as noBrowser, openBrowser } from '../../browser/support/chromium.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../../support/people.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { ROLES, STREAMS } from './cases.ts';
import { skip as noGo2rtc, type RealGo2rtc, startGo2rtc } from './start-go2rtc.ts';

const PATIENCE_MS = 60_000;

describe('The pages of go2rtc', { skip: noBrowser || noGo2rtc }, () => {
  let go2rtc: RealGo2rtc;
  let instance: Runtime;
  let browser: Browser;
  before(async () => {
    go2rtc = await startGo2rtc(STREAMS);
    instance = await startInstance({
      config: { nvr: { url: go2rtc.url, policy: 'go2rtc' }, auth: { hash_iterations: 1000, roles: ROLES } },
    });
    browser = await openBrowser(true);
  });
  after(async () => {
    await browser?.close();
    await instance?.close();
    await go2rtc?.close();
  });

  /** Logs in by the form, and gives what the person sees first. */
  async function as(person: Person, walk: (page: Page) => Promise<void>): Promise<void> {
    const context = await browser.newContext({ locale: 'en-GB' });
    // The pages name icons and scripts of other sites.
    await context.route(
      (url) => url.origin !== instance.url,
      (route) => route.abort(),
    );
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    try {
      await page.goto(`${instance.url}/`);
      await page.getByLabel('User').fill(person.name);
      await page.getByLabel('Password', { exact: true }).fill(person.password);
      await page.getByRole('button', { name: 'Log in', exact: true }).click();
      await page.waitForURL(`${instance.url}/`);
      await walk(page);
    } finally {
      await context.close();
    }
  }
  const open = (page: Page, target: string) => page.goto(`${instance.url}${target}`, { waitUntil: 'commit' });
  /** Resolves when the picture moves. */
  const plays = (page: Page) =>
    page.waitForFunction(
      "document.querySelector('video')?.videoWidth === 160 && document.querySelector('video').currentTime > 0.5",
    );
  const listed = async (page: Page): Promise<readonly string[]> => {
    await page.locator('#streams tr').first().waitFor();
    return (
      await page.locator('#streams tr').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-id') ?? ''))
    ).sort();
  };
  const outcomeOfSocket = (page: Page, query: string): Promise<unknown> =>
    page.evaluate(`new Promise((resolve) => {
      const socket = new WebSocket(location.origin.replace('http', 'ws') + '/api/ws?' + ${JSON.stringify(query)});
      socket.addEventListener('open', () => resolve('open'));
      socket.addEventListener('error', () => resolve('refused'));
    })`);
  const statusOf = (page: Page, target: string, method = 'GET'): Promise<unknown> =>
    page.evaluate(`fetch(${JSON.stringify(target)}, { method: '${method}' }).then(({ status }) => status)`);

  it('list to a role its own stream, which plays by a click, with MSE', () =>
    as(CARL, async (page) => {
      assert.deepEqual(await listed(page), ['front']);
      await page.getByRole('link', { name: 'stream', exact: true }).click();
      await plays(page);
      await open(page, '/stream.html?src=front&mode=mse');
      await plays(page);
    }));

  it('play the own stream by WebRTC: the offer passes, and an answer comes', () =>
    as(CARL, async (page) => {
      const answer = page.waitForEvent('websocket').then(
        (socket) =>
          new Promise<string>((resolve) =>
            socket.on('framereceived', ({ payload }) => {
              if (typeof payload === 'string' && /"type":"webrtc(?:\/answer)?"/.test(payload)) resolve(payload);
            }),
          ),
      );
      await open(page, '/webrtc.html?src=front&media=video');
      assert.match(await answer, /m=video/);
    }));

  it('show a role the links of its own stream', () =>
    as(CARL, async (page) => {
      await open(page, '/links.html?src=front');
      await page.getByRole('link', { name: 'frame.jpeg' }).waitFor();
      assert.equal(await statusOf(page, '/api/frame.jpeg?src=front'), 200);
    }));

  it('show a role no foreign stream, by any of their ways', () =>
    as(CARL, async (page) => {
      for (const target of [
        '/stream.html?src=yard',
        '/links.html?src=yard',
        '/webrtc.html?src=yard',
        '/hls.html?src=yard',
        '/add.html',
        '/config.html',
        '/log.html',
        '/net.html',
      ]) {
        assert.equal((await open(page, target))?.status(), 403, target);
        await page.getByRole('heading').waitFor();
      }
      await open(page, '/');
      for (const query of ['src=yard', 'src=front&src=yard', 'src=exec:id', 'dst=front'])
        assert.equal(await outcomeOfSocket(page, query), 'refused', query);
      assert.equal(await outcomeOfSocket(page, 'src=front'), 'open');
      for (const target of [
        '/api/frame.jpeg?src=yard',
        '/api/stream.m3u8?src=yard',
        '/api/streams?src=yard',
        '/api/config',
      ])
        assert.equal(await statusOf(page, target), 403, target);
      assert.equal(await statusOf(page, '/api/streams?src=front', 'DELETE'), 403);
    }));

  it('play every stream to a viewer, MJPEG too, and show a viewer no configuration', () =>
    as(VERA, async (page) => {
      assert.deepEqual(await listed(page), [...STREAMS].sort());
      await open(page, '/stream.html?src=yard&mode=mse');
      await plays(page);
      await open(page, '/stream.html?src=mjpeg&mode=mjpeg');
      await page.waitForFunction("document.querySelector('video')?.poster.startsWith('data:image/jpeg')");
      assert.equal((await open(page, '/config.html'))?.status(), 403);
    }));

  it('show all to an admin', () =>
    as(ADMIN_PERSON, async (page) => {
      assert.deepEqual(await listed(page), [...STREAMS].sort());
      for (const target of ['/add.html', '/config.html', '/log.html', '/net.html'])
        assert.equal((await open(page, target))?.status(), 200, target);
      await open(page, '/stream.html?src=yard&mode=mse');
      await plays(page);
    }));
});
