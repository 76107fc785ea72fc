/** Which entries of roles and tokens count at which site (SPEC 20). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sitesSeenFrom } from '../../src/domain/accounts/site.ts';
import { maySee, parseCameraEntry, scopeOf } from '../../src/domain/camera-scope.ts';
import {
  ambiguousNames,
  ambiguousSentence,
  changedHere,
  entriesHere,
  entriesOverHere,
  isSiteName,
  nameableCameras,
  type Sites,
} from '../../src/domain/sites.ts';

const recordOf = (site: string, cameras: readonly string[]) => ({ site, cameras, roles: [], keyId: '', changedAt: 0 });

/** The sites as each of them sees them. */
function seenBy(cameras: Readonly<Record<string, readonly string[]>>): Readonly<Record<string, Sites>> {
  const records = Object.entries(cameras).map(([site, names]) => recordOf(site, names));
  return Object.fromEntries(Object.keys(cameras).map((site) => [site, sitesSeenFrom(site, [], records)]));
}

const { house, barn, barns } = seenBy({
  house: ['garden', 'hall', 'barn:odd'],
  barn: ['garden', 'yard'],
  barns: ['pond'],
});

// biome-ignore format: a table
const ROWS: readonly (readonly [entry: string, house: string | undefined, barn: string | undefined, barns: string | undefined, why: string])[] = [
  ['house:garden', 'garden', undefined, undefined, 'a name with its site counts there'],
  ['barn:garden', undefined, 'garden', undefined, 'the same name at another one'],
  ['hall', 'hall', undefined, undefined, 'a bare name counts where it is alone'],
  ['garden', undefined, undefined, undefined, 'a bare name of two cameras means neither'],
  ['attic', 'attic', 'attic', 'attic', 'a name that nobody has yet'],
  ['*', '*', '*', '*', 'all cameras of all sites'],
  ['gar*', 'gar*', 'gar*', 'gar*', 'a bare pattern counts at all sites'],
  ['barn:*', undefined, '*', undefined, 'all cameras of one site'],
  ['barns:*', undefined, undefined, '*', 'a name of a site that begins with another one'],
  ['barn:ga*n', undefined, 'ga*n', undefined, 'a pattern of one site'],
  ['moat:garden', 'moat:garden', 'moat:garden', 'moat:garden', 'no site: a camera may have a colon in its name'],
  ['house:barn:odd', 'barn:odd', undefined, undefined, 'a camera that is named like one of another site'],
  ['barn:odd', undefined, 'odd', undefined, 'the name of a site wins over a camera of that name'],
  ['house:', undefined, undefined, undefined, 'a site without a camera'],
  ['*:garden', '*:garden', '*:garden', '*:garden', 'a star is no site'],
];

describe('Entries of roles and tokens at a site', () => {
  for (const [entry, atHouse, atBarn, atBarns, why] of ROWS)
    it(`${entry}: ${why}`, () => {
      const found = [house, barn, barns].map((sites) => entriesHere([entry], sites)[0]);
      assert.deepEqual(found, [atHouse, atBarn, atBarns]);
    });

  it('stay what they are where there is one site', () => {
    const entries = ['a:b', 'garden', '*'];
    assert.equal(entriesHere(entries, undefined), entries);
    assert.equal(entriesOverHere(entries, undefined), entries);
    assert.deepEqual(ambiguousNames(entries, undefined), []);
  });

  it('a site that is configured and has told nothing yet is one all the same', () => {
    const alone = sitesSeenFrom('house', ['barn'], [recordOf('house', ['garden'])]);
    assert.deepEqual(entriesHere(['barn:garden', 'garden'], alone), ['garden']);
  });

  it('of the curtain a bare name covers all sites', () => {
    const drawn = ['garden', 'barn:yard', 'house:hall'];
    assert.deepEqual(
      [house, barn].map((sites) => entriesOverHere(drawn, sites)),
      [
        ['garden', 'hall'],
        ['garden', 'yard'],
      ],
    );
  });

  it('give the same list for the same list, for which a scope is remembered', () => {
    const entries = ['house:garden'];
    assert.equal(entriesHere(entries, house), entriesHere(entries, house));
    assert.notEqual(entriesHere(entries, house), entriesHere(entries, barn));
  });

  it('that are two are named with both spellings', () => {
    const [found, ...more] = ambiguousNames(['hall', 'garden', 'gar*', 'barn:garden'], house);
    assert.deepEqual([found, more], [{ name: 'garden', sites: ['house', 'barn'] }, []]);
    assert.equal(
      found && ambiguousSentence(found),
      '"garden" is a camera of the sites house and barn: write house:garden or barn:garden',
    );
  });

  it('of other sites stay when a page that knows one NVR changes a role', () => {
    const before = ['house:garden', 'barn:yard', 'yard', 'garden', '*'];
    assert.deepEqual(changedHere(before, ['hall'], house), ['barn:yard', 'yard', 'garden', 'house:hall']);
  });

  it('may name each camera by its site', () => {
    assert.deepEqual(nameableCameras(['pond'], barns), [
      'pond',
      'barns:pond',
      'garden',
      'house:garden',
      'hall',
      'house:hall',
      'barn:odd',
      'house:barn:odd',
      'barn:garden',
      'yard',
      'barn:yard',
    ]);
  });
});

describe('Whatever is written', () => {
  const site = fc.constantFrom('a', 'ab', 'b', 'a-b');
  const name = fc.constantFrom('x', 'y', 'xy', 'a:x', ':', 'b');
  const cameras = fc.uniqueArray(name, { maxLength: 4 });
  const plan = fc.uniqueArray(fc.tuple(site, cameras), { minLength: 2, maxLength: 4, selector: ([one]) => one });
  const entry = fc.oneof(
    name,
    fc.constantFrom('*', 'x*', '*:x', 'a:', ':x'),
    fc.tuple(site, fc.oneof(name, fc.constantFrom('*', 'x*', ''))).map(([one, other]) => `${one}:${other}`),
  );
  const entries = fc.array(entry, { maxLength: 5 });

  it('an entry of one site opens no camera of another', () => {
    fc.assert(
      fc.property(plan, entries, site, (sites, texts, of) => {
        const seen = seenBy(Object.fromEntries(sites));
        const mine = texts.map((text) => `${of}:${text}`);
        for (const [other, names] of sites) {
          if (other === of || !Object.hasOwn(seen, of)) continue;
          const scope = scopeOf(entriesHere(mine, seen[other]));
          assert.ok(!names.some((camera) => maySee(scope, camera)), `${mine.join()} at ${other}`);
        }
      }),
    );
  });

  it('a bare name opens at most one camera of all sites, and none more because a site was added', () => {
    fc.assert(
      fc.property(plan, name, (sites, bare) => {
        fc.pre(!sites.some(([one]) => bare.startsWith(`${one}:`)));
        const openAt = (some: typeof sites): string[] => {
          const seen = seenBy(Object.fromEntries(some));
          const opens = ([one, names]: (typeof sites)[number]): boolean =>
            names.includes(bare) && maySee(scopeOf(entriesHere([bare], seen[one])), bare);
          return some.filter(opens).map(([one]) => one);
        };
        const [before, after] = [sites.slice(0, -1), sites].map(openAt);
        assert.ok(after && after.length <= 1);
        const added = sites.at(-1)?.[0];
        assert.ok(after.every((one) => one === added || before?.includes(one)));
      }),
    );
  });

  it('the curtain covers at least what the same entries open', () => {
    fc.assert(
      fc.property(plan, entries, (sites, texts) => {
        const seen = seenBy(Object.fromEntries(sites));
        for (const [one, names] of sites) {
          const [open, drawn] = [entriesHere(texts, seen[one]), entriesOverHere(texts, seen[one])].map((list) =>
            scopeOf(list),
          );
          assert.ok(open && drawn && names.every((camera) => !maySee(open, camera) || maySee(drawn, camera)));
        }
      }),
    );
  });
});

describe('Names', () => {
  it('of sites are short, in lower case, and never hold a colon', () => {
    for (const good of ['a', 'house', 'barn-2', '1']) assert.ok(isSiteName(good), good);
    for (const bad of ['', 'House', 'a:b', '-a', 'a-', 'a b', 'a'.repeat(31), '*', 'a.b'])
      assert.ok(!isSiteName(bad), bad);
  });

  it('"all" is no camera of a site either', () => {
    for (const text of ['all', 'barn:all', 'barn:ALL']) assert.equal(parseCameraEntry(text).ok, false, text);
  });
});
