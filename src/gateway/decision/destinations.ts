/** Where an admitted request is sent: to the events backend, the NVR, or an upstream of `nvr.routes`. */
import { compileRouteTable, type RouteTable } from '../../access/route-table.ts';
import { isBelow, type Upstream, type UpstreamRoute } from '../../domain/addresses.ts';
import { BACKEND_PATHS, PICTURE_PATH, POSTERNS_PATHS } from '../../domain/events/event-paths.ts';
import type { RequestTarget } from '../../domain/request.ts';

export interface DestinationRules {
  /** Undefined when the NVR serves events itself. */
  readonly eventsBackend: Upstream | undefined;
  /** Those of the events backend; absent: the NVR has none of its own among them. */
  readonly eventPaths?: RouteTable;
  /** Whether the NVR keeps the pictures of events as files, which the backend that reads its database does not have. */
  readonly hasNvrPictures?: boolean;
  readonly nvr: Upstream | undefined;
  /** Longest prefix first. */
  readonly routes: readonly UpstreamRoute[];
}

export interface Destination {
  readonly kind: 'events-backend' | 'nvr';
  readonly upstream: Upstream;
}

/** The paths of the events backend as a table, without those of the NVR alone, such as its search. */
export const eventPaths = (atNvr: readonly string[]): RouteTable =>
  compileRouteTable([
    ...atNvr.map((path) => ({ methods: ['GET'], path, access: 'none' as const, line: 0 })),
    ...BACKEND_PATHS.map((path) => ({ methods: ['GET'], path, access: 'any' as const, line: 0 })),
  ]);

const ALL_PATHS = eventPaths([]);

/** Undefined where nothing serves the path. */
export function findDestination(
  method: string,
  target: RequestTarget,
  rules: DestinationRules,
): Destination | undefined {
  const { eventsBackend } = rules;
  if (eventsBackend && isEventsPath(method, target, rules)) return { kind: 'events-backend', upstream: eventsBackend };
  const upstream = POSTERNS_PATHS.includes(target.path) ? undefined : upstreamAt(target.path, rules);
  return upstream && { kind: 'nvr', upstream };
}

/** The server of `nvr.routes` whose prefix a path has, else the NVR. */
export const upstreamAt = (
  path: string,
  { routes, nvr }: Pick<DestinationRules, 'routes' | 'nvr'>,
): Upstream | undefined => routes.find(({ prefix }) => isBelow(path, prefix))?.upstream ?? nvr;

function isEventsPath(
  method: string,
  target: RequestTarget,
  { eventPaths: paths = ALL_PATHS, hasNvrPictures, nvr }: DestinationRules,
): boolean {
  const match = paths.match(method, target.segments);
  if (match.kind !== 'listed' || match.row.access !== 'any') return false;
  return !(hasNvrPictures && nvr && match.row.path === PICTURE_PATH);
}
