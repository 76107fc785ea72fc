/** The keys `auth.oidc` and `auth.password_login`: what they take, and what is said of what they do not take (SPEC 16). */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { configSchema } from '../../src/app/resources/features.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { formatProblem } from '../../src/config/problems/problems.ts';
import { renewed } from '../../src/config/rules.ts';
import { providersIn } from '../../src/features/oidc/keys.ts';
import { load, warningsFor, withDirectory } from './config-place.ts';

const SCHEMA = await configSchema();

const SITE = 'server: {public_url: "https://nvr.example.com"}\n';
const LEAST = 'name: home, issuer: "https://id.example.com/", client_id: postern';
const entry = (more = '', least = LEAST): string => `${SITE}auth: {oidc: [{${least}${more && `, ${more}`}}]}`;

const settingsOf = async (yaml: string) => {
  const outcome = await load(yaml);
  return outcome.kind === 'loaded' ? outcome : assert.fail(JSON.stringify(outcome.problems));
};

describe('A provider', () => {
  it('needs a name, an issuer and a client id, and has a default for all else', async () => {
    const { settings } = await settingsOf(entry());
    assert.deepEqual(providersIn(settings), [
      {
        name: 'home',
        label: 'home',
        issuer: 'https://id.example.com/',
        client_id: 'postern',
        scopes: ['openid', 'profile', 'email'],
        user_claim: 'preferred_username',
        groups_claim: 'groups',
        role_map: new Map(),
        default_role: 'none',
        create: false,
        second_factor: 'postern',
        acr_values: [],
        max_age: null,
        logout: 'local',
      },
    ]);
    assert.equal(settings.auth.password_login, 'everyone');
    assert.deepEqual(providersIn((await settingsOf('')).settings), []);
  });

  it('is read from the environment, with its secret from there, too', async () => {
    const provider = {
      name: 'home',
      issuer: 'https://id.example.com',
      client_id: 'p',
      client_secret: '{SERVICE_OIDC}',
    };
    const env = { POSTERN__AUTH__OIDC: JSON.stringify([provider]), SERVICE_OIDC: 's3' };
    const outcome = await load(SITE, { env });
    assert.equal(outcome.kind === 'loaded' && providersIn(outcome.settings)[0]?.client_secret, 's3');
  });

  it('has its secret and its authority in files', async () => {
    const files = { 'config.yaml': entry('client_secret_file: secret, ca: tls/ca.pem, max_age: 5m'), secret: 's3\n' };
    await withDirectory(files, async (directory) => {
      const outcome = await loadConfig({ directory, schema: configSchema, env: {} });
      assert.equal(outcome.kind, 'loaded');
      const [provider] = providersIn(outcome.settings);
      assert.deepEqual(
        [provider?.client_secret, provider?.ca, provider?.max_age],
        ['s3', join(directory, 'tls/ca.pem'), 300],
      );
      assert.deepEqual(
        [...outcome.namedFiles],
        [
          [['auth', 'oidc', 0, 'ca'], join(directory, 'tls/ca.pem')],
          [['auth', 'oidc', 0, 'client_secret_file'], join(directory, 'secret')],
        ],
      );
    });
  });

  const ISSUER = 'write it as the provider does, for example https://id.example.com/realms/home';
  const issuer = (text: string): string => entry('', `name: home, client_id: p, issuer: "${text}"`);
  // biome-ignore format: a table
  const REFUSED: readonly [sentence: string, yaml: string, message: string][] = [
    ['without a name',                 entry('', 'issuer: "https://id.example.com", client_id: p'),  'auth.oidc[0].name: '],
    ['with letters that no address has', entry('', LEAST.replace('home', 'Ho_me')),                 'auth.oidc[0].name: "Ho_me" is not a name of a provider: write 1 to 30 lower-case letters, digits and hyphens'],
    ['with a name of 31 letters',      entry('', LEAST.replace('home', 'h'.repeat(31))),             'is not a name of a provider'],
    ['with the name that no provider has', entry('', LEAST.replace('home', 'postern')),              'auth.oidc[0].name: "postern" is not a name of a provider: '],
    ['with the name of another',       `${SITE}auth: {oidc: [{${LEAST}}, {${LEAST}}]}`,              'auth.oidc[1].name: "home" is the name of another provider, too: choose another'],
    ['with the issuer of another',     `${SITE}auth: {oidc: [{${LEAST}}, {${LEAST.replace('home', 'work')}}]}`, 'auth.oidc[1].issuer: is the issuer of "home", too, so an account that is connected by one of the two would open by the other: keep one of them'],
    ['… that is written otherwise',    `${SITE}auth: {oidc: [{${LEAST}}, {${LEAST.replace('home', 'work').replace('id.example.com/', 'ID.example.com:443')}}]}`, 'auth.oidc[1].issuer: is the issuer of "home", too'],
    ['that is not encrypted',          issuer('http://id.example.com'),                              `auth.oidc[0].issuer: "http://id.example.com" is not encrypted: ${ISSUER}`],
    ['with a query',                   issuer('https://id.example.com/?a=b'),                        `has a query or a fragment: ${ISSUER}`],
    ['with a fragment',                issuer('https://id.example.com/#a'),                          `has a query or a fragment: ${ISSUER}`],
    ['with a password, not shown',     issuer('https://me:hunter2@id.example.com'),                  `auth.oidc[0].issuer: has a user name or password in it: ${ISSUER}`],
    ['whose issuer is a name alone',   issuer('id.example.com'),                                     `"id.example.com" is not an issuer: ${ISSUER}`],
    ['with a blank secret',            entry('client_secret: "  "'),                                 'auth.oidc[0].client_secret: is blank: write the secret, or remove the key for a public client'],
    ['with a secret that is unknown',  entry('client_secret: "{SERVICE_NONE}"'),                     'auth.oidc[0].client_secret: {SERVICE_NONE} is unknown: set the environment variable SERVICE_NONE'],
    ['with two secrets',               entry('client_secret: a, client_secret_file: b'),             'auth.oidc[0].client_secret_file: auth.oidc[0].client_secret is given too: remove one of the two'],
    ['without the scope openid',       entry('scopes: [email]'),                                     'auth.oidc[0].scopes: lacks openid, without which no one is signed in: add it'],
    ['with two scopes in one text',    entry('scopes: [openid, "email groups"]'),                    'auth.oidc[0].scopes[1]: "email groups" is not a scope: write one without blanks'],
    ['with an unknown default role',   entry('default_role: viewr'),                                 'auth.oidc[0].default_role: "viewr" is not a role: did you mean viewer?'],
    ['with groups that are no list',   entry('role_map: {admin: chiefs}'),                           'auth.oidc[0].role_map.admin: '],
    ['with an unknown second factor',  entry('second_factor: both'),                                 'auth.oidc[0].second_factor: '],
    ['with an unknown logout',         entry('logout: all'),                                         'auth.oidc[0].logout: '],
    ['with a prompt that is none',     entry('prompt: "log&in"'),                                    'auth.oidc[0].prompt: "log&in" is not a prompt: write for example login or select_account'],
    ['with a key that is none',        entry('clientid: x'),                                         'auth.oidc[0].clientid: unknown key: did you mean client_id?'],
    ['where the service has no address', `auth: {oidc: [{${LEAST}}]}`,                               'auth.oidc: needs the address of this service, to which the provider sends people back: set server.public_url, for example to https://nvr.example.com'],
    ['beside the headers of a proxy',  entry().replace('auth: {', 'auth: {enabled: false, '),        'auth.oidc: needs accounts, and auth.enabled is false: set auth.enabled to true, or remove auth.oidc'],
  ];
  for (const [sentence, yaml, message] of REFUSED)
    it(`is refused ${sentence}`, async () => {
      const outcome = await load(yaml, { stored: {} });
      const told =
        outcome.kind === 'invalid' ? outcome.problems.map((problem) => formatProblem('config.yaml', problem)) : [];
      assert.equal(told.length, 1, told.join('\n'));
      assert.ok(told[0]?.includes(message), told[0]);
      assert.doesNotMatch(told.join(), /hunter2/);
    });

  it('is warned of for roles that nothing defines, and for a door that is open to everybody there', async () => {
    assert.deepEqual(await warningsFor(entry('role_map: {gardner: [a]}, create: true, default_role: viewer')), [
      'config.yaml:2:94 auth.oidc[0].role_map.gardner: "gardner" is not in auth.roles: until it is created in the console, its groups have no effect and default_role decides',
      'config.yaml:2:137 auth.oidc[0].default_role: viewer with create: true, so every person whom the provider lets in gets an account with that role: use role_map and remove default_role, unless the provider knows your people alone',
    ]);
  });
});

describe('A provider that creates accounts and gives nobody a role', () => {
  const NAMED =
    /auth\.oidc\[0\]\.create: true, but nothing gives a person a role, so no account is made: name groups in role_map, or set default_role$/;
  for (const more of ['create: true', 'create: true, role_map: {}', 'create: true, default_role: none'])
    it(`is named: ${more}`, async () => {
      const warnings = await warningsFor(entry(more));
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? '', NAMED);
    });
  it('is not one with a map', async () =>
    assert.deepEqual(await warningsFor(entry('create: true, role_map: {admin: [a]}')), []));
});

describe('Who may log in with a password', () => {
  it('is never nobody where there is no provider', async () => {
    const outcome = await load('auth: {password_login: none}');
    const [problem] = outcome.kind === 'invalid' ? outcome.problems : [];
    assert.match(problem?.message ?? '', /^none leaves nothing to log in with.*add one, or write admins or everyone$/);
    assert.equal((await load(entry().replace('auth: {', 'auth: {password_login: none, '))).kind, 'loaded');
  });
});

describe('A reload', () => {
  const heldOf = async (before: string, after: string): Promise<readonly string[]> => {
    const [running, read] = [await settingsOf(before), await settingsOf(after)];
    return renewed(SCHEMA, running.settings, read.settings, read.given).held;
  };
  const mapped = 'default_role: viewer, role_map: {admin: [a], viewer: [b]}';
  // biome-ignore format: a table
  const WAITS: readonly [sentence: string, before: string, after: string][] = [
    ['a provider that is new',               SITE,                           entry()],
    ['another issuer of the same name',      entry(),                        entry().replace('id.example', 'other.example')],
    ['a lost authority',                     entry('ca: ca.pem'),            entry()],
    ['a lost age of the login',              entry('max_age: 60'),           entry()],
    ['a lost prompt',                        entry('prompt: login'),         entry()],
    ['lost contexts',                        entry('acr_values: [mfa]'),     entry()],
    ['a lost entry of its map',              entry(mapped),                  entry(mapped.replace('admin: [a], ', ''))],
    ['a lost map',                           entry(mapped),                  entry('default_role: viewer')],
    ['a lost map, and no role for all others', entry('role_map: {viewer: [b]}'), entry()],
    ['a map that is written as empty',       entry('role_map: {viewer: [b]}'), entry('role_map: {}')],
    ['a lost group whose people may see more without', `${SITE}auth: {roles: {g: [a]}, oidc: [{${LEAST}, default_role: viewer, role_map: {g: [x, y]}}]}`, `${SITE}auth: {roles: {g: [a]}, oidc: [{${LEAST}, default_role: viewer, role_map: {g: [x]}}]}`],
  ];
  for (const [sentence, before, after] of WAITS)
    it(`waits for a restart with ${sentence}`, async () =>
      assert.deepEqual(await heldOf(before, after), ['auth.oidc']));

  // biome-ignore format: a table
  const AT_ONCE: readonly [sentence: string, before: string, after: string][] = [
    ['less',                                 entry(mapped),                          SITE],
    ['a map without a role for all others',  entry('role_map: {admin: [a], viewer: [b]}'), entry('role_map: {viewer: [b]}')],
    ['a group that makes admins no more',    entry('default_role: viewer, role_map: {admin: [a, b]}'), entry('default_role: viewer, role_map: {admin: [a]}')],
    ['what is written as wider',             entry('second_factor: postern'),        entry('second_factor: provider')],
    ['no accounts made any more',            entry('create: true'),                  entry()],
  ];
  for (const [sentence, before, after] of AT_ONCE)
    it(`takes ${sentence} at once`, async () => assert.deepEqual(await heldOf(before, after), []));
});
