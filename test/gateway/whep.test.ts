/** Live signalling over HTTP alone (WHEP): offers, candidates, and the session that an offer starts (SPEC 5). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { OFFERS, written } from '../support/offers.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const BOTH: Person = { name: 'both', role: 'both', password: 'BothPassw0rd!!!' };
const MUTE: Person = { name: 'mute', role: 'mute', password: 'MutePassw0rd!!!' };

const TABLE = `version: 1
routes:
  - { route: "POST /w/{camera}/whep", access: camera, cameras: ["path:camera"], narrow: check, writes: true, signalling: whep, starts: whep, verb: live, views: signalling }
  - { route: "PATCH /w/{camera}/whep/{secret:id}", access: camera, cameras: ["path:camera", "whep:path:secret"], narrow: lookup, writes: true, signalling: candidates, verb: live }
  - { route: "DELETE /w/{camera}/whep/{secret:id}", access: camera, cameras: ["path:camera", "whep:path:secret"], narrow: lookup, writes: true, verb: live }
`;

const FRAGMENT = [
  'a=ice-ufrag:EEtu',
  'a=ice-pwd:x1/y+z=',
  'm=video 9 UDP/TLS/RTP/SAVPF 96 97',
  'a=mid:0',
  'a=candidate:1 1 udp 2113937151 192.0.2.5 50000 typ host generation 0 ufrag EEtu',
  '',
].join('\r\n');

describe('WHEP', () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  const directory = mkdtempSync(join(tmpdir(), 'postern-whep-'));
  const tokens = new Map<Person, string>();
  let sessions = 0;
  before(async () => {
    writeFileSync(join(directory, 'table.yaml'), TABLE);
    nvr = await startFakeNvr();
    instance = await startInstance({
      directory,
      config: {
        nvr: {
          url: nvr.url,
          cameras: ['cam1', 'cam2'],
          policy: './table.yaml',
          routes: { '/w': { url: nvr.url, strip: true } },
        },
        auth: { roles: { front_only: ['cam1'], both: ['cam1', 'cam2'], mute: { cameras: ['cam1'], deny: ['live'] } } },
      },
      people: [ADMIN_PERSON, VERA, CARL, BOTH, MUTE],
    });
    for (const person of [ADMIN_PERSON, VERA, CARL, BOTH, MUTE]) tokens.set(person, await instance.logIn(person));
  });
  after(async () => {
    await instance?.close();
    await nvr?.close();
    rmSync(directory, { recursive: true });
  });
  beforeEach(() => {
    nvr.received.length = 0;
    nvr.answer = (request, response) => {
      if (request.method !== 'POST') return void response.writeHead(204).end();
      sessions += 1;
      const path = (request.url ?? '').split('?', 1)[0];
      response.writeHead(201, { 'content-type': 'application/sdp', location: `${path}/secret-${sessions}` }).end('v=0');
    };
  });

  const send = (who: Person, method: string, path: string, type?: string, body?: string) =>
    instance.ask(path, {
      method,
      token: tokens.get(who) ?? '',
      ...(type !== undefined && { headers: { 'content-type': type } }),
      ...(body !== undefined && { body }),
    });
  const open = async (who: Person, camera: string): Promise<string> => {
    const response = await send(who, 'POST', `/w/${camera}/whep`, 'application/sdp', OFFERS.watch);
    assert.equal(response.status, 201);
    const location = response.headers.get('location') ?? '';
    assert.match(location, new RegExp(`^/w/${camera}/whep/secret-\\d+$`));
    nvr.received.length = 0;
    return location.slice(location.lastIndexOf('/') + 1);
  };
  const arrived = (): readonly string[] => nvr.received.map(({ method, target }) => `${method} ${target}`);

  // biome-ignore format: a table
  const OFFERED: [sentence: string, who: Person, camera: string, offer: string, status: number, body?: string][] = [
    ['an offer that watches',                            CARL,         'cam1', OFFERS.watch,       201, written(OFFERS.watch)],
    ['an offer with a data channel: the server sends',   CARL,         'cam1', OFFERS.dataChannel, 201],
    ['an offer that would be the camera',                CARL,         'cam1', OFFERS.camera,      403],
    ['an offer for a foreign camera',                    CARL,         'cam2', OFFERS.watch,       403],
    ['an offer for an unknown camera',                   CARL,         'cam9', OFFERS.watch,       403],
    ['no offer at all',                                  CARL,         'cam1', '',                 400],
    ['what is no offer',                                 CARL,         'cam1', 'v=0\r\nx',         400],
    ['an offer of a role that sees no live pictures',    MUTE,         'cam1', OFFERS.watch,       403],
    ['an offer that would be the camera, of a viewer',   VERA,         'cam1', OFFERS.camera,      403],
    ['any offer of an admin',                            ADMIN_PERSON, 'cam1', OFFERS.camera,      201, OFFERS.camera],
  ];
  for (const [sentence, who, camera, offer, status, body] of OFFERED)
    it(`has ${status} for ${sentence}`, async () => {
      const response = await send(who, 'POST', `/w/${camera}/whep`, 'application/sdp', offer);
      assert.equal(response.status, status);
      assert.equal(nvr.received.length, status === 201 ? 1 : 0);
      if (body !== undefined) assert.equal(nvr.received[0]?.body, body);
    });

  it('sends candidates on, written anew', async () => {
    const secret = await open(CARL, 'cam1');
    const path = `/w/cam1/whep/${secret}`;
    const response = await send(
      CARL,
      'PATCH',
      path,
      'application/trickle-ice-sdpfrag',
      FRAGMENT.replaceAll('\r\n', '\n'),
    );
    assert.deepEqual([response.status, nvr.received[0]?.body], [204, FRAGMENT]);
  });

  const many = Array.from({ length: 65 }, () => 'a=candidate:1 1 udp 1 192.0.2.5 5 typ host').join('\r\n');
  // biome-ignore format: a table
  const FRAGMENTS: [sentence: string, type: string, body: string][] = [
    ['another type',               'application/sdp', FRAGMENT],
    ['no type',                    '', FRAGMENT],
    ['a line of another kind',     'application/trickle-ice-sdpfrag', `${FRAGMENT}a=setup:active\r\n`],
    ['a direction',                'application/trickle-ice-sdpfrag', `${FRAGMENT}a=sendonly\r\n`],
    ['a line feed in a candidate', 'application/trickle-ice-sdpfrag', 'a=candidate:1 1 udp 1 192.0.2.5 5 typ host\ra=sendonly'],
    ['a long candidate',           'application/trickle-ice-sdpfrag', `a=candidate:${'1'.repeat(600)}`],
    ['too many candidates',        'application/trickle-ice-sdpfrag', many],
    ['a whole offer',              'application/trickle-ice-sdpfrag', OFFERS.watch],
  ];
  for (const [sentence, type, body] of FRAGMENTS)
    it(`sends no candidates on with ${sentence}`, async () => {
      const secret = await open(CARL, 'cam1');
      const response = await send(CARL, 'PATCH', `/w/cam1/whep/${secret}`, type, body);
      assert.deepEqual([response.status, arrived()], [400, []]);
    });

  it('lets the session that an offer started be ended by a role of its camera', async () => {
    const secret = await open(ADMIN_PERSON, 'cam1');
    const response = await send(CARL, 'DELETE', `/w/cam1/whep/${secret}`);
    assert.deepEqual([response.status, arrived()], [204, [`DELETE /cam1/whep/${secret}`]]);
  });

  // biome-ignore format: a table
  const SESSIONS: [sentence: string, opener: Person, of: string, who: Person, by: string][] = [
    ['of a foreign camera, named by its own', ADMIN_PERSON, 'cam2', CARL, 'cam1'],
    ['of a foreign camera',                   ADMIN_PERSON, 'cam2', CARL, 'cam2'],
    ['of another camera than the path names', BOTH,         'cam2', BOTH, 'cam1'],
  ];
  for (const [sentence, opener, of, who, by] of SESSIONS)
    for (const method of ['PATCH', 'DELETE'])
      it(`refuses ${method} for a session ${sentence}`, async () => {
        const secret = await open(opener, of);
        const [type, body] = method === 'PATCH' ? ['application/trickle-ice-sdpfrag', FRAGMENT] : [];
        const response = await send(who, method, `/w/${by}/whep/${secret}`, type, body);
        assert.deepEqual([response.status, arrived()], [403, []]);
      });

  it('lets a session pass that another process started, below its camera', async () => {
    const response = await send(CARL, 'DELETE', '/w/cam1/whep/of-a-replica');
    assert.deepEqual([response.status, arrived()], [204, ['DELETE /cam1/whep/of-a-replica']]);
  });

  it('keeps no session of an offer that was refused', async () => {
    nvr.answer = (_request, response) => response.writeHead(404, { location: '/cam2/whep/other' }).end();
    await send(ADMIN_PERSON, 'POST', '/w/cam2/whep', 'application/sdp', OFFERS.watch);
    const response = await send(CARL, 'DELETE', '/w/cam1/whep/other');
    assert.notEqual(response.status, 403);
  });
});
