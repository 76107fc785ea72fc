/** A service that has a key of a former version starts, and says what to do instead. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problemsOf, settingsOf, warningsFor } from './config-place.ts';

describe('A key that was removed', () => {
  it('is named with what to do, and the rest holds', async () => {
    const yaml = 'server: { workers: auto, base_path: /nvr }\n';
    const [warning = '', ...others] = await warningsFor(yaml);
    assert.deepEqual(others, []);
    assert.match(warning, /was removed and has no effect: .*replicas.*; remove the key$/);
    assert.match(warning, /^config\.yaml:1:\d+ server\.workers: /);
    assert.equal((await settingsOf(yaml)).server.base_path, '/nvr');
  });

  it('is named from the environment, too', async () => {
    const env = { POSTERN__SERVER__WORKERS: '2' };
    const [warning = ''] = await warningsFor('', { env });
    assert.match(warning, /^POSTERN__SERVER__WORKERS server\.workers: was removed/);
  });

  it('is named as a section, and no secret in it is shown', async () => {
    const [warning = '', ...others] = await warningsFor('limits: { redis_url: "redis://:hunter2@r", replicas: 2 }\n');
    assert.deepEqual(others, []);
    assert.match(warning, /^config\.yaml:1:1 limits: was removed and has no effect: .*PostgreSQL/);
    assert.doesNotMatch(warning, /hunter2/);
  });

  it('hides no other problem', async () => {
    assert.deepEqual(await problemsOf('server: { workers: 2, basepath: /nvr }\n'), [
      'config.yaml:1:23 server.basepath: unknown key: did you mean base_path?',
    ]);
  });
});
