/** Headers that say who is calling, sent by the caller: the NVR is told once, and by Postern alone (interface 5.5, 5.6). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ADMIN_PERSON, VERA } from '../support/people.ts';
import { rawRequest } from '../support/raw-request.ts';
import { asRole, claimsIn, HOST, head, UPGRADE, watchInstance } from './support/watched-instance.ts';

const watched = await watchInstance();
const bearer = await watched.bearerOf(VERA);

const send = (bytes: string): ReturnType<typeof rawRequest> => rawRequest(watched.instance.port, bytes);
const claims = (): unknown[] => watched.nvr.received.map(claimsIn);
const arrivesAsVera = (status: number | undefined, expected: number): void =>
  assert.deepEqual([status, claims()], [expected, [asRole('vera', 'viewer')]]);

describe('A viewer who claims to be admin', () => {
  // biome-ignore format: a table
  const dropped: [story: string, ...lines: string[]][] = [
    ['by the very header that the NVR believes',        'Remote-Role: admin', 'Remote-User: root'],
    ['in another case',                                 'REMOTE-ROLE: admin', 'rEmOtE-uSeR: root'],
    ['behind an honest line of the same name',          'Remote-Role: viewer', 'Remote-Role: admin'],
    ['in a list, of which an NVR takes any',            'Remote-Role: viewer,admin'],
    ['by a group of the proxy that is not there',       'Remote-Groups: admins', 'X-Forwarded-User: root', 'X-Forwarded-Groups: admin'],
    ['in the words of another proxy',                   'X-authentik-username: root', 'X-authentik-groups: admin', 'X-Auth-Request-User: root'],
    ['after asking that our own header be dropped',     'Connection: close, remote-role, remote-user', 'Remote-Role: admin'],
    ['after asking so on a connection that is kept',    'Connection: keep-alive, remote-role', 'Remote-Role: admin'],
    ['after asking so by an invalid upgrade',           'Connection: Upgrade, remote-role', 'Remote-Role: admin'],
    ['while waiting for leave to send a body',          'Expect: 100-continue', 'Remote-Role: admin', 'Content-Length: 0'],
  ];
  for (const [story, ...lines] of dropped) {
    it(`${story}: arrives as the viewer`, async () => {
      const { status } = await send(head('GET /api/stats HTTP/1.1', HOST, bearer, lines));
      arrivesAsVera(status, 200);
    });
  }

  // biome-ignore format: a table
  const refused: [story: string, ...lines: string[]][] = [
    ['with an underscore, which some read as a hyphen',  'Remote_Role: admin'],
    ['with a dot, likewise',                             'Remote.Role: admin'],
    ['with a dot behind the name',                       'Remote-Role.: admin'],
    ['with a blank behind the name',                     'Remote-Role : admin'],
    ['with a blank in the name',                         'Remote Role: admin'],
    ['in a line that continues the one before',          'X-A: b', ' Remote-Role: admin'],
    ['behind a bare carriage return',                    'X-A: b\rRemote-Role: admin'],
    ['behind a bare line feed',                          'X-A: b\nRemote-Role: admin'],
    ['behind a NUL',                                     'X-A: b\0Remote-Role: admin'],
    ['behind a header without a name',                   ': b', 'Remote-Role: admin'],
    ['as a property of every object',                    '__proto__: admin'],
    ['behind a thousand small headers',                  ...Array.from({ length: 2500 }, () => 'a: b'), 'Remote-Role: admin'],
  ];
  for (const [story, ...lines] of refused) {
    it(`${story}: does not arrive`, async () => {
      const { status } = await send(head('GET /api/stats HTTP/1.1', HOST, bearer, lines));
      assert.ok(status === 400 || status === 431, `answered ${status}`);
      assert.deepEqual(watched.nvr.received, []);
    });
  }

  it('on the first line of the head: does not arrive', async () => {
    const { status } = await send(head('GET /api/stats HTTP/1.1', ' Remote-Role: admin', HOST, bearer));
    assert.deepEqual([status, watched.nvr.received], [400, []]);
  });

  it('behind the body, as a trailer: arrives without it', async () => {
    const admin = `Authorization: Bearer ${await watched.instance.logIn(ADMIN_PERSON)}`;
    const post = head('POST /api/restart HTTP/1.1', HOST, admin, 'Transfer-Encoding: chunked', 'Trailer: Remote-User');
    const { status } = await send(`${post}2\r\n{}\r\n0\r\nRemote-User: root\r\nRemote-Role: admin\r\n\r\n`);
    assert.deepEqual([status, claims()], [200, [asRole('admin', 'admin')]]);
  });
});

describe('A viewer who claims to be admin on a WebSocket upgrade, which passes no middleware', () => {
  const upgrade = (lines: readonly string[]): ReturnType<typeof rawRequest> =>
    send(head('GET /ws HTTP/1.1', HOST, bearer, UPGRADE, lines));

  // biome-ignore format: a table
  const dropped: [story: string, ...lines: string[]][] = [
    ['by the very header that the NVR believes',    'Remote-Role: admin', 'Remote-User: root'],
    ['behind an honest line of the same name',      'Remote-Role: viewer', 'Remote-Role: admin'],
    ['in the words of a proxy',                     'X-Forwarded-User: root', 'X-authentik-groups: admin'],
    ['after asking that our own header be dropped', 'Connection: remote-role', 'Remote-Role: admin'],
  ];
  for (const [story, ...lines] of dropped) {
    it(`${story}: arrives as the viewer`, async () => arrivesAsVera((await upgrade(lines)).status, 101));
  }

  for (const line of ['Remote_Role: admin', 'Remote.Role: admin', 'Expect: 100-continue', 'Content-Length: 5']) {
    it(`with "${line}": does not arrive`, async () => {
      assert.deepEqual([(await upgrade([line])).status, watched.nvr.received], [400, []]);
    });
  }
});

describe('An unknown caller who claims to be admin', () => {
  it('on a public page: is ignored as well', async () => {
    const { status } = await send(head('GET /assets/x.js HTTP/1.1', HOST, 'Remote-User: root', 'Remote-Role: admin'));
    assert.deepEqual([status, claims()], [200, [[]]]);
  });

  it('on anything else: does not arrive', async () => {
    const { status } = await send(head('GET /api/stats HTTP/1.1', HOST, 'Remote-User: root', 'Remote-Role: admin'));
    assert.deepEqual([status, watched.nvr.received], [401, []]);
  });

  it('by saying that the internal port was meant: does not arrive', async () => {
    const lines = ['X-Server-Port: 5000', 'X-Forwarded-Port: 5000', 'Host: 127.0.0.1:5000'];
    const { status } = await send(head('GET /api/stats HTTP/1.1', lines));
    assert.deepEqual([status, watched.nvr.received], [401, []]);
  });
});

describe('What a viewer sends about where the request came from', () => {
  // biome-ignore format: a table
  const lines: [name: string, value: string][] = [
    ['X-Server-Port', '5000'], ['X-Original-URL', '/assets/x'], ['X-Original-Method', 'PUT'], ['X-Rewrite-URL', '/api/users'],
    ['X-Forwarded-Uri', '/api/version'], ['X-Forwarded-Prefix', '/evil'], ['X-Forwarded-Host', 'evil.test'],
    ['X-Forwarded-For', '198.51.100.1'], ['X-Forwarded-Proto', 'gopher'], ['X-Real-IP', '198.51.100.1'], ['Forwarded', 'for=198.51.100.1'],
    ['X-Ingress-Path', '"><script>'], ['X-Accel-Redirect', '/evil'], ['X-Proxy-Secret', 'evil'], ['X-Request-Id', 'evil'],
  ];

  it('does not reach the NVR in any header', async () => {
    const sent = lines.map(([name, value]) => `${name}: ${value}`);
    assert.equal((await send(head('GET /api/stats HTTP/1.1', HOST, bearer, sent))).status, 200);
    const values = lines.map(([, value]) => value);
    const arrived = watched.nvr.received.flatMap(({ headers }) => headers);
    const isMadeHere = ([name, value]: readonly [string, string]) =>
      name === 'x-request-id' && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
    assert.deepEqual(
      arrived.filter((header) => !isMadeHere(header) && values.some((evil) => header[1].includes(evil))),
      [],
    );
  });

  it('keeps the session between the viewer and Postern', async () => {
    const token = bearer.slice('Authorization: Bearer '.length);
    const cookies = `Cookie: theme=dark; frigate_token=${token}; "frigate_token"=x`;
    await send(head('GET /api/stats HTTP/1.1', HOST, cookies));
    await send(head('GET /api/stats HTTP/1.1', HOST, bearer));
    assert.equal(watched.nvr.received.length, 2);
    assert.deepEqual(
      watched.nvr.received.flatMap(({ headers }) => headers).filter(([, value]) => value.includes(token)),
      [],
    );
    assert.match(watched.nvr.received[0]?.headers.find(([name]) => name === 'cookie')?.[1] ?? '', /^theme=dark/);
  });
});

describe('A caller of the internal listener, where every caller is admin (interface 5.6)', () => {
  it('cannot take another name', async () => {
    const lines = ['Host: 127.0.0.1:5000', 'Remote-User: eve', 'Remote-Role: viewer'];
    const { status } = await rawRequest(watched.instance.internalPort, head('GET /api/stats HTTP/1.1', lines));
    assert.deepEqual([status, claims()], [200, [asRole('anonymous', 'admin')]]);
  });

  it('is not changed by a session either', async () => {
    const { status } = await rawRequest(
      watched.instance.internalPort,
      head('GET /api/stats HTTP/1.1', 'Host: nvr', bearer),
    );
    assert.deepEqual([status, claims()], [200, [asRole('anonymous', 'admin')]]);
  });
});
