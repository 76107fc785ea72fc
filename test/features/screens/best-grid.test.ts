/** The grid of a wall, and its hours of the night (SPEC 18). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bestGrid, dimHours, isDim } from '../../../src/features/screens/page/screen-facts.ts';

describe('The grid of a wall', () => {
  // biome-ignore format: a table
  const rows: readonly (readonly [count: number, width: number, height: number, grid: string])[] = [
    [1, 1920, 1080, '1x1'], [2, 1920, 1080, '2x1'], [4, 1920, 1080, '2x2'], [5, 1920, 1080, '3x2'], [6, 1920, 1080, '3x2'],
    [9, 1920, 1080, '3x3'], [12, 1920, 1080, '4x3'], [36, 1920, 1080, '6x6'],
    [2, 800, 1280, '1x2'], [4, 800, 1280, '1x4'], [6, 800, 1280, '2x3'], [12, 800, 1280, '2x6'], [3, 2560, 600, '3x1'],
  ];
  for (const [count, width, height, expected] of rows)
    it(`is ${expected} for ${count} cameras on ${width} × ${height}`, () => {
      const { columns, rows: lines } = bestGrid(count, width, height);
      assert.equal(`${columns}x${lines}`, expected);
    });

  it('has room for each camera, and none for one row more', () => {
    for (let count = 1; count <= 36; count += 1)
      for (const [width, height] of [
        [1920, 1080],
        [1080, 1920],
        [1024, 768],
        [400, 300],
      ] as const) {
        const { columns, rows: lines } = bestGrid(count, width, height);
        assert.ok(columns * lines >= count && columns * (lines - 1) < count, `${count} ${width}`);
      }
  });
});

describe('The night of a wall', () => {
  it('is read from the address, over midnight too', () => {
    const night = dimHours('?x=1&dim=22-7');
    assert.deepEqual(
      [21, 22, 0, 6, 7].map((hour) => isDim(night, hour)),
      [false, true, true, true, false],
    );
    assert.deepEqual(
      [0, 1, 5].map((hour) => isDim(dimHours('?dim=1-5'), hour)),
      [false, true, false],
    );
    for (const text of ['', '?dim=22', '?dim=24-7', '?dim=7-7', '?dim=-1-7'])
      assert.equal(dimHours(text), undefined, text);
  });
});
