/** Postern's own routes stay Postern's: in no spelling, by no method, does a request for one reach the NVR (SPEC 5). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { rawRequest } from '../support/raw-request.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

interface OwnRow {
  readonly route: string;
  readonly forwarded?: boolean;
}

const { routes } = parse(readFileSync(new URL('../../conf/policies/postern.yaml', import.meta.url), 'utf8')) as {
  readonly routes: readonly OwnRow[];
};
const methodsOf = ({ route }: OwnRow): readonly string[] => (route.split(' ')[0] ?? '').split(',');
const pathOf = ({ route }: OwnRow): string => route.split(' ')[1] ?? '';
/** Forwarded to the events backend, and to no NVR. */
const OF_BACKEND: readonly string[] = ['/api/events/changes', '/api/zones'];
/** Of these Postern forwards a part, so an admin's request may reach the NVR. HEAD is judged and answered as GET is. */
const FORWARDED = new Set(
  routes
    .filter((row) => row.forwarded && !OF_BACKEND.includes(pathOf(row)))
    .flatMap((row) =>
      methodsOf(row)
        .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
        .map((method) => `${method} ${pathOf(row)}`),
    ),
);
const PATHS = [...new Set(routes.map(pathOf))];
/** Postern itself asks the NVR this for its status page. */
const ASKED_BY_POSTERN = '/api/version';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'WS', 'PROPFIND', 'TRACE', 'post'];

/** Names for `{user}`, `{id}` and `{rest...}` that exist nowhere. */
const filled = (path: string): string => path.replace('{rest...}', 'a/b').replaceAll(/\{\w+\}/g, '0000-not-there');

const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');
const LETTER_TRICKS: readonly ((character: string) => string)[] = [
  (character) => `%${hex(character)}`,
  (character) => `%${hex(character).toUpperCase()}`,
  (character) => `%25${hex(character)}`,
  (character) => character.toUpperCase(),
  (character) => `%${hex(character.toUpperCase())}`,
];
const SLASH_TRICKS: readonly string[] = ['//', '/./', '/%2e/', '/x/../', '/%2e%2e/', '%2f', '%2F', '\\', '/;x/'];
const TAILS: readonly string[] = [
  '',
  '',
  '',
  '/',
  '//',
  '?',
  '?x=1',
  '/?x=1',
  '%00',
  '%0a',
  ';x',
  ';',
  '#x',
  '%23',
  '%3f',
];

/** A path with some of its letters and one of its slashes written otherwise. */
const spelling = (path: string) =>
  fc
    .record({
      letters: fc.array(fc.tuple(fc.nat(path.length - 1), fc.constantFrom(...LETTER_TRICKS)), { maxLength: 4 }),
      slash: fc.option(fc.constantFrom(...SLASH_TRICKS), { freq: 3 }),
      slashAt: fc.nat(3),
      tail: fc.constantFrom(...TAILS),
      prefix: fc.constantFrom('', '', '', '', 'http://nvr.test', '/.', '/x/..'),
    })
    .map(({ letters, slash, slashAt, tail, prefix }) => {
      const tricks = new Map(letters);
      let slashes = 0;
      const written = [...path].map((character, at) => {
        if (character === '/') {
          slashes += 1;
          return slash !== null && slashes - 1 === slashAt ? slash : '/';
        }
        return tricks.get(at)?.(character) ?? character;
      });
      return `${prefix}${written.join('')}${tail}`;
    });

const attempts = fc
  .constantFrom(...PATHS)
  .chain((row) =>
    fc.record({ row: fc.constant(row), target: spelling(filled(row)), method: fc.constantFrom(...METHODS) }),
  );

const head = (method: string, target: string): string =>
  method === 'WS'
    ? `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`
    : `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;

/** Doctor looks at the NVR by questions of Postern's own. */
const ASKS_ITSELF: readonly string[] = ['POST /api/status/doctor'];

describe("Postern's own routes", () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  before(async () => {
    nvr = await startFakeNvr();
    const behind = { url: nvr.url, cameras: ['cam1', 'cam2'] };
    instance = await startInstance({ config: { nvr: behind, events: { source: 'nvr' } } });
  });
  after(async () => {
    await instance?.close();
    await nvr.close();
  });

  const reached = (): string[] =>
    nvr.received.map(({ method, target }) => `${method} ${target}`).filter((line) => !line.endsWith(ASKED_BY_POSTERN));

  it('reach the NVR in no spelling and by no method, neither for an admin nor for an unknown caller', async () => {
    await fc.assert(
      fc.asyncProperty(attempts, fc.boolean(), async ({ row, target, method }, isAdmin) => {
        if (isAdmin && (FORWARDED.has(`${method} ${row}`) || ASKS_ITSELF.includes(`${method} ${row}`))) return;
        nvr.received.length = 0;
        await rawRequest(isAdmin ? instance.internalPort : instance.port, head(method, target));
        assert.deepEqual(reached(), [], `${method} ${target} of ${isAdmin ? 'an admin' : 'a stranger'}`);
      }),
      { numRuns: 2000 },
    );
  });

  // biome-ignore format: a table
  const rows: [what: string, method: string, target: string, status: number][] = [
    ['an encoded letter is the letter: the login answers',        'POST',   '/api/log%69n',                       415],
    ['an encoded letter in the password route',                   'PUT',    '/api/users/vera/p%61ssword',         415],
    ['other letter case is not a path of the NVR',                'POST',   '/api/LOGIN',                         404],
    ['nor is a slash at the end',                                 'POST',   '/api/login/',                        404],
    ['a method that no row names is 404',                         'DELETE', '/api/profile',                       404],
    ['a WebSocket at an own path is 404',                         'WS',     '/api/login',                         404],
    ['what no page answers below /postern is 404',                'POST',   '/postern/x',                         404],
  ];
  for (const [what, method, target, status] of rows) {
    it(`${method} ${target} of an admin is ${status}: ${what}`, async () => {
      nvr.received.length = 0;
      const answer = await rawRequest(instance.internalPort, head(method, target));
      assert.equal(answer.status, status);
      assert.deepEqual(reached(), []);
    });
  }

  it('are not confused with paths that only begin like them', async () => {
    nvr.received.length = 0;
    for (const path of ['/loginx', '/api/usersx', '/api/login/x', '/postern-x'])
      await rawRequest(instance.internalPort, head('GET', path));
    assert.deepEqual(reached(), ['GET /loginx', 'GET /api/usersx', 'GET /api/login/x', 'GET /postern-x']);
  });

  it('are judged, routed and sent in one spelling, other paths too', async () => {
    nvr.received.length = 0;
    await rawRequest(instance.internalPort, head('GET', '/api/%66ront%20door%7E/l%61test.jpg?x=%61'));
    assert.deepEqual(reached(), ['GET /api/front%20door~/latest.jpg?x=%61']);
  });
});
