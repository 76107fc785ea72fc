/** Every parameter of GET /api/events, asked for over HTTP: the rows of the semantics' tables (interface 4.1). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FILTERS } from '../../src/domain/events/event-filters.ts';
import { event, FIVE } from './support/event.ts';
import { type ServedEvents, serveEvents } from './support/served-events.ts';

const ALL = '4-d 3-c 2-b 1-a 5-e';

// biome-ignore format: a table
const answers: Record<keyof typeof FILTERS, [query: string, ids: string][]> = {
  camera: [
    ['camera=front', '2-b 1-a 5-e'], ['camera=all', ALL], ['camera=front,back', ''], ['camera=%20front', '2-b 1-a 5-e'],
    ['camera=', ''], ['camera=front&cameras=back', ''], ["camera=' OR 1=1 --", ''],
  ],
  cameras: [
    ['cameras=front,back', '3-c 2-b 1-a 5-e'], ['cameras=front,%20back', '3-c 2-b 1-a 5-e'], ['cameras=all,front', '2-b 1-a 5-e'],
    ['cameras=all', ALL], ['cameras=nowhere', ''], ['cameras=', ''], ['cameras=front,front', '2-b 1-a 5-e'], ['cameras=back&cameras=front', '2-b 1-a 5-e'],
    ['cameras=FRONT', ''],
  ],
  label: [
    ['label=car,dog', '4-d 3-c 5-e'], ['label=all', ALL], ['label=car&labels=dog', '5-e'], ['label=car&labels=all', '4-d 3-c'],
  ],
  labels: [
    ['labels=car', '4-d 3-c'], ['labels=PERSON', ''], ['labels=all,car', '4-d 3-c'], ['labels=car,%20dog', '4-d 3-c 5-e'],
    ['labels=', ''], ['labels=car,car', '4-d 3-c'], ['labels=car&cameras=back,garage', '4-d 3-c'], ['labels=ca%25', ''],
  ],
  sub_label: [['sub_label=bob,None', '4-d 2-b 1-a'], ['sub_label=bob&sub_labels=None', '4-d'], ['sub_label=all', ALL]],
  sub_labels: [
    ['sub_labels=bob', '2-b 1-a'], ['sub_labels=BOB', '2-b 1-a'], ['sub_labels=None,john', '4-d 2-b'], ['sub_labels=none', ''],
    ['sub_labels=joh', ''], ['sub_labels=jo*', ''], ['sub_labels=', ''], ['sub_labels=Émile', '5-e'], ['sub_labels=éMILE', '5-e'],
    ['sub_labels=%20john%20', '2-b'], ['sub_labels=bob,%20john', '2-b 1-a'], ['sub_labels=%25', ''],
  ],
  attributes: [
    ['attributes=amazon', '3-c'], ['attributes=None', ''], ['attributes=amaz', ''], ['attributes=AMAZON', ''], ['attributes=all', ALL],
    ['attributes=ABC123,x', '1-a'], ['attributes=label', ''],
  ],
  zone: [['zone=yard,my zone', '4-d 2-b'], ['zone=drive&zones=yard', '2-b'], ['zone=all', ALL]],
  zones: [
    ['zones=drive', '2-b 1-a'], ['zones=None,yard', '3-c 2-b 5-e'], ['zones=dri*', ''], ['zones=d?ive', ''], ['zones=[dx]rive', ''],
    ['zones=DRIVE', ''], ['zones=', ''], ['zones=my+zone', '4-d'], ['zones=none', ''], ['zones=zone', ''],
  ],
  limit: [
    ['limit=2', '4-d 3-c'], ['limit=0', ''], ['limit=+2', '4-d 3-c'], ['limit=%202', '4-d 3-c'], ['limit=2.0', '4-d 3-c'], ['limit=0_2', '4-d 3-c'],
    ['limit=99999999999999999999999', ALL],
  ],
  after: [['after=1700000000', '4-d 3-c 2-b'], ['after=0', '4-d 3-c 2-b 1-a'], ['after=-1', ALL], ['after=1.7e9', '4-d 3-c 2-b']],
  before: [['before=1700000000', '5-e'], ['before=0', ''], ['before=-1', ''], ['before=1700003600.5', '1-a 5-e']],
  time_range: [
    ['time_range=22:00,06:00', '3-c 2-b 1-a 5-e'], ['time_range=22:00,22:14', '1-a'], ['time_range=22:13,22:14', '1-a'], ['time_range=22:12,22:13', ''],
    ['time_range=22:13,22:13', ALL], ['time_range=00:00,24:00', ALL], ['time_range=24:00,00:00', ''], ['time_range=1:00,2:00', '3-c'],
    ['time_range=00:00,00:01', '5-e'], ['time_range=09:00,10:00,11:00', '4-d'],
  ],
  timezone: [
    ['timezone=utc', ALL], ['timezone=America/New_York', ALL],
    // Summer time there: 09:46 UTC is 05:46, whatever time it is now.
    ['timezone=America/New_York&time_range=05:00,06:00', '4-d'], ['timezone=america/new_york&time_range=04:00,05:00', ''],
    ['timezone=Europe/Berlin&time_range=23:00,24:00', '1-a'],
  ],
  has_clip: [['has_clip=1', '3-c 2-b 1-a 5-e'], ['has_clip=0', '4-d'], ['has_clip=-1', '3-c 2-b 1-a 5-e'], ['has_clip=1&has_clip=0', '4-d']],
  has_snapshot: [['has_snapshot=2', '3-c 2-b 1-a 5-e'], ['has_snapshot=0', '4-d']],
  in_progress: [['in_progress=1', '3-c'], ['in_progress=0', '4-d 2-b 1-a 5-e']],
  include_thumbnails: [['include_thumbnails=0', ALL], ['include_thumbnails=1', ALL]],
  favorites: [['favorites=1', '2-b'], ['favorites=0', ALL]],
  is_submitted: [['is_submitted=1', '2-b'], ['is_submitted=0', '4-d 3-c 1-a 5-e'], ['is_submitted=-1', ALL]],
  min_score: [['min_score=.5', '3-c 1-a 5-e'], ['min_score=0.9', '1-a'], ['min_score=0.91', '']],
  max_score: [['max_score=0.5', '2-b 5-e'], ['min_score=0.5&max_score=0.5', '5-e']],
  min_speed: [['min_speed=10', '1-a'], ['min_speed=10.1', '']],
  max_speed: [['max_speed=100', '1-a'], ['max_speed=9', '']],
  min_length: [['min_length=99.5', '4-d 2-b'], ['min_length=0', '4-d 2-b 1-a 5-e']],
  max_length: [['max_length=10', '1-a 5-e'], ['max_length=-1', '']],
  recognized_license_plate: [
    ['recognized_license_plate=ABC123', '1-a'], ['recognized_license_plate=abc123', ''], ['recognized_license_plate=ABC', ''],
    ['recognized_license_plate=None', '4-d 3-c 5-e'], ['recognized_license_plate=None,XYZ789', '4-d 3-c 2-b 5-e'], ['recognized_license_plate=all', ALL],
    ['recognized_license_plate=A|X', ''], ['recognized_license_plate=', ''],
    ['recognized_license_plate=^ABC', '1-a'], ['recognized_license_plate=B.1', '1-a'], ['recognized_license_plate=b.1', ''], ['recognized_license_plate=^[AX]', '2-b 1-a'],
    ['recognized_license_plate=.&limit=1', '2-b'], ['recognized_license_plate=None,^X', '4-d 3-c 2-b 5-e'], ['recognized_license_plate=[A-C]{3}\\d&sort=date_asc', '1-a'],
    ['recognized_license_plate=.&page_after=1700003600.5~2-b', '1-a'], ['recognized_license_plate=.*.*.*z', ''],
  ],
  event_id: [['event_id=2-b', '2-b'], ['event_id=2-B', ''], ['event_id=2-b&camera=back', ''], ['event_id=2-b&labels=person,car', '2-b']],
  sort: [
    ['sort=date_asc', '5-e 1-a 2-b 3-c 4-d'], ['sort=date_desc', ALL], ['sort=relevance', ALL], ['sort=DATE_ASC', ALL], ['sort=__proto__', ALL],
    ['sort=score_asc', '4-d 2-b 5-e 3-c 1-a'], ['sort=score_desc', '1-a 3-c 5-e 2-b 4-d'],
    ['sort=speed_asc', '2-b 3-c 4-d 5-e 1-a'], ['sort=speed_desc', '1-a 5-e 4-d 3-c 2-b'],
    ['sort=score_desc&cameras=front,back&limit=2', '1-a 3-c'],
  ],
  text: [
    ['text=bob', '3-c 2-b 1-a'], ['text=BOB+joh', '2-b'], ['text=éMIL', '5-e'], ['text=label', ''],
    ['text=', ALL], ['text=%25', ''], ["text=' or 1=1", ''], ['text=bob&cameras=back', '3-c'], ['text=bob&limit=1', '3-c'],
  ],
  page_after: [
    ['page_after=1700010000~3-c', '2-b 1-a 5-e'], ['page_after=0.7~3-c&sort=score_desc', '5-e 2-b 4-d'], ['page_after=~4-d&sort=score_asc', '2-b 5-e 3-c 1-a'],
    ['page_after=~4-d&sort=score_desc', ''], ['page_after=~5-e&sort=speed_desc', '4-d 3-c 2-b'], ['page_after=~3-c&sort=speed_asc', '4-d 5-e 1-a'],
  ],
};

const INT = 'int_parsing';
const FLOAT = 'float_parsing';
const FINITE = 'finite_number';
const VALUE = 'value_error';
const LONG = Array.from({ length: 201 }, (_, n) => `n${n}`).join(',');

// biome-ignore format: a table
const refusals: [query: string, ...bad: [name: string, type: string, input: string][]][] = [
  ['limit=abc', ['limit', INT, 'abc']], ['limit=', ['limit', INT, '']], ['limit=-1', ['limit', 'greater_than_equal', '-1']],
  ['has_clip=true', ['has_clip', INT, 'true']], ['has_snapshot=1.5', ['has_snapshot', INT, '1.5']], ['in_progress=0x1', ['in_progress', INT, '0x1']],
  ['include_thumbnails=yes', ['include_thumbnails', INT, 'yes']], ['favorites=__1', ['favorites', INT, '__1']], ['is_submitted=1e3', ['is_submitted', INT, '1e3']],
  ['after=nan', ['after', FINITE, 'nan']], ['before=-Infinity', ['before', FINITE, '-Infinity']], ['min_score=1e999', ['min_score', FINITE, '1e999']],
  ['max_score=1,5', ['max_score', FLOAT, '1,5']], ['min_speed=', ['min_speed', FLOAT, '']], ['max_speed=--1', ['max_speed', FLOAT, '--1']],
  ['min_length=.', ['min_length', FLOAT, '.']], ['max_length=one', ['max_length', FLOAT, 'one']],
  ['time_range=bogus', ['time_range', VALUE, 'bogus']], ['time_range=', ['time_range', VALUE, '']], ['time_range=9:5,10:00', ['time_range', VALUE, '9:5,10:00']],
  ['time_range=24:01,25:00', ['time_range', VALUE, '24:01,25:00']], ['time_range=10:60,11:00', ['time_range', VALUE, '10:60,11:00']],
  ['timezone=Mars/Phobos', ['timezone', VALUE, 'Mars/Phobos']], ['timezone=', ['timezone', VALUE, '']], ['timezone=%2B01:00', ['timezone', VALUE, '+01:00']],
  [`cameras=${LONG}`, ['cameras', 'too_long', LONG]], [`sub_labels=${LONG}`, ['sub_labels', 'too_long', LONG]],
  ['recognized_license_plate=ABC123,%2BX', ['recognized_license_plate', VALUE, 'ABC123,+X']], ['recognized_license_plate=^(A', ['recognized_license_plate', VALUE, '^(A']],
  ['recognized_license_plate=^(A|X)', ['recognized_license_plate', VALUE, '^(A|X)']], ['recognized_license_plate=^(?=A)', ['recognized_license_plate', VALUE, '^(?=A)']], ['recognized_license_plate=((a{99}){99}){99}.', ['recognized_license_plate', VALUE, '((a{99}){99}){99}.']],
  [`recognized_license_plate=^${'A'.repeat(64)}`, ['recognized_license_plate', VALUE, `^${'A'.repeat(64)}`]],
  [`text=${'a+'.repeat(10)}b+c`.replace('a+a+', 'd+e+f+g+h+i+j+k+l+'), ['text', 'too_long', 'd e f g h i j k l a a a a a a a a b c']],
  ['page_after=5', ['page_after', VALUE, '5']], ['page_after=x~1-a', ['page_after', VALUE, 'x~1-a']],
  ['limit=abc&time_range=9:5&min_score=1,5&has_clip=0', ['limit', INT, 'abc'], ['time_range', VALUE, '9:5'], ['min_score', FLOAT, '1,5']],
];

describe('GET /api/events', () => {
  let served: ServedEvents;
  before(async () => {
    served = await serveEvents({ events: FIVE });
  });
  after(() => served.close());

  const idsOf = async (query: string): Promise<string> => {
    const answer = await served.ask(`/api/events?${encodeURI(query).replaceAll('%25', '%')}`);
    assert.equal(answer.status, 200, answer.text);
    return (answer.json() as { id: string }[]).map(({ id }) => id).join(' ');
  };

  it('answers the newest first without any parameter', async () => assert.equal(await idsOf(''), ALL));
  it('ignores what it does not know', async () => assert.equal(await idsOf('search_type=thumbnail&__proto__=1'), ALL));

  for (const [name, rows] of Object.entries(answers)) {
    describe(name, () => {
      for (const [query, ids] of rows)
        it(`${query} gives ${ids || 'nothing'}`, async () => assert.equal(await idsOf(query), ids));
    });
  }

  it('finds words of a description, and none of the rest of the data', async () => {
    const data = { type: 'object', description: 'Ein "weißer" Lieferwagen in der Straße' };
    await served.store.writeEvents([event({ id: '6-g', start_time: 1, data })]);
    const found: string[] = [];
    for (const text of ['WEISSER+liefer', 'straße', 'lieferwagen+rot', 'object', 'description'])
      found.push(await idsOf(`text=${text}&cameras=front`));
    await served.store.db.deleteFrom('events').where('id', '=', '6-g').execute();
    assert.deepEqual(found, ['6-g', '6-g', '', '', '']);
  });

  it('has a row here for every parameter it takes', () => {
    assert.deepEqual(Object.keys(answers).sort(), Object.keys(FILTERS).sort());
  });

  for (const [query, ...bad] of refusals) {
    it(`refuses ${query.slice(0, 60)}`, async () => {
      const answer = await served.ask(`/api/events?${query}`);
      assert.equal(answer.status, 422);
      const { success, message, detail } = answer.json() as {
        success: boolean;
        message: string;
        detail: Record<string, unknown>[];
      };
      assert.equal(success, false);
      assert.deepEqual(
        detail.map(({ type, loc, input }) => [type, loc, input]),
        bad.map(([name, type, input]) => [type, ['query', name], input]),
      );
      for (const { loc, msg } of detail) assert.ok(message.includes(`${(loc as string[])[1]}: ${msg}`), message);
    });
  }
});
