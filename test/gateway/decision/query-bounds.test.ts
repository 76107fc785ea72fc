/** What a forwarded question may ask: an NVR would try, and stall or break. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FILTERS } from '../../../src/domain/events/event-filters.ts';
import { createZoneOffsets } from '../../../src/domain/zone-offsets.ts';
import { readEventsQuery } from '../../../src/events/read-query.ts';
import { tooMuchIn } from '../../../src/gateway/decision/query-bounds.ts';
import { parseTarget } from '../../../src/gateway/decision/strict-target.ts';
import { FRIGATE } from '../../../src/nvr/frigate/frigate.ts';

const judge = (text: string): boolean => {
  const target = parseTarget(text);
  assert.ok(target, `${text} is not plain`);
  return tooMuchIn(target, FRIGATE.queries) !== undefined;
};

describe('A question to the NVR', () => {
  // biome-ignore format: a table
  const fine: [sentence: string, target: string][] = [
    ['may leave everything out',               '/api/events'],
    ['may ask for as many rows as are allowed', '/api/events?limit=10000'],
    ['may ask for none',                       '/api/events?limit=0'],
    ['may give times with fractions',          '/api/events?after=1700000000.123456&before=1.8e9'],
    ['may give a time before 1970',            '/api/review?after=-1'],
    ['may give bounds',                        '/api/events?min_score=0.5&max_speed=100&min_length=.5'],
    ['may give hours of the day',              '/api/events?time_range=00:00,24:00'],
    ['may give a zone',                        '/api/events?timezone=Europe/Berlin'],
    ['may give a zone in small letters',       '/api/events/summary?timezone=america/argentina/buenos_aires'],
    ['may give utc',                           '/api/events?timezone=utc'],
    ['may give plates',                        '/api/events?recognized_license_plate=AB%20123,None,%5EB.1%5B0-9%5D%2B'],
    ['may say anything else',                  '/api/events?search_type=thumbnail&sort=id%3BDROP'],
    ['may look for gaps in a day',             '/api/recordings/unavailable?after=1763600000&before=1763686400&scale=15'],
    ['may look for gaps without saying when',  '/api/recordings/unavailable?scale=15&cameras=a'],
    ['may look at the motion of a month',      '/api/review/activity/motion?after=1760000000.5&before=1762592000&scale=30'],
    ['may ask for a large picture',            '/api/front/latest.webp?h=2160&quality=70'],
    ['may ask for pictures as fast as film',   '/api/front?fps=25&height=720'],
    ['may use the names elsewhere',            '/api/logs/nvr?limit=-1&timezone=..'],
    ['may name a zone again',                  '/api/events?timezone=Europe/berlin'],
    ['may ask for the largest picture',        '/api/front/latest.jpg?h=4320'],
    ['may give 16 patterns of three repetitions', `/api/events?recognized_license_plate=${Array(16).fill('.*.*.*x').join()}`],
    ['may give as many plates as are read',    `/api/events?recognized_license_plate=${Array(200).fill('A1').join()}`],
    ['may write numbers as the NVR reads them', '/api/events?limit=%2B5&after=1_000&has_clip=1.0&time_range=1:00,2:00,3'],
    ['may walk as many steps as are allowed',  '/api/recordings/unavailable?after=0&before=3000000&scale=30'],
    ['may use the names of pictures elsewhere', '/live/jsmpeg/front?h=100000'],
    ['may use the names of what every object has', '/api/front?constructor=1&__proto__=2&toString=3'],
  ];
  for (const [sentence, target] of fine) it(sentence, () => assert.equal(judge(target), false));

  // biome-ignore format: a table
  const harmful: [sentence: string, target: string][] = [
    ['may not ask for every row there is',          '/api/events?limit=-1'],
    ['may not ask for a thousand million',          '/api/events?limit=1000000000'],
    ['may not say so with an exponent',             '/api/events?limit=1e9'],
    ['may not give another digit for a digit',      '/api/events?limit=%EF%BC%91'],
    ['may not hide a limit behind another',         '/api/events?limit=-1&limit=5'],
    ['may not hide the name of a parameter',        '/api/events?l%69mit=-1'],
    ['may not be about a time that is no number',   '/api/events?after=NaN'],
    ['may not be about a time without end',         '/api/events?before=Infinity'],
    ['may not be about a time too large',           '/api/events?before=1e400'],
    ['may not leave a number out',                  '/api/events?min_score='],
    ['may not name a file as a zone',               '/api/events?timezone=../../etc/passwd'],
    ['may not climb out of a zone',                 '/api/review/summary?timezone=America/../../x'],
    ['may not name an unknown zone',                '/api/events?timezone=Mars/Base'],
    ['may not leave a zone empty',                  '/api/events?timezone='],
    ['may not give half a range',                   '/api/events?time_range=00:00'],
    ['may not give hours that no day has',          '/api/events?time_range=99:99,24:00'],
    ['may not nest groups in a plate',              '/api/events?recognized_license_plate=%5E((((.%2B)%2B)%2B)%2B)!%24'],
    ['may not give a plate as long as a pattern',   `/api/events?recognized_license_plate=${'.*'.repeat(20)}`],
    ['may not walk in steps of nothing',            '/api/recordings/unavailable?after=1&before=2&scale=0'],
    ['may not walk backwards',                      '/api/recordings/unavailable?after=1&before=2&scale=-1'],
    ['may not walk from 1970',                      '/api/recordings/unavailable?after=1&before=1763686400&scale=15'],
    ['may not walk into a far future',              '/api/review/activity/motion?before=1e12&after=1763600000'],
    ['may not leave it to a clock how far',         '/api/recordings/unavailable?after=1'],
    ['may not leave out where it begins',           '/api/recordings/unavailable?before=1e12&scale=15'],
    ['may not hide a small step behind another',    '/api/recordings/unavailable?after=1762592000&before=1763686400&scale=1&scale=600'],
    ['may not ask for a picture of all memory',     '/api/front/latest.jpg?h=100000'],
    ['may not ask so for an event',                 '/api/events/1.2-abc/snapshot.jpg?height=9999'],
    ['may not ask for one upside down',             '/api/front/latest.jpg?height=-5'],
    ['may not ask for it under another spelling',   '/api/front/latest.jpg?%68=100000'],
    ['may not divide by no pictures a second',      '/api/front?fps=0'],
    ['may not ask for a thousand a second',         '/api/front?fps=1000'],
    ['may not give a plate with four repetitions',   '/api/events?recognized_license_plate=.*.*.*.*x'],
    ['may not give one with four signs of options',  '/api/events?recognized_license_plate=.%3F.%3F.%3F.%3Fx'],
    ['may not give 17 patterns',                     `/api/events?recognized_license_plate=${Array(17).fill('a.').join()}`],
    ['may not split names by a word',   '/api/sub_labels?split_joined=abc'],
    ['may not split plates by half',    '/api/recognized_license_plates?split_joined=0.5'],
    ['may not give labels after a word', '/api/labels?after=x'],
    ['may not count the days of no zone', '/api/events/days?timezone=x'],
    ['may not give hundreds of plates',             `/api/events?recognized_license_plate=${'a,'.repeat(260)}`],
    ['may not write numbers as programs do',        '/api/events?after=0x10'],
    ['may not answer a question by half',           '/api/events?has_clip=1.5'],
    ['may not ask for a larger picture than the largest', '/api/front/latest.jpg?h=4321'],
    ['may not give one plate more than are read',   `/api/events?recognized_license_plate=${Array(201).fill('A1').join()}`],
    ['may not give a minute that no day has',       '/api/events?time_range=00:00,24:01'],
    ['may not walk one step more than are allowed', '/api/recordings/unavailable?after=0&before=3000030&scale=30'],
    ['may not walk too far in steps that are not given', '/api/recordings/unavailable?after=0&before=3050000'],
    ['may not give an offset for a zone: it is no file', '/api/events?timezone=%2B01:00'],
  ];
  for (const [sentence, target] of harmful) it(sentence, () => assert.equal(judge(target), true));
});

describe('A value of a parameter of events', () => {
  const offsetsOf = createZoneOffsets(0);
  // biome-ignore format: a table
  const NAMED: readonly (readonly [target: string, parameter: string])[] = [
    ['/api/events?camera=a&limit=99999',                          'limit'],
    ['/api/events?limit=10&timezone=..',                          'timezone'],
    ['/api/front/latest.jpg?quality=7&h=99999',                   'h'],
    ['/api/recordings/unavailable?after=1&before=1763686400',     'after'],
    ['/api/recordings/unavailable?before=1763686400',             'before'],
  ];
  for (const [text, parameter] of NAMED)
    it(`is refused for ${parameter}: ${text}`, () => {
      const target = parseTarget(text);
      assert.equal(target && tooMuchIn(target, FRIGATE.queries), parameter);
    });

  // biome-ignore format: a table
  const value = fc.oneof(
    fc.string({ unit: fc.constantFrom(...' +-_.,:eExX0123456789') }),
    fc.double().map(String), fc.integer({ max: 10_000 }).map(String),
    fc.string({ unit: fc.constantFrom(...'^$.*+?[](){}|\\-aB1,') }),
    fc.constantFrom('all', 'None', 'nan', '-Infinity', 'true', '1_000', '0x1', ' 5', '5.0', '1e0', 'utc', 'Europe/Berlin', '../utc', '1:00,2:00,3', '5~a', 'x'.repeat(201), 'a,'.repeat(201)),
    fc.string(),
  );

  const readByBackend = (query: URLSearchParams) => {
    try {
      return readEventsQuery(query, offsetsOf);
    } catch (fault) {
      assert.ok('bad' in Object(fault), String(fault));
      return undefined;
    }
  };

  it('is accepted before an NVR just when the events backend accepts it', () =>
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(FILTERS)), value, (name, text) => {
        const query = new URLSearchParams([[name, text]]);
        const read = readByBackend(query);
        const isCapped = name === 'limit' && read !== undefined && read.limit > 10_000;
        const target = { path: '/api/events', segments: ['api', 'events'], query: query.toString() };
        assert.equal(
          tooMuchIn(target, FRIGATE.queries) !== undefined,
          isCapped || read === undefined,
          `${name}=${text}`,
        );
      }),
      { numRuns: 2000 },
    ));
});
