/** How a "no" is said (SPEC 5): JSON to programs, a login or a page to people; never a redirect for an API call. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { REFUSALS, type RefusalReason } from '../../src/domain/refusal.ts';
import { errorResponse, type RefusalPageFacts } from '../../src/gateway/response/error-responses.ts';
import { factsOf } from '../support/facts.ts';

const renderPage = ({ status, reason }: { status: number; reason: RefusalReason }) => ({
  headers: { 'content-type': 'text/html' },
  body: `${status} ${REFUSALS[reason].message}`,
});
const NATIVE = { loginPath: '/login', renderPage };
const PROXY = { loginPath: undefined, renderPage };
const API = { headers: { host: 'nvr.test', accept: 'application/json' } };
const PAGE = { headers: { host: 'nvr.test', accept: 'text/html,*/*' } };

describe('A refusal', () => {
  for (const [reason, { status, message }] of Object.entries(REFUSALS)) {
    it(`for ${reason} is ${status} in JSON, with what to do`, () => {
      const answer = errorResponse(reason as RefusalReason, factsOf({ ...API, target: '/api/x' }), 'r1', NATIVE);
      assert.deepEqual([answer.status, JSON.parse(answer.body)], [status, { success: false, message, reason }]);
      assert.match(message, /^[A-Z].*\w\.?$/);
    });
  }

  it('of a program names the login in Location, and is no redirect', () => {
    const answer = errorResponse('no-credentials', factsOf({ ...API, target: '/api/events' }), 'r1', NATIVE);
    assert.deepEqual([answer.status, answer.headers['location']], [401, '/login']);
  });
  const CURL = { 'user-agent': 'curl/8.5.0', accept: '*/*' };
  // biome-ignore format: a table
  const ASKED: [who: string, isAsked: boolean, headers: Record<string, string>, target?: string, method?: string][] = [
    ['curl',                                        true,  CURL],
    ['Home Assistant',                              true,  { 'user-agent': 'HomeAssistant/2026.1 aiohttp/3.9' }],
    ['ffmpeg',                                      true,  { 'user-agent': 'Lavf/61.1.100', range: 'bytes=0-' }],
    ['a program of no name',                        false, { accept: '*/*' }],
    ['a browser',                                   false, { 'user-agent': 'Mozilla/5.0 (X11) Chrome/142' }],
    ['an old browser',                              false, { 'user-agent': 'Opera/9.80' }],
    ['the media player of an iPhone',               false, { 'user-agent': 'AppleCoreMedia/1.0.0.21A5' }],
    ['the media player of Android',                 false, { 'user-agent': 'stagefright/1.2' }],
    ['one that has a cookie',                       false, { ...CURL, cookie: 'a=b' }],
    ['one that is a page by Sec-Fetch-Dest',        false, { ...CURL, 'sec-fetch-dest': 'empty' }],
    ['one that is a page by its Origin',            false, { ...CURL, origin: 'http://nvr.lan' }],
    ['one that comes from a page',                  false, { ...CURL, referer: 'http://nvr.lan/' }],
    ['one that knows the CSRF header',              false, { ...CURL, 'x-csrf-token': '1' }],
    ['one that shows pictures',                     false, { ...CURL, accept: 'image/avif,image/webp,*/*;q=0.8' }],
    ['a proxy that asks /auth',                     false, CURL, '/auth'],
    ['a proxy that asks /api/auth',                 false, CURL, '/api/auth?upgrade=no'],
    ['a program that logs in',                      false, CURL, '/api/login', 'POST'],
  ];
  for (const [who, isAsked, headers, target = '/api/events', method = 'GET'] of ASKED)
    for (const rules of [NATIVE, PROXY])
      it(`of ${who} ${isAsked ? 'asks' : 'does not ask'} for a password by WWW-Authenticate${rules === PROXY ? ', in proxy mode too' : ''}`, () => {
        const facts = factsOf({ headers: { host: 'nvr.test', ...headers }, target, method });
        const { status, headers: sent } = errorResponse('no-credentials', facts, 'r1', rules);
        assert.deepEqual([status, sent['www-authenticate']], [401, isAsked ? 'Basic realm="Postern"' : undefined]);
      });
  it('of 403 asks for no password', () => {
    const facts = factsOf({ headers: { host: 'nvr.test', ...CURL }, target: '/api/config' });
    assert.equal(errorResponse('route-unlisted', facts, 'r1', NATIVE).headers['www-authenticate'], undefined);
  });

  // biome-ignore format: a table
  const PLACES: [header: string, value: string, isTold: boolean][] = [
    ['Authorization', 'pst_abc',        true],
    ['Authorization', 'Token pst_abc',  true],
    ['Authorization', 'Basic pst_abc',  true],
    ['X-Api-Key',     'pst_abc',        true],
    ['X-Auth-Token',  'Bearer pst_abc', true],
    ['Authorization', 'Bearer pst_abc', false],
    ['X-Api-Key',     'of-another',     false],
  ];
  for (const [header, value, isTold] of PLACES)
    it(`of a token ${isTold ? 'in a wrong place names the right header' : 'elsewhere says nothing of places'}: ${header}: ${value}`, () => {
      const facts = factsOf({ headers: { host: 'nvr.test', [header]: value }, target: '/api/events' });
      const { body } = errorResponse('no-credentials', facts, 'r1', NATIVE);
      const { message } = JSON.parse(body) as { message: string };
      if (!isTold) return assert.equal(message, REFUSALS['no-credentials'].message);
      assert.equal(
        message,
        `An API token came in the header "${header}" and was not read there: send it as "Authorization: Bearer pst_…", or as the password of Basic.`,
      );
      assert.ok(!message.includes('pst_abc'));
    });

  it('in proxy mode names no login: the proxy in front has it', () => {
    const answer = errorResponse('proxy-user-missing', factsOf({ ...API, target: '/api/events' }), 'r1', PROXY);
    assert.deepEqual([answer.status, 'location' in answer.headers], [401, false]);
  });
  it('of a person who opens a page leads to the login and back', () => {
    const answer = errorResponse('no-credentials', factsOf({ ...PAGE, target: '/review?x=1&y' }), 'r1', NATIVE);
    assert.deepEqual([answer.status, answer.headers['location']], [302, '/login?next=%2Freview%3Fx%3D1%26y']);
  });
  it('of a page that a person may not see is a page', () => {
    const answer = errorResponse('route-unlisted', factsOf({ ...PAGE, target: '/x' }), 'r1', NATIVE);
    assert.deepEqual([answer.status, answer.headers['content-type']], [403, 'text/html']);
  });
  it('of a page knows the reason, and the language that the person likes', () => {
    const told: RefusalPageFacts[] = [];
    const rules = {
      loginPath: '/login',
      renderPage(page: RefusalPageFacts) {
        told.push(page);
        return { headers: {}, body: '' };
      },
    };
    const headers = { ...PAGE.headers, 'accept-language': 'de-AT' };
    errorResponse('route-unlisted', factsOf({ headers, target: '/x' }), 'r1', rules);
    const { status } = REFUSALS['route-unlisted'];
    const unknown = { cameras: undefined, person: undefined };
    assert.deepEqual(told, [
      { reason: 'route-unlisted', status, requestId: 'r1', basePath: '', wishes: 'de-AT', ...unknown },
    ]);
  });
  it('of an API path is JSON even for a browser that would take a page', () => {
    const answer = errorResponse('no-credentials', factsOf({ ...PAGE, target: '/api/events' }), 'r1', NATIVE);
    assert.equal(answer.status, 401);
  });
  it('of a navigation to an API path leads to the login', () => {
    const headers = { host: 'nvr.test', 'sec-fetch-mode': 'navigate' };
    assert.equal(
      errorResponse('no-credentials', factsOf({ headers, target: '/api/events' }), 'r1', NATIVE).status,
      302,
    );
  });
  it('of /auth is never a redirect: a proxy asks there in the name of a browser', () => {
    const headers = { host: 'nvr.test', 'sec-fetch-mode': 'navigate', accept: 'text/html' };
    assert.equal(errorResponse('no-credentials', factsOf({ headers, target: '/auth' }), 'r1', NATIVE).status, 401);
  });
  it('of an upgrade is never a redirect', () => {
    const facts = factsOf({ ...PAGE, target: '/ws', isUpgrade: true });
    assert.equal(errorResponse('no-credentials', facts, 'r1', NATIVE).status, 401);
  });
  it('of the profile is 401, never 403: the front end waits for ever on anything else', () => {
    const answer = errorResponse('proxy-role-denied', factsOf({ ...API, target: '/api/profile' }), 'r1', PROXY);
    assert.equal(answer.status, 401);
  });
});
