/** Counts decisions: by kind of credential, by how the client address was found, and by result (SPEC 9). */

import { maySee } from '../domain/camera-scope.ts';
import { actualSender, credentialMode } from '../domain/credentials.ts';
import { REFUSALS, type RefusalReason } from '../domain/refusal.ts';
import type { RequestFacts } from '../domain/request.ts';
import type { AccessLog } from './access-log.ts';
import type { ActiveSessions } from './active-sessions.ts';
import type { AddressSource } from './metric-labels.ts';
import type { Metrics } from './metrics.ts';
import type { RecordedAdmission, RequestRecord } from './request-record.ts';

export interface GateWatchDeps {
  readonly metrics: Metrics;
  readonly log: AccessLog;
  readonly sessions: ActiveSessions;
  /** Milliseconds of a clock that only goes forward. */
  readonly ticks: () => number;
  readonly isIdentityHeader: (lowerCaseName: string) => boolean;
  /** Whether identity headers are this client's to send: that of a trusted proxy. */
  readonly maySendIdentity: (request: RequestFacts) => boolean;
}

export function countDecision(record: RequestRecord, admission: RecordedAdmission, deps: GateWatchDeps): void {
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

export function countResult(
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
function countClaims(request: RequestFacts, { metrics, isIdentityHeader, maySendIdentity }: GateWatchDeps): void {
  for (const name in request.headers) {
    if (!isIdentityHeader(name) || maySendIdentity(request)) continue;
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
  return [...path.split('/').map(decoded), ...values].find((name) => isKnown(name) && !maySee(name));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
