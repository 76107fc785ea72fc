/** Sample events for a first look without an NVR: believable days, the same for the same seed (SPEC 1, `events generate`). */
import { createProgress, type OutputStream } from '../domain/command-frame.ts';
import type { EventRecord } from '../domain/events/event.ts';
import { ok } from '../domain/result.ts';
import type { Store } from '../store/open-store.ts';
import { createIntake, type ImportCounts } from './import-events.ts';
import { samplePicture } from './sample-picture.ts';

export interface SampleQuestion {
  readonly count: number;
  readonly seed: number;
  readonly cameras?: readonly string[] | undefined;
  /** Nothing begins later. Unix seconds. */
  readonly until: number;
}

export const SAMPLE_CAMERAS: readonly string[] = ['front_door', 'driveway', 'garden', 'garage'];

/** Sample events in order of time, the oldest first. */
export function* generateSampleEvents({ count, seed, until, cameras }: SampleQuestion): Generator<EventRecord> {
  const chance = createChance(seed);
  const places = (cameras ?? SAMPLE_CAMERAS).map(sampleCamera);
  const days = Math.min(MOST_DAYS, Math.ceil(count / EVENTS_PER_DAY));
  const starts = Float64Array.from({ length: count }, () => {
    const day = Math.floor(until / DAY) - Math.floor(chance.next() * days);
    const start = day * DAY + (chance.weighted(EVENTS_PER_HOUR) + chance.next()) * HOUR;
    return start > until ? start - days * DAY : start;
  });
  for (const [at, start] of starts.sort().entries()) {
    const place = chance.weighted(rosterOn(Math.floor(start / DAY), places, seed));
    yield sampleEvent({ start, until, isRunning: at >= count - RUNNING, place, chance });
  }
}

/** Stores them in batches, and gives the sentence that says so. */
export async function storeSampleEvents(store: Store, question: SampleQuestion, output: OutputStream): Promise<string> {
  const progress = createProgress(output, { title: 'sample events', total: question.count });
  const onProgress = ({ stored }: ImportCounts): void => progress.report(stored, stored);
  const intake = createIntake({ writeEvents: store.writeEvents, onProgress });
  for (const event of generateSampleEvents(question)) await intake.take(event.id, ok(event));
  await intake.end();
  progress.end();
  return `${question.count} sample events stored`;
}

/** Gaps: now and then a camera is off for a day, and sees nothing. */
function rosterOn(day: number, places: readonly SampleCamera[], seed: number) {
  const chance = createChance(seed + day);
  const working = places.filter(() => !chance.isLikely(OFF_FOR_A_DAY));
  return (working.length > 0 ? working : places).map((place) => [place, place.share] as const);
}

const OFF_FOR_A_DAY = 1 / 14;
/** The longest time that sample events span: with more events the days are busier, not more. */
const MOST_DAYS = 730;
/** So many of the newest have not ended. */
const RUNNING = 2;

const ZONES: readonly (readonly string[])[] = [
  ['porch', 'path'],
  ['drive', 'street'],
  ['yard', 'patio'],
  ['gate', 'ramp'],
];
const SHARES = [5, 4, 2, 1];

/** `share`: how busy it is, beside the others. */
const sampleCamera = (camera: string, at: number) => ({
  camera,
  zones: ZONES[at % ZONES.length] ?? [],
  variant: at,
  share: SHARES[at % SHARES.length] ?? 1,
});
type SampleCamera = ReturnType<typeof sampleCamera>;

// biome-ignore format: a table
const LABELS = [['person', 50], ['car', 28], ['dog', 10], ['cat', 7], ['package', 5]] as const;
const NAMES = ['Anna', 'Ben', 'Zoë', 'Anna, Ben', 'Mail carrier'];
const CARRIERS = ['DHL', 'UPS', 'Amazon'];
const PLATES = ['B-MW 1234', 'KA 51 XY', 'ABC123', 'XYZ789', 'LO0O00'];
const LETTERS = [...'abcdefghijklmnopqrstuvwxyz0123456789'];

interface Moment {
  readonly start: number;
  readonly until: number;
  readonly isRunning: boolean;
  readonly place: SampleCamera;
  readonly chance: Chance;
}

function sampleEvent({ start: exactly, until, isRunning, place, chance }: Moment): EventRecord {
  const start = round(exactly, 6);
  const label = chance.weighted(LABELS);
  const subLabel = pickSubLabel(label, chance);
  const end = round(Math.min(until, start + 4 + chance.next() ** 3 * 180), 6);
  const hour = (start % DAY) / HOUR;
  const isNight = hour < 6 || hour > 20;
  return {
    id: `${start.toFixed(6)}-${Array.from({ length: 6 }, () => chance.pick(LETTERS)).join('')}`,
    label,
    sub_label: subLabel,
    camera: place.camera,
    start_time: start,
    end_time: isRunning ? null : end,
    false_positive: false,
    zones: place.zones.filter(() => chance.isLikely(0.5)),
    thumbnail: samplePicture({ label, isNight, place: chance.next(), variant: place.variant }),
    has_clip: chance.isLikely(0.9),
    has_snapshot: chance.isLikely(0.95),
    retain_indefinitely: chance.isLikely(0.01),
    plus_id: chance.isLikely(0.02) ? `plus-${Math.floor(chance.next() * 1e9).toString(36)}` : null,
    model_hash: 'a1b2c3d4e5f60718',
    detector_type: 'cpu',
    model_type: 'ssd',
    data: sampleData(label, subLabel, chance),
  };
}

function pickSubLabel(label: string, chance: Chance): string | null {
  if (label === 'person' && chance.isLikely(0.35)) return chance.pick(NAMES);
  if (label === 'package' && chance.isLikely(0.6)) return chance.pick(CARRIERS);
  return null;
}

function sampleData(label: string, subLabel: string | null, chance: Chance): Record<string, unknown> {
  const score = round(1 - chance.next() ** 2 * 0.45, 6);
  const box = [chance.between(0.05, 0.6), chance.between(0.2, 0.6), 0.2, 0.3].map((edge) => round(edge, 3));
  const hasPlate = label === 'car' && chance.isLikely(0.3);
  return {
    type: 'object',
    score,
    top_score: round(Math.min(1, score + 0.03), 6),
    box,
    region: [0, 0, 1, 1],
    attributes: [],
    average_estimated_speed: label === 'car' ? round(chance.between(5, 60), 1) : 0,
    velocity_angle: Math.floor(chance.between(0, 360)),
    max_severity: label === 'person' ? 'alert' : 'detection',
    path_data: [],
    ...(subLabel === null ? {} : { sub_label_score: round(chance.between(0.7, 1), 2) }),
    ...(hasPlate ? { recognized_license_plate: chance.pick(PLATES), recognized_license_plate_score: 0.93 } : {}),
  };
}

const round = (number: number, digits: number): number => Math.round(number * 10 ** digits) / 10 ** digits;

/** Events an hour, by the hour of the day: nights are quiet, and people leave and come home. */
// biome-ignore format: a table
const EVENTS_PER_HOUR = [
   1, 0.5, 0.5, 0.5,  1,  3, 8, 16, 14, 8, 7, 8,
  10,   8,   7,   9, 12, 18, 17, 12, 8, 5, 3, 2,
].map((rate, hour) => [hour, rate] as const);
const EVENTS_PER_DAY = EVENTS_PER_HOUR.reduce((sum, [, rate]) => sum + rate, 0);
const HOUR = 3600;
const DAY = 24 * HOUR;

type Chance = ReturnType<typeof createChance>;

/** Chance that can be repeated: the same seed gives the same events. */
export function createChance(seed: number) {
  const next = mulberry32(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(next() * items.length)] as Item;
  return {
    /** A number in [0, 1). */
    next,
    pick,
    /** A number in [low, high). */
    between: (low: number, high: number) => low + next() * (high - low),
    isLikely: (probability: number) => next() < probability,
    /** Each item with its weight. */
    weighted<Item>(items: readonly (readonly [Item, number])[]): Item {
      let rest = next() * items.reduce((sum, [, weight]) => sum + weight, 0);
      const chosen = items.find(([, weight]) => {
        rest -= weight;
        return rest < 0;
      });
      return (chosen ?? (items.at(-1) as (typeof items)[number]))[0];
    },
  };
}

/** Tommy Ettinger's generator: 32 bits of state, enough for samples and for nothing secret. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
