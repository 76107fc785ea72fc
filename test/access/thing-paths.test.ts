/** What a link may name: the walk over the whole route table with links as callers, and hostile names of files (SPEC 13). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { authorize } from '../../src/access/authorize.ts';
import { layoutOfNames } from '../../src/access/recorder-layout.ts';
import { compileRouteTable } from '../../src/access/route-table.ts';
import { playlistBelow, showsThing, thingFiles, thingPlaylist, thingTarget } from '../../src/access/thing-paths.ts';
import { loadPolicy } from '../../src/config/policy/load-policy.ts';
import type { Caller, SharedThing } from '../../src/domain/caller.ts';
import { ALL_CAMERAS } from '../../src/domain/camera-scope.ts';
import { ADMIN, type CameraName, type UserName } from '../../src/domain/names.ts';
import { parseTarget } from '../../src/gateway/decision/strict-target.ts';
import { FRIGATE } from '../../src/nvr/frigate/frigate.ts';

const { things: LINKS } = FRIGATE;

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
  ...thingFiles(LINKS, thing),
  ...[thingPlaylist(LINKS, thing)].filter((file) => file !== undefined),
];

describe('A link', () => {
  it('names no path of the whole route table but its own, by any method, whatever its maker is worth', async () => {
    const policy = await loadPolicy('frigate', '.');
    assert.ok(policy.kind === 'loaded');
    const table = compileRouteTable(policy.rows, FRIGATE);
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
    const table = compileRouteTable(policy.kind === 'loaded' ? policy.rows : [], FRIGATE);
    for (const thing of THINGS)
      for (const file of filesOf(thing)) {
        const target = parseTarget(thingTarget(LINKS, thing, file.split('/')) ?? '');
        assert.ok(target && target.query === '' && showsThing(LINKS, thing, target.path), file);
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
        const target = thingTarget(LINKS, thing, segments);
        if (target === undefined) return;
        const plain = parseTarget(target);
        assert.ok(plain && plain.path === target && showsThing(LINKS, thing, target));
        assert.ok(segments.length <= 2 && (segments.length === 1 || segments[0] === 'vod'));
      }),
    );
  });

  it('keeps odd names of cameras and ids within one segment', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (camera) => {
        const target = thingTarget(LINKS, { kind: 'live', camera }, ['live']) ?? '';
        assert.equal(target.split('/').length, 3);
        assert.ok(!/[?#]/.test(target));
      }),
    );
  });
});

describe('A playlist below a link', () => {
  const AT = '/vod/front%20door/start/100/end/160.5';
  const media = (segment: string): string =>
    `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXT-X-MAP:URI="${segment.replace('seg-1', 'init')}"\n#EXTINF:10.000,\n${segment}\n#EXT-X-ENDLIST\n`;
  const master = (index: string): string =>
    `#EXTM3U\r\n#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="avc1"\r\n${index}\r\n#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="${index.replace('index', 'iframes')}"\r\n`;

  it('names files beside it, whether the NVR names them relatively, by their path, or with its address', () => {
    for (const before of [
      '',
      './',
      `${AT}/`,
      '/vod/front door/start/100/end/160.5/',
      `http://nvr:5000${AT}/`,
      `//nvr${AT}/`,
      `https://[::1]:8971${AT}/../160.5/`,
    ]) {
      assert.equal(playlistBelow(media(`${before}seg-1-v1.m4s`), AT), media('seg-1-v1.m4s'), before);
      const written = master('index-v1-a1.m3u8').replaceAll('\r', '');
      assert.equal(playlistBelow(master(`${before}index-v1-a1.m3u8?x=1`), AT), written, before);
    }
  });

  it('is refused when it leads elsewhere, or is none', () => {
    for (const segment of [
      '/vod/garden/start/100/end/160.5/seg-1-v1.m4s',
      '../../../../garden/start/100/end/160.5/seg-1-v1.m4s',
      'http://nvr/api/config',
      'https://evil.example/seg-1-v1.m4s',
      `${AT}/sub/seg-1-v1.m4s`,
      `${AT}/..%2f..%2fseg-1-v1.m4s`,
      'data:video/mp4;base64,AAAA',
      '{$host}/seg-1-v1.m4s',
      'seg-1-v1.m4s/',
      '%ff',
    ]) {
      assert.equal(playlistBelow(media(segment), AT), undefined, segment);
      assert.equal(playlistBelow(`#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI="${segment}"\n`, AT), undefined, segment);
    }
    for (const odd of ['URI=http://evil/a', 'A=",URI="a",URI="http://evil/a', 'X-URI=a'])
      assert.equal(playlistBelow(`#EXTM3U\n#EXT-X-MAP:${odd}\n`, AT), undefined, odd);
    for (const none of ['', '<html>', '{"message":"no recordings"}', ' #EXTM3U'])
      assert.equal(playlistBelow(none, AT), undefined, none);
  });

  it('keeps no tag that may name an address in its own way', () => {
    const odd =
      '#EXT-X-DEFINE:NAME="host",VALUE="http://evil"\n#EXT-X-DATERANGE:X-ASSET-LIST="http://evil"\n# http://evil\n';
    assert.equal(playlistBelow(`#EXTM3U\n${odd}seg-1.ts`, AT), '#EXTM3U\nseg-1.ts');
  });

  it('has no text in which a player would find an address behind the number of seconds, or in a line of its own', () => {
    // hls.js takes what follows the seconds, and lines that end by other characters, for the address of a segment.
    assert.equal(
      playlistBelow('#EXTM3U\n#EXTINF:9.5,Porch http://e/a\nseg-1.ts', AT),
      '#EXTM3U\n#EXTINF:9.5,\nseg-1.ts',
    );
    assert.equal(playlistBelow('#EXTM3U\n#EXTINF:9.5\nseg-1.ts', AT), '#EXTM3U\n#EXTINF:9.5,\nseg-1.ts');
    for (const line of [
      '#EXT-X-KEY:#EXTINF:1,http://e/a',
      '#EXTINF:10 http://e/a',
      '#EXTINF: http://e/a',
      '#EXTINF:10http://e/a',
    ])
      assert.equal(playlistBelow(`#EXTM3U\n${line}\nseg-1.ts`, AT), undefined, line);
    for (const end of ['\r', '\u2028', '\u2029', '\u0085', '\v', '\0'])
      for (const line of [
        `#EXT-X-GAP:${end}http://e/a`,
        `#EXTINF:9,${end}http://e/a`,
        `#EXTINF:9,${end}#EXT-X-MAP:URI=x`,
      ])
        assert.equal(playlistBelow(`#EXTM3U\n${line}\nseg-1.ts`, AT), undefined, JSON.stringify(line));
  });

  it('never names anything but files, whatever the NVR writes', () => {
    const piece = fc.constantFrom(
      'URI="',
      '"',
      '\n',
      '\r',
      '\u2028',
      '#EXTINF:1',
      '#EXT-X-MAP:',
      '#EXT-X-KEY:',
      '/',
      '..',
      'http://e/',
      '%2f',
      'seg',
      AT,
      ',',
    );
    const text = fc.array(fc.oneof(piece, fc.string({ maxLength: 4 }))).map((pieces) => `#EXTM3U\n${pieces.join('')}`);
    fc.assert(
      fc.property(text, (hostile) => {
        const written = playlistBelow(hostile, AT) ?? '';
        // As the most generous player reads them.
        const lines = written
          .replaceAll(/#EXTINF:[\d.]+,/g, '\n')
          .split(/[\r\n\u2028\u2029]/)
          .filter((line) => line !== '' && !line.startsWith('#'));
        const quoted = [...written.matchAll(/URI="([^"]*)"/g)].map(([, address]) => address);
        for (const file of [...lines, ...quoted]) assert.match(file ?? '', /^[\w-]+(?:\.[\w-]+)*$/);
      }),
    );
  });
});
