/** What takes longer than a query may is given up, in words that say what to narrow (SPEC 7). */
import assert from 'node:assert/strict';
import { get } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Deadline, isPast } from '../../src/domain/events/event-question.ts';
import type { BoundedEventSource, EventSource } from '../../src/store/events/events-table.ts';
import type { NvrDatabase } from '../../src/store/nvr-database.ts';
import { event } from './support/event.ts';
import { makeNvrDatabase } from './support/nvr-file.ts';
import { type ServedEvents, serveEvents } from './support/served-events.ts';

/** Enough for the clock to be looked at. They have nothing that a filter finds. */
const EVENTS = Array.from({ length: 3000 }, (_, at) =>
  event({
    id: `${at}-a`,
    start_time: 1_700_000_000 + at,
    zones: ['drive'],
    data: { score: 0.5, recognized_license_plate: `P${at}` },
  }),
);
const GIVEN_UP = {
  success: false,
  message: 'The query took too long: narrow it with after and before, with cameras or with labels.',
  reason: 'query-too-slow',
};
/** Over before it begins. */
const NO_TIME = -1;

let nvr: NvrDatabase;
before(async () => {
  nvr = await makeNvrDatabase(EVENTS.map((one) => JSON.stringify(one)));
});
after(() => nvr.close());

const places: Record<string, (queryTimeout: number) => Promise<ServedEvents>> = {
  'in the store': (queryTimeout) => serveEvents({ events: EVENTS, queryTimeout }),
  "in an NVR's own file": (queryTimeout) => serveEvents({ source: nvr.events, queryTimeout }),
};
for (const [place, serve] of Object.entries(places)) {
  describe(`A question that has no time left, ${place}`, () => {
    let served: ServedEvents;
    before(async () => {
      served = await serve(NO_TIME);
    });
    after(() => served.close());

    const slow = [
      '/api/events?zones=nowhere',
      '/api/events?min_score=0.9&sort=date_asc',
      '/api/events?sub_labels=nobody&cameras=front',
      '/api/events?attributes=none',
      '/api/events?min_length=1000&sort=speed_asc',
      '/api/events?recognized_license_plate=%5EX',
      '/api/events?time_range=01:00,01:01',
      '/api/events?limit=10000',
      '/api/events/explore',
      '/api/events/summary',
      '/api/events/days',
    ];
    for (const target of slow) {
      it(`is a 503 that says what to narrow: ${target}`, async () => {
        const answer = await served.ask(target);
        assert.deepEqual([answer.status, answer.json()], [503, GIVEN_UP]);
        assert.deepEqual(served.faults, []);
      });
    }

    it('is answered where an index leads straight to it', async () => {
      for (const target of ['/api/events?limit=10', '/api/events/7-a', '/api/event_ids?ids=7-a'])
        assert.equal((await served.ask(target)).status, 200, target);
    });
  });

  it(`The same questions have time enough, ${place}`, async () => {
    const served = await serve(60);
    assert.deepEqual((await served.ask('/api/events?zones=nowhere')).json(), []);
    assert.equal(((await served.ask('/api/events?limit=10000')).json() as unknown[]).length, 3000);
    await served.close();
  });
}

it('Days whose time ended after the last look at the clock are a 503, too', async (t) => {
  // So few that the clock is not looked at while they are read.
  const served = await serveEvents({ events: EVENTS.slice(0, 3), queryTimeout: NO_TIME });
  t.after(served.close);
  const answer = await served.ask('/api/events/days?after=1700000000&before=1700000100');
  assert.deepEqual([answer.status, answer.json()], [503, GIVEN_UP]);
});

it('A query is aborted when its client has left', { timeout: 300_000 }, async () => {
  const asked = Promise.withResolvers<Deadline>();
  const never = new Promise<never>(() => {});
  const endless: EventSource = { ...nvr.events, find: () => never };
  const source: BoundedEventSource = {
    ...endless,
    until: (deadline) => {
      asked.resolve(deadline);
      return endless;
    },
  };
  const served = await serveEvents({ source, queryTimeout: 600 });
  const headers = { 'remote-user': 'somebody', 'remote-role': 'admin' };
  const client = get({ port: served.port, path: '/api/events', headers, agent: false }).on('error', () => {});
  const deadline = await asked.promise;
  assert.equal(isPast(deadline), false);
  client.destroy();
  while (!isPast(deadline)) await nextTurn();
  await served.close();
});
