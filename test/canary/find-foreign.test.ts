/** Where the canary looks for cameras, and where it does not: cameras have names that are words as well (SPEC 15). Pure. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answer } from '../../src/canary/answer.ts';
import { createFinder } from '../../src/canary/find-foreign.ts';
import { FRIGATE } from '../../src/nvr/frigate/frigate.ts';

/** The canary's own camera is `front`; foreign ones are called like a label, like a zone, and like its own with more. */
const finder = createFinder(
  {
    foreignCameras: new Set(['person', 'garage', 'front-1', 'back yard']),
    foreignStreams: new Set(['person', 'garage_sub']),
    foreignIds: new Map([['1700000002.5-bbbbb2', 'garage']]),
  },
  FRIGATE.canary.answers,
);

const answer = (body: unknown, more: Partial<Answer> = {}): Answer => ({
  status: 200,
  type: 'application/json',
  headers: '',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  isWhole: true,
  refused: undefined,
  isOfUpstream: true,
  ...more,
});
const seen = (body: unknown, path = '/api/x', more: Partial<Answer> = {}): string | undefined => {
  const found = finder.find(answer(body, more), path);
  return found && `${found.by} ${found.camera}`;
};
const picture = { type: 'image/jpeg' };

// biome-ignore format: a table
const HONEST: readonly [what: string, body: unknown, path?: string, more?: Partial<Answer>][] = [
  ['a label and a zone',           [{ camera: 'front', label: 'person', zones: ['garage'], sub_label: 'garage' }]],
  ['a picture by label',           { thumb: '/api/front/person/best.jpg', path: '/clips/front-1700000001.5-aaaaa1.jpg' }],
  ['filters by label',             { cameras: { front: { objects: { filters: { person: { min_area: 1 } } } } } }],
  ['counts by label',              { person: 5, garage: 2 }],
  ['a preview of its own',         ['preview_front-1700000001.5.webp', 'thumb-front-1700000001.5-aaaaa1.webp']],
  ['a folder of its own',          '<a href="front/">front/</a> <a href="person.html">', '/recordings/2026-01-05/12/'],
  ['metrics by label',             'objects{camera_name="front",label="person"} 1', '/api/metrics'],
  ['a page with the word',         '<!doctype html><title>garage</title><a href="/person">'],
  ['bytes of a picture',           'JFIF /clips/person-1700000001 2026-01-05/12/garage/', '/api/front/latest.jpg', picture],
  ['the emptied configuration',    { cameras: { front: { name: 'front', ui: { order: 1 } }, garage: { name: 'garage', zones: {}, detect: { fps: 5, enabled: true }, inputs: [], host: '' } } }, '/api/config'],
  ['a live stream called Person',  { cameras: { front: { live: { streams: { person: 'front_sub' } } } } }, '/api/config'],
  ['JSON that is too deep',        '['.repeat(100_000)],
];

// biome-ignore format: a table
const LEAKS: readonly [what: string, body: unknown, found: string, path?: string, more?: Partial<Answer>][] = [
  ['a row',                        [{ camera: 'front' }, { camera: 'person' }], 'name person'],
  ['a row of several',             [{ camera: 'front, garage' }], 'name garage'],
  ['deep down',                    { a: [{ b: { camera_name: 'back yard' } }] }, 'name back yard'],
  ['a list of names',              { cameras: ['front', 'garage'] }, 'name garage'],
  ['an object by camera',          { cameras: { front: {}, 'front-1': {} } }, 'key front-1'],
  ['an id as a value',             { next: '1700000002.5-bbbbb2' }, 'id garage'],
  ['an id in a picture',           'JFIF 1700000002.5-bbbbb2', 'id garage', '/api/front/latest.jpg', picture],
  ['a file of the longer name',    ['preview_front-1-1700000001.5.webp'], 'path front-1'],
  ['a recording',                  { path: '/media/frigate/recordings/2026-01-05/12/garage/00.01.mp4' }, 'path garage'],
  ['a playlist',                   '#EXTM3U\n/vod/garage/start/1/end/2/seg-1.ts', 'path garage', '/vod/front/x.m3u8', { type: 'application/vnd.apple.mpegurl' }],
  ['a folder',                     [{ name: 'garage', type: 'directory', mtime: 'x' }], 'name garage', '/clips/thumbs/'],
  ['metrics',                      'fps{camera_name="front"} 5\nfps{camera_name="garage"} 5', 'label garage', '/api/metrics'],
  ['streams',                      { front: {}, garage_sub: {} }, 'key garage_sub', '/api/go2rtc/streams'],
  ['streams of the configuration', { cameras: {}, go2rtc: { streams: { garage_sub: ['rtsp://x'] } } }, 'key garage_sub', '/api/config'],
  ['a configuration with more',    { cameras: { garage: { name: 'garage', onvif: { host: '10.0.0.5' } } } }, 'key garage', '/api/config'],
  ['JSON that goes on',            '[{"camera": "front"}, {"camera":"garage"}, {"cam', 'name garage', '/api/x', { isWhole: false }],
  ['a file name in a header',      '', 'path garage', '/api/front/x', { ...picture, headers: 'attachment; filename="thumb-garage-1700000001.5-a.webp"' }],
];

describe('An answer', () => {
  for (const [what, body, path, more] of HONEST)
    it(`with ${what} shows nothing`, () => assert.equal(seen(body, path, more), undefined));
  for (const [what, body, found, path, more] of LEAKS)
    it(`with ${what} shows ${found}`, () => assert.equal(seen(body, path, more), found));
});
