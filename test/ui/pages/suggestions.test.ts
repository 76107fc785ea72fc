/** Names to choose from: as people read them, found whatever the case, and none invented. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { textsIn } from '../../../src/locales/catalogs.ts';
import { labelIn } from '../../../src/locales/texts.ts';
import { meantBy, spaced, suggestionsFor, withToggled } from '../../../src/ui/pages/shared/spelling.ts';
import { cameraName, formatAgo, learnCameraNames, suggested } from '../../../src/ui/pages/shared/words.ts';

it('Suggestions hold the text in their name or in what the service calls them, names that begin with it first', () => {
  learnCameraNames({ cam_7: 'Öffentlicher Hof' });
  const all = suggested(['front_door', 'cam_7', 'back_door', 'cam_10', 'cam_9'], cameraName);
  assert.deepEqual(
    all.map(([, name]) => name),
    ['back door', 'cam 9', 'cam 10', 'front door', 'Öffentlicher Hof'],
  );
  const found = (text: string) => suggestionsFor(text, all).map(([value]) => value);
  // biome-ignore format: a table
  const rows: [text: string, values: string[]][] = [
    ['',           ['back_door', 'cam_9', 'cam_10', 'front_door', 'cam_7']],
    ['DOOR',       ['back_door', 'front_door']],
    ['offent',     ['cam_7']],
    ['cam_7',      ['cam_7']],
    ['c',          ['cam_9', 'cam_10', 'cam_7', 'back_door']],
    ['.*',         []],
  ];
  for (const [text, values] of rows) assert.deepEqual(found(text), values, text);
  assert.deepEqual(
    ['Front Door', 'cam_7', ' other '].map((text) => meantBy(text, all)),
    ['front_door', 'cam_7', 'other'],
  );
  assert.deepEqual([withToggled(['a'], 'b'), withToggled(['a', 'b'], 'a')], [['a', 'b'], ['b']]);
});

it('Common labels are in the language of the page, and every other one is itself', () => {
  const labelsIn = (tag: string) => (label: string) => labelIn(textsIn(tag).explore.labels, label);
  const labels = ['person', 'license_plate', 'my_drone', '__proto__', 'constructor', '_'];
  assert.deepEqual(labels.map(labelsIn('en')).slice(0, 3), ['person', 'license plate', 'my drone']);
  assert.deepEqual(labels.map(labelsIn('de')).slice(0, 3), ['Person', 'Kennzeichen', 'my drone']);
  assert.equal(labelsIn('de')('constructor'), 'constructor');
  assert.deepEqual(['a__b', '_a_', '_'].map(spaced), ['a b', '_a_', '_']);
});

it('What was a moment ago is told in minutes, and what is longer ago in hours or days', () => {
  const said = [0, 29, 31, 3599, -5, 7300, 90_000, 900_000].map((seconds) => formatAgo(seconds, { locale: 'en' }));
  const long = ['2 hr. ago', 'yesterday', '10 days ago'];
  assert.deepEqual(said, ['now', 'now', '1 min. ago', '60 min. ago', 'now', ...long]);
  assert.equal(formatAgo(120, { locale: 'de' }), 'vor 2 Min.');
});
