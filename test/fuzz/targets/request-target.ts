/** The target of a request: what is admitted means the same to every reader, and names no foreign camera to the NVR. */

import assert from 'node:assert/strict';
import { authorize } from '../../../src/access/authorize.ts';
import { compileRouteTable } from '../../../src/access/route-table.ts';
import { loadPolicy } from '../../../src/config/policy/load-policy.ts';
import { scopeOfNames } from '../../../src/domain/camera-scope.ts';
import type { Role, UserName } from '../../../src/domain/names.ts';
import { parseTarget } from '../../../src/gateway/decision/strict-target.ts';
import { FRIGATE, layoutOfConfig } from '../../../src/nvr/frigate/frigate.ts';
import { CONFIG } from '../../policy/support/two-cameras.ts';
import type { FuzzTarget } from './target.ts';

const policy = await loadPolicy('frigate', '.');
const ROWS = policy.kind === 'loaded' ? policy.rows : assert.fail('the route table cannot be read');
const TABLE = compileRouteTable(ROWS, FRIGATE);
const SURROUNDINGS = { layout: layoutOfConfig(CONFIG), now: 1_800_000_000 };
const GARDENER = {
  name: 'carl' as UserName,
  role: 'gardener' as Role,
  scope: scopeOfNames(['garden']),
  credential: { kind: 'internal-listener' },
} as const;
const OTHERS: readonly string[] = ['bedroom', 'bedroom_main', 'bedroom_sub'];

/** A reader of queries that knows nothing of ours. */
const readNames = (query: string, name: string): string[] =>
  new URLSearchParams(query).getAll(name).flatMap((value) => value.split(',').map((part) => part.trim()));

export const fuzzTarget: FuzzTarget = {
  outcomes: ['refused', 'not plain', 'allowed', 'narrowed', 'nothing-visible'],
  longest: 300,
  seeds: [
    '/api/events?limit=5&cameras=garden%2Cbedroom',
    '/api/events?camera=bedroom',
    '/api/bedroom/latest.jpg?h=300',
    '/api/garden/recordings?after=1&before=2',
    '/live/webrtc/api/ws?src=garden_sub&src=bedroom',
    '/vod/garden/start/1/end/2/index.m3u8',
    '/vod/garden,bedroom/start/1/end/2/index.m3u8',
    '/clips/garden-1700000001.5-aaaaa1.jpg',
    '/clips/review/thumb-bedroom-1700000002.5-bbbbb2.webp',
    '/api/log%69n?next=%2Fx',
    '/api/timeline/hourly?cameras=all',
    '/api/review/summary?cameras=garden',
  ],
  words: [
    'bedroom',
    'garden',
    '%2e%2e',
    '%2f',
    '..',
    '/../',
    'cameras=',
    'camera=',
    '&',
    'src=',
    '%00',
    ';',
    '/start/1/end/2',
    'all',
    'birdseye',
    '%62edroom',
  ],
  judge(input) {
    const target = parseTarget(input.toString('latin1'));
    if (!target) return 'not plain';
    const text = target.query === '' ? target.path : `${target.path}?${target.query}`;
    assert.deepEqual(parseTarget(text), target, 'it reads otherwise the second time');
    const url = new URL(text, 'http://h');
    assert.deepEqual([url.host, url.pathname, url.hash], ['h', target.path, '']);
    assert.equal(url.search.slice(1), target.query.replaceAll("'", '%27'));
    assert.deepEqual(target.segments, target.path.slice(1).split('/').map(decodeURIComponent));
    assert.ok(target.segments.every((segment) => !/[\p{Cc}/\\?#;%]|^\.{1,2}$/u.test(segment)));

    const match = TABLE.match('GET', target.segments);
    const verdict = authorize(GARDENER, match, target, SURROUNDINGS);
    if (verdict.kind !== 'allowed') return verdict.kind;
    assert.ok(match.kind === 'listed', 'a row that is not listed is for admins');
    assert.ok(match.row.access !== 'admin' && match.row.access !== 'none' && match.row.access !== 'unrestricted');
    if (match.row.access === 'public') return 'allowed';
    assert.equal(verdict.target.path, target.path);
    for (const locator of match.row.cameras ?? []) {
      if (locator.source === 'path') {
        const { [locator.name]: named = '' } = match.parameters;
        if (locator.kind === 'camera' || locator.kind === 'stream')
          assert.ok(!OTHERS.includes(named), `${named} in the path`);
      } else if (locator.source === 'query' && (locator.kind === 'camera' || locator.kind === 'stream'))
        assert.deepEqual(
          readNames(verdict.target.query, locator.name).filter((name) => OTHERS.includes(name)),
          [],
        );
    }
    const { narrow } = match.row;
    if (narrow?.how !== 'rewrite') return 'allowed';
    assert.deepEqual(new URLSearchParams(verdict.target.query).getAll(narrow.parameter), ['garden']);
    return 'narrowed';
  },
};
