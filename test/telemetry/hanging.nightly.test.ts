/** `/readyz` while the NVR hangs: it answers from what is known, and says so in words (SPEC 9). */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:net';
import { describe, it } from 'node:test';
import type { PartState } from '../../src/telemetry/readiness.ts';
import { createKnownCheck, OK } from '../../src/telemetry/readiness.ts';
import { startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';

/** Takes connections and never answers. */
async function startHangingNvr(t: { after(act: () => void): void }) {
  const asked: string[] = [];
  const server: Server = createServer((socket) => {
    socket.on('data', (head) => void asked.push(head.toString().split('\r\n', 1)[0] ?? '')).on('error', () => {});
    t.after(() => socket.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, asked };
}

describe('/readyz while the NVR hangs', () => {
  it('answers before the NVR has, to ten who ask at once as well, by one question', async (t) => {
    const { url, asked } = await startHangingNvr(t);
    const instance = await startInstance({ config: { nvr: { url, cameras: ['cam1'] } } });
    t.after(instance.close);
    const ask = async () => {
      const answer = await fetch(`${instance.telemetryUrl}/readyz`);
      return { status: answer.status, nvr: ((await answer.json()) as { nvr: { kind: string; reason: string } }).nvr };
    };
    const NOT_YET = { status: 503, nvr: { kind: 'failed', reason: 'the NVR has not answered yet' } };
    assert.deepEqual(await Promise.all(Array.from({ length: 10 }, ask)), Array(10).fill(NOT_YET));
    assert.equal(asked.filter((line) => line === 'GET /api/version HTTP/1.1').length, 1);
    await until('it says since when', async () => (await ask()).nvr.reason === 'the NVR has given no answer for 1 s');
    await until('the question is given up', async () => /^no answer within 5 s$/.test((await ask()).nvr.reason));
  });
});

describe('A check that is answered from what is known', () => {
  it('gives the answer of now where there is one, and the one before while the question is open', async () => {
    let now = 0;
    const problem = 'nvr-timeout';
    let open = Promise.withResolvers<PartState>();
    const known = (last: PartState | undefined): PartState => last ?? { kind: 'failed', reason: 'not yet' };
    const check = createKnownCheck({ name: 'it', problem, ask: () => open.promise, known, now: () => now });
    assert.deepEqual(await check(), { kind: 'failed', reason: 'not yet' });
    open.resolve(OK);
    assert.deepEqual(await check(), OK);
    open = Promise.withResolvers();
    assert.deepEqual(await check(), OK);
    now = 3500;
    assert.deepEqual(await check(), { kind: 'failed', reason: 'it has given no answer for 3 s', problem });
    open.reject(new Error('it is gone'));
    assert.deepEqual(await check(), { kind: 'failed', reason: 'it is gone', problem });
  });
});
