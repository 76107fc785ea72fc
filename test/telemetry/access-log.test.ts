/** The access log: one line for each finished request, with nothing in it that is a secret (SPEC 9). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { createAccessLog, RequestRecord } from '../../src/telemetry/access-log.ts';
import { createLogs } from '../../src/telemetry/logs/log.ts';
import { createRecentFailures } from '../../src/telemetry/recent-failures.ts';
import { movableClock } from '../support/clock.ts';
import { factsOf } from '../support/facts.ts';
import { answerLikeAnNvr, type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { sessionIdOf } from '../support/sessions.ts';
import { type ConfigTree, type Runtime, startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

let nvr: FakeNvr;
let instance: Runtime;
let vera: string;
let carl: string;
let admin: string;
let config: ConfigTree;
before(async () => {
  nvr = await startFakeNvr();
  config = {
    nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] },
    auth: { trusted_proxies: ['127.0.0.1/32'], hash_iterations: 1000, roles: { front_only: ['cam1'] } },
  };
  instance = await startInstance({ config });
  [vera, carl] = [await instance.logIn(VERA), await instance.logIn(CARL)];
  admin = await instance.logIn(ADMIN_PERSON);
});
after(async () => {
  await instance.close();
  await nvr.close();
});

/** The session of a bearer token. */
const sessionOf = (token: string): string => `session:${sessionIdOf(token)}`;

/** Does it, and gives the lines of the access log that came of it, without what is different each time. */
async function lines(act: () => Promise<unknown>, count = 1): Promise<Record<string, unknown>[]> {
  const from = instance.log.length;
  await act();
  const found = (): Record<string, unknown>[] =>
    instance.log.slice(from).filter(({ logger }) => logger === 'service.access');
  await until('the lines are logged', () => found().length >= count);
  return found().map(
    ({ time: _, level: __, logger: ___, msg: ____, requestId: _____, ms: ______, upstreamMs: _______, ...rest }) =>
      rest,
  );
}

describe('The access log', () => {
  it('says of a client that took nothing for an hour that it was cut off', () => {
    const written: Record<string, unknown>[] = [];
    const rules = { default: 'info', logs: new Map() } as const;
    const clock = movableClock();
    const logs = createLogs({ rules, destination: { write: (line) => void written.push(JSON.parse(line)) }, clock });
    const record = new RequestRecord(factsOf({ target: '/api/events/1.5-a/clip.mp4' }), 'media', 0);
    createAccessLog(logs, createRecentFailures(clock)).stalled({ ...record, requestId: 'r1', bytesOut: 9 });
    const [{ level, requestId, path, bytes, msg } = {}] = written;
    assert.deepEqual([level, requestId, path, bytes], ['warn', 'r1', '/api/events/1.5-a/clip.mp4', 9]);
    assert.match(String(msg), /took nothing of its response for an hour and was cut off/);
  });

  it('has a line for a request that was answered', async () => {
    const from = instance.log.length;
    const answer = await instance.ask('/api/version?token=secret', {
      token: vera,
      headers: { 'X-Request-Id': 'mine-1' },
    });
    await answer.text();
    // At midnight the ledger logs a line as well.
    const found = () => instance.log.slice(from).filter(({ logger }) => logger === 'service.access');
    await until('a line is logged', () => found().length > 0);
    const [{ time, ms, upstreamMs, ...line } = {}] = found();
    assert.deepEqual(line, {
      level: 'info',
      logger: 'service.access',
      requestId: 'mine-1',
      listener: 'external',
      method: 'GET',
      route: 'api',
      path: '/api/version',
      status: 200,
      bytes: 11,
      user: 'vera',
      role: 'viewer',
      credential: sessionOf(vera),
      address: '127.0.0.1',
      msg: 'answered',
    });
    assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Number(upstreamMs) > 0 && Number(upstreamMs) <= Number(ms), `${upstreamMs} of ${ms} ms`);
  });

  it('says why a request was refused, and from where it came', async () =>
    assert.deepEqual(
      await lines(() =>
        instance.ask('/api/cam2/latest.jpg?x=1', { token: carl, headers: { 'X-Forwarded-For': '192.0.2.8' } }),
      ),
      [
        {
          listener: 'external',
          method: 'GET',
          route: 'media',
          path: '/api/cam2/latest.jpg',
          status: 403,
          reason: 'camera-not-in-role',
          bytes: 93,
          user: 'carl',
          role: 'front_only',
          credential: sessionOf(carl),
          address: '192.0.2.8',
        },
      ],
    ));

  it('has no user where the caller is unknown', async () =>
    assert.deepEqual(await lines(() => instance.ask('/api/version')), [
      {
        listener: 'external',
        method: 'GET',
        route: 'api',
        path: '/api/version',
        status: 401,
        reason: 'no-credentials',
        bytes: 79,
        address: '127.0.0.1',
      },
    ]));

  it('has the path, and never the query', async () => {
    const written = await lines(async () => {
      await instance.ask('/api/version?access_token=hunter2#hunter2', { token: vera });
      await instance.ask('/live/webrtc/api/ws?src=cam1&token=hunter2', { token: vera });
    }, 2);
    assert.deepEqual(
      written.map(({ path }) => path),
      ['/api/version', '/live/webrtc/api/ws'],
    );
    assert.ok(!JSON.stringify(instance.log).includes('hunter2'));
  });

  it('leaves out assets, health and metrics', async () =>
    assert.deepEqual(
      await lines(async () => {
        await instance.ask('/assets/index-1a2b.js', { token: vera });
        await instance.ask('/favicon.ico', { token: vera });
        await instance.ask('/postern/assets/x.css');
        for (const path of ['metrics', 'healthz', 'readyz']) await fetch(`${instance.telemetryUrl}/${path}`);
        await instance.ask('/api/version');
      }).then((written) => written.map(({ path }) => path)),
      ['/api/version'],
    ));

  const PICTURE = '/api/cam1/latest.jpg';
  const SEGMENT = '/vod/cam1/start/1/end/2/seg-1.m4s';
  const asAsked = { 'X-Original-URL': PICTURE, 'X-Original-Method': 'GET' };

  it('leaves out pictures, segments and films, unless they failed: pages poll so many that their lines would fill a disk', async () => {
    nvr.answer = ({ url = '' }, response) => void response.writeHead(url.includes('/clip') ? 404 : 200).end('x');
    const written = await lines(async () => {
      for (const path of [
        PICTURE,
        SEGMENT,
        '/clips/previews/cam1/1-2.mp4',
        '/exports/a.mp4',
        '/api/cam1/start/1/end/2/clip.mp4',
        '/api/version',
      ])
        await (await instance.ask(path, { token: admin })).arrayBuffer();
      await instance.ask('/auth', { token: admin, headers: asAsked });
      await instance.ask('/api/version', { token: admin });
    }, 5);
    assert.deepEqual(
      written.map(({ path, status }) => `${path} ${status}`),
      [
        '/clips/previews/cam1/1-2.mp4 404',
        '/exports/a.mp4 200',
        '/api/cam1/start/1/end/2/clip.mp4 404',
        '/api/version 200',
        '/api/version 200',
      ],
    );
  });

  it('has them at debug', async () => {
    assert.ok((await instance.reload({ ...config, logger: { logs: { 'service.access': 'debug' } } })).isTaken);
    const from = instance.log.length;
    const written = await lines(async () => {
      for (const path of [PICTURE, SEGMENT]) await (await instance.ask(path, { token: admin })).arrayBuffer();
      await instance.ask('/auth', { token: admin, headers: asAsked });
    }, 3);
    assert.deepEqual(
      written.map(({ path }) => path),
      [PICTURE, SEGMENT, '/auth'],
    );
    assert.deepEqual(
      instance.log
        .slice(from)
        .filter(({ logger }) => logger === 'service.access')
        .map(({ level }) => level),
      ['debug', 'debug', 'debug'],
    );
    assert.ok((await instance.reload(config)).isTaken);
    nvr.answer = answerLikeAnNvr;
  });

  it('marks an answer that the client did not get whole', async () => {
    nvr.rawAnswer = { bytes: 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut' };
    const [line] = await lines(() =>
      instance
        .ask('/api/version', { token: vera })
        .then((answer) => answer.text())
        .catch(() => {}),
    );
    nvr.rawAnswer = undefined;
    assert.deepEqual([line?.['status'], line?.['aborted'], line?.['bytes']], [200, true, 3]);
  });

  it('has a line for a WebSocket when it ends', async () => {
    const written = await lines(async () => {
      const socket = new WebSocket(`${instance.url.replace('http', 'ws')}/live/jsmpeg/cam1`, {
        headers: { authorization: `Bearer ${vera}` },
      });
      await once(socket, 'open');
      socket.terminate();
    });
    const [{ bytes, ...line } = {}] = written;
    assert.deepEqual(line, {
      listener: 'external',
      method: 'GET',
      route: 'ws',
      path: '/live/jsmpeg/cam1',
      status: 101,
      user: 'vera',
      role: 'viewer',
      credential: sessionOf(vera),
      address: '127.0.0.1',
    });
    assert.ok(Number(bytes) > 0);
  });

  it('says what a proxy asked about', async () => {
    const [line] = await lines(() =>
      instance.ask('/auth', {
        token: vera,
        headers: { 'X-Original-URL': '/api/version?token=hunter3', 'X-Original-Method': 'GET' },
      }),
    );
    assert.deepEqual([line?.['path'], line?.['asked'], line?.['status']], ['/auth', 'GET /api/version', 202]);
  });

  it('is cut where a path is long', async () => {
    const [line] = await lines(() => instance.ask(`/api/${'x'.repeat(5000)}`, { token: vera }));
    assert.equal(String(line?.['path']).length, 512);
  });
});

describe('A traceparent', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, sent: string, logged: string | undefined][] = [
    ['is logged',                          TRACEPARENT,                                                 TRACEPARENT],
    ['of another version is logged',       TRACEPARENT.replace('00', '01'),                             TRACEPARENT.replace('00', '01')],
    ['of an invalid version is not',       TRACEPARENT.replace('00', 'ff'),                             undefined],
    ['without a trace is not',             `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,                  undefined],
    ['without a parent is not',            `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`,  undefined],
    ['in capitals is not',                 TRACEPARENT.toUpperCase(),                                   undefined],
    ['with more behind it is not',         `${TRACEPARENT}-"x`,                                         undefined],
  ];
  for (const [sentence, sent, logged] of rows) {
    it(sentence, async () => {
      const [line] = await lines(() => instance.ask('/api/version', { token: vera, headers: { traceparent: sent } }));
      assert.equal(line?.['traceparent'], logged);
    });
  }

  it('is passed on to the NVR', async () => {
    await instance.ask('/api/version', { token: vera, headers: { traceparent: TRACEPARENT, tracestate: 'a=b' } });
    assert.deepEqual([nvr.lastHeader('traceparent'), nvr.lastHeader('tracestate')], [[TRACEPARENT], ['a=b']]);
  });
});
