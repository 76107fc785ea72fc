/** A key that is lost by a reload never allows more: each row of the schema says in which direction it widens (SPEC 4.3). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { configSchema } from '../../src/app/resources/features.ts';
import { renewed } from '../../src/config/rules.ts';
import {
  along,
  always,
  byRule,
  fewerEntries,
  fromLimit,
  higher,
  isWider,
  lower,
  moreEntries,
  never,
  toFalse,
  toTrue,
  type Widens,
} from '../../src/config/schema/keys.ts';
import { load } from './config-place.ts';

const SCHEMA = await configSchema();

/** Every key with its direction: an entry of a list or a map is none, and a section has those of its keys. */
const ROWS = [...SCHEMA.keys]
  .filter(([place, { form, isTwin, widens }]) => !place.endsWith('*') && !isTwin && (form !== 'section' || widens))
  .map(([place, { widens }]) => [place, widens] as const);

describe('Every key of the schema', () => {
  it('names the direction in which it allows more', () => {
    assert.deepEqual(
      ROWS.filter(([, widens]) => widens === undefined).map(([place]) => place),
      [],
    );
  });

  it('is found inside of roles and of providers, too', () => {
    const ofRoles = ROWS.filter(([place]) => place.startsWith('auth.roles.*.'));
    assert.deepEqual(Object.fromEntries(ofRoles), {
      'auth.roles.*.cameras': moreEntries,
      'auth.roles.*.deny': fewerEntries,
      'auth.roles.*.hours': always,
      'auth.roles.*.history_since': always,
    });
    assert.equal(SCHEMA.keys.get('auth.oidc.*.create')?.widens, toTrue);
  });
});

/** A narrow value for each key whose absence can allow more, and that a reload may change. */
// biome-ignore format: a table
const NARROW: Readonly<Record<string, string>> = {
  'auth.failed_login_rate_limit': '1/hour', 'auth.session_length': '60', 'auth.session_max_age': '3600',
  'auth.password_min_length': '40', 'auth.sessions_per_user': '1', 'auth.invitation_lifetime': '300',
  'auth.second_factor': 'everyone', 'auth.reauthenticate': 'strict', 'auth.password_login': 'admins', 'auth.timezone': 'Europe/Berlin',
  'auth.cookie_secure': 'true', 'auth.hash_iterations': '2000000',
  'proxy.separator': '"|"', 'proxy.default_role': 'none', 'proxy.role_map': '{admin: [chiefs]}',
  'nvr.policy': './routes.yaml', 'nvr.ca': 'ca.pem',
  'nvr.max_upload': '1MB', 'nvr.push_endpoints': '[push.example.com]',
  'links.max_lifetime': '86400',
  'ledger.retention': '365', 'ui.frame_ancestors': 'none',
};
/** Another rule compares these. */
const ELSEWHERE: readonly Widens[] = [never, byRule];
// biome-ignore format: a table
const NOT_WIDER: ReadonlySet<string> = new Set([
  // Their default is the narrowest value.
  'server.internal_hosts', 'tls.enabled', 'nvr.verify', 'ledger.visible_to_viewers',
  // Read at a start only.
  'server.internal', 'server.telemetry', 'tls.hsts', 'store.grace',
  // The header names are compared together.
  'proxy.header_map.user', 'proxy.header_map.role', 'proxy.header_map.encoding', 'proxy.header_map.role_map',
]);

const taken = async (yaml: string) => {
  const outcome = await load(yaml);
  if (outcome.kind === 'invalid') throw new Error(JSON.stringify(outcome.problems));
  return outcome;
};

describe('A reload without a key that stood there', () => {
  it('is tried for every key whose default can allow more', () => {
    const owed = ROWS.filter(([path, widens]) => {
      const isEntry = path.includes('*');
      return !isEntry && !NOT_WIDER.has(path) && !ELSEWHERE.some((other) => other === widens);
    });
    assert.deepEqual(owed.map(([path]) => path).sort(), Object.keys(NARROW).sort());
  });

  for (const [key, value] of Object.entries(NARROW)) {
    it(`keeps ${key} as it was until a restart`, async () => {
      const [section, name] = key.split('.');
      const before = await taken(`${section}:\n  ${name}: ${value}\n`);
      const after = await taken('ui: {login: postern}\n');
      const found = renewed(SCHEMA, before.settings, after.settings, after.given);
      assert.ok(found.held.includes(key), JSON.stringify(found.held));
      assert.deepEqual(
        (found.settings as unknown as Record<string, Record<string, unknown>>)[section ?? '']?.[name ?? ''],
        (before.settings as unknown as Record<string, Record<string, unknown>>)[section ?? '']?.[name ?? ''],
      );
    });
  }

  // biome-ignore format: a table
  const WIDE: [sentence: string, before: string, after: string][] = [
    ['allowed more than the default',  'auth: {second_factor: "off"}',              '{}'],
    ['allowed longer sessions',        'auth: {session_length: 999999}',            '{}'],
    ['had no limit of logins',         'auth: {failed_login_rate_limit: null}',     '{}'],
    ['is written with a wider value',  'auth: {second_factor: everyone}',           'auth: {second_factor: optional}'],
    ['is written without its denials', 'auth: {roles: {g: {cameras: [a], deny: [live]}}}', 'auth: {roles: {g: {cameras: [a], deny: []}}}'],
  ];
  for (const [sentence, before, after] of WIDE) {
    it(`changes at once where it ${sentence}`, async () => {
      const [first, then] = [await taken(before), await taken(after)];
      const found = renewed(SCHEMA, first.settings, then.settings, then.given);
      assert.deepEqual([found.held, found.changed.length], [[], 1]);
    });
  }

  // biome-ignore format: a table
  const ROLES: [sentence: string, before: string, after: string][] = [
    ['deny',                             '{cameras: [a], deny: [history]}',                        '{cameras: [a]}'],
    ['hours',                            '{cameras: [a], hours: ["Mon 08:00-12:00"]}',             '{cameras: [a]}'],
    ['history_since',                    '{cameras: [a], history_since: 7d}',                      '{cameras: [a]}'],
    ['all limits, as a list of cameras', '{cameras: [a], hours: ["Mon 08:00-12:00"]}',             '[a]'],
    ['one limit of two',                 '{cameras: [a], deny: [export], hours: ["Mon 08:00-12:00"]}', '{cameras: [a, b], deny: [export]}'],
  ];
  for (const [sentence, before, after] of ROLES) {
    it(`keeps the roles when one of them lost ${sentence}`, async () => {
      const [first, then] = [await taken(`auth: {roles: {g: ${before}}}`), await taken(`auth: {roles: {g: ${after}}}`)];
      const found = renewed(SCHEMA, first.settings, then.settings, then.given);
      assert.deepEqual(found.held, ['auth.roles']);
      assert.deepEqual(found.settings.auth.limits, first.settings.auth.limits);
      assert.deepEqual(found.settings.auth.roles, first.settings.auth.roles);
    });
  }

  // biome-ignore format: a table
  const PROXIED: [sentence: string, before: string, after: string, held: string][] = [
    ['lost a role that groups may name', 'auth: {enabled: false, roles: {g: [a], h: [b]}}', 'auth: {enabled: false, roles: {h: [b]}}', 'auth.roles'],
    ['lost the groups of a role',        'auth: {enabled: false}\nproxy: {role_map: {admin: [x], viewer: [y]}}', 'auth: {enabled: false}\nproxy: {role_map: {admin: [x]}}', 'proxy.role_map'],
    ['has an empty map',                 'auth: {enabled: false}\nproxy: {role_map: {admin: [x]}, default_role: none}', 'auth: {enabled: false}\nproxy: {role_map: {}, default_role: none}', 'proxy.role_map'],
    ['has an empty map under its other name', 'auth: {enabled: false}\nproxy: {header_map: {role_map: {admin: [x]}}}', 'auth: {enabled: false}\nproxy: {header_map: {role_map: {}}}', 'proxy.role_map'],
    ['lost a group of a role',           'auth: {enabled: false, roles: {g: [a]}}\nproxy: {role_map: {g: [x, y]}}', 'auth: {enabled: false, roles: {g: [a]}}\nproxy: {role_map: {g: [x]}}', 'proxy.role_map'],
    ['has half of its secret',           'auth: {enabled: false}\nproxy: {auth_secret: abcdefghijklmnopqrstuvwxyz0123456789}', 'auth: {enabled: false}\nproxy: {auth_secret: abcdefghijklmnopqrstuvwx}', 'proxy.auth_secret'],
  ];
  for (const [sentence, before, after, held] of PROXIED) {
    it(`keeps ${held} behind a proxy when it ${sentence}`, async () => {
      const [first, then] = [await taken(before), await taken(after)];
      assert.deepEqual(renewed(SCHEMA, first.settings, then.settings, then.given).held, [held]);
    });
  }
});

describe('A value in the place of another', () => {
  // biome-ignore format: a table
  const VALUES: [widens: Widens, from: unknown, to: unknown, isMore: boolean][] = [
    [higher, 5, null, true],      [higher, null, 5, false],     [higher, 5, 6, true],        [lower, 5, 4, true],
    [fewerEntries, ['a'], undefined, true], [fewerEntries, ['a'], ['a', 'b'], false], [moreEntries, ['a'], ['b'], true], [moreEntries, ['a'], [], false],
    [toTrue, false, true, true],    [toFalse, false, true, false],  [fromLimit, null, '5/minute', false], [fromLimit, '1/hour', '5/minute', true],
    [along('a', 'b', 'c'), 'a', 'c', true], [along('a', 'b', 'c'), 'c', 'b', false], [always, 1, 2, true], [always, 1, 1, false],
  ];
  for (const [widens, from, to, isMore] of VALUES) {
    it(`that widens by ${widens.name || 'along'}: ${JSON.stringify(from)} and then ${JSON.stringify(to)} is ${isMore ? 'more' : 'no more'}`, () => {
      assert.equal(isWider({ form: 'value', widens }, from, to), isMore);
    });
  }
});
