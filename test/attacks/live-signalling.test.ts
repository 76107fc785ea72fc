/**
 * Live signalling. The stream server behind the NVR believes every client: an offer that sends video makes the client
 * the camera that all viewers see, one that sends sound speaks through the camera, and "ice_servers" make the server call
 * any address. The proof of each refusal is what the stream server did not receive (SPEC 5).
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, beforeEach, describe, it } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { OFFERS, written } from '../support/offers.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const { watch, talk, camera, dataChannel } = OFFERS;
/** Sees cam1, and may not speak there. */
const MUTE: Person = { name: 'mute', role: 'silent', password: 'MutePassw0rd!!!' };
const OFFER_PATH = '/api/go2rtc/webrtc?src=cam1';
const SOCKET_PATHS = ['/live/webrtc/api/ws?src=cam1', '/live/mse/api/ws?src=cam1'];
const LIVE = '/api/go2rtc/webrtc';

let nvr: FakeNvr;
let instance: Runtime;
/** What the stream server was told over WebSockets. */
let told: string[] = [];
const ends = new WebSocketServer({ noServer: true });

before(async () => {
  nvr = await startFakeNvr();
  nvr.answerUpgrade = (request, socket) =>
    ends.handleUpgrade(request, socket, Buffer.alloc(0), (end) => {
      end.on('message', (bytes) => told.push(bytes.toString()));
      ends.emit('connection', end, request);
    });
  instance = await startInstance({
    config: {
      nvr: { url: nvr.url },
      events: { source: 'nvr' },
      auth: {
        trusted_proxies: ['127.0.0.1'],
        roles: { front_only: ['cam1'], silent: { cameras: ['cam1'], deny: ['talk'] } },
      },
    },
    people: [ADMIN_PERSON, VERA, CARL, MUTE],
  });
});
after(async () => {
  await instance.close();
  await nvr.close();
});
beforeEach(() => {
  told = [];
  nvr.received.length = 0;
});

const offered = (): FakeNvr['received'] => nvr.received.filter(({ target }) => target.startsWith(LIVE));
const tokens = new Map<Person, string>();
async function tokenOf(person: Person): Promise<string> {
  const token = tokens.get(person) ?? (await instance.logIn(person));
  tokens.set(person, token);
  return token;
}
async function post(person: Person, body: string | Buffer, contentType: string | undefined, path = OFFER_PATH) {
  const headers: Record<string, string> = contentType === undefined ? {} : { 'content-type': contentType };
  return instance.ask(path, {
    method: 'POST',
    token: await tokenOf(person),
    headers,
    body: new Uint8Array(Buffer.from(body)),
  });
}

// biome-ignore format: a table
const FORMS: [type: string | undefined, wrap: (sdp: string) => string][] = [
  ['application/json',                  (sdp) => JSON.stringify({ type: 'offer', sdp })],
  ['application/JSON;x=y',              (sdp) => JSON.stringify({ TYPE: 'offer', SDP: sdp })],
  ['application/sdp',                   (sdp) => sdp],
  ['application/x-www-form-urlencoded', (sdp) => `data=${encodeURIComponent(Buffer.from(sdp).toString('base64'))}`],
  ['image/png',                         (sdp) => sdp],
  [undefined,                           (sdp) => sdp],
];

describe('An offer by HTTP', () => {
  for (const [type, wrap] of FORMS) {
    it(`of type ${type}: plays for all who may see the camera`, async () => {
      for (const person of [VERA, CARL, MUTE, ADMIN_PERSON]) {
        const answer = await post(person, wrap(watch), type);
        assert.equal(answer.status, 200, person.name);
      }
      assert.equal(offered().length, 4);
    });
    it(`of type ${type}: makes only an admin the camera, and opens no data channel`, async () => {
      for (const person of [VERA, CARL, MUTE]) {
        assert.equal((await post(person, wrap(camera), type)).status, 403);
        assert.equal((await post(person, wrap(dataChannel), type)).status, 403);
      }
      assert.deepEqual(offered(), []);
      assert.equal((await post(ADMIN_PERSON, wrap(camera), type)).status, 200);
      assert.equal(offered()[0]?.body, wrap(camera), 'what an admin sends is not touched');
    });
    it(`of type ${type}: speaks for who may, and not for a role that is denied talk`, async () => {
      assert.equal((await post(MUTE, wrap(talk), type)).status, 403);
      assert.deepEqual(offered(), []);
      assert.equal((await post(CARL, wrap(talk), type)).status, 200);
      assert.equal((await post(VERA, wrap(talk), type)).status, 200);
      assert.equal(offered().length, 2);
    });
  }

  it('arrives in the spelling of the gate, without servers to call', async () => {
    const body = { type: 'offer', SDP: camera, sdp: watch, ice_servers: [{ urls: ['turn:10.0.0.1'] }] };
    assert.equal((await post(CARL, JSON.stringify(body), 'Application/JSON ; charset=utf-16')).status, 200);
    assert.deepEqual(JSON.parse(offered()[0]?.body ?? ''), { type: 'offer', sdp: written(watch) });
    assert.deepEqual(nvr.lastHeader('content-type'), ['application/json']);
    assert.deepEqual(nvr.lastHeader('content-length'), [String(offered()[0]?.bodyBytes)]);
  });

  // biome-ignore format: a table
  const UNREADABLE: [sentence: string, body: string | Buffer, type: string, status: number][] = [
    ['that is no SDP',                     'hello',                                          'text/plain',       400],
    ['that is no JSON',                    watch,                                            'application/json', 400],
    ['with a second JSON object',          `${JSON.stringify({ sdp: watch })}${JSON.stringify({ sdp: camera })}`, 'application/json', 400],
    ['with a direction in capitals',       camera.replace('sendonly', 'SendOnly'),           'application/sdp',  400],
    ['with a bare CR',                     watch.replace('recvonly\r\n', 'recvonly\ra=sendonly\r\n'), 'application/sdp', 400],
    ['of more than 64 KB',                 `${watch}a=x:${'y'.repeat(70_000)}\r\n`,          'application/sdp',  413],
  ];
  for (const [sentence, body, type, status] of UNREADABLE) {
    it(`${sentence} is refused`, async () => {
      assert.equal((await post(VERA, body, type)).status, status);
      assert.deepEqual(offered(), []);
    });
  }

  it('in the query of an empty form is not looked at by the stream server', async () => {
    const data = encodeURIComponent(Buffer.from(camera).toString('base64'));
    const path = `${OFFER_PATH}&data=${data}`;
    assert.equal((await post(VERA, '', 'application/x-www-form-urlencoded', path)).status, 200);
    assert.deepEqual([nvr.lastHeader('content-type'), offered()[0]?.bodyBytes], [['text/plain'], 0]);
  });

  it('that is compressed is refused, and one in chunks is judged', async () => {
    const token = await tokenOf(VERA);
    const headers = { 'content-type': 'application/sdp' };
    const zipped = await instance.ask(OFFER_PATH, {
      method: 'POST',
      token,
      headers: { ...headers, 'content-encoding': 'gzip' },
      body: watch, // biome-ignore format: short
    });
    assert.equal(zipped.status, 400);
    const stream = new Blob([camera]).stream();
    const chunked = await instance.ask(OFFER_PATH, {
      method: 'POST',
      token,
      headers,
      body: stream,
      duplex: 'half', // biome-ignore format: short
    } as RequestInit);
    assert.equal(chunked.status, 403);
    assert.deepEqual(offered(), []);
  });

  // biome-ignore format: a table
  const FOR_ADMINS: [method: string, path: string][] = [
    ['POST',   '/api/go2rtc/webrtc?dst=cam1'],
    ['POST',   '/api/go2rtc/webrtc?src=cam1&dst=cam1'],
    ['POST',   '/api/go2rtc/webrtc?src=cam1&%64st=cam1'],
    ['DELETE', '/api/go2rtc/webrtc?id=abc'],
    ['PATCH',  '/api/go2rtc/webrtc?id=abc'],
    ['POST',   '/live/webrtc/webrtc?src=cam1'],
    ['POST',   '/live/webrtc/api/webrtc?src=cam1'],
    ['POST',   '/live/mse/api/webrtc?src=cam1'],
    ['POST',   '/api/go2rtc/api/webrtc?src=cam1'],
    ['PUT',    '/api/go2rtc/webrtc?src=cam1'],
  ];
  for (const [method, path] of FOR_ADMINS) {
    it(`${method} ${path} is for admins only`, async () => {
      for (const person of [VERA, CARL]) {
        const answer = await instance.ask(path, { method, token: await tokenOf(person), body: watch });
        assert.equal(answer.status, 403);
      }
      assert.deepEqual(
        nvr.received.filter(({ target }) => target.includes('webrtc')),
        [],
      );
    });
  }

  it('that a proxy only asks about is refused: its body is not there to judge', async () => {
    const asked = (token: string, method: string, url: string, query = '') =>
      instance.ask(`/auth${query}`, { token, headers: { 'x-original-url': url, 'x-original-method': method } });
    const [viewer, admin] = [await tokenOf(VERA), await tokenOf(ADMIN_PERSON)];
    assert.equal((await asked(viewer, 'POST', OFFER_PATH)).status, 403);
    assert.equal((await asked(viewer, 'GET', SOCKET_PATHS[0] ?? '', '?upgrade=websocket')).status, 403);
    assert.equal((await asked(admin, 'POST', OFFER_PATH)).status, 202);
  });
});

describe('A live WebSocket', () => {
  async function open(person: Person, path: string) {
    const token = await tokenOf(person);
    const connected = once(ends, 'connection');
    const client = new WebSocket(`ws://127.0.0.1:${instance.port}${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const [end] = (await connected) as [WebSocket];
    if (client.readyState !== WebSocket.OPEN) await once(client, 'open');
    return { client, end };
  }
  const LAST = JSON.stringify({ type: 'webrtc/candidate', value: '' });
  /** Says these, and waits until a message that every caller may send has arrived. */
  async function say(client: WebSocket, end: WebSocket, ...messages: (object | string)[]): Promise<string[]> {
    const last = new Promise<void>((resolve) =>
      end.on('message', (bytes) => {
        if (bytes.toString() === LAST) resolve();
      }),
    );
    for (const message of messages) client.send(typeof message === 'string' ? message : JSON.stringify(message));
    client.send(LAST);
    await last;
    return told.filter((text) => text !== LAST);
  }

  for (const path of SOCKET_PATHS) {
    it(`${path}: passes pictures, offers to watch and candidates`, async () => {
      for (const person of [VERA, CARL, MUTE]) {
        told = [];
        const { client, end } = await open(person, path);
        const candidate = { type: 'webrtc/candidate', value: 'candidate:1 1 udp 1 10.0.0.1 9 typ host' };
        const arrived = await say(client, end, { type: 'webrtc/offer', value: watch }, candidate);
        assert.deepEqual(arrived, [
          JSON.stringify({ type: 'webrtc/offer', value: written(watch) }),
          JSON.stringify(candidate),
        ]);
        const pictures = once(client, 'message');
        end.send(Buffer.from([0, 1, 2, 3]));
        const [bytes, isBinary] = await pictures;
        assert.deepEqual([[...(bytes as Buffer)], isBinary], [[0, 1, 2, 3], true]);
        const answer = once(client, 'message');
        end.send(JSON.stringify({ type: 'webrtc/answer', value: 'v=0' }));
        assert.equal(String((await answer)[0]), JSON.stringify({ type: 'webrtc/answer', value: 'v=0' }));
        client.close();
      }
    });

    it(`${path}: tells the stream server of no camera, no data channel, no server to call, and no other type`, async () => {
      const servers = [{ urls: ['stun:10.0.0.1:3478'] }];
      for (const person of [VERA, CARL]) {
        told = [];
        const { client, end } = await open(person, path);
        const arrived = await say(
          client, end,
          { type: 'webrtc/offer', value: camera },
          { type: 'webrtc', value: { type: 'offer', sdp: camera } },
          { Type: 'webrtc', Value: { type: 'offer', SDP: dataChannel } },
          `{"type":"mse","TYPE":"webrtc/offer","value":${JSON.stringify(camera)}}`,
          { type: 'streams/set', value: 'exec:x' },
          { type: 'webrtc', value: { type: 'offer', sdp: watch, ice_servers: servers, ICE_SERVERS: servers } },
        ); // biome-ignore format: messages
        assert.deepEqual(arrived, [JSON.stringify({ type: 'webrtc', value: { type: 'offer', sdp: written(watch) } })]);
        client.close();
      }
    });

    it(`${path}: judges a renegotiation like the first offer, and speaks only for who may`, async () => {
      const { client, end } = await open(MUTE, path);
      await say(client, end, { type: 'webrtc/offer', value: watch }, { type: 'webrtc/offer', value: watch });
      assert.equal(told.filter((text) => text.includes('webrtc/offer')).length, 1, 'one offer is under way');
      const answered = once(client, 'message');
      end.send(JSON.stringify({ type: 'webrtc/answer', value: 'v=0' }));
      await answered;
      told = [];
      const refusal = once(client, 'message');
      client.send(JSON.stringify({ type: 'webrtc/offer', value: talk }));
      assert.match(String((await refusal)[0]), /^\{"type":"error","value":"webrtc\/offer: /);
      assert.deepEqual(await say(client, end, { type: 'webrtc', value: { sdp: camera } }), []);
      client.close();
      told = [];
      const speaker = await open(CARL, path);
      assert.equal((await say(speaker.client, speaker.end, { type: 'webrtc/offer', value: talk })).length, 1);
      speaker.client.close();
    });

    it(`${path}: starts each kind of picture once`, async () => {
      told = [];
      const { client, end } = await open(CARL, path);
      const kinds = ['mse', 'mp4', 'hls', 'mjpeg'].map((type) => ({ type, value: '' }));
      const arrived = await say(client, end, ...Array.from({ length: 75 }, () => kinds).flat());
      assert.deepEqual(
        arrived,
        kinds.map((kind) => JSON.stringify(kind)),
      );
      client.close();
    });

    it(`${path}: is closed by what is no message, and passes an admin's unread`, async () => {
      const { client } = await open(CARL, path);
      const closed = once(client, 'close');
      client.send(Buffer.from(JSON.stringify({ type: 'webrtc/offer', value: camera })));
      assert.equal((await closed)[0], 1007);
      assert.deepEqual(told, []);
      const admin = await open(ADMIN_PERSON, path);
      const message = JSON.stringify({ type: 'webrtc/offer', value: camera, x: 1 });
      assert.deepEqual(await say(admin.client, admin.end, message), [message]);
      admin.client.close();
    });
  }

  it('ends when its role is denied talk by a reload', async () => {
    const { client } = await open(CARL, SOCKET_PATHS[0] ?? '');
    const closed = once(client, 'close');
    await instance.reload({
      nvr: { url: nvr.url },
      events: { source: 'nvr' },
      auth: {
        roles: { front_only: { cameras: ['cam1'], deny: ['talk'] }, silent: { cameras: ['cam1'], deny: ['talk'] } },
      },
    });
    assert.equal((await closed)[0], 4403);
  });
});
