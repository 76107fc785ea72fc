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
    'GET /days/{month:month}/{day:two-digits} any',
    'GET /days/{camera}/start any',
    'GET /days/{rest...} admin',
    'GET /clips/{start:number}.mp4 any',
    'GET /zones/{zone:zone} any',
    'GET /ids/{id:id} any',
    'GET /files/{file:file} any',
    'GET /dates/{date:date}/{rest...} any',
    'GET /wrong/{x:no-such-shape} any',
    'GET /hls/{camera...}/index.m3u8 camera',
    'GET /hls/{camera...}/{file:file} camera',
    'GET /hls/{camera...}/low/index.m3u8 camera',
    'GET /hls/{rest...} admin',
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
    ['takes a parameter of its shape',                  'GET',    '/days/2026-01/05',                   '/days/{month:month}/{day:two-digits} 2026-01 05'],
    ['goes on to another row where the shape differs',  'GET',    '/days/2026-01/start',                '/days/{camera}/start 2026-01'],
    ['and to the remainder at last',                    'GET',    '/days/2026-01/5',                    '/days/{rest...} 2026-01/5'],
    ['knows a shape inside a segment',                  'GET',    '/clips/17.25.mp4',                   '/clips/{start:number}.mp4 17.25'],
    ['and refuses another there',                       'GET',    '/clips/1e9.mp4',                     'unlisted'],
    ['takes a time zone with commas for slashes',       'GET',    '/zones/America,Argentina,Jujuy',     '/zones/{zone:zone} America,Argentina,Jujuy'],
    ['takes no other list',                             'GET',    '/zones/,a,b',                        'unlisted'],
    ['takes an id',                                     'GET',    '/ids/1700000000.5-abc',              '/ids/{id:id} 1700000000.5-abc'],
    ['takes no list of ids',                            'GET',    '/ids/1,2',                           'unlisted'],
    ['takes a file',                                    'GET',    '/files/seg-1-f2-v1.m4s',             '/files/{file:file} seg-1-f2-v1.m4s'],
    ['takes no list of files',                          'GET',    '/files/a,b.m4s',                     'unlisted'],
    ['takes a date, and a remainder behind it',         'GET',    '/dates/2026-01-05/x/y',              '/dates/{date:date}/{rest...} 2026-01-05 x/y'],
    ['takes no text with a newline for a shape',        'GET',    '/zones/utc%0a',                      'unlisted'],
    ['lets nothing fit a shape that it does not know',  'GET',    '/wrong/x',                           'unlisted'],
    ['takes several segments before others for one',    'GET',    '/hls/garden/pond/index.m3u8',        '/hls/{camera...}/index.m3u8 garden/pond'],
    ['and one',                                         'GET',    '/hls/garden/index.m3u8',             '/hls/{camera...}/index.m3u8 garden'],
    ['but none at all',                                 'GET',    '/hls/index.m3u8',                    '/hls/{rest...} index.m3u8'],
    ['and no empty one',                                'GET',    '/hls/garden//index.m3u8',            '/hls/{rest...} garden//index.m3u8'],
    ['nor one before them',                             'GET',    '/hls//index.m3u8',                   '/hls/{rest...} /index.m3u8'],
    ['prefers more literals behind them',               'GET',    '/hls/a/b/low/index.m3u8',            '/hls/{camera...}/low/index.m3u8 a/b'],
    ['has a parameter behind them',                     'GET',    '/hls/a/b/seg-1.mp4',                 '/hls/{camera...}/{file:file} a/b seg-1.mp4'],
    ['of its shape alone',                              'GET',    '/hls/a/b/seg,1.mp4',                 '/hls/{rest...} a/b/seg,1.mp4'],
    ['takes the last of the literals',                  'GET',    '/hls/index.m3u8/index.m3u8',         '/hls/{camera...}/index.m3u8 index.m3u8'],
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
