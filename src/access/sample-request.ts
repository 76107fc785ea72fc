/** Requests that are made from a row: its path with every parameter filled in, about one camera, or the address of a page row (SPEC 15, 20). Pure. */
import {
  isOwnerKind,
  type Locator,
  PATH_SHAPES,
  type ParameterShape,
  type PathShape,
  type ViewingKind,
} from '../domain/policy.ts';
import type { RequestTarget } from '../domain/request.ts';
import type { PolicyRow } from '../routes/policy-row.ts';
import { NO_ADAPTER, type NvrAdapter } from './nvr-adapter.ts';

// biome-ignore format: a table
const OF_SHAPE: Readonly<Record<PathShape, string>> = {
  date: '2026-01-05', month: '2026-01', 'two-digits': '05', number: '1700000000', id: 'some-id', file: 'index.m3u8', zone: 'utc',
  uuid: '00000000-0000-4000-8000-000000000000',
};
const isShape = (name: string): name is PathShape => Object.hasOwn(PATH_SHAPES, name);

const itself = (camera: string): string => camera;

/** Makes a value that means the camera; undefined where an id or a file of an unknown owner has to do. */
const sampleValue = (kind: Locator['kind'], { names }: NvrAdapter): ((camera: string) => string) | undefined => {
  if (kind === 'camera' || kind === 'stream') return itself;
  return isOwnerKind(kind) ? undefined : names[kind]?.sample;
};

export function makeSample(
  { path, cameras = [], query: forms = {} }: PolicyRow,
  camera: string,
  /** `nvr`: what the words of the row mean; `at`: the recorded time that is asked for, in Unix seconds; absent: a time long ago. */
  { nvr = NO_ADAPTER, at }: { readonly nvr?: NvrAdapter; readonly at?: number } = {},
): RequestTarget {
  const inPath = (wanted: string): string | undefined => {
    const locator = cameras.find(({ source, name }) => source === 'path' && name === wanted);
    return locator && sampleValue(locator.kind, nvr)?.(camera);
  };
  const whole = fillParameters(
    path,
    ({ name, shape = '' }) => inPath(name) ?? timeIn(name, at) ?? (isShape(shape) ? OF_SHAPE[shape] : 'some-id'),
  );
  // One parameter that names the camera: a list of all that there are would be another request.
  const inQuery = cameras.find(({ source, kind }) => source === 'query' && sampleValue(kind, nvr));
  const needed = Object.entries(forms).flatMap(([name, { shape, isRequired }]): [string, string][] =>
    isRequired && name !== inQuery?.name ? [[name, sampleOfShape(shape, at)]] : [],
  );
  const named: [string, string][] = inQuery ? [[inQuery.name, sampleValue(inQuery.kind, nvr)?.(camera) ?? '']] : [];
  const query = [...named, ...needed].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return { path: whole, segments: whole.slice(1).split('/').map(decodeURIComponent), query };
}

/** Unix seconds of a time long ago. */
const LONG_AGO = 1_700_000_000;

function sampleOfShape(shape: ParameterShape, at = LONG_AGO): string {
  switch (shape.kind) {
    case 'time':
      return new Date(at * 1000).toISOString();
    case 'number':
      return String(SECONDS_SHOWN);
    case 'word':
      return shape.words[0] ?? '';
    default:
      return 'some-id';
  }
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
  const { path, query } = makeSample(row, camera, { at });
  return { method, path: query === '' ? path : `${path}?${query}` };
}

const isNamed = ({ kind, source }: Locator): boolean => (kind === 'camera' || kind === 'stream') && source !== 'body';
/** What the body names is for the request itself to say. */
const isKnownHere = (locator: Locator): boolean => isNamed(locator) || locator.source === 'body';

/** The path of a row with values in the place of its parameters, encoded for where they stand, and the address of a page row (SPEC 15, 20). */

const PARAMETER = /\{(?<name>\w+)(?::(?<shape>[\w-]+))?(?<rest>\.\.\.)?\}/g;

interface PathParameter {
  readonly name: string;
  readonly shape: string | undefined;
}

/** The slashes of a value separate segments in `{name...}` alone. */
export const fillParameters = (path: string, valueFor: (parameter: PathParameter) => string): string =>
  path.replaceAll(PARAMETER, (...found) => {
    const { name = '', shape, rest } = found.at(-1) as Readonly<Record<string, string | undefined>>;
    const value = valueFor({ name, shape });
    return rest === undefined ? encodeURIComponent(value) : value.split('/').map(encodeURIComponent).join('/');
  });

/** Undefined for a row that needs a camera where there is none, or another parameter. */
export function pageAddress({ path, cameras = [] }: PolicyRow, camera: string | undefined): string | undefined {
  if (cameras.length > 0 && camera === undefined) return undefined;
  const named = (source: 'path' | 'query'): readonly string[] =>
    cameras.filter((locator) => locator.source === source).map(({ name }) => name);
  const inPath = named('path');
  if ([...path.matchAll(PARAMETER)].some(({ groups }) => !inPath.includes(groups?.['name'] ?? ''))) return undefined;
  const filled = fillParameters(path, () => camera ?? '');
  const query = new URLSearchParams(named('query').map((name): [string, string] => [name, camera ?? '']));
  return query.size > 0 ? `${filled}?${query}` : filled;
}
