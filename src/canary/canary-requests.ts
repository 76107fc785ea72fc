/** The requests of a round: every GET row of the route table that a custom role may ask, with its parameters filled in. */
import { compileRouteTable } from '../access/route-table.ts';
import type { PolicyRow } from '../domain/policy.ts';
import { fillPath, namesThing } from './fill-path.ts';
import type { Landscape, Side } from './landscape.ts';

export interface CanaryRequest {
  readonly row: PolicyRow;
  /** `GET /api/events/{id}` */
  readonly route: string;
  readonly target: string;
  /**
   * `own`: of the canary's camera; `all`: names no camera; `foreign`: names what belongs to a foreign camera, so that it
   * must be refused; `loaded`: names a foreign camera in parameters that the route may not know, so that an answer is no
   * leak by itself.
   */
  readonly about: 'own' | 'all' | 'foreign' | 'loaded';
  /** The foreign camera that it is about. */
  readonly camera: string | undefined;
}

export interface CanaryRequests {
  readonly requests: readonly CanaryRequest[];
  /** Routes that could not be asked about a foreign camera, because the NVR has nothing of one there now. */
  readonly unasked: readonly string[];
}

export function canaryRequestsOf(rows: readonly PolicyRow[], landscape: Landscape): CanaryRequests {
  const table = compileRouteTable(rows);
  const requests: CanaryRequest[] = [];
  const unasked: string[] = [];
  for (const row of rows.filter(isForCustomRoles)) {
    const made = namesThing(row) ? namedRequests(row, landscape) : plainRequests(row, landscape);
    const reached = made.filter(({ target }) => isRowOf(table.match('GET', segmentsOf(target)), row));
    requests.push(...reached);
    // Of a row that another one covers nothing is said: no request reaches it.
    const isCovered = made.length > 0 && reached.length === 0;
    if (!isCovered && namesThing(row) && !reached.some(({ about }) => about === 'foreign')) unasked.push(routeOf(row));
  }
  return { requests, unasked };
}

const routeOf = ({ path }: PolicyRow): string => `GET ${path}`;

/** Pages that are public hold no data; a public row that names a camera is another matter. */
function isForCustomRoles(row: PolicyRow): boolean {
  const { methods, access, own, writes, path } = row;
  if (own || writes || !methods.some((method) => method === 'GET' || method === 'ANY')) return false;
  if (access === 'public') return path.startsWith('/api/') || namesThing(row);
  return access === 'any' || access === 'camera';
}

/** Their answers are pictures or films of the canary's own camera, which cost the NVR much and tell nothing. */
const COSTLY = /\.(?:mp4|gif)$|\/preview$|\/grid\.jpg$|\/download$|^\/api\/\{\w+\}$/;

function namedRequests(row: PolicyRow, { own, foreign }: Landscape): CanaryRequest[] {
  const ask = (side: Side, about: 'own' | 'foreign'): CanaryRequest[] => {
    const filled = fillPath(row, side);
    if (!filled || filled.named.length === 0) return [];
    const camera = about === 'foreign' ? filled.named[0]?.camera : undefined;
    return [{ row, route: routeOf(row), target: filled.path, about, camera }];
  };
  return [...(COSTLY.test(row.path) ? [] : ask(own, 'own')), ...ask(foreign, 'foreign')];
}

function plainRequests(row: PolicyRow, { own, foreign }: Landscape): CanaryRequest[] {
  const filled = fillPath(row, own);
  if (!filled) return [];
  const all: CanaryRequest = { row, route: routeOf(row), target: filled.path, about: 'all', camera: undefined };
  if (!row.path.startsWith('/api/')) return [all];
  const declared = (row.cameras ?? []).filter(({ source }) => source === 'query');
  const parameters = new Map([...KNOWN_PARAMETERS, ...declared.map(({ name }): [string, string] => [name, ''])]);
  const pairs = [...parameters.keys()].flatMap((name): [string, string][] => {
    const value = parameterOf(name, row.path, foreign);
    return value === undefined ? [] : [[name, value]];
  });
  const isChecked = declared.some(({ name }) => pairs.some(([known]) => known === name));
  const target = `${filled.path}?${new URLSearchParams(pairs)}`;
  return [all, { ...all, target, about: isChecked ? 'foreign' : 'loaded', camera: foreign.camera }];
}

/** Parameters by which some route of the NVR names a camera. */
const KNOWN_PARAMETERS: readonly [string, string][] = ['camera', 'cameras', 'ids', 'event_id', 'src'].map((name) => [
  name,
  '',
]);

function parameterOf(name: string, path: string, { camera, stream, event, review }: Side): string | undefined {
  switch (name) {
    case 'camera':
    case 'cameras':
      return camera;
    case 'src':
      return stream;
    case 'ids':
      return path.includes('review') ? review?.id : event?.id;
    case 'event_id':
      return event?.id;
    default:
      return undefined;
  }
}

const segmentsOf = (target: string): string[] =>
  (target.split('?', 1)[0] ?? '').slice(1).split('/').map(decodeURIComponent);

const isRowOf = (match: ReturnType<ReturnType<typeof compileRouteTable>['match']>, row: PolicyRow): boolean =>
  match.kind === 'listed' && match.row === row;
