/** Where an admitted request is sent: to the events backend, the NVR, or an upstream of `nvr.routes`. */
import { compileRouteTable } from '../../access/route-table.ts';
import type { Upstream, UpstreamRoute } from '../../domain/addresses/socket-address.ts';
import type { RequestTarget } from '../../domain/request.ts';

export interface DestinationRules {
  /** Undefined when the NVR serves events itself. */
  readonly eventsBackend: Upstream | undefined;
  /** Whether the NVR keeps the pictures of events as files, which the backend that reads its database does not have. */
  readonly hasNvrPictures?: boolean;
  readonly nvr: Upstream | undefined;
  /** Longest prefix first. */
  readonly routes: readonly UpstreamRoute[];
}

export type Destination =
  | { readonly kind: 'events-backend'; readonly upstream: Upstream }
  | { readonly kind: 'nvr'; readonly upstream: Upstream }
  | { readonly kind: 'none' };

const PICTURE_PATH = '/api/events/{id}/thumbnail.{extension}';
/** The paths that the events backend serves (SPEC 7); semantic search stays with the NVR. */
// biome-ignore format: a table
const EVENTS_PATHS: readonly string[] = [
  '/api/events', '/api/events/{id}', '/api/events/summary', '/api/events/explore', '/api/events/counts',
  PICTURE_PATH, '/api/event_ids', '/api/labels', '/api/sub_labels', '/api/recognized_license_plates',
];
/** Postern's own: no NVR is asked. */
const OWN_PATHS: readonly string[] = ['/api/events/changes', '/api/zones'];
const NVR_ONLY = '/api/events/search';

const eventsTable = compileRouteTable([
  { methods: ['GET'], path: NVR_ONLY, access: 'none', line: 0 },
  ...[...EVENTS_PATHS, ...OWN_PATHS].map((path) => ({ methods: ['GET'], path, access: 'any' as const, line: 0 })),
]);

export function destinationOf(method: string, target: RequestTarget, rules: DestinationRules): Destination {
  const { eventsBackend } = rules;
  if (eventsBackend && isEventsPath(method, target, rules)) return { kind: 'events-backend', upstream: eventsBackend };
  if (OWN_PATHS.includes(target.path)) return { kind: 'none' };
  const upstream = upstreamAt(target.path, rules);
  return upstream ? { kind: 'nvr', upstream } : { kind: 'none' };
}

/** The server of `nvr.routes` whose prefix a path has, else the NVR. */
export const upstreamAt = (
  path: string,
  { routes, nvr }: Pick<DestinationRules, 'routes' | 'nvr'>,
): Upstream | undefined =>
  routes.find(({ prefix }) => path === prefix || path.startsWith(`${prefix}/`))?.upstream ?? nvr;

function isEventsPath(method: string, target: RequestTarget, { hasNvrPictures, nvr }: DestinationRules): boolean {
  const match = eventsTable.match(method, target.segments);
  if (match.kind !== 'listed' || match.row.access !== 'any') return false;
  return !(hasNvrPictures && nvr && match.row.path === PICTURE_PATH);
}
