import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problemsOf, settingsOf } from './config-place.ts';

describe('Of environment, file and default (SPEC 1)', () => {
  const yaml = 'auth: {session_length: 2}\nserver: {external: "127.0.0.1:2"}';
  const env = { POSTERN__AUTH__SESSION_LENGTH: '3', POSTERN__SERVER__EXTERNAL: '127.0.0.1:3' };
  const rows: [
    sentence: string,
    yaml: string,
    rest: Parameters<typeof settingsOf>[1],
    session: number,
    port: number,
  ][] = [
    ['the default counts when nothing is said', '', {}, 86_400, 8971],
    ['the file counts over the default', yaml, {}, 2, 2],
    ['the environment counts over the file', yaml, { env }, 3, 3],
  ];
  for (const [sentence, text, rest, session, port] of rows) {
    it(sentence, async () => {
      const { auth, server } = await settingsOf(text, rest);
      assert.deepEqual([auth.session_length, server.external.port], [session, port]);
    });
  }

  it('a single key counts over its whole section, both from the environment', async () => {
    const both = { POSTERN__AUTH: '{"session_length": 7, "refresh_time": 8}', POSTERN__AUTH__SESSION_LENGTH: '9' };
    const { auth } = await settingsOf('', { env: both });
    assert.deepEqual([auth.session_length, auth.refresh_time], [9, 8]);
  });
});

describe('A variable of the environment', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, name: string, value: string, section: 'auth' | 'server' | 'proxy' | 'events', key: string, expected: unknown][] = [
    ['is a boolean as in YAML', 'POSTERN__AUTH__ENABLED', 'false', 'auth', 'enabled', false],
    ['may turn a listener off', 'POSTERN__SERVER__INTERNAL', 'false', 'server', 'internal', false],
    ['is null as in YAML', 'POSTERN__AUTH__FAILED_LOGIN_RATE_LIMIT', 'null', 'auth', 'failed_login_rate_limit', null],
    ['is text as it stands', 'POSTERN__AUTH__FAILED_LOGIN_RATE_LIMIT', '5/minute;20/hour', 'auth', 'failed_login_rate_limit', '5/minute;20/hour'],
    ['may hold text in quotes', 'POSTERN__AUTH__COOKIE_NAME', '"session"', 'auth', 'cookie_name', 'session'],
    ['holds a list as JSON', 'POSTERN__AUTH__TRUSTED_PROXIES', '["10.0.0.0/8","::1"]', 'auth', 'trusted_proxies', ['10.0.0.0/8', '::1']],
    ['holds a map as JSON', 'POSTERN__AUTH__ROLES', '{"gardener":["garden"]}', 'auth', 'roles', new Map([['gardener', ['garden']]])],
    ['reaches into a map', 'POSTERN__AUTH__ROLES__GARDENER', '["garden"]', 'auth', 'roles', new Map([['gardener', ['garden']]])],
    ['keeps a secret as it stands, digits and signs and all', 'POSTERN__PROXY__AUTH_SECRET', '0123456789 #{"x', 'proxy', 'auth_secret', ['0123456789 #{"x']],
    ['keeps a secret of digits', 'POSTERN__PROXY__AUTH_SECRET', '0123456789', 'proxy', 'auth_secret', ['0123456789']],
    ['keeps a secret that begins like a map', 'POSTERN__PROXY__AUTH_SECRET', '{"x', 'proxy', 'auth_secret', ['{"x']],
    ['is text when a comment would cut it', 'POSTERN__EVENTS__NVR_DATABASE', '/a #b', 'events', 'nvr_database', '/a #b'],
    ['holds a list of secrets as JSON', 'POSTERN__PROXY__AUTH_SECRET', '["one","two"]', 'proxy', 'auth_secret', ['one', 'two']],
  ];
  for (const [sentence, name, value, section, key, expected] of rows) {
    it(sentence, async () => {
      const settings = await settingsOf('', { env: { [name]: value } });
      assert.deepEqual((settings[section] as Record<string, unknown>)[key], expected);
    });
  }

  // biome-ignore format: a table
  const refused: [sentence: string, yaml: string, env: Record<string, string>, problem: string][] = [
    ['is named in a problem with its value', '', { POSTERN__AUTH__SESSION_LENGTH: 'abc' }, 'POSTERN__AUTH__SESSION_LENGTH auth.session_length: "abc" is not a duration: write for example 90, 15m, 1h or 7d'],
    ['with a misspelt key is a problem', '', { POSTERN__AUTH__SESION_LENGTH: '5' }, 'POSTERN__AUTH__SESION_LENGTH auth.sesion_length: unknown key: did you mean session_length?'],
    ['with broken JSON is a problem', '', { POSTERN__AUTH__ROLES: '{"a"' }, 'POSTERN__AUTH__ROLES auth.roles: is not valid JSON: write lists as ["one","two"] and maps as {"key":"value"}'],
    ['may not hold a blank secret', '', { POSTERN__PROXY__AUTH_SECRET: '' }, 'POSTERN__PROXY__AUTH_SECRET proxy.auth_secret: is blank: write a secret ("openssl rand -hex 32" makes one), or remove the key'],
    ['leaves a wrong section of the file to be reported', 'auth: 5', { POSTERN__AUTH__SESSION_LENGTH: '5' }, 'config.yaml:1:7 auth: 5 is not a map: write its keys below it, indented'],
  ];
  for (const [sentence, yaml, env, problem] of refused) {
    it(sentence, async () => assert.deepEqual(await problemsOf(yaml, { env }), [problem]));
  }

  it('of another product is let be', async () => {
    assert.deepEqual(await problemsOf('', { env: { POSTERN_CONFIG_DIR: '/x', POSTERNX__A: '1', PATH: '/bin' } }), []);
  });
});
