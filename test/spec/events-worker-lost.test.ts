/** The events worker dies: it is said where an operator looks, forwarding goes on, and another one is started (SPEC 7, 9). */
import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { event } from '../events/support/event.ts';
import { makeNvrDatabase } from '../events/support/nvr-file.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { scrape } from '../telemetry/support/exposition.ts';

type NvrFile = Awaited<ReturnType<typeof makeNvrDatabase>>;
const threads: Worker[] = [];
const note = (thread: Worker): void => void threads.push(thread);
let nvr: FakeNvr;
let file: NvrFile;
let instance: Runtime;
let vera: string;

before(async () => {
  process.on('worker', note);
  nvr = await startFakeNvr();
  file = await makeNvrDatabase([JSON.stringify(event({ id: '1-a' }))]);
  instance = await startInstance({
    config: {
      nvr: { url: nvr.url, cameras: ['cam1', 'front'] },
      events: { source: 'nvr-database', nvr_database: file.path },
    },
  });
  vera = await instance.logIn(VERA);
});
after(async () => {
  process.off('worker', note);
  await instance.close();
  await file.close();
  await nvr.close();
});

const events = async () => {
  const answer = await instance.ask('/api/events', { token: vera });
  return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body: await answer.json() };
};
const ready = async () => {
  const answer = await fetch(`${instance.telemetryUrl}/readyz`);
  return { status: answer.status, body: (await answer.json()) as { status: string; events: object } };
};
const told = async () => {
  const series = await scrape(instance.telemetryUrl);
  return [series.get('postern_events_up'), series.get('postern_events_restarts_total')];
};

describe('The events worker', () => {
  it('is up, as long as it lives', async () => {
    assert.equal((await events()).status, 200);
    assert.deepEqual([(await ready()).status, await told()], [200, [1, 0]]);
  });

  it('that died is missed: requests to it are told to come again, and /readyz and metrics say why', async () => {
    renameSync(file.path, `${file.path}.away`); // it cannot be started again as long as its file is not there
    await threads.at(-1)?.terminate();
    assert.deepEqual(await events(), {
      status: 503,
      retryAfter: '5',
      body: {
        success: false,
        message: 'The events backend is starting or has failed: try again in a moment.',
        reason: 'backend-unavailable',
      },
    });
    const { status, body } = await ready();
    assert.deepEqual([status, body.status], [503, 'not-ready']);
    assert.match(JSON.stringify(body.events), /^\{"kind":"failed","reason":"it has ended and is started again: .+"\}$/);
    assert.deepEqual(await told(), [0, 0]);
  });

  it('is not needed for forwarding', async () => {
    assert.equal((await instance.ask('/api/version', { token: vera })).status, 200);
    assert.equal((await fetch(`${instance.internalUrl}/api/version`)).status, 200);
  });

  it('is started again when it can be', { timeout: 300_000 }, async () => {
    renameSync(`${file.path}.away`, file.path);
    while ((await ready()).status !== 200);
    const { status, body } = await events();
    assert.deepEqual([status, (body as { id: string }[]).map(({ id }) => id)], [200, ['1-a']]);
    assert.deepEqual(await told(), [1, 1]);
    const lines = instance.log.filter(({ msg }) => String(msg).startsWith('the events backend')).map(({ msg }) => msg);
    assert.equal(lines[0], 'the events backend has ended: it is being restarted');
    assert.equal(lines.at(-1), 'the events backend runs again');
  });
});
