/** Counting detections for the plot: nothing is lost, and the stretches fit the viewer's clock. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { bucketDetections, stacked } from '../../../src/ui/pages/explore/detection-buckets.ts';

const HOUR = 3600;
const DAY = 86_400;
const NOON = 1_785_844_800;

describe('Detections by time', () => {
  it('are counted by hour and camera, the busiest camera first', () => {
    const detections = [
      { camera: 'back', startTime: NOON + 10 },
      { camera: 'front', startTime: NOON + 20 },
      { camera: 'front', startTime: NOON + DAY - 1 },
    ];
    const buckets = bucketDetections(detections);
    assert.deepEqual([buckets.stepSeconds, buckets.starts.length, buckets.starts[0]], [HOUR, 24, NOON]);
    assert.deepEqual(
      buckets.cameras.map(({ name, total }) => [name, total]),
      [
        ['front', 2],
        ['back', 1],
      ],
    );
    assert.deepEqual(
      buckets.cameras.map(({ counts }) => [counts[0], counts[23]]),
      [
        [1, 1],
        [1, 0],
      ],
    );
  });

  // biome-ignore format: a table
  const steps: [span: string, seconds: number, stepSeconds: number][] = [
    ['one moment',  0,          60],
    ['an hour',     HOUR,       60],
    ['two days',    2 * DAY,    HOUR],
    ['a week',      7 * DAY,    3 * HOUR],
    ['two months',  60 * DAY,   DAY],
    ['fifty years', 18_250 * DAY, 364 * DAY],
  ];
  for (const [span, seconds, stepSeconds] of steps) {
    it(`over ${span} are counted in steps of ${stepSeconds} s`, () => {
      const times = [NOON, NOON + seconds].map((startTime) => ({ camera: 'front', startTime }));
      assert.equal(bucketDetections(times).stepSeconds, stepSeconds);
    });
  }

  it('are counted from whole days of the viewer', () => {
    const detections = [0, 59].map((days) => ({ camera: 'front', startTime: NOON + days * DAY }));
    const { starts } = bucketDetections(detections, 2 * HOUR);
    assert.equal(((starts[0] ?? 0) + 2 * HOUR) % DAY, 0);
  });

  it('that do not exist are no stretch at all', () => {
    assert.deepEqual(bucketDetections([]).starts, []);
    assert.deepEqual(bucketDetections([]).cameras, []);
  });

  it('are neither lost nor counted twice, in at most a hundred stretches', () => {
    const detection = fc.record({
      camera: fc.constantFrom('a', 'b', 'c'),
      startTime: fc.double({ min: 0, max: 4e9, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.array(detection, { minLength: 1 }),
        fc.integer({ min: -43_200, max: 50_400 }),
        (detections, offset) => {
          const { starts, cameras } = bucketDetections(detections, offset);
          assert.equal(
            cameras.flatMap(({ counts }) => counts).reduce((a, b) => a + b),
            detections.length,
          );
          assert.ok(cameras.every(({ counts, total }) => counts.length === starts.length && total > 0));
          assert.ok(starts.length <= 150, String(starts.length));
        },
      ),
    );
  });
});

describe('Stacked rows', () => {
  it('are running sums', () =>
    assert.deepEqual(
      stacked([
        [1, 2],
        [3, 0],
        [0, 4],
      ]),
      [
        [1, 2],
        [4, 2],
        [4, 6],
      ],
    ));
});
