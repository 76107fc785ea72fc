/** `GET /api/explain` and `postern explain`: the same trace, and the same verdict as the gate gives (SPEC 1). */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import { stringify } from 'yaml';
import { configSchema } from '../../src/app/resources/features.ts';
import { REFUSALS } from '../../src/domain/refusal.ts';
import type { Explanation } from '../../src/gateway/explain/explain.ts';
import { type FakeNvr, type Received, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, VERA } from '../support/people.ts';
import { type ConfigTree, type Runtime, startInstance } from '../support/start-instance.ts';
import { typed } from '../support/terminal.ts';
import { ask } from './support/ask.ts';

type Line = readonly [name: string, value: string];

const SECRET = 'correct-horse-battery';
const NVR_SECRET = 'between-postern-and-the-nvr';
const PROXY_MODE: ConfigTree = {
  auth: { enabled: false, roles: { front_only: ['cam1'] } },
  proxy: {
    auth_secret: SECRET,
    trusted_peers: ['127.0.0.1'],
    header_map: { user: 'Remote-User', role: 'Remote-Groups' },
    role_map: { admin: ['ops'], front_only: ['gardeners'] },
    default_role: 'none',
  },
};
const ADMIN: readonly Line[] = [
  ['X-Proxy-Secret', SECRET],
  ['Remote-User', 'root'],
  ['Remote-Groups', 'ops'],
];

const question = (method: string, path: string, headers: readonly Line[], peer?: string): string => {
  const query = new URLSearchParams({ method, path, ...(peer === undefined ? {} : { peer }) });
  for (const [name, value] of headers) query.append('header', `${name}: ${value}`);
  return `/api/explain?${String(query).replaceAll('+', '%20')}`;
};

/** The gate's own question for the cameras comes at any time, and has no request id. */
const isForwarded = ({ headers }: Received): boolean => headers.some(([name]) => name === 'x-request-id');

describe('GET /api/explain', () => {
  let nvr: FakeNvr;
  let instance: Runtime;
  before(async () => {
    nvr = await startFakeNvr();
    instance = await startInstance({
      people: [],
      config: { ...PROXY_MODE, nvr: { url: nvr.url, auth_secret: NVR_SECRET } },
    });
  });
  after(async () => {
    await instance.close();
    await nvr.close();
  });

  const explained = async (
    method: string,
    path: string,
    headers: readonly Line[],
    peer?: string,
  ): Promise<Explanation> => {
    const answer = await ask(instance.port, { path: question(method, path, headers, peer), headers: ADMIN });
    assert.equal(answer.status, 200, answer.text);
    return JSON.parse(answer.text);
  };

  it('tells the whole way of a request that passes', async () => {
    const { request, headers, secret, groups, rule, user, role, cameras, route, verdict, sent } = await explained(
      'GET',
      '/api/cam1/latest.jpg?h=100',
      [
        ['Remote-User', 'jörg'],
        ['Remote-Groups', 'staff, gardeners'],
        ['Remote-Role', 'admin'],
        ['X-Proxy-Secret', SECRET],
      ],
    );
    assert.deepEqual(
      { request, headers, secret, groups, rule, user, role, cameras, verdict },
      {
        request: { method: 'GET', path: '/api/cam1/latest.jpg?h=100', peer: '127.0.0.1' },
        headers: [
          { name: 'remote-user', value: 'jörg', fate: 'kept' },
          { name: 'remote-groups', value: 'staff, gardeners', fate: 'kept' },
          { name: 'remote-role', value: 'admin', fate: 'dropped', why: 'not mapped' },
        ],
        secret: 'right',
        groups: ['staff', 'gardeners'],
        rule: 'the group "gardeners" gives front_only by proxy.role_map',
        user: 'jörg',
        role: 'front_only',
        cameras: ['cam1'],
        verdict: 'admitted',
      },
    );
    assert.match(route?.row ?? '', /^frigate\.yaml:\d+$/);
    assert.equal(sent?.to, nvr.url);
    assert.equal(sent?.target, '/api/cam1/latest.jpg?h=100');
    assert.deepEqual(
      sent?.headers.filter(([name]) => name.startsWith('remote-')),
      [
        ['remote-user', 'j%C3%B6rg'],
        ['remote-role', 'front_only'],
        ['remote-groups', 'front_only'],
      ],
    );
  });

  const vera = (groups: string): readonly Line[] => [
    ['Remote-User', 'vera'],
    ['Remote-Groups', groups],
  ];
  // biome-ignore format: a table
  const requests: [sentence: string, method: string, path: string, headers: readonly Line[]][] = [
    ['an admin\'s request',                         'GET',    '/api/config',              vera('ops')],
    ['a request for one\'s camera',                 'GET',    '/api/cam1/latest.jpg',     vera('gardeners')],
    ['a request for another camera',                'GET',    '/api/cam2/latest.jpg',     vera('gardeners')],
    ['a change without the right to it',            'PUT',    '/api/config/set',          vera('gardeners')],
    ['a path that no row names',                    'GET',    '/api/no/such/path/at/all', vera('gardeners')],
    ['a path that is never forwarded',              'GET',    '/cache/x',                 vera('ops')],
    ['groups that give no role',                    'GET',    '/api/version',             vera('strangers')],
    ['no user',                                     'GET',    '/api/version',             [['Remote-Groups', 'ops']]],
    ['a user header in two lines',                  'GET',    '/api/version',             [...vera('ops'), ['Remote-User', 'root']]],
    ['a wrong secret',                              'GET',    '/api/version',             [['X-Proxy-Secret', 'wrong'], ...vera('ops')]],
    ['a look-alike of a header',                    'GET',    '/api/version',             [['Remote_Role', 'admin'], ...vera('gardeners')]],
    ['a path with dot segments',                    'GET',    '/api/../config',           vera('ops')],
    ['a public page without a caller',              'GET',    '/review',                  []],
    ['a change by a page of another site',          'POST',   '/api/restart',             [['Origin', 'https://evil.test'], ...vera('ops')]],
  ];
  for (const [sentence, method, path, headers] of requests) {
    it(`gives the verdict of the gate on ${sentence}`, async () => {
      const { verdict, reason, sent } = await explained(method, path, headers);
      nvr.received.length = 0;
      const shown: Line = ['X-Proxy-Secret', SECRET];
      const sentLines = headers.some(([name]) => name === 'X-Proxy-Secret') ? headers : [shown, ...headers];
      const answer = await ask(instance.port, { method, path, headers: sentLines });
      const received = nvr.received
        .filter(isForwarded)
        .map(({ method: seen, target, headers: lines }) => [
          `${seen} ${target}`,
          ...lines.filter(([name]) => name.startsWith('remote-')).flat(),
        ]);
      const expected = sent && [
        `${sent.method} ${sent.target}`,
        ...sent.headers.filter(([name]) => name.startsWith('remote-')).flat(),
      ];
      assert.deepEqual(received, expected ? [expected] : [], 'what the recorder saw');
      if (reason) assert.deepEqual([verdict, answer.status], ['refused', REFUSALS[reason].status]);
      else assert.deepEqual([verdict, answer.status], ['admitted', 200]);
    });
  }

  const asks = (method: string, path: string): readonly Line[] => [
    ['X-Original-Method', method],
    ['X-Original-URL', path],
  ];
  // biome-ignore format: a table
  const questions: [sentence: string, query: string, headers: readonly Line[], from: string][] = [
    ['one that passes',                     '?upgrade=no', [...vera('gardeners'), ...asks('GET', '/api/cam1/latest.jpg')], '127.0.0.1'],
    ['one that does not',                   '',            [...vera('gardeners'), ...asks('PUT', '/api/config/set')],      '127.0.0.1'],
    ['one that the gate would narrow',      '',            [...vera('gardeners'), ...asks('GET', '/api/events')],          '127.0.0.1'],
    ['one that is not understood',          '',            [...vera('ops'), ['X-Original-URL', '/']],                      '127.0.0.1'],
    ['one of a proxy that is not listed',   '?upgrade=no', [...vera('ops'), ...asks('GET', '/')],                          '127.0.0.9'],
    ['one by that proxy that is ignored',   '',            [...vera('ops'), ...asks('GET', '/')],                          '127.0.0.9'],
  ];
  for (const [sentence, query, headers, from] of questions) {
    it(`tells what /auth answers to a proxy's question: ${sentence}`, async (t) => {
      const trusting = { ...PROXY_MODE, auth: { ...(PROXY_MODE['auth'] as object), trusted_proxies: ['127.0.0.1'] } };
      const proxy = { ...(PROXY_MODE['proxy'] as object), trusted_peers: ['127.0.0.0/8'] };
      const asked = await startInstance({ people: [], config: { ...trusting, proxy, nvr: { cameras: ['cam1'] } } });
      t.after(() => asked.close());
      const path = `/auth${query}`;
      const told = await ask(asked.port, { path: question('GET', path, headers, from), headers: ADMIN });
      const { verdict, status, about, sent } = JSON.parse(told.text) as Explanation;
      const shown: Line = ['X-Proxy-Secret', SECRET];
      const answer = await ask(asked.port, { path, headers: [shown, ...headers], from });
      assert.equal(verdict === 'admitted' ? 202 : status, answer.status, told.text);
      assert.equal(sent, undefined);
      const described = headers.find(([name]) => name === 'X-Original-URL')?.[1];
      if (about) assert.equal(about.path, described);
      assert.equal(about !== undefined, from === '127.0.0.1' && headers.some(([name]) => name === 'X-Original-Method'));
    });
  }

  it('says of a request that is refused before its headers are read that they were not read', async () => {
    const { headers, reason } = await explained('GET', '/api/../config', vera('ops'));
    assert.equal(reason, 'target-not-plain');
    assert.deepEqual(
      [...new Set(headers.map(({ why }) => why))],
      ['the request is refused before its headers are read'],
    );
  });

  it('judges as from another peer when told so', async () => {
    const { reason, headers } = await explained('GET', '/api/version', vera('ops'), '192.0.2.7');
    assert.equal(reason, 'proxy-user-missing');
    assert.deepEqual([...new Set(headers.map(({ why }) => why))], ['sent by a peer that is not trusted']);
  });

  it('never shows a secret to any caller, and asks the NVR nothing', async () => {
    nvr.received.length = 0;
    const carried: Line[] = [
      ['Cookie', 'theme=hush-1'],
      ['Authorization', 'Basic aHVzaC0yOng='],
    ];
    const path = question('GET', '/api/config', [...vera('ops'), ...carried]);
    const answer = await ask(instance.port, { path, headers: ADMIN });
    for (const secret of [SECRET, NVR_SECRET, 'hush', 'aHVzaC0y']) assert.ok(!answer.text.includes(secret), secret);
    const { sent } = JSON.parse(answer.text) as Explanation;
    assert.deepEqual(
      sent?.headers
        .filter(([, value]) => value === '[hidden]')
        .map(([name]) => name)
        .sort(),
      ['authorization', 'cookie', 'x-proxy-secret'],
    );
    assert.deepEqual(nvr.received.filter(isForwarded), []);
  });

  it('does not count what it is told as headers of a peer that is not trusted', async () => {
    await explained('GET', '/api/version', vera('ops'), '192.0.2.7');
    const metrics = await (await fetch(`${instance.telemetryUrl}/metrics`)).text();
    assert.match(metrics, /^postern_untrusted_identity_headers_total 0$/m);
  });

  it('is for admins', async () => {
    const carl: readonly Line[] = [ADMIN[0] as Line, ['Remote-User', 'carl'], ['Remote-Groups', 'gardeners']];
    assert.equal((await ask(instance.port, { path: question('GET', '/', []), headers: carl })).status, 403);
    assert.equal((await ask(instance.port, { path: question('GET', '/', []) })).status, 401);
  });

  // biome-ignore format: a table
  const bad: [sentence: string, query: string, message: string][] = [
    ['a path',               'method=GET',                             '"" is not a path: begin it with a slash'],
    ['a method',             'method=get%20it&path=/',                 '"get it" is not a method: write GET, PUT … or WS for a WebSocket'],
    ['a whole header line',  'path=/&header=Remote-User',              '"Remote-User" is not a header: write "Name: value"'],
    ['an address',           'path=/&peer=banana',                     '"banana" is not an address: write for example 172.18.0.5'],
    ['a described proxy user rather than an account', 'path=/&user=vera', 'auth.enabled is false, so users are not known by account: describe the headers that the proxy sends'],
  ];
  for (const [sentence, query, message] of bad) {
    it(`asks for ${sentence}`, async () => {
      const answer = await ask(instance.port, { path: `/api/explain?${query}`, headers: ADMIN });
      assert.deepEqual(
        [answer.status, JSON.parse(answer.text)],
        [422, { success: false, message, reason: 'description-invalid' }],
      );
    });
  }
});

/** Runs `postern explain …` on a directory, as typed. */
const explained = (directory: string, ...words: string[]) =>
  typed(['explain', ...words], {
    directory,
    schema: configSchema,
    env: {},
    clock: { now: () => Date.now() },
  });

function directoryWith(t: TestContext, config: ConfigTree): string {
  const directory = mkdtempSync(join(tmpdir(), 'postern-explain-'));
  writeFileSync(join(directory, 'config.yaml'), stringify({ nvr: { cameras: ['cam1', 'cam2'] }, ...config }));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

describe('postern explain', () => {
  it('prints what it found in columns, without a server', async (t) => {
    const directory = directoryWith(t, PROXY_MODE);
    const headers = [
      '--header',
      'Remote-User: jörg',
      '--header',
      'Remote-Groups: staff,gardeners',
      '--header',
      'Remote-Role: admin',
    ];
    const { out, err, code } = await explained(directory, ...headers, 'get', '/api/cam2/latest.jpg');
    assert.deepEqual([err, code], ['', 0]);
    assert.equal(
      out.replace(/yaml:\d+/, 'yaml:12'),
      `request  GET /api/cam2/latest.jpg, from 127.0.0.1
headers  kept    remote-user: jörg
         kept    remote-groups: staff,gardeners
         dropped remote-role: admin              (not mapped)
secret   right
groups   staff, gardeners
rule     the group "gardeners" gives front_only by proxy.role_map
user     jörg
role     front_only
cameras  cam1
route    GET /api/{camera}/latest.{extension}  (camera, frigate.yaml:12)
verdict  refused, 403 camera-not-in-role: Access denied to the camera cam2.
`,
    );
  });

  it('prints what a proxy asks about', async (t) => {
    const trusting = { ...PROXY_MODE, auth: { ...(PROXY_MODE['auth'] as object), trusted_proxies: ['127.0.0.1'] } };
    const asks = ['X-Original-Method: GET', 'X-Original-URL: https://nvr.test/api/events?limit=5'];
    const headers = [...asks, 'Remote-User: vera', 'Remote-Groups: gardeners'].flatMap((line) => ['--header', line]);
    const { out } = await explained(directoryWith(t, trusting), ...headers, 'GET', '/auth?upgrade=no');
    assert.match(out, /^request +GET \/auth\?upgrade=no, from 127\.0\.0\.1\nabout +GET \/api\/events\?limit=5\n/);
    assert.match(out, /\nverdict +refused, 403 not-narrowable: /);
  });

  it('prints JSON for programs', async (t) => {
    const { out, code } = await explained(directoryWith(t, PROXY_MODE), '--json', 'GET', '/api/version');
    const { verdict, reason, secret } = JSON.parse(out);
    assert.deepEqual([code, verdict, reason, secret], [0, 'refused', 'proxy-user-missing', 'right']);
  });

  it('says why a session token does not count behind a proxy', async (t) => {
    const { out } = await explained(directoryWith(t, PROXY_MODE), '--token', 'a.b.c', 'GET', '/api/version');
    assert.match(out, /\ntoken +ignored, because auth\.enabled is false\n/);
  });

  it('lets no header move the cursor', async (t) => {
    const { out } = await explained(directoryWith(t, PROXY_MODE), '--header', 'Remote-User: \u001b[2Jroot', 'GET', '/');
    assert.ok(!out.includes('\u001b'));
    assert.match(out, /dropped remote-user: \\x1b\[2Jroot +\(holds control characters\)/);
  });

  it('says why no header counts when the service has accounts of its own', async (t) => {
    const { out } = await explained(directoryWith(t, {}), '--header', 'Remote-User: root', 'GET', '/api/version');
    assert.match(out, /dropped remote-user: root +\(auth\.enabled is true, so identity headers are ignored\)/);
    assert.match(out, /verdict +refused, 401 no-credentials/);
  });

  // biome-ignore format: a table
  const bad: [sentence: string, words: string[], said: RegExp][] = [
    ['two ways of saying who calls',  ['--user', 'vera', '--token', 'x', 'GET', '/'], /^--user and --token exclude each other/],
    ['an invalid header',             ['--header', 'root', 'GET', '/'],               /^"root" is not a header/],
    ['an account that is not there',  ['--user', 'nobody', 'GET', '/'],               /^there is no user "nobody"/],
  ];
  for (const [sentence, words, said] of bad) {
    it(`ends with 1 and a sentence for ${sentence}`, async (t) => {
      const { out, err, code } = await explained(directoryWith(t, {}), ...words);
      assert.deepEqual([out, code], ['', 1]);
      assert.match(err, said);
    });
  }

  it('prints every problem of a configuration that is not right', async (t) => {
    const { err, code } = await explained(directoryWith(t, { auth: { enabled: 'perhaps' } }), 'GET', '/');
    assert.equal(code, 1);
    assert.match(err, /auth\.enabled/);
  });
});

describe('postern explain beside a running server', () => {
  let instance: Runtime;
  before(async () => {
    instance = await startInstance({ config: { nvr: { cameras: ['cam1', 'cam2'] } } });
  });
  after(() => instance.close());
  const verdictOf = async (...words: string[]) => {
    const { out, err } = await explained(instance.directory, '--json', ...words);
    assert.equal(err, '');
    const { user, role, cameras, verdict, token } = JSON.parse(out);
    return { user, role, cameras, verdict, token };
  };

  it('judges as an account, by the role that it has now', async () => {
    const expected = { user: 'carl', role: 'front_only', cameras: ['cam1'], token: undefined };
    assert.deepEqual(await verdictOf('--user', 'carl', 'GET', '/api/cam1/latest.jpg'), {
      ...expected,
      verdict: 'admitted',
    });
    assert.deepEqual(await verdictOf('--user', 'carl', 'GET', '/api/cam2/latest.jpg'), {
      ...expected,
      verdict: 'refused',
    });
    assert.equal((await verdictOf('--user', 'vera', 'DELETE', '/api/users/carl')).verdict, 'refused');
    assert.equal((await verdictOf('--user', 'admin', 'DELETE', '/api/users/carl')).verdict, 'admitted');
  });

  it('verifies a token', async () => {
    const token = await instance.logIn(VERA);
    const expected = { user: 'vera', role: 'viewer', cameras: 'all', verdict: 'admitted', token: 'valid, as bearer' };
    assert.deepEqual(await verdictOf('--token', token, 'GET', '/api/version'), expected);
    const bad = await verdictOf('--token', `${token}x`, 'GET', '/api/version');
    assert.deepEqual([bad.verdict, bad.token], ['refused', 'signature, as bearer']);
    const foreign = await verdictOf('--token', 'opaque', 'GET', '/api/version');
    assert.deepEqual([foreign.verdict, foreign.token], ['refused', 'ignored: this Bearer is none of ours']);
  });

  it('gives an admin the same at /api/explain', async () => {
    const token = await instance.logIn(ADMIN_PERSON);
    const answer = await instance.ask(`/api/explain?path=/api/cam2/latest.jpg&user=${CARL.name}`, { token });
    const { verdict, reason, user } = (await answer.json()) as Explanation;
    assert.deepEqual([answer.status, verdict, reason, user], [200, 'refused', 'camera-not-in-role', 'carl']);
  });
});
