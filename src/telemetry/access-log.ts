/** The record of a request while it is handled, and what is logged of it: the access log, one line for each finished request, and the lines for refused and failed requests (SPEC 9). */
import type { Caller } from '../domain/caller.ts';
import { createReminder } from '../domain/clock.ts';
import { actualSender, credentialName } from '../domain/credentials.ts';
import { REFUSALS, type RefusalReason } from '../domain/refusal.ts';
import { type RequestFacts, singleHeader } from '../domain/request.ts';
import { findStoreFault } from '../domain/store/store-fault.ts';
import { maskSecrets } from '../domain/text.ts';
import type { Logs } from './logs/log.ts';
import type { RouteClass, StreamEnd, StreamKind } from './metrics.ts';
import type { RecentFailures } from './recent-failures.ts';

/** A line of a request's head. */
export interface LongLine {
  /** A header, or the words for the request line. */
  readonly name: string;
  readonly bytes: number;
}

export type AccessLog = ReturnType<typeof createAccessLog>;

export function createAccessLog(
  logs: Logs,
  recent: RecentFailures,
  onRefusedAct: (act: ReturnType<typeof refusedAct>) => void = () => {},
) {
  const gate = logs.named('service.gate');
  const access = logs.frequent('service.access');
  const audit = logs.named('service.audit');
  const isDue = createReminder<'line' | 'origin'>();
  return {
    refused(record: RequestRecord, reason: RefusalReason): void {
      const { comparedWith } = record.admission ?? {};
      if (comparedWith && isDue('origin'))
        gate.warn(
          { ...who(record), ...what(record), reason, origin: loggedOrigin(record), comparedWith },
          'a request of a browser page was refused, because its origin is not this service: if it is, let the proxy pass Host on, or set server.public_url',
        );
      else gate.debug({ ...who(record), ...what(record), reason }, REFUSALS[reason].message);
      const { requestId, admission } = record;
      if (!admission?.caller || !REFUSALS[reason].label.startsWith('forbidden')) return;
      const act = refusedAct(record, reason, actualSender(admission.caller));
      audit.info({ ...act, agent: loggedAgent(record), requestId }, 'access');
      onRefusedAct(act);
    },
    failed(record: RequestRecord, reason: RefusalReason): void {
      const { method, path } = what(record);
      recent.noteFailure({ reason, method, path, requestId: record.requestId ?? '' });
      const cause = record.upstreamCause && { cause: record.upstreamCause };
      gate.warn({ requestId: record.requestId, ...what(record), reason, ...cause }, REFUSALS[reason].message);
    },
    fault({ requestId }: RequestRecord, fault: unknown): void {
      if (findStoreFault(fault) && fault instanceof Error)
        gate.warn({ requestId, reason: fault.message }, 'the store failed, and the request got 503: see the reason');
      else
        gate.error(
          { requestId, err: fault },
          'an error in Postern itself, and the request got 500: please report this line',
        );
    },
    /** The client was cut off, because it took nothing of the response for an hour. */
    stalled(record: RequestRecord): void {
      gate.warn(
        { ...who(record), ...what(record), bytes: record.bytesOut },
        'the client took nothing of its response for an hour and was cut off: check for a proxy that reads ahead (docs/troubleshooting.md)',
      );
    },
    /** The NVR refused a head with a line that is longer than many servers take; told once a minute. */
    lineRefused(record: RequestRecord, status: number, { name, bytes }: LongLine): void {
      if (!isDue('line')) return;
      gate.warn(
        { requestId: record.requestId, ...what(record), status, line: name, bytes },
        'the NVR refused a request with a line of more than 8 KB, mostly Cookie or groups: delete cookies of this host, send fewer groups, or raise large_client_header_buffers of the NVR',
      );
    },
    /** The access log; not for assets, of which a page has dozens. */
    answered(record: RequestRecord, end: RequestEnd): void {
      const level = showsPictures(record) && !hasFailed(record, end) ? 'debug' : 'info';
      if (record.route === 'static' || !access.isOn(level)) return;
      access.write(level, accessRecord(record, end), 'answered');
    },
  };
}

/**
 * A picture, a segment or a film: a page polls so many that their lines would fill a disk. Viewings are recorded. An export
 * is one line, and so is a WebSocket.
 */
function showsPictures({ request, described = request, admission }: RequestRecord): boolean {
  const views = admission?.route?.row?.views;
  return (
    views !== undefined && POLLED.includes(views) && SAFE_METHODS.includes(described.method) && !described.isUpgrade
  );
}

const POLLED: readonly string[] = ['live', 'history', 'browse'];
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD'];

/** A client that left is no fault: a page that is scrolled does so all the time. */
const hasFailed = ({ reason, hasUpstreamFailed }: RequestRecord, { status }: RequestEnd): boolean =>
  status >= 400 || reason !== undefined || hasUpstreamFailed;

const LONGEST_LOGGED_PATH = 512;
const LONGEST_AGENT = 200;

/**
 * The path without the query, which may hold a token or the name of a camera. Cut behind the secrets, so that none is cut in
 * two.
 */
const loggedPath = ({ target }: RequestFacts): string => {
  const query = target.indexOf('?');
  const path = target.slice(0, Math.min(query < 0 ? target.length : query, 2 * LONGEST_LOGGED_PATH));
  return maskSecrets(path).slice(0, LONGEST_LOGGED_PATH);
};

const loggedAgent = ({ request, described = request }: RequestRecord): string | undefined => {
  const agent = singleHeader(described, 'user-agent')
    ?.slice(0, 2 * LONGEST_AGENT)
    .toWellFormed();
  return agent && maskSecrets(agent).slice(0, LONGEST_AGENT).toWellFormed();
};

/** The header that the browser sent, and what it says of the page beside it. */
const loggedOrigin = ({ request, described = request }: RequestRecord): string =>
  `${singleHeader(described, 'origin') ?? 'none'}, Sec-Fetch-Site: ${singleHeader(described, 'sec-fetch-site') ?? 'none'}`.slice(
    0,
    LONGEST_AGENT,
  );

const what = ({ request, described = request }: RequestRecord) => ({
  listener: request.listener,
  method: described.method,
  path: loggedPath(described),
});

const who = ({ requestId, admission }: RequestRecord) => ({
  requestId,
  ...callerFields(admission?.caller),
  address: admission?.client.address,
});

/** A request that was refused to a known caller. */
function refusedAct(record: RequestRecord, reason: RefusalReason, { name: who, credential }: Caller) {
  const { method, path } = what(record);
  const by = { who, from: record.admission?.client.address, credential: credentialName(credential) };
  return { what: 'access', ...by, verdict: 'refused', reason, method, path } as const;
}

/** `viewedAs`: an admin saw what that person would get. */
function callerFields(caller: Caller | undefined) {
  if (!caller) return { user: undefined, role: undefined, credential: undefined };
  const { name: user, role, credential } = actualSender(caller);
  const by = { user, role, credential: credentialName(credential) };
  return caller.credential.kind === 'view-as' ? { ...by, viewedAs: caller.name } : by;
}

/** Fields in one order, each line with the same shape: built once, for every request. */
function accessRecord(record: RequestRecord, { status, isWhole, seconds }: RequestEnd) {
  const { request, route, described, admission, reason, headAt, askedAt, requestId, bytesOut } = record;
  const caller = admission?.caller;
  return {
    requestId,
    traceparent: traceParent(request),
    listener: request.listener,
    method: request.method,
    route,
    path: loggedPath(request),
    asked: described && `${described.method} ${loggedPath(described)}`,
    status,
    aborted: isWhole ? undefined : true,
    reason,
    bytes: bytesOut,
    ms: hundredths(seconds * 1000),
    upstreamMs: headAt === undefined || askedAt === undefined ? undefined : hundredths(headAt - askedAt),
    ...callerFields(caller),
    address: admission?.client.address ?? request.peer,
  };
}

const hundredths = (value: number): number => Math.round(value * 100) / 100;

/** W3C Trace Context 3.2: version, trace, parent, flags; neither may be all zeros, and there is no version ff. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export function traceParent(request: RequestFacts): string | undefined {
  if (request.headers['traceparent'] === undefined) return undefined;
  const sent = singleHeader(request, 'traceparent');
  return sent !== undefined && TRACEPARENT.test(sent) ? sent : undefined;
}

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
