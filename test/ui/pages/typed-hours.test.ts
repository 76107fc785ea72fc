/** Hours as people choose and read them: what the API gets is what they mean (SPEC 13). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textsIn } from '../../../src/locales/catalogs.ts';
import { dayNamesIn, formatHours, hoursInWords, parseHoursLine } from '../../../src/ui/pages/settings/typed-hours.ts';

const namesIn = (tag: string) => dayNamesIn(tag, textsIn(tag).roles.daily);

describe('Hours in each language', () => {
  it('are read in the words of the language', () => {
    const shown = (tag: string) =>
      ['Mon-Fri,Sun 07:00-24:00', 'daily 09:00-18:00', 'soon'].map((line) => hoursInWords(line, namesIn(tag)));
    assert.deepEqual(shown('en'), ['Mon–Fri, Sun 07:00–24:00', 'daily 09:00–18:00', 'soon']);
    assert.deepEqual(shown('pl'), ['pon.–pt., niedz. 07:00–24:00', 'codziennie 09:00–18:00', 'soon']);
  });
});

describe('Hours to click', () => {
  // biome-ignore format: a table
  const ROWS = [
    ['daily 09:00-18:00',   { days: [0, 1, 2, 3, 4, 5, 6], from: '09:00', to: '18:00' }, 'daily 09:00-18:00'],
    ['Mon-Fri 07:00-18:00', { days: [0, 1, 2, 3, 4],       from: '07:00', to: '18:00' }, 'Mon-Fri 07:00-18:00'],
    ['Sat,Mon 09:30-12:00', { days: [0, 5],                from: '09:30', to: '12:00' }, 'Mon,Sat 09:30-12:00'],
    ['Fri 22:00-02:00',     { days: [4],                   from: '22:00', to: '02:00' }, 'Fri 22:00-02:00'],
    ['daily 00:00-24:00',   { days: [0, 1, 2, 3, 4, 5, 6], from: '00:00', to: '00:00' }, 'daily 00:00-24:00'],
    ['Mon 18:00-18:00',     { days: [0],                   from: '18:00', to: '18:00' }, 'Mon 18:00-18:00'],
  ] as const;
  for (const [line, row, text] of ROWS)
    it(`show ${line}, and are the same hours as text`, () => {
      const found = parseHoursLine(line);
      assert.deepEqual(found, row);
      assert.equal(found && formatHours(found), text);
    });

  it('have no row for a line that is no span of hours', () => {
    for (const line of ['', 'soon', 'Mon 25-26', 'Mo 9-9']) assert.equal(parseHoursLine(line), undefined, line);
  });
});
