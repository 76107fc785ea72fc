/** What is read of claims: literal names first, then along the dots; groups as a list or one text. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { claimIn, groupsIn, textClaim } from '../../src/accounts/claims.ts';

describe('Claims', () => {
  it('are found under the literal name first, then along the dots', () => {
    assert.equal(claimIn({ 'a.b': 1, a: { b: 2 } }, 'a.b'), 1);
    assert.equal(claimIn({ a: { b: 2 } }, 'a.b'), 2);
    assert.deepEqual(claimIn({ 'https://example.org/groups': ['x'] }, 'https://example.org/groups'), ['x']);
    assert.equal(claimIn({ a: 'b' }, 'a.length'), undefined);
    for (const name of ['constructor', '__proto__', 'a.constructor.name', 'toString'])
      assert.equal(claimIn({ a: {} }, name), undefined);
  });

  it('are a text only when they are one', () => {
    assert.equal(textClaim({ name: 'ann' }, 'name'), 'ann');
    for (const name of ['', 7, null, ['ann'], { a: 1 }]) assert.equal(textClaim({ name }, 'name'), undefined);
  });

  // biome-ignore format: a table
  const GROUPS: readonly (readonly [unknown, readonly string[]])[] = [
    [['a', 'b'], ['a', 'b']],
    ['a,b c', ['a,b c']],
    [['a', 1, null, ['b'], { c: 1 }, ''], ['a']],
    [{ a: true }, []],
    [null, []],
    [true, []],
    ['', []],
  ];
  for (const [groups, expected] of GROUPS)
    it(`${JSON.stringify(groups)} as groups is ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(groupsIn({ groups }, 'groups'), expected);
    });

  it('name groups by e-mail only where it is verified', () => {
    const email = 'ann@example.org';
    assert.deepEqual(groupsIn({ email, email_verified: true }, 'email'), [email]);
    for (const email_verified of [false, 'true', 1, undefined])
      assert.deepEqual(groupsIn({ email, email_verified }, 'email'), []);
  });

  it('of any shape give texts and nothing else', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (claims, name) => {
        for (const group of groupsIn(claims, name)) assert.equal(typeof group, 'string');
      }),
    );
  });
});
