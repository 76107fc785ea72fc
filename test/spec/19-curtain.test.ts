/** The curtain over HTTP: drawn and opened by admins and tokens that were made for it, felt by requests, streams and links (SPEC 19). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { answerLikeAnNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { OWN_OPERATIONS } from '../support/own-operations.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { pairScreen } from '../support/screens.ts';
import { sendJson } from '../support/second-factor.ts';
import { type ConfigTree, startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';

const nvr = await startFakeNvr();
/** The stream that is open now goes on until it is ended from outside. */
nvr.answer = (request, response, received) => {
  const path = request.url?.split('?')[0] ?? '';
  if (/^\/api\/cam\d$/.test(path)) {
    response.writeHead(200, { 'content-type': 'multipart/x-mixed-replace; boundary=frame' });
    return void response.write('--frame\r\n');
  }
  if (path.endsWith('.ts')) return void response.writeHead(200, { 'content-type': 'video/mp2t' }).write('G');
  if (path === '/api/go2rtc/streams') return void response.end('{"cam1":{"producers":[]},"cam2":{"producers":[]}}');
  answerLikeAnNvr(request, response, received);
};

const CONFIG: ConfigTree = {
  auth: {
    trusted_proxies: ['127.0.0.1'],
    roles: { front_only: ['cam1'] },
  },
  nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] },
  events: { source: 'store', sample: 200 },
};
const at = await startInstance({ config: CONFIG });
after(async () => {
  await at.close();
  await nvr.close();
});
const admin = await at.logIn(ADMIN_PERSON);
const viewer = await at.logIn(VERA);

interface Drawn {
  readonly camera: string;
  readonly until: number | null;
  readonly by: string;
}
interface CurtainAnswer {
  readonly drawn: readonly Drawn[];
  readonly warnings?: readonly string[];
  readonly message?: string;
}

const draw = (body: object, token = admin): Promise<Response> => sendJson(at, '/api/curtain', body, token, 'PUT');
const open = (cameras: readonly unknown[], token = admin): Promise<Response> =>
  sendJson(at, '/api/curtain', { cameras }, token, 'DELETE');
const jsonOf = async (response: Response): Promise<CurtainAnswer> => (await response.json()) as CurtainAnswer;
const listFor = async (token: string): Promise<CurtainAnswer> => jsonOf(await at.ask('/api/curtain', { token }));
const seenBy = async (token: string): Promise<unknown> =>
  ((await (await at.ask('/api/profile', { token })).json()) as { allowed_cameras: unknown }).allowed_cameras;
const now = (): number => Math.floor(at.clock.now() / 1000);

async function tokenFor(body: object, by = admin): Promise<string> {
  const made = await sendJson(at, '/api/tokens', body, by);
  assert.equal(made.status, 201, await made.clone().text());
  return ((await made.json()) as { token: string }).token;
}

beforeEach(async () => {
  const { drawn } = await listFor(admin);
  if (drawn.length > 0) assert.equal((await open(drawn.map(({ camera }) => camera))).status, 200);
});

describe('The curtain', () => {
  it('takes the camera from a viewer at once, and gives it back', async () => {
    const drawn = await jsonOf(await draw({ cameras: ['cam1'] }));
    assert.deepEqual(
      drawn.drawn.map(({ camera, until, by }) => [camera, until, by]),
      [['cam1', null, 'admin']],
    );
    nvr.received.length = 0;
    assert.deepEqual(await seenBy(viewer), ['cam2']);
    assert.equal((await at.ask('/api/cam1/latest.jpg', { token: viewer })).status, 403);
    assert.deepEqual(
      nvr.received.map(({ target }) => target).filter((target) => target.includes('cam1')),
      [],
    );
    assert.equal((await at.ask('/api/cam1/latest.jpg', { token: admin })).status, 200);
    assert.deepEqual((await jsonOf(await open(['cam1']))).drawn, []);
    assert.deepEqual(await seenBy(viewer), ['cam1', 'cam2']);
    assert.equal((await at.ask('/api/cam1/latest.jpg', { token: viewer })).status, 200);
  });

  it('is replaced by the same entry, opens at its end by the clock, and remembers a camera that is not there', async () => {
    const first = await jsonOf(await draw({ cameras: ['cam1', 'hall'], until: now() + 100 }));
    assert.deepEqual(first.warnings, ['This NVR has no camera hall now: it is remembered, for when there is one']);
    const again = await jsonOf(await draw({ cameras: ['cam1'], until: now() + 50 }));
    assert.deepEqual(
      again.drawn.map((entry) => [entry.camera, entry.until]),
      [
        ['cam1', now() + 50],
        ['hall', now() + 100],
      ],
    );
    at.clock.advance(50);
    assert.deepEqual(
      (await listFor(admin)).drawn.map(({ camera }) => camera),
      ['hall'],
    );
    assert.deepEqual(await seenBy(viewer), ['cam1', 'cam2']);
  });

  it('is named by explain as the reason, and nobody else is shown to see the camera', async () => {
    await draw({ cameras: ['cam1'] });
    const explained = await at.ask('/api/explain?user=vera&path=/api/cam1/latest.jpg', { token: admin });
    const { verdict, drawn, hints } = (await explained.json()) as { verdict: string; drawn: string[]; hints: string[] };
    assert.deepEqual([verdict, drawn], ['refused', ['cam1']]);
    assert.match(hints.join(), /the curtain is drawn for this caller in front of cam1: open it/);
    const { holders } = (await (await at.ask('/api/access', { token: admin })).json()) as {
      holders: { name: string; cameras: unknown }[];
    };
    const seen = Object.fromEntries(holders.map(({ name, cameras }) => [name, cameras]));
    assert.deepEqual([seen['admin'], seen['vera'], seen['carl']], ['all', ['cam2'], []]);
  });

  it('is in the ledger: what was drawn and opened, by whom, and with which token', async () => {
    const door = await tokenFor({ name: 'front door', rights: ['curtain'] });
    await draw({ cameras: ['cam1', 'hall*'] });
    await open(['hall*'], door);
    const moves = async (): Promise<unknown[]> => {
      const listed = await at.ask('/api/ledger?kind=change&limit=10', { token: admin });
      const records = (await listed.json()) as {
        user: string;
        credential: string;
        detail: { what: string; camera?: string };
      }[];
      return records
        .filter(({ detail }) => detail.what.startsWith('curtain-'))
        .map(({ user, credential, detail: { what, camera } }) => [user, credential.split(':')[0], what, camera])
        .slice(0, 3);
    };
    const expected = [
      ['admin', 'token', 'curtain-opened', 'hall*'],
      ['admin', 'session', 'curtain-drawn', 'hall*'],
      ['admin', 'session', 'curtain-drawn', 'cam1'],
    ];
    await until('it is written', async () => JSON.stringify(await moves()) === JSON.stringify(expected));
  });

  it('is told to a caller without the cameras that are drawn for it, to admins whole', async () => {
    await draw({ cameras: ['cam1', 'cam2'] });
    const narrowed = await tokenFor({ name: 'narrowed', cameras: ['cam2'] });
    const [all, seen, ofToken] = [await listFor(admin), await listFor(viewer), await listFor(narrowed)];
    assert.deepEqual(
      all.drawn.map(({ camera }) => camera),
      ['cam1', 'cam2'],
    );
    assert.deepEqual(seen.drawn, []);
    assert.deepEqual(
      ofToken.drawn.map(({ camera }) => camera),
      ['cam2'],
      'a token of an admin sees it, and is told of no other',
    );
    assert.equal((await at.ask('/api/curtain')).status, 401);
  });

  it('is moved by admins alone', async () => {
    assert.deepEqual(
      [(await draw({ cameras: ['cam2'] }, viewer)).status, (await open(['cam2'], viewer)).status],
      [403, 403],
    );
    assert.deepEqual((await listFor(admin)).drawn, []);
  });

  it('that a pattern has drawn is not opened for one camera of it: the answer names the pattern', async () => {
    await draw({ cameras: ['cam*', 'cam2'] });
    const refused = await open(['cam2']);
    assert.deepEqual(
      [refused.status, (await jsonOf(refused)).message],
      [409, 'cameras: cam2 is drawn by the pattern cam*: open that, and draw the cameras that shall stay so'],
    );
    assert.equal((await listFor(admin)).drawn.length, 2);
    assert.deepEqual((await jsonOf(await open(['cam*', 'cam2']))).drawn, []);
    assert.equal((await open(['cam2'])).status, 200);
  });

  // biome-ignore format: a table
  const WRONG: readonly [body: object, status: number, message: RegExp][] = [
    [{ cameras: ['cam1'], for: ['viewer'] },       422, /for/],
    [{ cameras: ['cam1'], until: 5 },              400, /^until: 5 has passed already/],
    [{ cameras: ['cam1'], until: 'later' },        400, /^until: later is no time/],
    [{ cameras: [] },                              400, /^cameras: give a list of 1 to 200 names$/],
    [{ cameras: ['a,b'] },                         400, /^cameras: "a,b" is not a camera name/],
    [{ cameras: Array.from({ length: 201 }, (_, at) => `c${at}`) }, 400, /^cameras: give a list of 1 to 200 names$/],
    [{ cameras: 'cam1' },                          422, /cameras/],
    [{ cameras: ['cam1'], till: 5 },               422, /till/],
    [[],                                           422, /cameras/],
  ];
  for (const [body, status, message] of WRONG) {
    it(`is not drawn by ${JSON.stringify(body).slice(0, 60)}: ${status}`, async () => {
      const refused = await draw(body);
      assert.equal(refused.status, status);
      assert.match((await jsonOf(refused)).message ?? '', message);
      assert.deepEqual((await listFor(admin)).drawn, []);
    });
  }

  it('has at most 200 entries, all together', async () => {
    const many = Array.from({ length: 199 }, (_, at) => `c${at}`);
    assert.equal((await draw({ cameras: many })).status, 200);
    const refused = await draw({ cameras: ['d1', 'd2'] });
    assert.deepEqual([refused.status, (await listFor(admin)).drawn.length], [400, 199]);
  });
});

describe('A drawn curtain', () => {
  it('lets no link be made to the camera, hides those that were made from the list, and they work when it is open', async () => {
    const wanted = { what: { live: { camera: 'cam1' } } };
    const made = (await (await sendJson(at, '/api/links', wanted, viewer)).json()) as { id: string; url: string };
    const page = async (): Promise<number> => (await at.ask(new URL(made.url, at.url).pathname)).status;
    const listed = async (): Promise<string> => (await at.ask('/api/links', { token: viewer })).text();
    await draw({ cameras: ['cam1'] });
    assert.equal((await sendJson(at, '/api/links', wanted, viewer)).status, 403);
    assert.equal((await sendJson(at, '/api/links', wanted, admin)).status, 403);
    assert.deepEqual([await listed(), await page()], ['[]', 404]);
    const { pathname } = new URL(made.url, at.url);
    const [drawn, never] = await Promise.all(
      [pathname, `/s/${'a'.repeat(43)}`].map((path) => at.ask(`${path}/snapshot.jpg`)),
    );
    assert.deepEqual([drawn?.status, await drawn?.text()], [404, await never?.text()]);
    await open(['cam1']);
    assert.match(await listed(), new RegExp(made.id));
    assert.equal(await page(), 200);
  });

  it('is one for the API tokens of the person, and the sessions begun with them, whatever role they were given', async () => {
    const tokens = [
      await tokenFor({ name: 'other role', role: 'front_only' }, viewer),
      await tokenFor({ name: 'narrowed', cameras: ['cam1'] }, viewer),
    ];
    const byName = await tokenFor({ name: 'login', role: 'front_only', login: true }, viewer);
    const session = await at.logIn({ ...VERA, password: byName });
    const ofAdmin = await tokenFor({ name: 'admin', role: 'front_only' });
    const all = [...tokens, session, ofAdmin];
    for (const token of all) assert.deepEqual(await seenBy(token), ['cam1']);
    await draw({ cameras: ['cam1'] });
    for (const token of all) {
      assert.deepEqual(await seenBy(token), []);
      assert.equal((await at.ask('/api/cam1/latest.jpg', { token })).status, 403);
    }
    const { holders } = (await (await at.ask('/api/access', { token: admin })).json()) as {
      holders: { name: string; cameras: unknown }[];
    };
    assert.deepEqual(holders.find(({ name }) => name === 'other role')?.cameras, []);
  });

  it('is not told by the answer to a change of a screen', async () => {
    const { id } = await pairScreen(at, viewer, { cameras: ['cam1', 'cam2'] });
    await draw({ cameras: ['cam1'] });
    const changed = await sendJson(at, `/api/screens/${id}`, { name: 'kitchen' }, viewer, 'PATCH');
    assert.deepEqual(((await changed.json()) as { cameras: unknown }).cameras, ['cam2']);
  });

  it('holds at /auth, for people, screens and tokens for the curtain', async () => {
    const { cookie } = await pairScreen(at, viewer);
    const door = await tokenFor({ name: 'door at the proxy', rights: ['curtain'] });
    await draw({ cameras: ['cam1'] });
    const statusOf = async (path: string, headers: Record<string, string>): Promise<number> =>
      (await at.ask('/auth', { headers: { ...headers, 'x-original-url': at.url + path, 'x-original-method': 'GET' } }))
        .status;
    const ways = [{ authorization: `Bearer ${viewer}` }, { cookie }, { authorization: `Bearer ${door}` }];
    const asked = ['/api/cam1/latest.jpg', '/api/cam2/latest.jpg', '/vod/cam1/start/1/end/2/index.m3u8'];
    const statuses = await Promise.all(
      asked.map((path) => Promise.all(ways.map((headers: Record<string, string>) => statusOf(path, headers)))),
    );
    assert.deepEqual(statuses, [
      [403, 403, 403],
      [202, 202, 403],
      [403, 403, 403],
    ]);
  });

  it('lets no message of the camera through /ws, for people and screens, and those of the others', async (t) => {
    const { cookie } = await pairScreen(at, viewer);
    await draw({ cameras: ['cam1'] });
    const event = (camera: string) => {
      const record = { id: `1.5-${camera}`, camera, label: 'person' };
      return { topic: 'events', payload: JSON.stringify({ type: 'new', before: record, after: record }) };
    };
    const said = ['cam1', 'cam2'].flatMap((camera) => [
      event(camera),
      { topic: `${camera}/person`, payload: 1 },
      { topic: `${camera}/motion`, payload: 'ON' },
    ]);
    const server = new WebSocketServer({ noServer: true });
    t.after(() => {
      nvr.answerUpgrade = undefined;
    });
    nvr.answerUpgrade = (request, socket) =>
      server.handleUpgrade(request, socket, Buffer.alloc(0), (client) => {
        for (const message of said) client.send(JSON.stringify(message));
      });
    const heardBy = async (headers: Record<string, string>): Promise<string> => {
      const socket = new WebSocket(`ws://127.0.0.1:${at.port}/ws`, { headers });
      const heard: string[] = [];
      socket.on('message', (text) => heard.push(String(text)));
      await until('the last message comes', () => heard.join().includes('cam2/motion'));
      socket.terminate();
      return heard.join();
    };
    const [byViewer, byScreen] = [
      await heardBy({ authorization: `Bearer ${viewer}` }),
      await heardBy({ cookie, origin: at.url }),
    ];
    assert.doesNotMatch(byViewer + byScreen, /cam1/);
    assert.match(byViewer, /1\.5-cam2/);
    assert.doesNotMatch(byScreen, /1\.5-cam2/, 'events are history');
  });

  it('is what an admin sees who looks as the person', async () => {
    await draw({ cameras: ['cam1'] });
    const headers = { cookie: `frigate_token=${admin}`, 'x-postern-view-as': 'vera', 'sec-fetch-site': 'same-origin' };
    const profile = (await (await at.ask('/api/profile', { headers })).json()) as { allowed_cameras: string[] };
    assert.deepEqual(profile.allowed_cameras, ['cam2']);
  });

  it('is one for the users of a proxy and their tokens too, and not for the internal listener', async (t) => {
    const instance = await startInstance({
      people: [],
      config: {
        auth: { enabled: false, roles: { front_only: ['cam1'], garden: ['cam1', 'cam2'] } },
        nvr: { cameras: ['cam1', 'cam2'] },
        proxy: {
          trusted_peers: ['127.0.0.1/32'],
          header_map: { user: 'remote-user', role: 'remote-groups' },
          role_map: { admin: ['chiefs'], viewer: ['lookers'], front_only: ['fronts'], garden: ['gardeners'] },
        },
      },
    });
    t.after(instance.close);
    const seenBy = async (groups: string): Promise<unknown> => {
      const headers = { 'remote-user': 'pia', 'remote-groups': groups };
      return ((await (await instance.ask('/api/profile', { headers })).json()) as { allowed_cameras: unknown })
        .allowed_cameras;
    };
    const headers = { 'remote-user': 'paul', 'remote-groups': 'chiefs', 'content-type': 'application/json' };
    const body = JSON.stringify({ cameras: ['cam1'] });
    const asked = await instance.ask('/api/tokens', {
      method: 'POST',
      headers: { 'remote-user': 'pia', 'remote-groups': 'lookers', 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'other role', role: 'garden' }),
    });
    const { token } = (await asked.json()) as { token: string };
    const byToken = async (): Promise<unknown> =>
      ((await (await instance.ask('/api/profile', { token })).json()) as { allowed_cameras: unknown }).allowed_cameras;
    assert.deepEqual(await byToken(), ['cam1', 'cam2']);
    assert.equal((await instance.ask('/api/curtain', { method: 'PUT', headers, body })).status, 200);
    assert.deepEqual(
      [await seenBy('gardeners'), await seenBy('gardeners,fronts'), await seenBy('chiefs')],
      [['cam2'], ['cam2'], ['cam1', 'cam2']],
    );
    assert.deepEqual(await byToken(), ['cam2']);
    const inside = await (await fetch(`${instance.internalUrl}/api/profile`)).json();
    assert.deepEqual((inside as { allowed_cameras: unknown }).allowed_cameras, ['cam1', 'cam2']);
  });

  it('lets no picture be found by the beginning of its name: the NVR may take one of hall-way for one of hall', async (t) => {
    const offline = await startFakeNvr();
    offline.answer = (_, response) =>
      void response.writeHead(200, { 'content-type': 'image/jpeg', 'x-frigate-offline': 'true' }).end('picture');
    const instance = await startInstance({ config: { nvr: { url: offline.url, cameras: ['hall', 'hall-way'] } } });
    t.after(async () => {
      await instance.close();
      await offline.close();
    });
    const [by, token] = [await instance.logIn(ADMIN_PERSON), await instance.logIn(VERA)];
    const shown = async (): Promise<number> => (await instance.ask('/api/hall/latest.jpg', { token })).status;
    assert.equal(await shown(), 200);
    await sendJson(instance, '/api/curtain', { cameras: ['hall-way'] }, by, 'PUT');
    assert.equal(await shown(), 403);
  });

  it('holds over a reload and a restart', async (t) => {
    const directory = mkdtempSync(join(tmpdir(), 'postern-curtain-'));
    t.after(() => rmSync(directory, { recursive: true }));
    const settings = { nvr: { cameras: ['cam1', 'cam2'] } };
    const first = await startInstance({ directory, config: settings });
    const by = await first.logIn(ADMIN_PERSON);
    const until = Math.floor(first.clock.now() / 1000) + 100;
    assert.equal((await sendJson(first, '/api/curtain', { cameras: ['cam1'], until }, by, 'PUT')).status, 200);
    const known = await first.logIn(VERA);
    const seenAt = async (instance: typeof first): Promise<unknown> =>
      ((await (await instance.ask('/api/profile', { token: known })).json()) as { allowed_cameras: unknown })
        .allowed_cameras;
    await first.reload(settings);
    assert.deepEqual(await seenAt(first), ['cam2']);
    await first.close();
    const second = await startInstance({ directory, config: settings, people: [], clock: first.clock });
    t.after(second.close);
    assert.deepEqual(await seenAt(second), ['cam2']);
    second.clock.advance(100);
    assert.deepEqual(await seenAt(second), ['cam1', 'cam2']);
  });
});

describe('A token for the curtain', () => {
  it('is made by an admin alone, and for nothing beside', async () => {
    const made = async (body: object, by: string) =>
      (await sendJson(at, '/api/tokens', { name: 't', ...body }, by)).status;
    assert.equal(await made({ rights: ['curtain'] }, viewer), 403);
    assert.equal(await made({ rights: ['curtain'], role: 'viewer' }, admin), 403);
    for (const beside of [{ cameras: ['cam1'] }, { login: true }, { manage_accounts: true }, { rights: ['all'] }])
      assert.equal(await made({ rights: ['curtain'], ...beside }, admin), 400);
  });

  it('draws, opens and lists', async () => {
    const token = await tokenFor({ name: 'door', rights: ['curtain'] });
    assert.equal((await draw({ cameras: ['cam1'] }, token)).status, 200);
    assert.deepEqual(
      (await listFor(token)).drawn.map(({ camera }) => camera),
      ['cam1'],
    );
    assert.equal((await open(['cam1'], token)).status, 200);
    const listed = (await (await at.ask('/api/tokens', { token: admin })).json()) as {
      name: string;
      rights?: string[];
    }[];
    assert.deepEqual(listed.find(({ name }) => name === 'door')?.rights, ['curtain']);
  });

  it('opens no other route of Postern, none of the NVR, and no WebSocket', async () => {
    const token = await tokenFor({ name: 'door', rights: ['curtain'] });
    nvr.received.length = 0;
    const own = OWN_OPERATIONS.filter(({ path, access }) => access !== 'public' && path !== '/api/curtain');
    for (const { method, path } of own) {
      const target = path.replaceAll(/\{\w+\}/g, 'x');
      const answered = await at.ask(target, { method: method.toUpperCase(), token });
      // A refused profile is 401: the NVR's pages lead to the login by it.
      assert.equal(answered.status, path === '/api/profile' ? 401 : 403, `${method} ${path}`);
    }
    for (const path of ['/api/cam1/latest.jpg', '/api/events', '/api/config', '/api/version', '/api/stats', '/unknown'])
      assert.equal((await at.ask(path, { token })).status, 403, path);
    const socket = new WebSocket(`ws://127.0.0.1:${at.port}/ws`, { headers: { authorization: `Bearer ${token}` } });
    const [refused] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    assert.ok(refused);
    assert.deepEqual(
      nvr.received.map(({ target }) => target),
      [],
    );
  });
});

describe('Events that Postern keeps', () => {
  const told = async (path: string): Promise<string> => (await at.ask(path, { token: viewer })).text();

  it('of a drawn camera are in no list, count, sum or file, and not there by their id', async () => {
    const events = JSON.parse(await told('/api/events?limit=100')) as { id: string; camera: string }[];
    assert.ok(Array.isArray(events), JSON.stringify(events));
    const hidden = events.find(({ camera }) => camera === 'cam1');
    assert.ok(hidden && events.some(({ camera }) => camera === 'cam2'));
    await draw({ cameras: ['cam1'] });
    const lists = [
      '/api/events?limit=100',
      '/api/events/summary',
      '/api/events/days',
      '/api/events/explore',
      '/api/zones',
      `/api/event_ids?ids=${hidden.id}`,
    ];
    for (const path of lists) assert.doesNotMatch(await told(path), new RegExp(`cam1|${hidden.id}`), path);
    const refused = await at.ask('/api/events?cameras=cam1', { token: viewer });
    const unknown = await at.ask('/api/events?cameras=nowhere', { token: viewer });
    assert.deepEqual([refused.status, unknown.status], [403, 403]);
    const byId = await Promise.all(
      [hidden.id, '1.5-nobody'].map(async (id) => {
        const answered = await at.ask(`/api/events/${id}`, { token: viewer });
        return [answered.status, await answered.text()];
      }),
    );
    assert.deepEqual(byId[0], byId[1]);
    assert.equal(byId[0]?.[0], 403);
    await open(['cam1']);
    assert.equal((await at.ask(`/api/events/${hidden.id}`, { token: viewer })).status, 200);
  });
});

describe('The page of an invitation', () => {
  it('does not name a camera that is drawn for the role of the guest', async () => {
    const made = await sendJson(at, '/api/users/guest/invitation', { role: 'front_only' }, admin);
    const { url } = (await made.json()) as { url: string };
    const page = async (): Promise<string> => (await at.ask(new URL(url, at.url).pathname)).text();
    assert.match(await page(), /cam1/);
    await draw({ cameras: ['cam1'] });
    assert.doesNotMatch(await page(), /cam1/);
  });
});

describe('Drawing ends', () => {
  const ofViewer = { authorization: `Bearer ${viewer}` };
  const streamAt = async (path: string, headers: Record<string, string> = ofViewer): Promise<() => boolean> => {
    const [answer] = (await once(get(`${at.url}${path}`, { headers }), 'response')) as [IncomingMessage];
    assert.equal(answer.statusCode, 200, path);
    let isOver = false;
    answer.on('error', () => {}).resume();
    answer.once('close', () => (isOver = true));
    return () => isOver;
  };

  it('MJPEG, HLS and every WebSocket of those concerned within a second, and nothing of an admin', async () => {
    const mjpeg = await streamAt('/api/cam1');
    const hls = await streamAt('/vod/cam1/start/1700000000/end/1700000060/seg-1.ts');
    const sockets = ['/ws', '/live/jsmpeg/cam1'].map(
      (path) => new WebSocket(`ws://127.0.0.1:${at.port}${path}`, { headers: ofViewer }),
    );
    const ends = sockets.map((socket) => once(socket, 'close').then(([code]) => code as number));
    await Promise.all(sockets.map((socket) => once(socket, 'open')));
    const ofAdmin = new WebSocket(`ws://127.0.0.1:${at.port}/ws`, { headers: { authorization: `Bearer ${admin}` } });
    await once(ofAdmin, 'open');
    assert.equal((await draw({ cameras: ['cam1'] })).status, 200);
    assert.deepEqual(await Promise.all(ends), [4403, 4403]);
    await until('MJPEG and HLS have ended', () => mjpeg() && hls());
    assert.equal(ofAdmin.readyState, WebSocket.OPEN);
    ofAdmin.terminate();
  });

  it('nothing of other cameras that their route names, for people, tokens, screens and links', async () => {
    const { cookie } = await pairScreen(at, admin, { cameras: ['cam1', 'cam2'] });
    const token = await tokenFor({ name: 'both', role: 'viewer', cameras: ['cam1', 'cam2'] });
    const shared = await sendJson(at, '/api/links', { what: { live: { camera: 'cam2' } } }, admin);
    const { pathname } = new URL(((await shared.json()) as { url: string }).url, at.url);
    const ways: readonly (readonly [path: string, headers: Record<string, string>])[] = [
      ['/api/cam2', ofViewer],
      ['/vod/cam2/start/1700000000/end/1700000060/seg-1.ts', ofViewer],
      ['/api/cam2', { authorization: `Bearer ${token}` }],
      ['/api/cam2', { cookie }],
      [`${pathname}/live`, {}],
    ];
    const others = await Promise.all(ways.map(([path, headers]) => streamAt(path, headers)));
    const pictures = new WebSocket(`ws://127.0.0.1:${at.port}/live/jsmpeg/cam2`, { headers: ofViewer });
    const messages = new WebSocket(`ws://127.0.0.1:${at.port}/ws`, { headers: ofViewer });
    await Promise.all([pictures, messages].map((socket) => once(socket, 'open')));
    const drawn = await Promise.all([streamAt('/api/cam1'), streamAt('/api/cam1', { cookie })]);
    const namingNone = once(messages, 'close');
    assert.equal((await draw({ cameras: ['cam1'] })).status, 200);
    await until('those of the drawn camera have ended', () => drawn.every((isOver) => isOver()));
    assert.equal((await namingNone)[0], 4403);
    assert.deepEqual(
      others.map((isOver) => isOver()),
      ways.map(() => false),
    );
    pictures.send('still there');
    assert.equal(String((await once(pictures, 'message'))[0]), 'still there');
    assert.equal((await draw({ cameras: ['cam2'] })).status, 200);
    await until('the others have ended too', () => others.every((isOver) => isOver()));
  });

  it('what a custom role, a screen, an API token and a link show, and all of it plays again when it is opened', async () => {
    const { cookie } = await pairScreen(at, admin, { cameras: ['cam1', 'cam2'] });
    const token = await tokenFor({ name: 'player', role: 'viewer', cameras: ['cam1'] });
    const shared = await sendJson(at, '/api/links', { what: { live: { camera: 'cam1' } } }, admin);
    const { pathname } = new URL(((await shared.json()) as { url: string }).url, at.url);
    const ways: Record<string, readonly [path: string, headers: Record<string, string>]> = {
      'custom role': ['/api/cam1', { authorization: `Bearer ${await at.logIn(CARL)}` }],
      screen: ['/api/cam1', { cookie }],
      'API token': ['/api/cam1', { authorization: `Bearer ${token}` }],
      link: [`${pathname}/live`, {}],
    };
    const streams = await Promise.all(Object.values(ways).map(([path, headers]) => streamAt(path, headers)));
    const socket = new WebSocket(`ws://127.0.0.1:${at.port}/live/jsmpeg/cam1`, {
      headers: { cookie, origin: at.url },
    });
    await once(socket, 'open');
    assert.equal((await draw({ cameras: ['cam*'] })).status, 200);
    assert.equal((await once(socket, 'close'))[0], 4403);
    await until('all have ended', () => streams.every((isOver) => isOver()));
    for (const [way, [path, headers]] of Object.entries(ways)) {
      const again = await at.ask(path, { headers });
      assert.ok([403, 404].includes(again.status), `${way}: ${again.status}`);
    }
    await open(['cam*']);
    for (const [path, headers] of Object.values(ways)) await streamAt(path, headers);
  });
});

describe('The end of an entry', () => {
  it('ends what was narrowed by it, so that clients connect again and get all', async () => {
    await draw({ cameras: ['cam1'], until: now() + 100 });
    const headers = { authorization: `Bearer ${viewer}` };
    const socket = new WebSocket(`ws://127.0.0.1:${at.port}/ws`, { headers });
    await once(socket, 'open');
    at.clock.advance(100);
    assert.equal((await once(socket, 'close'))[0], 4403);
    assert.deepEqual(await seenBy(viewer), ['cam1', 'cam2']);
  });
});
