/** The allowlist file, and every list that is shipped (interface 5.5.7, SPEC 3). */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseTrustedHeaders } from '../../src/identity/trusted-headers.ts';

const FORM = 'is neither a header name nor "proxy_set_header NAME $http_name;"';

describe('The allowlist', () => {
  // biome-ignore format: a table
  const good: [sentence: string, text: string, names: string[]][] = [
    ['takes lines of nginx',                             'proxy_set_header Remote-User $http_remote_user;',             ['remote-user']],
    ['takes plain names, one a line',                    'Remote-User\nX-Auth-Request-User',                            ['remote-user', 'x-auth-request-user']],
    ['takes comments, alone and behind a line',          '# who\nRemote-User # the user\n  # more',                     ['remote-user']],
    ['takes CRLF endings and a byte order mark',         '\uFEFFRemote-User\r\n\r\nRemote-Groups\r\n',                  ['remote-user', 'remote-groups']],
    ['takes tabs and blanks around the parts',           '\tproxy_set_header\tRemote-User   $http_remote_user ;  ',     ['remote-user']],
    ['takes a variable without case, as nginx does',     'proxy_set_header X-authentik-uid $http_X_Authentik_UID;',     ['x-authentik-uid']],
    ['takes a name that is listed twice',                'Remote-User\nREMOTE-USER',                                    ['remote-user']],
    ['allows no header when it is empty',                '',                                                            []],
    ['allows no header when it has comments only',       '# nothing\n',                                                 []],
  ];
  for (const [sentence, text, names] of good) {
    it(sentence, () => assert.deepEqual(parseTrustedHeaders(text), { ok: true, value: new Set(names) }));
  }

  // biome-ignore format: a table
  const bad: [sentence: string, text: string, line: number, message: string][] = [
    ['refuses another directive',            'Remote-User\ninclude other.conf;',                        2, `"include other.conf;" ${FORM}`],
    ['refuses a misspelt directive',         'proxy_set_headr A $http_a;',                              1, `"proxy_set_headr A $http_a;" ${FORM}`],
    ['refuses a line without its semicolon', '#\n\nproxy_set_header A $http_a',                         3, `"proxy_set_header A $http_a" ${FORM}`],
    ['refuses two lines in one',             'proxy_set_header A $http_a; proxy_set_header B $http_b;', 1, `"proxy_set_header A $http_a; proxy_set_header B $http_b;" ${FORM}`],
    ['refuses a fixed value',                'proxy_set_header Remote-Role admin;',                     1, `"proxy_set_header Remote-Role admin;" ${FORM}`],
    ['refuses a variable of another kind',   'proxy_set_header Remote-User $remote_user;',              1, `"proxy_set_header Remote-User $remote_user;" ${FORM}`],
    ['refuses a name with an underscore',    'Remote_User',                                             1, `"Remote_User" ${FORM}`],
    ['refuses a name with a star',           'X-Forwarded-*',                                           1, `"X-Forwarded-*" ${FORM}`],
    ['refuses names with commas',            'Remote-User, Remote-Groups',                              1, `"Remote-User, Remote-Groups" ${FORM}`],
    ['refuses a name outside ASCII',         'Remote-Us\u00e9r',                                        1, `"Remote-Us\u00e9r" ${FORM}`],
    ['refuses another header\'s variable',   'proxy_set_header Remote-User $http_x_user;',              1, '"proxy_set_header Remote-User $http_x_user;" fills Remote-User from another header: write $http_remote_user'],
    ['refuses the cookie',                   'Cookie',                                                  1, '"Cookie" cannot carry an identity: remove the line'],
    ['refuses a password for a proxy',       'Proxy-Authorization',                                     1, '"Proxy-Authorization" cannot carry an identity: remove the line'],
    ['refuses what describes a request',     'Remote-User\nX-Original-URL',                             2, '"X-Original-URL" cannot carry an identity: remove the line'],
    ['refuses the secret',                   'proxy_set_header X-Proxy-Secret $http_x_proxy_secret;',   1, '"X-Proxy-Secret" cannot carry an identity: remove the line'],
  ];
  for (const [sentence, text, line, message] of bad) {
    it(`${sentence}, and names its line`, () => {
      assert.deepEqual(parseTrustedHeaders(text), { ok: false, error: { line, message } });
    });
  }

  it('never throws, and allows nothing but plain lower-case names, whatever the file holds', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom('proxy_set_header ', 'Remote-User', ' $http_remote_user;', '\n', '\r\n', '#', '__proto__'),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const parsed = parseTrustedHeaders(pieces.join(''));
        if (parsed.ok) for (const name of parsed.value) assert.match(name, /^[a-z0-9-]+$/);
        else assert.ok(parsed.error.line >= 1 && parsed.error.message !== '');
      }),
    );
  });
});

const SEED = [
  'Remote-User',
  'Remote-Groups',
  'Remote-Email',
  'Remote-Name',
  'X-Forwarded-User',
  'X-Forwarded-Groups',
  'X-Forwarded-Email',
  'X-Forwarded-Preferred-Username',
  'X-proxyvendor-username',
  'X-proxyvendor-groups',
  'X-proxyvendor-email',
  'X-proxyvendor-name',
  'X-proxyvendor-uid',
];
const VENDOR_TWINS = SEED.filter((name) => name.includes('proxyvendor')).map((name) =>
  name.replace('proxyvendor', 'authentik'),
);

const shipped = (file: string): ReadonlySet<string> => {
  const parsed = parseTrustedHeaders(readFileSync(file, 'utf8'));
  return parsed.ok ? parsed.value : assert.fail(`${file}:${parsed.error.line}: ${parsed.error.message}`);
};

describe('The shipped lists', () => {
  it('permit only the following headers by default: the 13 of the interface, and the vendor family by its other name', () => {
    const expected = new Set([...SEED, ...VENDOR_TWINS].map((name) => name.toLowerCase()));
    assert.deepEqual(shipped('trusted-headers/proxy_trusted_headers.conf'), expected);
  });

  const files = globSync('trusted-headers/*.conf').sort();
  it('are the default and seven for common proxies', () => assert.equal(files.length, 8));

  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    it(`${file} can be read, in nginx form throughout`, () => {
      assert.ok(shipped(file).size > 0);
      for (const line of text.split('\n')) assert.match(line, /^(?:#.*|proxy_set_header \S+ \$http_[a-z0-9_]+;|)$/);
    });

    it(`${file} lists every header that its comments map`, () => {
      for (const [, user, role] of text.matchAll(/header_map: \{ user: ([\w-]+)(?:, role: ([\w-]+))? \}/g)) {
        for (const name of [user, role]) if (name) assert.ok(shipped(file).has(name.toLowerCase()), name);
      }
    });

    it(`${file} is explained in the README`, () => {
      assert.match(readFileSync('trusted-headers/README.md', 'utf8'), new RegExp(`\\| \`${file.split('/')[1]}\` \\|`));
    });
  }
});
