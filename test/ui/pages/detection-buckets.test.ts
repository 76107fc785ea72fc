/** Counting detections for the plot: nothing is lost, and the stretches fit the viewer's clock. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { bucketDetections, stacked } from '../../../src/ui/pages/explore/plot/detection-buckets.ts';
import { plotRange } from '../../../src/ui/pages/explore/plot/plot-range.ts';

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

  it('stand in the whole of the chosen stretch of time, its end left out', () => {
    const { starts, stepSeconds, cameras } = bucketDetections([{ camera: 'front', startTime: NOON + 7 * HOUR }], 0, {
      from: NOON,
      to: NOON + DAY,
    });
    assert.deepEqual([stepSeconds, starts[0], starts.length], [HOUR, NOON, 24]);
    assert.equal(cameras[0]?.counts[7], 1);
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

describe('The stretch of time of the plot', () => {
  const chosen = (after?: number, before?: number) => ({ after, before });
  // biome-ignore format: a table
  const rows: [sentence: string, filter: ReturnType<typeof chosen>, isAll: boolean, range: object | undefined][] = [
    ['is the chosen one',                            chosen(NOON - DAY, NOON - HOUR), true,  { from: NOON - DAY, to: NOON - HOUR }],
    ['ends now without a chosen end',                chosen(NOON - DAY),              true,  { from: NOON - DAY, to: NOON }],
    ['ends now when the chosen end is still to come', chosen(NOON - DAY, NOON + DAY), true,  { from: NOON - DAY, to: NOON }],
    ['is that of the detections without a beginning', chosen(undefined, NOON),        true,  undefined],
    ['is that of the detections when older ones are missing', chosen(NOON - DAY),     false, undefined],
    ['is that of the detections for times long ago', chosen(-8.64e12),                true,  undefined],
    ['is that of the detections when it is none',    chosen(NOON, NOON - DAY),        true,  undefined],
  ];
  for (const [sentence, filter, isAll, range] of rows)
    it(sentence, () => assert.deepEqual(plotRange(filter, isAll, NOON), range));
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
