/** `/healthz` and `/readyz`: alive, and able to work, with the reason when not (SPEC 9). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startFakeNvr } from '../support/fake-nvr.ts';
import { type ConfigTree, startInstance } from '../support/start-instance.ts';

const get = async (url: string, init: RequestInit = {}) => {
  const answer = await fetch(url, init);
  return { status: answer.status, body: await answer.json(), cache: answer.headers.get('cache-control') };
};

const withHouse = async (
  config: ConfigTree,
  look: (telemetryUrl: string, directory: string) => Promise<void>,
): Promise<void> => {
  const house = await startInstance({ config });
  try {
    await look(house.telemetryUrl, house.directory);
  } finally {
    await house.close();
  }
};

describe('/healthz', () => {
  it('answers while the process is alive, whatever the NVR does', () =>
    withHouse({ nvr: { url: 'http://127.0.0.1:9', cameras: ['cam1'] } }, async (url) =>
      assert.deepEqual(await get(`${url}/healthz`), { status: 200, body: { status: 'alive' }, cache: 'no-store' }),
    ));
});

describe('/readyz', () => {
  it('says that all is well with an NVR that answers', async () => {
    const nvr = await startFakeNvr();
    await withHouse({ nvr: { url: nvr.url, cameras: ['cam1'] } }, async (url) =>
      assert.deepEqual(await get(`${url}/readyz`), {
        status: 200,
        body: { status: 'ready', store: { kind: 'ok' }, nvr: { kind: 'ok' }, events: { kind: 'unused' } },
        cache: 'no-store',
      }),
    );
    await nvr.close();
  });

  it('says that all is well with events of its own and no NVR', () =>
    withHouse({ nvr: { cameras: ['cam1'] } }, async (url) =>
      assert.deepEqual((await get(`${url}/readyz`)).body, {
        status: 'ready',
        store: { kind: 'ok' },
        nvr: { kind: 'unused' },
        events: { kind: 'ok' },
      }),
    ));

  it('says what is wrong with an NVR that does not answer', () =>
    withHouse({ nvr: { url: 'http://127.0.0.1:9', cameras: ['cam1'] } }, async (url) =>
      assert.deepEqual(await get(`${url}/readyz`), {
        status: 503,
        body: {
          status: 'not-ready',
          store: { kind: 'ok' },
          nvr: { kind: 'failed', reason: 'connect ECONNREFUSED 127.0.0.1:9' },
          events: { kind: 'unused' },
        },
        cache: 'no-store',
      }),
    ));
});

describe('The telemetry listener', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, path: string, init: RequestInit, status: number, message: string][] = [
    ['knows nothing else',       '/api/profile', {},                                     404, 'There are /metrics, /healthz and /readyz here.'],
    ['knows no login page',      '/login',       {},                                     404, 'There are /metrics, /healthz and /readyz here.'],
    ['takes nothing',            '/metrics',     { method: 'POST', body: 'x' },          405, 'Use GET.'],
    ['takes no other method',    '/healthz',     { method: 'DELETE' },                   405, 'Use GET.'],
  ];
  for (const [sentence, path, init, status, message] of rows) {
    it(sentence, () =>
      withHouse({ nvr: { cameras: ['cam1'] } }, async (url) => {
        const { status: seen, body } = await get(`${url}${path}`, init);
        assert.deepEqual([seen, body], [status, { message }]);
      }),
    );
  }
});
