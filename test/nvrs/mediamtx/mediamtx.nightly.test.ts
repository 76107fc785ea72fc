/** MediaMTX itself behind Postern, with pictures that ffmpeg makes: everybody gets the own paths, and no other one (SPEC 20). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../../support/people.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';
import { CASES, FOREIGN, filled, OWN, PATHS, ROLES, type Things, type Who } from './cases.ts';
import { FRAGMENT, playerOffer } from './offer.ts';
import { createRecorder } from './record-answers.ts';
import { type RealMediaMtx, skip, startMediaMtx } from './start-mediamtx.ts';

/** Sees the own path, an hour back. */
const RECENT: Person = { name: 'recent', role: 'recent', password: 'RecentPassw0rd!' };
const PEOPLE = { admin: ADMIN_PERSON, vera: VERA, carl: CARL, recent: RECENT } as const;
const NAMES_FOREIGN = /garden|porch\/sub|porch_2|live\/porch|"(?:name|path)":"whep"/;

describe('MediaMTX behind Postern', { skip }, () => {
  let server: RealMediaMtx;
  let instance: Runtime;
  let tokens: Record<Who | 'recent', string>;
  let things: Things;
  const recorder = process.env['RECORD_ANSWERS'] ? createRecorder() : undefined;
  before(async () => {
    server = await startMediaMtx();
    const at = async (name: 'api' | 'hls' | 'webrtc' | 'playback' | 'metrics') =>
      (await recorder?.front(name, server[name])) ?? server[name];
    instance = await startInstance({
      people: Object.values(PEOPLE),
      config: {
        nvr: {
          url: await at('api'),
          policy: 'mediamtx',
          routes: {
            '/hls': { url: await at('hls'), strip: true },
            '/webrtc': { url: await at('webrtc'), strip: true },
            '/playback': { url: await at('playback'), strip: true },
            '/metrics': await at('metrics'),
          },
        },
        auth: { hash_iterations: 1000, roles: { ...ROLES, recent: { cameras: [OWN], history_since: '1h' } } },
      },
    });
    const given = Object.entries(PEOPLE).map(async ([who, person]) => [who, await instance.logIn(person)]);
    tokens = Object.fromEntries(await Promise.all(given));
    things = await findThings();
  });
  after(async () => {
    await instance?.close();
    recorder?.close(things);
    await server?.close();
  });

  interface Sent {
    readonly type?: string;
    readonly body?: string;
  }
  async function ask(who: Who | 'recent', method: string, target: string, { type, body }: Sent = {}) {
    const response = await instance.ask(target, {
      method,
      token: tokens[who],
      ...(type !== undefined && { headers: { 'content-type': type } }),
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(60_000),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  const json = async (who: Who | 'recent', target: string) => JSON.parse((await ask(who, 'GET', target)).text);

  /** Plays HLS, and gives the secret of its session and the name of a part. */
  async function play(who: Who, path: string): Promise<{ session: string; part: string }> {
    const first = await ask(who, 'GET', `/hls/${path}/index.m3u8`);
    assert.deepEqual([first.status, first.headers.get('location')], [302, `/hls/${path}/index.m3u8?cookieCheck=1`]);
    const main = await ask(who, 'GET', first.headers.get('location') ?? '');
    assert.equal(main.status, 200, main.text);
    const session = /session=([\w-]+)/.exec(main.text)?.[1] ?? assert.fail(main.text);
    const list = await ask(who, 'GET', `/hls/${path}/video1_stream.m3u8?session=${session}`);
    const part = /^(\w+_seg\d+\.mp4)/m.exec(list.text)?.[1] ?? assert.fail(list.text);
    const { status, text } = await ask(who, 'GET', `/hls/${path}/${part}?session=${session}`);
    assert.deepEqual([status, text.length > 500], [200, true]);
    return { session, part };
  }

  const offer = (who: Who, path: string, sdp = playerOffer()) =>
    ask(who, 'POST', `/webrtc/${path}/whep`, { type: 'application/sdp', body: sdp });
  async function whep(who: Who, path: string): Promise<string> {
    const { status, headers, text } = await offer(who, path);
    assert.equal(status, 201, text);
    assert.match(text, /^v=0/);
    const location = headers.get('location') ?? '';
    assert.ok(location.startsWith(`/webrtc/${path}/whep/`), location);
    return location.slice(location.lastIndexOf('/') + 1);
  }

  /** The earliest time from which each path has two seconds of recordings: they do not begin at the same moment. */
  async function recordedStart(): Promise<string> {
    let start = '';
    await until('all paths have recordings of the same two seconds', async () => {
      const lists = await Promise.all(
        PATHS.map(async (path) => (await ask('admin', 'GET', `/playback/list?path=${path}`)).text),
      );
      // A path without a recording yet answers with an error, which is no list.
      const firsts = lists.map((text) => {
        const spans: unknown = JSON.parse(text);
        return Array.isArray(spans) ? (spans[0] as { start: string; duration: number } | undefined) : undefined;
      });
      if (firsts.some((first) => !first?.start)) return false;
      const latest = firsts.reduce((one, other) =>
        Date.parse(one?.start ?? '') > Date.parse(other?.start ?? '') ? one : other,
      );
      start = latest?.start ?? '';
      return firsts.every(
        (first) => first && Date.parse(first.start) + first.duration * 1000 > Date.parse(start) + 2000,
      );
    });
    return start;
  }

  async function findThings(): Promise<Things> {
    const [own, foreign] = [await play('admin', OWN), await play('admin', FOREIGN[0])];
    const [ownSecret, foreignSecret] = [await whep('admin', OWN), await whep('admin', FOREIGN[0])];
    const idOf = async (list: string, path: string): Promise<string> => {
      const { items } = (await json('admin', `/v3/${list}/list`)) as { items: { id: string; path: string }[] };
      return items.find((item) => item.path === path)?.id ?? assert.fail(`no ${list} of ${path}`);
    };
    const start = await recordedStart();
    const ids = async (list: string) => [await idOf(list, OWN), await idOf(list, FOREIGN[0])] as const;
    const [ownHls, foreignHls] = await ids('hlssessions');
    const [ownRtsp, foreignRtsp] = await ids('rtspsessions');
    const [ownWebRtc, foreignWebRtc] = await ids('webrtcsessions');
    return {
      ...{ ownSession: own.session, foreignSession: foreign.session, ownPart: own.part, foreignPart: foreign.part },
      ...{ ownSecret, foreignSecret, ownHls, foreignHls, ownRtsp, foreignRtsp, ownWebRtc, foreignWebRtc },
      start,
    };
  }

  for (const [verdict, who, method, target] of CASES)
    it(`${who}: ${method} ${target} ${verdict}`, async () => {
      const asked = filled(target, things);
      if (verdict === 'odd') {
        const head = `${method} ${asked} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${tokens[who]}\r\nconnection: close\r\n\r\n`;
        const { status = 0 } = await rawRequest(instance.port, head);
        assert.ok([400, 404, 405, 422].includes(status), `status ${status}`);
        return;
      }
      const { status, text, headers } = await ask(who, method, asked);
      if (verdict !== 'passes') return assert.equal(status, 403, text);
      assert.ok(status < 400, `${status} ${text}`);
      if (who === 'carl') assert.doesNotMatch(text + JSON.stringify([...headers]), NAMES_FOREIGN);
    });

  it('lists the own path to a role, and all of them to others; people to admins alone', async () => {
    // Another page than the one that MediaMTX has it on.
    const page = await json('carl', '/v3/paths/list?itemsPerPage=1');
    assert.deepEqual(
      [page.itemCount, page.pageCount, page.items.map(({ name }: { name: string }) => name)],
      [1, 1, [OWN]],
    );
    assert.equal('confName' in page.items[0], false);
    assert.deepEqual((await json('carl', '/v3/paths/list?itemsPerPage=1&page=1')).items, []);
    const all = await json('vera', '/v3/paths/list');
    assert.deepEqual(all.items.map(({ name }: { name: string }) => name).sort(), [...PATHS].sort());
    for (const list of ['hlssessions', 'rtspsessions', 'webrtcsessions']) {
      const [own, viewer, admin] = [
        await json('carl', `/v3/${list}/list`),
        await json('vera', `/v3/${list}/list`),
        await json('admin', `/v3/${list}/list`),
      ];
      assert.ok(own.items.length > 0 && own.items.every(({ path }: { path: string }) => path === OWN));
      assert.ok(viewer.items.length > own.items.length);
      for (const { items } of [own, viewer])
        assert.doesNotMatch(JSON.stringify(items), /remoteAddr|userAgent|"query"|"user"/);
      assert.match(JSON.stringify(admin.items), /remoteAddr/);
    }
    const recordings = await json('carl', '/v3/recordings/list');
    assert.deepEqual([recordings.itemCount, recordings.items.map(({ name }: { name: string }) => name)], [1, [OWN]]);
  });

  it('binds the sessions of HLS to their path', async () => {
    const { session } = await play('carl', OWN);
    assert.equal((await ask('carl', 'GET', `/hls/${OWN}/video1_stream.m3u8?session=${session}`)).status, 200);
    // MediaMTX itself does: the secret of another path is none of this one.
    const { status, text } = await ask(
      'carl',
      'GET',
      `/hls/${OWN}/video1_stream.m3u8?session=${things.foreignSession}`,
    );
    assert.deepEqual([status, NAMES_FOREIGN.test(text)], [401, false]);
  });

  it('starts live pictures by WHEP, and binds its sessions to their path', async () => {
    const secret = await whep('carl', OWN);
    const patch = (path: string, id: string) =>
      ask('carl', 'PATCH', `/webrtc/${path}/whep/${id}`, { type: 'application/trickle-ice-sdpfrag', body: FRAGMENT });
    assert.equal((await patch(OWN, secret)).status, 204);
    assert.equal((await patch(OWN, things.foreignSecret)).status, 403);
    assert.equal((await patch(FOREIGN[0], things.foreignSecret)).status, 403);
    assert.equal((await ask('carl', 'DELETE', `/webrtc/${OWN}/whep/${secret}`)).status, 200);
    // The foreign one is still there.
    const left = (await json('admin', '/v3/webrtcsessions/list')) as { items: { id: string }[] };
    assert.ok(left.items.some(({ id }) => id === things.foreignWebRtc));
  });

  for (const direction of ['sendonly', 'sendrecv'])
    it(`takes no offer that would send pictures (${direction})`, async () => {
      assert.equal((await offer('carl', OWN, playerOffer(direction))).status, 403);
      assert.equal((await offer('vera', OWN, playerOffer(direction))).status, 403);
    });

  it('gives recordings with addresses that lead back, to a role that sees back to a moment no older ones', async () => {
    const [span] = (await json('carl', `/playback/list?path=${OWN}`)) as [{ url: string; start: string }];
    assert.ok(span.url.startsWith(`${instance.url}/playback/get?`), span.url);
    const film = await ask('carl', 'GET', span.url.slice(instance.url.length).replace(/duration=[\d.]+/, 'duration=1'));
    assert.deepEqual([film.status, film.headers.get('content-type'), film.text.length > 500], [200, 'video/mp4', true]);
    const recent = await ask('recent', 'GET', `/playback/list?path=${OWN}`);
    assert.equal(recent.status, 200, recent.text);
    const old = '2020-01-01T00:00:00Z';
    assert.equal((await ask('recent', 'GET', `/playback/get?path=${OWN}&start=${old}&duration=1`)).status, 403);
    assert.equal((await ask('recent', 'GET', `/playback/get?path=${OWN}&start=${span.start}&duration=1`)).status, 200);
    assert.equal((await ask('recent', 'GET', '/v3/recordings/list')).status, 403);
    assert.equal((await ask('recent', 'GET', `/v3/recordings/get/${OWN}`)).status, 403);
  });
});
