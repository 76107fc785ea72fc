/** Hours as people type them: what the API gets is what they mean (SPEC 13). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseHours } from '../../../src/domain/hours.ts';
import { textsIn } from '../../../src/locales/catalogs.ts';
import { LANGUAGES } from '../../../src/locales/languages.ts';
import {
  dayNamesIn,
  formatHours,
  hoursInWords,
  parseHoursLine,
  spelledHours,
} from '../../../src/ui/pages/settings/typed-hours.ts';

const namesIn = (tag: string) => dayNamesIn(tag, textsIn(tag).roles.daily);
const GERMAN = namesIn('de');

describe('Hours that are typed', () => {
  // biome-ignore format: a table
  const ROWS = [
    ['9-18',                    'daily 09:00-18:00'],
    ['Mon-Fri 9-18',            'Mon-Fri 09:00-18:00'],
    ['Mo-Fr 7:30 – 18',         'Mon-Fri 07:30-18:00'],
    ['Montag-Freitag 9-18',     'Mon-Fri 09:00-18:00'],
    ['monday,Sun 9-18',         'monday,Sun 09:00-18:00'],
    ['Sa,So 9-12',              'Sat,Sun 09:00-12:00'],
    ['täglich 22-2',            'daily 22:00-02:00'],
    ['Fri 22:00-02:00',         'Fri 22:00-02:00'],
    ['Mon,Wed 07:00-24:00',     'Mon,Wed 07:00-24:00'],
  ] as const;
  for (const [typed, spelled] of ROWS)
    it(`${typed} is ${spelled}`, () => {
      assert.equal(spelledHours(typed, GERMAN), spelled);
      assert.ok(parseHours([spelled]).ok);
    });

  it('that are no span stay as they are, and the API refuses them', () => {
    for (const typed of ['morning', 'Mon-Fri', 'Sat 25:00-26:00', 'Foo 9-18', '9-18-20'])
      assert.equal(parseHours([spelledHours(typed, GERMAN)]).ok, false, typed);
  });
});

describe('Hours in each language', () => {
  // biome-ignore format: a table
  const TYPED = [
    ['de', 'Mo-Do,So 9-18',       'Mon-Thu,Sun 09:00-18:00'],
    ['es', 'lun-mié, sab 9-18',   'Mon-Wed, Sat 09:00-18:00'],
    ['fr', 'lun.-mer.,dim. 9-18', 'Mon-Wed,Sun 09:00-18:00'],
    ['it', 'lun-ven, domenica 9-18', 'Mon-Fri, Sun 09:00-18:00'],
    ['nl', 'ma-do,zo 9-18',       'Mon-Thu,Sun 09:00-18:00'],
    ['pl', 'pon-śr,pt,niedz 9-18', 'Mon-Wed,Fri,Sun 09:00-18:00'],
    ['pt', 'seg-sex,sab 9-18',    'Mon-Fri,Sat 09:00-18:00'],
    ['pt', 'todos os dias 9-18',  'daily 09:00-18:00'],
    ['pt', 'se 9-18',             'se 09:00-18:00'],
    ['fr', 'Mon-Fri 9-18',        'Mon-Fri 09:00-18:00'],
  ] as const;
  for (const [tag, typed, spelled] of TYPED)
    it(`${typed} is ${spelled} in ${tag}`, () => assert.equal(spelledHours(typed, namesIn(tag)), spelled));

  it('are read in the words of the language', () => {
    const shown = (tag: string) =>
      ['Mon-Fri,Sun 07:00-24:00', 'daily 09:00-18:00', 'soon'].map((line) => hoursInWords(line, namesIn(tag)));
    assert.deepEqual(shown('en'), ['Mon–Fri, Sun 07:00–24:00', 'daily 09:00–18:00', 'soon']);
    assert.deepEqual(shown('pl'), ['pon.–pt., niedz. 07:00–24:00', 'codziennie 09:00–18:00', 'soon']);
  });

  for (const [tag] of LANGUAGES)
    it(`are understood as they are shown, and as the help says, in ${tag}`, () => {
      const names = namesIn(tag);
      const line = 'Mon-Wed,Fri 07:00-18:00';
      const shown = hoursInWords(line, names).replaceAll('–', '-');
      assert.deepEqual(parseHoursLine(shown, names), parseHoursLine(line, names));
      const [, , week = '', night = ''] =
        /(9-18)\D+?(\S+ 7-18)\P{L}+\p{L}+ (\S+ 22:00-02:00)/u.exec(textsIn(tag).roles.hoursHelp) ?? [];
      assert.deepEqual(
        [week, night].map((one) => spelledHours(one, names)),
        ['Mon-Fri 07:00-18:00', 'Fri 22:00-02:00'],
      );
    });
});

describe('Hours to click', () => {
  // biome-ignore format: a table
  const ROWS = [
    ['9-18',                { days: [0, 1, 2, 3, 4, 5, 6], from: '09:00', to: '18:00' }, 'daily 09:00-18:00'],
    ['Mo-Fr 7-18',          { days: [0, 1, 2, 3, 4],       from: '07:00', to: '18:00' }, 'Mon-Fri 07:00-18:00'],
    ['Sat,Mon 9:30-12',     { days: [0, 5],                from: '09:30', to: '12:00' }, 'Mon,Sat 09:30-12:00'],
    ['Fri 22:00-02:00',     { days: [4],                   from: '22:00', to: '02:00' }, 'Fri 22:00-02:00'],
    ['daily 00:00-24:00',   { days: [0, 1, 2, 3, 4, 5, 6], from: '00:00', to: '00:00' }, 'daily 00:00-24:00'],
  ] as const;
  for (const [line, row, text] of ROWS)
    it(`show ${line}, and are the same hours as text`, () => {
      const found = parseHoursLine(line, GERMAN);
      assert.deepEqual(found, row);
      assert.equal(found && formatHours(found), text);
    });

  it('have no row for a line that is no span of hours', () => {
    for (const line of ['', 'soon', 'Mon 25-26', 'Mo 9-9']) assert.equal(parseHoursLine(line, GERMAN), undefined, line);
  });
});
