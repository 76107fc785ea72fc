import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decidedByName } from '../../src/domain/bounded.ts';

describe('What a name decides', () => {
  const counted = () => {
    const asked: string[] = [];
    const decide = decidedByName((name) => {
      asked.push(name);
      return name.length > 4;
    });
    return { asked, decide };
  };

  it('is decided once', () => {
    const { asked, decide } = counted();
    assert.deepEqual([decide('host'), decide('cookie'), decide('host'), decide('cookie')], [false, true, false, true]);
    assert.deepEqual(asked, ['host', 'cookie']);
  });

  it('is decided the same, and remembered again, after somebody has sent thousands of names', () => {
    const { asked, decide } = counted();
    const names = Array.from({ length: 3000 }, (_, at) => `x-${at}`);
    for (const name of ['host', ...names, 'host', 'host']) assert.equal(decide(name), name.length > 4, name);
    assert.equal(asked.filter((name) => name === 'host').length, 2);
  });

  it('is not remembered for names that nobody needs, whose length is memory', () => {
    const { asked, decide } = counted();
    const long = 'x'.repeat(10_000);
    assert.deepEqual([decide(long), decide(long)], [true, true]);
    assert.equal(asked.length, 2);
  });
});
