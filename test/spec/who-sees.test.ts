/** "Why can she not see this camera?": the answer is what the gate decides, for live pictures, recordings and exports (SPEC 1, 15). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Explanation } from '../../src/gateway/explain/explain.ts';
import type { CameraAccess } from '../../src/ui/pages/settings/access-answers.ts';
import { ask as askPlainly } from '../sso/support/ask.ts';
import { movableClock } from '../support/clock.ts';
import { type FakeNvr, startFakeNvr } from '../support/fake-nvr.ts';
import { ADMIN_PERSON, CARL, type Person, VERA } from '../support/people.ts';
import { sendJson } from '../support/second-factor.ts';
import { type Runtime, startInstance } from '../support/start-instance.ts';

const person = (name: string, role: string): Person => ({ name, role, password: `Iridium.Lamp.${role}.77` });
const PEOPLE = [
  ADMIN_PERSON,
  VERA,
  CARL,
  person('gus', 'viewer'),
  person('nora', 'by_day'),
  person('max', 'muted'),
  person('sina', 'since_hour'),
];
/** A Monday, 13 o'clock UTC. */
const MONDAY = Date.UTC(2026, 10, 23, 13);
const AT = MONDAY / 1000;

const LIVE = '/api/cam2/latest.jpg';
const RECORDED = `/api/cam2/recordings/${AT - 600}/snapshot.jpg`;
const EXPORT = `/api/export/cam2/start/${AT - 7200}/end/${AT - 7100}`;

describe('Who sees what', () => {
  let nvr: FakeNvr;
  let at: Runtime;
  let admin: string;
  const tokens = new Map<string, string>();
  before(async () => {
    nvr = await startFakeNvr();
    at = await startInstance({
      people: PEOPLE,
      clock: movableClock(MONDAY - 3 * 3600 * 1000),
      config: {
        auth: {
          timezone: 'UTC',
          roles: {
            front_only: ['cam1'],
            by_day: { cameras: ['cam*'], hours: ['Mon-Fri 07:00-12:00'] },
            muted: { cameras: ['cam2'], deny: ['history', 'export'] },
            since_hour: { cameras: ['cam2'], history_since: '1h' },
          },
        },
        nvr: { url: nvr.url, cameras: ['cam1', 'cam2'] },
      },
    });
    for (const one of PEOPLE) tokens.set(one.name, await at.logIn(one));
    admin = tokens.get('admin') ?? '';
    await sendJson(at, '/api/users/gus/validity', { valid_until: AT - 60 }, admin, 'PUT');
    at.clock.advance(3 * 3600);
  });
  after(async () => {
    await at.close();
    await nvr.close();
  });

  const ask = (query: string): Promise<Response> => at.ask(`/api/explain?${query}`, { token: admin });
  const told = async (user: string, shows: string, camera = 'cam2'): Promise<Explanation> =>
    (await (await ask(new URLSearchParams({ user, camera, shows }).toString())).json()) as Explanation;

  // biome-ignore format: a table
  const answers: readonly (readonly [user: string, live: string | undefined, history: string | undefined, exported: string | undefined])[] = [
    ['admin', undefined,            undefined,            undefined],
    ['vera',  undefined,            undefined,            undefined],
    ['carl',  'camera-not-in-role', 'camera-not-in-role', 'camera-not-in-role'],
    ['gus',   'account-ended',      'account-ended',      'account-ended'],
    ['nora',  'outside-hours',      'outside-hours',      'outside-hours'],
    ['max',   undefined,            'verb-denied',        'verb-denied'],
    ['sina',  undefined,            undefined,            undefined],
  ];
  for (const [user, ...reasons] of answers)
    it(`tells for ${user} what the gate then does`, async () => {
      const requests = [
        ['live', LIVE, 'GET'],
        ['history', RECORDED, 'GET'],
        ['export', EXPORT, 'POST'],
      ] as const;
      for (const [place, [shows, path, method]] of requests.entries()) {
        const { reason, verdict, user: named } = await told(user, shows);
        assert.equal(reason, reasons[place], `${user} ${shows}`);
        assert.equal(verdict, reasons[place] ? 'refused' : 'admitted');
        assert.equal(named, user);
        nvr.received.length = 0;
        // The export of one hour is older than what sina sees: the question is whether she may export at all.
        if (user === 'sina' && shows === 'export') continue;
        const answer = await at.ask(path, { method, token: tokens.get(user) ?? '' });
        const body = await answer.text();
        assert.equal(answer.status < 400, reasons[place] === undefined, `${user} ${shows}: ${answer.status} ${body}`);
        const arrived = nvr.received.some(({ target }) => target === path);
        assert.equal(arrived, reasons[place] === undefined, `${user} ${shows}`);
      }
    });

  it('says from when on it passes, and since when recordings are seen', async () => {
    const { opens } = await told('nora', 'live');
    assert.equal(opens?.at, AT - 13 * 3600 + 86_400 + 7 * 3600);
    const { since } = await told('sina', 'history');
    assert.equal(since, AT - 3600);
    assert.equal((await told('vera', 'history')).since, undefined);
  });

  it('refuses a question that has no answer', async () => {
    const wrong = ['user=vera&camera=cam2', 'user=vera&camera=cam2&shows=talk', 'camera=cam2&shows=live'];
    for (const query of wrong) assert.equal((await ask(query)).status, 422, query);
  });

  it('lists people and tokens with their cameras, once until something changes', async () => {
    const first = await at.ask('/api/access', { token: admin });
    const { cameras, holders } = (await first.json()) as CameraAccess;
    assert.deepEqual(cameras, ['cam1', 'cam2']);
    assert.deepEqual(
      holders.map(({ name, cameras: seen, denied, closed }) => [name, seen, denied.join(), closed ?? '']),
      [
        ['admin', 'all', '', ''],
        ['carl', ['cam1'], '', ''],
        ['gus', 'all', '', 'account-ended'],
        ['max', ['cam2'], 'history,export', ''],
        ['nora', ['cam1', 'cam2'], '', 'outside-hours'],
        ['sina', ['cam2'], '', ''],
        ['vera', 'all', '', ''],
      ],
    );
    const etag = first.headers.get('etag') ?? '';
    // Node's fetch adds `no-cache` to a request that names an ETag.
    const head = [
      ['Authorization', `Bearer ${admin}`],
      ['If-None-Match', etag],
    ] as const;
    const again = () => askPlainly(at.port, { path: '/api/access', headers: head });
    assert.equal((await again()).status, 304);
    await sendJson(at, '/api/users/carl/role', { role: 'muted' }, admin, 'PUT');
    assert.equal((await again()).status, 200);
    assert.equal((await at.ask('/api/access', { token: tokens.get('vera') ?? '' })).status, 403);
  });
});
