/** The audit log: who came, who was refused what, and who went (SPEC 9). */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { CARL, VERA } from '../support/people.ts';
import { startInstance } from '../support/start-instance.ts';

describe('The audit log of an instance', () => {
  let records: Record<string, unknown>[];
  before(async () => {
    const instance = await startInstance({
      config: {
        nvr: { cameras: ['cam1', 'cam2'] },
        events: { sample: 5 },
        logger: { default: 'error', logs: { 'service.audit': 'info' } },
      },
    });
    const [vera, carl] = [await instance.logIn(VERA), await instance.logIn(CARL)];
    await instance.ask('/api/users', { token: vera });
    await instance.ask('/api/events?camera=cam2', { token: carl });
    await instance.ask('/api/events', { token: carl });
    await instance.ask('/logout', { method: 'POST', token: vera });
    await instance.close();
    records = instance.log.filter(({ logger }) => logger === 'service.audit');
  });

  it('finds there who came, who was refused what by role, and who went', () =>
    assert.deepEqual(
      records.map(({ what, who, verdict, reason, path }) => [what, who, verdict, reason, path]),
      [
        ['login', 'vera', 'allowed', undefined, undefined],
        ['login', 'carl', 'allowed', undefined, undefined],
        ['access', 'vera', 'refused', 'role-too-low', '/api/users'],
        ['access', 'carl', 'refused', 'camera-not-in-role', '/api/events'],
        ['logout', 'vera', 'allowed', undefined, undefined],
      ],
    ));

  it('finds there from where, and under which request id', () => {
    for (const { from, requestId } of records) assert.deepEqual([from, typeof requestId], ['127.0.0.1', 'string']);
  });
});
