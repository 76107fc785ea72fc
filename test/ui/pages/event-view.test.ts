/** Event records as the pages read them: whatever comes, nothing breaks, and a picture is only ever a picture. */
import '../support/in-english.ts';
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { pictureUrl, readEvent, readEvents } from '../../../src/ui/pages/shared/events/event-view.ts';

const RECORD = {
  id: '1-a',
  camera: 'front',
  label: 'person',
  sub_label: 'Zoë',
  zones: ['porch', 7],
  start_time: 1700000000.25,
  end_time: null,
  thumbnail: null,
  has_clip: false,
  has_snapshot: true,
  data: { score: 0.87 },
};

describe('An event record', () => {
  it('is read into what is shown', () => {
    assert.deepEqual(readEvent(RECORD), {
      id: '1-a',
      camera: 'front',
      label: 'person',
      subLabel: 'Zoë',
      zones: ['porch'],
      startTime: 1700000000.25,
      endTime: undefined,
      score: 0.87,
      picture: undefined,
      isPictureInFile: true,
      record: RECORD,
    });
  });

  // biome-ignore format: a table
  const scores: [sentence: string, record: object, score: number | undefined][] = [
    ['the score of its data',         { data: { score: 0.5, top_score: 0.9 } }, 0.5],
    ['else the top score of its data', { data: { top_score: 0.9 } },            0.9],
    ['else the old top score',        { data: {}, top_score: 0.4 },             0.4],
    ['no score without any',          { data: null, top_score: null },          undefined],
    ['no score beyond one',           { data: { score: 87 } },                  undefined],
  ];
  for (const [sentence, part, score] of scores) {
    it(`has ${sentence}`, () => assert.equal(readEvent({ ...RECORD, data: undefined, ...part })?.score, score));
  }

  it('is left out without an id or a start', () => {
    assert.deepEqual(readEvents([{ ...RECORD, id: '' }, { ...RECORD, start_time: 'x' }, null, 7, [RECORD]]), []);
  });

  it('is left out when it starts at a moment that no calendar knows, and has no end at one', () => {
    assert.equal(readEvent({ ...RECORD, start_time: 1e300 }), undefined);
    assert.equal(readEvent({ ...RECORD, end_time: -9e12 })?.endTime, undefined);
  });

  it('is read whatever it holds', () => {
    fc.assert(fc.property(fc.jsonValue(), (body) => Array.isArray(readEvents(body))));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...Object.keys(RECORD)), fc.jsonValue()), (part) => {
        const event = readEvent({ ...RECORD, ...part, id: 'x', start_time: 1 });
        assert.deepEqual([typeof event?.camera, typeof event?.label], ['string', 'string']);
      }),
    );
  });
});

const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');

describe('A picture', () => {
  // biome-ignore format: a table
  const rows: [sentence: string, bytes: string, type: string | undefined][] = [
    ['PNG',                   '\x89PNG\r\n\x1a\n....',           'image/png'],
    ['JPEG',                  '\xff\xd8\xff\xe0\x00\x10JFIF..',            'image/jpeg'],
    ['WebP',                  'RIFF\x24\x01\x00\x00WEBPVP8 ',    'image/webp'],
    ['GIF',                   'GIF89a....',                      'image/gif'],
    ['SVG',                   '<svg xmlns="x"/>',                'image/svg+xml'],
    ['a WAV in a RIFF coat',  'RIFF\x24\x01\x00\x00WAVEfmt ',    undefined],
    ['a page',                '<!doctype html><script>',         undefined],
    ['a script',              'alert(1)',                        undefined],
    ['nothing',               '',                                undefined],
  ];
  for (const [name, bytes, type] of rows) {
    it(`that is ${name} is ${type ? `shown as ${type}` : 'not shown'}`, () => {
      assert.equal(pictureUrl(base64(bytes)), type && `data:${type};base64,${base64(bytes)}`);
    });
  }

  it('that is not base64 is not shown', () => {
    for (const text of ['iVBORw0KGgo"', 'iVBORw0KGgo,x', '/9j/ 4AAQ', '/9j/#', undefined]) {
      assert.equal(pictureUrl(text), undefined, text);
    }
  });
});
