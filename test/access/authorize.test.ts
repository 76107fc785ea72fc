/** May they, and see what (interface 2.2, 5.6, 7): one row for each way to be let through or refused. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { authorize } from '../../src/access/authorize.ts';
import { layoutOfNames } from '../../src/access/recorder-layout.ts';
import { compileRouteTable } from '../../src/access/route-table.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { scopeOfRole } from '../../src/domain/camera-scope.ts';
import { ADMIN, type CameraName, type Role, type UserName } from '../../src/domain/names.ts';
import { row, segmentsOf } from '../support/routes.ts';

const KNOWN = ['cam1', 'cam2', 'patio_1'] as CameraName[];
const ROLES = new Map<Role, string[]>([
  ['front_only' as Role, ['cam1']],
  ['patio' as Role, ['patio_*']],
  ['gone' as Role, ['cam9']],
]);

const callerOf = (role: string): Caller => ({
  name: 'somebody' as UserName,
  role: role as Role,
  scope: scopeOfRole(role as Role, ROLES),
  credential: { kind: 'proxy-headers' },
});

const table = compileRouteTable(
  [
    'GET /login public',
    'GET /api/profile any',
    'GET /api/events any query:camera+query:cameras rewrite:cameras',
    'GET /api/stats unrestricted',
    'GET /api/users admin',
    'GET /api/cases any - deny',
    'GET /vod/{camera}/x camera path:camera',
    'GET /api/review/{id} camera review:path:id',
    'GET !/api/{camera}/latest.jpg camera path:camera',
    'ANY /cache/{rest...} none',
  ].map(row),
);

const surroundings = (cameras: CameraName[] | undefined) => ({
  layout: cameras && layoutOfNames(cameras),
  isDenied: () => false,
});

function judge(
  role: string | undefined,
  request: string,
  known: { cameras: CameraName[] | undefined } = { cameras: KNOWN },
): string {
  const [method = '', target = ''] = request.split(' ');
  const [path = '', query = ''] = target.split('?');
  const segments = segmentsOf(path);
  const verdict = authorize(
    role === undefined ? undefined : callerOf(role),
    table.match(method, segments),
    { path, segments, query },
    surroundings(known.cameras),
  );
  if (verdict.kind === 'refused') return verdict.reason;
  return verdict.kind === 'allowed' ? `${verdict.target.path}?${verdict.target.query}` : verdict.kind;
}

describe('Who may do what', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, role: string | undefined, request: string, expected: string][] = [
    ['a public route is open to nobody known',                 undefined,    'GET /login',                         '/login?'],
    ['everything else asks who calls',                         undefined,    'GET /api/profile',                   'no-credentials'],
    ['an unlisted route asks who calls first',                 undefined,    'GET /nowhere',                       'no-credentials'],
    ['admin: full access',                                     'admin',      'DELETE /api/anything',               '/api/anything?'],
    ['admin: even so, what is reachable by nobody is not',     'admin',      'GET /cache/x',                       'path-not-found'],
    ['viewer: no user management',                             'viewer',     'GET /api/users',                     'role-too-low'],
    ['viewer: nothing that is not listed',                     'viewer',     'GET /api/unknown',                   'route-unlisted'],
    ['viewer: reads, and does not write',                      'viewer',     'POST /api/events',                   'route-unlisted'],
    ['viewer: all cameras',                                    'viewer',     'GET /vod/cam2/x',                    '/vod/cam2/x?'],
    ['viewer: lists as asked',                                 'viewer',     'GET /api/events?cameras=cam2&limit=3', '/api/events?cameras=cam2&limit=3'],
    ['viewer: what only restricted roles are denied',          'viewer',     'GET /api/stats',                     '/api/stats?'],
    ['custom role: not what shows every camera',               'front_only', 'GET /api/stats',                     'role-too-low'],
    ['custom role: its camera',                                'front_only', 'GET /vod/cam1/x',                    '/vod/cam1/x?'],
    ['custom role: a camera outside is 403',                   'front_only', 'GET /vod/cam2/x',                    'camera-not-in-role'],
    ['custom role: an encoded name is the same camera',        'front_only', 'GET /vod/cam%32/x',                  'camera-not-in-role'],
    ['custom role: a list is narrowed to its cameras',         'front_only', 'GET /api/events?limit=3',            '/api/events?limit=3&cameras=cam1'],
    ['custom role: all means its own',                         'front_only', 'GET /api/events?cameras=all',        '/api/events?cameras=cam1'],
    ['custom role: a wildcard means the cameras there are',    'patio',      'GET /api/events',                    '/api/events?cameras=patio_1'],
    ['custom role: a named foreign camera is 403',             'front_only', 'GET /api/events?cameras=cam1,cam2',  'camera-not-in-role'],
    ['custom role: by the other parameter too',                'front_only', 'GET /api/events?camera=cam2',        'camera-not-in-role'],
    ['custom role: under an encoded name too',                 'front_only', 'GET /api/events?%63ameras=cam2',     'camera-not-in-role'],
    ['custom role: one camera stays that one',                 'front_only', 'GET /api/events?camera=cam1',        '/api/events?camera=cam1&cameras=cam1'],
    ['custom role: a repeated parameter is refused',           'front_only', 'GET /api/events?cameras=cam1&cameras=cam2', 'parameter-repeated'],
    ['custom role: an empty list stays empty',                 'front_only', 'GET /api/events?cameras=',           'nothing-visible'],
    ['custom role without a camera that exists sees nothing',  'gone',       'GET /api/events',                    'nothing-visible'],
    ['unknown role sees nothing',                              'stranger',   'GET /api/events',                    'nothing-visible'],
    ['unknown role: no camera',                                'stranger',   'GET /vod/cam1/x',                    'camera-not-in-role'],
    ['unknown role: no route for admin and viewer',            'stranger',   'GET /api/stats',                     'role-too-low'],
    ['unknown role: still somebody',                           'stranger',   'GET /api/profile',                   '/api/profile?'],
    ['what cannot be narrowed is denied to a custom role',     'front_only', 'GET /api/cases',                     'not-narrowable'],
    ['an id is let through on terms that its owner is asked for', 'front_only', 'GET /api/review/1',               '/api/review/1?'],
    ['a camera route takes a camera',                          'viewer',     'GET /api/cam1/latest.jpg',           '/api/cam1/latest.jpg?'],
    ['a camera route takes nothing else',                      'viewer',     'GET /api/users/latest.jpg',          'route-unlisted'],
    ['the same for a custom role',                             'front_only', 'GET /api/cam2/latest.jpg',           'camera-not-in-role'],
  ];
  for (const [sentence, role, request, expected] of rows) {
    it(sentence, () => assert.equal(judge(role, request), expected));
  }

  it('until the cameras are known, restricted roles are told to wait', () =>
    assert.equal(judge('front_only', 'GET /api/events', { cameras: undefined }), 'cameras-unknown'));

  it('an admin narrowed to cameras gets nothing that cannot be narrowed', () => {
    const narrowed: Caller = { ...callerOf('front_only'), role: ADMIN };
    const target = { path: '/api/x', segments: ['api', 'x'], query: '' };
    assert.deepEqual(authorize(narrowed, table.match('GET', target.segments), target, surroundings(KNOWN)), {
      kind: 'refused',
      reason: 'not-narrowable',
    });
  });
});
