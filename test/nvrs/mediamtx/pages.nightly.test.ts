/** MediaMTX's own pages in a browser behind Postern: the own path plays, a foreign one is refused (SPEC 20). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { skip as noChromium, visit } from '../../browser/support/browser.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../../support/people.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { OWN, ROLES } from './cases.ts';
import { skip as noMediaMtx, type RealMediaMtx, startMediaMtx } from './start-mediamtx.ts';

const FOREIGN = 'garden';
/** MediaMTX has no icon, and the browser asks for one at the root; a foreign path is refused. */
const FAVICON = [401, 403, 404];

for (const basePath of ['', '/nvr'])
  describe(`The pages of MediaMTX, ${basePath === '' ? 'at the root' : `below ${basePath}`}`, {
    skip: noMediaMtx || noChromium,
  }, () => {
    let server: RealMediaMtx;
    let instance: Runtime;
    before(async () => {
      server = await startMediaMtx();
      instance = await startInstance({
        config: {
          nvr: {
            url: server.api,
            policy: 'mediamtx',
            routes: {
              '/hls': { url: server.hls, strip: true },
              '/webrtc': { url: server.webrtc, strip: true },
              '/playback': { url: server.playback, strip: true },
            },
          },
          ...(basePath !== '' && {
            server: { external: '127.0.0.1:0', internal: '127.0.0.1:0', telemetry: '127.0.0.1:0', base_path: basePath },
          }),
          auth: { hash_iterations: 1000, roles: ROLES },
        },
      });
    });
    after(async () => {
      await instance?.close();
      await server?.close();
    });

    const logIn = async (page: Page, { name, password }: Person): Promise<void> => {
      await page.goto(`${instance.url}${basePath}/login`);
      await page.fill('input[autocomplete="username"], input[name="user"]', name);
      await page.fill('input[type="password"]', password);
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => !url.pathname.endsWith('/login'));
    };
    const isPlaying =
      'document.querySelector("video").currentTime > 0.5 && document.querySelector("video").videoWidth > 0';

    for (const person of [CARL, VERA, ADMIN_PERSON])
      it(`plays HLS for ${person.name}`, (test) =>
        visit(test, { expectedStatuses: FAVICON }, async (page) => {
          await logIn(page, person);
          await page.goto(`${instance.url}${basePath}/hls/${OWN}`);
          assert.equal(new URL(page.url()).pathname, `${basePath}/hls/${OWN}/`);
          await page.waitForFunction(isPlaying);
        }));

    it('plays WebRTC for a role of one path, with its session below the path', (test) =>
      visit(test, { expectedStatuses: FAVICON }, async (page) => {
        await logIn(page, CARL);
        const answered = page.waitForResponse(
          (response) => response.request().method() === 'POST' && response.url().endsWith('/whep'),
        );
        await page.goto(`${instance.url}${basePath}/webrtc/${OWN}/`);
        const answer = await answered;
        assert.equal(answer.status(), 201);
        assert.ok((answer.headers()['location'] ?? '').startsWith(`${basePath}/webrtc/${OWN}/whep/`));
        await page.waitForFunction(isPlaying);
      }));

    it('refuses the pages of a foreign path, and its streams', (test) =>
      visit(test, { expectedStatuses: FAVICON }, async (page) => {
        await logIn(page, CARL);
        for (const path of [`/hls/${FOREIGN}/`, `/webrtc/${FOREIGN}/`, `/webrtc/${OWN}/publish`]) {
          const response = await page.goto(`${instance.url}${basePath}${path}`);
          assert.equal(response?.status(), 403, path);
        }
        await page.goto(`${instance.url}${basePath}/webrtc/${OWN}/`);
        const statuses = await page.evaluate(
          async ([base, foreign]) => {
            const ask = async (path: string, method = 'GET') => (await fetch(`${base}${path}`, { method })).status;
            return [
              await ask(`/hls/${foreign}/index.m3u8`),
              await ask(`/webrtc/${foreign}/whep`, 'OPTIONS'),
              await ask(`/webrtc/${foreign}/whep`, 'POST'),
              await ask(`/playback/list?path=${foreign}`),
            ];
          },
          [basePath, FOREIGN] as const,
        );
        assert.deepEqual(statuses, [403, 403, 403, 403]);
      }));

    it('leads a role of one path to a page that plays', (test) =>
      visit(test, { expectedStatuses: FAVICON }, async (page) => {
        await logIn(page, CARL);
        await page.waitForURL((url) => url.pathname === `${basePath}/hls/${OWN}/`);
        await page.waitForFunction(isPlaying);
      }));
  });
