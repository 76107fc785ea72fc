/** What a link may name: the walk over the whole route table with links as callers, and hostile names of files (SPEC 13). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { authorize } from '../../src/access/authorize.ts';
import { isBehindLink, linkFiles, linkPlaylist, linkTarget } from '../../src/access/link-targets.ts';
import { layoutOfNames } from '../../src/access/recorder-layout.ts';
import { compileRouteTable } from '../../src/access/route-table.ts';
import { loadPolicy } from '../../src/config/policy/load-policy.ts';
import type { Caller } from '../../src/domain/caller.ts';
import { ALL_CAMERAS } from '../../src/domain/camera-scope.ts';
import { ADMIN, type CameraName, type UserName } from '../../src/domain/names.ts';
import type { SharedThing } from '../../src/domain/shared-thing.ts';
import { parseTarget } from '../../src/gateway/decision/strict-target.ts';

const THINGS: readonly SharedThing[] = [
  { kind: 'event', id: '17.5-a', camera: 'cam1' },
  { kind: 'review', id: '17.5-r', camera: 'cam1' },
  { kind: 'recording', camera: 'cam1', from: 100, to: 160.5 },
  { kind: 'live', camera: 'cam1' },
  { kind: 'snapshot', camera: 'cam1' },
];
/** With the most that a maker can be worth, and not narrowed, so that the path alone decides. */
const linkTo = (thing: SharedThing): Caller => ({
  name: 'boss' as UserName,
  role: ADMIN,
  scope: ALL_CAMERAS,
  credential: { kind: 'link', linkId: 'l', thing, expiresAt: 9e9 },
});
const filesOf = (thing: SharedThing): string[] => [
  ...linkFiles(thing),
  ...[linkPlaylist(thing)].filter((file) => file !== undefined),
];

describe('A link', () => {
  it('names no path of the whole route table but its own, by any method, whatever its maker is worth', async () => {
    const policy = await loadPolicy('frigate', '.');
    assert.ok(policy.kind === 'loaded');
    const table = compileRouteTable(policy.rows);
    const surroundings = { layout: layoutOfNames(['cam1', 'cam2'] as CameraName[]), now: 1_800_000_000 };
    const opened = new Set<string>();
    for (const thing of THINGS) {
      const values = { camera: 'cam1', id: 'id' in thing ? thing.id : 'x', start: '100', end: '160.5', time: '100' };
      for (const { methods, path } of policy.rows) {
        const filled = path
          .replaceAll(
            /\{(\w+)(?::[\w-]+)?(?:\.\.\.)?\}/g,
            (_, name) => (values as Record<string, string>)[name] ?? 'jpg',
          )
          .replace('/rest', '/x');
        for (const method of methods) {
          const target = parseTarget(filled);
          assert.ok(target, filled);
          const verdict = authorize(linkTo(thing), table.match(method, target.segments), target, surroundings);
          if (verdict.kind !== 'refused') opened.add(`${thing.kind} ${method} ${filled}`);
        }
      }
    }
    assert.deepEqual([...opened].sort(), [
      'event GET /api/events/17.5-a/clip.mp4',
      'event GET /api/events/17.5-a/preview.gif',
      'event GET /api/events/17.5-a/snapshot.jpg',
      'event GET /api/events/17.5-a/thumbnail.jpg',
      'event GET /vod/event/17.5-a/jpg',
      'live GET /api/cam1',
      'live GET /api/cam1/latest.jpg',
      'recording GET /api/cam1/recordings/100/snapshot.jpg',
      'recording GET /api/cam1/start/100/end/160.5/clip.mp4',
      'recording GET /vod/cam1/start/100/end/160.5/jpg',
      'review GET /api/review/17.5-r/clip.mp4',
      'review GET /api/review/17.5-r/preview',
      'snapshot GET /api/cam1/latest.jpg',
    ]);
  });

  it('has rows of the table for all its files, which are plain targets without a query', async () => {
    const policy = await loadPolicy('frigate', '.');
    const table = compileRouteTable(policy.kind === 'loaded' ? policy.rows : []);
    for (const thing of THINGS)
      for (const file of filesOf(thing)) {
        const target = parseTarget(linkTarget(thing, file.split('/')) ?? '');
        assert.ok(target && target.query === '' && isBehindLink(thing, target.path), file);
        const match = table.match('GET', target.segments);
        assert.ok(match.kind === 'listed' && match.row.access === 'camera', file);
      }
  });

  it('makes of hostile names of files nothing but its own paths', () => {
    const names = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('..', 'vod', 'live', 'clip.mp4', '__proto__', 'constructor', 'toString'),
    );
    fc.assert(
      fc.property(fc.constantFrom(...THINGS), fc.array(names, { maxLength: 4 }), (thing, segments) => {
        const target = linkTarget(thing, segments);
        if (target === undefined) return;
        const plain = parseTarget(target);
        assert.ok(plain && plain.path === target && isBehindLink(thing, target));
        assert.ok(segments.length <= 2 && (segments.length === 1 || segments[0] === 'vod'));
      }),
    );
  });

  it('keeps odd names of cameras and ids within one segment', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (camera) => {
        const target = linkTarget({ kind: 'live', camera }, ['live']) ?? '';
        assert.equal(target.split('/').length, 3);
        assert.ok(!/[?#]/.test(target));
      }),
    );
  });
});
