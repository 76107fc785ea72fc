/** What the gate does, counted: each request from its head to its last byte (SPEC 9). */
import type { RefusalReason } from '../domain/refusal.ts';
import type { RequestFacts } from '../domain/request.ts';
import { storeFaultOf } from '../domain/store-fault.ts';
import { countDecision, countResult, type GateWatchDeps } from './count-decision.ts';
import { codeClassOf, cutOf, upstreamFaultOf } from './decision-results.ts';
import type { StreamEnd, StreamKind } from './metric-labels.ts';
import type { Metrics } from './metrics.ts';
import { type Judged, type Passing, type PassingEnd, passingOf } from './passing.ts';
import { routeClassOf } from './route-class.ts';
import { type CountedSocket, createSocketCount } from './socket-count.ts';

export function watchGate(parts: GateWatchDeps) {
  const { metrics, ticks } = parts;
  const sockets = createSocketCount((read, written) => {
    metrics.bytes.add(read, 'in', 'ws');
    metrics.bytes.add(written, 'out', 'ws');
  });
  return {
    /** Of WebSockets that may be open for days: called before each scrape. */
    countOpenSockets: sockets.countAll,
    onRequest(request: RequestFacts, socket?: CountedSocket) {
      const passing = passingOf(request, routeClassOf(request.target, request.isUpgrade), ticks());
      const stopCounting = socket && sockets.begin(socket);
      return watchRequest(passing, parts, () => stopCounting?.());
    },
  };
}

/** Characters of the sentence for what went wrong: some libraries put what they received into it. */
const LONGEST_CAUSE = 200;

/** `stopCounting` gives the bytes that an upgraded socket has sent. */
function watchRequest(passing: Passing, parts: GateWatchDeps, stopCounting: () => number | undefined) {
  const { metrics, log, ticks } = parts;
  return {
    onDecision(admission: Judged, requestId: string, described?: RequestFacts): void {
      Object.assign(passing, { admission, requestId, described, reason: admission.reason });
      countDecision(passing, admission, parts);
      if (admission.reason) log.refused(passing, admission.reason);
    },
    onRefusal(reason: RefusalReason): void {
      passing.reason = reason;
      countResult(passing, reason, parts);
      log.refused(passing, reason);
    },
    onFailure(reason: RefusalReason): void {
      passing.reason = reason;
      passing.hasUpstreamFailed = true;
      metrics.upstreamErrors.add(1, upstreamFaultOf(reason, passing.upstreamCode));
      if (passing.headAt === undefined) metrics.upstreamRequests.add(1, 'none');
      log.failed(passing, reason);
    },
    onFault(fault: unknown): void {
      metrics.ownErrors.add(1, storeFaultOf(fault) ? 'store' : 'internal');
      log.fault(passing, fault);
    },
    onUnknownRoute: (): void => metrics.unknownRoutes.add(1),
    onAsked(): void {
      passing.askedAt = ticks();
    },
    onHead(status: number, type = ''): void {
      passing.headAt = ticks();
      passing.headStatus = status;
      metrics.upstreamRequests.add(1, codeClassOf(status));
      metrics.upstreamDuration.observe((passing.headAt - (passing.askedAt ?? passing.headAt)) / 1000, passing.route);
      passing.streamKind = streamKindOf(status, type);
      if (passing.streamKind) metrics.streamsOpen.add(1, passing.streamKind);
    },
    onBytes(bytes: number): void {
      passing.bytesOut += bytes;
      metrics.bytes.add(bytes, 'out', passing.route);
    },
    onUploaded: (bytes: number): void => metrics.bytes.add(bytes, 'in', passing.route),
    onUpstreamError(code: string, sentence?: string): void {
      passing.upstreamCode = code;
      passing.upstreamCause = sentence?.slice(0, LONGEST_CAUSE);
    },
    onCut(code: string): void {
      const { by, fault } = cutOf(code);
      passing.hasUpstreamFailed = true;
      passing.endedBy ??= by;
      metrics.upstreamErrors.add(1, fault);
    },
    onEndedBy(by: StreamEnd): void {
      passing.endedBy ??= by;
    },
    onEnd({ status, isWhole, bytes }: { status: number | undefined; isWhole: boolean; bytes: number }): void {
      const seconds = (ticks() - passing.startedAt) / 1000;
      const end = { status: status ?? passing.headStatus ?? 0, isWhole, seconds };
      countEnd(passing, end, bytes, parts);
      passing.bytesOut = stopCounting() ?? passing.bytesOut;
      log.answered(passing, end);
    },
  };
}

/** What is over when its head is there has no kind. A film without a length is live. */
function streamKindOf(status: number, type: string): StreamKind | undefined {
  if (status === 101) return 'ws';
  if (type.startsWith('multipart/x-mixed-replace')) return 'mjpeg';
  return type.startsWith('text/event-stream') ? 'sse' : undefined;
}

function countEnd(passing: Passing, end: PassingEnd, bytes: number, { metrics }: GateWatchDeps): void {
  const { request, route, streamKind } = passing;
  const code = end.isWhole && end.status > 0 ? codeClassOf(end.status) : 'aborted';
  metrics.requests.add(1, route, request.method, code);
  if (passing.bytesOut === 0 && end.isWhole && bytes > 0) {
    passing.bytesOut = bytes;
    metrics.bytes.add(bytes, 'out', route);
  }
  if (end.isWhole) metrics.bytes.add(Number(request.headers['content-length'] ?? 0), 'in', route);
  if (streamKind) {
    countStreamEnd(passing, streamKind, end, metrics);
    return;
  }
  metrics.requestDuration.observe(end.seconds, route, code);
  if (passing.askedAt === undefined || passing.hasUpstreamFailed || end.isWhole) return;
  metrics.upstreamErrors.add(1, 'aborted_by_client');
  if (passing.headAt === undefined) metrics.upstreamRequests.add(1, 'none');
}

function countStreamEnd(
  { endedBy }: Passing,
  kind: StreamKind,
  { isWhole, seconds }: PassingEnd,
  metrics: Metrics,
): void {
  metrics.streamsOpen.add(-1, kind);
  metrics.streamsClosed.add(1, kind, endedBy ?? (isWhole ? 'backend' : 'client'));
  metrics.streamDuration.observe(seconds, kind);
}
