/** Rights that change while a request is under way: it is answered, and never closed without a word (SPEC 11). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { after, before, describe, it, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { answerLikeAnNvr, type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { CARL } from '../support/people.ts';
import type { ConfigTree, Runtime } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { auth, bearer, reload, startedInstance } from './support/reloading.ts';

let nvr: FakeNvr;
before(async () => {
  nvr = await startFakeNvr();
});
after(() => nvr.close());

/** Requests that the NVR has and does not answer. */
function holdAnswers(t: TestContext): ServerResponse[] {
  const held: ServerResponse[] = [];
  nvr.answer = (request, response, received) => {
    const isPicture = /latest\.jpg|\/config$/.test(request.url ?? '') && request.headers['remote-user'] === CARL.name;
    if (isPicture) held.push(response);
    else answerLikeAnNvr(request, response, received);
  };
  t.after(() => {
    nvr.answer = answerLikeAnNvr;
  });
  return held;
}

const logOut = (at: Runtime, token: string) => async (): Promise<void> =>
  void (await at.ask('/api/logout', { method: 'POST', token }));
const narrowTo =
  (at: Runtime, ...cameras: string[]) =>
  (): Promise<void> =>
    reload(at, nvr, { auth: auth({ roles: { front_only: cameras } }) } satisfies ConfigTree);

describe('A request whose answer has not begun when its caller’s', () => {
  // biome-ignore format: a table
  const WAYS: [path: string, change: string, how: (at: Runtime, token: string) => () => Promise<void>, status: number, retryAfter: string | undefined][] = [
    ['/api/cam1/latest.jpg', 'role changes',   (at) => narrowTo(at, 'cam2'), 503, '5'],
    ['/api/config',          'role changes',   (at) => narrowTo(at, 'cam2'), 503, '5'],
    ['/api/cam1/latest.jpg', 'session ends',   logOut,                       401, undefined],
  ];
  for (const [path, change, how, status, retryAfter] of WAYS) {
    it(`${change} is answered, and ended at the NVR: ${path}`, async (t) => {
      const at = await startedInstance(t, nvr);
      const token = await at.logIn(CARL);
      const held = holdAnswers(t);
      const asked = get(`${at.url}${path}`, { headers: bearer(token) });
      const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
      answered.catch(() => {});
      await until('the NVR has it', () => held.length > 0);
      await how(at, token)();
      const [answer] = await answered;
      const body = await answer.setEncoding('utf8').toArray();
      assert.deepEqual([answer.statusCode, answer.headers['retry-after']], [status, retryAfter]);
      assert.equal(JSON.parse(body.join('')).success, false);
      await until('the NVR is not waited for', () => held.every((response) => response.destroyed));
    });
  }

  for (const path of ['/live/jsmpeg/cam1', '/live/mse/api/ws?src=cam1'])
    it(`role changes before the 101 is refused: ${path}`, async (t) => {
      const at = await startedInstance(t, nvr);
      const token = await at.logIn(CARL);
      const waiting: Duplex[] = [];
      nvr.answerUpgrade = (_request, socket) => void waiting.push(socket.on('error', () => {}).resume());
      t.after(() => {
        nvr.answerUpgrade = undefined;
      });
      const socket = new WebSocket(`${at.url.replace('http', 'ws')}${path}`, { headers: bearer(token) });
      socket.on('error', () => {});
      const refused = once(socket, 'unexpected-response') as Promise<[ClientRequest, IncomingMessage]>;
      refused.catch(() => {});
      await until('the NVR has it', () => waiting.length > 0);
      await narrowTo(at, 'cam2')();
      const [asked, { statusCode, headers }] = await refused;
      assert.deepEqual([statusCode, headers['retry-after']], [503, '5']);
      asked.destroy();
      await until('the NVR is not waited for', () =>
        waiting.every(({ readableEnded, destroyed }) => readableEnded || destroyed),
      );
    });
});

describe('A request that waits for whose its id is, while its caller’s', () => {
  const ID = '1700000000.1-abc';
  // biome-ignore format: a table
  const WAYS: [change: string, how: (at: Runtime, token: string) => () => Promise<void>, status: number, isDescribed?: true][] = [
    ['role changes',                        (at) => narrowTo(at, 'cam2'), 403],
    ['session ends',                        logOut,                       401],
    ['session ends, as described by a proxy', logOut,                     401, true],
  ];
  for (const [change, how, status, isDescribed] of WAYS)
    it(`${change}, is refused, and does not reach the NVR`, async (t) => {
      const at = await startedInstance(t, nvr, { auth: auth({ trusted_proxies: ['127.0.0.1/32'] }) });
      const token = await at.logIn(CARL);
      const held: ServerResponse[] = [];
      nvr.answer = (request, response, received) => {
        if (request.url === `/api/events/${ID}`) held.push(response);
        else answerLikeAnNvr(request, response, received);
      };
      t.after(() => {
        nvr.answer = answerLikeAnNvr;
      });
      const path = `/api/events/${ID}/snapshot.jpg`;
      const description = { 'x-original-url': path, 'x-original-method': 'GET' };
      const answered = isDescribed ? at.ask('/auth', { token, headers: description }) : at.ask(path, { token });
      await until('the NVR is asked', () => held.length > 0);
      await how(at, token)();
      nvr.received.length = 0;
      held[0]?.setHeader('content-type', 'application/json').end(JSON.stringify({ id: ID, camera: 'cam1' }));
      assert.equal((await answered).status, status);
      assert.deepEqual(nvr.received, []);
    });
});
