/** Whose is it? Asked once, and never guessed (SPEC 5, `how: lookup`). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCameraView } from '../../../src/access/camera-view.ts';
import { layoutOfNames } from '../../../src/access/recorder-layout.ts';
import { toScope } from '../../../src/domain/camera-scope.ts';
import type { CameraName, Role } from '../../../src/domain/names.ts';
import type { OwnerKind } from '../../../src/domain/policy.ts';
import { createOwnerLookup } from '../../../src/gateway/decision/owner-lookup.ts';
import { FRIGATE } from '../../../src/nvr/frigate/frigate.ts';

const VIEW = createCameraView(
  { role: 'gardener' as Role, scope: toScope(['garden']) },
  { layout: layoutOfNames(['garden', 'attic'] as CameraName[]), now: 0 },
);
const REQUEST = { method: 'GET', target: { path: '/x', segments: ['x'], query: '' } };

const mine = { camera: 'garden', video_path: '/media/frigate/exports/a.mp4' };
const other = { camera: 'attic', video_path: '/media/frigate/exports/b.mp4' };
const ANSWERS: Readonly<Record<string, unknown>> = {
  '/api/events/mine': mine,
  '/api/events/other': other,
  '/api/events/nobodys': { id: 'nobodys' },
  '/api/events/summary': [mine],
  '/api/review/mine': mine,
  '/api/exports/mine': mine,
  '/api/exports': [mine, other],
  '/api/exports?export_case_id=mine': [mine, mine],
  '/api/exports?export_case_id=both': [mine, other],
  '/api/exports?export_case_id=empty': [],
};

function lookup() {
  const asked: string[] = [];
  const owners = createOwnerLookup(
    () => ({
      name: 'nvr',
      ask: async (path) => {
        asked.push(path);
        if (path.includes('down')) throw new Error('the NVR is down');
        if (path.includes('hidden')) throw Object.assign(new Error('answered with 403'), { status: 403 });
        if (path.includes('broken')) throw Object.assign(new Error('answered with 500'), { status: 500 });
        if (path.includes('page')) return JSON.parse('<html>');
        return ANSWERS[path];
      },
    }),
    FRIGATE,
  );
  const denial = (of: OwnerKind, ids: readonly string[]) => owners.denial([{ of, ids }], VIEW, REQUEST);
  return { asked, denial };
}

describe('The owner of an id', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, of: OwnerKind, ids: string[], expected: string | undefined][] = [
    ['that is visible lets pass',                             'event',       ['mine'],             undefined],
    ['that is not visible is a refusal',                      'event',       ['other'],            'camera-not-in-role'],
    ['that has none is a refusal',                            'event',       ['nobodys'],          'camera-not-in-role'],
    ['that does not exist is refused like a foreign one',      'event',       ['unknown'],          'camera-not-in-role'],
    ['that is unknown refuses all of a list, like a foreign one', 'event',    ['mine', 'unknown'],  'camera-not-in-role'],
    ['that the NVR hides, for its camera is configured no more', 'event',     ['hidden'],           'camera-not-in-role'],
    ['one foreign id in a list refuses all of it',            'event',       ['mine', 'other'],    'camera-not-in-role'],
    ['an empty list asks for nothing',                        'event',       [],                   undefined],
    ['a word that is a route of the NVR is no id',            'event',       ['summary'],          'camera-not-in-role'],
    ['of a review',                                           'review',      ['mine'],             undefined],
    ['of an export',                                          'export',      ['mine'],             undefined],
    ['of an export\'s file',                                  'export-file', ['a.mp4'],            undefined],
    ['of another\'s file',                                    'export-file', ['b.mp4'],            'camera-not-in-role'],
    ['of a file that is no export',                           'export-file', ['c.mp4'],            'camera-not-in-role'],
    ['of a case, when all its exports are visible',           'case',        ['mine'],             undefined],
    ['of a case with one that is not',                        'case',        ['both'],             'camera-not-in-role'],
    ['of an empty case: there is nothing',                    'case',        ['empty'],            'camera-not-in-role'],
    ['is refused when the NVR cannot be asked',               'event',       ['down'],             'nvr-unreachable'],
    ['nor when the NVR fails, which is told',                 'event',       ['broken'],           'nvr-failed'],
    ['nor when its answer is no JSON',                        'event',       ['page'],             'nvr-unexpected-form'],
  ];
  for (const [sentence, of, ids, expected] of rows) {
    it(sentence, async () => assert.equal(await lookup().denial(of, ids), expected));
  }

  it('is asked for once', async () => {
    const { asked, denial } = lookup();
    for (let time = 0; time < 3; time += 1) await denial('event', ['mine', 'other']);
    assert.deepEqual(asked, ['/api/events/mine', '/api/events/other']);
  });

  it('is asked for again when it was unknown: it may exist by now', async () => {
    const { asked, denial } = lookup();
    for (let time = 0; time < 2; time += 1) await denial('event', ['unknown']);
    assert.deepEqual(asked, ['/api/events/unknown', '/api/events/unknown']);
  });

  it('is asked for again where it may change', async () => {
    const { asked, denial } = lookup();
    for (let time = 0; time < 2; time += 1) await denial('case', ['mine']);
    assert.equal(asked.length, 2);
  });

  it('is not asked for what could be more than one segment of a path', async () => {
    const { asked, denial } = lookup();
    for (const id of ['..', '.', '', 'a/b', 'a%2fb', 'a?b', 'a#b', 'a\\b', 'a\nb', 'x'.repeat(201)]) {
      assert.equal(await denial('event', [id]), 'camera-not-in-role');
    }
    assert.deepEqual(asked, []);
  });

  it('is not asked for more than 500 ids at once', async () => {
    const { asked, denial } = lookup();
    const ids = Array.from({ length: 501 }, (_, at) => `id${at}`);
    assert.equal(await denial('event', ids), 'ids-too-many');
    assert.deepEqual(asked, []);
  });
});
