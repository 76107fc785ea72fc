/** A summary is right after every write, though most of it is kept from the last time (SPEC 7). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { createZoneOffsets } from '../../src/domain/zone-offsets.ts';
import { DAY, sliceAround } from '../../src/events/count-routes.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';
import { makeScratch } from '../store/support/scratch-store.ts';
import { event } from './support/event.ts';
import { type ServedEvents, serveEvents } from './support/served-events.ts';

interface Row {
  readonly day: string;
  readonly camera: string;
  readonly count: number;
}

/** 14 November 2023, 22:13:20 UTC. */
const START = 1_700_000_000;

describe('The summary', () => {
  const scratch = makeScratch();
  let [reader, another]: Store[] = [];
  let served: ServedEvents;
  before(async () => {
    another = await openStore({ url: scratch.url });
    reader = await openStore({ url: scratch.url, readOnly: true });
    served = await serveEvents({ source: reader.events, roles: { guard: ['front'] }, cameras: ['front', 'back'] });
  });
  after(async () => {
    await served.close();
    await reader?.close();
    await another?.close();
    scratch.remove();
  });

  const rows = async (query = '', role = 'admin'): Promise<string> => {
    const answer = await served.ask(`/api/events/summary${query}`, { role });
    return (answer.json() as Row[]).map(({ day, camera, count }) => `${day} ${camera} ${count}`).join(', ');
  };
  const write = (...events: Parameters<typeof event>[0][]) => another?.writeEvents(events.map(event));
  const remove = (id: string) => another?.db.deleteFrom('events').where('id', '=', id).execute();

  it('of nothing is an empty list', async () => assert.equal(await rows(), ''));

  it('leaves out what an earlier version imported with a time beyond every calendar', async () => {
    const odd = [1e308, -1e308, 3e11].map((start_time) => event({ id: `odd${start_time}`, start_time }));
    await another?.writeEvents([...odd, event({ id: 'plain', start_time: START })]);
    assert.equal(await rows(), '2023-11-14 front 1');
    assert.equal((await served.ask('/api/events/explore')).status, 200);
    await another?.db.deleteFrom('events').execute();
  });

  const steps: [sentence: string, change: () => unknown, rows: string][] = [
    ['counts a first event', () => write({ id: 'a', start_time: START }), '2023-11-14 front 1'],
    ['counts another of the day', () => write({ id: 'b', start_time: START + 1 }), '2023-11-14 front 2'],
    [
      'counts one of another year',
      () => write({ id: 'c', start_time: START + 400 * DAY }),
      '2023-11-14 front 2, 2024-12-18 front 1',
    ],
    [
      'moves an event that is replaced',
      () => write({ id: 'b', start_time: START + 400 * DAY }),
      '2023-11-14 front 1, 2024-12-18 front 2',
    ],
    [
      'knows another camera of the same day',
      () => write({ id: 'a', start_time: START, camera: 'back' }),
      '2023-11-14 back 1, 2024-12-18 front 2',
    ],
    ['forgets what is deleted', () => remove('c'), '2023-11-14 back 1, 2024-12-18 front 1'],
    ['forgets the last of a slice', () => remove('b'), '2023-11-14 back 1'],
    ['is the same when nothing was written', () => {}, '2023-11-14 back 1'],
    [
      'counts an event from before 1970',
      () => write({ id: 'z', start_time: -1 }),
      '1969-12-31 front 1, 2023-11-14 back 1',
    ],
  ];
  const explored = async (): Promise<number[]> => {
    const answer = await served.ask('/api/events/explore');
    return (answer.json() as { event_count: number }[]).map(({ event_count }) => event_count);
  };
  for (const [sentence, change, expected] of steps) {
    it(`${sentence}, and so does explore`, async () => {
      await change();
      assert.equal(await rows(), expected);
      const total = expected.split(', ').reduce((sum, row) => sum + Number(row.split(' ').at(-1)), 0);
      assert.deepEqual(await explored(), Array(total).fill(total));
    });
  }

  it('is kept apart by zone, by flags and by what a role sees', async () => {
    const asked = ['', '?timezone=Asia/Tokyo', '?has_clip=0', ''];
    assert.deepEqual(await Promise.all(asked.map((query) => rows(query))), [
      '1969-12-31 front 1, 2023-11-14 back 1',
      '1970-01-01 front 1, 2023-11-15 back 1',
      '',
      '1969-12-31 front 1, 2023-11-14 back 1',
    ]);
    assert.equal(await rows('', 'guard'), '1969-12-31 front 1');
    assert.equal(await rows('', 'stranger'), '');
  });
});

describe('Slices of local days', () => {
  const offsetsOf = createZoneOffsets(1_795_132_800);
  const zone = fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Asia/Beirut',
    'Pacific/Apia',
    'Asia/Kathmandu',
  );

  it('hold the time that they were asked for, and meet without gap or overlap', () => {
    fc.assert(
      fc.property(zone, fc.integer({ min: 0, max: 1_800_000_000 }), (name, time) => {
        const offsets = offsetsOf(name);
        const slice = sliceAround(time, offsets);
        assert.ok(slice.from <= time && time < slice.until, `${time} in ${slice.from} to ${slice.until}`);
        assert.equal(sliceAround(slice.until, offsets).from, slice.until);
        assert.deepEqual(sliceAround(slice.until - 1, offsets), slice);
      }),
    );
  });
});
