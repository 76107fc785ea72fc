/** Where a login leads, and where the end of a session leads: never to another site. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { loginTarget, nextPage } from '../../../src/ui/pages/shared/where-to-go.ts';

const ORIGIN = 'https://nvr.example';
const after = (next: string, referrer = '', basePath = '/'): string =>
  nextPage({ page: `${ORIGIN}${basePath}login?${new URLSearchParams({ next })}`, referrer, basePath });

describe('After the login', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, next: string, referrer: string, target: string][] = [
    ['the wanted page is shown',                     '/postern/?camera=front',  '',                                '/postern/?camera=front'],
    ['the root alone is no wish',                    '/',                       `${ORIGIN}/`,                      '/postern/start'],
    ['a question to the root is one',                '/?review',                '',                                '/?review'],
    ['a place on the root is one',                   '/#front',                 '',                                '/#front'],
    ['the start page is shown if nothing was',       '',                        '',                                '/postern/start'],
    ['the page that led here is shown again',        '',                        `${ORIGIN}/review?id=1`,           '/review?id=1'],
    ['the wanted page wins over the one before',     '/explore',                `${ORIGIN}/review`,                '/explore'],
    ['a page of another site is not gone back to',   '',                        'https://evil.example/x',          '/postern/start'],
    ['a referrer that is no address is ignored',     '',                        'about:blank',                     '/postern/start'],
    ['it is not the logout again',                   '/logout',                 `${ORIGIN}/api/logout`,            '/postern/start'],
    ['it is not the login again',                    '/login?next=/x',          `${ORIGIN}/login`,                 '/postern/start'],
    ['another site is not gone to',                  'https://evil.example/',   '',                                '/postern/start'],
    ['another site without a scheme is not either',  '//evil.example/',         '',                                '/postern/start'],
    ['nor one behind a backslash',                   '/\\evil.example/',        '',                                '/postern/start'],
    ['nor one behind a tab',                         '/\t/evil.example/',       '',                                '/postern/start'],
    ['nor a script',                                 'javascript:alert(1)',     '',                                '/postern/start'],
  ];
  for (const [sentence, next, referrer, target] of rows) {
    it(sentence, () => assert.equal(after(next, referrer), target));
  }

  it('it stays below the base path', () => {
    assert.equal(after('/nvr/postern/?label=dog', '', '/nvr/'), '/nvr/postern/?label=dog');
    assert.equal(after('/elsewhere', '', '/nvr/'), '/nvr/postern/start');
    assert.equal(after('/nvr/logout', '', '/nvr/'), '/nvr/postern/start');
  });

  it('it stays on this site, whatever is asked for', () => {
    const hostile = fc.array(
      fc.constantFrom('/', '\\', '.', ':', '@', '?', '#', '%2f', '\t', '\n', 'evil.example', 'https', 'x'),
    );
    fc.assert(
      fc.property(hostile, (parts) => {
        assert.equal(new URL(after(`/${parts.join('')}`), ORIGIN).origin, ORIGIN);
      }),
    );
  });
});

describe('When the session is over', () => {
  const here = `${ORIGIN}/postern/?camera=front`;
  const to = (location: string | null, base = `${ORIGIN}/`): string =>
    loginTarget({ location, here, base, loginPath: 'login' });
  const OWN_LOGIN = `${ORIGIN}/login?next=%2Fpostern%2F%3Fcamera%3Dfront`;

  // biome-ignore format: a table
  const rows: [sentence: string, location: string | null, target: string][] = [
    ['the login page is shown',                          null,                              OWN_LOGIN],
    ['the login page that is named is shown',            '/login',                          OWN_LOGIN],
    ['a wanted page that is named is kept',              '/login?next=/review',             `${ORIGIN}/login?next=/review`],
    ['the login of a proxy in front is followed',        'https://sso.example/start?rd=1',  'https://sso.example/start?rd=1'],
    ['a path of a proxy in front is followed',           '/oauth2/sign_in',                 `${ORIGIN}/oauth2/sign_in`],
    ['a script is not followed',                         'javascript:alert(1)',             OWN_LOGIN],
    ['data is not followed',                             'data:text/html,x',                OWN_LOGIN],
    ['what cannot be an address is not followed',        'http://',                         OWN_LOGIN],
  ];
  for (const [sentence, location, target] of rows) it(sentence, () => assert.equal(to(location), target));

  it("the console's own login page is shown where the other one is the NVR's", () => {
    const target = (location: string | null) =>
      loginTarget({ location, here, base: `${ORIGIN}/`, loginPath: 'postern/login' });
    const own = `${ORIGIN}/postern/login?next=%2Fpostern%2F%3Fcamera%3Dfront`;
    assert.deepEqual([null, '/login', 'https://sso.example/'].map(target), [own, own, 'https://sso.example/']);
  });

  it('the login page below the base path is shown', () => {
    assert.equal(to(null, `${ORIGIN}/nvr/`), `${ORIGIN}/nvr/login?next=%2Fpostern%2F%3Fcamera%3Dfront`);
  });
});
