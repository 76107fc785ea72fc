/** MediaMTX behind Postern, by the answers of a real one: what arrives there for each case, and what does not (SPEC 20). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../../support/people.ts';
import { rawRequest } from '../../support/raw-request.ts';
import { type Runtime, startInstance } from '../../support/start-instance.ts';
import { CASES, FOREIGN, filled, OWN, ROLES, type Who } from './cases.ts';
import { FRAGMENT, playerOffer } from './offer.ts';
import { readRecording } from './record-answers.ts';

const PEOPLE = { admin: ADMIN_PERSON, vera: VERA, carl: CARL } as const;
const { things, answers } = readRecording();
const OF_PORCH_SUB = '0f000000-0000-4000-8000-000000000000';
const SERVERS = ['api', 'hls', 'webrtc', 'playback', 'metrics'] as const;
type Server = (typeof SERVERS)[number];
const PREFIXES: readonly (readonly [prefix: string, server: Server])[] = [
  ['/hls', 'hls'],
  ['/webrtc', 'webrtc'],
  ['/playback', 'playback'],
];
const NAMES_FOREIGN = /garden|porch\/sub|porch_2|live\/porch|"(?:name|path)":"whep"/;

/** What the servers are sent for a target that passes, as their own path. */
function expected(who: Who, target: string): string {
  const [prefix] = PREFIXES.find(([start]) => target.startsWith(`${start}/`)) ?? [''];
  const sent = target.slice(prefix.length);
  return who === 'carl' && /^\/v3\/\w+\/list$/.test(sent) ? `${sent}?itemsPerPage=1000000&page=0` : sent;
}

describe('MediaMTX behind Postern, by what it was seen to answer', () => {
  const fakes = {} as Record<Server, FakeNvr>;
  let instance: Runtime;
  let tokens: Record<Who, string>;
  before(async () => {
    for (const name of SERVERS) {
      const fake = await startFakeNvr();
      fake.answer = (request, response, { method, target }) => {
        const known = answers[`${name} ${method} ${target}`];
        if (!known)
          return void response
            .writeHead(404, { 'content-type': 'application/json' })
            .end('{"status":"error","error":"not found"}');
        const body = known.body.replaceAll(/http:\/\/127\.0\.0\.1:\d+\/get/g, `http://${request.headers.host}/get`);
        response.writeHead(known.status, known.headers).end(Buffer.from(body, 'latin1'));
      };
      fakes[name] = fake;
    }
    instance = await startInstance({
      config: {
        nvr: {
          url: fakes.api.url,
          policy: 'mediamtx',
          routes: {
            ...Object.fromEntries(PREFIXES.map(([prefix, name]) => [prefix, { url: fakes[name].url, strip: true }])),
            '/metrics': fakes.metrics.url,
          },
        },
        auth: { hash_iterations: 1000, roles: ROLES },
      },
    });
    const given = Object.entries(PEOPLE).map(async ([who, person]) => [who, await instance.logIn(person)]);
    tokens = Object.fromEntries(await Promise.all(given));
    await startSession(OWN, things.ownSecret);
    await startSession(FOREIGN[0], things.foreignSecret);
    await startSession('porch/sub', OF_PORCH_SUB);
  });
  /** A session of WHEP, of an admin. */
  async function startSession(path: string, secret: string): Promise<void> {
    const { answer } = fakes.webrtc;
    fakes.webrtc.answer = (_request, response) =>
      response.writeHead(201, { location: `/${path}/whep/${secret}` }).end('v=0');
    const response = await send('admin', 'POST', `/webrtc/${path}/whep`, 'application/sdp', playerOffer('sendrecv'));
    fakes.webrtc.answer = answer;
    assert.equal(response.headers.get('location'), `/webrtc/${path}/whep/${secret}`);
  }
  after(async () => {
    await instance?.close();
    await Promise.all(Object.values(fakes).map((fake) => fake.close()));
  });
  beforeEach(() => {
    for (const fake of Object.values(fakes)) fake.received.length = 0;
  });

  /** What arrived of clients: the list of paths is asked for by Postern itself, too. */
  const arrived = (): readonly string[] =>
    SERVERS.flatMap((name) =>
      fakes[name].received
        .filter(({ headers }) => !headers.some(([header, value]) => header === 'remote-user' && value === 'anonymous'))
        .map(({ method, target }) => `${method} ${target}`),
    );
  const send = (
    who: Who,
    method: string,
    target: string,
    type?: string,
    body?: string,
    more: Record<string, string> = {},
  ) =>
    instance.ask(target, {
      method,
      token: tokens[who],
      headers: { ...(type !== undefined && { 'content-type': type }), ...more },
      ...(body !== undefined && { body }),
    });

  for (const [verdict, who, method, target] of CASES)
    it(`${who}: ${method} ${target} ${verdict}`, async () => {
      const asked = filled(target, things);
      if (verdict === 'odd') {
        const head = `${method} ${asked} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${tokens[who]}\r\nconnection: close\r\n\r\n`;
        const { status = 0 } = await rawRequest(instance.port, head);
        assert.ok([400, 404, 405, 422].includes(status), `status ${status}`);
        return assert.deepEqual(arrived(), []);
      }
      const response = await send(who, method, asked);
      const text = await response.text();
      assert.equal(response.status < 400, verdict === 'passes', `${response.status} ${text}`);
      assert.deepEqual(arrived(), verdict === 'refused' ? [] : [`${method} ${expected(who, asked)}`]);
      // A refusal names the path that the request named itself.
      if (who === 'carl' && verdict !== 'refused')
        assert.doesNotMatch(text + JSON.stringify([...response.headers]), NAMES_FOREIGN);
      if (verdict !== 'passes') assert.equal(response.status, 403);
    });

  it('is sent no password of a client, and no session of Postern', async () => {
    await instance.ask(`/hls/${OWN}/`, {
      headers: { cookie: `frigate_token=${tokens.carl}; hlsSession=1`, authorization: 'Basic YWRtaW46YWRtaW4=' },
    });
    assert.deepEqual(
      [arrived(), fakes.hls.lastHeader('authorization'), fakes.hls.lastHeader('cookie')],
      [[`GET /${OWN}/`], [], ['hlsSession=1']],
    );
  });

  it('binds the sessions of WHEP to the path that they were started for', async () => {
    for (const secret of [things.foreignSecret, OF_PORCH_SUB]) {
      const path = `/webrtc/${OWN}/whep/${secret}`;
      assert.equal((await send('carl', 'PATCH', path, 'application/trickle-ice-sdpfrag', FRAGMENT)).status, 403);
      assert.equal((await send('carl', 'DELETE', path)).status, 403);
    }
    assert.deepEqual(arrived(), []);
    await send('carl', 'DELETE', `/webrtc/${OWN}/whep/${things.ownSecret}`);
    assert.deepEqual(arrived(), [`DELETE /${OWN}/whep/${things.ownSecret}`]);
  });

  it('is sent no secret in another spelling: it reads them as the same one', async () => {
    const others = (secret: string) => [
      secret.toUpperCase(),
      secret.replaceAll('-', ''),
      `{${secret}}`,
      `urn:uuid:${secret}`,
      secret.slice(1),
    ];
    for (const who of ['admin', 'carl'] as const) {
      for (const secret of [things.foreignSecret, things.ownSecret].flatMap(others).map(encodeURIComponent)) {
        const path = `/webrtc/${OWN}/whep/${secret}`;
        assert.equal((await send(who, 'PATCH', path, 'application/trickle-ice-sdpfrag', FRAGMENT)).status, 404);
        assert.equal((await send(who, 'DELETE', path)).status, 404);
      }
      for (const secret of [things.foreignSession, things.ownSession].flatMap(others).map(encodeURIComponent))
        assert.equal((await send(who, 'GET', `/hls/${OWN}/video1_stream.m3u8?session=${secret}`)).status, 404);
    }
    assert.deepEqual(arrived(), []);
  });

  it('is sent the offer of a player, with its data channel, and no other one', async () => {
    const offer = (sdp: string) => send('carl', 'POST', `/webrtc/${OWN}/whep`, 'application/sdp', sdp);
    for (const sdp of [playerOffer('sendonly'), playerOffer('sendrecv'), 'v=0', ''])
      assert.ok([400, 403].includes((await offer(sdp)).status));
    assert.deepEqual(arrived(), []);
    await offer(playerOffer());
    assert.deepEqual(arrived(), [`POST /${OWN}/whep`]);
    assert.match(fakes.webrtc.received.at(-1)?.body ?? '', /m=application 9 UDP\/DTLS\/SCTP/);
  });
});
