/** Hours as people type them: what the API gets is what they mean (SPEC 13). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseHours } from '../../../src/domain/rights/hours.ts';
import { hoursLineOf, hoursRowOf, spelledHours } from '../../../src/ui/pages/settings/limits/typed-hours.ts';

describe('Hours that are typed', () => {
  // biome-ignore format: a table
  const ROWS = [
    ['9-18',                    'daily 09:00-18:00'],
    ['Mon-Fri 9-18',            'Mon-Fri 09:00-18:00'],
    ['Mo-Fr 7:30 – 18',         'Mon-Fri 07:30-18:00'],
    ['Sa,So 9-12',              'Sat,Sun 09:00-12:00'],
    ['täglich 22-2',            'daily 22:00-02:00'],
    ['Fri 22:00-02:00',         'Fri 22:00-02:00'],
    ['Mon,Wed 07:00-24:00',     'Mon,Wed 07:00-24:00'],
  ] as const;
  for (const [typed, spelled] of ROWS)
    it(`${typed} is ${spelled}`, () => {
      assert.equal(spelledHours(typed), spelled);
      assert.ok(parseHours([spelled]).ok);
    });

  it('that are no span stay as they are, and the API refuses them', () => {
    for (const typed of ['morning', 'Mon-Fri', 'Sat 25:00-26:00', 'Foo 9-18', '9-18-20'])
      assert.equal(parseHours([spelledHours(typed)]).ok, false, typed);
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
      const found = hoursRowOf(line);
      assert.deepEqual(found, row);
      assert.equal(found && hoursLineOf(found), text);
    });

  it('have no row for a line that is no span of hours', () => {
    for (const line of ['', 'soon', 'Mon 25-26', 'Mo 9-9']) assert.equal(hoursRowOf(line), undefined, line);
  });
});
