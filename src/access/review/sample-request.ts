/** A request of a row about one camera: what the row would be asked for, with every parameter filled in (SPEC 15). Pure. */
import type { ViewingKind } from '../../domain/ledger.ts';
import { PATH_SHAPES, type PathShape, type PolicyRow } from '../../domain/policy.ts';
import type { Locator } from '../../domain/policy-terms.ts';
import type { RequestTarget } from '../../domain/request.ts';
import { fillParameters } from '../fill-parameters.ts';

// biome-ignore format: a table
const OF_SHAPE: Readonly<Record<PathShape, string>> = {
  date: '2026-01-05', month: '2026-01', 'two-digits': '05', number: '1700000000', id: 'some-id', file: 'index.m3u8', zone: 'utc',
};
const isShape = (name: string): name is PathShape => Object.hasOwn(PATH_SHAPES, name);

/** A value for each kind of locator: one that means the camera, or an id or file of an unknown owner where none can. */
const VALUES: Partial<Readonly<Record<Locator['kind'], (camera: string) => string>>> = {
  camera: (camera) => camera,
  stream: (camera) => camera,
  frames: (camera) => camera,
  'file:clip': (camera) => `${camera}-1700000000.5-abcdef.jpg`,
  'file:preview': (camera) => `preview_${camera}-1700000000.5.webp`,
  'file:review-thumb': (camera) => `thumb-${camera}-1700000000.5-abcdef.webp`,
};

/** `at`: the recorded time that is asked for, in Unix seconds; absent: a time long ago. */
export function sampleOf({ path, cameras = [] }: PolicyRow, camera: string, at?: number): RequestTarget {
  const inPath = (wanted: string): string | undefined => {
    const locator = cameras.find(({ source, name }) => source === 'path' && name === wanted);
    return locator && VALUES[locator.kind]?.(camera);
  };
  const whole = fillParameters(
    path,
    ({ name, shape = '' }) => inPath(name) ?? timeIn(name, at) ?? (isShape(shape) ? OF_SHAPE[shape] : 'some-id'),
  );
  // One parameter that names the camera: a list of all that there are would be another request.
  const inQuery = cameras.find(({ source, kind }) => source === 'query' && Object.hasOwn(VALUES, kind));
  const query = inQuery ? `${inQuery.name}=${encodeURIComponent(VALUES[inQuery.kind]?.(camera) ?? '')}` : '';
  return { path: whole, segments: whole.slice(1).split('/').map(decodeURIComponent), query };
}

const SECONDS_SHOWN = 10;
const timeIn = (parameter: string, at: number | undefined): string | undefined => {
  if (at === undefined) return undefined;
  if (parameter === 'end') return String(at + SECONDS_SHOWN);
  return parameter === 'start' || parameter === 'time' ? String(at) : undefined;
};

export interface CameraQuestion {
  readonly shows: ViewingKind;
  readonly camera: string;
  /** Unix seconds: the recorded time. */
  readonly at: number;
}

/** The request that shows one camera so: of the first row that does, and names the camera itself. Undefined: no row does. */
export function requestShowing(
  rows: readonly PolicyRow[],
  { shows, camera, at }: CameraQuestion,
): { readonly method: string; readonly path: string } | undefined {
  const row = rows.find(
    ({ access, verb, views, cameras = [] }) =>
      access === 'camera' && verb === shows && views === shows && cameras.some(isNamed) && cameras.every(isKnownHere),
  );
  const [method] = row?.methods ?? [];
  if (!row || method === undefined) return undefined;
  const { path, query } = sampleOf(row, camera, at);
  return { method, path: query === '' ? path : `${path}?${query}` };
}

const isNamed = ({ kind, source }: Locator): boolean => (kind === 'camera' || kind === 'stream') && source !== 'body';
/** What the body names is for the request itself to say. */
const isKnownHere = (locator: Locator): boolean => isNamed(locator) || locator.source === 'body';

/** Whether the answer depends on the camera at all. */
export const isAboutCameras = ({ access, cameras, narrow, answer }: PolicyRow): boolean =>
  access === 'camera' || cameras !== undefined || narrow !== undefined || answer !== undefined;
