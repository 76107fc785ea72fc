/** `postern limits list|lift` beside a running server, which feels it (SPEC 1, 4.5). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { VERA } from '../support/people.ts';
import { runPostern } from '../support/run-postern.ts';
import { sendJson } from '../support/second-factor.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

describe('postern limits', () => {
  let instance: Runtime;
  before(async () => {
    instance = await startInstance();
  });
  after(() => instance.close());

  const run = (...words: string[]) => runPostern(['limits', ...words], { directory: instance.directory });
  const logIn = async (password: string): Promise<number> =>
    (await sendJson(instance, '/api/login', { user: VERA.name, password })).status;

  it('lists nobody, and lifts nothing, while nobody must wait', async () => {
    assert.equal((await run('list')).stdout, 'No client has to wait at the login.\n');
    const { code, stderr } = await run('lift', '192.0.2.1');
    assert.deepEqual([code, stderr], [1, '"192.0.2.1" is not limited: "postern limits list" shows who is\n']);
  });

  it('lists who must wait, and lifts it: the server feels it', async () => {
    for (let guess = 0; guess < 5; guess += 1) assert.equal(await logIn('WrongPassw0rd!!!'), 401);
    assert.equal(await logIn(VERA.password), 429);
    // At once, without a wait for what may follow.
    assert.match((await run('list')).stdout, /^127\.0\.0\.1 {2}until 20\d\d-\S+Z {2}tried vera\n$/);
    assert.equal((await run('lift', '127.0.0.1')).stdout, 'Lifted: 127.0.0.1.\n');
    assert.equal((await run('list')).stdout, 'No client has to wait at the login.\n');
    instance.clock.advance(1);
    assert.equal(await logIn(VERA.password), 200);
  });
});
