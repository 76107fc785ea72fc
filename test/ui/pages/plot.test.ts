/** The plot of Explore: its colours are told apart by everybody and stay, its marks are whole, its bars are what was counted. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  COLOURS,
  countMarks,
  dayMarks,
  daysFrom,
  readDays,
  stackedBars,
  sumSlices,
  toBars,
} from '../../../src/ui/pages/shared/events/bars.ts';
import { contrast, difference, linear, seenBy, VISIONS } from '../support/colour.ts';

const TOKENS = readFileSync(new URL('../../../src/ui/pages/style/tokens.css', import.meta.url), 'utf8');
const THEMES = ['light', 'dark'] as const;

/** The light and the dark one, as the browser takes them. */
const tokens = (name: RegExp): { readonly name: string; readonly light: string; readonly dark: string }[] =>
  [...TOKENS.matchAll(/--(?<name>[\w-]+): light-dark\((?<light>#\w{6}), (?<dark>#\w{6})\)/g)]
    .map(({ groups: { name: found = '', light = '', dark = '' } = {} }) => ({ name: found, light, dark }))
    .filter(({ name: found }) => name.test(found));

describe('The colours of cameras', () => {
  const palette = tokens(/^camera-(?:\d|other)$/);
  it('are eight and one for all others', () => assert.equal(palette.length, COLOURS + 1));

  it('are measured on a scale on which black and white differ by 100', () => {
    assert.ok(Math.abs(difference(linear('#ffffff'), linear('#000000')) - 100) < 0.01);
    assert.equal(difference(linear('#268575'), linear('#268575')), 0);
  });

  for (const theme of THEMES)
    for (const [vision, matrix] of Object.entries(VISIONS))
      it(`differ by 10 or more, any two of them, on ${theme}, in ${vision} vision`, () => {
        const near = palette.flatMap((one, at) =>
          palette.slice(at + 1).flatMap((other) => {
            const [a, b] = [one, other].map((token) => seenBy(matrix, linear(token[theme])));
            const apart = a && b ? difference(a, b) : 0;
            return apart < 10 ? [`${one.name} and ${other.name}: ${apart.toFixed(1)}`] : [];
          }),
        );
        assert.deepEqual(near, []);
      });

  it('stand out from the surface by 3 to 1', () => {
    const [surface] = tokens(/^surface$/);
    for (const theme of THEMES)
      for (const { name, ...token } of palette)
        assert.ok(contrast(linear(token[theme]), linear(surface?.[theme] ?? '')) >= 3, `${name}, ${theme}`);
  });
});

describe('The marks of the axes', () => {
  it('of counts are two or three whole numbers, the last no less than the highest bar', () => {
    for (let highest = 0; highest < 5000; highest++) {
      const marks = countMarks(highest);
      assert.ok(marks.length <= 3 && marks.every(Number.isInteger), String(marks));
      assert.ok((marks.at(-1) ?? 0) >= highest && (marks.at(-1) ?? 0) <= Math.max(1, 2 * highest), String(marks));
    }
  });

  // biome-ignore format: a table
  const rows: [what: string, first: Date, days: number, most: number, marks: string[], distance: number][] = [
    ['of a week by the day',           new Date(2026, 10, 20), 7,  8, ['20', '21', '22', '23', '24', '25', '26'], 1],
    ['of two weeks by two days',       new Date(2026, 10, 9),  14, 8, ['09', '11', '13', '15', '17', '19', '21'], 2],
    ['of a month by Mondays',          new Date(2026, 9, 10),  30, 5, ['12', '19', '26', '02'],                   7],
    ['over the change to summer time', new Date(2026, 2, 27),  7,  8, ['27', '28', '29', '30', '31', '01', '02'], 1],
  ];
  for (const [what, first, days, most, marks, distance] of rows)
    it(`of time are round and few: ${what}`, () => {
      const named = new Map(daysFrom(first, days).map(({ start, day }) => [start, day.slice(8)]));
      const found = dayMarks([...named.keys()], most);
      assert.equal(found.distanceSeconds, distance * 86_400);
      assert.deepEqual(
        found.marks.map(({ time }) => named.get(time)),
        marks,
      );
    });
});

describe('The bars', () => {
  it('stand one on the other, as high as the counts', () => {
    const rows = [
      [1, 0],
      [3, 2],
    ];
    assert.deepEqual(stackedBars(rows, 4), [
      'M0.08 100h0.84V75h-0.84z',
      'M0.08 75h0.84V0h-0.84zM1.08 100h0.84V50h-0.84z',
    ]);
    assert.deepEqual(sumSlices(rows, 2), [4, 2]);
  });

  it('are drawn of what the service counted, and of nothing where the answer has another form', () => {
    const rows = [
      { day: '2026-03-28', camera: 'a', count: 2 },
      { day: '2026-03-30', camera: 'a', count: 1 },
      { day: '2026-03-30', camera: 'b', count: 3 },
      { day: 'last24Hours', count: 9 },
    ];
    const days = readDays(rows);
    assert.deepEqual(
      [...(days ?? [])],
      [
        ['2026-03-28', 2],
        ['2026-03-30', 4],
      ],
    );
    for (const other of [undefined, null, {}, 'Event not found']) assert.equal(readDays(other), null);
    const { starts, counts } = toBars(days ?? new Map(), 4);
    assert.deepEqual(counts, [0, 2, 0, 4]);
    const midnights = [27, 28, 29, 30, 31].map((day) => new Date(2026, 2, day).getTime() / 1000);
    assert.deepEqual(starts, midnights);
    assert.deepEqual(toBars(new Map(), 4), { starts: [], counts: [] });
  });
});
