/** Identity headers in every disguise, over a socket: what the recorder behind the gate received is the proof (interface 5.5). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { rawRequest } from '../support/raw-request.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';
import { ask } from './support/ask.ts';

type Line = readonly [name: string, value: string];

const SECRET = 'correct-horse-battery';
const PROXY = '127.0.0.1';
const STRANGER = '127.0.0.9';
/** Interface 5.5.7, and the vendor's own spelling of the last five. */
// biome-ignore format: a table
const ALLOWLISTED = [
  'Remote-User', 'Remote-Groups', 'Remote-Email', 'Remote-Name',
  'X-Forwarded-User', 'X-Forwarded-Groups', 'X-Forwarded-Email', 'X-Forwarded-Preferred-Username',
  'X-proxyvendor-username', 'X-proxyvendor-groups', 'X-proxyvendor-email', 'X-proxyvendor-name', 'X-proxyvendor-uid',
  'X-authentik-username', 'X-authentik-groups', 'X-authentik-email', 'X-authentik-name', 'X-authentik-uid',
];
const VERA: readonly Line[] = [
  ['X-Proxy-Secret', SECRET],
  ['X-Forwarded-Preferred-Username', 'vera'],
  ['Remote-Groups', 'viewer'],
];
const MAPPED = new Set(['X-Forwarded-Preferred-Username', 'Remote-Groups']);

let nvr: FakeNvr;
let instance: Runtime;
before(async () => {
  nvr = await startFakeNvr();
  instance = await startInstance({
    people: [],
    config: {
      nvr: { url: nvr.url, cameras: ['cam1'] },
      auth: { enabled: false, roles: { front_only: ['cam1'] } },
      proxy: {
        auth_secret: [SECRET, 'the-next-one-while-it-changes'],
        trusted_peers: [PROXY],
        header_map: { user: 'X-Forwarded-Preferred-Username', role: 'Remote-Groups' },
        default_role: 'none',
      },
    },
  });
});
after(async () => {
  await instance.close();
  await nvr.close();
});

/** What was forwarded: the gate's own questions carry no request id. */
const forwarded = () => nvr.received.filter(({ headers }) => headers.some(([name]) => name === 'x-request-id'));

/** Every header by which the NVR could identify the caller. */
const claims = (): string[] =>
  (forwarded().at(-1)?.headers ?? [])
    .filter(([name]) => /remote|authentik|proxyvendor|secret|user|group|email/i.test(name))
    .map(([name, value]) => `${name}=${value}`)
    .sort();

async function outcome(headers: readonly Line[], from = PROXY, path = '/api/version'): Promise<number | string[]> {
  nvr.received.length = 0;
  const { status } = await ask(instance.port, { path, headers, from }).catch(cutOff);
  return forwarded().length === 0 ? status : claims();
}

/** The listener closes on a head that is too long; a client that is still writing may hear the reset before the answer. */
function cutOff(fault: NodeJS.ErrnoException): { readonly status: number } {
  if (fault.code === 'ECONNRESET' || fault.code === 'EPIPE') return { status: 431 };
  throw fault;
}

const AS_VERA = ['remote-role=viewer', 'remote-user=vera'];

describe('An allowlisted header', () => {
  for (const name of ALLOWLISTED) {
    if (MAPPED.has(name)) continue;
    const odd = [...name].map((letter, at) => (at % 2 === 0 ? letter.toUpperCase() : letter.toLowerCase())).join('');
    // biome-ignore format: a table
    const rows: [disguise: string, lines: Line[], expected: number | string[]][] = [
      ['as it is',            [[name, 'root,admin']],                       AS_VERA],
      ['in odd case',         [[odd, 'root,admin']],                        AS_VERA],
      ['repeated',            [[name, 'root'], [name, 'admin']],            AS_VERA],
      ['empty',               [[name, '']],                                 AS_VERA],
      ['named by Connection', [[name, 'root'], ['Connection', `close, ${name}`]], AS_VERA],
      ['in UTF-8',            [[name, Buffer.from('jörg').toString('latin1')]], AS_VERA],
      ['in Latin-1',          [[name, 'j\u00f6rg']],                        AS_VERA],
      ['as underscore twin',  [[name.replaceAll('-', '_'), 'root']],        400],
      ['with dots',           [[name.replaceAll('-', '.'), 'root']],        400],
      ['of 64 KB',            [[name, 'a'.repeat(65_536)]],                 431],
    ];
    for (const [disguise, lines, expected] of rows) {
      it(`${name} ${disguise} says nothing to the NVR`, async () =>
        assert.deepEqual(await outcome([...VERA, ...lines]), expected));
    }
    it(`${name} with a control character says nothing to the NVR`, async () => {
      nvr.received.length = 0;
      const lines = [...VERA, [name, 'ro\u0001ot'] as const].map((line) => `${line.join(': ')}\r\n`).join('');
      const { status } = await rawRequest(instance.port, `GET /api/version HTTP/1.1\r\nHost: nvr.test\r\n${lines}\r\n`);
      assert.equal(status, 400);
      assert.deepEqual(nvr.received, []);
    });
  }
});

describe('The mapped user header', () => {
  const sent = (...values: string[]): Line[] => [
    ['X-Proxy-Secret', SECRET],
    ['Remote-Groups', 'viewer'],
    ...values.map((value) => ['X-Forwarded-Preferred-Username', value] as const),
  ];
  const utf8 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
  // biome-ignore format: a table
  const rows: [sentence: string, headers: Line[], expected: number | string[]][] = [
    ['is read in any case',                                       [...sent(), ['x-FORWARDED-preferred-USERNAME', 'vera']], AS_VERA],
    ['is refused twice',                                          sent('vera', 'root'),                    401],
    ['is refused twice the same',                                 sent('vera', 'vera'),                    401],
    ['is refused empty',                                          sent(''),                                401],
    ['is refused blank',                                          sent('   '),                             401],
    ['is not read from an underscore twin, which is refused',     [...sent(), ['X_Forwarded_Preferred_Username', 'root']], 400],
    ['is kept though Connection names it',                        [...sent('vera'), ['Connection', 'close, x-forwarded-preferred-username, remote-groups']], AS_VERA],
    ['names a user in UTF-8, percent-encoded for the NVR',        sent(utf8('jörg')),                      ['remote-role=viewer', 'remote-user=j%C3%B6rg']],
    ['names the same user in Latin-1',                            sent('j\u00f6rg'),                       ['remote-role=viewer', 'remote-user=j%C3%B6rg']],
    ['cannot name that user by its percent-encoded form',         sent('j%C3%B6rg'),                       401],
    ['cannot be anonymous',                                       sent('anonymous'),                       401],
    ['cannot hold a second name behind a comma',                  sent('vera,root'),                       401],
    ['cannot hold a name of 129 characters',                      sent('v'.repeat(129)),                   401],
    ['of 64 KB is too much',                                      sent('v'.repeat(65_536)),                431],
    ['cannot hold an invisible character',                        sent(utf8('ad\u200bmin')),               401],
  ];
  for (const [sentence, headers, expected] of rows)
    it(sentence, async () => assert.deepEqual(await outcome(headers), expected));

  it('cannot hold a tab, a bare carriage return or a NUL', async () => {
    for (const value of ['ve\tra', 've\rra', 've\0ra', 've\u007fra']) {
      nvr.received.length = 0;
      const lines = sent(value)
        .map((line) => `${line.join(': ')}\r\n`)
        .join('');
      const { status } = await rawRequest(instance.port, `GET /api/version HTTP/1.1\r\nHost: nvr.test\r\n${lines}\r\n`);
      assert.ok(status === 400 || status === 401, `${JSON.stringify(value)} got ${status}`);
      assert.deepEqual(nvr.received, []);
    }
  });
});

describe('The mapped role header', () => {
  const sent = (...values: string[]): Line[] => [
    ['X-Proxy-Secret', SECRET],
    ['X-Forwarded-Preferred-Username', 'vera'],
    ...values.map((value) => ['Remote-Groups', value] as const),
  ];
  // biome-ignore format: a table
  const rows: [sentence: string, headers: Line[], expected: number | string[]][] = [
    ['is read in any case',                          [...sent(), ['REMOTE-groups', 'viewer']],          AS_VERA],
    ['is as good as absent when it is empty',        sent(''),                                          403],
    ['holds no role behind a blank of another kind', sent(Buffer.from('\u00a0admin').toString('latin1')), 403],
    ['of 64 KB is too much',                         sent('viewer,'.repeat(9_400)),                     431],
    ['in two lines denies',                          sent('viewer', 'admin'),                           403],
    ['in two lines denies though one is empty',      sent('viewer', ''),                                403],
    ['gives one role, whatever it lists',            sent('viewer,admin'),                              ['remote-role=admin', 'remote-user=vera']],
    ['is not Remote-Role',                           [...sent('viewer'), ['Remote-Role', 'admin']],     AS_VERA],
    ['is not remote_role, which is refused',         [...sent('viewer'), ['remote_role', 'admin']],     400],
    ['is not what Connection takes away',            [...sent('viewer'), ['Connection', 'remote-groups']], AS_VERA],
  ];
  for (const [sentence, headers, expected] of rows)
    it(sentence, async () => assert.deepEqual(await outcome(headers), expected));

  it('with a control character is refused', async () => {
    nvr.received.length = 0;
    for (const value of ['viewer\u0001', 'viewer\u007f', 'view\ter', 'viewer\0admin']) {
      const lines = sent(value)
        .map((line) => `${line.join(': ')}\r\n`)
        .join('');
      const { status } = await rawRequest(instance.port, `GET /api/version HTTP/1.1\r\nHost: nvr.test\r\n${lines}\r\n`);
      assert.ok(status === 400 || status === 403, `${JSON.stringify(value)} got ${status}`);
    }
    assert.deepEqual(nvr.received, []);
  });
});

describe('The proxy secret over a socket', () => {
  const [, ...identity] = VERA;
  // biome-ignore format: a table
  const rows: [sentence: string, secrets: Line[], expected: number | string[]][] = [
    ['passes when it is right, and stays here',         [['X-Proxy-Secret', SECRET]],                               AS_VERA],
    ['passes as the next one during a rotation',        [['X-Proxy-Secret', 'the-next-one-while-it-changes']],      AS_VERA],
    ['fails when it is missing',                        [],                                                         401],
    ['fails when it is wrong',                          [['X-Proxy-Secret', 'wrong']],                              401],
    ['fails when it is empty',                          [['X-Proxy-Secret', '']],                                   401],
    ['fails in another case',                           [['X-Proxy-Secret', SECRET.toUpperCase()]],                 401],
    ['fails twice',                                     [['X-Proxy-Secret', SECRET], ['X-Proxy-Secret', SECRET]],   400],
    ['fails beside a wrong one',                        [['X-Proxy-Secret', 'wrong'], ['X-Proxy-Secret', SECRET]],  400],
    ['fails as a list',                                 [['X-Proxy-Secret', `${SECRET}, ${SECRET}`]],               401],
    ['fails by the name of its underscore twin',        [['X_Proxy_Secret', SECRET]],                               400],
  ];
  for (const [sentence, secrets, expected] of rows)
    it(sentence, async () => assert.deepEqual(await outcome([...secrets, ...identity]), expected));

  it('may have blanks around it, which HTTP does not count to a value', async () => {
    nvr.received.length = 0;
    const lines = [`X-Proxy-Secret:  ${SECRET} `, ...identity.map((line) => line.join(': '))]
      .map((line) => `${line}\r\n`)
      .join('');
    const { status } = await rawRequest(instance.port, `GET /api/version HTTP/1.1\r\nHost: nvr.test\r\n${lines}\r\n`);
    assert.deepEqual([status, claims()], [200, AS_VERA]);
  });

  it('is asked for on every route that is not public, and on no public one', async () => {
    assert.equal(await outcome(identity, PROXY, '/api/stats'), 401);
    assert.deepEqual(await outcome([], PROXY, '/review'), []);
  });

  // biome-ignore format: a table
  const unproven: [sentence: string, secrets: Line[]][] = [
    ['without it',        []],
    ['with a wrong one',  [['X-Proxy-Secret', 'wrong']]],
    ['with an empty one', [['X-Proxy-Secret', '']]],
  ];
  for (const [sentence, secrets] of unproven) {
    it(`${sentence} the caller is unknown on a public page too, whatever the headers say`, async () => {
      for (const path of ['/review', '/assets/index.js'])
        assert.deepEqual(await outcome([...secrets, ...identity, ['Remote-Role', 'admin']], PROXY, path), []);
    });
  }

  it('is checked before user and groups are evaluated', async () => {
    const answers: Line[][] = [[], [['Remote-Groups', 'viewer']], [['X-Forwarded-Preferred-Username', 'vera']]];
    for (const claim of answers) {
      for (const secrets of [[], [['X-Proxy-Secret', 'wrong']]] as Line[][]) {
        const { status, text } = await ask(instance.port, { path: '/api/version', headers: [...secrets, ...claim] });
        assert.deepEqual([status, /proxy secret is missing or wrong/.test(text)], [401, true], text);
      }
    }
  });

  it('and with it the caller is known there', async () => {
    assert.deepEqual(await outcome(VERA, PROXY, '/review'), AS_VERA);
  });

  it('is nowhere in answers or logs', async () => {
    const { text } = await ask(instance.port, {
      path: '/api/version',
      headers: [['X-Proxy-Secret', `${SECRET}x`], ...identity],
    });
    assert.ok(!text.includes(SECRET));
    assert.ok(!JSON.stringify(instance.log).includes(SECRET));
  });
});

describe('A peer that is not in proxy.trusted_peers', () => {
  const counted = async (): Promise<number> => {
    const metrics = await (await fetch(`${instance.telemetryUrl}/metrics`)).text();
    return Number(/^postern_untrusted_identity_headers_total (\d+)$/m.exec(metrics)?.[1]);
  };

  it('is judged as if it had sent no identity header, and counted', async () => {
    const before = await counted();
    assert.equal(await outcome(VERA, STRANGER), 401);
    assert.equal(await outcome([['X-Proxy-Secret', SECRET]], STRANGER), 401);
    assert.deepEqual(await outcome(VERA), AS_VERA);
    assert.equal(await counted(), before + 1);
  });

  it('cannot make the NVR believe a header on a public page either', async () => {
    assert.deepEqual(await outcome([...VERA, ['Remote-Role', 'admin']], STRANGER, '/review'), []);
  });
});

describe('What the NVR itself says', () => {
  // biome-ignore format: a table
  const rows: [status: number, location: string][] = [
    [401, 'https://sso.example.com/start?rd=%2F'], [302, '/elsewhere?x=1#top'], [307, '//cdn.example.com/a b'],
  ];
  for (const [status, location] of rows) {
    it(`${status} with Location passes untouched, for the front end to follow (interface 5.5.8)`, async () => {
      nvr.answer = (_request, response) => void response.writeHead(status, { location }).end();
      const answer = await ask(instance.port, { path: '/api/version', headers: VERA });
      assert.deepEqual([answer.status, answer.headers.location], [status, location]);
    });
  }

  it('and refusals of our own have no Location in proxy mode: whose login would it be?', async () => {
    const answer = await ask(instance.port, { path: '/api/version', headers: [['X-Proxy-Secret', SECRET]] });
    assert.deepEqual([answer.status, answer.headers.location], [401, undefined]);
  });
});
