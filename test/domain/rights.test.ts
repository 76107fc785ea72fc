/** The rights of an account with several roles, and of one whose provider gives none (SPEC 13, 16). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maySee } from '../../src/domain/camera-scope.ts';
import { ADMIN, NO_ROLE, type Role, VIEWER } from '../../src/domain/names.ts';
import {
  type ActiveRoles,
  parseLimits,
  type RightsHolder,
  rightsOfUser,
  type WrittenLimits,
} from '../../src/domain/rights.ts';

const NOW = 1_700_000_000;
const HOUR = 3600;
const DAY = 86_400;
const ROLES: Readonly<Record<string, WrittenLimits & { readonly cameras: readonly string[] }>> = {
  front: { cameras: ['front'] },
  yard: { cameras: ['yard_*'], deny: ['export', 'ptz'] },
  day: { cameras: ['hall'], history_since: '1d', deny: ['export'] },
  grant: { cameras: ['attic'], history_since: 'grant' },
};
const ACTIVE: ActiveRoles = {
  cameras: new Map(Object.entries(ROLES).map(([role, { cameras }]) => [role as Role, cameras])),
  limits: new Map(
    Object.entries(ROLES).map(([role, { cameras: _, ...limits }]) => {
      const parsed = parseLimits(limits);
      return [role as Role, parsed.ok ? parsed.value : assert.fail(parsed.error.message)];
    }),
  ),
  zone: 'UTC',
};

/** `roleSource`: '' for roles of Postern's own. */
const rightsOf = (
  [role = NO_ROLE, ...otherRoles]: readonly string[],
  { roleSource = 'home', ...change }: Partial<RightsHolder> = {},
) => {
  const held = { role: role as Role, otherRoles: otherRoles as Role[], ...(roleSource !== '' && { roleSource }) };
  return rightsOfUser({ createdAt: NOW - HOUR, ...held, ...change }, ACTIVE, NOW);
};

describe('The rights of an account with several roles', () => {
  it('are the cameras of all, and denied is what all deny', () => {
    const { role, scope, denied } = rightsOf(['front', 'yard']);
    assert.equal(role, 'front');
    assert.deepEqual(
      ['front', 'yard_1', 'hall'].map((camera) => maySee(scope, camera)),
      [true, true, false],
    );
    assert.equal(denied, undefined);
    assert.deepEqual(rightsOf(['yard', 'day']).denied, ['export']);
  });

  // biome-ignore format: a table
  const HISTORIES: readonly [title: string, roles: readonly string[], createdAt: number, history: object | undefined][] = [
    ['none where one role has none',                  ['day', 'grant', 'front'], NOW - HOUR,    undefined],
    ['the grant while it is further back',            ['day', 'grant'],          NOW - 2 * DAY, { from: NOW - 2 * DAY }],
    ['the duration while it is further back',         ['grant', 'day'],          NOW - HOUR,    { seconds: DAY }],
    ['that of one role alone, with its grant',        ['grant'],                 NOW - HOUR,    { from: NOW - HOUR }],
  ];
  for (const [title, roles, createdAt, history] of HISTORIES)
    it(`have as limit of history ${title}`, () => assert.deepEqual(rightsOf(roles, { createdAt }).history, history));

  it('are those of admin or viewer where one of them is held', () => {
    assert.deepEqual(rightsOf(['front', ADMIN]), { role: ADMIN, scope: { kind: 'all' } });
    assert.deepEqual(rightsOf(['front', VIEWER]), { role: VIEWER, scope: { kind: 'all' } });
  });
});

describe('An account whose provider gives no role', () => {
  const isClosed = (roles: readonly string[], change?: Partial<RightsHolder>): boolean =>
    rightsOf(roles, change).closed?.reason === 'role-missing';

  it('may do nothing and sees nothing, whoever gives its role from now on', () => {
    assert.deepEqual([isClosed([NO_ROLE]), isClosed([NO_ROLE], { roleSource: '' })], [true, true]);
    assert.deepEqual(rightsOf([NO_ROLE]).scope, { kind: 'only', names: new Set(), wildcards: [] });
  });

  it('is worth nothing with roles that nothing defines, and something as soon as one is defined', () => {
    assert.deepEqual([isClosed(['gone', 'lost']), isClosed(['gone', 'front'])], [true, false]);
    assert.equal(maySee(rightsOf(['gone', 'front']).scope, 'front'), true);
  });

  it('is told of its end first', () => {
    assert.equal(rightsOf([NO_ROLE], { validUntil: NOW - 1 }).closed?.reason, 'account-ended');
  });
});
