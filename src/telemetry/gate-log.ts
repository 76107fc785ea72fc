/** What the gate does, as log lines: one for each finished request, and one for each that went wrong (SPEC 9). */
import { REFUSALS, type RefusalReason } from '../domain/refusal.ts';
import { type RequestFacts, singleHeader } from '../domain/request.ts';
import { storeFaultOf } from '../domain/store-fault.ts';
import { DECISION_OF_REASON } from './decision-results.ts';
import type { Logs } from './log.ts';
import type { Passing, PassingEnd } from './passing.ts';
import type { Recent } from './recent.ts';

export interface GateLog {
  refused(passing: Passing, reason: RefusalReason): void;
  failed(passing: Passing, reason: RefusalReason): void;
  fault(passing: Passing, fault: unknown): void;
  /** The access log; not for assets, of which a page has dozens. */
  answered(passing: Passing, end: PassingEnd): void;
}

export function createGateLog(logs: Logs, recent: Recent): GateLog {
  const gate = logs.named('service.gate');
  const access = logs.frequent('service.access');
  const audit = logs.named('service.audit');
  return {
    refused(passing, reason) {
      gate.debug({ ...who(passing), ...what(passing), reason }, REFUSALS[reason].message);
      const { requestId, admission } = passing;
      const name = admission?.caller?.name;
      if (name === undefined || !DECISION_OF_REASON[reason].startsWith('forbidden')) return;
      const { method, path } = what(passing);
      const from = { from: admission?.client.address, agent: agentOf(passing) };
      const entry = { what: 'access', who: name, ...from, verdict: 'refused', reason };
      audit.info({ ...entry, method, path, requestId }, 'access');
    },
    failed(passing, reason) {
      const { method, path } = what(passing);
      recent.noteFailure({ reason, method, path, requestId: passing.requestId ?? '' });
      const cause = passing.upstreamCause && { cause: passing.upstreamCause };
      gate.warn({ requestId: passing.requestId, ...what(passing), reason, ...cause }, REFUSALS[reason].message);
    },
    fault({ requestId }, fault) {
      if (storeFaultOf(fault) && fault instanceof Error)
        gate.warn({ requestId, reason: fault.message }, 'a request was answered with 503: the store failed');
      else gate.error({ requestId, err: fault }, 'a request was answered with 500: an error in Postern itself');
    },
    answered(passing, end) {
      if (passing.route === 'static' || !access.isOn()) return;
      access.info(accessRecord(passing, end), 'answered');
    },
  };
}

const LONGEST_LOGGED_PATH = 512;
const LONGEST_AGENT = 200;

/** The query stays out: it may hold a token, and nobody's camera is anybody else's business. */
const pathOf = ({ target }: RequestFacts): string => {
  const query = target.indexOf('?');
  return target.slice(0, Math.min(query < 0 ? target.length : query, LONGEST_LOGGED_PATH));
};

const agentOf = ({ request, described = request }: Passing): string | undefined =>
  singleHeader(described, 'user-agent')?.slice(0, LONGEST_AGENT).toWellFormed();

const what = ({ request, described = request }: Passing) => ({
  listener: request.listener,
  method: described.method,
  path: pathOf(described),
});

const who = ({ requestId, admission }: Passing) => ({
  requestId,
  user: admission?.caller?.name,
  role: admission?.caller?.role,
  address: admission?.client.address,
});

/** Fields in one order, each line with the same shape: built once, for every request. */
function accessRecord(passing: Passing, { status, isWhole, seconds }: PassingEnd) {
  const { request, route, described, admission, reason, headAt, askedAt, requestId, bytesOut } = passing;
  const caller = admission?.caller;
  return {
    requestId,
    traceparent: traceParent(request),
    listener: request.listener,
    method: request.method,
    route,
    path: pathOf(request),
    asked: described && `${described.method} ${pathOf(described)}`,
    status,
    aborted: isWhole ? undefined : true,
    reason,
    bytes: bytesOut,
    ms: hundredths(seconds * 1000),
    upstreamMs: headAt === undefined || askedAt === undefined ? undefined : hundredths(headAt - askedAt),
    user: caller?.name,
    role: caller?.role,
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
