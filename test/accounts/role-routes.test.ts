import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Role } from '../../src/domain/names.ts';
import { withoutReason } from '../support/refusals.ts';
import { accountServerOfFour } from './support/server-of-four.ts';

const no = (message: string) => ({ success: false, message });
const GARDENER = { role: 'gardener', cameras: ['garden', 'patio_*'], source: 'file', users: 1 };
const BUILTIN = [
  { role: 'admin', cameras: ['*'], source: 'builtin', users: 2 },
  { role: 'viewer', cameras: ['*'], source: 'builtin', users: 1 },
];

describe('GET /api/roles', () => {
  it('lists what is built in, what the file says and what was made here, with how many have it', async (t) => {
    const { as } = await accountServerOfFour(t);
    await as('boss', 'PUT', '/api/roles/night.shift', { cameras: ['street', 'patio_*'] });
    await as('boss', 'PUT', '/api/users/vera/role', { role: 'night.shift' });
    const { status, json, headers } = await as('boss', 'GET', '/api/roles');
    assert.deepEqual([status, headers['cache-control']], [200, 'no-store']);
    const made = { role: 'night.shift', cameras: ['street', 'patio_*'], source: 'store', users: 1 };
    assert.deepEqual(json, [BUILTIN[0], { ...BUILTIN[1], users: 0 }, GARDENER, made]);
  });
});

describe('The role routes', () => {
  const doors: [method: string, path: string, body: object | undefined][] = [
    ['GET', '/api/roles', undefined],
    ['PUT', '/api/roles/guard', { cameras: ['street'] }],
    ['DELETE', '/api/roles/gardener', undefined],
    ['PUT', '/api/config/set', { config_data: { auth: { roles: { guard: ['street'] } } } }],
  ];
  for (const [method, path, body] of doors) {
    it(`are closed to others than admins: ${method} ${path}`, async (t) => {
      const { as, records } = await accountServerOfFour(t);
      const statuses = [];
      for (const name of ['vera', 'gus', 'nobody']) statuses.push((await as(name, method, path, body)).status);
      assert.deepEqual(statuses, [403, 403, 401]);
      assert.deepEqual(await records.roles.listRoles(), []);
    });
  }
});

describe('PUT /api/roles/{role}', () => {
  it('makes a role that acts on the next request of an open session, and changes it as soon', async (t) => {
    const { as, heard } = await accountServerOfFour(t);
    assert.deepEqual((await as('boss', 'PUT', '/api/roles/guard', { cameras: ['street'] })).json, { success: true });
    assert.equal((await as('boss', 'PUT', '/api/users/vera/role', { role: 'guard' })).status, 200);
    const cameras = async () => Object((await as('vera', 'GET', '/api/profile')).json)['allowed_cameras'];
    assert.deepEqual(await cameras(), ['street']);
    await as('boss', 'PUT', '/api/roles/guard', { cameras: ['patio_*', 'patio_*'] });
    assert.deepEqual(await cameras(), ['patio_1']);
    assert.deepEqual(heard.audit[0], {
      what: 'custom-role-changed',
      role: 'guard',
      who: 'boss',
      credential: 'session:ID',
      from: '192.0.2.1',
      agent: "boss's browser",
      verdict: 'allowed',
      requestId: 'r1',
    });
  });

  it('says which cameras there are not, and saves the role all the same', async (t) => {
    const { as, records } = await accountServerOfFour(t);
    const { status, json } = await as('boss', 'PUT', '/api/roles/guard', { cameras: ['street', 'cellar', 'roof_*'] });
    const message = 'The role guard is saved, but this NVR has no camera cellar, roof_* now';
    assert.deepEqual([status, json], [200, { success: true, message }]);
    assert.equal((await records.roles.listRoles()).length, 1);
  });

  const LONG = 'x'.repeat(65);
  // biome-ignore format: a table
  const rows: [sentence: string, role: string, body: unknown, status: number, message: string][] = [
    ['refuses a role of the file, and says where it is',  'gardener', { cameras: ['street'] }, 409, 'The role gardener is defined in the configuration file: change auth.roles.gardener there'],
    ['refuses a reserved name',                           'admin',    { cameras: ['street'] }, 400, '"admin" is a reserved role name: choose another'],
    ['refuses the name none',                             'none',     { cameras: ['street'] }, 400, '"none" is a reserved role name: choose another'],
    ['refuses a reserved name in other letters',          'Viewer',   { cameras: ['street'] }, 400, '"Viewer" differs from the role name "viewer" in case only: choose another'],
    ['refuses a name that a header could not tell apart', 'Gardener', { cameras: ['street'] }, 400, '"Gardener" differs from the role name "gardener" in case only: choose another'],
    ['refuses a hyphen',                                  'a-b',      { cameras: ['street'] }, 400, '"a-b" is not a role name: use letters, digits, dots and underscores'],
    ['refuses letters outside ASCII',                     'w%C3%A4chter', { cameras: ['street'] }, 400, '"wächter" is not a role name: use letters, digits, dots and underscores'],
    ['refuses a line break behind',                       'guard%0a', { cameras: ['street'] }, 400, '"guard\n" is not a role name: use letters, digits, dots and underscores'],
    ['refuses 65 characters',                             LONG,       { cameras: ['street'] }, 400, 'A role name has at most 64 characters'],
    ['refuses a role without cameras',                    'guard',    { cameras: [] },         400, 'The role guard needs at least one camera: give a list of names'],
    ['refuses a comma in a name',                         'guard',    { cameras: ['a,b'] },    400, 'The role guard: "a,b" is not a camera name: use no comma, and slashes between other letters only; "*" stands for any text'],
    ['refuses all, which is no camera',                   'guard',    { cameras: ['all'] },    400, 'The role guard: "all" is not a camera name: use no comma, and slashes between other letters only; "*" stands for any text'],
    ['refuses a name that is too long',                  'guard',    { cameras: ['a'.repeat(97)] }, 400, `The role guard: "${'a'.repeat(20)}…" is longer than 96 letters: shorten it with "*"`],
    ['refuses five stars',                               'guard',    { cameras: ['*a*a*a*a*'] }, 400, 'The role guard: "*a*a*a*a*" has more than 4 "*"'],
    ['refuses 65 patterns',                              'guard',    { cameras: Array.from({ length: 65 }, (_, index) => `*${index}`) }, 400, 'The role guard has more than 64 entries with "*": name cameras, or use fewer patterns'],
    ['refuses a number',                                  'guard',    { cameras: [7] },        400, 'The role guard: 7 is not a camera name'],
    ['refuses a text for a list',                         'guard',    { cameras: 'street' },   422, 'body.cameras: Input should be a list of camera names'],
    ['refuses no cameras at all',                         'guard',    {},                      422, 'body.cameras: Input should be a list of camera names'],
    ['refuses what is no object',                         'guard',    null,                    422, 'body.cameras: Input should be a list of camera names'],
  ];
  for (const [sentence, role, body, status, message] of rows) {
    it(sentence, async (t) => {
      const { as, records } = await accountServerOfFour(t);
      const answered = await as('boss', 'PUT', `/api/roles/${role}`, body);
      assert.deepEqual([answered.status, Object(answered.json)['message']], [status, message]);
      assert.deepEqual(await records.roles.listRoles(), []);
    });
  }
});

describe('DELETE /api/roles/{role}', () => {
  it('makes its users viewers, with an audit line each', async (t) => {
    const { as, store, heard } = await accountServerOfFour(t);
    await as('boss', 'PUT', '/api/roles/guard', { cameras: ['street'] });
    await store.setRole((await store.findUser('vera'))?.name ?? assert.fail(), 'guard' as Role);
    assert.deepEqual((await as('boss', 'DELETE', '/api/roles/guard')).json, { success: true });
    assert.deepEqual((await as('vera', 'GET', '/api/profile')).json, {
      username: 'vera',
      role: 'viewer',
      allowed_cameras: ['garden', 'patio_1', 'street'],
    });
    assert.deepEqual(
      heard.audit.slice(1).map(({ what, role, user }) => ({ what, role, user })),
      [
        { what: 'custom-role-deleted', role: 'guard', user: undefined },
        { what: 'role-changed', role: undefined, user: 'vera' },
      ],
    );
  });

  // biome-ignore format: a table
  const rows: [sentence: string, role: string, status: number, json: object][] = [
    ['keeps a role of the file',   'gardener', 409, no('The role gardener is defined in the configuration file: change auth.roles.gardener there')],
    ['keeps what is built in',     'viewer',   400, no('"viewer" is a reserved role name: choose another')],
    ['does not know an absent one', 'ghost',   404, no('There is no role ghost')],
  ];
  for (const [sentence, role, status, json] of rows) {
    it(sentence, async (t) => {
      const { as } = await accountServerOfFour(t);
      const answered = await as('boss', 'DELETE', `/api/roles/${role}`);
      assert.deepEqual([answered.status, withoutReason(answered.json)], [status, json]);
    });
  }
});
