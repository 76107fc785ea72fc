/** The requests of a round: every GET row of the route table that a custom role may ask, with its parameters filled in. */
import type { CanarySeeds, SeedParameter } from '../access/canary-seeds.ts';
import { compileRouteTable } from '../access/route-table.ts';
import type { PolicyRow } from '../domain/policy/policy.ts';
import { fillPath, namesThing } from './fill-path.ts';
import type { Landscape, Side } from './landscape.ts';

export interface CanaryRequest {
  readonly row: PolicyRow;
  /** A method and a path, as the table writes them. */
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

export function canaryRequestsOf(rows: readonly PolicyRow[], landscape: Landscape, seeds: CanarySeeds): CanaryRequests {
  const table = compileRouteTable(rows);
  const requests: CanaryRequest[] = [];
  const unasked: string[] = [];
  for (const row of rows.filter((one) => isForCustomRoles(one, seeds))) {
    const isNaming = namesThing(row, seeds);
    const made = isNaming ? namedRequests(row, landscape, seeds) : plainRequests(row, landscape, seeds);
    const reached = made.filter(({ target }) => isRowOf(table.match('GET', segmentsOf(target)), row));
    requests.push(...reached);
    // Of a row that another one covers nothing is said: no request reaches it.
    const isCovered = made.length > 0 && reached.length === 0;
    if (!isCovered && isNaming && !reached.some(({ about }) => about === 'foreign')) unasked.push(routeOf(row));
  }
  return { requests, unasked };
}

const routeOf = ({ path }: PolicyRow): string => `GET ${path}`;

/** Pages that are public hold no data; a public row that names a camera is another matter. */
function isForCustomRoles(row: PolicyRow, seeds: CanarySeeds): boolean {
  const { methods, access, own, writes, path } = row;
  if (own || writes || !methods.some((method) => method === 'GET' || method === 'ANY')) return false;
  if (access === 'public') return path.startsWith('/api/') || namesThing(row, seeds);
  return access === 'any' || access === 'camera';
}

function namedRequests(row: PolicyRow, { own, foreign }: Landscape, seeds: CanarySeeds): CanaryRequest[] {
  const ask = (side: Side, about: 'own' | 'foreign'): CanaryRequest[] => {
    const filled = fillPath(row, side, seeds);
    if (!filled || filled.named.length === 0) return [];
    const camera = about === 'foreign' ? filled.named[0]?.camera : undefined;
    return [{ row, route: routeOf(row), target: filled.path, about, camera }];
  };
  return [...(seeds.costly.test(row.path) ? [] : ask(own, 'own')), ...ask(foreign, 'foreign')];
}

function plainRequests(row: PolicyRow, { own, foreign }: Landscape, seeds: CanarySeeds): CanaryRequest[] {
  const filled = fillPath(row, own, seeds);
  if (!filled) return [];
  const all: CanaryRequest = { row, route: routeOf(row), target: filled.path, about: 'all', camera: undefined };
  if (!row.path.startsWith('/api/')) return [all];
  const declared = (row.cameras ?? []).filter(({ source }) => source === 'query');
  const names = new Set([...seeds.parameters.map(({ name }) => name), ...declared.map(({ name }) => name)]);
  const pairs = [...names].flatMap((name): [string, string][] => {
    const known = seeds.parameters.find((one) => one.name === name && row.path.includes(one.in ?? ''));
    const value = known && parameterValue(known, foreign);
    return value === undefined ? [] : [[name, value]];
  });
  const isChecked = declared.some(({ name }) => pairs.some(([known]) => known === name));
  const target = `${filled.path}?${new URLSearchParams(pairs)}`;
  return [all, { ...all, target, about: isChecked ? 'foreign' : 'loaded', camera: foreign.camera }];
}

function parameterValue({ of }: SeedParameter, side: Side): string | undefined {
  return of === 'camera' || of === 'stream' ? side[of] : side[of]?.id;
}

const segmentsOf = (target: string): string[] =>
  (target.split('?', 1)[0] ?? '').slice(1).split('/').map(decodeURIComponent);

const isRowOf = (match: ReturnType<ReturnType<typeof compileRouteTable>['match']>, row: PolicyRow): boolean =>
  match.kind === 'listed' && match.row === row;
