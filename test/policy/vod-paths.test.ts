/** Recorded video: what the NVR's video module reads into a path is refused to everyone who is no admin (SPEC 5; facts: vod module). */

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { authorize } from '../../src/access/authorize.ts';
import { layoutOfNames } from '../../src/access/recorder-layout.ts';
import { compileRouteTable, type RouteTable } from '../../src/access/route-table.ts';
import { loadPolicy } from '../../src/config/policy/load-policy.ts';
import { scopeOfRole } from '../../src/domain/camera-scope.ts';
import type { CameraName, Role, UserName } from '../../src/domain/names.ts';
import { parseTarget } from '../../src/gateway/decision/strict-target.ts';
import { FRIGATE } from '../../src/nvr/frigate/frigate.ts';
import { BEDROOM, FOREIGN, GARDEN } from './support/two-cameras.ts';
import { startWalkInstance, type WalkInstance } from './support/walk-instance.ts';

const ID = BEDROOM.event;

/** Each is served as another path than it looks. */
const TRICKS: readonly string[] = [
  `/vod/event/,A/H/garden/Z,${ID},.urlset/index-f2.m3u8`,
  `/vod/2026-01/05/12/garden/,utc,${ID},.urlset/index.m3u8`,
  `/vod/event/,${GARDEN.event},${ID},.urlset/index-f2.m3u8`,
  `/vod/event/${ID}/lang/garden/index.m3u8`,
  `/vod/lang/event/${ID}/garden/index.m3u8`,
  `/vod/event/${ID}/tracks/garden/v1-a1/index.m3u8`,
  `/vod/2026-01/05/clipTo/garden/12/index.m3u8`,
  `/vod/garden/start/1/end/2/clipFrom/1000/index.m3u8`,
  `/vod/garden/start/shift/end/2/index.m3u8`,
  `/vod/event/${GARDEN.event}/seg-1.urlset`,
  `/vod/event/,${ID},/index.m3u8`,
  `/vod/2026-01/05/12/garden/a,b,c,d/index.m3u8`,
  `/vod/2026-1/05/12/garden/utc/index.m3u8`,
  `/vod/2026-01/5/12/garden/utc/index.m3u8`,
  `/vod/garden/start/inf/end/2/index.m3u8`,
  `/vod/garden/start/1/end/2/a,b.m3u8`,
];

/** As the NVR's pages and Home Assistant ask. */
const PLAIN: readonly string[] = [
  '/vod/garden/start/1700000000/end/1700000060.25/index.m3u8',
  '/vod/clip/garden/start/1700000000.5/end/1700000060/master.m3u8',
  '/vod/2026-01/05/12/garden/index.m3u8',
  '/vod/2026-01/05/12/garden/Europe,Berlin/index.m3u8',
  '/vod/2026-01/05/12/garden/America,Argentina,Buenos_Aires/index-f1-v1.m3u8',
  '/vod/2026-01/05/12/garden/Etc,GMT+5/seg-7-v1.m4s',
  '/vod/2026-01/05/12/garden/utc/init-v1.mp4',
  `/vod/event/${GARDEN.event}/seg-1-v1-a1.ts`,
];

const FORWARD_AUTH = { auth: { roles: { gardener: ['garden'] }, trusted_proxies: ['127.0.0.1'] } };

describe('A path below /vod', () => {
  let walk: WalkInstance;
  before(async () => {
    walk = await startWalkInstance([], FORWARD_AUTH);
  });
  after(() => walk.close());
  const asked = (target: string) => ({ method: 'GET', target, body: undefined });
  const described = (target: string) => ({ 'x-original-method': 'GET', 'x-original-url': target });

  for (const target of TRICKS) {
    it(`${target} reaches the NVR for admins alone`, async () => {
      for (const caller of ['gardener', 'viewer'] as const) {
        const { status, body, forwarded } = await walk.ask(caller, asked(target));
        assert.deepEqual([caller, status, forwarded], [caller, 403, []]);
        assert.doesNotMatch(body, FOREIGN);
        assert.equal((await walk.ask(caller, asked('/auth'), described(target))).status, 403);
      }
      assert.equal((await walk.ask('admin', asked(target))).forwarded[0]?.target, target);
      assert.equal((await walk.ask('admin', asked('/auth'), described(target))).status, 202);
    });
  }

  for (const target of PLAIN) {
    it(`${target} is what it looks like, and passes`, async () => {
      assert.equal((await walk.ask('gardener', asked(target))).forwarded[0]?.target, target);
      assert.equal((await walk.ask('viewer', asked(target))).forwarded[0]?.target, target);
      assert.equal((await walk.ask('gardener', asked('/auth'), described(target))).status, 202);
    });
  }
});

/** Parameters that the module takes out of a path wherever they stand, each with the segment behind it. */
const MODULE_WORDS = ['clipFrom', 'clipTo', 'tracks', 'shift', 'lang', 'speed', 'seqno'];

/** What the module maps a path to: its own reading, from its source. */
function mapped(segments: readonly string[]): readonly string[] {
  const left: string[] = [];
  for (let at = 0; at < segments.length; at++) {
    if (MODULE_WORDS.includes(segments[at] ?? '')) at++;
    else left.push(segments[at] ?? '');
  }
  const path = left.join('/');
  const list = /^(?<prefix>[^,]*),(?<parts>.*),(?<suffix>[^,]*)\.urlset(?<file>\/[^/]*)$/.exec(path)?.groups;
  if (!list) return [path];
  const { prefix = '', parts = '', suffix = '', file = '' } = list;
  return parts.split(',').map((part) => prefix + part + suffix + file);
}

const caller = {
  name: 'gustav' as UserName,
  role: 'gardener' as Role,
  scope: scopeOfRole('gardener' as Role, new Map([['gardener' as Role, ['garden']]])),
  credential: { kind: 'proxy-headers' as const },
};
const layout = layoutOfNames(['garden', 'bedroom'] as CameraName[]);

describe('Every path that a gardener is allowed', () => {
  let routes: RouteTable;
  before(async () => {
    const policy = await loadPolicy('frigate', '.');
    assert.equal(policy.kind, 'loaded');
    routes = compileRouteTable(policy.kind === 'loaded' ? policy.rows : [], FRIGATE);
  });

  const piece = fc.constantFrom(
    'garden', 'bedroom', 'event', 'clip', 'start', 'end', '1700000000', '2', '2026-01', '05', '12', 'utc', 'Europe,Berlin',
    'index.m3u8', 'index-f2.m3u8', GARDEN.event, ID, ...MODULE_WORDS, ',', ',.urlset', '.urlset', 'a,b.urlset',
  ); // biome-ignore format: words
  const segment = fc.oneof(
    { weight: 5, arbitrary: piece },
    { weight: 1, arbitrary: fc.array(piece, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(',')) },
    {
      weight: 1,
      arbitrary: fc.array(piece, { minLength: 1, maxLength: 3 }).map((parts) => `,${parts.join(',')},.urlset`),
    },
  );
  /** A path that is allowed, with something put into it; or anything. */
  const path = fc.oneof(
    fc.array(segment, { minLength: 1, maxLength: 8 }).map((segments) => `/vod/${segments.join('/')}`),
    fc
      .tuple(fc.constantFrom(...PLAIN), fc.array(fc.tuple(fc.nat(8), segment, fc.boolean()), { maxLength: 3 }))
      .map(([plain, changes]) => {
        const segments = plain.slice('/vod/'.length).split('/');
        for (const [at, text, isAdded] of changes)
          segments.splice(Math.min(at, segments.length), isAdded ? 0 : 1, text);
        return `/vod/${segments.join('/')}`;
      }),
    fc.constantFrom(...PLAIN),
  );

  it('is read by the module as it stands: nothing is taken out of it, and it is one', () => {
    let allowed = 0;
    fc.assert(
      fc.property(path, (text) => {
        const target = parseTarget(text);
        if (!target) return;
        const route = routes.match('GET', target.segments);
        const verdict = authorize(caller, route, target, { layout, now: 0 });
        if (verdict.kind !== 'allowed') return;
        allowed++;
        assert.deepEqual(mapped(target.segments), [target.segments.join('/')]);
      }),
      { numRuns: 5000 },
    );
    assert.ok(allowed > 100, `only ${allowed} of the paths were allowed`);
  });
});
