import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { splitConfigSet } from '../../src/accounts/roles/role-routes.ts';
import { withoutReason } from '../support/refusals.ts';
import { accountServerOfFour } from './support/server-of-four.ts';

const OWN = (key: string) => `${key} is Postern's own: change it in Postern's configuration file, not in the NVR's`;
const set = (config: unknown) => ({ requires_restart: 0, update_topic: 'config/auth', config_data: config });

describe('A change of the NVR’s configuration', () => {
  type Wanted = Record<string, readonly unknown[] | null>;
  // biome-ignore format: a table
  const rows: [sentence: string, query: string, body: unknown, roles: Wanted, rest: { query: string; body: unknown } | undefined][] = [
    ['gives up a role, as the NVR’s page sends it',     '', set({ auth: { roles: { guard: ['street'] } } }), { guard: ['street'] }, undefined],
    ['gives up a role that is deleted by empty text',   '', set({ auth: { roles: { guard: '' } } }), { guard: null }, undefined],
    ['gives up a role that is deleted by null',         '', set({ auth: { roles: { guard: null } } }), { guard: null }, undefined],
    ['gives up several roles, dots and all',            '', set({ auth: { roles: { 'night.shift': ['a'], b: ['b'] } } }), { 'night.shift': ['a'], b: ['b'] }, undefined],
    ['keeps what is not about roles',                   '', set({ auth: { roles: { guard: ['a'] } }, mqtt: { host: 'x' } }), { guard: ['a'] }, { query: '', body: set({ mqtt: { host: 'x' } }) }],
    ['is passed on whole when there is nothing of ours', '', set({ cameras: { auth: { enabled: true } } }), {}, { query: '', body: set({ cameras: { auth: { enabled: true } } }) }],
    ['is passed on when it says nothing',               '', set({}), {}, { query: '', body: set({}) }],
    ['is passed on when there is no body',              '', undefined, {}, { query: '', body: undefined }],
    ['may write the path with dots',                    '', set({ 'auth.roles.guard': ['a'] }), { guard: ['a'] }, undefined],
    ['may write half of the path with dots',            '', set({ auth: { 'roles.guard': ['a'] } }), { guard: ['a'] }, undefined],
    ['may write a dot in a name with a backslash',      '', set({ auth: { roles: { 'night\\.shift': ['a'] } } }), { 'night.shift': ['a'] }, undefined],
    ['in the query gives up a list of repeats',         'auth.roles.guard=a&auth.roles.guard=b', undefined, { guard: ['a', 'b'] }, undefined],
    ['in the query gives up a list with commas',        'auth.roles.guard=a,b', undefined, { guard: ['a', 'b'] }, undefined],
    ['in the query gives up a list as JSON',            'auth.roles.guard=%5B%22a%22%2C+%22b%22%5D', undefined, { guard: ['a', 'b'] }, undefined],
    ['in the query deletes by an empty value',          'auth.roles.night.shift=', undefined, { 'night.shift': null }, undefined],
    ['in the query is decoded',                  '%61uth.roles.guard=a', undefined, { guard: ['a'] }, undefined],
    ['in the query keeps the rest as it was written',   'mqtt.host=%61&auth.roles.guard=a&x=1', undefined, { guard: ['a'] }, { query: 'mqtt.host=%61&x=1', body: undefined }],
    ['in the query wins over the body',                 'mqtt.host=a', set({ auth: { enabled: false } }), {}, { query: 'mqtt.host=a', body: { requires_restart: 0, update_topic: 'config/auth' } }],
    ['in the query alone is not forwarded with a body', 'auth.roles.guard=a', set({ mqtt: { host: 'x' } }), { guard: ['a'] }, undefined],
  ];
  for (const [sentence, query, body, roles, rest] of rows) {
    it(sentence, () => {
      const split = splitConfigSet(query, body);
      assert.deepEqual(split, { ok: true, value: { roles: new Map(Object.entries(roles)), rest } });
    });
  }

  // biome-ignore format: a table
  const refused: [sentence: string, query: string, body: unknown, message: string][] = [
    ['another key of auth',               '', set({ auth: { session_length: 5 } }), OWN('auth.session_length')],
    ['another key beside roles',          '', set({ auth: { roles: { guard: ['a'] }, enabled: false } }), OWN('auth.enabled')],
    ['another key with dots',             '', set({ 'auth.failed_login_rate_limit': null }), OWN('auth.failed_login_rate_limit')],
    ['all of auth at once',               '', set({ auth: '' }), OWN('auth')],
    ['a key of proxy',                    '', set({ proxy: { auth_secret: 'x' } }), OWN('proxy.auth_secret')],
    ['a key of proxy deep inside',        '', set({ proxy: { header_map: { user: 'x' } } }), OWN('proxy.header_map')],
    ['a key of proxy in the query',       'proxy.logout_url=x', undefined, OWN('proxy.logout_url')],
    ['a key of auth behind a blank',      '', set({ ' auth.enabled': false }), OWN(' auth.enabled')],
    ['one in the query behind a tab',     '%09auth.enabled=false', undefined, OWN('\tauth.enabled')],
    ['a key of auth in the query',        'auth.enabled=false', undefined, OWN('auth.enabled')],
    ['all roles at once',                 '', set({ auth: { roles: '' } }), 'auth.roles: name the role to change, as auth.roles.NAME'],
    ['all roles at once, in the query',   'auth.roles=', undefined, 'auth.roles: name the role to change, as auth.roles.NAME'],
    ['cameras that are no list',          '', set({ auth: { roles: { guard: 7 } } }), 'auth.roles.guard: give a list of camera names'],
    ['cameras as an object',              '', set({ auth: { roles: { guard: { 0: 'a' } } } }), 'auth.roles.guard: give a list of camera names'],
  ];
  for (const [sentence, query, body, message] of refused) {
    it(`is refused with ${sentence}`, () =>
      assert.deepEqual(splitConfigSet(query, body), { ok: false, error: message }));
  }

  it('never passes on a key of auth or proxy, whatever it looks like', () => {
    const key = fc.constantFrom(
      'auth',
      'proxy',
      'auth.roles',
      'roles',
      'auth\\.roles',
      'a',
      'mqtt',
      '__proto__',
      'auth.',
    );
    const json = fc.letrec((tie) => ({
      value: fc.oneof(fc.string(), fc.constant(null), fc.array(fc.string()), tie('record')),
      record: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    })).record;
    const query = fc.array(fc.tuple(key, fc.string())).map((pairs) => new URLSearchParams(pairs).toString());
    fc.assert(
      fc.property(query, json, (text, config) => {
        const split = splitConfigSet(text, { config_data: config });
        if (!split.ok || !split.value.rest) return;
        const { query: left, body } = split.value.rest;
        const keys = [...new URLSearchParams(left).keys(), ...Object.keys(Object(Object(body)['config_data']))];
        const own = keys.filter((name) => /^(?:auth|proxy)(?:[.\\]|$)/.test(name));
        assert.deepEqual(own, []);
      }),
    );
  });
});

describe('PUT /api/config/set', () => {
  const put = (as: Awaited<ReturnType<typeof accountServerOfFour>>['as'], query: string, body?: unknown) =>
    as('boss', 'PUT', `/api/config/set${query}`, body);

  it('changes the roles and answers itself, when there is nothing else', async (t) => {
    const { as, records } = await accountServerOfFour(t);
    const { status, json } = await put(as, '', set({ auth: { roles: { guard: ['street'] } } }));
    assert.deepEqual(
      [status, json],
      [200, { success: true, message: 'The roles are changed. The change holds from the next request on.' }],
    );
    assert.deepEqual(await records.roles.listRoles(), [{ role: 'guard', cameras: ['street'] }]);
    assert.equal((await put(as, '?auth.roles.guard=')).status, 200);
    assert.deepEqual(await records.roles.listRoles(), []);
  });

  it('passes on what is left', async (t) => {
    const { as } = await accountServerOfFour(t);
    const { json } = await put(as, '', set({ auth: { roles: { guard: ['street'] } }, mqtt: { host: 'x' } }));
    assert.deepEqual(json, { forwarded: { query: '', body: JSON.stringify(set({ mqtt: { host: 'x' } })) } });
  });

  it('changes nothing, and passes nothing on, when a part of it is refused', async (t) => {
    const { as, records } = await accountServerOfFour(t);
    const roles = { guard: ['street'], gardener: ['street'] };
    const { status, json } = await put(as, '', set({ auth: { roles }, mqtt: { host: 'x' } }));
    const message = 'The role gardener is defined in the configuration file: change auth.roles.gardener there';
    assert.deepEqual([status, withoutReason(json)], [409, { success: false, message }]);
    assert.deepEqual(await records.roles.listRoles(), []);
  });
});
