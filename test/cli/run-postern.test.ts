/** The tests' own way to start the service as a process leaves none behind. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { servePostern } from '../support/run-postern.ts';

describe('A service that a test starts', () => {
  it('is ended when it is not ready in time', async () => {
    const failure: unknown = await servePostern({ patience: 1 }).catch((error: unknown) => error);
    const pid = Number(/process (\d+) was not ready/.exec(String(failure))?.[1]);
    assert.ok(pid > 0, String(failure));
    assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
  });
});
