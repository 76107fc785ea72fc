/** Counts each request from its head to its last byte (SPEC 9). */

import { maySee } from '../domain/camera-scope.ts';
import { actualSender, credentialMode } from '../domain/credentials.ts';
import { REFUSALS, type RefusalReason, refusalKind } from '../domain/refusal.ts';
import type { RequestFacts } from '../domain/request.ts';
import { attempt } from '../domain/result.ts';
import { findStoreFault } from '../domain/store/store-fault.ts';
import type { AccessLog, LongLine } from './access-log.ts';
import { classifyRoute, type RecordedAdmission, type RequestEnd, RequestRecord } from './access-log.ts';
import type { AddressSource, CodeClass, Metrics, StreamEnd, StreamKind, UpstreamFault } from './metrics.ts';

export function watchGate(deps: GateWatchDeps) {
  const { metrics, ticks } = deps;
  const sockets = createSocketCount((read, written) => {
    metrics.bytes.add(read, 'in', 'ws');
    metrics.bytes.add(written, 'out', 'ws');
  });
  return {
    /** Counts WebSockets that may be open for days: called before each scrape. */
    countOpenSockets: sockets.countAll,
    /** The head of a request is there. `socket` is an upgrade's, whose bytes are counted while it is open. */
    onRequest(request: RequestFacts, socket?: CountedSocket): RequestWatch {
      const record = new RequestRecord(request, classifyRoute(request.target, request.isUpgrade), ticks());
      const stopCounting = socket && sockets.begin(socket);
      return new WatchedRequest(record, deps, stopCounting);
    },
  };
}

/** What the gate reports to metrics and logs: each request, from its head to its last byte (SPEC 9). */
export type GateWatch = Pick<ReturnType<typeof watchGate>, 'onRequest'>;

/** What is told of a request. */
export type RequestWatch = Pick<WatchedRequest, keyof WatchedRequest>;

/** What the gate tells of an end. */
export interface EndedRequest {
  /** Undefined when the response of the NVR was passed on unread, or there was none. */
  readonly status: number | undefined;
  /** Whether the client got all of it. */
  readonly isWhole: boolean;
  /** Bytes of a response body that were not counted by `onBytes`. */
  readonly bytes: number;
  /** The client was cut off, because it took nothing of the response for an hour. */
  readonly isStalled?: boolean;
}

/** What servers answer to a head that is too long for them; nginx says 400, or 414 of a target. */
const REFUSES_HEADS: readonly number[] = [400, 414, 431];

/** Characters of the sentence for what went wrong: some libraries put what they received into it. */
const LONGEST_CAUSE = 200;

/** A class, so that its methods are not made anew for each request. `stopCounting` gives the bytes that an upgraded socket has sent. */
export class WatchedRequest {
  readonly #record: RequestRecord;
  readonly #deps: GateWatchDeps;
  readonly #stopCounting: (() => number | undefined) | undefined;

  constructor(record: RequestRecord, deps: GateWatchDeps, stopCounting: (() => number | undefined) | undefined) {
    this.#record = record;
    this.#deps = deps;
    this.#stopCounting = stopCounting;
  }

  /** `described` is the request that a proxy in front described, where it is not the one that came. */
  onDecision(admission: RecordedAdmission, requestId: string, described?: RequestFacts): void {
    const record = this.#record;
    record.admission = admission;
    record.requestId = requestId;
    record.described = described;
    record.reason = admission.reason;
    countDecision(record, admission, this.#deps);
    if (admission.reason) this.#deps.log.refused(record, admission.reason);
  }

  /** Found out only on the way to the NVR, but a refusal all the same. */
  onRefusal(reason: RefusalReason): void {
    this.#record.reason = reason;
    countResult(this.#record, reason, this.#deps);
    this.#deps.log.refused(this.#record, reason);
  }

  /** An admitted request got no response of its upstream. */
  onFailure(reason: RefusalReason): void {
    const record = this.#record;
    const { metrics, log } = this.#deps;
    record.reason = reason;
    record.hasUpstreamFailed = true;
    metrics.upstreamErrors.add(1, classifyFault(reason, record.upstreamCode));
    if (record.headAt === undefined) metrics.upstreamRequests.add(1, 'none');
    log.failed(record, reason);
  }

  onFault(fault: unknown): void {
    this.#deps.metrics.ownErrors.add(1, findStoreFault(fault) ? 'store' : 'internal');
    this.#deps.log.fault(this.#record, fault);
  }

  /** The NVR has a response for a path that the route table does not list. */
  onUnknownRoute(): void {
    this.#deps.metrics.unknownRoutes.add(1);
  }

  onAsked(): void {
    this.#record.askedAt = this.#deps.ticks();
  }

  onHead(status: number, type = ''): void {
    const record = this.#record;
    const { metrics, ticks } = this.#deps;
    record.headAt = ticks();
    record.headStatus = status;
    metrics.upstreamRequests.add(1, classifyCode(status));
    metrics.upstreamDuration.observe((record.headAt - (record.askedAt ?? record.headAt)) / 1000, record.route);
    record.streamKind = classifyStream(status, type);
    if (record.streamKind) metrics.streamsOpen.add(1, record.streamKind);
    const long = REFUSES_HEADS.includes(status) ? longLine(record.request) : undefined;
    if (long) this.#deps.log.lineRefused(record, status, long);
  }

  /** Counts bytes of a body on their way to the client. */
  onBytes(bytes: number): void {
    this.#record.bytesOut += bytes;
    this.#deps.metrics.bytes.add(bytes, 'out', this.#record.route);
  }

  /** Counts bytes of a body without an announced length, on their way to the NVR. */
  onUploaded(bytes: number): void {
    this.#deps.metrics.bytes.add(bytes, 'in', this.#record.route);
  }

  /** Node's code for what went wrong, and its sentence for the log. A failure follows. */
  onUpstreamError(code: string, sentence?: string): void {
    this.#record.upstreamCode = code;
    this.#record.upstreamCause = sentence?.slice(0, LONGEST_CAUSE);
  }

  /** The upstream broke off in the middle of its response; Node's code for how. */
  onCut(code: string): void {
    const { by, fault } = classifyCut(code);
    this.#record.hasUpstreamFailed = true;
    this.#record.endedBy ??= by;
    this.#deps.metrics.upstreamErrors.add(1, fault);
  }

  /** What ended a WebSocket, or a response before it was whole. Only the first call counts. */
  onEndedBy(by: StreamEnd): void {
    this.#record.endedBy ??= by;
  }

  /** The last byte is out, or the client is gone. */
  onEnd({ status, isWhole, bytes, isStalled = false }: EndedRequest): void {
    const record = this.#record;
    const { log, ticks } = this.#deps;
    const seconds = (ticks() - record.startedAt) / 1000;
    const end = { status: status ?? record.headStatus ?? 0, isWhole, seconds };
    if (isStalled) {
      record.endedBy ??= 'idle';
      log.stalled(record);
    }
    countEnd(record, end, bytes, this.#deps);
    record.bytesOut = this.#stopCounting?.() ?? record.bytesOut;
    log.answered(record, end);
  }
}

/** Bytes of a line that the web server of an NVR takes (nginx: `large_client_header_buffers`). */
const MOST_LINE_BYTES = 8 * 1024;

/** The first line of a head that is longer. The session cookie and what else is ours goes no further, and counts here all the same. */
function longLine({ target, rawHeaders }: RequestFacts): LongLine | undefined {
  if (target.length > MOST_LINE_BYTES) return { name: 'the request line', bytes: target.length };
  const at = rawHeaders.findIndex((text) => text.length > MOST_LINE_BYTES);
  return at < 0 ? undefined : { name: rawHeaders[at - 1] ?? '', bytes: rawHeaders[at]?.length ?? 0 };
}

/** The kind of stream by status and media type; undefined for a response that is no stream. */
function classifyStream(status: number, type: string): StreamKind | undefined {
  if (status === 101) return 'ws';
  if (type.startsWith('multipart/x-mixed-replace')) return 'mjpeg';
  return type.startsWith('text/event-stream') ? 'sse' : undefined;
}

function countEnd(record: RequestRecord, end: RequestEnd, bytes: number, { metrics }: GateWatchDeps): void {
  const { request, route, streamKind } = record;
  const code = end.isWhole && end.status > 0 ? classifyCode(end.status) : 'aborted';
  metrics.requests.add(1, route, request.method, code);
  if (record.bytesOut === 0 && end.isWhole && bytes > 0) {
    record.bytesOut = bytes;
    metrics.bytes.add(bytes, 'out', route);
  }
  if (end.isWhole) metrics.bytes.add(Number(request.headers['content-length'] ?? 0), 'in', route);
  if (streamKind) {
    countStreamEnd(record, streamKind, end, metrics);
    return;
  }
  metrics.requestDuration.observe(end.seconds, route, code);
  if (record.askedAt === undefined || record.hasUpstreamFailed || end.isWhole) return;
  metrics.upstreamErrors.add(1, 'aborted_by_client');
  if (record.headAt === undefined) metrics.upstreamRequests.add(1, 'none');
}

function countStreamEnd({ endedBy }: RequestRecord, kind: StreamKind, { isWhole }: RequestEnd, metrics: Metrics): void {
  metrics.streamsOpen.add(-1, kind);
  metrics.streamsClosed.add(1, kind, endedBy ?? (isWhole ? 'backend' : 'client'));
}

export interface CountedSocket {
  readonly bytesRead: number;
  readonly bytesWritten: number;
}

/** Counts the bytes of WebSockets at each scrape, not only at their end: they may be open for days. */
function createSocketCount(onBytes: (read: number, written: number) => void) {
  const open = new Set<() => void>();
  return {
    /** Counts the socket from here on. The function ends that, and gives the bytes written in all. */
    begin(socket: CountedSocket): () => number {
      const before = socket.bytesWritten;
      let { bytesRead, bytesWritten } = socket;
      const count = (): void => {
        onBytes(socket.bytesRead - bytesRead, socket.bytesWritten - bytesWritten);
        ({ bytesRead, bytesWritten } = socket);
      };
      open.add(count);
      return () => {
        count();
        open.delete(count);
        return bytesWritten - before;
      };
    },
    countAll(): void {
      for (const count of open) count();
    },
  };
}

/** Status codes as label values; no answer at all is `none`. */
const classifyCode = (status: number): Exclude<CodeClass, 'aborted'> => CODE_CLASS[Math.floor(status / 100)] ?? '5xx';

const CODE_CLASS = ['5xx', '1xx', '2xx', '3xx', '4xx'] as const;

// biome-ignore format: a table
const FAULT_OF_CODE: ReadonlyMap<string, UpstreamFault> = new Map([
  ['ECONNREFUSED', 'refused'], ['ENOENT', 'refused'], ['EHOSTUNREACH', 'refused'], ['ENETUNREACH', 'refused'],
  ['ETIMEDOUT', 'timeout'],    ['ECONNECT_TIMEOUT', 'timeout'],
  ['ECONNRESET', 'reset'],     ['EPIPE', 'reset'],
  ['ENOTFOUND', 'dns'],        ['EAI_AGAIN', 'dns'],
  ['EPROTO', 'tls'],           ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls'], ['SELF_SIGNED_CERT_IN_CHAIN', 'tls'],
]);
const TLS_CODE = /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_)/;

/** Why the NVR did not answer: by what was decided, else by Node's code for it. */
function classifyFault(reason: RefusalReason, code: string): UpstreamFault {
  const kind = refusalKind(reason);
  if (kind !== undefined && kind !== 'of-person') return kind;
  if (code.startsWith('HPE_')) return 'bad_answer';
  return FAULT_OF_CODE.get(code) ?? (TLS_CODE.test(code) ? 'tls' : 'other');
}

/** Why an answer was cut off: by Node's code for it. */
function classifyCut(code: string): { readonly by: StreamEnd; readonly fault: UpstreamFault } {
  if (code === 'ERR_UPSTREAM_IDLE') return { by: 'idle', fault: 'timeout' };
  return code.startsWith('HPE_') ? { by: 'error', fault: 'bad_answer' } : { by: 'backend', fault: 'reset' };
}

/** Counts decisions: by kind of credential, by how the client address was found, and by result (SPEC 9). */
interface GateWatchDeps {
  readonly metrics: Metrics;
  readonly log: AccessLog;
  readonly sessions: ActiveSessions;
  /** Milliseconds of a clock that only goes forward. */
  readonly ticks: () => number;
  /** Names of headers that carry an identity beside `remote-…`, in lower case. */
  readonly trustedHeaders: { readonly current: { readonly names: ReadonlySet<string> } };
  /** Whether identity headers are this client's to send: that of a trusted proxy. */
  readonly maySendIdentity: (request: RequestFacts) => boolean;
}

function countDecision(record: RequestRecord, admission: RecordedAdmission, deps: GateWatchDeps): void {
  const { metrics, sessions, ticks } = deps;
  const { request, startedAt } = record;
  const now = ticks();
  countResult(record, admission.reason, deps);
  const wasNvrAsked = admission.obligations?.owners !== undefined || admission.reason === 'camera-not-in-role';
  if (!wasNvrAsked) metrics.decisionDuration.observe((now - startedAt) / 1000, credentialMode(admission.caller));
  metrics.clientAddresses.add(1, addressSource(request, admission));
  countClaims(request, deps);
  const caller = admission.caller && actualSender(admission.caller);
  if (caller?.credential.kind === 'session') sessions.seen(caller.credential.tokenId, caller.role, now);
}

function countResult(
  { request, admission }: RequestRecord,
  reason: RefusalReason | undefined,
  deps: GateWatchDeps,
): void {
  const { metrics } = deps;
  metrics.decisions.add(1, credentialMode(admission?.caller), reason ? REFUSALS[reason].label : 'allow');
  const caller = admission?.caller;
  if (reason !== 'camera-not-in-role' || !caller) return;
  const { isKnown, count } = metrics.cameraDenials;
  count(
    deniedCamera(request.target, isKnown, (name) => maySee(caller.scope, name)),
    caller.role,
  );
}

function addressSource({ headers, peer }: RequestFacts, { client }: RecordedAdmission): AddressSource {
  if (headers['x-forwarded-for'] === undefined) return 'direct';
  if (!client.viaTrustedProxy) return 'untrusted_header';
  return client.address === peer ? 'malformed' : 'forwarded';
}

/** The headers are removed before forwarding in any case; this counts the attempts. */
function countClaims(request: RequestFacts, { metrics, trustedHeaders, maySendIdentity }: GateWatchDeps): void {
  const { names } = trustedHeaders.current;
  for (const name in request.headers) {
    if (!(name.startsWith('remote-') || names.has(name)) || maySendIdentity(request)) continue;
    metrics.strippedHeaders.add(1, name);
  }
}

/** The first known camera in path or query that `maySee` does not hold. */
function deniedCamera(
  target: string,
  isKnown: (name: string) => boolean,
  maySee: (name: string) => boolean,
): string | undefined {
  const [path = '', query = ''] = target.split('?', 2);
  const values = [...new URLSearchParams(query).values()].flatMap((value) => value.split(','));
  const segments = path.split('/').map((segment) => attempt(() => decodeURIComponent(segment)) ?? segment);
  return [...segments, ...values].find((name) => isKnown(name) && !maySee(name));
}

const ACTIVE_MS = 5 * 60_000;
/** Tokens are checked before they are seen here; even so there is a ceiling. */
const MOST_SESSIONS = 50_000;

type ActiveSessions = ReturnType<typeof createActiveSessions>;

/** Counts sessions seen in the last five minutes, by role; no user name is kept. `now` is in milliseconds, of any clock that does not go back. */
export function createActiveSessions() {
  const sessions = new Map<string, { role: string; at: number }>();
  return {
    seen(sessionId: string, role: string, now: number): void {
      const known = sessions.get(sessionId);
      if (known) {
        known.role = role;
        known.at = now;
      } else if (sessions.size < MOST_SESSIONS) sessions.set(sessionId, { role, at: now });
    },
    countByRole(now: number): ReadonlyMap<string, number> {
      const counts = new Map<string, number>();
      for (const [id, { role, at }] of sessions) {
        if (at <= now - ACTIVE_MS) sessions.delete(id);
        else counts.set(role, (counts.get(role) ?? 0) + 1);
      }
      return counts;
    },
  };
}
