/** The judge of the attacks: each expectation of a vector can fail, and is told apart from the others. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Received } from '../support/fake-nvr.ts';
import { breaches, normalizedPath, type Outcome } from './support/judge.ts';
import { wholeAnswers } from './support/raw-connection.ts';
import type { Expectation } from './support/vector.ts';

const request = (target: string, ...headers: [string, string][]): Received => ({
  method: 'GET',
  target,
  headers,
  body: '',
  bodyBytes: 0,
});

const NOTHING: Outcome = { status: 200, text: 'HTTP/1.1 200 OK\r\n\r\n', received: [] };

interface Row {
  readonly sentence: string;
  readonly expect: Partial<Expectation>;
  readonly bad: Partial<Outcome>;
  readonly good: Partial<Outcome>;
}

// biome-ignore format: a table
const ROWS: readonly Row[] = [
  { sentence: 'sees another status', expect: { status: [400] }, bad: { status: 200 }, good: { status: 400 } },
  { sentence: 'sees a connection closed without an answer', expect: { status: [400] }, bad: { status: undefined }, good: { status: 400 } },
  { sentence: 'lets a connection be closed where that is fine', expect: { status: [400, 'close'] }, bad: { status: 200 }, good: { status: undefined } },
  { sentence: 'sees anything at all', expect: { upstreamMustNotSee: { anything: true } }, bad: { received: [request('/')] }, good: {} },
  {
    sentence: 'sees a header',
    expect: { upstreamMustNotSee: { headers: [{ name: 'x-ingress-path' }] } },
    bad: { received: [request('/', ['x-ingress-path', ''])] },
    good: { received: [request('/', ['x-ingress', ''])] },
  },
  {
    sentence: 'sees a header by its look-alike',
    expect: { upstreamMustNotSee: { headers: [{ name: 'remote-user', normalize: true, value: '^(?!vera$)' }] } },
    bad: { received: [request('/', ['remote_user', 'root'])] },
    good: { received: [request('/', ['remote-user', 'vera'])] },
  },
  {
    sentence: 'sees a role among several',
    expect: { upstreamMustNotSee: { roles: ['admin'] } },
    bad: { received: [request('/', ['remote-role', 'viewer, admin'])] },
    good: { received: [request('/', ['remote-role', 'administrator'])] },
  },
  {
    sentence: 'sees a path as it was sent',
    expect: { upstreamMustNotSee: { paths: ['(?i)^/+api/+users'] } },
    bad: { received: [request('//API/users')] },
    good: { received: [request('/api/stats')] },
  },
  {
    sentence: 'sees a path as it would be read',
    expect: { upstreamMustNotSee: { normalizedPaths: ['^/api/users'] } },
    bad: { received: [request('/assets/..%2fapi\\%75sers')] },
    good: { received: [request('/assets/x?/api/users')] },
  },
  {
    sentence: 'sees every camera asked for',
    expect: { upstreamMustNotSee: { queryCameras: ['cam2', 'all'] } },
    bad: { received: [request('/api/events?cameras[]=cam1')] },
    good: { received: [request('/api/events?camera=cam2&cameras=cam2&cameras=cam1')] },
  },
  {
    sentence: 'sees a query as it was sent',
    expect: { upstreamMustNotSee: { queryRaw: ['limit=-1'] } },
    bad: { received: [request('/api/events?limit=-1')] },
    good: { received: [request('/api/events?limit=1')] },
  },
  {
    sentence: 'misses a header that must be there',
    expect: { upstreamMustSee: { headers: [{ name: 'remote-role', value: '^viewer$' }] } },
    bad: { received: [request('/', ['remote-user', 'vera'])] },
    good: { received: [request('/', ['remote-role', 'viewer'])] },
  },
  {
    sentence: 'misses a request that must be there',
    expect: { upstreamMustSee: { headers: [{ name: 'remote-role', value: '^viewer$' }] } },
    bad: {},
    good: { received: [request('/', ['remote-role', 'viewer'])] },
  },
  {
    sentence: 'counts the requests',
    expect: { upstreamMaxRequests: 1 },
    bad: { received: [request('/'), request('/')] },
    good: { received: [request('/')] },
  },
  {
    sentence: 'reads what the client was sent, whatever its case',
    expect: { clientMustNotSee: 'Set-Cookie: frigate_token=ey' },
    bad: { text: 'HTTP/1.1 200 OK\r\nset-cookie: frigate_token=ey\r\n\r\n' },
    good: { text: 'HTTP/1.1 200 OK\r\n\r\n' },
  },
  { sentence: 'misses what the client must be sent', expect: { clientMustSee: '"admin"' }, bad: { text: '"viewer"' }, good: { text: '"admin"' } },
];

describe('The judge', () => {
  for (const { sentence, expect, bad, good } of ROWS) {
    it(sentence, () => {
      const expectation: Expectation = { status: [200], upstreamMustNotSee: {}, ...expect };
      assert.equal(breaches(expectation, { ...NOTHING, ...bad }).length, 1);
      assert.deepEqual(breaches(expectation, { ...NOTHING, ...good }), []);
    });
  }

  it('reads a path as the most lenient of servers', () => {
    assert.deepEqual(
      ['/a//b', '/a/./b', '/x/../a/b', '/a%2fb', '/%2e/a/b', '\\a\\b', '/../a/b/'].map(normalizedPath),
      Array.from({ length: 7 }, () => '/a/b'),
    );
  });

  it('tells answers on one connection apart', () => {
    const length = 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc';
    const chunked = 'HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 6\r\n\r\n';
    const text = `HTTP/1.1 100 Continue\r\n\r\n${length}${chunked}HTTP/1.1 204 No Content\r\n\r\n${length.slice(0, -1)}`;
    assert.deepEqual(
      wholeAnswers(text, false).map(({ status, body }) => [status, body]),
      [
        [200, 'abc'],
        [201, 'abc'],
        [204, ''],
      ],
    );
  });
});
