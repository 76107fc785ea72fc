/** TLS towards the NVR (SPEC 1, `nvr.ca`): one authority, and the name in `nvr.url`, for everything that is asked of it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { makeSelfSigned } from '../../src/gateway/certificates/certificates.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON as ADA, CARL, VERA } from '../support/people.ts';
import { type RawAnswer, rawRequest } from '../support/raw-request.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const directory = mkdtempSync(join(tmpdir(), 'postern-nvr-tls-'));
after(() => rmSync(directory, { recursive: true, force: true }));

interface Behind {
  readonly nvr: FakeNvr;
  readonly instance: Runtime;
  close(): Promise<void>;
}

/** `names`: what the NVR's certificate is good for. `nvr.url` says `localhost`. */
async function startBehind(names: readonly string[], config: (url: string, ca: string) => object): Promise<Behind> {
  const pair = await makeSelfSigned({ names, now: Date.now() });
  const ca = join(directory, `${names.join('-')}.pem`);
  writeFileSync(ca, pair.certificate);
  const nvr = await startFakeNvr({ tls: pair });
  const instance = await startInstance({ config: { nvr: config(nvr.url, ca) } });
  return {
    nvr,
    instance,
    async close() {
      await instance.close();
      await nvr.close();
    },
  };
}

const hello = (port: number, token: string, host: string, path = '/api/version'): Promise<RawAnswer> =>
  rawRequest(port, [`GET ${path} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${token}`, '', ''].join('\r\n'));

/** The gate asks for cameras and the version by itself, without a request id, at any time. */
const ofCallers = ({ received }: FakeNvr) =>
  received.filter(({ headers }) => headers.some(([name]) => name === 'x-request-id'));

const UPGRADE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

describe('An NVR whose certificate is of its own authority', () => {
  let behind: Behind;
  let [admin, viewer, carl] = ['', '', ''];
  before(async () => {
    behind = await startBehind(['localhost'], (url, ca) => ({ url, ca }));
    admin = await behind.instance.logIn(ADA);
    viewer = await behind.instance.logIn(VERA);
    carl = await behind.instance.logIn(CARL);
  });
  after(() => behind.close());
  beforeEach(() => {
    behind.nvr.received.length = 0;
  });

  it('is forwarded to, whatever Host the client asked for', async () => {
    for (const host of ['nvr.example.com', 'localhost', '192.0.2.7:8971', 'evil.test']) {
      const answer = await hello(behind.instance.port, viewer, host);
      assert.equal(answer.status, 200, `${host}: ${answer.text}`);
    }
    assert.equal(ofCallers(behind.nvr).length, 4);
  });

  it('is forwarded to over the connections that it has, though the Host changes', async () => {
    await hello(behind.instance.port, viewer, 'a.test');
    const before = behind.nvr.connections();
    for (const host of ['b.test', 'c.test', 'd.test']) await hello(behind.instance.port, viewer, host);
    assert.equal(behind.nvr.connections(), before);
  });

  it('is asked for readiness and for its version', async () => {
    const ready = await fetch(`${behind.instance.telemetryUrl}/readyz`);
    assert.equal(ready.status, 200, await ready.text());
    const status = await behind.instance.ask('/api/status', { token: admin });
    assert.match(await status.text(), /"nvr":"0\.18\.0-fake"/);
  });

  it('is asked for its cameras and for the owner of an event', async () => {
    behind.nvr.answer = (request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ id: '1.5-a', camera: 'cam1', path: request.url }));
    };
    const answer = await behind.instance.ask('/api/events/1.5-a/snapshot.jpg', { token: carl });
    assert.equal(answer.status, 200, await answer.text());
    assert.deepEqual(
      behind.nvr.received.map(({ target }) => target).filter((target) => target.startsWith('/api/events')),
      ['/api/events/1.5-a', '/api/events/1.5-a/snapshot.jpg'],
    );
  });

  it('takes upgrades, whatever Host the client asked for, judged and unjudged', async () => {
    for (const [path, token] of [
      ['/live/jsmpeg/cam1', viewer],
      ['/ws', viewer],
      ['/ws', admin],
    ] as const) {
      const socket = new WebSocket(`ws://127.0.0.1:${behind.instance.port}${path}`, {
        headers: { authorization: `Bearer ${token}`, host: 'nvr.example.com' },
      });
      await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
      socket.terminate();
    }
  });
});

describe('An NVR whose certificate is good for the name that the client asks for, and not for the one in nvr.url', () => {
  let behind: Behind;
  before(async () => {
    behind = await startBehind(['nvr.example.com'], (url, ca) => ({ url, ca, cameras: ['cam1'] }));
  });
  after(() => behind.close());

  it('receives no request and no upgrade', async () => {
    const viewer = await behind.instance.logIn(VERA);
    assert.equal((await hello(behind.instance.port, viewer, 'nvr.example.com')).status, 502);
    assert.equal((await hello(behind.instance.port, viewer, 'nvr.example.com')).status, 502);
    const upgrade = await rawRequest(
      behind.instance.port,
      [
        'GET /live/jsmpeg/cam1 HTTP/1.1',
        'Host: nvr.example.com',
        `Authorization: Bearer ${viewer}`,
        ...UPGRADE,
        '',
        '',
      ].join('\r\n'),
    );
    assert.equal(upgrade.status, 502);
    assert.deepEqual(behind.nvr.received, []);
  });
});

describe('An NVR whose certificate is of no known authority', () => {
  it('is named as the cause, to the client and in the log, of requests, upgrades and questions', async () => {
    const pair = await makeSelfSigned({ names: ['localhost'], now: Date.now() });
    const nvr = await startFakeNvr({ tls: pair });
    const instance = await startInstance({ config: { nvr: { url: nvr.url, cameras: ['cam1'] } } });
    try {
      const viewer = await instance.logIn(VERA);
      const carl = await instance.logIn(CARL);
      const ways = [
        await hello(instance.port, viewer, 'nvr.test'),
        await hello(instance.port, carl, 'nvr.test', '/api/events/1.5-a/snapshot.jpg'),
        await rawRequest(
          instance.port,
          ['GET /live/jsmpeg/cam1 HTTP/1.1', 'Host: nvr', `Authorization: Bearer ${viewer}`, ...UPGRADE, '', ''].join(
            '\r\n',
          ),
        ),
        await rawRequest(
          instance.port,
          ['GET /ws HTTP/1.1', 'Host: nvr', `Authorization: Bearer ${viewer}`, ...UPGRADE, '', ''].join('\r\n'),
        ),
      ];
      for (const { status, text } of ways) {
        assert.equal(status, 502);
        assert.match(text, /certificate of the NVR is not accepted: set nvr\.ca/);
      }
      const lines = instance.log.filter(({ reason }) => reason === 'nvr-certificate-refused');
      assert.equal(lines.filter(({ level }) => level === 'warn').length >= 3, true);
      assert.match(String(lines[0]?.['cause']), /self.signed certificate/);
      assert.deepEqual(nvr.received, []);
    } finally {
      await instance.close();
      await nvr.close();
    }
  });
});

describe('A neighbour of the NVR, by nvr.routes', () => {
  it('is checked against the name of its own address', async () => {
    const pair = await makeSelfSigned({ names: ['localhost'], now: Date.now() });
    const ca = join(directory, 'neighbour.pem');
    writeFileSync(ca, pair.certificate);
    const [nvr, neighbour] = [await startFakeNvr(), await startFakeNvr({ tls: pair })];
    const instance = await startInstance({
      config: {
        nvr: { url: nvr.url, ca, cameras: ['cam1'], routes: { '/live': neighbour.url, '/api/go2rtc': neighbour.url } },
      },
    });
    try {
      const viewer = await instance.logIn(VERA);
      const answer = await hello(instance.port, viewer, 'nvr.example.com', '/api/go2rtc/streams/cam1');
      assert.equal(answer.status, 200, answer.text);
      assert.equal(neighbour.received.length, 1);
    } finally {
      await instance.close();
      await Promise.all([nvr.close(), neighbour.close()]);
    }
  });
});
