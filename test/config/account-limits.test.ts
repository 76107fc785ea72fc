/** Values that `auth` accepts for passwords and sessions, and values that it refuses (SPEC 12). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problemsOf, settingsOf } from './config-place.ts';

describe('A limit of accounts', () => {
  // biome-ignore format: a table
  const refused: readonly (readonly [key: string, value: string])[] = [
    ['password_min_length', '11'], ['password_min_length', 'null'], ['password_min_length', '12.5'], ['password_min_length', '129'],
    ['session_max_age', '0'], ['session_max_age', '-1'], ['session_max_age', '1.5'], ['session_max_age', 'never'],
    ['sessions_per_user', '0'], ['sessions_per_user', '501'], ['sessions_per_user', 'null'],
  ];
  for (const [key, value] of refused) {
    it(`auth.${key}: ${value} is refused`, async () => {
      const [problem = '', ...more] = await problemsOf(`auth: { ${key}: ${value} }`);
      assert.match(problem, new RegExp(`auth\\.${key}: `));
      assert.deepEqual(more, []);
    });
  }

  it('holds as it is written', async () => {
    const { auth } = await settingsOf('auth: { password_min_length: 15, session_max_age: null, sessions_per_user: 1 }');
    assert.deepEqual([auth.password_min_length, auth.session_max_age, auth.sessions_per_user], [15, null, 1]);
  });
});
