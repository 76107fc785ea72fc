/** The wall with moving pictures: live streams where the browser plays them, and still images wherever none moves (SPEC 18). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { VERA } from '../support/people.ts';
import { pairScreen } from '../support/screens.ts';
import type { Runtime } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { hasCount, skip, visit } from './support/browser.ts';
import { type LiveCamera, startLiveCamera } from './support/live-camera.ts';
import { startPagesInstance } from './support/pages-instance.ts';

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const MEDIA = `(() => {
  const [video] = document.querySelectorAll('video.is-shown');
  return [video.currentTime, video.buffered.length > 0 ? video.buffered.end(0) - video.buffered.start(0) : 0];
})()`;

describe('A wall of up to nine cameras', { skip }, () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  let camera: LiveCamera | undefined;
  before(async () => {
    nvr = await startFakeNvr();
    nvr.answer = (request, response) => {
      if ((request.url ?? '').includes('/latest.jpg'))
        return void response.writeHead(200, { 'content-type': 'image/png' }).end(PICTURE);
      response.writeHead(404).end();
    };
    nvr.answerUpgrade = (request, socket) => {
      const isKnown = /src=cam[12]$/.test(request.url ?? '');
      if (camera && isKnown) camera.accept(request, socket);
      else if (camera) camera.refuse(request, socket);
      else socket.destroy();
    };
    instance = await startPagesInstance({ nvr: { url: nvr.url, cameras: ['cam1', 'cam2', 'cam3'] } });
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });

  const moving = (display: Page) => display.locator('.camera-tile:not(.has-fault) video.is-shown');
  const still = (display: Page) => display.locator('.camera-tile:not(.has-fault) img.is-shown');
  const stillsOf = (name: string): number =>
    nvr.received.filter(({ target }) => target.startsWith(`/api/${name}/latest.jpg`)).length;
  const expectedErrors = [/WebSocket connection to/];

  it('plays their live streams, still images of the camera that has none, and of all when the streams end', async (t) => {
    const { cookie } = await pairScreen(instance, VERA);
    const [name = '', value = ''] = cookie.split('=');
    await visit(t, {}, async (recorder) => {
      const source = await startLiveCamera(recorder);
      camera = source;
      await visit(t, { expectedErrors, expectedStatuses: [502] }, async (display) => {
        await display.context().addCookies([{ name, value, url: instance.url }]);
        await display.goto(`${instance.url}/postern/screen`);
        await hasCount(moving(display), 2);
        await hasCount(still(display), 1);
        assert.match(source.asked[0] ?? '', /^\{"type":"mse","value":"avc1[^"]*"\}$/);
        const [begun] = (await display.evaluate(MEDIA)) as [number, number];
        await until('it moves', async () => ((await display.evaluate(MEDIA)) as [number, number])[0] > begun + 1);
        const [before, others] = [stillsOf('cam1'), stillsOf('cam3')];
        await until('the camera without a stream is asked for images', () => stillsOf('cam3') > others + 2);
        assert.equal(stillsOf('cam1'), before, 'a camera that moves is not');

        camera = undefined;
        for (const socket of source.sockets) socket.terminate();
        await hasCount(still(display), 3);
        assert.ok(stillsOf('cam1') > before);
        camera = source;
        await hasCount(moving(display), 2);

        await display.goto(`${instance.url}/postern/screen?live=off`);
        await hasCount(still(display), 3);
        await until('the streams have ended', () => source.sockets.size === 0);
      });
    });
  });
});
