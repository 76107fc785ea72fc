/** Which row a request falls under (SPEC 5): the more literal row wins, and what no row names is unlisted. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { compileRouteTable } from '../../src/access/route-table.ts';
import { row, segmentsOf } from '../support/routes.ts';

const table = compileRouteTable(
  [
    'GET /api/events any',
    'GET /api/events/summary any',
    'GET /api/events/{id} camera',
    'GET /api/events/{id}/thumbnail.{extension} camera',
    'POST /api/events/{id}/retain admin',
    'GET !/api/{camera} camera',
    'GET !/api/{camera}/latest.{extension} camera',
    'GET !/api/{camera}/{label}/best.jpg camera',
    'GET /recordings/ any',
    'GET /recordings/{date}/{hour}/{camera}/{file...} camera',
    'GET /assets/{rest...} public',
    'ANY /cache/{rest...} none',
    'WS /ws any',
    'GET / public',
  ].map(row),
);

const matched = (method: string, path: string): string => {
  const match = table.match(method, segmentsOf(path));
  return match.kind === 'unlisted' ? 'unlisted' : [match.row.path, ...Object.values(match.parameters)].join(' ');
};

describe('The route table', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, method: string, path: string, expected: string][] = [
    ['finds a literal path',                            'GET',    '/api/events',                        '/api/events'],
    ['takes HEAD for GET',                              'HEAD',   '/api/events',                        '/api/events'],
    ['prefers a literal to a parameter',                'GET',    '/api/events/summary',                '/api/events/summary'],
    ['gives parameters by name',                        'GET',    '/api/events/17.2-abc',               '/api/events/{id} 17.2-abc'],
    ['reads a parameter inside a segment',              'GET',    '/api/events/17.2-abc/thumbnail.jpg', '/api/events/{id}/thumbnail.{extension} 17.2-abc jpg'],
    ['does not take an empty parameter',                'GET',    '/api/events/17/thumbnail.',          'unlisted'],
    ['tells methods apart',                             'DELETE', '/api/events/17',                     'unlisted'],
    ['goes back when a literal leads nowhere',          'GET',    '/api/events/person/best.jpg',        '/api/{camera}/{label}/best.jpg events person'],
    ['puts the rest of a path into one parameter',      'GET',    '/recordings/d/h/cam/a/b.mp4',        '/recordings/{date}/{hour}/{camera}/{file...} d h cam a/b.mp4'],
    ['tells a trailing slash from none',                'GET',    '/api/events/',                       'unlisted'],
    ['lists a path with a trailing slash as written',   'GET',    '/recordings/',                       '/recordings/'],
    ['does not list a longer path',                     'GET',    '/api/events/17/more/and/more',       'unlisted'],
    ['is case-sensitive',                               'GET',    '/API/events',                        'unlisted'],
    ['keeps upgrades apart from requests',              'GET',    '/ws',                                'unlisted'],
    ['finds an upgrade',                                'WS',     '/ws',                                '/ws'],
    ['does not take an upgrade for any method',         'WS',     '/cache/x',                           'unlisted'],
    ['lists every method where the row says so',        'PATCH',  '/cache/x',                           '/cache/{rest...} x'],
    ['lists the root',                                  'GET',    '/',                                  '/'],
    ['is not fooled by names of Object\'s own',         'GET',    '/constructor/__proto__',             'unlisted'],
  ];
  for (const [sentence, method, path, expected] of rows) {
    it(sentence, () => assert.equal(matched(method, path), expected));
  }

  it('never lists a path that differs from a literal row by one segment', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,4}$/), { minLength: 1, maxLength: 5 }), (segments) => {
        const path = `/elsewhere/${segments.join('/')}`;
        assert.equal(matched('GET', path), 'unlisted');
      }),
    );
  });
});
