/** The filter in the address bar, in the query, and over many pages (interface 4.1). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  ANY_TIME,
  type EventFilter,
  eventsQuery,
  filterSearch,
  isByDate,
  isFiltered,
  MORE_FILTERS,
  NO_FILTER,
  nextQuery,
  readFilter,
  weekBefore,
  withMore,
  withUsualTime,
} from '../../../src/ui/pages/explore/event-filter.ts';

const FILTER: EventFilter = {
  cameras: ['front', 'back,yard'],
  labels: ['dog'],
  after: 1700000000,
  before: 1700003600.5,
  more: { zones: 'porch,drive', min_score: '0.5', has_clip: '1', sort: 'score_desc' },
};

describe('The filter', () => {
  it('is read from the address bar', () => {
    const search =
      'camera=front&camera=back%2Cyard&label=dog&after=1700000000&before=1700003600.5&event=1-a' +
      '&sort=score_desc&zones=porch%2Cdrive&min_score=0.5&has_clip=1';
    assert.deepEqual(readFilter(new URLSearchParams(search)), FILTER);
  });

  it('leaves out what cannot be read', () => {
    for (const search of ['camera=&label=&after=yesterday&before=', 'after=1e300', 'before=-9e12', 'after=Infinity'])
      assert.deepEqual(readFilter(new URLSearchParams(search)), NO_FILTER, search);
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
      fc.property(
        fc.record({
          cameras: names,
          labels: names,
          after: time,
          before: time,
          more,
        }),
        (filter) => {
          assert.deepEqual(readFilter(new URLSearchParams(filterSearch(filter).toString())), { ...filter });
        },
      ),
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
    const query = eventsQuery({ ...NO_FILTER, more: { time_range: '22:00,06:00' } }, 60, 'Europe/Berlin');
    assert.equal(query.toString(), 'time_range=22%3A00%2C06%3A00&timezone=Europe%2FBerlin&limit=60');
  });

  it('forgets what is emptied', () => {
    assert.deepEqual(withMore({ zones: 'a', sort: 'date_asc' }, 'zones', ''), { sort: 'date_asc' });
    assert.deepEqual(withMore({ zones: 'a' }, 'zones', 'b'), { zones: 'b' });
  });

  it('means the last seven days when no time is chosen, and any time when that is chosen', () => {
    const now = 1_700_000_000;
    const weekAgo = weekBefore(now);
    assert.ok(now - weekAgo >= 7 * 86_400 && now - weekAgo < 7 * 86_400 + 3600);
    const timesOf = (part: Partial<EventFilter>) => {
      const { after, before } = withUsualTime({ ...NO_FILTER, ...part }, weekAgo);
      return [after, before];
    };
    assert.deepEqual(timesOf({}), [weekAgo, undefined]);
    assert.deepEqual(timesOf({ cameras: ['front'] }), [weekAgo, undefined]);
    assert.deepEqual(timesOf({ after: ANY_TIME }), [undefined, undefined]);
    assert.deepEqual(timesOf({ after: ANY_TIME, before: now }), [undefined, now]);
    assert.deepEqual(timesOf({ before: now }), [undefined, now]);
    assert.deepEqual(timesOf({ after: 5 }), [5, undefined]);
  });

  it('knows in which orders the days follow one another', () => {
    const orders = [undefined, 'date_desc', 'date_asc', 'score_desc', 'speed_asc', 'x'];
    const byDate = orders.filter((sort) => isByDate({ ...NO_FILTER, more: sort === undefined ? {} : { sort } }));
    assert.deepEqual(byDate, [undefined, 'date_desc', 'date_asc']);
  });

  it('knows whether anything is chosen', () => {
    const alone: Partial<EventFilter>[] = [
      { cameras: ['a'] },
      { labels: ['a'] },
      { after: 1 },
      { before: 0 },
      { more: { zones: 'a' } },
    ];
    assert.deepEqual(
      alone.map((part) => isFiltered({ ...NO_FILTER, ...part })),
      [true, true, true, true, true],
    );
    assert.equal(isFiltered(NO_FILTER), false);
    for (const part of [{ more: { sort: 'date_asc' } }, { after: ANY_TIME }] as const)
      assert.equal(isFiltered({ ...NO_FILTER, ...part }), false);
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
    it(sentence, () => assert.equal(nextQuery({ query, link, startTimes })?.toString(), next));
  }

  it('is not guessed in another order than the newest first', () => {
    const sorted = new URLSearchParams('sort=score_desc');
    assert.equal(nextQuery({ query: sorted, link: null, startTimes: [9, 8] }), undefined);
    const link = '</api/events?page_after=x>; rel="next"';
    assert.equal(nextQuery({ query: sorted, link, startTimes: [9, 8] })?.toString(), 'page_after=x');
  });
});
