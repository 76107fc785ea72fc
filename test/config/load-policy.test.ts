import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { compileRouteTable } from '../../src/access/route-table.ts';
import { BUNDLE, isBundleCurrent } from '../../src/build-server.ts';
import {
  BUILT_TABLES,
  type BuiltTables,
  digestText,
  loadPolicy,
  parsePolicy,
  SHIPPED,
} from '../../src/config/policy/load-policy.ts';
import { formatProblem } from '../../src/config/problems/problems.ts';
import { writtenLocator, writtenNarrowing } from '../../src/domain/policy.ts';
import type { PolicyRow } from '../../src/routes/policy-row.ts';
import { withDirectory } from './config-place.ts';

const rowsOf = async (policy: string, directory = '.'): Promise<readonly PolicyRow[]> => {
  const outcome = await loadPolicy(policy, directory);
  return outcome.kind === 'loaded' ? outcome.rows : assert.fail(JSON.stringify(outcome.problems));
};

const accessOf = (rows: readonly PolicyRow[], method: string, path: string): string => {
  const match = compileRouteTable(rows).match(method, path.slice(1).split('/'));
  return match.kind === 'listed' ? match.row.access : 'unlisted';
};

describe('The shipped route tables (SPEC 5)', () => {
  it('are in the built server as they are parsed', { skip: !isBundleCurrent() && 'run "npm run build" first' }, () => {
    const built = JSON.parse(readFileSync(join(BUNDLE, BUILT_TABLES), 'utf8')) as BuiltTables;
    for (const name of ['postern.yaml', 'frigate.yaml', 'mediamtx.yaml', 'strict.yaml']) {
      const text = readFileSync(join(SHIPPED, name), 'utf8');
      const parsed = parsePolicy(text, name);
      assert.ok(parsed.ok);
      assert.deepEqual({ base: undefined, ...built[digestText(text)] }, parsed.value, name);
    }
  });

  it('are parsed once in a process: reloads, and other instances, take the same rows', async () => {
    const [first] = (await rowsOf('frigate')).filter(({ own }) => !own);
    assert.equal(
      (await rowsOf('frigate')).find(({ own }) => !own),
      first,
    );
  });

  // biome-ignore format: a table
  const rows: [request: string, frigate: string, strict: string][] = [
    ['POST /api/login', 'public', 'public'],
    ['GET /api/login', 'public', 'public'],
    ['POST /api/loginfoo', 'unlisted', 'unlisted'],
    ['HEAD /auth', 'any', 'any'],
    ['GET /api/auth', 'any', 'any'],
    ['POST /logout', 'public', 'public'],
    ['GET /api/logout', 'public', 'public'],
    ['GET /api/auth/first_time_login', 'public', 'public'],
    ['GET /login', 'public', 'public'],
    ['GET /postern', 'public', 'public'],
    ['GET /postern/assets/a.js', 'public', 'public'],
    ['GET /api/profile', 'any', 'any'],
    ['GET /api/users', 'admin', 'admin'],
    ['PUT /api/users/anna/password', 'any', 'any'],
    ['PUT /api/users/anna/role', 'admin', 'admin'],
    ['PUT /api/roles/gardener', 'admin', 'admin'],
    ['POST /api/tokens', 'any', 'any'],
    ['GET /', 'public', 'unlisted'],
    ['GET /assets/index.js', 'public', 'unlisted'],
    ['GET /site.webmanifest', 'public', 'unlisted'],
    ['GET /review', 'public', 'unlisted'],
    ['GET /api/', 'any', 'unlisted'],
    ['GET /api/version', 'any', 'unlisted'],
    ['GET /api/config', 'any', 'unlisted'],
    ['PUT /api/config/set', 'admin', 'admin'],
    ['GET /api/events', 'any', 'unlisted'],
    ['DELETE /api/events', 'unlisted', 'unlisted'],
    ['WS /ws', 'any', 'unlisted'],
    ['GET /ws', 'unlisted', 'unlisted'],
    ['WS /live/jsmpeg/garden', 'camera', 'unlisted'],
    ['GET /api/garden/latest.webp', 'camera', 'unlisted'],
    ['GET /vod/garden/start/1/end/2/master.m3u8', 'camera', 'unlisted'],
    ['GET /vod/event/1.2-abc/master.m3u8', 'camera', 'unlisted'],
    ['GET /recordings/2026-01-01/07/', 'unrestricted', 'unlisted'],
    ['GET /recordings/2026-01-01/07/garden/1.mp4', 'camera', 'unlisted'],
    ['GET /clips/thumbs/garden/1.webp', 'camera', 'unlisted'],
    ['GET /clips/faces/anna/1.webp', 'admin', 'unlisted'],
    ['GET /cache/x', 'none', 'unlisted'],
    ['WS /cache/x', 'none', 'unlisted'],
    ['POST /api/export/custom/garden/start/1/end/2', 'admin', 'unlisted'],
  ];
  for (const [request, frigate, strict] of rows) {
    it(`${request} is ${frigate} in frigate, ${strict} in strict`, async () => {
      const [method = '', path = ''] = request.split(' ');
      const found = [accessOf(await rowsOf('frigate'), method, path), accessOf(await rowsOf('strict'), method, path)];
      assert.deepEqual(found, [frigate, strict]);
    });
  }

  it('tell their terms again as they are written', () => {
    for (const name of ['postern.yaml', 'frigate.yaml', 'mediamtx.yaml', 'strict.yaml']) {
      const text = readFileSync(join(SHIPPED, name), 'utf8');
      const table = parsePolicy(text, name);
      assert.ok(table.ok);
      const told = table.value.rows.map(({ cameras, narrow }) => [
        cameras?.map(writtenLocator),
        narrow && writtenNarrowing(narrow),
      ]);
      const { routes } = parse(text) as { routes: { cameras?: string[]; narrow?: string }[] };
      assert.deepEqual(
        told,
        routes.map(({ cameras, narrow }) => [cameras, narrow]),
      );
    }
  });

  it('asks for the proxy secret where credentials are presented', async () => {
    const secret = (await rowsOf('frigate')).filter((row) => row.secret);
    assert.deepEqual([...new Set(secret.map((row) => row.path))].sort(), [
      '/api/login',
      '/api/login/oidc/{name}',
      '/api/login/oidc/{name}/backchannel-logout',
      '/api/login/oidc/{name}/callback',
      '/api/login/passkey',
      '/api/login/passkey/options',
      '/api/screens/code',
      '/api/screens/token',
      '/invitation/{token}',
      '/invitation/{token}/passkey',
      '/invitation/{token}/passkey/options',
      '/invitation/{token}/sign-in/{name}',
      '/login',
      '/s/{secret}',
    ]);
  });
});

describe("A route table of one's own", () => {
  it('comes behind the own routes and before the table it extends', () => {
    const mine =
      'version: 1\nextends: ./base.yaml\nroutes:\n  - { route: "GET /api/events", access: admin, note: mine }\n';
    const base = 'version: 1\nroutes:\n  - { route: "GET,WS /x/{y...}", access: camera, cameras: ["path:y"] }\n';
    return withDirectory({ 'mine.yaml': mine, 'base.yaml': base }, async (directory) => {
      const rows = await rowsOf('./mine.yaml', directory);
      const own = await rowsOf('strict');
      assert.deepEqual(rows, [
        ...own,
        { methods: ['GET'], path: '/api/events', access: 'admin', note: 'mine', file: 'mine.yaml', line: 4 },
        {
          methods: ['GET', 'WS'],
          path: '/x/{y...}',
          access: 'camera',
          cameras: [{ kind: 'camera', source: 'path', name: 'y' }],
          file: 'base.yaml',
          line: 3,
        },
      ]);
    });
  });

  it('can take back what a shipped one gives', () => {
    const mine = 'version: 1\nextends: frigate\nroutes:\n  - { route: "GET /api/version", access: admin }\n';
    return withDirectory({ 'mine.yaml': mine }, async (directory) => {
      const rows = await rowsOf('mine.yaml', directory);
      const found = [accessOf(rows, 'GET', '/api/version'), accessOf(rows, 'GET', '/api/events')];
      assert.deepEqual(found, ['admin', 'any']);
    });
  });

  it('have the words of the adapter that they name, or that the table which they extend names', () => {
    const mine =
      'version: 1\nextends: frigate\nroutes:\n  - { route: "GET /x/{id}", access: camera, cameras: ["event:path:id"], narrow: lookup }\n';
    const other = mine.replace('extends: frigate', 'adapter: frigate');
    return withDirectory({ 'mine.yaml': mine, 'other.yaml': other }, async (directory) => {
      assert.equal(accessOf(await rowsOf('mine.yaml', directory), 'GET', '/x/1'), 'camera');
      assert.equal(accessOf(await rowsOf('other.yaml', directory), 'GET', '/x/1'), 'camera');
    });
  });

  it('cannot take away the login page', () => {
    const mine = 'version: 1\nroutes:\n  - { route: "POST /api/login", access: none }\n';
    return withDirectory({ 'mine.yaml': mine }, async (directory) => {
      assert.equal(accessOf(await rowsOf('mine.yaml', directory), 'POST', '/api/login'), 'public');
    });
  });
});

describe('A route table is refused', () => {
  const row = (text: string): string => `version: 1\nroutes:\n  - ${text}\n`;
  const lost = (route: string, word: string): string =>
    `a.yaml:3:1 routes: "${route}" has "${word}", and the table names no adapter that says what it means: write for example "adapter: frigate" in its head`;
  // biome-ignore format: a table
  const rows: [sentence: string, policy: string, yaml: string, problem: string][] = [
    ['when no table has its name', 'frigat', '', 'config.yaml nvr.policy: "frigat" is not a route table: did you mean frigate?'],
    ['when nothing is near its name', 'something', '', 'config.yaml nvr.policy: "something" is not a route table: write one of frigate, go2rtc, mediamtx, postern, strict, or a file such as ./routes.yaml'],
    ['when its file is not there', './other.yaml', '', 'config.yaml nvr.policy: "./other.yaml" cannot be read: check that the file is there'],
    ['when it extends an unknown one', 'a.yaml', 'version: 1\nextends: strikt\nroutes: []', 'a.yaml:2:10 extends: "strikt" is not a route table: did you mean strict?'],
    ['when it extends itself', 'a.yaml', 'version: 1\nextends: ./a.yaml\nroutes: []', 'a.yaml:2:10 extends: "./a.yaml" extends itself: remove the line'],
    ['when it is no YAML', 'a.yaml', 'routes: [', 'a.yaml:1:10: not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ['when its version is another', 'a.yaml', 'version: 2\nroutes: []', 'a.yaml:1:10 version: 2 is not one of 1'],
    ['when it has no routes', 'a.yaml', 'version: 1', 'a.yaml routes: is missing: write it'],
    ['when its version of the NVR is no release', 'a.yaml', "version: 1\nnvr: 'x'\nroutes: []", 'a.yaml:2:6 nvr: "x" is not of the form /^\\d+\\.\\d+$/'],
    ['when its list of cameras is neither a map nor a list', 'a.yaml', 'version: 1\ncameras: io\nroutes: []', 'a.yaml:2:10 cameras: "io" is not a map: write its keys below it, indented, nor a list: write [one, two]'],
    ['when a row signals in no known way', 'a.yaml', row('{ route: "GET /x", access: any, signalling: 5 }'), 'a.yaml:3:49 routes[0].signalling: 5 is not true or false, nor one of whep, candidates'],
    ['when its adapter is unknown', 'a.yaml', 'version: 1\nadapter: frigat\nroutes: []', 'a.yaml:2:10 adapter: "frigat" is not one of frigate: did you mean frigate?'],
    ['when an id is of a kind that no adapter says', 'a.yaml', row('{ route: "GET /x/{id}", access: camera, cameras: ["event:path:id"], narrow: lookup }'), lost('GET /x/{id}', 'cameras: event:path:id')],
    ['when a file is of a kind that no adapter says', 'a.yaml', row('{ route: "GET /x/{file}", access: camera, cameras: ["file:clip:path:file"] }'), lost('GET /x/{file}', 'cameras: file:clip:path:file')],
    ['when messages are of no adapter', 'a.yaml', row('{ route: "WS /ws", access: any, narrow: per-message }'), lost('WS /ws', 'narrow: per-message')],
    ['when an answer is of no adapter', 'a.yaml', row('{ route: "GET /x", access: any, narrow: rewrite-body, answer: config }'), lost('GET /x', 'answer: config')],
    ['when a list is made by no adapter', 'a.yaml', row('{ route: "GET /x", access: any, narrow: "own-data:explore" }'), lost('GET /x', 'narrow: own-data:explore')],
    ['when a list with times is made by no adapter', 'a.yaml', row('{ route: "GET /x", access: any, verb: history, times: ["own-data:labels"] }'), lost('GET /x', 'times: own-data:labels')],
    ['when a value in a body is of no adapter', 'a.yaml', row('{ route: "POST /x", access: admin, body: { paths: [clips-file] } }'), lost('POST /x', 'body: clips-file')],
    ['when no adapter reads the configuration of its cameras', 'a.yaml', 'version: 1\ncameras: { path: /config, names: config }\nroutes: []', 'config.yaml nvr.policy: the head of the table has "names: config", and names no adapter that reads the configuration of the NVR: write for example "adapter: frigate", or where the names stand, such as keys'],
    ['when a port does not say how it is told', 'a.yaml', 'version: 1\nports:\n  - { port: 5000, what: x, path: / }\nroutes: []', 'a.yaml:3:5 ports[0]: does not say how the NVR is told there: write "asks: rtsp" or "asks: webrtc", or a path and its answer'],
    ['when the answer at a port is no pattern', 'a.yaml', 'version: 1\nports:\n  - { port: 5000, what: x, path: /, answer: "(" }\nroutes: []', 'a.yaml:3:45 ports[0].answer: is not a regular expression'],
    ['when a key is unknown', 'a.yaml', row('{ route: "GET /x", acces: any, access: any }'), 'a.yaml:3:31 routes[0].acces: unknown key: did you mean access?'],
    ['when no access is named', 'a.yaml', row('{ route: "GET /x" }'), 'a.yaml routes[0].access: is missing: write it'],
    ['when the level is unknown', 'a.yaml', row('{ route: "GET /x", access: admins }'), 'a.yaml:3:32 routes[0].access: "admins" is not one of public, any, camera, unrestricted, admin, none: did you mean admin?'],
    ['when a route is invalid', 'a.yaml', row('{ route: "/x", access: any }'), 'a.yaml:3:14 routes[0].route: "/x" is not a route: write for example "GET /api/events"'],
    ['when a method is unknown', 'a.yaml', row('{ route: "GET,HEAD /x", access: any }'), 'a.yaml:3:14 routes[0].route: "HEAD" is not a method: write GET, POST, PUT, PATCH, DELETE, OPTIONS, WS, ANY (GET stands for HEAD too)'],
    ['when a segment has two parameters', 'a.yaml', row('{ route: "GET /{a}-{b}", access: any }'), 'a.yaml:3:14 routes[0].route: "{a}-{b}" is not a path segment: write text, {name}, {name:shape}, text around one {name}, or {name...}'],
    ['when a parameter has an unknown shape', 'a.yaml', row('{ route: "GET /{a:moth}", access: any }'), 'a.yaml:3:14 routes[0].route: "moth" is not a shape of a parameter: write date, month, two-digits, number, id, uuid, file, zone'],
    ['when a row is there twice but for a shape', 'a.yaml', row('{ route: "GET /{a:month}", access: any }\n  - { route: "GET /{b}", access: admin }'), 'a.yaml:4:14 routes[1].route: "GET /{b}" is in the table already: remove one of the two'],
    ['when it has two remainders', 'a.yaml', row('{ route: "GET /{a...}/b/{c...}", access: any }'), 'a.yaml:3:14 routes[0].route: "GET /{a...}/b/{c...}" has two {name...}: which of them a segment belongs to is not known'],
    ['when only a parameter stands behind a remainder', 'a.yaml', row('{ route: "GET /{a...}/{b}", access: any }'), 'a.yaml:3:14 routes[0].route: "GET /{a...}/{b}" has nothing but parameters after {name...}: write a text or a shape, such as {file:file}, behind it'],
    ['when a start page has another parameter than a camera', 'a.yaml', row('{ route: "GET /page/{id}", access: any, page: true }'), 'a.yaml:3:14 routes[0].route: page is true, which is for rows of GET alone whose parameters name cameras or streams: remove it'],
    ['when a parameter is there twice', 'a.yaml', row('{ route: "GET /{a}/{a}", access: any }'), 'a.yaml:3:14 routes[0].route: "GET /{a}/{a}" uses a parameter name twice: rename one'],
    ['when a camera is asked about but not named', 'a.yaml', row('{ route: "GET /{a}", access: camera }'), 'a.yaml:3:14 routes[0].route: access is camera but no camera is named: add cameras'],
    ['when a camera is in no parameter', 'a.yaml', row('{ route: "GET /{a}", access: camera, cameras: ["path:b"] }'), 'a.yaml:3:14 routes[0].route: cameras has "path:b", but the path has no such parameter'],
    ['when a locator is invalid', 'a.yaml', row('{ route: "GET /{a}", access: camera, cameras: ["a"] }'), 'a.yaml:3:52 routes[0].cameras[0]: "a" is not a camera locator: write for example "path:camera" or "query:cameras"'],
    ['when a narrowing is invalid', 'a.yaml', row('{ route: "GET /x", access: any, narrow: maybe }'), 'a.yaml:3:45 routes[0].narrow: "maybe" is not a way to narrow a response: write for example check or "rewrite:cameras"'],
    ['when an answer has no such form', 'a.yaml', row('{ route: "GET /x", access: any, answer: arrays }'), 'a.yaml:3:45 routes[0].answer: "arrays" is not one of array, one, nested, streams, times, page, cases, stats, metrics, config: did you mean array?'],
    ['when a verb is unknown', 'a.yaml', row('{ route: "GET /x", access: any, verb: fly }'), 'a.yaml:3:43 routes[0].verb: "fly" is not one of live, history, export, ptz, talk'],
    ['when a list is narrowed by a parameter that is not judged', 'a.yaml', row('{ route: "GET /x", access: any, narrow: "rewrite:cameras" }'), 'a.yaml:3:14 routes[0].route: narrow is rewrite:cameras, which needs more: add "query:cameras" to cameras'],
    ['when it is asked for camera by camera, by another parameter', 'a.yaml', row('{ route: "GET /x", access: any, cameras: ["query:cameras"], narrow: "fanout:camera" }'), 'a.yaml:3:14 routes[0].route: narrow is fanout:camera, which needs more: add "query:camera" to cameras'],
    ['when it may be seen as another person, and is no GET alone', 'a.yaml', row('{ route: "GET,POST /x", access: any, view_as: true }'), 'a.yaml:3:14 routes[0].route: view_as is true, which is for rows of GET alone, with access any or camera, that write nothing and show nothing live: remove it'],
    ['when it may be seen as another person, and is for admins', 'a.yaml', row('{ route: "GET /x", access: admin, view_as: true }'), 'a.yaml:3:14 routes[0].route: view_as is true, which is for rows of GET alone, with access any or camera, that write nothing and show nothing live: remove it'],
    ['when it may be seen as another person, and shows live pictures', 'a.yaml', row('{ route: "GET /{a}", access: camera, cameras: ["path:a"], narrow: check, views: live, view_as: true }'), 'a.yaml:3:14 routes[0].route: view_as is true, which is for rows of GET alone, with access any or camera, that write nothing and show nothing live: remove it'],
    ['when nothing is there to be checked', 'a.yaml', row('{ route: "GET /x", access: any, narrow: check }'), 'a.yaml:3:14 routes[0].route: narrow is check, which needs more: add cameras'],
    ['when nothing is there to be looked up', 'a.yaml', row('{ route: "GET /x", access: any, narrow: lookup }'), 'a.yaml:3:14 routes[0].route: narrow is lookup, which needs more: add cameras'],
    ['when an answer is to be filtered and has no form', 'a.yaml', row('{ route: "GET /x", access: any, narrow: post-filter }'), 'a.yaml:3:14 routes[0].route: narrow is post-filter, which needs more: add the form of its response, such as "answer: array" or "answer: config"'],
    ['when an answer is to be written anew and has no form', 'a.yaml', row('{ route: "GET /x", access: any, narrow: rewrite-body }'), 'a.yaml:3:14 routes[0].route: narrow is rewrite-body, which needs more: add the form of its response, such as "answer: array" or "answer: config"'],
    ['when an answer is to name its camera and is a list', 'a.yaml', row('{ route: "GET /{a}", access: camera, cameras: ["event:path:a"], narrow: post-check, answer: array }'), 'a.yaml:3:14 routes[0].route: narrow is post-check, which needs more: add "answer: one"'],
    ['when an offer is in the body of a WebSocket', 'a.yaml', row('{ route: "WS /x", access: any, signalling: whep }'), 'a.yaml:3:14 routes[0].route: signalling is whep, which is the body of a request: write true for a WebSocket'],
    ['when what is started is of no camera in the path', 'a.yaml', row('{ route: "POST /x", access: any, cameras: ["query:camera"], starts: whep }'), 'a.yaml:3:14 routes[0].route: starts is whep, but the path has no parameter camera: name the camera in the path'],
    ['when a page has no paging', 'a.yaml', row('{ route: "GET /x", access: any, narrow: post-filter, answer: page }'), 'a.yaml:3:14 routes[0].route: answer is page, which needs more: add paging'],
    ['when a name of a member is for no answer that is read', 'a.yaml', row('{ route: "GET /x", access: any, named_by: path }'), 'a.yaml:3:14 routes[0].route: named_by is for a row with an answer that is read: add "answer: array", "answer: one", "answer: page"'],
    ['when a parameter has an unknown form', 'a.yaml', row('{ route: "GET /x", access: any, query: { at: times } }'), 'a.yaml:3:37 routes[0].query: query.at has "times", which is no form: write text:<letters>, words such as "on|off", or id, number, time, uuid'],
    ['when a parameter has an odd name', 'a.yaml', row('{ route: "GET /x", access: any, query: { "a b": id } }'), 'a.yaml:3:37 routes[0].query: query has "a b", which is not the name of a parameter'],
    ['when a field of a body has an unknown form', 'a.yaml', row('{ route: "POST /x", access: any, body: { name: texts } }'), 'a.yaml:3:38 routes[0].body: body.name has "texts", which is no form: write a map of fields, a list of one form, text:<letters>, words such as "on|off", or boolean, number, id, base64url, clips-file, push-endpoint'],
    ['when a list in a body has no form', 'a.yaml', row('{ route: "POST /x", access: any, body: { ids: [] } }'), 'a.yaml:3:38 routes[0].body: body.ids must have one form in its list: write for example [id]'],
    ['when a field of a body has no name', 'a.yaml', row('{ route: "POST /x", access: any, body: { "a.b": id } }'), 'a.yaml:3:38 routes[0].body: body has "a.b", which is not the name of a field'],
    ['when it is dynamic without a camera', 'a.yaml', row('{ route: "GET /{a}", access: any, dynamic: true }'), 'a.yaml:3:14 routes[0].route: dynamic is true but no camera is in the path: add cameras: ["path:camera"]'],
    ['when a row is there twice by another name', 'a.yaml', row('{ route: "GET /{a}", access: any }\n  - { route: "POST,GET /{b}", access: admin }'), 'a.yaml:4:14 routes[1].route: "POST,GET /{b}" is in the table already: remove one of the two'],
  ];
  for (const [sentence, policy, yaml, problem] of rows) {
    it(sentence, () =>
      withDirectory({ 'a.yaml': yaml }, async (directory) => {
        const outcome = await loadPolicy(policy, directory);
        const problems = outcome.kind === 'invalid' ? outcome.problems : [];
        assert.deepEqual(
          problems.map((found) => formatProblem('config.yaml', found)),
          [problem],
        );
      }),
    );
  }
});
