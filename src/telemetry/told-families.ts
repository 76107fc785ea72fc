/** Families of several processes as one exposition: what each process told last, added up; a counter never falls when a process ends (SPEC 9, 10). */
import type { Family, Sample } from './series.ts';

/** The samples of one family, as a process tells them. A counter at 0 is left out. */
export interface Told {
  readonly name: string;
  readonly help: string;
  readonly type: Family['type'];
  readonly samples: readonly (readonly [suffix: Sample['suffix'], labels: string, value: number])[];
}

export const toldOf = (families: Iterable<Family>): Told[] =>
  [...families].map(({ name, help, type, samples }) => ({
    name,
    help,
    type,
    samples: [...samples()]
      .filter(({ value }) => type === 'gauge' || value !== 0)
      .map(({ suffix, labels, value }) => [suffix, labels, value] as const),
  }));

type Join = (one: number, other: number) => number;
const sum: Join = (one, other) => one + other;
/** What all processes say of the same thing is not added up; everything else is. */
// biome-ignore format: a table
const JOINED_BY: Readonly<Record<string, Join>> = {
  postern_build_info:                             Math.max,
  postern_users:                                  Math.max,
  postern_revocations:                            Math.max,
  postern_revocations_waiting:                    Math.max,
  postern_events_up:                              Math.max,
  postern_upstream_up:                            Math.max,
  postern_store_up:                               Math.min,
  postern_store_changes_heard:                    Math.min,
  postern_store_clock_offset_seconds:             Math.max,
  postern_limits_up:                              Math.min,
  postern_config_last_reload_successful:          Math.max,
  postern_config_last_reload_timestamp_seconds:   Math.max,
  postern_clock_jumps_total:                      Math.max,
  postern_tls_certificate_expiry_timestamp_seconds: Math.max,
  postern_tls_certificate_refused:                Math.max,
  postern_active_sessions:                        Math.max,
  postern_workers_up:                             Math.max,
  process_start_time_seconds:                     Math.min,
  process_max_fds:                                Math.min,
  nodejs_eventloop_lag_seconds:                   Math.max,
  nodejs_eventloop_lag_mean_seconds:              Math.max,
  nodejs_eventloop_lag_p50_seconds:               Math.max,
  nodejs_eventloop_lag_p90_seconds:               Math.max,
  nodejs_eventloop_lag_p99_seconds:               Math.max,
  nodejs_eventloop_lag_max_seconds:               Math.max,
};

/** This process's families, with what others told of the same names. Families of others alone are left out. */
export const joined = (own: Iterable<Family>, others: () => readonly Told[]): Family[] =>
  [...own].map((family) => ({ ...family, samples: () => joinedSamples(family, others()) }));

function joinedSamples(family: Family, others: readonly Told[]): Sample[] {
  const join = JOINED_BY[family.name] ?? sum;
  const samples = new Map<string, Sample>();
  const add = (suffix: Sample['suffix'], labels: string, value: number): void => {
    const key = `${suffix}${labels}`;
    const known = samples.get(key);
    samples.set(key, { suffix, labels, value: known ? join(known.value, value) : value });
  };
  for (const { suffix, labels, value } of family.samples()) add(suffix, labels, value);
  for (const told of others) {
    if (told.name !== family.name) continue;
    for (const [suffix, labels, value] of told.samples) add(suffix, labels, value);
  }
  return [...samples.values()];
}

/** Counters and histograms of processes that have ended, joined: what was counted stays counted. */
export function keptOf(before: readonly Told[], ended: readonly Told[]): readonly Told[] {
  const kept = new Map(before.map((told) => [told.name, told]));
  for (const { type, ...told } of ended) {
    if (type === 'gauge') continue;
    const family = {
      ...told,
      type,
      samples: () => told.samples.map(([suffix, labels, value]) => ({ suffix, labels, value })),
    };
    const known = kept.get(told.name);
    const samples = joinedSamples(family, known ? [known] : []);
    kept.set(told.name, {
      ...told,
      type,
      samples: samples.map(({ suffix, labels, value }) => [suffix, labels, value]),
    });
  }
  return [...kept.values()];
}
