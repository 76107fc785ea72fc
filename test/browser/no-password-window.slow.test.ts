/** A browser that is logged out never gets WWW-Authenticate: it would open a password window of its own (SPEC 5). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Response } from 'playwright-core';
import { answerLikeAnNvr, type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { skip, visit } from './support/browser.ts';

/** What pages of NVRs are made of, each of which asks for something that needs a login. */
const PAGE = `<!doctype html><title>NVR</title><meta name="referrer" content="no-referrer">
<link rel="stylesheet" href="/api/theme.css"><link rel="icon" href="/api/icon.png"><link rel="preload" as="font" href="/api/font.woff2" crossorigin>
<img src="/api/cam1/latest.jpg"><img src="/api/cam1" srcset="/api/cam1/latest.webp 2x">
<video src="/api/events/1.5-a/clip.mp4" poster="/api/events/1.5-a/snapshot.jpg" preload="auto"></video>
<audio src="/api/events/1.5-b/clip.mp4" preload="auto"></audio>
<iframe src="/api/config/raw"></iframe><object data="/api/stats"></object><embed src="/api/logs/nginx">
<script src="/api/script.js"></script>
<script>
  const settled = (promise) => promise.catch(() => {});
  const request = new XMLHttpRequest();
  request.open('POST', '/api/reviews/viewed');
  new Worker('/api/worker.js');
  new EventSource('/api/stream');
  const opened = ['/ws', '/live/mse/api/ws?src=cam1'].map((path) => new Promise((done) => {
    new WebSocket('ws://' + location.host + path).onclose = done;
  }));
  navigator.sendBeacon('/api/beacon', 'x');
  window.done = Promise.all([
    settled(fetch('/api/profile')), settled(fetch('/api/config', { credentials: 'include' })), settled(fetch('/vod/event/1.5-a/index.m3u8')),
    settled(fetch('/api/events', { headers: { Accept: '*/*' } })), settled(fetch('/api/version', { mode: 'no-cors' })),
    new Promise((done) => { request.onloadend = done; request.send(); }), ...opened,
  ]);
</script>`;

describe('A browser that is logged out, by plain HTTP in a LAN', { skip }, () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  before(async () => {
    nvr = await startFakeNvr();
    nvr.answer = (request, response, received) => {
      if (request.url !== '/') return answerLikeAnNvr(request, response, received);
      response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    };
    instance = await startInstance({ config: { nvr: { url: nvr.url, cameras: ['cam1'] } } });
  });
  after(async () => {
    await instance?.close();
    await nvr?.close();
  });

  it("is told 401 by the NVR's page and its pictures, and no 401 asks for a password", (t) =>
    visit(t, { expectedStatuses: [401], expectedErrors: [/WebSocket|401/] }, async (page) => {
      const answers: Response[] = [];
      page.on('response', (answer) => answers.push(answer));
      await page.goto(`http://nvr.lan:${instance.port}/`, { waitUntil: 'load' });
      await page.evaluate('window.done');
      const refused = answers.filter((answer) => answer.status() === 401);
      const kinds = new Set(refused.map((answer) => answer.request().resourceType()));
      for (const kind of ['image', 'media', 'stylesheet', 'script', 'fetch', 'xhr'])
        assert.ok(kinds.has(kind), `${kind}: ${[...kinds]}`);
      for (const answer of refused) {
        assert.equal(await answer.headerValue('www-authenticate'), null, answer.url());
        const sent = Object.keys(await answer.request().allHeaders());
        assert.deepEqual(
          sent.filter((name) => name.startsWith('sec-fetch-')),
          [],
          answer.url(),
        );
      }
      assert.ok(refused.length >= 12, String(refused.length));
    }));
});
