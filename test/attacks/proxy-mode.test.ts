/** An authentication proxy in front: no client can say what the proxy did not (interface 5.5, 7). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rawRequest } from '../support/raw-request.ts';
import { asRole, claimsIn, HOST, head, UPGRADE, watchInstance } from './support/watched-instance.ts';

const SECRET = 'between-proxy-and-postern';
const SHOWN = `X-Proxy-Secret: ${SECRET}`;
const VERA = 'X-Forwarded-User: vera';
const AS_VIEWER = [VERA, 'X-Forwarded-Groups: viewer'];

const watched = await watchInstance({
  auth: { enabled: false, roles: { front_only: ['cam1'] } },
  proxy: {
    auth_secret: SECRET,
    header_map: { user: 'x-forwarded-user', role: 'x-forwarded-groups' },
    default_role: 'none',
  },
});

const get = (...lines: readonly (string | readonly string[])[]) =>
  rawRequest(watched.instance.port, head('GET /api/stats HTTP/1.1', HOST, ...lines));

const upgrade = (...lines: readonly (string | readonly string[])[]) =>
  rawRequest(watched.instance.port, head('GET /ws HTTP/1.1', HOST, UPGRADE, ...lines));

function neverArrives(story: string, statuses: readonly number[], ...lines: readonly string[]): void {
  it(`${story}: never arrives`, async () => {
    for (const ask of [get, upgrade]) {
      const { status } = await ask(lines);
      assert.ok(statuses.includes(status ?? 0), `answered ${status}`);
      assert.deepEqual(watched.nvr.received, []);
    }
  });
}

describe('A caller behind the proxy', () => {
  it('arrives with the identity that the proxy names, and without its secret', async () => {
    assert.equal((await get(SHOWN, AS_VIEWER)).status, 200);
    assert.deepEqual(watched.nvr.received.map(claimsIn), [asRole('vera', 'viewer')]);
    assert.ok(!JSON.stringify(watched.nvr.received).includes(SECRET));
  });

  it('that asks for the role header to be dropped keeps its role', async () => {
    const { status } = await get(SHOWN, AS_VIEWER, 'Connection: close, x-forwarded-groups');
    assert.deepEqual([status, watched.nvr.received.map(claimsIn)], [200, [asRole('vera', 'viewer')]]);
  });

  // A server that stops reading headers somewhere would not see what the proxy adds behind those of its client.
  for (const count of [1, 100, 900, 990, 995, 1000, 1100, 1500]) {
    it(`that sends ${count} headers of its own is who the proxy says behind them, or never arrives`, async () => {
      const tiny = Array.from({ length: count }, (_, at) => `a${at.toString(36)}:`);
      const { status } = await get(tiny, SHOWN, AS_VIEWER);
      const claims = watched.nvr.received.map(claimsIn);
      assert.deepEqual([status, claims], status === 200 ? [200, [asRole('vera', 'viewer')]] : [431, []]);
    });
  }

  it('that adds what is not mapped gains nothing by it', async () => {
    const { status } = await get(SHOWN, AS_VIEWER, 'Remote-User: root', 'Remote-Role: admin', 'Remote-Groups: admin');
    assert.deepEqual([status, watched.nvr.received.map(claimsIn)], [200, [asRole('vera', 'viewer')]]);
  });

  // biome-ignore format: a table
  const secrets: [story: string, ...lines: string[]][] = [
    ['who does not show the secret'],
    ['who shows another',                 'X-Proxy-Secret: wrong'],
    ['who shows an empty one',            'X-Proxy-Secret:'],
    ['who shows one letter less',         `X-Proxy-Secret: ${SECRET.slice(0, -1)}`],
    ['who shows one letter more',         `X-Proxy-Secret: ${SECRET}x`],
    ['who shows it in other letters',     `X-Proxy-Secret: ${SECRET.toUpperCase()}`],
    ['who shows it behind a wrong one',   'X-Proxy-Secret: wrong', SHOWN],
    ['who shows it before a wrong one',   SHOWN, 'X-Proxy-Secret: wrong'],
    ['who shows it twice',                SHOWN, SHOWN],
    ['who shows it with underscores',     `X_Proxy_Secret: ${SECRET}`],
  ];
  for (const [story, ...lines] of secrets) neverArrives(story, [400, 401], VERA, 'X-Forwarded-Groups: admin', ...lines);

  // biome-ignore format: a table
  const people: [story: string, ...lines: string[]][] = [
    ['without a name',                           'X-Forwarded-Groups: admin'],
    ['with an empty name',                       'X-Forwarded-User: ', 'X-Forwarded-Groups: admin'],
    ['with two names',                           VERA, 'X-Forwarded-User: root', 'X-Forwarded-Groups: viewer'],
    ['called anonymous',                         'X-Forwarded-User: anonymous', 'X-Forwarded-Groups: admin'],
    ['called by more than a name',               `X-Forwarded-User: ${'u'.repeat(300)}`, 'X-Forwarded-Groups: admin'],
    ['with two names in one header',             'X-Forwarded-User: vera,root', 'X-Forwarded-Groups: admin'],
    ['called in the look-alike of the header',   'X_Forwarded_User: root', 'X-Forwarded-Groups: admin'],
  ];
  for (const [story, ...lines] of people) neverArrives(story, [400, 401], SHOWN, ...lines);

  // biome-ignore format: a table
  const groups: [story: string, ...lines: string[]][] = [
    ['of no group, where default_role is none'],
    ['of an unknown group',                      'X-Forwarded-Groups: nosuch'],
    ['of an empty group',                        'X-Forwarded-Groups:'],
    ['of a group that every object has',         'X-Forwarded-Groups: constructor'],
    ['of a group that every object comes from',  'X-Forwarded-Groups: __proto__'],
    ['of the role that means none  ',            'X-Forwarded-Groups: none'],
    ['of groups in two lines',                   'X-Forwarded-Groups: viewer', 'X-Forwarded-Groups: admin'],
    ['of a group that holds another',            'X-Forwarded-Groups: not-admin'],
  ];
  for (const [story, ...lines] of groups) neverArrives(story, [400, 403], SHOWN, VERA, ...lines);
});

describe('The names of people', () => {
  it('arrive in one spelling, whatever their letters', async () => {
    for (const ask of [get, upgrade]) await ask(SHOWN, 'X-Forwarded-User: j\xc3\xb6rg', 'X-Forwarded-Groups: viewer');
    assert.deepEqual(watched.nvr.received.map(claimsIn), [
      asRole('j%C3%B6rg', 'viewer'),
      asRole('j%C3%B6rg', 'viewer'),
    ]);
  });
});

describe('Accounts of Postern’s own, while the proxy identifies callers', () => {
  it('cannot be logged in to', async () => {
    const body = '{"user":"admin","password":"IronsPassw0rd!!"}';
    const lines = [HOST, 'Content-Type: application/json', `Content-Length: ${body.length}`];
    for (const secret of [[], [SHOWN]]) {
      const { status, text } = await rawRequest(
        watched.instance.port,
        `${head('POST /api/login HTTP/1.1', lines, secret)}${body}`,
      );
      assert.ok([401, 404].includes(status ?? 0), `answered ${status}`);
      assert.doesNotMatch(text, /set-cookie/i);
    }
    assert.deepEqual(watched.nvr.received, []);
  });
});
