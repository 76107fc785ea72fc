/** Notices of unusual viewing: what is unlike the days before is told once, on the page, in metrics and to the webhook (SPEC 14). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { localClock, localClockInForce } from '../../src/app/ledger/local-time.ts';
import { LEDGER_NOTICES, type LedgerDay, type LedgerEntry } from '../../src/domain/ledger.ts';
import { linkEntries } from '../../src/ledger/chain.ts';
import { daysOf, type LocalTime } from '../../src/ledger/days.ts';
import { unusualIn } from '../../src/ledger/notices.ts';
import { openStore } from '../../src/store/open-store.ts';
import { startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';

const bits = (...hours: readonly number[]): number => hours.reduce((all, hour) => all | (1 << hour), 0);
const sum = (change: Partial<LedgerDay> = {}): LedgerDay => ({
  day: '2026-11-22',
  user: 'vera',
  viewer: '',
  kind: 'live',
  camera: 'cam1',
  seconds: 60,
  records: 1,
  hours: bits(8),
  ...change,
});
/** The days before today, each the same. */
const days = (count: number, change: Partial<LedgerDay> = {}): readonly LedgerDay[] =>
  Array.from({ length: count }, (_, at) => sum({ ...change, day: `2026-11-${String(21 - at).padStart(2, '0')}` }));

describe('What is unusual', () => {
  const evenings = days(7, { hours: bits(20, 21), seconds: 1800 });
  const exporting = days(9, { kind: 'export', records: 4 });
  const rows: readonly (readonly [
    sentence: string,
    today: readonly LedgerDay[],
    before: readonly LedgerDay[],
    told: readonly object[],
  ])[] = [
    ['nothing on a day like the others', [sum({ hours: bits(20) })], evenings, []],
    ['nothing without a viewing', [], evenings, []],
    ['nothing on the first day', [sum({ seconds: 80_000 })], [], []],
    ['nothing before seven days with viewings', [sum({ camera: 'cam2', hours: bits(3) })], days(6), []],
    [
      'nothing by many sums of few days',
      [sum({ camera: 'cam2' })],
      [...days(6), ...days(6, { camera: 'cam3' }), ...days(6, { kind: 'history' })],
      [],
    ],
    ['an hour for the first time', [sum({ hours: bits(20, 3) })], evenings, [{ kind: 'unusual-hour', hour: 3 }]],
    ['the first hour of the day', [sum({ hours: bits(0) })], evenings, [{ kind: 'unusual-hour', hour: 0 }]],
    ['the last hour of the day', [sum({ hours: bits(23) })], evenings, [{ kind: 'unusual-hour', hour: 23 }]],
    ['one hour of several', [sum({ hours: bits(5, 4, 21) })], evenings, [{ kind: 'unusual-hour', hour: 4 }]],
    [
      'a camera for the first time, whatever is watched of it',
      [sum({ hours: bits(20), kind: 'history', camera: 'cam2' })],
      evenings,
      [{ kind: 'unusual-camera', camera: 'cam2' }],
    ],
    ['no camera where the request names none', [sum({ hours: bits(20), camera: '' })], evenings, []],
    ['ten times the usual minutes are not more', [sum({ hours: bits(20), seconds: 18_000 })], evenings, []],
    [
      'more than ten times the usual minutes, over all cameras and kinds',
      [sum({ hours: bits(20), seconds: 9000 }), sum({ hours: bits(20), seconds: 9060, kind: 'history' })],
      evenings,
      [{ kind: 'many-minutes', minutes: 301, usual: 30 }],
    ],
    [
      'the usual minutes are those of the middle day, not of one long day',
      [sum({ seconds: 1860 })],
      [...days(8), sum({ day: '2026-10-01', seconds: 80_000 })],
      [{ kind: 'many-minutes', minutes: 31, usual: 3 }],
    ],
    ['half an hour of one who looks at pictures alone', [sum({ seconds: 1800 })], days(9, { seconds: 0 }), []],
    [
      'more than half an hour of the same',
      [sum({ seconds: 1801 })],
      days(9, { seconds: 0 }),
      [{ kind: 'many-minutes', minutes: 1801 / 60, usual: 3 }],
    ],
    ['ten exports of one who makes none', [sum({ kind: 'export', records: 10 })], days(9), []],
    [
      'eleven exports of the same, over all cameras',
      [sum({ kind: 'export', records: 6 }), sum({ kind: 'export', records: 5 })],
      days(9),
      [{ kind: 'many-exports', exports: 11, usual: 1 }],
    ],
    ['forty exports of one who makes four a day', [sum({ kind: 'export', records: 40 })], exporting, []],
    [
      'forty-one exports of the same',
      [sum({ kind: 'export', records: 41 })],
      exporting,
      [{ kind: 'many-exports', exports: 41, usual: 4 }],
    ],
    ['a long download is not minutes watched', [sum({ kind: 'export', seconds: 80_000 })], days(9), []],
  ];
  for (const [sentence, today, before, told] of rows)
    it(sentence, () => assert.deepEqual(unusualIn(today, before), told));
});

/** While it is asked, the service is in this zone. */
const inZone =
  (zone: string, clock: (at: number) => LocalTime): ((at: number) => LocalTime) =>
  (at) => {
    const { TZ } = process.env;
    process.env['TZ'] = zone;
    try {
      return clock(at);
    } finally {
      if (TZ === undefined) delete process.env['TZ'];
      else process.env['TZ'] = TZ;
    }
  };

describe('Hours of a viewing', () => {
  const berlin = localClock('Europe/Berlin');
  const rows: readonly (readonly [sentence: string, from: string, to: string, hours: readonly number[]])[] = [
    ['are those in which it ran', '2026-11-22T19:50Z', '2026-11-22T21:10Z', [20, 21, 22]],
    ['go on behind midnight', '2026-11-22T22:30Z', '2026-11-22T23:30Z', [23, 0]],
    ['are those of the clock on the wall, in summer as in winter', '2026-07-22T06:00Z', '2026-07-22T06:10Z', [8]],
    ['leave out the hour that daylight saving leaves out', '2026-03-29T00:30Z', '2026-03-29T01:30Z', [1, 3]],
    ['count the hour once that daylight saving has twice', '2026-10-25T00:30Z', '2026-10-25T01:30Z', [2]],
    ['are all of a day that is watched through', '2026-11-22T01:00Z', '2026-11-23T01:00Z', [...Array(24).keys()]],
  ];
  const at = (text: string): number => Date.parse(text) / 1000;
  const viewing = (from: number, to: number, change: Partial<LedgerEntry> = {}): LedgerEntry => ({
    ...{ kind: 'live', user: 'vera', credential: 'session', address: null, camera: 'cam1', from, to },
    ...{ watchedFrom: null, watchedTo: null, detail: null },
    ...change,
  });
  for (const [sentence, from, to, hours] of rows)
    it(sentence, () => {
      const [named, here] = [berlin, inZone('Europe/Berlin', localClock())].map((clock) =>
        daysOf([viewing(at(from), at(to))], clock),
      );
      assert.equal(named?.[0]?.hours, bits(...hours));
      assert.deepEqual(here, named, 'the same where it is the zone of the service');
    });

  it('are those of another zone when a reload has brought it', () => {
    let zone: string | null = 'Europe/Berlin';
    const clock = localClockInForce(() => zone);
    const noon = at('2026-11-22T12:00Z');
    assert.equal(clock(noon).hour, 13);
    zone = 'Asia/Tokyo';
    assert.equal(clock(noon).hour, 21);
    zone = null;
    assert.deepEqual(inZone('Pacific/Auckland', clock)(noon), { day: '2026-11-23', hour: 1 });
  });

  it('are kept apart for the person, for each token, for all links, and for the internal port; exports by their number', () => {
    const one = viewing(0, 1);
    const credentials = ['session', 'proxy', 'token:7', 'link:9', 'link:8', 'internal', null];
    const sums = daysOf(
      credentials.map((credential) => ({ ...one, credential })),
      berlin,
    );
    assert.deepEqual(
      sums.map(({ viewer, records }) => [viewer, records]),
      [
        ['', 3],
        ['token:7', 1],
        ['link', 2],
        ['internal', 1],
      ],
    );
    const ordered = viewing(0, 1, { kind: 'export', detail: '{"times":"12"}' });
    assert.equal(daysOf([ordered, viewing(0, 1, { kind: 'export' })], berlin)[0]?.records, 13);
  });
});

interface Message {
  readonly event: string;
  readonly user: string | null;
  readonly detail: string;
}

interface Shown {
  readonly user: string;
  readonly credential: string | null;
  readonly camera: string | null;
  readonly detail: Readonly<Record<string, string>>;
}

describe('Notices of a service', async () => {
  const got: Message[] = [];
  const receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      got.push(JSON.parse(body));
      response.end();
    });
  });
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  const nvr = await startFakeNvr();
  const { answer } = nvr;
  let streams = 0;
  nvr.answer = (request, response, received) => {
    if (request.url !== '/api/cam1') return answer(request, response, received);
    streams += 1;
    response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=x' });
    return void response.write('--x\r\n');
  };
  const config = {
    nvr: { url: nvr.url, warn_open_ports: false },
    auth: { hash_iterations: 1000, roles: { front_only: ['cam1'] }, timezone: 'UTC', session_length: 90_000 },
    notify: { webhook: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/` },
    ledger: { notices: true },
  };
  const directory = mkdtempSync(join(tmpdir(), 'postern-notices-'));
  let postern: Runtime = await startInstance({ config, directory });
  const { clock } = postern;
  after(async () => {
    await postern.close();
    await nvr.close();
    receiver.close();
    receiver.closeAllConnections();
    rmSync(directory, { recursive: true });
  });
  const tokens: Record<string, string> = {};
  const enter = async (): Promise<void> => {
    for (const person of [ADMIN_PERSON, VERA, CARL]) tokens[person.name] = await postern.logIn(person);
  };
  const list = async (user: string, query: string): Promise<readonly Shown[]> =>
    (await (await postern.ask(`/api/ledger?${query}`, { token: tokens[user] ?? '' })).json()) as Shown[];
  /** Everything until now is in the ledger: a login is written behind it. */
  const written = async (): Promise<void> => {
    await postern.logIn(CARL);
    const since = clock.now() / 1000 - 1;
    await until('the login is there', async () => (await list('admin', `kind=login&after=${since}`)).length > 0);
  };
  const notices = async (user: string): Promise<readonly Shown[]> => await list(user, 'kind=notice&limit=1000');
  const told = () => got.filter(({ event }) => LEDGER_NOTICES.some((kind) => kind === event));
  const watched = (path: string, user: string, method = 'GET') =>
    postern.ask(path, {
      token: tokens[user] ?? '',
      method,
      ...(method === 'POST' && { body: '{}', headers: { 'content-type': 'application/json' } }),
    });
  /** Days of a person, as if they had been watched. */
  const remember = async (user: string, count: number, change: Partial<LedgerDay> = {}): Promise<void> => {
    const store = await openStore({ url: `sqlite:${directory}/postern.db` });
    const localTime = localClock('UTC');
    const past = Array.from({ length: count }, (_, at) =>
      sum({ user, ...change, day: localTime(clock.now() / 1000 - (at + 1) * 86_400).day }),
    );
    const now = clock.now() / 1000;
    await store.ledger.append(await store.ledger.commandChain(now), { ended: [], open: [] }, past, now, linkEntries);
    await store.close();
  };

  it('are told of one whose days before are known, once a day, and of no other', async () => {
    await enter();
    await written();
    // Before there was an account of this name: another person, whose hours and cameras do not count.
    await remember('vera', 30, { hours: 0xffffff, camera: 'cam2', seconds: 80_000 });
    clock.advance(9 * 86_400 - ((clock.now() / 1000) % 86_400) + 13 * 3600);
    await enter();
    await remember('vera', 8);
    await remember('carl', 5);
    const made = await sendJson(postern, '/api/tokens', { name: 'robot' }, tokens['vera'] ?? '');
    tokens['robot'] = ((await made.json()) as { token: string }).token;
    for (const user of ['vera', 'carl', 'robot']) await watched('/api/cam1/latest.jpg', user);
    const aborted = new AbortController();
    const stream = postern.ask('/api/cam1', { token: tokens['vera'] ?? '', signal: aborted.signal });
    await stream;
    await until('the stream is open', () => streams === 1);
    for (let time = 0; time < 2; time += 1)
      await watched(`/api/export/cam1/start/${time * 100}/end/${time * 100 + 9}`, 'vera', 'POST');
    const items = Array.from({ length: 9 }, () => ({ camera: 'cam1', start_time: 100, end_time: 200 }));
    assert.equal((await sendJson(postern, '/api/exports/batch', { items }, tokens['vera'] ?? '')).status, 200);
    await watched('/api/cam2/latest.jpg', 'vera');
    const link = await sendJson(
      postern,
      '/api/links',
      { what: { snapshot: { camera: 'cam2' } } },
      tokens['vera'] ?? '',
    );
    const { url } = (await link.json()) as { url: string };
    assert.equal((await postern.ask(`${url}/snapshot.jpg`)).status, 200);
    clock.advance(1850);
    await until('all are there', async () => (await notices('admin')).length >= 6);
    await until('all were sent', () => told().length >= 6);
    aborted.abort();
    const expected = [
      ['many-exports', null, null, { exports: '11', usual: '1' }],
      ['many-minutes', null, null, { minutes: '31', usual: '3' }],
      ['unusual-camera', 'cam2', null, {}],
      ['unusual-camera', 'cam2', 'link', {}],
      ['unusual-hour', null, null, { hour: '13' }],
      ['unusual-hour', null, 'link', { hour: '13' }],
    ];
    const shown = async (user: string) =>
      (await notices(user))
        .map(({ detail: { what, ...numbers }, camera, user: of, credential }) => {
          assert.equal(of, 'vera');
          return [what, camera, credential, numbers];
        })
        .sort((one, other) => (String(one) < String(other) ? -1 : 1));
    assert.deepEqual(await shown('admin'), expected);
    assert.deepEqual(await shown('vera'), expected);
    assert.deepEqual(await notices('carl'), []);
    assert.deepEqual(
      told()
        .map(({ event, user, detail }) => `${event}: ${user} ${detail}`)
        .sort(),
      [
        'many-exports: vera made or fetched 11 exports in one day, usually 1',
        'many-minutes: vera watched 31 minutes in one day, usually 3',
        'unusual-camera: vera watched camera cam2 for the first time',
        'unusual-camera: vera watched camera cam2 for the first time (link)',
        'unusual-hour: vera watched between 13:00 and 14:00, for the first time',
        'unusual-hour: vera watched between 13:00 and 14:00, for the first time (link)',
      ],
    );
    const metrics = await (await fetch(`${postern.telemetryUrl}/metrics`)).text();
    assert.match(metrics, /postern_ledger_notices_total\{kind="unusual-hour"\} 2\n/);
  });

  it('are told once, also when the service starts anew on the same day', async () => {
    await postern.close();
    postern = await startInstance({ config, directory, clock });
    await enter();
    await watched('/api/cam2/latest.jpg', 'vera');
    await written();
    clock.advance(5);
    await written();
    assert.ok((await list('vera', 'kind=live&camera=cam2')).length >= 2);
    assert.deepEqual({ got: told().length, records: (await notices('admin')).length }, { got: 6, records: 6 });
  });
});
