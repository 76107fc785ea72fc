/** The NVR's WebSocket through a whole instance: which caller receives and sends which messages (SPEC 5, 6). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../../support/people.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';

/** Sees cam1, and may not move it. */
const WALT = { name: 'walt', role: 'watcher', password: 'WaltPassw0rd!!!' };

interface Pair {
  readonly client: WebSocket;
  /** The NVR's end of the same. */
  readonly nvr: WebSocket;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const text = (topic: string, payload: unknown = 'X'): string => JSON.stringify({ topic, payload });
const json = (topic: string, payload: unknown): string => text(topic, JSON.stringify(payload));

describe('The WebSocket of messages', () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  const ends = new WebSocketServer({ noServer: true });
  before(async () => {
    nvr = await startFakeNvr();
    nvr.answerUpgrade = (request, socket) =>
      ends.handleUpgrade(request, socket, Buffer.alloc(0), (end) => ends.emit('connection', end, request));
    instance = await startInstance({
      config: {
        nvr: { url: nvr.url },
        auth: { roles: { front_only: ['cam1'], watcher: { cameras: ['cam1'], deny: ['ptz'] } } },
      },
      people: [ADMIN_PERSON, VERA, CARL, WALT],
    });
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });

  async function open(person: typeof CARL): Promise<Pair> {
    const token = await instance.logIn(person);
    const connected = once(ends, 'connection');
    const client = new WebSocket(`ws://127.0.0.1:${instance.port}/ws`, {
      headers: { authorization: `Bearer ${token}`, 'remote-role': 'admin' },
    });
    const [end, request] = await connected;
    if (client.readyState !== WebSocket.OPEN) await once(client, 'open');
    return { client, nvr: end, headers: request.headers };
  }

  /** What arrives at one end, up to a message that every caller may send and receive. */
  async function heard(from: WebSocket, to: WebSocket, messages: readonly string[], last: string): Promise<string[]> {
    const arrived: string[] = [];
    const isLast = new Promise<void>((resolve) =>
      to.on('message', (bytes) => {
        arrived.push(bytes.toString());
        if (bytes.toString() === last) resolve();
      }),
    );
    for (const message of [...messages, last]) from.send(message);
    await isLast;
    return arrived.slice(0, -1);
  }
  const told = ({ nvr: end, client }: Pair, messages: readonly string[]) =>
    heard(end, client, messages, text('model_state', 'last'));
  const said = ({ nvr: end, client }: Pair, messages: readonly string[]) =>
    heard(client, end, messages, text('onConnect', 'last'));

  const FROM_NVR = [
    json('camera_activity', { cam1: 1, cam2: 2 }),
    json('events', { after: { camera: 'cam2' } }),
    text('cam1/motion', 'ON'),
    text('cam2/motion', 'ON'),
    json('birdseye_layout', {}),
    text('something/new', '1'),
    'no JSON',
  ];
  const FROM_CLIENT = [
    text('restart', ''),
    text('cam1/ptz', 'STOP'),
    text('cam2/ptz', 'STOP'),
    text('cam1/detect/set', 'ON'),
    text('jobState'),
  ];

  it('tells an admin everything, byte by byte, and lets it say everything', async () => {
    const pair = await open(ADMIN_PERSON);
    assert.deepEqual(await told(pair, FROM_NVR), FROM_NVR);
    assert.deepEqual(await said(pair, FROM_CLIENT), FROM_CLIENT);
    pair.client.close();
  });

  const INTERNAL = [
    'insert_many_recordings', 'insert_preview', 'request_region_grid', 'upsert_review_segment',
    'clear_ongoing_review_segments', 'update_camera_activity', 'update_audio_activity', 'expire_audio_activity',
    'update_event_description', 'update_review_description', 'update_model_state', 'handle_embeddings_reindex_progress',
    'update_birdseye_layout', 'update_audio_transcription_state', 'update_job_state',
  ]; // biome-ignore format: a table
  const notes = INTERNAL.map((topic) => text(topic, { x: 1 }));

  for (const person of [ADMIN_PERSON, VERA, CARL]) {
    it(`drops the internal topics of the NVR from every client: ${person.name}`, async () => {
      const pair = await open(person);
      const spelled = `{"topic":"cam1/ptz","payload":"STOP","top\\u0069c":"insert\\u005fpreview"}`;
      assert.deepEqual(await said(pair, [...notes, spelled, text('jobState')]), [text('jobState')]);
      pair.client.close();
    });
  }

  it('drops them at the internal listener too', async () => {
    const connected = once(ends, 'connection');
    const client = new WebSocket(`ws://127.0.0.1:${instance.internalPort}/ws`);
    const [end, request] = await connected;
    if (client.readyState !== WebSocket.OPEN) await once(client, 'open');
    const pair = { client, nvr: end, headers: request.headers };
    assert.deepEqual(await said(pair, [...notes, text('restart', '')]), [text('restart', '')]);
    client.close();
  });

  it('keeps an admin’s messages as they were spelled, and is closed by what is no message', async () => {
    const pair = await open(ADMIN_PERSON);
    const spelled = '{ "retain":false, "topic" : "my/topic", "payload":{"a":[1,2]} }';
    assert.deepEqual(await said(pair, [spelled]), [spelled]);
    const bytes = once(pair.client, 'message');
    pair.nvr.send(Buffer.from([1, 2, 3]));
    assert.deepEqual((await bytes)[1], true);
    const closed = once(pair.client, 'close');
    pair.client.send('{"topic":"insert_preview","payload":NaN}');
    assert.equal((await closed)[0], 1007);
  });

  it('loses nothing that the NVR says in the packet of its 101', async () => {
    const first = text('cam1/motion', 'at once');
    const token = await instance.logIn(CARL);
    for (let time = 0; time < 10; time += 1) {
      ends.once('connection', (end: WebSocket) => {
        end.send(first);
        end.send(text('model_state', 'last'));
      });
      const client = new WebSocket(`ws://127.0.0.1:${instance.port}/ws`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const [bytes] = await once(client, 'message');
      assert.equal(String(bytes), first);
      client.close();
    }
  });

  it('tells a viewer all that the tables know, and lets it ask and move cameras', async () => {
    const pair = await open(VERA);
    assert.deepEqual(await told(pair, FROM_NVR), FROM_NVR.slice(0, 5));
    assert.deepEqual(await said(pair, FROM_CLIENT), [
      text('cam1/ptz', 'STOP'),
      text('cam2/ptz', 'STOP'),
      text('jobState'),
    ]);
    pair.client.close();
  });

  it('tells a role of cam1 about cam1, and lets it move cam1', async () => {
    const pair = await open(CARL);
    assert.deepEqual(await told(pair, FROM_NVR), [json('camera_activity', { cam1: 1 }), text('cam1/motion', 'ON')]);
    assert.deepEqual(await said(pair, FROM_CLIENT), [text('cam1/ptz', 'STOP'), text('jobState')]);
    pair.client.close();
  });

  it('moves no camera for a role that is denied ptz', async () => {
    const pair = await open(WALT);
    assert.deepEqual(await said(pair, FROM_CLIENT), [text('jobState')]);
    pair.client.close();
  });

  it('tells the NVR who it is, whatever the client claimed', async () => {
    const pair = await open(CARL);
    assert.deepEqual(
      [pair.headers['remote-user'], pair.headers['remote-role'], pair.headers['authorization']],
      ['carl', 'front_only', undefined],
    );
    pair.client.close();
  });

  // biome-ignore format: a table
  const bad: [sentence: string, message: string | Buffer, code: number][] = [
    ['that is no JSON',          'hello',             1007],
    ['whose topic is no text',   '{"topic":["x"]}',   1007],
    ['of bytes',                 Buffer.from([1, 2]), 1007],
    ['nested too deep',        `{"topic":"onConnect","payload":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, 1007],
    ['that is too long',         text('onConnect', 'x'.repeat(70_000)), 1009],
  ];
  for (const [sentence, message, code] of bad) {
    it(`is closed by a message ${sentence}, and no other is`, async () => {
      const [pair, other] = [await open(CARL), await open(CARL)];
      const [closed, gone] = [once(pair.client, 'close'), once(pair.nvr, 'close')];
      pair.client.send(message);
      assert.equal((await closed)[0], code);
      await gone;
      assert.deepEqual(await told(other, [text('cam1/motion', 'ON')]), [text('cam1/motion', 'ON')]);
      other.client.close();
    });
  }

  it('goes on when the NVR sends JSON that is nested too deep', async () => {
    const pair = await open(CARL);
    const deep = `{"cameras":{"cam1":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}}`;
    assert.deepEqual(await told(pair, [text('stats', deep), text('cam1/motion', 'ON')]), [text('cam1/motion', 'ON')]);
    pair.client.close();
  });

  it('is closed on both sides when either side leaves', async () => {
    const first = await open(CARL);
    const nvrGone = once(first.nvr, 'close');
    first.client.close();
    await nvrGone;
    const second = await open(CARL);
    const clientGone = once(second.client, 'close');
    second.nvr.close(1012);
    assert.equal((await clientGone)[0], 1012);
    const third = await open(CARL);
    const torn = once(third.client, 'close');
    third.nvr.terminate();
    assert.equal((await torn)[0], 1001);
  });

  it('holds the NVR back while a client does not read, and loses nothing', async () => {
    const pair = await open(CARL);
    pair.client.pause();
    const message = text('cam1/x', 'y'.repeat(64 * 1024));
    const count = 400;
    let sent = 0;
    for (; sent < count; sent += 1) pair.nvr.send(message);
    const drained = new Promise<void>((resolve) => pair.nvr.send(text('cam1/x', 'end'), () => resolve()));
    // Twenty-five megabytes do not fit into the gate and the sockets: some of them still wait at the NVR.
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(pair.nvr.bufferedAmount > 0);
    let arrived = 0;
    const all = new Promise<void>((resolve) =>
      pair.client.on('message', () => {
        arrived += 1;
        if (arrived === count + 1) resolve();
      }),
    );
    pair.client.resume();
    await Promise.all([drained, all]);
    assert.equal(arrived, count + 1);
    pair.client.close();
  });

  it('that the NVR refuses is refused in ordinary HTTP', async () => {
    const upgrade = nvr.answerUpgrade;
    nvr.answerUpgrade = (_request, socket) => socket.end('HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n');
    const token = await instance.logIn(CARL);
    const client = new WebSocket(`ws://127.0.0.1:${instance.port}/ws`, {
      headers: { authorization: `Bearer ${token}` },
    });
    client.on('error', () => {});
    const [, response] = await once(client, 'unexpected-response');
    assert.equal(response.statusCode, 502);
    client.terminate();
    nvr.answerUpgrade = upgrade;
  });
});
