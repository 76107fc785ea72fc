/** `npm run tests-of FILE` finds the tests that import a file, and those that do by way of others. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testsOf } from './support/tests-of.ts';

describe('The tests that reach a file', () => {
  it('are those that import it, by themselves or by way of others', () => {
    const found = testsOf(['src/domain/json.ts']);
    assert.ok(found.includes('test/access/narrow-response.test.ts'), 'it imports a file that imports this one');
    assert.ok(found.includes('test/attacks/request-bodies.test.ts'), 'it starts an instance');
    assert.ok(!found.includes('test/domain/hours.test.ts'), 'it reaches another file alone');
  });

  it('are a test itself, those that read a file of data, and none for a file that is not imported', () => {
    assert.deepEqual(testsOf(['test/map.test.ts']), ['test/map.test.ts']);
    assert.ok(testsOf(['test/data/routes.yaml']).includes('test/policy/vod-paths.test.ts'));
    assert.deepEqual(testsOf(['src/no-such-file.ts']), []);
  });
});
