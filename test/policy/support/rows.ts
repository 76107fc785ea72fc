/** The NVR's operations, from the facts about it, as requests that can be made (test/data/routes.yaml). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { BEDROOM, GARDEN } from './two-cameras.ts';

export interface Operation {
  /** Method, of which WS is a WebSocket upgrade and ANY here a GET. */
  readonly m: string;
  readonly p: string;
  readonly a: 'public' | 'any' | 'camera' | 'unrestricted' | 'admin' | 'none' | 'inherit';
  readonly cam?: readonly string[];
  readonly f?: string;
  readonly how?: string;
  readonly svc?: string;
}

export interface Asked {
  readonly method: string;
  readonly target: string;
  readonly body: string | undefined;
}

const FILE = join(import.meta.dirname, '../../data/routes.yaml');

export function readOperations(): readonly Operation[] {
  const table = parse(readFileSync(FILE, 'utf8')) as { api: Operation[]; other: Operation[] };
  return [...table.api, ...table.other];
}

/** Paths whose answers say nothing about any camera. */
export const neutralPaths = (): readonly RegExp[] =>
  readOperations()
    .filter(({ a, f, cam }) => (a === 'public' || a === 'any') && !f && !cam)
    .map(({ p }) => new RegExp(`^${p.replaceAll(/\{(rest|file)\}/g, '.+').replaceAll(/\{\w+\}/g, '[^/]+')}$`));

export const nameOf = ({ m, p }: Pick<Operation, 'm' | 'p'>): string => `${m} ${p}`;

type Side = typeof GARDEN;

/** Parameters that say which camera; a file's name depends on where it lies. */
const files: Readonly<Record<string, (side: Side) => string>> = {
  '/exports/{file}': ({ export: id }) => `${id}.mp4`,
  '/clips/export/{file}': ({ export: id }) => `${id}.webp`,
  '/clips/review/{file}': ({ camera, event }) => `thumb-${camera}-${event}.webp`,
  '/clips/{file}': ({ camera, event }) => `${camera}-${event}-clean.webp`,
};
const OF_SIDE: Readonly<Record<string, (side: Side) => string>> = {
  camera_name: ({ camera }) => camera,
  event_id: ({ event }) => event,
  review_id: ({ event }) => event,
  export_id: ({ export: id }) => id,
  case_id: ({ case: id }) => id,
  stream_name: ({ stream }) => stream,
  file_name: ({ camera }) => `preview_${camera}-1700000001.5.webp`,
};
/** All others. */
// biome-ignore format: a table
const PLAIN: Readonly<Record<string, string>> = {
  start_ts: '1700000000', end_ts: '1700000060', start_time: '1700000000', end_time: '1700000060', start: '1', end: '2',
  year_month: '2026-01', day: '05', hour: '12', date: '2026-01-05', tz_name: 'utc', frame_time: '1700000000.5',
  label: 'person', extension: 'jpg', format: 'jpg', job_id: 'job1', feature: 'detect', sub_command: 'x', username: 'somebody',
  service: 'nginx', name: 'a-name', old_name: 'a-name', category: 'a-category', old_category: 'a-category',
  model: 'a-model', dir: 'triggers', rest: 'x/y.jpg', file: 'index.m3u8', hash: 'abc', base_path: '/frigate',
};

export function asked(operation: Operation, side: Side): Asked {
  const path = operation.p.replaceAll(/\{(\w+)\}/g, (_, name: string) => parameterOf(operation, name, side));
  const [locator = ''] = operation.cam ?? [];
  const [kind = '', source, parameter = ''] =
    locator.split(':').length > 2 ? locator.split(':') : ['', ...locator.split(':')];
  const value = kind === 'stream' ? side.stream : kind === '' ? side.camera : side.event;
  return {
    method: operation.m === 'ANY' ? 'GET' : operation.m,
    target: source === 'query' ? `${path}?${parameter}=${value}` : path,
    body:
      source === 'body'
        ? JSON.stringify(parameter === 'ids' ? { ids: [value] } : { items: [{ camera: value }] })
        : undefined,
  };
}

/** The operation asked without saying of which camera, where that is possible. */
export function askedOfAll(operation: Operation): Asked | undefined {
  const isList = operation.cam?.some((locator) => locator.startsWith('query:')) === true;
  return isList ? { ...asked(operation, GARDEN), target: operation.p } : undefined;
}

function parameterOf({ p }: Operation, name: string, side: Side): string {
  if (name === 'file' && files[p]) return files[p](side);
  if (name === 'rest' && p === '/{rest}') return 'settings';
  return OF_SIDE[name]?.(side) ?? PLAIN[name] ?? `no-value-for-${name}`;
}

/** The other camera's. */
export const foreign = (operation: Operation): Asked => asked(operation, BEDROOM);
export const own = (operation: Operation): Asked => asked(operation, GARDEN);
