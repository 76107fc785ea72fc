/** GET /api/events/counts checked against a walk over the events that the filter leaves. */
import assert from 'node:assert/strict';
import type { EventCounts } from '../../../src/domain/events/counts.ts';
import type { EventRecord } from '../../../src/domain/events/event.ts';

export function assertCounts(counts: EventCounts, events: readonly EventRecord[], told: string): void {
  const { starts, end, labels, others, total } = counts;
  const by = labels ? 'label' : 'camera';
  const counted = labels ?? counts.cameras;
  assert.equal(total, events.length, told);
  for (const [at, start] of starts.entries()) assert.ok(start < (starts[at + 1] ?? end ?? 0), `${told}: in order`);
  const sliceOf = (time: number): number => (time < (end ?? 0) ? starts.findLastIndex((start) => start <= time) : -1);
  const expected = new Map<string, number[]>();
  for (const { [by]: name, start_time } of events) {
    const sums = expected.get(name) ?? starts.map(() => 0);
    const at = sliceOf(start_time);
    assert.ok(at >= 0, `${told}: ${start_time} is in no slice`);
    sums[at] = (sums[at] ?? 0) + 1;
    expected.set(name, sums);
  }
  const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);
  const ranked = [...expected].sort(
    ([one, first], [other, second]) => sum(second) - sum(first) || (one < other ? -1 : 1),
  );
  const series = counted.filter((one) => one.counts).length;
  if (labels) assert.deepEqual(counts.cameras, [], told);
  assert.deepEqual(
    counted,
    ranked.map(([name, sums], at) => ({ [by]: name, total: sum(sums), ...(at < series && { counts: sums }) })),
    told,
  );
  const rest = ranked.slice(series).map(([, sums]) => sums);
  assert.deepEqual(
    others,
    starts.map((_, at) => sum(rest.map((sums) => sums[at] ?? 0))),
    told,
  );
}
