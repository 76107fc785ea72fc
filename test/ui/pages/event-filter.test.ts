/** The filter in the address bar, in the query, and over many pages (interface 4.1). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  ANY_TIME,
  type EventFilter,
  eventsQuery,
  isByDate,
  isFiltered,
  MORE_FILTERS,
  NO_FILTER,
  namesIn,
  nextQuery,
  timeIn,
  weekBefore,
  withUsualTime,
  withValues,
} from '../../../src/ui/pages/explore/event-filter.ts';

const of = (search: string): EventFilter => new URLSearchParams(search);
const SEARCH =
  'camera=front&camera=back%2Cyard&label=dog&after=1700000000&before=1700003600.5' +
  '&sort=score_desc&zones=porch%2Cdrive&min_score=0.5&has_clip=1';
const FILTER = of(`x=y&${SEARCH}&event=1-a`);

describe('The filter', () => {
  it('is the part of the address that it knows, in one order', () => {
    assert.equal(withValues(FILTER).toString(), SEARCH);
    const turned = new URLSearchParams([...FILTER].reverse());
    assert.equal(withValues(turned, { camera: ['front', 'back,yard'] }).toString(), SEARCH);
  });

  it('leaves out what cannot be read', () => {
    for (const search of ['camera=&label=&after=yesterday&before=', 'after=1e300', 'before=-9e12', 'after=Infinity']) {
      assert.equal(withUsualTime(of(search), 5).toString(), 'after=5', search);
      assert.equal(isFiltered(of(search)), false, search);
    }
  });

  it('comes back from the address bar as it was put there', () => {
    const names = fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { maxLength: 4 });
    const time = fc.option(
      fc.double({ min: -8.64e12, max: 8.64e12, noNaN: true }).map((number) => number + 0),
      { nil: undefined },
    );
    const more = fc.dictionary(fc.constantFrom(...MORE_FILTERS), fc.string({ minLength: 1, unit: 'grapheme' }), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(fc.record({ camera: names, label: names, after: time, before: time }), more, (times, others) => {
        const filter = of(withValues(NO_FILTER, { ...others, ...times }).toString());
        const read = {
          camera: namesIn(filter, 'camera'),
          label: namesIn(filter, 'label'),
          after: timeIn(filter, 'after'),
          before: timeIn(filter, 'before'),
        };
        assert.deepEqual(read, { ...times });
        for (const name of MORE_FILTERS) assert.equal(filter.get(name) ?? undefined, others[name]);
      }),
    );
  });

  it('asks for lists by commas', () => {
    const expected =
      'cameras=front%2Cback%2Cyard&labels=dog&after=1700000000&before=1700003600.5' +
      '&sort=score_desc&zones=porch%2Cdrive&min_score=0.5&has_clip=1&limit=60';
    assert.equal(eventsQuery(FILTER, 60).toString(), expected);
  });

  it('asks for everything when nothing is chosen', () => {
    assert.equal(eventsQuery(NO_FILTER, 1000).toString(), 'limit=1000');
  });

  it('means the clock of the viewer by a time of day', () => {
    const query = eventsQuery(of('time_range=22:00,06:00'), 60, 'Europe/Berlin');
    assert.equal(query.toString(), 'time_range=22%3A00%2C06%3A00&timezone=Europe%2FBerlin&limit=60');
  });

  it('forgets what is emptied', () => {
    assert.equal(withValues(of('zones=a&sort=date_asc'), { zones: '' }).toString(), 'sort=date_asc');
    assert.equal(withValues(of('zones=a'), { zones: 'b' }).toString(), 'zones=b');
  });

  it('means the last seven days when no time is chosen, and any time when that is chosen', () => {
    const now = 1_700_000_000;
    const weekAgo = weekBefore(now);
    assert.ok(now - weekAgo >= 7 * 86_400 && now - weekAgo < 7 * 86_400 + 3600);
    const timesOf = (search: string) => {
      const asked = withUsualTime(of(search), weekAgo);
      return [timeIn(asked, 'after'), timeIn(asked, 'before')];
    };
    assert.deepEqual(timesOf(''), [weekAgo, undefined]);
    assert.deepEqual(timesOf('camera=front'), [weekAgo, undefined]);
    assert.deepEqual(timesOf(`after=${ANY_TIME}`), [undefined, undefined]);
    assert.deepEqual(timesOf(`after=${ANY_TIME}&before=${now}`), [undefined, now]);
    assert.deepEqual(timesOf(`before=${now}`), [undefined, now]);
    assert.deepEqual(timesOf('after=5'), [5, undefined]);
  });

  it('knows in which orders the days follow one another', () => {
    const orders = [undefined, 'date_desc', 'date_asc', 'score_desc', 'speed_asc', 'x'];
    const byDate = orders.filter((sort) => isByDate(withValues(NO_FILTER, { sort })));
    assert.deepEqual(byDate, [undefined, 'date_desc', 'date_asc']);
  });

  it('knows whether anything is chosen', () => {
    for (const search of ['camera=a', 'label=a', 'after=1', 'before=0', 'zones=a', 'text=a'])
      assert.equal(isFiltered(of(search)), true, search);
    for (const search of ['', 'sort=date_asc', `after=${ANY_TIME}`, 'event=a'])
      assert.equal(isFiltered(of(search)), false, search);
  });
});

describe('The page after this one', () => {
  const query = new URLSearchParams('cameras=front&limit=2');
  // biome-ignore format: a table
  const rows: [sentence: string, link: string | null, startTimes: number[], next: string | undefined][] = [
    ['is what the Link header says',                   '</api/events?limit=2&cursor=a%2Cb>; rel="next"',     [9, 8], 'limit=2&cursor=a%2Cb'],
    ['is found among other links',                     '</x>; rel="prev", </api/events?p=2>; rel=next',      [9],    'p=2'],
    ['is told by the query alone, whatever the path',  '<http://10.0.0.7:5001/api/events?p=2>; rel="next"',  [9],    'p=2'],
    ['lies before the last event when no link says',   null,                                                 [9, 8], 'cameras=front&limit=2&before=8'],
    ['does not exist when this one was not full',      null,                                                 [9],    undefined],
    ['does not exist when this one was empty',         null,                                                 [],     undefined],
    ['is not one that another relation names',         '</api/events?p=2>; rel="last"',                      [9],    undefined],
  ];
  for (const [sentence, link, startTimes, next] of rows) {
    it(sentence, () => assert.equal(nextQuery(query, link, startTimes)?.toString(), next));
  }

  it('is not guessed in another order than the newest first', () => {
    const sorted = new URLSearchParams('sort=score_desc');
    assert.equal(nextQuery(sorted, null, [9, 8]), undefined);
    const link = '</api/events?page_after=x>; rel="next"';
    assert.equal(nextQuery(sorted, link, [9, 8])?.toString(), 'page_after=x');
  });
});
