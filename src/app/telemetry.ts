/** The counters of what happens: requests, sessions, recent failures (SPEC 9). */

import { trustedPeers } from '../config/schema/proxy-rules.ts';
import type { Settings } from '../config/schema/schema.ts';
import { createTrustedNetworks, isTrustedPeer } from '../domain/addresses.ts';
import { type Clock, steadyNow } from '../domain/clock.ts';
import type { RequestFacts } from '../domain/request.ts';
import type { TrustedHeaders } from '../identity/trusted-headers.ts';
import { createAccessLog, type RefusedAct } from '../telemetry/access-log.ts';
import { createActiveSessions } from '../telemetry/active-sessions.ts';
import type { Logs } from '../telemetry/logs/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createRecentFailures } from '../telemetry/recent-failures.ts';
import { watchGate } from '../telemetry/watch-gate.ts';

export type RuntimeTelemetry = ReturnType<typeof openTelemetry>;

export function openTelemetry({
  settings,
  version,
  revision,
  trustedHeaders,
  logs,
  clock,
  activeSettings,
  onRefusedAct,
}: {
  /** The settings of the start: labels are taken from what it knows. */
  readonly settings: Settings;
  readonly version: string;
  /** `POSTERN_REVISION`. */
  readonly revision: string | undefined;
  readonly trustedHeaders: TrustedHeaders;
  readonly logs: Logs;
  readonly clock: Clock;
  readonly activeSettings: () => Settings;
  /** Called for requests that were refused to a known caller, as they are audited. */
  readonly onRefusedAct: (act: RefusedAct) => void;
}) {
  const metrics = createMetrics({
    version,
    revision,
    node: process.version,
    roles: [...settings.auth.roles.keys()],
    identityHeaders: ['remote-user', 'remote-role', ...trustedHeaders.current().names],
  });
  const sessions = createActiveSessions();
  const recent = createRecentFailures(clock);
  const watch = watchGate({
    metrics,
    sessions,
    ticks: steadyNow,
    log: createAccessLog(logs, recent, onRefusedAct),
    isIdentityHeader: (name) => name.startsWith('remote-') || trustedHeaders.current().names.has(name),
    maySendIdentity: (request) => proxyPeers(activeSettings())(request),
  });
  return { metrics, sessions, watch, recent };
}

/** Interface 5.5: with its own accounts the service takes identity headers from no peer. */
const proxyPeers = rememberedFor((settings: Settings): ((request: RequestFacts) => boolean) => {
  const peers = trustedPeers(settings);
  const networks = createTrustedNetworks(peers);
  if (settings.auth.enabled || !networks.ok) return () => false;
  return ({ listener, peer }) => listener === 'external' && (peers.length === 0 || isTrustedPeer(peer, networks.value));
});

/** Keeps the last result for as long as the same argument is given. */
function rememberedFor<Given, Made>(make: (given: Given) => Made): (given: Given) => Made {
  let last: { readonly given: Given; readonly made: Made } | undefined;
  return (given) => {
    if (last?.given !== given) last = { given, made: make(given) };
    return last.made;
  };
}
