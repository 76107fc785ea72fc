import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseNewPassword, passwordFault } from '../../src/accounts/passwords/password-rules.ts';

const SHORT = 'Password must be at least 12 characters long';
const LONG = 'Password must be at most 1024 bytes long';
const BROKEN = 'Password must be well-formed text without NUL characters';

describe('A new password', () => {
  const rows: [sentence: string, text: string, fault: string | undefined][] = [
    ['has at least 12 characters (interface 8)', 'a'.repeat(12), undefined],
    ['does not have 11', 'a'.repeat(11), SHORT],
    ['is not empty', '', 'Password cannot be empty'],
    ['is counted in code points: 12 emoji are enough', '🔑'.repeat(12), undefined],
    ['is counted in code points: 11 emoji are 22 units, and too few', '🔑'.repeat(11), SHORT],
    ['may have 1024 bytes', 'a'.repeat(1024), undefined],
    ['may not have 1025', 'a'.repeat(1025), LONG],
    ['is measured in UTF-8 bytes', 'é'.repeat(513), LONG],
    ['has no NUL', `${'a'.repeat(12)}\0`, BROKEN],
    ['has no lone surrogate', `\ud800${'a'.repeat(12)}`, BROKEN],
    ['may have spaces and any script', 'größe, naïveté & 日本', undefined],
  ];
  for (const [sentence, text, fault] of rows) {
    it(sentence, () =>
      assert.deepEqual(
        parseNewPassword(text),
        fault === undefined ? { ok: true, value: text } : { ok: false, error: fault },
      ),
    );
  }

  it('may be shorter when it is only being checked: rules change, and old passwords stay', () => {
    assert.equal(passwordFault('short'), undefined);
    assert.equal(passwordFault('short\0'), BROKEN);
  });
});
