/** What another configuration would change, against the decision asked one by one: each user, camera and operation (SPEC 15). */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { authorize } from '../../src/access/authorize.ts';
import { layoutOfNames } from '../../src/access/recorder-layout.ts';
import { withUse } from '../../src/access/review/really-used.ts';
import { isAboutCameras, sampleOf } from '../../src/access/review/sample-request.ts';
import { type Change, type RuleSet, wouldChange } from '../../src/access/review/would-change.ts';
import { compileRouteTable } from '../../src/access/route-table.ts';
import { formatChanges } from '../../src/cli/format-policy.ts';
import { loadPolicy } from '../../src/config/policy/load-policy.ts';
import { maySee } from '../../src/domain/camera-scope.ts';
import type { LedgerDay } from '../../src/domain/ledger.ts';
import type { CameraName, Role, UserName } from '../../src/domain/names.ts';
import { type PolicyRow, VERBS } from '../../src/domain/policy/policy.ts';
import { rightsOfUser } from '../../src/domain/rights/rights.ts';
import { FRIGATE } from '../../src/nvr/frigate/frigate.ts';
import { row } from '../support/routes.ts';

const NOW = 1_800_000_000;
const CAMERAS = ['cam1', 'cam2', 'front-door', 'front'] as CameraName[];
const layout = layoutOfNames(CAMERAS);
const shipped = await loadPolicy('frigate', '.');
const ROWS = shipped.kind === 'loaded' ? shipped.rows : assert.fail();

interface RoleText {
  readonly cameras: readonly string[];
  readonly deny: readonly (typeof VERBS)[number][];
}
/** Users `u0`, `u1` …, each with one of the roles. */
function side(
  rows: readonly PolicyRow[],
  users: readonly string[],
  roles: Readonly<Record<string, RoleText>>,
): RuleSet {
  const entries = Object.entries(roles) as [Role, RoleText][];
  const active = {
    cameras: new Map(entries.map(([role, { cameras }]) => [role, cameras])),
    limits: new Map(entries.map(([role, { deny }]) => [role, { deny }])),
    zone: 'UTC',
  };
  const holders = users.map((role, at) => ({
    kind: 'user' as const,
    name: `u${at}`,
    rights: rightsOfUser({ role: role as Role, createdAt: 1 }, active, NOW),
  }));
  return { rows, routes: compileRouteTable(rows, FRIGATE), holders };
}

/** Asked one by one. */
function allowed(
  { routes, holders }: RuleSet,
  name: string,
  asked: PolicyRow,
  method: string,
  camera: string,
): boolean {
  const rights = holders.find((holder) => holder.name === name)?.rights;
  const caller = rights && { name: name as UserName, credential: { kind: 'internal-listener' } as const, ...rights };
  const target = sampleOf(asked, camera, { nvr: FRIGATE });
  const verdict = authorize(caller, routes.match(method, target.segments), target, { layout, now: NOW });
  const isSeen = !isAboutCameras(asked) || !rights || maySee(rights.scope, camera);
  return verdict.kind === 'allowed' && isSeen;
}

const flat = (changes: readonly Change[]): string[] =>
  changes.flatMap(({ name, operation, becomes, cameras }) =>
    (cameras === 'all' ? ['all'] : cameras).map((camera) => `${name} ${operation} ${becomes} ${camera}`),
  );

describe('Another configuration', () => {
  const roleText = fc.record({
    cameras: fc.subarray(['cam1', 'cam2', 'front', 'front*'], { minLength: 1 }),
    deny: fc.subarray([...VERBS]),
  });
  const roles = fc.record({ guard: roleText, patio: roleText });
  const users = fc.array(fc.constantFrom('admin', 'viewer', 'guard', 'patio'), { minLength: 1, maxLength: 6 });

  it('changes what the decision, asked for each user, camera and operation, says that it changes', () => {
    fc.assert(
      fc.property(roles, roles, users, users, (one, two, rolesBefore, rolesAfter) => {
        const names = rolesBefore.map((_, at) => rolesAfter[at] ?? 'viewer');
        const [before, after] = [side(ROWS, rolesBefore, one), side(ROWS, names, two)];
        const expected = rolesBefore.flatMap((_, at) =>
          ROWS.filter(({ access }) => access !== 'none').flatMap((asked) =>
            asked.methods.flatMap((method) =>
              (isAboutCameras(asked) ? CAMERAS : ['all']).flatMap((camera) => {
                const sent = method === 'ANY' ? 'POST' : method;
                const given = camera === 'all' ? 'some-camera' : camera;
                const [was, is] = [before, after].map((rules) => allowed(rules, `u${at}`, asked, sent, given));
                if (was === is) return [];
                return [`u${at} ${method} ${asked.path} ${is ? 'allowed' : 'refused'} ${camera}`];
              }),
            ),
          ),
        );
        assert.deepEqual(
          [...new Set(flat(wouldChange(before, after, { layout, now: NOW })))].sort(),
          [...new Set(expected)].sort(),
        );
      }),
      { numRuns: 3 },
    );
  });

  it('is told with what was really used of it: viewings of that kind on that camera', () => {
    const roles = (cameras: readonly string[]) => ({ guard: { cameras, deny: [] } });
    const [before, after] = [side(ROWS, ['guard'], roles(['cam1', 'cam2'])), side(ROWS, ['guard'], roles(['cam2']))];
    const of = { user: 'u0', viewer: '', seconds: 1, hours: 1 };
    const days: LedgerDay[] = [
      { ...of, day: '2026-11-02', kind: 'live', camera: 'cam1_sub', records: 5 },
      { ...of, day: '2026-11-20', kind: 'live', camera: 'cam1', records: 7 },
      { ...of, day: '2026-11-21', kind: 'live', camera: 'cam2', records: 1 },
      { ...of, day: '2026-11-21', kind: 'live', camera: 'cam1', viewer: 'token:t1', records: 9 },
      { ...of, day: '2026-11-21', kind: 'live', camera: 'cam1', user: 'u1', records: 9 },
    ];
    const streams = new Map([...layout.streams, ['cam1_sub', ['cam1' as CameraName]]]);
    const told = withUse(
      wouldChange(before, after, { layout, now: NOW }),
      days,
      ({ name }) => ({ user: name, viewer: '' }),
      { ...layout, streams },
    );
    const usedOf = (operation: string) => told.find((change) => change.operation === operation)?.used;
    assert.deepEqual(usedOf('GET /api/{camera}/latest.{extension}'), [
      { camera: 'cam1', times: 12, lastDay: '2026-11-20' },
    ]);
    assert.deepEqual(usedOf('GET /api/{camera}/recordings/{time}/snapshot.{format}'), []);
    assert.equal(usedOf('GET /api/{camera}/ptz/info'), undefined);
    assert.match(
      formatChanges(told),
      /^u0: loses on cam1\n {2}used: live on cam1, 12 times in the last 30 days, last on 2026-11-20\n {2}GET /,
    );
  });

  it('is told also for callers without a login, and for rows of one side alone', () => {
    const before = side([row('GET /api/a any'), row('GET /api/old any')], ['viewer', 'admin'], {});
    const after = side([row('GET /api/a public'), row('GET /api/new any')], ['viewer', 'admin'], {});
    assert.deepEqual(flat(wouldChange(before, after, { layout, now: NOW })), [
      'without a login GET /api/a allowed all',
      'u0 GET /api/old refused all',
      'u0 GET /api/new allowed all',
    ]);
  });

  it('that is the same changes nothing', () => {
    const same = side(ROWS, ['admin', 'viewer', 'guard'], { guard: { cameras: ['cam1'], deny: ['ptz'] } });
    assert.deepEqual(wouldChange(same, same, { layout, now: NOW }), []);
  });
});
