/** The walk again, in front of an NVR that holds older things: as a role that sees a week, as one outside its hours, as a guest whose time is over (SPEC 13). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { earliestTime } from '../../src/access/time-locators.ts';
import { unixSeconds } from '../../src/domain/clock.ts';
import type { UserName } from '../../src/domain/names.ts';
import { openStore } from '../../src/store/open-store.ts';
import { movableClock } from '../support/clock.ts';
import { type FakeNvr, type Received, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, type Person } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { until } from '../support/until.ts';
import { type Asked, askedOfAll, nameOf, type Operation, own, readOperations } from './support/rows.ts';

const NEIGHBOUR: Person = { name: 'nora', role: 'neighbour', password: 'CobaltPassw0rd!!' };
const CLEANER: Person = { name: 'clara', role: 'cleaner', password: 'NickelPassw0rd!!' };
const GUEST: Person = { name: 'greta', role: 'viewer', password: 'CopperPassw0rd!!' };

/** A Sunday. */
const NOW = Date.parse('2026-11-22T12:30:00Z') / 1000;
const WEEK = 7 * 86_400;
const RECENT = NOW - 5 * 3600;
const OLD = /old-|aaaaa1|17000000/;

/** A logout would end the session of the walk. */
const OPERATIONS = readOperations().filter(({ p }) => p !== '/api/logout');
/** By what they are called: the route table under test is not asked. */
const FOOTAGE =
  /events|event_ids|review|recording|preview|vod|clips|export|timeline|label|plates|search\/motion|\/plus\/(?!models)|cases/;

/** The question as rows.ts makes it is about November 2023; the same about this morning. */
const recently = ({ method, target, body }: Asked): Asked => {
  const put = (text: string): string =>
    text
      .replaceAll('1700000001.5-aaaaa1', `${RECENT}.5-bbbbb2`)
      .replaceAll('aaaaa1', 'bbbbb2')
      .replaceAll('case-garden', 'case-recent')
      .replaceAll(/1700000000|1700000001/g, String(RECENT))
      .replaceAll('1700000060', String(RECENT + 60))
      .replaceAll('/2026-01/05/12', '/2026-11/22/05')
      .replaceAll('2026-01-05', '2026-11-22')
      .replaceAll('/start/1/end/2', `/start/${RECENT}/end/${RECENT + 60}`);
  return { method, target: put(target), body: body && put(body) };
};

const times = (start: number, tag: string, word: string) => ({ start, tag, word, id: `${start}.5-${tag}` });
const THINGS = [times(1_700_000_001, 'aaaaa1', 'old'), times(RECENT, 'bbbbb2', 'new')];
type Thing = (typeof THINGS)[number];

const begun = ({ id, start, word }: Thing) => ({
  id,
  camera: 'garden',
  label: `${word}-cat`,
  start_time: start,
  end_time: start + 9,
  data: { word: `${word}-data` },
});
const exported = ({ start, tag, word }: Thing) => ({
  id: `garden_${tag}`,
  camera: 'garden',
  name: `${word}-export`,
  date: start,
  video_path: `/media/frigate/exports/garden_${tag}.mp4`,
  export_case_id: word === 'old' ? 'case-garden' : 'case-recent',
});
const rows = (form: (thing: Thing) => object) => () => THINGS.map(form);
const one = (form: (thing: Thing) => object) => (path: string) =>
  form(THINGS.find(({ tag }) => path.includes(tag)) ?? assert.fail(path));

// biome-ignore format: a table
const ANSWERS: readonly (readonly [path: RegExp, answer: (path: string) => unknown])[] = [
  [/^\/api\/config$/,                                              () => ({ cameras: { garden: {}, bedroom: {} } })],
  [/^\/api\/exports\?export_case_id=(case-\w+)/,                   (path) => THINGS.map(exported).filter(({ export_case_id: id }) => path.includes(id))],
  [/^\/api\/exports(\?|$)/,                                        rows(exported)],
  [/^\/api\/exports\/[^/?]+$/,                                     one(exported)],
  [/^\/api\/cases$/,                                               () => [{ id: 'case-garden', name: 'old-case' }, { id: 'case-recent', name: 'new-case' }]],
  [/^\/api\/timeline(\?|$)/,                                       rows(({ start, id, word }) => ({ timestamp: start, camera: 'garden', source_id: id, data: { label: `${word}-cat` } }))],
  [/^\/api\/timeline\/hourly/,                                     () => ({ start: RECENT, end: NOW, count: 1, hours: { '1': THINGS.map(({ start, word }) => ({ timestamp: start, camera: 'garden', data: { label: `${word}-cat` } })) } })],
  [/^\/api\/garden\/recordings(\?|$)|^\/api\/recordings\/unavailable/, rows(({ start, word }) => ({ start_time: start, end_time: start + 9, objects: word === 'old' ? 'old-objects' : 1 }))],
  [/^\/api\/preview\/(?!.*thumbnail)(?!.*frames$)/,                rows(({ start, word }) => ({ camera: 'garden', start, end: start + 9, src: `/clips/previews/garden/${word}-${start}.mp4` }))],
  [/^\/api\/(labels|sub_labels|recognized_license_plates)/,        () => ['old-name', 'new-name']],
  [/^\/api\/(events|review)\/\d[^/?]+$|^\/api\/review\/event\//,   one(begun)],
  [/^\/api\/(events|events\/search|events\/summary|review|event_ids|review_ids|review\/activity\/motion)(\?|$)/, rows(begun)],
];

let nvr: FakeNvr;
let at: Runtime;
const agent = new Agent({ keepAlive: true, maxSockets: 4 });

before(async () => {
  nvr = await startFakeNvr();
  nvr.answer = (request, response, received) => {
    const { url = '', method } = request;
    const answer = ANSWERS.find(([path]) => method === 'GET' && path.test(url));
    request.resume().once('end', () => {
      // A picture, a film, a listing: of old things too, unless the question says that it is about this morning.
      const asked = url + received.body;
      const isRecent = /bbbbb2|recent|1795[0-9]{6}|2026-11/.test(asked) && !OLD.test(asked);
      const body = answer ? answer[1](url) : FOOTAGE.test(url) && !isRecent ? 'old-film' : 'film';
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  };
  const roles = {
    neighbour: { cameras: ['garden'], history_since: '7d' },
    newcomer: { cameras: ['garden'], history_since: 'grant' },
    cleaner: { cameras: ['garden'], hours: ['Mon-Fri 07:00-18:00', 'Sun 07:00-12:00'] },
  };
  at = await startInstance({
    clock: movableClock((NOW - 3600) * 1000),
    config: {
      nvr: { url: nvr.url },
      events: { source: 'nvr' },
      auth: { timezone: 'UTC', roles, trusted_proxies: ['127.0.0.1/32'] },
    },
    people: [ADMIN_PERSON, NEIGHBOUR, CLEANER, GUEST],
  });
});
after(async () => {
  agent.destroy();
  await at.close();
  await nvr.close();
});

interface Answered {
  readonly status: number;
  readonly body: string;
  readonly forwarded: readonly Received[];
}

/** The gate's own questions have no request id. */
const isForwarded = ({ headers }: Received): boolean => headers.some(([name]) => name === 'x-request-id');

function ask(token: string, { method, target, body }: Asked): Promise<Answered> {
  nvr.received.length = 0;
  const isUpgrade = method === 'WS';
  const upgrade = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  };
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body && { 'content-type': 'application/json' }),
    ...(isUpgrade && upgrade),
  };
  const answered = (status = 0, text = ''): Answered => ({
    status,
    body: text,
    forwarded: nvr.received.filter(isForwarded),
  });
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: '127.0.0.1',
      port: at.port,
      method: isUpgrade ? 'GET' : method,
      path: target,
      headers,
      ...(!isUpgrade && { agent }),
    });
    request.once('response', (response) => {
      let text = '';
      response.setEncoding('latin1').on('data', (chunk) => {
        text += chunk;
      });
      response.once('end', () => resolve(answered(response.statusCode, text)));
    });
    request.once('upgrade', (response, socket) => {
      socket.destroy();
      resolve(answered(response.statusCode));
    });
    request.once('error', reject);
    request.end(body);
  });
}

const questionsOf = (operation: Operation): Asked[] =>
  [own(operation), askedOfAll(operation)].filter((asked) => asked !== undefined);

/** For admins alone; and files whose name in rows.ts is that of no picture. */
const IN_PASSING = /^\/api\/export\/custom|^\/clips\/(thumbs|previews)\/\{camera_name\}/;

/** Of these nothing tells how old what they show is. */
// biome-ignore format: a table
const NOT_JUDGED: readonly string[] = [
  'GET /api/events/summary', 'GET /api/review/summary', 'GET /api/{camera_name}/recordings/summary', 'GET /api/recordings/summary',
  'GET /api/{camera_name}/{label}/thumbnail.jpg', 'GET /api/{camera_name}/{label}/best.jpg', 'GET /api/{camera_name}/{label}/clip.mp4',
  'GET /api/{camera_name}/{label}/snapshot.jpg', 'POST /api/{camera_name}/search/motion', 'GET /api/{camera_name}/search/motion/{job_id}',
  'POST /api/{camera_name}/search/motion/{job_id}/cancel', 'POST /api/exports/batch', 'GET /api/jobs/export', 'GET /api/jobs/export/{export_id}',
  'GET /recordings/', 'GET /recordings/{date}/', 'GET /vod/{year_month}/{day}/{hour}/{camera_name}',
];

describe('Every operation, for a role that sees a week', () => {
  it('gives no byte of what is older, and asks for none of it; what is recent is given', async () => {
    const token = await at.logIn(NEIGHBOUR);
    const leaks: string[] = [];
    const lost: string[] = [];
    let given = 0;
    for (const operation of OPERATIONS) {
      const name = nameOf(operation);
      if (operation.a === 'public' || operation.svc === 'auth') continue;
      for (const asked of questionsOf(operation)) {
        const { status, body, forwarded } = await ask(token, asked);
        if (OLD.test(body.replace(asked.target, ''))) leaks.push(`${name}: ${body.slice(0, 120)}`);
        const isNamed = OLD.test(asked.target) || /start\/1\/|2026-01/.test(asked.target);
        const isShown = status < 400 && FOOTAGE.test(operation.p) && isNamed;
        if (isShown) leaks.push(`${name}: ${status} for ${forwarded[0]?.target}`);
      }
      if (!FOOTAGE.test(operation.p) || !['any', 'camera'].includes(operation.a) || IN_PASSING.test(operation.p))
        continue;
      for (const asked of questionsOf(operation).map(recently)) {
        const { status, body } = await ask(token, asked);
        if (OLD.test(body)) leaks.push(`${name}, asked of this morning: ${body.slice(0, 120)}`);
        if (status >= 400) lost.push(name);
        else given += 1;
      }
    }
    assert.deepEqual(leaks, []);
    assert.deepEqual(
      [...new Set(lost)].filter((name) => !NOT_JUDGED.includes(name)),
      [],
    );
    assert.ok(given > 60, `${given} were given`);
  });

  it('sees no older time by another spelling of it', async () => {
    const token = await at.logIn(NEIGHBOUR);
    const since = unixSeconds(at.clock) - WEEK;
    // biome-ignore format: a table
    const tricks: readonly [target: string, sent: string | number][] = [
      ['/api/events',                                                     `/api/events?after=${since}&cameras=garden`],
      ['/api/events?after=0',                                             `/api/events?after=${since}&cameras=garden`],
      ['/api/events?%61fter=0',                                           `/api/events?after=${since}&cameras=garden`],
      [`/api/events?after=${NOW - 60}&after=0`,                           `/api/events?after=${since}&cameras=garden`],
      ['/api/events?after=-1e9',                                          `/api/events?after=${since}&cameras=garden`],
      ['/api/events?after=inf',                                           `/api/events?after=${since}&cameras=garden`],
      [`/api/events?after=${NOW - 60}`,                                   `/api/events?after=${NOW - 60}&cameras=garden`],
      ['/api/review',                                                     '/api/review?cameras=garden'],
      ['/clips/thumbs/garden/1700000001.5-aaaaa1.webp',                   403],
      [`/clips/thumbs/garden/${RECENT}.5-bbbbb2.webp`,                    `/clips/thumbs/garden/${RECENT}.5-bbbbb2.webp`],
      ['/api/events?after=0;x=1',                                         400],
      [`/vod/garden/start/${since - 1}/end/${NOW}/x.m3u8`,                403],
      [`/vod/garden/start/${since}/end/${NOW}/x.m3u8`,                    `/vod/garden/start/${since}/end/${NOW}/x.m3u8`],
      [`/api/garden/start/1e9/end/${NOW}/clip.mp4`,                       403],
      [`/api/garden/start/-1/end/${NOW}/clip.mp4`,                        403],
      [`/api/garden/start/nan/end/${NOW}/clip.mp4`,                       403],
      // The NVR compares names of frames as texts: 1 with eleven zeros stands before every frame that it has.
      ['/api/garden/start/100000000000/end/999999999999/preview.gif',     403],
      ['/api/preview/garden/start/100000000000/end/999999999999/frames',  403],
      // In its query a span that ends before it begins holds every recording between the two.
      [`/api/garden/start/${NOW}/end/1/clip.mp4`,                         403],
      [`/api/garden/start/${NOW}/end/1e9/clip.mp4`,                       403],
      [`/vod/garden/start/${NOW}/end/${since - WEEK}/x.m3u8`,             403],
      [`/api/garden/start/1_795_000_000/end/${NOW}/clip.mp4`,             403],
      [`/api/garden/start/${RECENT}/end/${NOW}/clip.mp4?padding=${WEEK}`, 403],
      [`/api/events/${RECENT}.5-bbbbb2/clip.mp4?padding=${WEEK}`,         403],
      [`/api/events/${RECENT}.5-bbbbb2/clip.mp4?padding=5`,               `/api/events/${RECENT}.5-bbbbb2/clip.mp4?padding=5`],
      [`/api/events/${RECENT}.5-bbbbb2/clip.mp4?padding=1e9`,             403],
      ['/api/events/1700000001.5-aaaaa1/clip.mp4',                        403],
      ['/vod/2026-11/15/11/garden/utc/x.m3u8',                            403],
      ['/vod/2026-11/15/13/garden/utc/x.m3u8',                            '/vod/2026-11/15/13/garden/utc/x.m3u8'],
      ['/vod/2026-11/15/14/garden/Asia,Tokyo/x.m3u8',                     403],
      ['/vod/2026-11/15/22/garden/Asia,Tokyo/x.m3u8',                     '/vod/2026-11/15/22/garden/Asia,Tokyo/x.m3u8'],
      ['/vod/2026-11/22/05/garden/Nowhere,Atall/x.m3u8',                  403],
      [`/clips/garden-${RECENT}.5-bbbbb2-1700000000.webp`,                403],
      [`/clips/previews/garden/1700000000-${RECENT}.mp4`,                 403],
      ['/api/preview/preview_garden-1700000001.5.webp/thumbnail.webp',    403],
      ['/recordings/2026-11-15/11/garden/00.00.mp4',                      403],
      ['/recordings/2026-11-15/13/garden/00.00.mp4',                      '/recordings/2026-11-15/13/garden/00.00.mp4'],
    ];
    for (const [target, expected] of tricks) {
      const { status, forwarded } = await ask(token, { method: 'GET', target, body: undefined });
      assert.deepEqual([target, forwarded[0]?.target ?? status], [target, expected]);
    }
    const exporting = (image: string) =>
      ask(token, {
        method: 'POST',
        target: `/api/export/garden/start/${RECENT}/end/${NOW}`,
        body: JSON.stringify({ image_path: `/media/frigate/clips/${image}` }),
      });
    const bodyOf = async (image: string) => (await exporting(image)).forwarded.map(({ body }) => body);
    const recent = `review/thumb-garden-${RECENT}.5-bbbbb2.webp`;
    assert.deepEqual(await bodyOf(recent), [JSON.stringify({ image_path: `/media/frigate/clips/${recent}` })]);
    // A picture that is older is taken out.
    assert.deepEqual(await bodyOf('review/thumb-garden-1700000001.5-aaaaa1.webp'), ['{}']);
  });

  it('gets no yes for what is older when a proxy in front asks', async () => {
    const token = await at.logIn(NEIGHBOUR);
    // biome-ignore format: a table
    const asked: readonly [target: string, status: number][] = [
      ['/api/events?cameras=garden',                              403],
      ['/api/events?cameras=garden&after=1700000000',             403],
      [`/api/events?cameras=garden&after=${RECENT}`,              202],
      ['/api/review?cameras=garden',                              202],
      ['/api/timeline?camera=garden',                             403],
      ['/api/exports?cameras=garden',                             403],
      ['/api/events/1700000001.5-aaaaa1/clip.mp4',                403],
      [`/api/events/${RECENT}.5-bbbbb2/clip.mp4`,                 202],
      ['/vod/garden/start/1700000000/end/1700000060/x.m3u8',      403],
      [`/vod/garden/start/${RECENT}/end/${NOW}/x.m3u8`,           202],
      ['/api/garden/recordings',                                  403],
      ['/api/labels?camera=garden',                               403],
    ];
    for (const [target, expected] of asked) {
      const described = { 'x-original-url': target, 'x-original-method': 'GET' };
      const { status } = await at.ask('/auth', { token, headers: described });
      assert.deepEqual([target, status], [target, expected]);
    }
  });

  it('sees no hour of the other side of a change of the clocks: the NVR takes the offset of the day on which it is asked', () => {
    const winter = { month: '2026-01', day: '15', hour: '12', zone: 'Europe,Berlin' };
    const asInSummer = Date.parse('2026-01-15T10:00:00Z') / 1000;
    assert.equal(earliestTime({ in: 'hour' }, winter), asInSummer);
  });

  it('is told over the WebSocket of what began within it alone', async () => {
    const token = await at.logIn(NEIGHBOUR);
    const told: string[] = [];
    const client = new WebSocket(`ws://127.0.0.1:${at.port}/ws`, { headers: { authorization: `Bearer ${token}` } });
    client.on('message', (bytes) => told.push(String(JSON.parse(String(bytes)).topic)));
    const server = new WebSocketServer({ noServer: true });
    const opened = new Promise<WebSocket>((resolve) => {
      nvr.answerUpgrade = (request, socket) => server.handleUpgrade(request, socket, Buffer.alloc(0), resolve);
    });
    const nvrSide = await opened;
    await once(client, 'open');
    const since = unixSeconds(at.clock) - WEEK;
    // biome-ignore format: a table
    const messages: readonly [topic: string, payload: object, isTold: boolean][] = [
      ['events',                { after: { id: `${since}.5-a`, camera: 'garden', start_time: since + 0.5 } },      true],
      ['events',                { after: { id: `${since - 1}.5-a`, camera: 'garden', start_time: since - 0.5 } },  false],
      ['events',                { after: { camera: 'garden' } },                                                   false],
      ['reviews',               { after: { id: `${since - 1}.5-a`, camera: 'garden', start_time: since - 0.5 } },  false],
      ['tracked_object_update', { id: `${since - 9}.5-a`, camera: 'garden', timestamp: since + 60 },               false],
      ['tracked_object_update', { id: `${since + 9}.5-a`, camera: 'garden', timestamp: since + 60 },               true],
      ['triggers',              { event_id: '1700000001.5-a', camera: 'garden' },                                  false],
      ['job_state',             { export: { camera: 'garden' } },                                                  false],
      ['camera_activity',       { garden: { motion: true } },                                                      true],
    ];
    for (const [topic, payload] of messages) nvrSide.send(JSON.stringify({ topic, payload: JSON.stringify(payload) }));
    nvrSide.send(JSON.stringify({ topic: 'model_state', payload: '{}' }));
    await until('the last message came', () => told.includes('model_state'));
    assert.deepEqual(told, [...messages.filter(([, , isTold]) => isTold).map(([topic]) => topic), 'model_state']);
    // The window goes on while the socket is open: what was within it an hour ago is not any more.
    at.clock.advance(60);
    nvrSide.send(JSON.stringify({ topic: 'events', payload: JSON.stringify(messages[0]?.[1]) }));
    nvrSide.send(JSON.stringify({ topic: 'profile/state', payload: '{}' }));
    await until('the last message came', () => told.includes('profile/state'));
    assert.deepEqual(told.slice(-2), ['model_state', 'profile/state']);
    nvr.answerUpgrade = undefined;
    client.close();
    await once(client, 'close');
  });
});

describe('Every operation, for callers whose time is not now', () => {
  it('never reaches the NVR: a guest after the end, a role outside its hours', async () => {
    const tokens = [await at.logIn(GUEST), await at.logIn(CLEANER)];
    const store = await openStore({ url: `sqlite:${at.directory}/postern.db` });
    await store.accounts.setValidity(GUEST.name as UserName, null, NOW);
    await store.close();
    at.clock.advance(3600); // 12:30 on a Sunday: both are over
    const passed: string[] = [];
    for (const token of tokens)
      for (const operation of OPERATIONS) {
        const { status, forwarded } = await ask(token, own(operation));
        const isOwnPage = (operation.svc === 'auth' || operation.p === '/login') && status < 500;
        if (forwarded.length > 0 || (status < 400 && !isOwnPage)) passed.push(`${nameOf(operation)}: ${status}`);
      }
    assert.deepEqual(passed, []);
  });
});
