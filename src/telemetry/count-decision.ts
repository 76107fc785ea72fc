/** What the corridor decides, counted: by what the caller showed, how he was found, and what he tried (SPEC 9). */
import { maySee } from '../domain/camera-scope.ts';
import type { RefusalReason } from '../domain/refusal.ts';
import type { RequestFacts } from '../domain/request.ts';
import type { ActiveSessions } from './active-sessions.ts';
import { DECISION_OF_REASON } from './decision-results.ts';
import type { GateLog } from './gate-log.ts';
import type { AddressSource, Mode } from './metric-labels.ts';
import type { Metrics } from './metrics.ts';
import { deniedCamera } from './named-camera.ts';
import type { Judged, Passing } from './passing.ts';

export interface GateWatchDeps {
  readonly metrics: Metrics;
  readonly log: GateLog;
  readonly sessions: ActiveSessions;
  /** Milliseconds of a clock that only goes forward. */
  readonly ticks: () => number;
  readonly isIdentityHeader: (lowerCaseName: string) => boolean;
  /** Whether identity headers are this client's to send: that of a trusted proxy. */
  readonly maySendIdentity: (request: RequestFacts) => boolean;
}

const MODE_OF = {
  'api-token': 'apikey',
  'proxy-headers': 'proxy',
  'internal-listener': 'network',
} as const;

function modeOf({ caller }: Judged): Mode {
  if (!caller) return 'none';
  const { credential } = caller;
  if (credential.kind !== 'session') return MODE_OF[credential.kind];
  return credential.carriedBy === 'cookie' ? 'session' : 'bearer';
}

export function countDecision(passing: Passing, admission: Judged, parts: GateWatchDeps): void {
  const { metrics, sessions, ticks } = parts;
  const { request, startedAt } = passing;
  const now = ticks();
  countResult(passing, admission.reason, parts);
  const wasNvrAsked = admission.obligations?.owners !== undefined || admission.reason === 'camera-not-in-role';
  if (!wasNvrAsked) metrics.decisionDuration.observe((now - startedAt) / 1000, modeOf(admission));
  metrics.clientAddresses.add(1, addressSource(request, admission));
  countClaims(request, parts);
  const { caller } = admission;
  if (caller?.credential.kind === 'session') sessions.seen(caller.credential.tokenId, caller.role, now);
}

export function countResult(
  { request, admission }: Passing,
  reason: RefusalReason | undefined,
  parts: GateWatchDeps,
): void {
  const { metrics } = parts;
  metrics.decisions.add(1, admission ? modeOf(admission) : 'none', reason ? DECISION_OF_REASON[reason] : 'allow');
  const caller = admission?.caller;
  if (reason !== 'camera-not-in-role' || !caller) return;
  const { isKnown, count } = metrics.cameraDenials;
  count(
    deniedCamera(request.target, isKnown, (name) => maySee(caller.scope, name)),
    caller.role,
  );
}

function addressSource({ headers, peer }: RequestFacts, { client }: Judged): AddressSource {
  if (headers['x-forwarded-for'] === undefined) return 'direct';
  if (!client.viaTrustedProxy) return 'untrusted_header';
  return client.address === peer ? 'malformed' : 'forwarded';
}

/** They are taken out on the way to the NVR in any case; here it is told that somebody tried. */
function countClaims(request: RequestFacts, { metrics, isIdentityHeader, maySendIdentity }: GateWatchDeps): void {
  for (const name in request.headers) {
    if (!isIdentityHeader(name) || maySendIdentity(request)) continue;
    metrics.strippedHeaders.add(1, name);
  }
}
