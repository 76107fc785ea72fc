/** How a "no" is said (SPEC 5): JSON to programs, a login or a page to people; never a redirect for an API call. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { REFUSALS, type RefusalReason } from '../../src/domain/refusal.ts';
import { errorResponse, type RefusalPageFacts } from '../../src/gateway/response/error-responses.ts';
import { factsOf } from '../support/facts.ts';

const renderPage = ({ status, message }: { status: number; message: string }) => ({
  headers: { 'content-type': 'text/html' },
  body: `${status} ${message}`,
});
const NATIVE = { loginPath: '/login', renderPage };
const PROXY = { loginPath: undefined, renderPage };
const API = { headers: { host: 'nvr.test', accept: 'application/json' } };
const PAGE = { headers: { host: 'nvr.test', accept: 'text/html,*/*' } };

describe('A refusal', () => {
  for (const [reason, refusal] of Object.entries(REFUSALS)) {
    const { status, message } = refusal;
    const told = 'isTold' in refusal ? { reason } : {};
    it(`for ${reason} is ${status} in JSON, with what to do`, () => {
      const answer = errorResponse(reason as RefusalReason, factsOf({ ...API, target: '/api/x' }), 'r1', NATIVE);
      assert.deepEqual([answer.status, JSON.parse(answer.body)], [status, { success: false, message, ...told }]);
      assert.match(message, /^[A-Z].*\w\.?$/);
    });
  }

  it('of a program names the login in Location, and is no redirect', () => {
    const answer = errorResponse('no-credentials', factsOf({ ...API, target: '/api/events' }), 'r1', NATIVE);
    assert.deepEqual([answer.status, answer.headers['location']], [401, '/login']);
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
    const { status, message } = REFUSALS['route-unlisted'];
    const unknown = { cameras: undefined, cookie: undefined, person: undefined };
    assert.deepEqual(told, [
      { reason: 'route-unlisted', status, message, requestId: 'r1', basePath: '', acceptLanguage: 'de-AT', ...unknown },
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
