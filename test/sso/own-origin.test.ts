/** What counts as this service's own origin behind other people's proxies: forwarded hosts, hidden origins, server.public_url (SPEC 4.2, 5). */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, VERA } from '../support/people.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { ask } from './support/ask.ts';

type Line = readonly [name: string, value: string];

const PROXY = '127.0.0.1';
const FARTHER = '192.0.2.9';
const STRANGER = '127.0.0.9';

let nvr: FakeNvr;
let instance: Runtime;
let cookie: Line;
before(async () => {
  nvr = await startFakeNvr();
  instance = await startInstance({
    config: {
      nvr: { url: nvr.url, cameras: ['cam1'] },
      auth: { trusted_proxies: [PROXY, FARTHER] },
      server: {
        ...{ external: '127.0.0.1:0', internal: '127.0.0.1:0', telemetry: '127.0.0.1:0', shutdown_grace: 1 },
        public_url: 'https://nvr.example.com:8443',
      },
    },
  });
  cookie = ['Cookie', `frigate_token=${await instance.logIn(ADMIN_PERSON)}`];
});
after(async () => {
  await instance.close();
  await nvr.close();
});
beforeEach(() => {
  nvr.received.length = 0;
});

/** Whether a change by a page of that origin is let through. */
async function passes(origin: string, headers: readonly Line[], from = PROXY): Promise<boolean> {
  const lines: Line[] = [cookie, ['Origin', origin], ...headers];
  const { status } = await ask(instance.port, { method: 'POST', path: '/api/restart', headers: lines, from });
  assert.ok(status === 200 || status === 403, String(status));
  assert.equal(nvr.received.length, status === 200 ? 1 : 0);
  return status === 200;
}

describe('An origin', () => {
  const [A, B] = ['https://a.test', 'https://b.test'];
  const xfh = (...values: string[]): Line[] => values.map((value) => ['X-Forwarded-Host', value]);
  const by = (...hops: string[]): Line => ['X-Forwarded-For', hops.join(', ')];
  // biome-ignore format: a table
  const rows: [sentence: string, origin: string, headers: Line[], expected: boolean, from?: string][] = [
    ['is ours when the proxy says so',                                A, xfh('a.test'),                                  true],
    ['is ours when two proxies say the same',                         A, xfh('a.test, a.test'),                          true],
    ['is ours when they say it in two lines',                         A, xfh('a.test', 'a.test'),                        true],
    ['is ours by Host where the list is empty',                       'http://nvr.test', xfh(''),                        true],
    ['is ours by Host where the list holds commas alone',             'http://nvr.test', xfh(' , '),                     true],
    ['is not ours when only the client says so',                      B, xfh('b.test, a.test'),                          false],
    ['is ours then by what the proxy saw',                            A, xfh('b.test, a.test'),                          true],
    ['is ours when the farther of two trusted proxies saw it',        A, [by('198.51.100.1', FARTHER), ...xfh('a.test, inner.test')], true],
    ['and the host that the nearer one was asked for is not',         'https://inner.test', [by('198.51.100.1', FARTHER), ...xfh('a.test, inner.test')], false],
    ['is not ours when a client wrote the list longer than the way',  B, [by('198.51.100.1', FARTHER), ...xfh('b.test, a.test, inner.test')], false],
    ['is not ours by an untrusted peer',                              A, xfh('a.test'),                                  false, STRANGER],
    ['is ours by server.public_url, whatever the proxy makes of Host', 'https://nvr.example.com:8443', xfh('nvr.example.com'), true],
    ['is ours by it without a trusted proxy too',                     'https://nvr.example.com:8443', [],                true, STRANGER],
    ['is not ours on another port of it',                             'https://nvr.example.com:8444', xfh('other.test'), false],
    ['that is hidden is ours when the browser says so',               'null', [['Sec-Fetch-Site', 'same-origin']],       true],
    ['that is hidden is not ours of another site',                    'null', [['Sec-Fetch-Site', 'cross-site']],        false],
    ['that is hidden is not ours of a neighbour',                     'null', [['Sec-Fetch-Site', 'same-site']],         false],
    ['that is hidden is not ours when nobody asked',                  'null', [['Sec-Fetch-Site', 'none']],              false],
    ['that is hidden is not ours where the browser says nothing',     'null', [],                                        false],
  ];
  for (const [sentence, origin, headers, expected, from] of rows)
    it(sentence, async () => assert.equal(await passes(origin, headers, from), expected));

  it('of server.public_url is none of the internal listener', async () => {
    const headers: Line[] = [
      ['Host', 'localhost'],
      ['Origin', 'https://nvr.example.com:8443'],
    ];
    const { status } = await ask(instance.internalPort, { method: 'POST', path: '/api/restart', headers });
    assert.deepEqual([status, nvr.received], [403, []]);
  });

  it('that is refused stands in the log, with what it was compared with', async () => {
    const own = await startInstance({ config: { nvr: { url: nvr.url } } });
    const headers: Line[] = [
      ['Origin', 'https://evil.test'],
      ['Content-Type', 'application/json'],
    ];
    const { status } = await ask(own.port, { method: 'POST', path: '/api/login', headers, body: '{}' });
    const told = own.log.filter(({ comparedWith }) => comparedWith !== undefined);
    await own.close();
    assert.equal(status, 403);
    assert.deepEqual(
      told.map(({ level, origin, comparedWith }) => [level, origin, comparedWith]),
      [['warn', 'https://evil.test, Sec-Fetch-Site: none', ['nvr.test']]],
    );
  });
});

describe('A form of a page', () => {
  const FORM: Line = ['Content-Type', 'application/x-www-form-urlencoded'];
  const HTML: Line = ['Accept', 'text/html,application/xhtml+xml,*/*;q=0.8'];
  const FORMS = ['/invitation/no-such-invitation', '/s/no-such-link', '/login', '/invitation/none/sign-in/none'];
  const send = (path: string, ...lines: Line[]) =>
    ask(instance.port, { method: 'POST', path, headers: [FORM, HTML, ...lines], body: 'pin=1&password=x&code=1' });

  for (const path of FORMS) {
    it(`for ${path} passes with a hidden origin that the browser calls ours`, async () => {
      const { status, text } = await send(path, ['Origin', 'null'], ['Sec-Fetch-Site', 'same-origin']);
      assert.notEqual(status, 403, text);
    });

    it(`for ${path} with an origin that is hidden is refused on plain HTTP, by a page that says why`, async () => {
      const { status, headers, text } = await send(path, ['Origin', 'null']);
      assert.deepEqual([status, headers['content-type']], [403, 'text/html; charset=utf-8']);
      assert.match(text, /Referrer-Policy: no-referrer/);
    });

    it(`for ${path} from another site is refused by a page, and by JSON to a program`, async () => {
      const page = await send(path, ['Origin', 'https://evil.test']);
      assert.deepEqual([page.status, page.headers['content-type']], [403, 'text/html; charset=utf-8']);
      const program = await ask(instance.port, {
        method: 'POST',
        path,
        headers: [FORM, ['Origin', 'https://evil.test'], ['Accept', '*/*']],
        body: 'pin=1',
      });
      assert.equal(JSON.parse(program.text).success, false);
    });
  }

  it('without a login leads to the login, and not back to an address that takes only forms', async () => {
    const { status, headers } = await ask(instance.port, {
      method: 'POST',
      path: '/api/users',
      headers: [FORM, HTML],
      body: 'a=b',
    });
    assert.deepEqual([status, headers.location], [302, '/login?next=%2F']);
  });

  it('that is too low for the caller is refused by a page', async () => {
    const token = await instance.logIn(VERA);
    const { status, headers } = await ask(instance.port, {
      method: 'POST',
      path: '/api/restart',
      headers: [FORM, HTML, ['Cookie', `frigate_token=${token}`]],
      body: 'a=b',
    });
    assert.deepEqual([status, headers['content-type'], nvr.received], [403, 'text/html; charset=utf-8', []]);
  });
});
