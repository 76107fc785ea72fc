/** Cameras of a scope: patterns mean what they say, and cost the same however they are written. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  ALL_CAMERAS,
  bothScopes,
  isSameScope,
  maySee,
  parseCameraEntry,
  scopeOfNames,
  scopeWithout,
  toScope,
  unionOfScopes,
} from '../../src/domain/camera-scope.ts';

const entry = fc
  .array(fc.constantFrom('a', 'b', '*', '_', '.'), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(''));
const list = fc.array(entry, { minLength: 1, maxLength: 5 });
const name = fc.array(fc.constantFrom('a', 'b', '_', '.', '\n'), { maxLength: 8 }).map((parts) => parts.join(''));

const ENTRIES = ['a*', 'b'];

/** What an entry means, in words of another engine. */
const means = (text: string, camera: string): boolean =>
  new RegExp(`^${text.split('*').map(RegExp.escape).join('.*')}$`, 'su').test(camera);
const seenBy = (entries: readonly string[], camera: string): boolean => entries.some((text) => means(text, camera));

describe('A scope', () => {
  it('holds what its entries mean', () =>
    fc.assert(
      fc.property(list, name, (entries, camera) => maySee(toScope(entries), camera) === seenBy(entries, camera)),
    ));

  it('of two holds what both hold, of three what all hold', () =>
    fc.assert(
      fc.property(list, list, list, name, (one, other, third, camera) => {
        const both = bothScopes(toScope(one), toScope(other));
        const all = bothScopes(both, toScope(third));
        const inBoth = seenBy(one, camera) && seenBy(other, camera);
        assert.equal(maySee(both, camera), inBoth);
        assert.equal(maySee(all, camera), inBoth && seenBy(third, camera));
        assert.equal(maySee(bothScopes(toScope(third), both), camera), inBoth && seenBy(third, camera));
      }),
    ));

  it('of several roles holds what any of them holds, also within a token', () =>
    fc.assert(
      fc.property(list, list, list, name, (one, other, token, camera) => {
        const within = bothScopes(toScope(one), toScope(token));
        const union = unionOfScopes([within, toScope(other)]);
        const expected = (seenBy(one, camera) && seenBy(token, camera)) || seenBy(other, camera);
        assert.equal(maySee(union, camera), expected);
      }),
    ));

  it('without another holds what that does not hold, within a token and twice as well', () =>
    fc.assert(
      fc.property(list, list, list, list, name, (role, taken, more, token, camera) => {
        const isLeft = !seenBy(taken, camera) && !seenBy(more, camera);
        const left = scopeWithout(scopeWithout(toScope(role), toScope(taken)), toScope(more));
        const leftOfAll = scopeWithout(scopeWithout(ALL_CAMERAS, toScope(taken)), toScope(more));
        assert.equal(maySee(left, camera), seenBy(role, camera) && isLeft);
        assert.equal(maySee(leftOfAll, camera), isLeft);
        assert.equal(maySee(bothScopes(toScope(token), leftOfAll), camera), seenBy(token, camera) && isLeft);
        assert.equal(maySee(bothScopes(left, toScope(token)), camera), maySee(left, camera) && seenBy(token, camera));
        assert.equal(
          maySee(unionOfScopes([left, toScope(token)]), camera),
          maySee(left, camera) || seenBy(token, camera),
        );
      }),
    ));

  it('without another is made once, and is another scope for what is taken', () => {
    assert.equal(scopeWithout(ALL_CAMERAS, toScope(ENTRIES)), scopeWithout(ALL_CAMERAS, toScope(ENTRIES)));
    assert.ok(!isSameScope(scopeWithout(ALL_CAMERAS, toScope(['a*'])), scopeWithout(ALL_CAMERAS, toScope(['b*']))));
    assert.ok(!isSameScope(scopeWithout(toScope(['*']), toScope(['a'])), toScope(['*'])));
  });

  it('is the same for the same entries in another order, and another for others', () => {
    const both = bothScopes(toScope(['a*', 'b*']), toScope(['*x', '*y']));
    assert.ok(isSameScope(both, bothScopes(toScope(['b*', 'a*']), toScope(['*y', '*x']))));
    assert.ok(!isSameScope(both, bothScopes(toScope(['a*', 'b*']), toScope(['*x', '*z']))));
    assert.ok(!isSameScope(both, toScope(['a*', 'b*'])));
    assert.ok(!isSameScope(toScope(['a*']), toScope(['b*'])));
  });

  it('of a role and a token is made once', () => {
    const [role, token] = [
      ['a*', '*b'],
      ['*c*', 'd*'],
    ];
    assert.equal(bothScopes(toScope(role), toScope(token)), bothScopes(toScope(role), toScope(token)));
  });

  it('is searched in a time that does not grow with the square of anything', () => {
    const hostile = Array.from({ length: 200 }, (_, index) => `${'*a'.repeat(30)}*b${index}`);
    const longest = 'a'.repeat(128);
    const both = bothScopes(toScope(hostile), toScope(hostile.map((text) => `${text}*`)));
    for (let turn = 0; turn < 100; turn++) assert.equal(maySee(both, longest), false);
    assert.equal(maySee(toScope(['*']), longest), true);
    assert.equal(maySee(toScope(['*']), `${longest}a`), false, 'a name that no camera has');
    assert.equal(maySee(toScope(hostile), 'a'.repeat(1_000_000)), false);
    assert.equal(maySee(scopeOfNames(['b']), 'a'.repeat(1_000_000)), false);
  });
});

describe('An entry of a role or a token', () => {
  // biome-ignore format: a table
  const rows: [text: string, isEntry: boolean][] = [
    ['front',            true],
    ['*',                true],
    ['a*b*c*d*',         true],
    ['a*b*c*d*e*',       false],
    ['a'.repeat(96),     true],
    ['a'.repeat(97),     false],
    ['\ud800',           false],
    ['All',              false],
    ['a,b',              false],
    ['',                 false],
  ];
  for (const [text, isEntry] of rows)
    it(`${isEntry ? 'may' : 'may not'} be ${JSON.stringify(text).slice(0, 30)}`, () =>
      assert.equal(parseCameraEntry(text).ok, isEntry));
});
