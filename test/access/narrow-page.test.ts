/** Answers whose members have names of the server's own: pages of a list, and members for admins alone (SPEC 5, 20). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { authorize } from '../../src/access/authorize.ts';
import { narrowResponse } from '../../src/access/narrow-response.ts';
import { NO_ADAPTER } from '../../src/access/nvr-adapter.ts';
import { layoutOfNames } from '../../src/access/recorder-layout.ts';
import { compileRouteTable } from '../../src/access/route-table.ts';
import { parsePolicy } from '../../src/config/policy/load-policy.ts';
import { ALL_CAMERAS, scopeOfNames } from '../../src/domain/camera-scope.ts';
import { ADMIN, type CameraName, type UserName, VIEWER } from '../../src/domain/names.ts';

const table = parsePolicy(
  `version: 1
routes:
  - { route: GET /paths, access: any, narrow: post-filter, answer: page, named_by: name, hidden: [readers, user], paging: { list: items, count: itemCount, pages: pageCount, size: itemsPerPage, number: page, usual: 2 } }
  - { route: "GET /sessions/{id}", access: any, narrow: post-check, answer: one, named_by: path, hidden: [user] }
`,
  'a.yaml',
);
assert.ok(table.ok, JSON.stringify(table));
const routes = compileRouteTable(table.value.rows);
const layout = layoutOfNames(['porch', 'porch/sub', 'garden'] as CameraName[]);

const CALLERS = {
  admin: { role: ADMIN, scope: ALL_CAMERAS },
  viewer: { role: VIEWER, scope: ALL_CAMERAS },
  porch: { role: VIEWER, scope: scopeOfNames(['porch', 'porch/sub']) },
} as const;

/** What is sent for the target, and what is left of the answer. */
function asked(who: keyof typeof CALLERS, target: string, answer: unknown): { sent: string; left: unknown } {
  const [path = '', query = ''] = target.split('?');
  const segments = path.slice(1).split('/');
  const caller = { name: 'a' as UserName, credential: { kind: 'proxy-headers' }, ...CALLERS[who] } as const;
  const verdict = authorize(caller, routes.match('GET', segments), { path, segments, query }, { layout, now: 0 });
  assert.ok(verdict.kind === 'allowed', JSON.stringify(verdict));
  const { responseForm: form, view, reading } = verdict.obligations ?? {};
  const sent = verdict.target.query;
  if (!form || !view) return { sent, left: answer };
  const narrowed = narrowResponse(form, JSON.stringify(answer), { view, ...(reading && { reading }) }, NO_ADAPTER);
  return { sent, left: narrowed.ok ? JSON.parse(narrowed.value) : narrowed.error };
}

const item = (name: string) => ({
  name,
  user: 'vera',
  readers: [{ id: '1' }],
  tracks: [{ user: 'carl', codec: 'H264' }],
});
const seen = (name: string) => ({ name, tracks: [{ codec: 'H264' }] });
const NAMES = ['garden', 'porch', 'garden2', 'porch/sub', 'porch_2', 'porch'];
const ALL = { itemCount: 6, pageCount: 1, items: NAMES.map(item), total: 'garden' };
const WHOLE = 'itemsPerPage=1000000&page=0';

describe('A page of a list', () => {
  // biome-ignore format: a table
  const PAGES: [query: string, sent: string, items: string[]][] = [
    ['',                               WHOLE, ['porch', 'porch/sub']],
    ['page=1',                         WHOLE, ['porch']],
    ['page=2',                         WHOLE, []],
    ['itemsPerPage=1&page=1',          WHOLE, ['porch/sub']],
    ['itemsPerPage=100',               WHOLE, ['porch', 'porch/sub', 'porch']],
    ['itemsPerPage=0',                 WHOLE, ['porch', 'porch/sub']],
    ['itemsPerPage=-1&page=x',         WHOLE, ['porch', 'porch/sub']],
    ['itemsPerPage=99999999999999999', WHOLE, ['porch', 'porch/sub']],
    ['a=b&page=1',                     `a=b&${WHOLE}`, ['porch']],
  ];
  for (const [query, sent, items] of PAGES)
    it(`is one of what a role of some cameras sees, for ${query || 'no query'}`, () => {
      const found = asked('porch', `/paths?${query}`, ALL);
      const size = Number(/itemsPerPage=(1|100)$/.exec(query.split('&')[0] ?? '')?.[1] ?? 2);
      assert.deepEqual(found, { sent, left: { itemCount: 3, pageCount: Math.ceil(3 / size), items: items.map(seen) } });
    });

  it('stays as it is for a viewer, without what admins get alone', () => {
    assert.deepEqual(asked('viewer', '/paths?page=1', ALL), {
      sent: 'page=1',
      left: { ...ALL, items: NAMES.map(seen) },
    });
  });

  it('is whole for an admin', () => {
    assert.deepEqual(asked('admin', '/paths?page=1', ALL), { sent: 'page=1', left: ALL });
  });

  for (const odd of [{}, [], { items: {} }, { items: null }, 'x', { item: [] }])
    it(`is not passed on when it is ${JSON.stringify(odd)}`, () => {
      assert.equal(asked('porch', '/paths', odd).left, 'nvr-unexpected-form');
    });

  it('has all that is seen on its pages, once and in order, and nothing else', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...NAMES, '', 5, null), { maxLength: 20 }),
        fc.integer({ min: 1, max: 7 }),
        (names, size) => {
          const all = { itemCount: names.length, pageCount: 1, items: names.map((name) => ({ name })) };
          const expected = names.filter((name) => name === 'porch' || name === 'porch/sub');
          const got: unknown[] = [];
          for (let page = 0, count = 1; page < count; page += 1) {
            const { left } = asked('porch', `/paths?itemsPerPage=${size}&page=${page}`, all) as { left: typeof all };
            assert.equal(left.itemCount, expected.length);
            count = left.pageCount;
            got.push(...left.items.map(({ name }) => name));
          }
          assert.deepEqual(got, expected);
        },
      ),
    );
  });
});

describe('An object that names its camera in a member of its own', () => {
  // biome-ignore format: a table
  const OBJECTS: [who: keyof typeof CALLERS, object: unknown, left: unknown][] = [
    ['porch',  { path: 'porch', user: 'vera', state: 'read' },  { path: 'porch', state: 'read' }],
    ['porch',  { path: 'garden', user: 'vera' },                'camera-not-in-role'],
    ['porch',  { path: '' },                                    'nvr-unexpected-form'],
    ['porch',  { camera: 'porch' },                             'nvr-unexpected-form'],
    ['porch',  { path: ['porch'] },                             'nvr-unexpected-form'],
    ['viewer', { path: 'garden', user: 'vera' },                { path: 'garden' }],
    ['admin',  { path: 'garden', user: 'vera' },                { path: 'garden', user: 'vera' }],
  ];
  for (const [who, object, left] of OBJECTS)
    it(`is ${JSON.stringify(left)} to ${who} when it is ${JSON.stringify(object)}`, () => {
      assert.deepEqual(asked(who, '/sessions/1', object).left, left);
    });
});
