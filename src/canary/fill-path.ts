/** Fills the parameters of a row's path: with things of one side, with times, and with words that suit the place. */
import { fillParameters, parametersIn } from '../access/fill-parameters.ts';
import type { PolicyRow } from '../domain/policy.ts';
import type { Owned, Side, Thing } from './landscape.ts';

export interface Filled {
  readonly path: string;
  /** What in the path belongs to a camera, with that camera; empty when nothing does. */
  readonly named: readonly { readonly thing: Thing; readonly camera: string }[];
}

/** Undefined when a parameter is not known, or the side has no such thing. */
export function fillPath(row: PolicyRow, side: Side): Filled | undefined {
  const named: { thing: Thing; camera: string }[] = [];
  let isFilled = true;
  const path = fillParameters(row.path, ({ name, before }) => {
    const thing = thingNamed(row, name, before);
    const value = thing ? thingOf(thing, side, row.path) : plainValue(name, side);
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
export const namesThing = (row: PolicyRow): boolean =>
  parametersIn(row.path).some(({ name, before }) => thingNamed(row, name, before) !== undefined);

/** What an id is of, by the literal segment before it. */
const BY_FOLDER: Readonly<Record<string, Thing>> = {
  events: 'event',
  event: 'event',
  review: 'review',
  exports: 'export',
  export: 'export',
  cases: 'case',
};
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
function thingNamed(row: PolicyRow, name: string, before: string): Thing | undefined {
  if (name === 'file') return FILES.some(({ folder }) => before.startsWith(folder)) ? 'file' : undefined;
  const folder = /\/(?<folder>[\w-]+)\/[^/]*$/.exec(before)?.groups?.['folder'] ?? '';
  const byPlace = BY_NAME[name] ?? (ID_NAMES.includes(name) ? BY_FOLDER[folder] : undefined);
  return byPlace ?? saidBy(row, name);
}

function saidBy({ cameras = [] }: PolicyRow, name: string): Thing | undefined {
  const locator = cameras.find((known) => known.source === 'path' && known.name === name);
  if (!locator) return undefined;
  return locator.kind === 'camera'
    ? 'camera'
    : (['stream', 'event', 'review', 'export', 'case'] as const).find((kind) => kind === locator.kind);
}

/** The longest folder first. Without `name` the name of the file says nothing of its camera. */
const FILES: readonly { readonly folder: string; readonly name?: (side: Side) => Owned | undefined }[] = [
  {
    folder: '/clips/review/',
    name: ({ camera, review, at }) => ({ id: `thumb-${camera}-${review?.id ?? `${at}.5-canary`}.webp`, camera }),
  },
  { folder: '/clips/thumbs/' },
  { folder: '/clips/previews/' },
  {
    folder: '/clips/',
    name: ({ camera, event, at }) => ({ id: `${camera}-${event?.id ?? `${at}.5-canary`}-clean.webp`, camera }),
  },
  { folder: '/exports/', name: ({ exportFile }) => exportFile },
  { folder: '/api/preview/', name: ({ camera, at }) => ({ id: `preview_${camera}-${at}.5.webp`, camera }) },
];

function thingOf(thing: Thing, side: Side, path: string): Owned | string | undefined {
  switch (thing) {
    case 'camera':
      return { id: side.camera, camera: side.camera };
    case 'stream':
      return side.stream === undefined ? undefined : { id: side.stream, camera: side.camera };
    case 'file': {
      const place = FILES.find(({ folder }) => path.startsWith(folder));
      return place?.name ? place.name(side) : `${side.at}.webp`;
    }
    case 'export-file':
      return side.exportFile;
    default:
      return side[thing];
  }
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
