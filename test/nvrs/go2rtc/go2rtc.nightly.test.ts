/** go2rtc itself behind Postern, with pictures that ffmpeg makes: everybody gets the own streams, and no other one (SPEC 20). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../../support/people.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { until } from '../../support/until.ts';
import { CASES, ROLES, STREAMS, type Who } from './cases.ts';
import { type RealGo2rtc, skip, startGo2rtc } from './start-go2rtc.ts';

const UTE: Person = { name: 'ute', role: 'odd_only', password: 'OddStreams!!!!!' };
const PEOPLE: Readonly<Record<Who, Person>> = { admin: ADMIN_PERSON, vera: VERA, carl: CARL, ute: UTE };

describe('go2rtc behind Postern', { skip }, () => {
  let go2rtc: RealGo2rtc;
  let instance: Runtime;
  let tokens: Record<Who, string>;
  before(async () => {
    go2rtc = await startGo2rtc(STREAMS);
    instance = await startInstance({
      people: Object.values(PEOPLE),
      config: { nvr: { url: go2rtc.url, policy: 'go2rtc' }, auth: { hash_iterations: 1000, roles: ROLES } },
    });
    const given = Object.entries(PEOPLE).map(async ([who, person]) => [who, await instance.logIn(person)]);
    tokens = Object.fromEntries(await Promise.all(given)) as Record<Who, string>;
  });
  after(async () => {
    await instance?.close();
    await go2rtc?.close();
  });

  /** The status, and the first bytes of the body, of which a stream has no end. */
  async function ask(
    who: Who,
    method: string,
    target: string,
    bytes = 1,
  ): Promise<{ status: number; body: Buffer; type: string }> {
    const left = new AbortController();
    const response = await instance.ask(target, { method, token: tokens[who], signal: left.signal });
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of response.body ?? []) {
        chunks.push(Buffer.from(chunk));
        if (Buffer.concat(chunks).length >= bytes) break;
      }
    } finally {
      left.abort();
    }
    return { status: response.status, body: Buffer.concat(chunks), type: response.headers.get('content-type') ?? '' };
  }

  for (const [verdict, who, method, target] of CASES) {
    it(`${who}: ${method} ${target} ${verdict}`, async () => {
      if (verdict === 'gone') {
        const head = `${method} ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${tokens[who]}\r\nconnection: close\r\n\r\n`;
        const { status } = await rawRequest(instance.port, head);
        assert.ok(status === 400 || status === 404 || status === 405, `status ${status}`);
        return;
      }
      const { status, body } = await ask(who, method, target);
      if (verdict === 'refused') return assert.equal(status, 403);
      assert.equal(status, 200);
      assert.ok(body.length > 0);
    });
  }

  it('lists the own streams to a role, without sources, and all of them to an admin', async () => {
    const listed = async (who: Who) =>
      JSON.parse((await ask(who, 'GET', '/api/streams', 1e6)).body.toString()) as object;
    assert.deepEqual(Object.keys(await listed('carl')), ['front']);
    assert.deepEqual(Object.keys(await listed('ute')), ['back yard ü']);
    assert.deepEqual(Object.keys(await listed('vera')).sort(), [...STREAMS].sort());
    assert.doesNotMatch(JSON.stringify(await listed('vera')), /ffmpeg|lavfi/);
    assert.match(JSON.stringify(await listed('admin')), /lavfi/);
  });

  it('plays HLS of the own stream, and gives the session to nobody who may not see the stream', async () => {
    for (const mp4 of ['', '&mp4']) {
      const session = async (who: Who, stream: string) => {
        const main = (await ask(who, 'GET', `/api/stream.m3u8?src=${stream}${mp4}`, 1e6)).body.toString();
        return /id=(\w+)/.exec(main)?.[1] ?? assert.fail(main);
      };
      const [own, foreign] = [await session('carl', 'front'), await session('vera', 'yard')];
      const paths = ['playlist.m3u8', ...(mp4 ? ['init.mp4', 'segment.m4s'] : ['segment.ts'])];
      for (const path of paths) {
        const { status, body } = await ask('carl', 'GET', `/api/hls/${path}?id=${own}&n=0`, 100);
        assert.deepEqual([path, status, body.length > 0], [path, 200, true]);
        assert.equal((await ask('vera', 'GET', `/api/hls/${path}?id=${own}&n=0`)).status, 200);
        for (const query of [
          `id=${foreign}`,
          `id=${own}&id=${foreign}`,
          `id=${foreign}&id=${own}`,
          `id=${foreign}&src=front`,
        ])
          assert.equal((await ask('carl', 'GET', `/api/hls/${path}?${query}&n=0`)).status, 403);
        assert.equal((await ask('ute', 'GET', `/api/hls/${path}?id=${own}&n=0`)).status, 403);
      }
    }
  });

  const open = (who: Who, query: string): WebSocket =>
    new WebSocket(`${instance.url.replace('http', 'ws')}/api/ws?${query}`, {
      headers: { authorization: `Bearer ${tokens[who]}` },
    });
  const outcome = (socket: WebSocket): Promise<number> =>
    new Promise((resolve) => {
      socket.once('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
      socket.once('open', () => resolve(101));
      socket.once('error', () => {});
    });

  for (const query of [
    'src=yard',
    'src=front&src=yard',
    'src=&src=yard',
    'src=exec:id',
    'src=front&dst=yard',
    'dst=front',
    'src=front&name=yard',
    '',
  ])
    it(`opens no WebSocket for ${JSON.stringify(query)}`, async () =>
      assert.equal(await outcome(open('carl', query)), 403));

  it('plays MSE of the own stream by the WebSocket, and HLS, whose session is bound to the stream', async () => {
    const socket = open('carl', 'src=front');
    const texts: { type: string; value: string }[] = [];
    let bytes = 0;
    socket.on('message', (data, isBinary) => {
      if (isBinary) bytes += (data as Buffer).length;
      else texts.push(JSON.parse(String(data)));
    });
    assert.equal(await outcome(socket), 101);
    socket.send(JSON.stringify({ type: 'mse', value: 'avc1.640029,avc1.64002A,avc1.640033,mp4a.40.2' }));
    await until('a picture comes', () => bytes > 1000);
    socket.send(JSON.stringify({ type: 'hls', value: 'avc1.640029' }));
    await until('a playlist comes', () => texts.some(({ type }) => type === 'hls'));
    const id = /id=(\w+)/.exec(texts.find(({ type }) => type === 'hls')?.value ?? '')?.[1];
    assert.equal((await ask('carl', 'GET', `/api/hls/playlist.m3u8?id=${id}`)).status, 200);
    assert.equal((await ask('carl', 'GET', `/api/hls/segment.m4s?id=${id}&n=0`, 100)).status, 200);
    assert.equal((await ask('ute', 'GET', `/api/hls/segment.m4s?id=${id}&n=0`)).status, 403);
    socket.terminate();
  });
});
