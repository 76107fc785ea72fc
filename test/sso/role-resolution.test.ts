/** Interface 5.5.6 and its neighbours, sentence by sentence, over HTTP: what the NVR is told decides. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { ask } from './support/ask.ts';

type Line = readonly [name: string, value: string];
interface Row {
  readonly sentence: string;
  readonly headers: readonly Line[];
  /** `user as role` that the NVR is told, or the status of the refusal. */
  readonly expected: string | number;
}

const row = (sentence: string, headers: readonly Line[], expected: string | number): Row => ({
  sentence,
  headers,
  expected,
});
const user = (name: string): Line => ['Remote-User', name];
const groups = (value: string): Line => ['Remote-Groups', value];
const MAP = { admin: ['nvr-admins', 'root'], viewer: ['staff'], gardener: ['garden-crew', 'staff'] };
const HEADERS = { user: 'remote-user', role: 'REMOTE-GROUPS' };

interface Table {
  readonly title: string;
  readonly proxy: object;
  readonly rows: readonly Row[];
}

// biome-ignore format: a table
const TABLES: readonly Table[] = [
  { title: 'With proxy.role_map', proxy: { header_map: HEADERS, role_map: MAP, default_role: 'none' }, rows: [
    row('a header value matching a listed group gives the mapped role',                                 [user('vera'), groups('garden-crew')],           'vera as gardener'),
    row('if the admin mapping matches, the session resolves to admin even when other groups also match', [user('vera'), groups('staff,garden-crew,root')], 'vera as admin'),
    row('of several other matches the first of the map counts',                                         [user('vera'), groups('garden-crew,staff')],     'vera as viewer'),
    row('if no mapping matches and proxy.default_role is none, access is denied',                       [user('vera'), groups('strangers')],             403),
    row('and so it is without a role header',                                                           [user('vera')],                                  403),
    row('a role name is no group',                                                                      [user('vera'), groups('admin')],                 403),
    row('groups are compared with case',                                                                [user('vera'), groups('STAFF')],                 403),
    row('a name on a prototype is no group',                                                            [user('vera'), groups('__proto__,constructor')], 403),
    row('without the mapped user header the caller is unknown',                                         [groups('root')],                                401),
    row('nor with an empty one',                                                                        [user(''), groups('root')],                      401),
  ] },
  { title: 'With proxy.role_map in its other place', proxy: { header_map: { ...HEADERS, role_map: MAP }, default_role: 'none' }, rows: [
    row('header_map.role_map is the same map',                                                          [user('vera'), groups('staff')],                 'vera as viewer'),
  ] },
  { title: 'With proxy.role_map and a default', proxy: { header_map: HEADERS, role_map: MAP, default_role: 'gardener' }, rows: [
    row('if no mapping matches, proxy.default_role is used',                                            [user('vera'), groups('strangers')],             'vera as gardener'),
    row('and without a role header as well',                                                            [user('vera')],                                  'vera as gardener'),
    row('a value in the mapped role header overrides default_role',                                     [user('vera'), groups('staff')],                 'vera as viewer'),
    row('a role header in two lines is not taken for an absent one',                                    [user('vera'), groups('staff'), groups('root')], 403),
  ] },
  { title: 'Without role_map', proxy: { header_map: HEADERS, default_role: 'none' }, rows: [
    row('the role header is taken to contain admin directly',                                           [user('vera'), groups('admin')],                 'vera as admin'),
    row('… or viewer',                                                                                  [user('vera'), groups('viewer')],                'vera as viewer'),
    row('… or a custom role name',                                                                      [user('vera'), groups('gardener')],              'vera as gardener'),
    row('in any case',                                                                                  [user('vera'), groups('ADMIN')],                 'vera as admin'),
    row('admin first, in whatever order they stand',                                                    [user('vera'), groups('gardener,viewer,admin')], 'vera as admin'),
    row('anything else is denied by default_role none',                                                 [user('vera'), groups('root')],                  403),
    row('and "none" in the header is no role',                                                          [user('vera'), groups('none')],                  403),
  ] },
  { title: 'Without role_map, with a default', proxy: { header_map: HEADERS, default_role: 'admin' }, rows: [
    row('a value in the mapped role header overrides default_role',                                     [user('vera'), groups('viewer')],                'vera as viewer'),
    row('default_role is the fallback when no role header is present',                                  [user('vera')],                                  'vera as admin'),
  ] },
  { title: 'With proxy.separator', proxy: { header_map: HEADERS, separator: '|', role_map: MAP, default_role: 'none' }, rows: [
    row('the role header may hold several roles, split on it',                                          [user('vera'), groups('strangers|staff')],       'vera as viewer'),
    row('and a comma separates nothing then',                                                           [user('vera'), groups('strangers,staff')],       403),
  ] },
  { title: 'Without a mapped user header', proxy: { header_map: { role: 'Remote-Groups' } }, rows: [
    row('the user is viewer',                                                                           [user('root'), groups('admin')],                 'viewer as admin'),
    row('and so is the role when default_role is not set',                                              [],                                              'viewer as viewer'),
  ] },
];

for (const { title, proxy, rows } of TABLES) {
  describe(`Interface 5.5.6. ${title}`, () => {
    let nvr: FakeNvr;
    let instance: Runtime;
    before(async () => {
      nvr = await startFakeNvr();
      const auth = { enabled: false, trusted_proxies: ['127.0.0.1'], roles: { gardener: ['cam1'] } };
      instance = await startInstance({ people: [], config: { nvr: { url: nvr.url }, auth, proxy } });
    });
    after(async () => {
      await instance.close();
      await nvr.close();
    });
    for (const { sentence, headers, expected } of rows) {
      it(sentence, async () => {
        nvr.received.length = 0;
        const { status } = await ask(instance.port, { path: '/api/version', headers });
        const told =
          nvr.received.length === 0 ? status : `${nvr.lastHeader('remote-user')} as ${nvr.lastHeader('remote-role')}`;
        assert.equal(told, expected);
      });
    }
  });
}
