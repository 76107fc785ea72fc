/** Fills the parameters of a row's path: with things of one side, with times, and with words that suit the place. */
import type { CanarySeeds, SeedFile, Thing } from '../access/canary-seeds.ts';
import { fillParameters, parametersIn } from '../access/fill-parameters.ts';
import type { PolicyRow } from '../domain/policy/policy.ts';
import type { Owned, Side } from './landscape.ts';

export interface Filled {
  readonly path: string;
  /** What in the path belongs to a camera, with that camera; empty when nothing does. */
  readonly named: readonly { readonly thing: Thing; readonly camera: string }[];
}

/** Undefined when a parameter is not known, or the side has no such thing. */
export function fillPath(row: PolicyRow, side: Side, seeds: CanarySeeds): Filled | undefined {
  const named: { thing: Thing; camera: string }[] = [];
  let isFilled = true;
  const path = fillParameters(row.path, ({ name, before }) => {
    const thing = thingNamed(row, name, before, seeds);
    const value = thing ? thingOf(thing, side, row.path, seeds) : plainValue(name, side);
    if (value === undefined) {
      isFilled = false;
      return '';
    }
    if (typeof value === 'string') return value;
    if (thing) named.push({ thing, camera: value.camera });
    return value.id;
  });
  return isFilled ? { path, named } : undefined;
}

/** Whether a row's path names something of a camera, whatever the row says of it. */
export const namesThing = (row: PolicyRow, seeds: CanarySeeds): boolean =>
  parametersIn(row.path).some(({ name, before }) => thingNamed(row, name, before, seeds) !== undefined);

const BY_NAME: Readonly<Record<string, Thing>> = {
  camera: 'camera',
  camera_name: 'camera',
  stream: 'stream',
  stream_name: 'stream',
};
const ID_NAMES: readonly string[] = [
  'id',
  'event',
  'review',
  'export',
  'case',
  'event_id',
  'review_id',
  'export_id',
  'case_id',
];

/** The row may be wrong, so that the name counts as well as what the row says. */
function thingNamed(row: PolicyRow, name: string, before: string, { folders, files }: CanarySeeds): Thing | undefined {
  if (name === 'file') return files.some(({ folder }) => before.startsWith(folder)) ? 'file' : undefined;
  const folder = /\/(?<folder>[\w-]+)\/[^/]*$/.exec(before)?.groups?.['folder'] ?? '';
  const byPlace = BY_NAME[name] ?? (ID_NAMES.includes(name) ? folders[folder] : undefined);
  return byPlace ?? saidBy(row, name);
}

function saidBy({ cameras = [] }: PolicyRow, name: string): Thing | undefined {
  const locator = cameras.find((known) => known.source === 'path' && known.name === name);
  if (!locator) return undefined;
  return locator.kind === 'camera'
    ? 'camera'
    : (['stream', 'event', 'review', 'export', 'case'] as const).find((kind) => kind === locator.kind);
}

function thingOf(thing: Thing, side: Side, path: string, { files }: CanarySeeds): Owned | string | undefined {
  switch (thing) {
    case 'camera':
      return { id: side.camera, camera: side.camera };
    case 'stream':
      return side.stream === undefined ? undefined : { id: side.stream, camera: side.camera };
    case 'file': {
      const place = files.find(({ folder }) => path.startsWith(folder));
      return fileOf(place?.name, side);
    }
    case 'export-file':
      return side.exportFile;
    default:
      return side[thing];
  }
}

function fileOf(name: SeedFile['name'], { camera, event, review, exportFile, at }: Side): Owned | string | undefined {
  if (name === undefined) return `${at}.webp`;
  if (typeof name !== 'string') return exportFile;
  const time = `${at}.5`;
  const words: Readonly<Record<string, string>> = {
    camera,
    time,
    event: event?.id ?? `${time}-canary`,
    review: review?.id ?? `${time}-canary`,
  };
  return { id: name.replaceAll(/\{(\w+)\}/g, (_, word: string) => words[word] ?? ''), camera };
}

const SPAN_SECONDS = 10;

/** Parameters that belong to no camera. */
function plainValue(name: string, { at }: Side): string | undefined {
  const utc = new Date(at * 1000).toISOString();
  // biome-ignore format: a table
  const values: Readonly<Record<string, string>> = {
    start: String(at), end: String(at + SPAN_SECONDS), time: String(at),
    date: utc.slice(0, 10), month: utc.slice(0, 7), day: utc.slice(8, 10), hour: utc.slice(11, 13),
    zone: 'utc', label: 'person', extension: 'jpg', format: 'jpg', job: 'canary', file: 'index.m3u8',
  };
  return Object.hasOwn(values, name) ? values[name] : undefined;
}
