/** Several roles of one person, from the groups of a proxy: together, and by the clock (interface 5.5.6; SPEC 13). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { movableClock } from '../support/clock.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

let nvr: FakeNvr;
let at: Runtime;

before(async () => {
  nvr = await startFakeNvr();
  nvr.answer = (request, response) => {
    const isConfig = request.url === '/api/config';
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(isConfig ? '{"cameras":{"garden":{},"gate":{},"hall":{}}}' : '[]');
  };
  at = await startInstance({
    // Monday.
    clock: movableClock(Date.parse('2026-11-23T10:00:00Z')),
    config: {
      nvr: { url: nvr.url },
      events: { source: 'nvr' },
      auth: {
        enabled: false,
        timezone: 'UTC',
        roles: {
          crew: { cameras: ['garden'], deny: ['export', 'ptz'], history_since: '30d' },
          guard: { cameras: ['gate'], deny: ['export'], hours: ['Mon-Fri 07:00-18:00'], history_since: '7d' },
          newcomer: { cameras: ['hall'], history_since: 'grant' },
        },
      },
      proxy: {
        header_map: { user: 'remote-user', role: 'remote-groups' },
        role_map: { crew: ['c'], guard: ['g'], newcomer: ['n'], viewer: ['v'], admin: ['a'] },
        default_role: 'none',
      },
    },
  });
});
after(async () => {
  await at.close();
  await nvr.close();
});

/** What the NVR got, or the status and reason of the refusal. */
async function asked(groups: string, path: string): Promise<string> {
  nvr.received.length = 0;
  const answer = await at.ask(path, { headers: { 'remote-user': 'ann', 'remote-groups': groups } });
  const { reason = '' } = answer.status >= 400 ? ((await answer.json()) as { reason?: string }) : {};
  const [sent] = nvr.received.filter(({ headers }) => headers.some(([name]) => name === 'x-request-id'));
  if (!sent) return `${answer.status} ${reason}`.trim();
  const role = sent.headers.find(([name]) => name === 'remote-role')?.[1];
  return `${role} ${decodeURIComponent(sent.target)}`;
}

describe('A person whose groups give several roles', () => {
  it('sees the cameras of all of them, is denied what all deny, and sees back as far as the furthest', async () => {
    const now = at.clock.now() / 1000;
    const days = (count: number) => now - count * 86_400;
    // biome-ignore format: a table
    const rows: readonly [groups: string, path: string, outcome: string][] = [
      ['c',     '/api/events',             `crew /api/events?after=${days(30)}&cameras=garden`],
      ['g',     '/api/events',             `guard /api/events?after=${days(7)}&cameras=gate`],
      ['g,c',   '/api/events',             `crew /api/events?after=${days(30)}&cameras=garden,gate`],
      ['c,g',   '/api/gate/ptz/info',      'crew /api/gate/ptz/info'],
      ['c',     '/api/garden/ptz/info',    '403 verb-denied'],
      ['c,g',   '/api/exports',            '200'], // an empty list, which is not the NVR's
      ['c,g',   '/api/hall/latest.jpg',    '403 camera-not-in-role'],
      ['n',     '/api/events',             '200'], // likewise
      ['n',     '/api/hall/latest.jpg',    'newcomer /api/hall/latest.jpg'],
      ['n,g',   '/api/events',             `guard /api/events?after=${days(7)}&cameras=gate,hall`],
      ['c,v',   '/api/events',             'viewer /api/events'],
      ['c,v,a', '/api/events',             'admin /api/events'],
    ];
    for (const [groups, path, outcome] of rows) {
      const found = await asked(groups, path);
      const inOrder = found.startsWith('guard') && groups === 'n,g' ? found.replace('hall,gate', 'gate,hall') : found;
      assert.deepEqual([groups, path, inOrder], [groups, path, outcome]);
    }
  });

  it('has only those that are open, and is refused when none is; explain says which and why', async () => {
    at.clock.advance(9 * 3600); // 19:00
    const since = at.clock.now() / 1000 - 30 * 86_400;
    assert.equal(await asked('c,g', '/api/events'), `crew /api/events?after=${since}&cameras=garden`);
    assert.equal(await asked('c,g', '/api/gate/latest.jpg'), '403 camera-not-in-role');
    assert.equal(await asked('g', '/api/gate/latest.jpg'), '403 outside-hours');
    const explained = await fetch(
      `${at.internalUrl}/api/explain?${new URLSearchParams([
        ['method', 'GET'],
        ['path', '/api/gate/latest.jpg'],
        ['header', 'Remote-User: ann'],
        ['header', 'Remote-Groups: g'],
      ])}`,
    );
    const told = (await explained.json()) as Record<string, unknown>;
    assert.equal(told['reason'], 'outside-hours');
    assert.match(String(told['message']), /It may be used from 2026-11-24 07:00 \(UTC\) on\.$/);
    assert.deepEqual(told['limits'], [
      'guard may be used Mon-Fri 07:00-18:00 (UTC): closed until 2026-11-24 07:00 (UTC)',
      'guard sees back 7d',
      'guard may not: export',
    ]);
  });
});
