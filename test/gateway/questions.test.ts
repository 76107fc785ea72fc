/** Questions that the gate asks the NVR itself: each caller has a share of them, and the time of each begins when it is sent. */

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Sharer } from '../../src/domain/async.ts';
import { askJson, questionsUnderWay } from '../../src/outbound/ask-upstream.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { CARL, type Person } from '../support/people.ts';
import { upstreamAt } from '../support/start-gate.ts';
import { startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';

const OF_CALLER = 16;
const VERA: Sharer = [['name vera', 1]];
const DORA: Sharer = [['name dora', 1]];

let nvr: FakeNvr;
let held: ServerResponse[];
beforeEach(async () => {
  nvr = await startFakeNvr();
  held = [];
  nvr.answer = ({ url = '' }, response) => {
    if (url.includes('slow')) held.push(response);
    else response.end('{"camera":"cam1","start_time":1,"end_time":2}');
  };
});
afterEach(() => nvr.close());

const ask = (path: string, sharer: Sharer, timeout = 60): Promise<unknown> =>
  askJson({ upstream: upstreamAt(nvr.url), path, headers: {}, timeout, tls: { ca: undefined, verify: true }, sharer });

describe('A question to the NVR', () => {
  it('waits while its caller has a quarter of all under way, and those of others are asked', async () => {
    const asked = Promise.allSettled(Array.from({ length: 100 }, () => ask('/slow', VERA)));
    await until('a quarter is at the NVR', () => held.length === OF_CALLER);
    assert.deepEqual(await ask('/other', DORA), { camera: 'cam1', start_time: 1, end_time: 2 });
    assert.deepEqual([held.length, questionsUnderWay()], [OF_CALLER, OF_CALLER]);
    nvr.answer = (_request, response) => void response.end('{}');
    for (const response of held) response.end('{}');
    assert.ok((await asked).every(({ status }) => status === 'fulfilled'));
    assert.equal(questionsUnderWay(), 0);
  });

  it('has its time from when it is sent, not from when it began to wait', async () => {
    const slow = Array.from({ length: OF_CALLER }, () => ask('/slow', VERA, 0.3));
    const waits = ask('/quick', VERA, 0.3);
    await Promise.all(slow.map((one) => assert.rejects(one)));
    assert.deepEqual(await waits, { camera: 'cam1', start_time: 1, end_time: 2 });
  });

  it('gives its place back when the NVR breaks off, refuses or sends no JSON', async () => {
    const answers: FakeNvr['answer'][] = [
      (_request, response) => void response.destroy(),
      (_request, response) => void response.writeHead(500).end(),
      (_request, response) => void response.end('<html>'),
      (_request, response) =>
        void response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy()),
    ];
    for (const answer of answers) {
      nvr.answer = answer;
      await Promise.all(Array.from({ length: 40 }, () => assert.rejects(ask('/faulty', VERA))));
    }
    nvr.answer = (_request, response) => void response.writeHead(404).end();
    assert.deepEqual(
      await Promise.all(Array.from({ length: 40 }, () => ask('/none', VERA))),
      Array(40).fill(undefined),
    );
    assert.equal(questionsUnderWay(), 0);
  });
});

describe('A role that asks for ids that the NVR is slow to find', () => {
  it('takes no picture from another one', async () => {
    const dora: Person = { name: 'dora', role: 'front_only', password: 'PalladiumLamp99!!!' };
    const nvrBehind = { url: nvr.url, cameras: ['cam1', 'cam2'] };
    const instance = await startInstance({
      people: [CARL, dora],
      config: { nvr: nvrBehind, events: { source: 'nvr' } },
    });
    try {
      const [carls, doras] = [await instance.logIn(CARL), await instance.logIn(dora)];
      const leaving = new AbortController();
      const thumbnail = (id: string, token: string, signal?: AbortSignal) =>
        instance.ask(`/api/events/${id}/thumbnail.jpg`, { token, ...(signal && { signal }) });
      const many = Array.from({ length: 100 }, (_, at) => thumbnail(`1${at}.5-slow`, carls, leaving.signal));
      await until('a quarter is at the NVR', () => held.length === OF_CALLER);
      assert.equal((await thumbnail('17.5-quick', doras)).status, 200);
      assert.equal(held.length, OF_CALLER);
      leaving.abort();
      await Promise.allSettled(many);
      for (const response of held) response.writeHead(404).end();
    } finally {
      await instance.close();
    }
  });
});
