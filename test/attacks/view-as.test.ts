/** View as: an admin reads what another person gets, byte for byte, and nothing more; what the NVR received is the proof. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openStore } from '../../src/store/open-store.ts';
import { event } from '../events/support/event.ts';
import { movableClock } from '../support/clock.ts';
import { answerLikeAnNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../support/people.ts';
import { rawRequest } from '../support/raw-request.ts';
import { sendJson } from '../support/second-factor.ts';
import { type ConfigTree, type Runtime, startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';

const person = (name: string, role: string): Person => ({ name, role, password: `Iridium.Lamp.${role}.77` });
const NORA = person('nora', 'by_day');
const MAX = person('max', 'muted');
const SINA = person('sina', 'since_monday');
const GUS = person('gus', 'viewer');
const OTHERS = [VERA, CARL, NORA, MAX, SINA, GUS];
const PEOPLE = [ADMIN_PERSON, ...OTHERS];

/** A Monday, 10 o'clock UTC: hours are open, the guest's account holds. Three hours later both are over. */
const MONDAY = Date.UTC(2026, 10, 23, 10);
const AT = MONDAY / 1000;
const EVENTS = [
  event({ id: `${AT - 60}.5-front`, camera: 'cam1', start_time: AT - 60, end_time: AT - 50, zones: ['drive'] }),
  event({ id: `${AT - 90_000}.5-back`, camera: 'cam2', label: 'car', start_time: AT - 90_000, end_time: AT - 89_990 }),
  event({ id: `${AT - 90_100}.5-old`, camera: 'cam1', label: 'dog', start_time: AT - 90_100, end_time: AT - 90_000 }),
];
const IDS = [...EVENTS.map(({ id }) => id), '1.5-none'];
const PATHS = [
  '/api/profile',
  '/api/events?limit=10',
  '/api/events?cameras=cam2',
  `/api/events?after=${AT - 100_000}&cameras=cam1,cam2`,
  '/api/events/days?timezone=UTC',
  '/api/events/search?query=dog',
  '/api/zones',
  '/api/labels',
  '/api/sub_labels?split_joined=1',
  '/api/recognized_license_plates',
  ...IDS.flatMap((id) => ['', '/thumbnail.webp', '/snapshot.jpg'].map((file) => `/api/events/${id}${file}`)),
];

const nvr = await startFakeNvr();
nvr.answer = (request, response, received) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://nvr');
  const [, id, file] = /^\/api\/events\/([^/]+?)(?:\/([a-z]+)\.\w+)?$/.exec(pathname) ?? [];
  const json = (status: number, body: unknown): void =>
    void response
      .writeHead(status, {
        'content-type': 'application/json',
        'set-cookie': 'nvr_user=other',
        etag: '"1"',
        'x-postern-view-as': 'carl',
      })
      .end(JSON.stringify(body));
  const found = EVENTS.find((each) => each.id === id);
  if (file !== undefined && found)
    return void response
      .writeHead(200, { 'content-type': 'image/webp', 'cache-control': 'private, max-age=3600' })
      .end(`picture of ${id}`);
  if (pathname === '/api/events') {
    const cameras = searchParams.get('cameras') ?? 'all';
    const since = Number(searchParams.get('after') ?? 0);
    const seen = EVENTS.filter(
      ({ camera, start_time }) => (cameras === 'all' || cameras.split(',').includes(camera)) && start_time > since,
    );
    return json(200, seen);
  }
  if (id !== undefined && id !== 'search' && id !== 'summary') return found ? json(200, found) : json(404, {});
  if (pathname.startsWith('/api/events')) return json(200, []);
  if (/labels$|plates$/.test(pathname)) return json(200, [searchParams.get('camera') ?? 'all']);
  answerLikeAnNvr(request, response, received);
};
after(() => nvr.close());

const CONFIG = {
  auth: {
    timezone: 'UTC',
    trusted_proxies: ['127.0.0.3/32'],
    roles: {
      front_only: ['cam1'],
      by_day: { cameras: ['cam1', 'cam2'], hours: ['Mon 07:00-12:00'] },
      muted: { cameras: ['cam2'], deny: ['history'] },
      since_monday: { cameras: ['cam1', 'cam2'], history_since: '1d' },
    },
  },
  nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] },
  logger: { logs: { 'service.access': 'debug' } },
};

interface Place {
  readonly at: Runtime;
  readonly tokens: ReadonlyMap<string, string>;
  as(viewed: string, path: string, more?: Record<string, string>, init?: RequestInit): Promise<Response>;
}

/** The admin's own session, by its cookie, as a page of the console sends it. */
async function openPlace(config: ConfigTree = CONFIG): Promise<Place> {
  const at = await startInstance({ people: PEOPLE, config, clock: movableClock(MONDAY) });
  const tokens = new Map<string, string>();
  for (const one of PEOPLE) tokens.set(one.name, await at.logIn(one));
  const cookie = `frigate_token=${tokens.get('admin')}`;
  const as: Place['as'] = (viewed, path, more = {}, init = {}) =>
    at.ask(path, {
      ...init,
      headers: { cookie, 'x-postern-view-as': viewed, 'sec-fetch-site': 'same-origin', ...more },
    });
  return { at, tokens, as };
}

async function assertSame({ at, tokens, as }: Place, name: string, path: string): Promise<number> {
  const own = await at.ask(path, { token: tokens.get(name) ?? '' });
  const viewed = await as(name, path);
  const [mine, seen] = [await own.text(), await viewed.text()];
  const what = `${name} ${path}`;
  assert.equal(viewed.status, own.status, `${what}: ${seen}`);
  assert.equal(seen, mine, what);
  assert.equal(viewed.headers.get('content-type'), own.headers.get('content-type'), what);
  assert.equal(viewed.headers.get('x-postern-view-as'), name, what);
  assert.equal(viewed.headers.get('cache-control'), 'private, no-store', what);
  assert.match(viewed.headers.get('vary') ?? '', /X-Postern-View-As/, what);
  assert.deepEqual(viewed.headers.getSetCookie(), [], what);
  assert.equal(viewed.headers.get('etag'), null, what);
  assert.equal(own.headers.get('x-postern-view-as'), null);
  return own.status;
}

const ledgerOf = async ({ at, tokens }: Place): Promise<Record<string, unknown>[]> =>
  (await at.ask('/api/ledger?limit=1000', { token: tokens.get('admin') ?? '' })).json() as never;

// biome-ignore format: a table
const SOURCES: readonly (readonly [name: string, events: ConfigTree])[] = [
  ['the NVR keeps the events',     {}],
  ['Postern keeps the events',     { events: { source: 'store' } }],
];
for (const [name, more] of SOURCES)
  describe(`Seen as another person, where ${name}`, () => {
    let place: Place;
    before(async () => {
      place = await openPlace({ ...CONFIG, ...more });
      const store = await openStore({ url: `sqlite:${join(place.at.directory, 'postern.db')}` });
      await store.writeEvents(EVENTS);
      await store.close();
      const until = { valid_until: AT + 7200 };
      await sendJson(place.at, '/api/users/gus/validity', until, place.tokens.get('admin'), 'PUT');
    });
    after(() => place.at.close());

    it('each response is what that person gets, byte for byte', async () => {
      const statuses = new Map<string, Set<number>>();
      for (const { name } of OTHERS) {
        const seen = new Set<number>();
        for (const path of PATHS) seen.add(await assertSame(place, name, path));
        statuses.set(name, seen);
      }
      // The rounds compare something: a viewer gets all, a custom role is refused the other camera.
      assert.ok(statuses.get('vera')?.has(200) && !statuses.get('vera')?.has(403));
      assert.ok(statuses.get('carl')?.has(200) && statuses.get('carl')?.has(403));
    });

    it('an admin is seen as an admin', async () => {
      for (const path of PATHS) await assertSame(place, 'admin', path);
    });

    it('outside the hours of a role, and after the end of a guest, it is refused as to that person', async () => {
      place.at.clock.advance(3 * 3600);
      for (const viewed of ['nora', 'gus'])
        for (const path of PATHS) assert.notEqual(await assertSame(place, viewed, path), 200);
      assert.equal(await assertSame(place, 'vera', '/api/events?limit=10'), 200);
    });

    it('nothing is sent in the name of the person, and no header of the page goes on', async () => {
      nvr.received.length = 0;
      await (await place.as('carl', '/api/events?limit=3')).text();
      await (await place.as('carl', `/api/events/${IDS[0]}/snapshot.jpg`)).text();
      for (const { headers, target } of nvr.received) {
        if (!headers.some(([header]) => header === 'x-request-id')) continue;
        assert.deepEqual(
          headers.filter(([header]) => /^remote-(user|role)$|view-as/.test(header)),
          [
            ['remote-user', 'admin'],
            ['remote-role', 'front_only'],
          ],
          target,
        );
      }
      const line = place.at.log.findLast((entry) => entry['viewedAs'] !== undefined);
      assert.deepEqual([line?.['user'], line?.['role'], line?.['viewedAs']], ['admin', 'admin', 'carl']);
    });

    it('the ledger says who viewed as whom, and whose pictures the admin saw', async () => {
      const expected = PEOPLE.map(({ name }) => `admin ${name}`).sort();
      const viewedIn = (records: Awaited<ReturnType<typeof ledgerOf>>) =>
        records.filter(({ detail }) => Object(detail).what === 'viewed-as');
      const pairsIn = (records: Awaited<ReturnType<typeof ledgerOf>>) =>
        [...new Set(viewedIn(records).map(({ user, detail }) => `${user} ${Object(detail).user}`))].sort();
      await until('everybody is recorded', async () => pairsIn(await ledgerOf(place)).length === expected.length);
      const records = await ledgerOf(place);
      const viewed = viewedIn(records);
      assert.deepEqual(pairsIn(records), expected);
      // Many requests are one record each time.
      assert.ok(viewed.length <= 3 * PEOPLE.length, `${viewed.length} records`);
      assert.ok(viewed.every(({ credential }) => String(credential).startsWith('session:')));
      // Since the hours are over, nobody but the admin has looked at a picture.
      const lately = async () =>
        (await ledgerOf(place)).filter(({ kind, from }) => kind === 'history' && Number(from) >= AT + 2 * 3600);
      await until('the picture is recorded', async () => (await lately()).length > 0);
      assert.deepEqual([...new Set((await lately()).map(({ user }) => user))], ['admin']);
    });
  });

describe('View as is refused', () => {
  let place: Place;
  let apiToken: string;
  before(async () => {
    place = await openPlace();
    const made = await sendJson(place.at, '/api/tokens', { name: 'robot' }, place.tokens.get('admin'));
    assert.equal(made.status, 201);
    apiToken = ((await made.json()) as { token: string }).token;
  });
  after(() => place.at.close());

  const refused = async (answer: Response): Promise<void> => {
    const text = await answer.text();
    assert.equal(answer.status, 403, text);
    assert.match(text, /view-as-refused/);
    assert.equal(answer.headers.get('x-postern-view-as'), null);
  };
  const EVENT_LIST = '/api/events?limit=3';
  const bearer = (token: string) => ({ cookie: '', authorization: `Bearer ${token}` });

  // biome-ignore format: a table
  const cases: readonly (readonly [sentence: string, send: () => Promise<Response>])[] = [
    ['to a viewer',                          () => place.as('carl', EVENT_LIST, bearer(place.tokens.get('vera') ?? ''))],
    ['to a custom role',                     () => place.as('vera', EVENT_LIST, bearer(place.tokens.get('carl') ?? ''))],
    ['to a viewer who asks for itself',      () => place.as('vera', EVENT_LIST, bearer(place.tokens.get('vera') ?? ''))],
    ['to an API token of an admin',          () => place.as('carl', EVENT_LIST, bearer(apiToken))],
    ['to an API token as a Basic password',  () => place.as('carl', EVENT_LIST, { cookie: '', authorization: `Basic ${btoa(`x:${apiToken}`)}` })],
    ['on the internal listener',             () => fetch(`${place.at.internalUrl}${EVENT_LIST}`, { headers: { 'x-postern-view-as': 'carl' } })],
    ['for a name without an account',        () => place.as('nobody', EVENT_LIST)],
    ['for a name in other case',             () => place.as('Carl', EVENT_LIST)],
    ['for an empty name',                    () => place.as('', EVENT_LIST)],
    ['for a name that is no encoded text',   () => place.as('%E0%A4%A', EVENT_LIST)],
    ['for HEAD',                             () => place.as('carl', EVENT_LIST, {}, { method: 'HEAD' })],
    ['for a change',                         () => place.as('carl', '/api/users/carl/password', { 'x-csrf-token': '1' }, { method: 'PUT', body: '{}' })],
    ['for a logout',                         () => place.as('carl', '/logout')],
    ['for the accounts',                     () => place.as('admin', '/api/users')],
    ['for sessions',                         () => place.as('carl', '/api/sessions')],
    ['for the second factor',                () => place.as('carl', '/api/second-factor')],
    ['for the ledger',                       () => place.as('carl', '/api/ledger')],
    ['for live pictures',                    () => place.as('vera', '/api/cam1/latest.jpg')],
    ['for clips',                            () => place.as('vera', `/api/events/${IDS[0]}/clip.mp4`)],
    ['for the stream of changes',            () => place.as('vera', '/api/events/changes')],
    ['for the configuration of the NVR',     () => place.as('vera', '/api/config')],
    ['for a path that no row names',         () => place.as('vera', '/api/unheard-of')],
    ['for the page of the NVR',              () => place.as('vera', '/')],
    ['at /auth',                             () => place.as('vera', '/auth')],
    ['to a page of another site',            () => place.as('carl', EVENT_LIST, { 'sec-fetch-site': 'cross-site' })],
    ['to a page of a neighbour host',        () => place.as('carl', EVENT_LIST, { 'sec-fetch-site': 'same-site' })],
    ['to a page of another origin',          () => place.as('carl', EVENT_LIST, { origin: 'https://evil.example' })],
    ['to a page without an origin',          () => place.as('carl', EVENT_LIST, { origin: 'null' })],
  ];
  for (const [sentence, send] of cases)
    it(sentence, async () => {
      nvr.received.length = 0;
      const answer = await send();
      if (sentence === 'for HEAD') assert.equal(answer.status, 403);
      else await refused(answer);
      const forwarded = nvr.received.filter(({ headers }) => headers.some(([name]) => name === 'x-request-id'));
      assert.deepEqual(forwarded, []);
    });

  it('where the header is sent twice', async () => {
    const head = [
      `GET ${EVENT_LIST} HTTP/1.1`,
      'Host: nvr.test',
      `Cookie: frigate_token=${place.tokens.get('admin')}`,
      'X-Postern-View-As: carl',
      'X-Postern-View-As: vera',
      'Connection: close',
    ];
    const { text } = await rawRequest(place.at.port, `${head.join('\r\n')}\r\n\r\n`);
    assert.match(text, /^HTTP\/1\.1 403 [\s\S]*view-as-refused/);
  });

  it('without a login with 401, so that the page asks for one', async () => {
    const answer = await place.at.ask('/api/profile', { headers: { 'x-postern-view-as': 'carl' } });
    assert.equal(answer.status, 401);
    assert.equal(answer.headers.get('x-postern-view-as'), null);
  });

  it('to a proxy that describes such a request at /auth', async () => {
    const trusting = await openPlace({ ...CONFIG, auth: { ...CONFIG.auth, trusted_proxies: ['127.0.0.1/32'] } });
    try {
      const described = (more: Record<string, string>) =>
        trusting.at.ask('/auth', {
          headers: {
            cookie: `frigate_token=${trusting.tokens.get('admin')}`,
            'x-original-method': 'GET',
            'x-original-url': `/api/events/${IDS[0]}/thumbnail.webp`,
            ...more,
          },
        });
      assert.equal((await described({})).status, 202);
      const answer = await described({ 'x-postern-view-as': 'carl' });
      assert.equal(answer.status, 403);
      assert.equal(answer.headers.get('remote-user'), null);
    } finally {
      await trusting.at.close();
    }
  });

  it('to an admin who must set up a second factor first, and from the moment that the admin is none any more', async () => {
    const strict = await openPlace({ ...CONFIG, auth: { ...CONFIG.auth, second_factor: 'admins' } });
    try {
      const answer = await strict.as('carl', EVENT_LIST);
      assert.match(await answer.text(), /second-factor-required/);
    } finally {
      await strict.at.close();
    }
    const second = person('second', 'admin');
    const admin = place.tokens.get('admin');
    const added = await sendJson(
      place.at,
      '/api/users',
      { username: 'second', password: second.password, role: 'admin' },
      admin,
    );
    assert.ok(added.ok, await added.text());
    const cookie = `frigate_token=${await place.at.logIn(second)}`;
    assert.equal((await place.as('carl', EVENT_LIST, { cookie })).status, 200);
    await sendJson(place.at, '/api/users/second/role', { role: 'viewer' }, admin, 'PUT');
    await refused(await place.as('carl', EVENT_LIST, { cookie }));
    await sendJson(place.at, '/api/users/delete', { name: 'carl' }, admin);
    await refused(await place.as('carl', EVENT_LIST));
  });

  it('to users of a proxy', async () => {
    const proxied = await startInstance({
      people: PEOPLE,
      config: {
        auth: { enabled: false },
        proxy: { auth_secret: 'correct-horse-battery', default_role: 'admin', header_map: { user: 'Remote-User' } },
        nvr: CONFIG.nvr,
      },
    });
    try {
      const headers = { 'x-proxy-secret': 'correct-horse-battery', 'remote-user': 'root' };
      assert.equal((await proxied.ask('/api/events', { headers })).status, 200);
      await refused(await proxied.ask('/api/events', { headers: { ...headers, 'x-postern-view-as': 'vera' } }));
    } finally {
      await proxied.close();
    }
  });
});
