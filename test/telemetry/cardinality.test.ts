/** No request changes the number of series (SPEC 9). */
import assert from 'node:assert/strict';
import { METHODS as ALL_METHODS } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { type Series, scrape } from './support/exposition.ts';

let nvr: FakeNvr;
let instance: Runtime;
before(async () => {
  nvr = await startFakeNvr();
  instance = await startInstance({
    config: {
      nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] },
      auth: { enabled: false, roles: { front_only: ['cam1'] } },
      proxy: { trusted_peers: ['127.0.0.1/32'], header_map: { user: 'Remote-User', role: 'Remote-Groups' } },
    },
  });
});
after(async () => {
  await instance.close();
  await nvr.close();
});

const REQUESTS = 10_000;
/** All that Node's parser lets through; CONNECT never becomes a request. */
const METHODS = ALL_METHODS.filter((method) => method !== 'CONNECT');

/** Another user, role, path, method, camera, address and header in each. */
function request(at: number): string {
  const method = METHODS[at % METHODS.length];
  const path = at % 2 === 0 ? `/api/camera${at}/latest.jpg?camera=c${at}` : `/p${at}/${at}.html?token=t${at}`;
  const headers = [
    'Host: nvr.test',
    `Remote-User: user${at}`,
    `Remote-Groups: ${at % 5 === 0 ? 'front_only' : `role${at}`}`,
    `Remote-Header${at}: x`,
    `X-Forwarded-For: 192.0.2.${at % 256}`,
    `Authorization: ${at % 7 === 0 ? `Bearer b${at}` : `Basic ${at}`}`,
  ];
  return `${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`;
}

/** Many connections, one request behind the other on each; resolves when each has ended. */
async function send(port: number, texts: readonly string[]): Promise<void> {
  const lanes = 20;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      const mine = texts.filter((_text, at) => at % lanes === lane);
      while (mine.length > 0) mine.splice(0, await sendSome(port, mine));
    }),
  );
}

/** As many as one connection takes: some refusals close it. */
function sendSome(port: number, texts: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let answered = 0;
    const next = (): void => void (texts[answered] === undefined ? socket.end() : socket.write(texts[answered] ?? ''));
    socket.on('connect', next);
    socket.on('data', (chunk) => {
      const heads = chunk.toString('latin1').match(/HTTP\/1\.1 [2-5]\d\d/g)?.length ?? 0;
      answered += heads;
      if (heads > 0) next();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(Math.max(answered, 1)));
  });
}

describe('Ten thousand users, paths, methods, roles, cameras and addresses', () => {
  let before: Series;
  let after: Series;
  it('are answered', async () => {
    before = await scrape(instance.telemetryUrl);
    await send(
      instance.port,
      Array.from({ length: REQUESTS }, (_, at) => request(at)),
    );
    after = await scrape(instance.telemetryUrl);
    const total = (series: Series): number =>
      [...series].reduce((sum, [name, value]) => (name.startsWith('postern_requests_total') ? sum + value : sum), 0);
    assert.ok(total(after) - total(before) >= REQUESTS, `${total(after) - total(before)} were counted`);
  });

  it('leave the number of series unchanged', () => {
    // What was not known before the first scrape may be known now: whether the NVR is there.
    const names = (series: Series): string[] => [...series.keys()].filter((name) => name !== 'postern_upstream_up');
    assert.deepEqual(names(after), names(before));
  });

  it('stand in no label', () => {
    const told = [...after.keys()].join('\n');
    for (const text of ['user1', 'role1', '/p1', 'PROPFIND', 'camera2', '192.0.2', VERA.name]) {
      assert.ok(!told.includes(text), `${text} is in a label`);
    }
  });

  it('are told in a text that is no longer for them', async () => {
    const text = await (await fetch(`${instance.telemetryUrl}/metrics`)).text();
    assert.ok(text.length < 200_000, `${text.length} characters`);
  });
});
