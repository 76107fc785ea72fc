/** The route table of go2rtc, before a server that records what arrived: what is refused never arrives (SPEC 20). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import type { FakeNvr } from '../../support/fake-nvr.ts';
import { OFFERS } from '../../support/offers.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../../support/people.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { sendJson } from '../../support/second-factor.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';
import { CASES, ROLES, STREAMS, type Who } from './cases.ts';
import { startFakeGo2rtc } from './fake-go2rtc.ts';

const UTE: Person = { name: 'ute', role: 'odd_only', password: 'OddStreams!!!!!' };
const PEOPLE: Readonly<Record<Who, Person>> = { admin: ADMIN_PERSON, vera: VERA, carl: CARL, ute: UTE };
/** What Postern asks in its own name. */
const OWN_QUESTIONS: readonly string[] = ['GET /api', 'GET /api/streams'];

describe('The route table of go2rtc', () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  let tokens: Record<Who, string>;
  before(async () => {
    nvr = await startFakeGo2rtc();
    instance = await startInstance({
      people: Object.values(PEOPLE),
      config: { nvr: { url: nvr.url, policy: 'go2rtc' }, auth: { hash_iterations: 1000, roles: ROLES } },
    });
    const given = Object.entries(PEOPLE).map(async ([who, person]) => [who, await instance.logIn(person)]);
    tokens = Object.fromEntries(await Promise.all(given)) as Record<Who, string>;
  });
  after(async () => {
    await instance?.close();
    await nvr?.close();
  });

  const ask = (who: Who, method: string, target: string, more: RequestInit = {}) => {
    nvr.received.length = 0;
    return instance.ask(target, { method, token: tokens[who], ...more });
  };
  const textOf = async (who: Who, target: string): Promise<string> => (await ask(who, 'GET', target)).text();
  const arrived = (): string[] => nvr.received.map(({ method, target }) => `${method} ${target}`);
  const assertNothing = (asked: string): void =>
    assert.deepEqual(
      arrived().filter((line) => line === asked || !OWN_QUESTIONS.includes(line)),
      [],
    );

  for (const [verdict, who, method, target] of CASES) {
    it(`${who}: ${method} ${target} ${verdict}`, async () => {
      if (verdict === 'gone') {
        nvr.received.length = 0;
        const head = `${method} ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${tokens[who]}\r\nconnection: close\r\n\r\n`;
        const { status } = await rawRequest(instance.port, head);
        assert.ok(status === 400 || status === 404 || status === 405, `status ${status}`);
        return assertNothing(`${method} ${target}`);
      }
      const response = await ask(who, method, target);
      const asked = `${method} ${new URL(target, 'http://x').pathname}${new URL(target, 'http://x').search}`;
      await response.arrayBuffer();
      if (verdict === 'refused') {
        assert.equal(response.status, 403);
        return assertNothing(asked);
      }
      assert.equal(response.status, 200);
      assert.ok(arrived().includes(asked), arrived().join());
    });
  }

  it('narrows the list to the streams of a role, and hides sources from all but admins', async () => {
    const listed = async (who: Who) => Object.keys(JSON.parse(await textOf(who, '/api/streams')) as object);
    assert.deepEqual(await listed('carl'), ['front']);
    assert.deepEqual(await listed('ute'), ['back yard ü']);
    assert.deepEqual((await listed('vera')).sort(), [...STREAMS].sort());
    for (const who of ['vera', 'carl'] as const) {
      assert.doesNotMatch(await textOf(who, '/api/streams'), /geheim|lavfi|stream2/);
      assert.doesNotMatch(await textOf(who, '/api/streams?src=front'), /geheim|lavfi|stream2/);
    }
    assert.doesNotMatch(await textOf('carl', '/api/streams?src=front'), /VLC|127\.0\.0\.1/);
    assert.match(await textOf('admin', '/api/streams?src=front'), /VLC/);
    const whole = readFileSync(new URL('../../data/go2rtc/streams.json', import.meta.url), 'utf8');
    assert.equal(await textOf('admin', '/api/streams'), whole);
  });

  it('says nothing of a source in an error, but to an admin', async () => {
    const failed = async (who: Who) => {
      const response = await ask(who, 'GET', '/api/stream.ts?src=mjpeg');
      return [response.status, (await response.text()).includes('geheim')];
    };
    assert.deepEqual(await failed('vera'), [500, false]);
    assert.deepEqual(await failed('admin'), [500, true]);
  });

  const idIn = (playlist: string): string => /id=(\w+)/.exec(playlist)?.[1] ?? assert.fail(playlist);
  const HLS = ['playlist.m3u8', 'init.mp4', 'segment.m4s', 'segment.ts'];

  it('binds a session of HLS to the stream that it was opened for', async () => {
    const own = idIn(await textOf('carl', '/api/stream.m3u8?src=front&mp4'));
    const foreign = idIn(await textOf('vera', '/api/stream.m3u8?src=yard'));
    const ofAdmin = idIn(await textOf('admin', '/api/stream.m3u8?src=yard'));
    for (const path of HLS) {
      const status = async (who: Who, query: string): Promise<number> => {
        const response = await ask(who, 'GET', `/api/hls/${path}?${query}`);
        await response.arrayBuffer();
        if (response.status === 403) assertNothing('');
        return response.status;
      };
      assert.equal(await status('carl', `id=${own}&n=0`), 200);
      assert.equal(await status('vera', `id=${own}&n=0`), 200);
      assert.equal(await status('ute', `id=${own}&n=0`), 403);
      const tricks = [
        `id=${foreign}`,
        `id=${ofAdmin}`,
        `id=${own}&id=${foreign}`,
        `id=&id=${foreign}`,
        `id=${foreign}&src=front`,
      ];
      for (const query of tricks) assert.equal(await status('carl', query), 403, query);
    }
  });

  it('answers HEAD of a list with 405: its length would tell of other streams', async () => {
    const response = await ask('carl', 'HEAD', '/api/streams');
    assert.equal(response.status, 405);
    assertNothing('');
  });

  const offer = (who: Who, query: string, sdp: string, type = 'application/sdp') =>
    ask(who, 'POST', `/api/webrtc?${query}`, { headers: { 'content-type': type }, body: sdp });

  // biome-ignore format: a table
  const offers: [sentence: string, who: Who, query: string, sdp: string, status: number][] = [
    ['passes an offer to watch the own stream',         'carl', 'src=front',             OFFERS.watch,  200],
    ['and one to talk to it',                           'carl', 'src=front',             OFFERS.talk,   200],
    ['refuses one of a foreign stream',                 'carl', 'src=yard',              OFFERS.watch,  403],
    ['refuses one that sends a picture',                'carl', 'src=front',             OFFERS.camera, 403],
    ['refuses one that names a destination',            'carl', 'src=front&dst=front',   OFFERS.watch,  403],
    ['refuses one that names none',                     'carl', '',                      OFFERS.watch,  403],
    ['refuses one in the query',                        'carl', 'src=front&data=x',      OFFERS.watch,  403],
    ['refuses a picture of a viewer, too',              'vera', 'src=yard',              OFFERS.camera, 403],
    ['and a destination',                               'vera', 'dst=yard',              OFFERS.camera, 403],
    ['passes a picture of an admin',                    'admin', 'dst=yard',             OFFERS.camera, 200],
  ];
  for (const [sentence, who, query, sdp, status] of offers)
    it(sentence, async () => {
      const response = await offer(who, query, sdp);
      await response.arrayBuffer();
      assert.equal(response.status, status);
      if (status === 403) assertNothing('');
    });

  const open = (who: Who, query: string): WebSocket => {
    nvr.received.length = 0;
    return new WebSocket(`${instance.url.replace('http', 'ws')}/api/ws?${query}`, {
      headers: { authorization: `Bearer ${tokens[who]}` },
    });
  };
  const outcome = (socket: WebSocket): Promise<number> =>
    new Promise((resolve) => {
      socket.once('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
      socket.once('open', () => resolve(101));
      socket.once('error', () => {});
    });

  const refusedSockets = [
    'src=yard',
    'src=front&src=yard',
    'src=&src=yard',
    'src=exec:id',
    'src=front&dst=yard',
    'dst=front',
    'src=front&name=yard',
    '',
  ];
  for (const query of refusedSockets)
    it(`opens no WebSocket for ${JSON.stringify(query)}`, async () => {
      assert.equal(await outcome(open('carl', query)), 403);
      assertNothing('');
    });

  it('binds a session that the WebSocket opens, and tells nothing of a source in an error', async () => {
    const socket = open('carl', 'src=front');
    const texts: string[] = [];
    socket.on('message', (data, isBinary) => texts.push(isBinary ? 'a picture' : String(data)));
    assert.equal(await outcome(socket), 101);
    for (const type of ['mse', 'hls', 'mjpeg']) socket.send(JSON.stringify({ type, value: '' }));
    await until('three answers come', () => texts.length === 3);
    const [picture, playlist = '', error = ''] = texts;
    assert.equal(picture, 'a picture');
    assert.doesNotMatch(error, /password|ffmpeg/);
    const id = idIn(playlist);
    assert.equal((await ask('carl', 'GET', `/api/hls/segment.m4s?id=${id}`)).status, 200);
    assert.equal((await ask('ute', 'GET', `/api/hls/segment.m4s?id=${id}`)).status, 403);
    socket.terminate();
  });

  it('keeps the binding of a session over a reload, and gives it to nobody for whom the stream is drawn or whose token is for another', async () => {
    const id = idIn(await textOf('carl', '/api/stream.m3u8?src=front'));
    const status = async (token: string | undefined, target: string): Promise<number> => {
      const response = await instance.ask(target, token === undefined ? {} : { token });
      await response.arrayBuffer();
      return response.status;
    };
    const segment = `/api/hls/segment.ts?id=${id}`;
    const config = { nvr: { url: nvr.url, policy: 'go2rtc' }, auth: { hash_iterations: 1000, roles: ROLES } };
    await instance.reload({ ...config, ui: { frame_ancestors: 'none' } });
    assert.match((await instance.ask('/login')).headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    assert.equal(await status(tokens.carl, segment), 200);
    const made = await sendJson(
      instance,
      '/api/tokens',
      { name: 'yard', role: 'viewer', cameras: ['yard'] },
      tokens.vera,
    );
    const { token } = (await made.json()) as { token: string };
    assert.equal(await status(token, '/api/frame.jpeg?src=yard'), 200);
    assert.equal(await status(token, segment), 403);
    const curtain = (method: string) =>
      sendJson(instance, '/api/curtain', { cameras: ['front'] }, tokens.admin, method);
    assert.equal((await curtain('PUT')).status, 200);
    for (const target of [segment, '/api/frame.jpeg?src=front', '/api/streams?src=front', '/stream.html?src=front'])
      assert.equal(await status(tokens.carl, target), 403, target);
    assert.equal(await textOf('carl', '/api/streams'), '{}');
    assert.equal((await curtain('DELETE')).status, 200);
    assert.equal(await status(tokens.carl, segment), 200);
  });

  it('leads each person to the list of streams', async () => {
    const { headers } = await ask('carl', 'GET', '/postern/start', { headers: { accept: 'text/html' } });
    assert.equal(headers.get('location'), '/');
  });

  it('is silent to a caller without a login', async () => {
    nvr.received.length = 0;
    for (const [, , method, target] of CASES.filter(([verdict]) => verdict === 'passes'))
      assert.equal((await instance.ask(target, { method })).status, 401, target);
    assertNothing('');
  });
});
