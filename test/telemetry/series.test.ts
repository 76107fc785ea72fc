/** Series with closed labels, and how they are told (SPEC 9). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCameraDenials } from '../../src/telemetry/metrics.ts';
import { exposed } from '../../src/telemetry/scrape.ts';
import { createCounter, createGauge, createHistogram, type MetricFamily } from '../../src/telemetry/series.ts';

const told = (family: MetricFamily): string[] =>
  exposed([family])
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

describe('A counter', () => {
  it('has all its series from the start', () => {
    const counter = createCounter('seen_total', 'Seen.', [
      ['what', ['a', 'b']],
      ['where', ['x', 'y']],
    ]);
    assert.deepEqual(told(counter), [
      'seen_total{what="a",where="x"} 0',
      'seen_total{what="a",where="y"} 0',
      'seen_total{what="b",where="x"} 0',
      'seen_total{what="b",where="y"} 0',
    ]);
  });

  it('counts where it is told to, and nowhere else', () => {
    const counter = createCounter('seen_total', 'Seen.', [
      ['what', ['a', 'b']],
      ['where', ['x', 'y']],
    ]);
    counter.add(2, 'b', 'x');
    counter.add(1, 'b', 'x');
    assert.deepEqual(
      [...counter.samples()].map(({ value }) => value),
      [0, 0, 3, 0],
    );
  });

  it('counts what is not on the list as other, or not at all', () => {
    const counter = createCounter<string, string, never>('seen_total', 'Seen.', [
      ['a', ['x', 'other']],
      ['b', ['y']],
    ]);
    counter.add(1, 'never heard of', 'y');
    counter.add(1, 'x', 'never heard of');
    assert.deepEqual(told(counter), ['seen_total{a="x",b="y"} 0', 'seen_total{a="other",b="y"} 1']);
  });

  it('escapes what a label holds', () => {
    const counter = createCounter('seen_total', 'Seen.', [['camera', ['a"b\\c\nd']]]);
    assert.deepEqual(told(counter), ['seen_total{camera="a\\"b\\\\c\\nd"} 0']);
  });
});

describe('A gauge', () => {
  it('is left out while nothing is known', () => {
    const gauge = createGauge('min', 'up', 'Up.');
    gauge.set(undefined);
    assert.deepEqual(told(gauge), []);
    gauge.set(1);
    assert.deepEqual(told(gauge), ['up 1']);
  });

  it('is set anew as a whole', () => {
    const gauge = createGauge('max', 'users', 'Users.', [['role', ['admin', 'viewer', 'other']]]);
    gauge.setAll(
      new Map([
        ['admin', 1],
        ['a', 2],
        ['b', 3],
      ]),
    );
    assert.deepEqual(told(gauge), ['users{role="admin"} 1', 'users{role="viewer"} 0', 'users{role="other"} 5']);
    gauge.setAll(new Map());
    assert.deepEqual(told(gauge), ['users{role="admin"} 0', 'users{role="viewer"} 0', 'users{role="other"} 0']);
  });
});

describe('A histogram', () => {
  it('counts each value in its bucket and in those above', () => {
    const histogram = createHistogram('took_seconds', 'Took.', [0.1, 1], [['what', ['a']]]);
    for (const value of [0.05, 0.1, 0.5, 3]) histogram.observe(value, 'a');
    assert.deepEqual(told(histogram), [
      'took_seconds_bucket{what="a",le="0.1"} 2',
      'took_seconds_bucket{what="a",le="1"} 3',
      'took_seconds_bucket{what="a",le="+Inf"} 4',
      'took_seconds_sum{what="a"} 3.65',
      'took_seconds_count{what="a"} 4',
    ]);
  });
});

describe('Denials by camera', () => {
  it('name the cameras that are known, and keep what was counted when they change', () => {
    const denials = createCameraDenials('denied_total', 'Denied.', ['guest']);
    denials.setCameras(['garden', 'patio']);
    denials.count('garden', 'guest');
    denials.count('patio', 'guest');
    denials.count('cellar', 'guest');
    denials.count('garden', 'made later');
    denials.setCameras(['garden', 'cellar']);
    denials.count('cellar', 'guest');
    assert.deepEqual(told(denials), [
      'denied_total{camera="garden",role="guest"} 1',
      'denied_total{camera="garden",role="other"} 1',
      'denied_total{camera="cellar",role="guest"} 1',
      'denied_total{camera="cellar",role="other"} 0',
      'denied_total{camera="other",role="guest"} 2',
      'denied_total{camera="other",role="other"} 0',
    ]);
  });

  it('have one series of each name, also of a role and a camera that are called "other"', () => {
    const denials = createCameraDenials('denied_total', 'Denied.', ['guest', 'other']);
    denials.setCameras(['other']);
    denials.count('other', 'other');
    assert.deepEqual(told(denials), [
      'denied_total{camera="other",role="guest"} 0',
      'denied_total{camera="other",role="other"} 1',
    ]);
  });

  it('have a ceiling, however many cameras and roles there are', () => {
    const roles = Array.from({ length: 31 }, (_, at) => `role${at}`);
    const denials = createCameraDenials('denied_total', 'Denied.', roles);
    denials.setCameras(Array.from({ length: 1000 }, (_, at) => `camera${at}`));
    assert.equal(told(denials).length, 512);
  });
});

describe('The exposition', () => {
  it('has the head of each family, and its series', () => {
    const text = exposed([createCounter('seen_total', 'Seen.')]);
    assert.equal(text, '# HELP seen_total Seen.\n# TYPE seen_total counter\nseen_total 0\n');
  });
});
