/** `GET /api/status` (SPEC 8): every part of it, told by the instance itself, and to admins alone. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ServiceStatus } from '../../src/gateway/readiness.ts';
import { startFakeNvr } from '../support/fake-nvr.ts';
import { instanceInFront } from '../support/instance-in-front.ts';
import { ADMIN_PERSON, VERA } from '../support/people.ts';
import { startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';

const { instance, nvr } = await instanceInFront();

describe('The status', () => {
  it('tells what is there, what went wrong and what to put right', async () => {
    const token = await instance.logIn(ADMIN_PERSON);
    await instance.ask('/api/login', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ user: 'vera', password: 'not-her-password' }),
    });
    await instance.ask('/api/new_thing/17', { token });
    nvr.rawAnswer = { bytes: 'SSH-2.0\r\n' };
    await instance.ask('/api/broken', { token });
    nvr.rawAnswer = undefined;

    const told = async () => (await (await instance.ask('/api/status', { token })).json()) as ServiceStatus;
    await until('the NVR has answered', async () => (await told()).nvr?.kind === 'ok');
    const status = await told();
    assert.deepEqual([status.store, status.nvr, status.events], [{ kind: 'ok' }, { kind: 'ok' }, { kind: 'unused' }]);
    assert.deepEqual(status.versions, { postern: '0.0.0-test', node: process.version, nvr: '0.18.0-fake' });
    assert.equal(status.certificate, null);
    assert.deepEqual(status.limiter, {
      clauses: '5/minute;20/hour',
      addresses: 1,
      limited: 0,
    });
    assert.deepEqual([status.loginFailures?.length, status.loginFailures?.at(-1)?.count], [24, 1]);
    assert.deepEqual(
      status.unknownRoutes?.map(({ method, path, count }) => `${method} ${path} ${count}`),
      ['GET /api/new_thing/* 1'],
    );
    assert.deepEqual(
      status.failures?.map(({ reason, method, path }) => `${reason} ${method} ${path}`),
      ['nvr-bad-answer GET /api/broken'],
    );
    assert.ok(status.warnings?.some(({ key }) => key === 'auth.hash_iterations'));
  });

  it('says that the NVR does not work while it answers with a failure', async () => {
    const token = await instance.logIn(ADMIN_PERSON);
    nvr.rawAnswer = { bytes: 'HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n' };
    const told = async () => ((await (await instance.ask('/api/status', { token })).json()) as ServiceStatus).nvr;
    await until('it has answered', async () => (await told())?.kind === 'failed');
    const seen = await told();
    nvr.rawAnswer = undefined;
    const reason = '/api/version was answered with status 503';
    assert.deepEqual(seen, { kind: 'failed', reason, problem: 'nvr-failed' });
  });

  it('waits for the first answer of an NVR that is slower than readiness waits', async (t) => {
    const slow = await startFakeNvr();
    t.after(slow.close);
    const house = await startInstance({ config: { nvr: { url: slow.url, cameras: ['cam1'] } } });
    t.after(house.close);
    const token = await house.logIn(ADMIN_PERSON);
    const [held, answer] = [Promise.withResolvers<void>(), slow.answer];
    slow.answer = (...asked) => void held.promise.then(() => answer(...asked));
    const asked = house.ask('/api/status', { token });
    await until('both questions are open', () => slow.received.length >= 2);
    // Its patience begins after that of the status.
    const ready = await fetch(`${house.telemetryUrl}/readyz`);
    assert.equal(((await ready.json()) as Pick<ServiceStatus, 'nvr'>).nvr?.kind, 'failed');
    held.resolve();
    assert.deepEqual(((await (await asked).json()) as ServiceStatus).nvr, { kind: 'ok' });
  });

  it('says of an NVR whose cameras cannot be read that it works in part', async (t) => {
    const other = await startFakeNvr();
    t.after(other.close);
    other.answer = (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
    const house = await startInstance({ config: { nvr: { url: other.url } } });
    t.after(house.close);
    const token = await house.logIn(ADMIN_PERSON);
    const told = async () => ((await (await house.ask('/api/status', { token })).json()) as ServiceStatus).nvr;
    await until('it has answered', async () => (await told())?.kind !== 'failed');
    assert.deepEqual(await told(), {
      kind: 'degraded',
      reason:
        'the list of cameras cannot be read from the NVR (the configuration of the NVR has no "cameras"): check that nvr.url is the address of an NVR, or set nvr.cameras',
      problem: 'cameras-unknown',
    });
  });

  it('is for admins', async () => {
    assert.equal((await instance.ask('/api/status', { token: await instance.logIn(VERA) })).status, 403);
    assert.equal((await instance.ask('/api/status')).status, 401);
  });
});
