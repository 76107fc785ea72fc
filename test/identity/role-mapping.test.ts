/** Role resolution (interface 5.5.3 and 5.5.6): its sentences, and the decisions where it leaves one open. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Role } from '../../src/domain/names.ts';
import { type RoleMapping, resolveMapped, resolveRole, ruleSentence } from '../../src/identity/role-mapping.ts';

const CUSTOM = ['gardener', 'Porch.Team', 'constructor_x'] as Role[];
const roles = (map: Record<string, string[]>): RoleMapping['role_map'] =>
  new Map(Object.entries(map) as [Role, string[]][]);

const mapping = (changes: Partial<RoleMapping> = {}): RoleMapping => ({
  separator: ',',
  header_map: {},
  role_map: roles({}),
  default_role: 'viewer' as Role,
  ...changes,
});

const MAP = roles({
  viewer: ['staff'],
  admin: ['nvr-admins', 'root'],
  gardener: ['garden', 'staff'],
  ghost: ['ghosts'],
});
const NONE = mapping({ default_role: 'none' });
const MAPPED = mapping({ role_map: MAP });
const MAPPED_OR_NONE = mapping({ role_map: MAP, default_role: 'none' });

const outcome = (value: string | undefined, how: RoleMapping): string => {
  const verdict = resolveRole(value, how, CUSTOM);
  return verdict.kind === 'role' ? `${verdict.matches[0].role} by ${verdict.matches[0].by}` : verdict.because;
};

describe('The role of a proxy user', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, value: string | undefined, how: RoleMapping, expected: string][] = [
    ['With proxy.role_map: a header value matching a listed group gives the mapped role',                               'staff',               MAPPED,         'viewer by role_map'],
    ['… for any of the groups of a role',                                                                               'root',                MAPPED,         'admin by role_map'],
    ['If the admin mapping matches, the session resolves to admin even when other groups also match',                   'staff,garden,root',   MAPPED,         'admin by role_map'],
    ['If no mapping matches, proxy.default_role is used',                                                               'nobody',              mapping({ role_map: MAP, default_role: 'gardener' as Role }), 'gardener by default_role'],
    ['if it is none, access is denied',                                                                                 'nobody',              MAPPED_OR_NONE, 'default-none'],
    ['Without role_map, the role header is taken to contain admin directly',                                            'admin',               NONE,           'admin by role-name'],
    ['… or viewer',                                                                                                     'viewer',              NONE,           'viewer by role-name'],
    ['… or a custom role name',                                                                                         'gardener',            NONE,           'gardener by role-name'],
    ['A value in the mapped role header overrides default_role',                                                        'viewer',              mapping({ default_role: 'admin' as Role }), 'viewer by role-name'],
    ['… with a map as well',                                                                                            'staff',               mapping({ role_map: MAP, default_role: 'admin' as Role }), 'viewer by role_map'],
    ['The role header may hold several roles, split on proxy.separator',                                                'x, gardener ,y',      NONE,           'gardener by role-name'],
    ['… default comma, another character when configured',                                                              'x|gardener',          mapping({ separator: '|' }), 'gardener by role-name'],
    ['… which may be a blank',                                                                                          'x gardener',          mapping({ separator: ' ' }), 'gardener by role-name'],
    ['… and then a comma separates nothing',                                                                            'x,gardener',          mapping({ separator: '|', default_role: 'none' }), 'default-none'],

    ['is the default without a role header',                                                                            undefined,             mapping({ default_role: 'gardener' as Role }), 'gardener by default_role'],
    ['is viewer without a role header and default',                                                                     undefined,             mapping(),      'viewer by default_role'],
    ['is denied without a role header when the default is none',                                                        undefined,             NONE,           'default-none'],
    ['is the default when the header is empty',                                                                         ' , ,',                mapping(),      'viewer by default_role'],
    ['is denied when the default is no configured role',                                                                undefined,             mapping({ default_role: 'gone' as Role }), 'default-unknown'],
    ['is admin before viewer among direct names, in any order',                                                         'viewer,admin',        NONE,           'admin by role-name'],
    ['is viewer before a custom role among direct names',                                                               'gardener,viewer',     NONE,           'viewer by role-name'],
    ['is the first custom role in the order of auth.roles',                                                             'porch.team,gardener', NONE,           'gardener by role-name'],
    ['is found without case among direct names',                                                                        'PORCH.team',          NONE,           'Porch.Team by role-name'],
    ['is not found by a look-alike letter: the Kelvin sign is no k',                                                    'bac\u212a',           mapping({ default_role: 'none' }), 'default-none'],
    ['is the first match in the order of the map',                                                                      'garden,staff',        MAPPED,         'viewer by role_map'],
    ['compares groups with case',                                                                                       'STAFF',               MAPPED_OR_NONE, 'default-none'],
    ['takes no other blank than a plain one from around a group',                                                        'staff\u00a0',         MAPPED_OR_NONE, 'default-none'],
    ['nor from around a role name',                                                                                     '\u00a0admin',        NONE,           'default-none'],
    ['skips a mapped role that is not configured',                                                                      'ghosts,garden',       MAPPED,         'gardener by role_map'],
    ['is the default when only such a role matches',                                                                    'ghosts',              MAPPED_OR_NONE, 'default-none'],
    ['does not take role names for groups when there is a map',                                                         'admin',               MAPPED_OR_NONE, 'default-none'],
    ['is not none because the header says none',                                                                        'none',                NONE,           'default-none'],
    ...['__proto__', 'constructor', 'toString', 'hasOwnProperty'].flatMap((name): [string, string, RoleMapping, string][] => [
      [`is not found on a prototype: ${name}, direct`, name, NONE,           'default-none'],
      [`is not found on a prototype: ${name}, mapped`, name, MAPPED_OR_NONE, 'default-none'],
    ]),
  ];
  for (const [sentence, value, how, expected] of rows) {
    it(sentence, () => assert.equal(outcome(value, how), expected));
  }

  it('agrees with a plain model, whatever the groups, the map, the separator and the default, and each time the same', () => {
    const name = fc.constantFrom('admin', 'viewer', 'gardener', 'Porch.Team', 'ghost', 'none', 'constructor');
    const group = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom('a', 'b', 'c', 'A', '', ' ', '__proto__', 'admin', 'ADMIN', 'Viewer', 'gardener'),
      },
      { weight: 1, arbitrary: fc.string({ maxLength: 3, unit: 'grapheme' }) },
    );
    const map = fc.uniqueArray(fc.tuple(name, fc.array(group)), { selector: ([role]) => role, maxLength: 4 });
    const defaultRole = fc.option(name, { nil: undefined });
    const anyCharacter = fc.string({ minLength: 1, maxLength: 1, unit: 'grapheme' });
    const separators = fc.oneof(fc.constantFrom(',', '|', ';', ' ', '/', '\u00a7', '\u{1f6aa}'), anyCharacter);
    fc.assert(
      fc.property(fc.array(group), map, defaultRole, separators, (groups, entries, fallback, separator) => {
        const how = mapping({
          separator,
          role_map: new Map(entries as [Role, string[]][]),
          default_role: (fallback ?? 'viewer') as Role,
        });
        const verdict = resolveRole(groups.join(separator), how, CUSTOM);
        assert.deepEqual(resolveRole(groups.join(separator), how, CUSTOM), verdict);
        assert.equal(
          verdict.kind === 'role' ? verdict.matches.map(({ role }) => role).join('+') : 'denied',
          model(groups.join(separator), separator, entries, fallback),
        );
      }),
      { numRuns: 2000 },
    );
  });
});

describe('The role of a person at a provider', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, groups: string[], how: Pick<RoleMapping, 'role_map' | 'default_role'>, expected: string][] = [
    ['is that of the map',                             ['staff'],         { role_map: MAP, default_role: 'none' },                    'viewer'],
    ['is the default without a map, and no group',     ['admin'],         { role_map: new Map(), default_role: 'viewer' as Role },    'viewer'],
    ['is none without both: a group is no role',       ['admin', 'ADMIN', 'viewer', 'gardener'], { role_map: new Map(), default_role: 'none' }, 'denied'],
  ];
  for (const [sentence, groups, how, expected] of rows)
    it(sentence, () => {
      const verdict = resolveMapped(groups, how, CUSTOM);
      assert.equal(verdict.kind === 'role' ? verdict.matches[0].role : verdict.kind, expected);
    });
});

/** Sets and filters, where the code has loops that stop early. */
function model(
  header: string,
  separator: string,
  map: [role: string, groups: string[]][],
  fallback: string | undefined,
): string {
  const configured: string[] = ['admin', 'viewer', ...CUSTOM];
  const held = header
    .split(separator)
    .map((group) => group.replaceAll(/^ +| +$/g, ''))
    .filter(Boolean);
  const matching =
    map.length > 0
      ? map
          .filter(([role, names]) => configured.includes(role) && names.some((n) => held.includes(n)))
          .map(([role]) => role)
      : configured.filter((role) =>
          held.some(
            (group) => group.length === role.length && RegExp(`^${role.replaceAll('.', '[.]')}$`, 'i').test(group),
          ),
        );
  const byDefault = fallback === undefined ? 'viewer' : configured.includes(fallback) ? fallback : 'denied';
  const [first = byDefault, ...others] = matching;
  const builtIn = ['admin', 'viewer'].find((role) => matching.includes(role));
  return builtIn ?? [first, ...others].join('+');
}

describe('The sentence that explains a role', () => {
  // biome-ignore format: a table
  const rows: [value: string | undefined, how: RoleMapping, sentence: string][] = [
    ['x,root',   MAPPED,    'the group "root" gives admin by proxy.role_map'],
    ['VIEWER',   NONE,      '"VIEWER" in the role header is the role viewer'],
    ['porch.team,gardener', NONE, '"gardener" in the role header is the role gardener; "porch.team" in the role header is the role Porch.Team'],
    ['x',        mapping(), 'no value of the role header gives a role, so proxy.default_role gives viewer'],
    [undefined,  NONE,      'no value of the role header gives a role, and proxy.default_role is none'],
    ['x',        mapping({ default_role: 'gone' as Role }), 'no value of the role header gives a role, and proxy.default_role is not a configured one'],
  ];
  for (const [value, how, sentence] of rows) {
    it(sentence, () => assert.equal(ruleSentence(resolveRole(value, how, CUSTOM)), sentence));
  }
});
