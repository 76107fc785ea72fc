/** `/healthz` and `/readyz`: alive, and able to work, with the reason when not (SPEC 9). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startFakeNvr } from '../support/fake-nvr.ts';
import { type ConfigTree, startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';

const get = async (url: string, init: RequestInit = {}) => {
  const answer = await fetch(url, init);
  return { status: answer.status, body: await answer.json(), cache: answer.headers.get('cache-control') };
};

const withInstance = async (
  config: ConfigTree,
  look: (telemetryUrl: string, directory: string) => Promise<void>,
): Promise<void> => {
  const instance = await startInstance({ config });
  try {
    await look(instance.telemetryUrl, instance.directory);
  } finally {
    await instance.close();
  }
};

/** Every part but the NVR and the events backend; without TLS there is no certificate. */
const WELL = {
  store: { kind: 'ok' },
  certificate: { kind: 'unused' },
  store_changes: { kind: 'unused' },
  descriptors: { kind: 'ok' },
  event_loop: { kind: 'ok' },
  clock: { kind: 'ok' },
  log: { kind: 'ok' },
};

describe('/healthz', () => {
  it('answers while the process is alive, whatever the NVR does', () =>
    withInstance({ nvr: { url: 'http://127.0.0.1:9', cameras: ['cam1'] } }, async (url) =>
      assert.deepEqual(await get(`${url}/healthz`), { status: 200, body: { status: 'alive' }, cache: 'no-store' }),
    ));
});

describe('/readyz', () => {
  it('says that all is well with an NVR that answers', async () => {
    const nvr = await startFakeNvr();
    await withInstance({ nvr: { url: nvr.url, cameras: ['cam1'] } }, async (url) =>
      assert.deepEqual(await get(`${url}/readyz`), {
        status: 200,
        body: { status: 'ready', ...WELL, nvr: { kind: 'ok' }, events: { kind: 'unused' } },
        cache: 'no-store',
      }),
    );
    await nvr.close();
  });

  it('says that all is well with events of its own and no NVR', () =>
    withInstance({ nvr: { cameras: ['cam1'] } }, async (url) =>
      assert.deepEqual((await get(`${url}/readyz`)).body, {
        status: 'ready',
        ...WELL,
        nvr: { kind: 'unused' },
        events: { kind: 'ok' },
      }),
    ));

  it('says what is wrong with an NVR that does not answer', () =>
    withInstance({ nvr: { url: 'http://127.0.0.1:9', cameras: ['cam1'] } }, async (url) =>
      assert.deepEqual(await get(`${url}/readyz`), {
        status: 503,
        body: {
          status: 'not-ready',
          ...WELL,
          nvr: { kind: 'failed', reason: 'connect ECONNREFUSED 127.0.0.1:9' },
          events: { kind: 'unused' },
        },
        cache: 'no-store',
      }),
    ));
});

describe('/readyz, of the process', () => {
  it('tells that the clock was set, logs it, and stays ready', async (test) => {
    const instance = await startInstance({ config: { nvr: { cameras: ['cam1'] } } });
    test.after(instance.close);
    instance.clock.advance(3600);
    const answer = await fetch(`${instance.telemetryUrl}/readyz`);
    const { clock } = (await answer.json()) as { clock: { kind: string; reason: string } };
    assert.deepEqual([answer.status, clock.kind], [200, 'degraded']);
    assert.match(clock.reason, /^the clock was set forward by (?:3600|3599) s$/);
    assert.equal(
      instance.log.filter(({ msg }) => String(msg).startsWith('the clock of the machine was set')).length,
      1,
    );
  });
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
      withInstance({ nvr: { cameras: ['cam1'] } }, async (url) => {
        const { status: seen, body } = await get(`${url}${path}`, init);
        assert.deepEqual([seen, body], [status, { message }]);
      }),
    );
  }
});

describe('/readyz with an NVR whose cameras cannot be read', () => {
  // biome-ignore format: a table
  const ANSWERS: [sentence: string, type: string, body: string, reason: RegExp][] = [
    ['an empty list',       'application/json', '[]',                                     /the configuration of the NVR has no "cameras"/],
    ['a list of cameras',   'application/json', '{"cameras": []}',                        /the configuration of the NVR has no "cameras"/],
    ['a page',              'text/html',        '<!doctype html><p>the secret page</p>',  /its answer is no JSON/],
    ['null',                'application/json', 'null',                                   /the configuration of the NVR has no "cameras"/],
  ];
  for (const [sentence, type, body, reason] of ANSWERS) {
    it(`is degraded, with the cause, when it answers ${sentence}, and heals`, async () => {
      const nvr = await startFakeNvr();
      const whole = nvr.answer;
      nvr.answer = (_, response) => void response.writeHead(200, { 'content-type': type }).end(body);
      await withInstance({ nvr: { url: nvr.url } }, async (url) => {
        const part = async () => {
          const { status, body: told } = await get(`${url}/readyz`);
          return { status, nvr: (told as { nvr: { kind: string; reason?: string } }).nvr };
        };
        await until('the cameras were asked for', async () => (await part()).nvr.kind === 'degraded');
        const { status, nvr: said } = await part();
        assert.equal(status, 200);
        assert.match(said.reason ?? '', reason);
        assert.match(said.reason ?? '', /check that nvr\.url is the address of an NVR, or set nvr\.cameras/);
        assert.doesNotMatch(said.reason ?? '', /secret/);
        nvr.answer = whole;
        await until('the cameras are known', async () => (await part()).nvr.kind === 'ok');
      });
      await nvr.close();
    });
  }
});
