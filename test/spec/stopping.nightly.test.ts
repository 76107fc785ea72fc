/** SIGTERM: not ready first, no new connections, what is in flight finishes, WebSockets are told, exit 0 (SPEC 1). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { type Serving, servePostern } from '../support/run-postern.ts';
import { until } from '../support/until.ts';

let nvr: FakeNvr;
before(async () => {
  nvr = await startFakeNvr();
});
after(() => nvr.close());

const serve = (graceSeconds: number): Promise<Serving> =>
  servePostern({
    env: {
      POSTERN__NVR__URL: nvr.url,
      POSTERN__NVR__CAMERAS: '["cam1"]',
      POSTERN__EVENTS__SOURCE: 'store',
      POSTERN__SERVER__SHUTDOWN_GRACE: String(graceSeconds),
    },
  });

/** An answer that has begun, and goes on when the NVR is told so. */
async function beginAnswer(
  url: string,
): Promise<{ answer: IncomingMessage; nvrSide: ServerResponse; rest: Promise<string> }> {
  const atNvr = Promise.withResolvers<ServerResponse>();
  const { answer: usual } = nvr;
  nvr.answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).write('begun ');
    atNvr.resolve(response);
  };
  const asked = get(`${url}/api/version`, { agent: new Agent({ keepAlive: true }) });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  nvr.answer = usual;
  const rest = answer.setEncoding('utf8').reduce((text: string, chunk: string) => text + chunk, '');
  rest.catch(() => {});
  return { answer, nvrSide: await atNvr.promise, rest };
}

async function openSocket(url: string): Promise<{ closed: Promise<number> }> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/live/jsmpeg/cam1`);
  await once(socket, 'open');
  return { closed: once(socket, 'close').then(([code]) => code as number) };
}

const readiness = async (url: string): Promise<string> => {
  const answer = await fetch(`${url}/readyz`);
  return `${answer.status} ${((await answer.json()) as { status: string }).status}`;
};

describe('A service that is told to stop', () => {
  it('finishes what is in flight, and nothing else', { timeout: 300_000 }, async () => {
    const postern = await serve(3600);
    const inFlight = await beginAnswer(postern.internalUrl);
    const { closed } = await openSocket(postern.internalUrl);
    assert.equal(await readiness(postern.telemetryUrl), '200 ready');

    const ended = postern.end('SIGTERM');
    assert.equal(await closed, 1001);
    assert.equal(await readiness(postern.telemetryUrl), '503 stopping');
    await assert.rejects(fetch(`${postern.internalUrl}/api/version`), /fetch failed/);
    await assert.rejects(fetch(`${postern.url}/login`), /fetch failed/);
    inFlight.nvrSide.end('and ended');
    assert.equal(await inFlight.rest, 'begun and ended');
    assert.equal(await ended, 0);
    assert.equal(postern.output.stderr, '');
  });

  it('breaks no request of clients that keep their connections: the last response of each says so', {
    timeout: 300_000,
  }, async () => {
    const postern = await serve(30);
    const { port } = new URL(postern.internalUrl);
    const lasts: (string | undefined)[] = [];
    const faults: string[] = [];
    let answered = 0;
    /** Asks on and on, each request on the connection of the one before, and on a new one where that was closed. */
    const keepAsking = async (pauseMs: number): Promise<void> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let last: string | undefined; ; ) {
        const asked = get({ port, host: '127.0.0.1', path: '/api/version', agent });
        try {
          const [answer] = (await once(asked, 'response')) as [IncomingMessage];
          await answer.resume().toArray();
          last = answer.headers.connection;
          answered += 1;
        } catch (fault) {
          const code = (fault as NodeJS.ErrnoException).code ?? 'unknown';
          lasts.push(last);
          return void (code === 'ECONNREFUSED' || faults.push(code));
        }
        if (pauseMs > 0) await delay(pauseMs);
      }
    };
    const clients = Array.from({ length: 16 }, (_, index) => keepAsking(index % 4));
    await until('all are being answered', () => answered > 500);
    assert.equal(await postern.end('SIGTERM'), 0);
    await Promise.all(clients);
    assert.deepEqual([faults, new Set(lasts)], [[], new Set(['close'])]);
  });

  it('breaks off what is not finished in time, and that is no failure', { timeout: 300_000 }, async () => {
    const postern = await serve(1);
    const endless = await beginAnswer(postern.internalUrl);
    assert.equal(await postern.end('SIGTERM'), 0);
    await assert.rejects(endless.rest, /aborted/);
  });

  // biome-ignore format: a table
  const SECOND: [signal: NodeJS.Signals, code: number][] = [['SIGTERM', 143], ['SIGINT', 130]];
  for (const [signal, code] of SECOND) {
    it(`ends at once when it is told a second time, by ${signal}`, { timeout: 300_000 }, async () => {
      const postern = await serve(3600);
      const endless = await beginAnswer(postern.internalUrl);
      const ended = once(postern.process, 'exit');
      postern.process.kill('SIGTERM');
      while (postern.process.exitCode === null && postern.process.signalCode === null) {
        await readiness(postern.telemetryUrl).catch(() => ended);
        postern.process.kill(signal);
      }
      assert.deepEqual(await ended, [code, null]);
      await assert.rejects(endless.rest, /aborted/);
    });
  }

  it('takes the same signal for one when it comes twice at the same moment, as it does through npm', {
    timeout: 60_000,
  }, async () => {
    const postern = await serve(30);
    const inFlight = await beginAnswer(postern.internalUrl);
    const ended = once(postern.process, 'exit');
    postern.process.kill('SIGINT');
    postern.process.kill('SIGINT');
    while ((await readiness(postern.telemetryUrl)) === '200 ready');
    assert.equal(await readiness(postern.telemetryUrl), '503 stopping');
    inFlight.nvrSide.end('and ended');
    assert.equal(await inFlight.rest, 'begun and ended');
    assert.deepEqual(await ended, [0, null]);
  });

  it('does not end when its log is not read any more, and then stops as usual', { timeout: 300_000 }, async () => {
    const postern = await serve(30);
    postern.process.stdout?.destroy();
    postern.process.stderr?.destroy();
    for (let request = 0; request < 3; request += 1)
      assert.equal((await fetch(`${postern.internalUrl}/api/version`)).status, 200);
    assert.equal(await readiness(postern.telemetryUrl), '200 ready');
    assert.equal(await postern.end('SIGTERM'), 0);
  });

  it('ends soon after its grace when the store is locked by another process', { timeout: 300_000 }, async () => {
    const postern = await serve(1);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ user: 'admin', password: postern.adminPassword });
    const answer = await fetch(`${postern.url}/api/login`, { method: 'POST', headers, body });
    const [cookie = ''] = answer.headers.getSetCookie();
    const other = new DatabaseSync(join(postern.directory, 'postern.db'));
    other.exec('begin immediate');
    const session = { headers: { cookie: cookie.split(';')[0] ?? '' } };
    assert.equal((await fetch(`${postern.url}/api/profile`, session)).status, 200); // the session is to be noted
    const code = await postern.end();
    other.close();
    assert.equal(code, 1);
    assert.match(postern.output.stderr, /^Postern stopped before everything was written/m);
  });
});
