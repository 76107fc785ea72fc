/** Streams of every kind, and every way in which one comes to its end (SPEC 4.2, 9). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../../support/people.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';
import { moves, value } from '../support/driven.ts';

let nvr: FakeNvr;
let instance: Runtime;
let vera: string;
before(async () => {
  nvr = await startFakeNvr();
  instance = await startInstance({ config: { nvr: { url: nvr.url, cameras: ['cam1'] } } });
  vera = await instance.logIn(VERA);
});
after(async () => {
  await instance.close();
  await nvr.close();
});

/** Of an answer that has no end; it goes on as `then` says. */
async function begin(type: string, then: (raw: FakeNvr) => void = () => {}): Promise<IncomingMessage> {
  const { answer: usual } = nvr;
  nvr.answer = (_request, response) => {
    response.writeHead(200, { 'content-type': type });
    response.write('data: 1\r\n');
    then(nvr);
  };
  const asked = request(`${instance.url}/api/cam1`, { headers: { authorization: `Bearer ${vera}` } }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  await once(answer, 'data');
  nvr.answer = usual;
  return answer;
}

describe('A stream', () => {
  // biome-ignore format: a table
  const KINDS: [kind: string, type: string][] = [['sse', 'text/event-stream'], ['mjpeg', 'multipart/x-mixed-replace; boundary=frame']];
  for (const [kind, type] of KINDS) {
    it(`of the kind ${kind} is open until the client goes`, () =>
      moves(
        instance,
        ['streams_closed_total'],
        async () => {
          const answer = await begin(type);
          assert.equal(await value(instance, `streams_open{kind="${kind}"}`), 1);
          answer.destroy();
        },
        {
          [`streams_closed_total{kind="${kind}",reason="client"}`]: 1,
        },
      ));
  }

  it('has its places while it is open, and no longer', async () => {
    const inUse = () =>
      Promise.all(['client', 'nvr', 'nvr_waiting'].map((of) => value(instance, `places_in_use{of="${of}"}`)));
    await until('nothing is under way', async () => (await inUse()).every((count) => count === 0));
    const answers: IncomingMessage[] = [];
    while (answers.length < 256) answers.push(await begin('text/event-stream'));
    const leaving = new AbortController();
    const waits = instance.ask('/api/cam1', { token: vera, signal: leaving.signal });
    await until('one waits', async () => (await inUse())[2] === 1);
    assert.deepEqual(await inUse(), [257, 256, 1]);
    leaving.abort();
    await assert.rejects(waits);
    for (const answer of answers) answer.destroy();
    await until('nothing is under way', async () => (await inUse()).every((count) => count === 0));
  });

  it('has a place for the question whose owner an id is', async () => {
    const { answer: usual } = nvr;
    const held: ServerResponse[] = [];
    nvr.answer = (_request, response) => void held.push(response);
    const waits = instance.ask('/api/events/1.5-a/thumbnail.jpg', { token: await instance.logIn(CARL) });
    await until('the NVR is asked', () => held.length === 1);
    assert.equal(await value(instance, 'places_in_use{of="question"}'), 1);
    nvr.answer = usual;
    held[0]?.writeHead(404).end();
    assert.equal((await waits).status, 403);
    assert.equal(await value(instance, 'places_in_use{of="question"}'), 0);
  });

  it('that says nothing for too long is idle', async () => {
    await instance.reload({ nvr: { url: nvr.url, cameras: ['cam1'], timeout_idle: 1 } });
    await moves(
      instance,
      ['streams_closed_total', 'upstream_errors_total'],
      async () => {
        const answer = await begin('text/event-stream');
        await assert.rejects(answer.toArray(), /aborted/);
      },
      { 'streams_closed_total{kind="sse",reason="idle"}': 1, 'upstream_errors_total{reason="timeout"}': 1 },
    );
  });

  it('that talks nonsense ends in error', () =>
    moves(
      instance,
      ['streams_closed_total', 'upstream_errors_total'],
      async () => {
        const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
        nvr.rawAnswer = { bytes: `${head}3\r\nabc\r\nnonsense\r\n` };
        const asked = request(`${instance.url}/api/cam1`, { headers: { authorization: `Bearer ${vera}` } }).end();
        const [answer] = (await once(asked, 'response')) as [IncomingMessage];
        await assert.rejects(answer.toArray(), /aborted/);
        nvr.rawAnswer = undefined;
      },
      { 'streams_closed_total{kind="sse",reason="error"}': 1, 'upstream_errors_total{reason="bad_answer"}': 1 },
    ));

  it('in which a client talks nonsense ends in error', () =>
    moves(
      instance,
      ['streams_closed_total', 'upstream_requests_total', 'upstream_duration_seconds_count'],
      async () => {
        const socket = new WebSocket(`${instance.url.replace('http', 'ws')}/ws`, {
          headers: { authorization: `Bearer ${vera}` },
        });
        await once(socket, 'open');
        socket.send('this is no message');
        assert.equal((await once(socket, 'close'))[0], 1007);
      },
      {
        'streams_closed_total{kind="ws",reason="error"}': 1,
        'upstream_requests_total{code_class="1xx"}': 1,
        'upstream_duration_seconds_count{route_class="ws"}': 1,
      },
    ));

  it('of a token whose time is over has expired', () =>
    moves(
      instance,
      ['streams_closed_total'],
      async () => {
        const admin = await instance.logIn(ADMIN_PERSON);
        const body = JSON.stringify({ name: 'a day pass', expires_at: Math.floor(instance.clock.now() / 1000) + 60 });
        const headers = { 'content-type': 'application/json' };
        const made = await instance.ask('/api/tokens', { method: 'POST', token: admin, headers, body });
        const { token } = (await made.json()) as { token: string };
        const socket = new WebSocket(`${instance.url.replace('http', 'ws')}/live/jsmpeg/cam1`, {
          headers: { authorization: `Bearer ${token}` },
        });
        await once(socket, 'open');
        instance.clock.advance(61);
        assert.equal((await once(socket, 'close'))[0], 4401);
      },
      { 'streams_closed_total{kind="ws",reason="expired"}': 1 },
    ));
});
