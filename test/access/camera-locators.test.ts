/** Whose a file, a stream or an id in a request is (SPEC 5): the places in which cameras are named. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { locate } from '../../src/access/camera-locators.ts';
import { judgeBody } from '../../src/access/judge-body.ts';
import { layoutOfNames } from '../../src/access/recorder-layout.ts';
import { compileRouteTable } from '../../src/access/route-table.ts';
import type { CameraName } from '../../src/domain/names.ts';
import { writtenLocator } from '../../src/domain/policy.ts';
import { camerasOfFrames, FRIGATE, layoutOfConfig } from '../../src/nvr/frigate/frigate.ts';
import { locatorsOf, row, segmentsOf } from '../support/routes.ts';
import { LAYOUT, viewOfRole } from './support/views.ts';

/** What the locators find in `path?query`; the parameter is always `x`. */
function found(locator: string, target: string): unknown {
  const [path = '', query = ''] = target.split('?');
  const segments = segmentsOf(path);
  const match = compileRouteTable(
    [row(`GET /a/{x} camera ${locator}`), row(`GET /b camera ${locator}`)],
    FRIGATE,
  ).match('GET', segments);
  if (match.kind === 'unlisted') return 'unlisted';
  const located = locate(match, { path, segments, query }, LAYOUT);
  return !located
    ? 'repeated'
    : [...located.named, ...located.owners.map(({ of, ids }) => `${of} ${ids}`), ...located.inBody.map(writtenLocator)];
}

describe('A request names', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, locator: string, target: string, expected: unknown][] = [
    ['the camera in its path',                                'path:x',              '/a/garden',                                    [['garden']]],
    ['the cameras of a list',                                 'query:x',             '/b?x=garden,%20garden-house,',                 [['garden'], ['garden-house']]],
    ['none with all',                                         'query:x',             '/b?x=all',                                     []],
    ['none without the parameter',                            'query:x',             '/b?y=garden',                                  []],
    ['unknown cameras, with a repeated list',                 'query:x',             '/b?x=garden&%78=garden',                       'repeated'],
    ['the owner of a stream',                                 'stream:query:x',      '/b?x=garden_sub',                              [['garden']]],
    ['the owner of a camera\'s own stream',                   'stream:path:x',       '/a/garden-house',                              [['garden-house']]],
    ['the owners of all streams, however often there is one', 'stream:query:x',      '/b?x=garden&x=house_main',                     [['garden'], ['garden-house']]],
    ['no camera with an unknown stream',                      'stream:query:x',      '/b?x=rtsp://elsewhere/1',                      [[]]],
    ['no camera with birdseye',                               'stream:query:x',      '/b?x=birdseye',                                [[]]],
    ['no camera with several streams in one value',           'stream:query:x',      '/b?x=garden,house_main',                       [[]]],
    ['the camera of a clip',                                  'file:clip:path:x',    '/a/garden-1700000000.5-abc-clean.webp',        [['garden']]],
    ['the camera with the longer name',                       'file:clip:path:x',    '/a/garden-house-1700000000.5-abc.jpg',         [['garden-house']]],
    ['no camera, when a longer name is not known any more',   'file:clip:path:x',    '/a/garden-shed-1700000000.5-abc.jpg',          [[]]],
    ['no camera, when no time follows',                       'file:clip:path:x',    '/a/garden-1.jpg',                              [[]]],
    ['the camera of a review\'s picture',                     'file:review-thumb:path:x', '/a/thumb-garden-house-1700000000.5-abc.webp', [['garden-house']]],
    ['no camera with another file there',                     'file:review-thumb:path:x', '/a/garden-1700000000.5-abc.webp',         [[]]],
    ['the camera of a preview',                               'file:preview:path:x', '/a/preview_garden-house-1700000000.5.webp',    [['garden-house']]],
    ['no camera with another name there',                     'file:preview:path:x', '/a/garden-1700000000.5.webp',                  [[]]],
    ['an event',                                              'event:path:x',        '/a/1.2-abc',                                   ['event 1.2-abc']],
    ['events',                                                'event:query:x',       '/b?x=1.2-abc,3.4-def&x=5.6-ghi',               ['event 1.2-abc,3.4-def,5.6-ghi']],
    ['something in its body',                                 'review:body:ids',     '/b',                                           ['review:body:ids']],
  ];
  for (const [sentence, locator, target, expected] of rows) {
    it(`${sentence} (${locator})`, () => assert.deepEqual(found(locator, target), expected));
  }
});

describe("Frames that the NVR takes for a camera's", () => {
  const names = ['cam', 'cam-1', 'cam-door', 'cam_2', 'camera', 'cam-17'] as CameraName[];
  const layout = layoutOfNames(names);
  const NEAR = ['1763700000.5', '1763700060'] as const;
  // biome-ignore format: a table
  const rows: [sentence: string, camera: string, start: string, end: string, taken: string[]][] = [
    ['are its own between two times of today',               'cam',      ...NEAR,                   ['cam']],
    ['are those of a numbered one too, from the beginning',  'cam',      '0', NEAR[1],              ['cam', 'cam-1', 'cam-17']],
    ['are those of a number that lies between years',        'cam',      '1690000000', '1790000000', ['cam', 'cam-17']],
    ['are those of all whose names go on, without an end',   'cam',      NEAR[0], 'inf',            ['cam', 'cam-1', 'cam-door', 'cam-17']],
    ['likewise with an end that is no number',               'cam',      NEAR[0], 'nan',            ['cam', 'cam-1', 'cam-door', 'cam-17']],
    ['likewise with an end too large to be written out',     'cam',      NEAR[0], '1e400',          ['cam', 'cam-1', 'cam-door', 'cam-17']],
    ['likewise with an end of many digits',                  'cam',      NEAR[0], '9'.repeat(400),  ['cam', 'cam-1', 'cam-door', 'cam-17']],
    ['likewise with a sign',                                 'cam',      '-1', NEAR[1],             ['cam', 'cam-1', 'cam-door', 'cam-17']],
    ['are read with zeros in front as without',              'cam',      '0001763700000', NEAR[1],  ['cam', 'cam-1', 'cam-door', 'cam-17']],
    ['are only its own where no name goes on',               'cam-door', '0', 'inf',                ['cam-door']],
  ];
  for (const [sentence, camera, start, end, taken] of rows) {
    it(sentence, () => assert.deepEqual(camerasOfFrames(camera, { start, end }, layout), taken));
  }

  it('must all be of visible cameras', () => {
    const frames = row('GET /{x}/start/{start}/end/{end} camera path:x+frames:path:x');
    const segments = ['cam', 'start', '0', 'end', 'inf'];
    const match = compileRouteTable([frames], FRIGATE).match('GET', segments);
    const target = { path: `/${segments.join('/')}`, segments, query: '' };
    assert.deepEqual(match.kind === 'listed' && locate(match, target, layout), {
      named: [['cam'], ['cam'], ['cam-1'], ['cam-door'], ['cam-17']],
      owners: [],
      inBody: [],
    });
  });
});

describe('A body', () => {
  const GARDENER = viewOfRole('gardener');
  const judged = (json: unknown, ...locators: string[]) => {
    const verdict = judgeBody(
      json,
      { locators: locators.flatMap(locatorsOf), adminFields: ['export_case_id'] },
      GARDENER,
      { nvr: FRIGATE },
    );
    if (verdict.kind === 'refused') return verdict.reason;
    return locators.includes(picture) ? verdict.json : verdict.owners.map(({ of, ids }) => `${of} ${ids}`);
  };
  const batch = 'body:items[].camera';
  const picture = 'file:image:body:image_path';
  const clips = '/media/frigate/clips';

  // biome-ignore format: a table
  const rows: [sentence: string, json: unknown, locator: string, expected: unknown][] = [
    ['names its own cameras',                      { items: [{ camera: 'garden' }, { camera: 'garden' }] },       batch,             []],
    ['names another camera among its own',         { items: [{ camera: 'garden' }, { camera: 'garden-house' }] }, batch,             'camera-not-in-role'],
    ['leaves a camera out',                        { items: [{ camera: 'garden' }, {}] },                         batch,             'camera-not-in-role'],
    ['names a list of cameras where one should be', { items: [{ camera: ['garden'] }] },                          batch,             'camera-not-in-role'],
    ['names no items',                             {},                                                            batch,             []],
    ['is a list itself',                           [{ camera: 'garden-house' }],                                  batch,             []],
    ['names ids',                                  { ids: ['a', 'b'] },                                           'review:body:ids', ['review a,b']],
    ['names one id',                               { ids: 'a' },                                                  'review:body:ids', ['review a']],
    ['names an id that is no text',                { ids: ['a', { b: 1 }] },                                      'review:body:ids', 'body-unreadable'],
    ['keeps a review\'s picture of its camera',    { image_path: `${clips}/review/thumb-garden-1700000000.5-a.webp` }, picture,      { image_path: `${clips}/review/thumb-garden-1700000000.5-a.webp` }],
    ['loses another picture of its camera',        { image_path: `${clips}/garden-1700000000.5-a.jpg` },          picture,           {}],
    ['loses a picture of another camera',          { a: 1, image_path: `${clips}/review/thumb-garden-house-1700000000.5-a.webp` }, picture, { a: 1 }],
    ['loses a picture whose name some servers would read as another path', { image_path: `${clips}/review/thumb-garden-1700000000.5-a\\..\\garden-house-1.webp` }, picture, {}],
    ['loses a picture from elsewhere',             { image_path: `${clips}/../../../etc/passwd` },                picture,           {}],
    ['loses a picture of a face',                  { image_path: `${clips}/faces/anna.webp` },                    picture,           {}],
    ['has no picture',                             { image_path: null },                                          picture,           { image_path: null }],
    ['has a field for admins',                     { export_case_id: 'x' },                                       picture,           'field-admin-only'],
    ['has it somewhere inside',                    { items: [{ camera: 'garden', export_case_id: 'x' }] },        batch,             'field-admin-only'],
    ['has it with nothing in it',                  { export_case_id: null },                                      batch,             []],
  ];
  for (const [sentence, json, locator, expected] of rows) {
    it(sentence, () => assert.deepEqual(judged(json, locator), expected));
  }
});

describe('The layout of an NVR', () => {
  it('has cameras, whose zones and streams are theirs, and several owners where they share', () =>
    assert.deepEqual(LAYOUT, {
      cameras: ['garden', 'garden-house'],
      zones: new Map([
        ['lawn', ['garden']],
        ['shared', ['garden', 'garden-house']],
        ['bed', ['garden-house']],
      ]),
      streams: new Map([
        ['garden', ['garden']],
        ['garden_sub', ['garden']],
        ['garden-house', ['garden-house']],
        ['house_main', ['garden-house']],
      ]),
    }));

  it('has no camera that is called like all of them', () =>
    assert.deepEqual(layoutOfConfig({ cameras: { all: {}, birdseye: {}, garden: {} } }).cameras, ['garden']));

  it('has the configured cameras alone, with what is known of them', () =>
    assert.deepEqual(layoutOfConfig({ cameras: { a: { zones: { z: {} } }, b: {} } }, ['a', 'c'] as CameraName[]), {
      cameras: ['a', 'c'],
      zones: new Map([['z', ['a']]]),
      streams: new Map([
        ['a', ['a']],
        ['c', ['c']],
      ]),
    }));

  it('has names alone where nothing else is known', () =>
    assert.deepEqual(layoutOfNames(['a'] as CameraName[]), {
      cameras: ['a'],
      zones: new Map(),
      streams: new Map([['a', ['a']]]),
    }));

  it('is none without cameras', () => {
    for (const config of [undefined, null, [], {}, { cameras: [] }])
      assert.throws(() => layoutOfConfig(config), /has no "cameras"/);
  });
});
