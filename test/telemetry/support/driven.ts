/** Acts, and the series that they move: by exactly what happened, and nothing else of their families (SPEC 9). */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { MetricFamily } from '../../../src/telemetry/series.ts';
import type { Runtime } from '../../support/start-instance.ts';
import { moved, type Series, scrape } from './exposition.ts';

/** `logins_total`, and `logins_total result=success` for each value of each label that has moved. */
const driven = new Set<string>();

const LABEL = /(?<name>[a-z_]+)="(?<value>[^"]*)"/g;

/** The parts of a series that can each be told to have moved: its family, and each of its labels. */
function partsOf(series: string): string[] {
  const family = /^[a-z0-9_]+/.exec(series)?.[0] ?? '';
  const labels = [...series.matchAll(LABEL)].map(({ groups }) => `${family} ${groups?.['name']}=${groups?.['value']}`);
  return [family, ...labels];
}

export function noteDriven(series: string): void {
  for (const part of partsOf(series)) driven.add(part);
}

/** What is declared and has not moved in any test so far; of a histogram its count stands for all of it. */
export function undriven(families: readonly MetricFamily[]): string[] {
  const declared = families.flatMap(({ name, samples }) =>
    [...samples()]
      .filter(({ suffix }) => suffix === '' || suffix === '_count')
      .flatMap(({ suffix, labels }) => partsOf(`${name.replace('postern_', '')}${suffix}${labels}`)),
  );
  // A gauge without a value yet is declared all the same.
  const names = families.filter(({ type }) => type !== 'histogram').map(({ name }) => name.replace('postern_', ''));
  return [...new Set([...declared, ...names])].filter((part) => !driven.has(part)).sort();
}

type Moves = Readonly<Record<string, number>>;

/** Does it, and waits until the named families have moved as they should; then nothing else of theirs may have. */
export async function moves(
  instance: Runtime,
  families: readonly string[],
  act: () => Promise<unknown>,
  /** Or how they should have moved, by what happened. */
  expected: Moves | (() => Moves),
): Promise<void> {
  const names = families.map((family) => `postern_${family}`);
  const isOther = (series: string): boolean => !names.some((name) => new RegExp(`^${name}(?:\\{|$)`).test(series));
  const own = (series: Series): Series => new Map([...series].filter(([name]) => !isOther(name)));
  const before = own(await scrape(instance.telemetryUrl));
  await act();
  const moving = typeof expected === 'function' ? expected() : expected;
  for (const series of Object.keys(moving)) noteDriven(series);
  const wanted = Object.fromEntries(Object.entries(moving).map(([series, by]) => [`postern_${series}`, by]));
  let seen: Moves = {};
  // An answer may arrive before it is counted, and a busy machine takes its time.
  for (const end = Date.now() + 30_000; Date.now() < end && !isDeepStrictEqual(seen, wanted); ) {
    seen = moved(before, own(await scrape(instance.telemetryUrl)), /(?!)/);
  }
  assert.deepEqual(seen, wanted);
}

export const value = async (instance: Runtime, series: string): Promise<number | undefined> => {
  noteDriven(series);
  return (await scrape(instance.telemetryUrl)).get(`postern_${series}`);
};
