/** GET /api/events/days against a plain walk over the events, wherever they are kept (SPEC 7). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { EventRecord } from '../../src/domain/events/event.ts';
import { startPostgres, type TestPostgres, withoutPostgres } from '../support/servers/postgres.ts';
import { event } from './support/event.ts';
import { makeNvrDatabase } from './support/nvr-file.ts';
import { type ServedEvents, serveEvents } from './support/served-events.ts';

const DAY = 86_400;
/** A day before the service starts; clocks changed in spring and in autumn. */
const LAST = Date.parse('2026-11-19T12:00:00Z') / 1000;
const ZONES = ['UTC', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'];
const CAMERAS = ['front', 'back', 'yard'];

/** The same events each time. */
const EVENTS = fc
  .sample(
    fc.record({
      start: fc.oneof(
        fc.double({ min: LAST - 300 * DAY, max: LAST, noNaN: true }),
        fc.integer({ min: -300 * 24, max: 0 }).map((hours) => LAST + hours * 3600),
      ),
      camera: fc.constantFrom(...CAMERAS),
      label: fc.constantFrom('dog', 'car'),
    }),
    { numRuns: 1500, seed: 7 },
  )
  .map(({ start, ...one }, n) => event({ id: `e${n}`, ...one, start_time: start }));

interface Asked {
  readonly cameras?: string;
  readonly labels?: string;
  readonly after?: number;
  readonly before?: number;
  readonly timezone: string;
}
const asked: fc.Arbitrary<Asked> = fc.record(
  {
    cameras: fc.constantFrom('front', 'front,yard', 'nowhere'),
    labels: fc.constantFrom('dog', 'dog,car'),
    after: fc.integer({ min: LAST - 300 * DAY, max: LAST }),
    before: fc.integer({ min: LAST - 250 * DAY, max: LAST + 90 * DAY }),
    timezone: fc.constantFrom(...ZONES),
  },
  { requiredKeys: ['timezone'], noNullPrototype: true },
);

function plainDays(events: readonly EventRecord[], { cameras, labels, timezone, ...time }: Asked) {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' });
  const days = events
    .filter(({ camera }) => cameras === undefined || cameras.split(',').includes(camera))
    .filter(({ label }) => labels === undefined || labels.split(',').includes(label))
    .filter(
      ({ start_time }) => start_time > (time.after ?? 0) && start_time < (time.before ?? Number.POSITIVE_INFINITY),
    )
    .map(({ start_time, camera }) => ({ day: format.format(start_time * 1000), camera }));
  const newest = days.map(({ day }) => Date.parse(day)).reduce((one, other) => Math.max(one, other), 0);
  const told = days
    .filter(({ day }) => time.after !== undefined || Date.parse(day) > newest - 90 * DAY * 1000)
    .map(({ day, camera }) => `${day} ${camera}`);
  return [...new Set(told)].sort().map((row) => ({ row, count: told.filter((one) => one === row).length }));
}

const places: Record<string, (server: TestPostgres | undefined) => Promise<ServedEvents>> = {
  'in SQLite': () => serveEvents({ events: EVENTS }),
  'in PostgreSQL': async (server) => serveEvents({ events: EVENTS, storeUrl: await server?.newDatabase() }),
  async "in an NVR's own file"() {
    const nvr = await makeNvrDatabase(EVENTS.map((one) => JSON.stringify(one)));
    const served = await serveEvents({ source: nvr.events });
    return { ...served, close: () => served.close().then(() => nvr.close()) };
  },
};
for (const [place, serve] of Object.entries(places))
  describe(`Days of events ${place}`, { skip: place === 'in PostgreSQL' && withoutPostgres }, () => {
    let server: TestPostgres | undefined;
    let served: ServedEvents;
    before(async () => {
      if (place === 'in PostgreSQL') server = await startPostgres();
      served = await serve(server);
    });
    after(async () => {
      await served?.close();
      await server?.stop();
    });

    it('are counted as a plain walk counts them, by the clocks of the zone', () =>
      fc.assert(
        fc.asyncProperty(asked, async (question) => {
          const query = Object.entries(question).map(([name, value]) => `${name}=${value}`);
          const answer = await served.ask(`/api/events/days?${query.join('&')}`);
          const span = (question.before ?? Number.POSITIVE_INFINITY) - (question.after ?? Number.POSITIVE_INFINITY);
          assert.equal(answer.status, span > 400 * DAY && span < Number.POSITIVE_INFINITY ? 422 : 200, answer.text);
          const rows = answer.json() as { day: string; camera: string; count: number }[];
          assert.deepEqual(
            rows.map(({ day, camera, count }) => ({ row: `${day} ${camera}`, count })),
            plainDays(EVENTS, question),
          );
        }),
        { numRuns: 60 },
      ));
  });

it('The answer to a question is kept for 60 s, for whoever may see the same', async (t) => {
  let ahead = 0;
  const served = await serveEvents({ events: EVENTS, now: () => performance.now() + ahead });
  t.after(() => served.close());
  const count = async (headers: Readonly<Record<string, string>> = {}) => {
    const rows = (await served.ask('/api/events/days', { headers })).json() as { count: number }[];
    return rows.reduce((sum, one) => sum + one.count, 0);
  };
  const first = await count();
  await served.store.writeEvents([event({ id: 'more', camera: 'front', start_time: LAST })]);
  ahead = 59_000;
  assert.equal(await count(), first);
  assert.equal(await count({ 'remote-cameras': 'front' }), plainFront() + 1);
  assert.ok((await count({ 'remote-since': String(LAST - 2 * DAY) })) < first);
  ahead = 61_000;
  assert.equal(await count(), first + 1);
});

const plainFront = (): number =>
  plainDays(EVENTS, { cameras: 'front', timezone: 'UTC' }).reduce((sum, { count }) => sum + count, 0);
