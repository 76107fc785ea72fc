/** A store with links of before, and a service without their feature: an old link opens nothing, and the NVR receives nothing of it (SPEC 13). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { FEATURES } from '../../../src/features/all.ts';
import { answerLikeAnNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { VERA } from '../../support/people.ts';
import { sendJson } from '../../support/second-factor.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';

const nvr = await startFakeNvr();
nvr.answer = answerLikeAnNvr;
const directory = mkdtempSync(join(tmpdir(), 'postern-links-'));
const CONFIG = { nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] } };

describe('A link of before, without the feature', () => {
  let link: string;
  let instance: Runtime;
  before(async () => {
    const whole = await startInstance({ directory, config: CONFIG });
    const made = await sendJson(
      whole,
      '/api/links',
      { what: { snapshot: { camera: 'cam1' } } },
      await whole.logIn(VERA),
    );
    assert.equal(made.status, 201);
    link = ((await made.json()) as { url: string }).url;
    assert.equal((await whole.ask(`${link}/snapshot.jpg`)).status, 200);
    await whole.close();
    const features = FEATURES.filter(({ name }) => name !== 'links');
    instance = await startInstance({ directory, config: CONFIG, people: [], features });
    nvr.received.length = 0;
  });
  after(async () => {
    await instance.close();
    await nvr.close();
    rmSync(directory, { recursive: true });
  });

  for (const path of ['', '/snapshot.jpg', '/vod/index.m3u8'])
    for (const method of ['GET', 'HEAD', 'POST'])
      it(`answers ${method} ${path || 'of its page'} by 404, also to its maker`, async () => {
        const token = await instance.logIn(VERA);
        nvr.received.length = 0;
        const asked = await Promise.all([
          instance.ask(link + path, { method }),
          instance.ask(link + path, { method, token, headers: { origin: instance.url } }),
        ]);
        assert.deepEqual(
          asked.map(({ status }) => status),
          [404, 404],
        );
        assert.deepEqual(nvr.received, []);
      });
});
