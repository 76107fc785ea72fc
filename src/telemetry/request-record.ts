/** The record of one request while it is handled: what is counted and logged of it (SPEC 9). */
import type { Caller } from '../domain/caller.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import type { RequestFacts } from '../domain/request.ts';
import type { RouteClass, StreamEnd, StreamKind } from './metric-labels.ts';

/** The fields of an admission that are counted and logged. */
export interface RecordedAdmission {
  readonly kind: 'admitted' | 'nothing-visible' | 'refused';
  readonly client: { readonly address: string; readonly viaTrustedProxy: boolean };
  readonly caller: Caller | undefined;
  readonly reason?: RefusalReason;
  /** `views` of the row says what the response shows. */
  readonly route?: { readonly kind: string; readonly row?: { readonly views?: string } };
  /** What the header `Origin` was compared with. */
  readonly comparedWith?: readonly string[] | undefined;
  /** The obligations. With `owners` the NVR was asked for the cameras of the ids, so the decision time includes its answer. */
  readonly obligations?: { readonly owners?: readonly unknown[] };
}

/** Times are milliseconds of a clock that only goes forward. */
export class RequestRecord {
  readonly request: RequestFacts;
  readonly route: RouteClass;
  readonly startedAt: number;
  requestId: string | undefined;
  /** What a proxy in front described, where that was judged. */
  described: RequestFacts | undefined;
  admission: RecordedAdmission | undefined;
  /** Why it was refused or could not be answered. */
  reason: RefusalReason | undefined;
  askedAt: number | undefined;
  headAt: number | undefined;
  headStatus: number | undefined;
  /** Node's code for what went wrong upstream. */
  upstreamCode = '';
  /** Node's sentence for it. */
  upstreamCause: string | undefined;
  hasUpstreamFailed = false;
  bytesOut = 0;
  streamKind: StreamKind | undefined;
  endedBy: StreamEnd | undefined;

  constructor(request: RequestFacts, route: RouteClass, startedAt: number) {
    this.request = request;
    this.route = route;
    this.startedAt = startedAt;
  }
}

export interface RequestEnd {
  readonly status: number;
  /** Whether the client got all of it. */
  readonly isWhole: boolean;
  readonly seconds: number;
}

/** The kind of route of a request, as a metric label: ten kinds, so no request can make a new series (SPEC 9). */
// biome-ignore format: a table
const WHOLE_PATHS: ReadonlyMap<string, RouteClass> = new Map([
  ['/login', 'login'],   ['/api/login', 'login'],
  ['/logout', 'logout'], ['/api/logout', 'logout'],
  ['/auth', 'auth'],     ['/api/auth', 'auth'],
  ['/api/profile', 'profile'],
  ['/api/events/changes', 'live'],
]);

// biome-ignore format: a table
const FIRST_SEGMENTS: ReadonlyMap<string, RouteClass> = new Map([
  ['api', 'api'],       ['live', 'live'],
  ['vod', 'media'],     ['clips', 'media'],  ['recordings', 'media'], ['exports', 'media'],
  ['assets', 'static'], ['fonts', 'static'], ['images', 'static'],    ['locales', 'static'], ['notifications-worker.js', 'static'],
]);

const OWN_ASSETS = '/postern/assets/';
/** The NVR's pictures and films, and its front end's own files. */
const PICTURE = /\.(?:jpe?g|png|webp|gif|mp4)$/i;
const FILE_AT_ROOT = /^\/[^/]+\.[a-z0-9]+$/i;

export function classifyRoute(target: string, isUpgrade: boolean): RouteClass {
  if (isUpgrade) return 'ws';
  const query = target.indexOf('?');
  const path = query < 0 ? target : target.slice(0, query);
  const whole = WHOLE_PATHS.get(path);
  if (whole) return whole;
  const slash = path.indexOf('/', 1);
  const kind = FIRST_SEGMENTS.get(path.slice(1, slash < 0 ? path.length : slash));
  if (kind === 'api') return PICTURE.test(path) ? 'media' : 'api';
  if (kind) return kind;
  return path.startsWith(OWN_ASSETS) || FILE_AT_ROOT.test(path) ? 'static' : 'other';
}
