/** The plot of Explore: its colours are told apart by everybody and stay, its marks are whole, its bars are what was counted. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { stackedBars, sumsOf } from '../../../src/ui/pages/explore/plot/bars.ts';
import { COLOURS, createColours } from '../../../src/ui/pages/explore/plot/colours.ts';
import { readCounts } from '../../../src/ui/pages/explore/plot/counts.ts';
import { countMarks, timeMarks } from '../../../src/ui/pages/explore/plot/plot-axes.ts';
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

describe('The colour of a camera', () => {
  const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `cam${at}`);

  it('is the same for up to eight cameras, whichever are shown in whichever order', () =>
    fc.assert(
      fc.property(fc.array(fc.shuffledSubarray(names(COLOURS)), { maxLength: 5 }), (views) => {
        const coloursOf = createColours();
        for (const shown of views)
          for (const name of shown)
            assert.equal(coloursOf(shown, names(COLOURS)).get(name), `camera-${Number(name.slice(3)) + 1}`);
      }),
    ));

  it('is never that of another one that is shown, and stays while the cameras that were shown first are', () =>
    fc.assert(
      fc.property(fc.array(fc.shuffledSubarray(names(40), { maxLength: COLOURS }), { maxLength: 6 }), (views) => {
        const coloursOf = createColours();
        const first = coloursOf(names(COLOURS), names(40));
        for (const shown of views) {
          const colours = coloursOf(shown, names(40));
          assert.equal(colours.size, shown.length);
          assert.equal(new Set(colours.values()).size, shown.length);
          for (const name of shown) if (first.has(name)) assert.equal(colours.get(name), first.get(name));
        }
      }),
    ));
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
  const rows: [what: string, from: string, step: number, slices: number, most: number, marks: string[], distance: number][] = [
    ['of a day by the hour',        '2026-11-21T13:00Z', 3600,   24, 8, ['15', '18', '21', '00', '03', '06', '09', '12'],  3 * 3600],
    ['of an hour by the minute',    '2026-11-22T12:30Z', 60,     60, 4, ['12:30', '12:45', '13:00', '13:15'],              900],
    ['of two weeks by six hours',   '2026-11-09T06:00Z', 21_600, 56, 8, ['11', '13', '15', '17', '19', '21'],              2 * 86_400],
  ];
  for (const [what, from, step, slices, most, marks, distance] of rows)
    it(`of time are round and few: ${what}`, () => {
      const starts = Array.from({ length: slices }, (_, at) => Date.parse(from) / 1000 + at * step);
      const found = timeMarks(starts, step, most, () => 0);
      const iso = found.marks.map(({ time }) => new Date(time * 1000).toISOString());
      assert.equal(found.distance, distance);
      assert.deepEqual(
        iso
          .map((time) =>
            distance < 3600 ? time.slice(11, 16) : distance < 86_400 ? time.slice(11, 13) : time.slice(8, 10),
          )
          .slice(0, marks.length),
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
    assert.deepEqual(sumsOf(rows, 2), [4, 2]);
  });

  it('are drawn of what the service counted, and of nothing where the answer has another form', () => {
    const cameras = [{ camera: 'a', total: 2, counts: [2, 0] }, { camera: 'b', total: 1 }, { total: 7 }];
    const body = { total: 3, complete: false, seconds: 60, starts: [0, 60], end: 120, cameras, others: [0, 1] };
    assert.deepEqual(readCounts(body), {
      total: 3,
      isAll: false,
      stepSeconds: 60,
      starts: [0, 60],
      end: 120,
      by: 'camera',
      names: [
        { name: 'a', total: 2, counts: [2, 0] },
        { name: 'b', total: 1, counts: undefined },
      ],
      others: [0, 1],
    });
    const { by, names } = readCounts({ ...body, cameras: [], labels: [{ label: 'car', total: 3 }] }) ?? {};
    assert.deepEqual([by, names], ['label', [{ name: 'car', total: 3, counts: undefined }]]);
    for (const other of [undefined, null, [], 'Event not found', {}]) assert.equal(readCounts(other), undefined);
  });
});
