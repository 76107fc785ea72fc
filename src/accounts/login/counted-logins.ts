/** Wrappers that count logins, failures and limits; the wrapped thing behaves as before (SPEC 9). */

import { createTrustedNetworks, isTrustedPeer } from '../../domain/addresses.ts';
import type { Clause } from '../../domain/rate-limit.ts';
import type { LoginResult } from '../../telemetry/metric-labels.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { RecentFailures } from '../../telemetry/recent-failures.ts';
import type { Audit } from '../audit.ts';
import type { LoginLimiter } from './login-limiter.ts';

const FAILURES: readonly LoginResult[] = ['bad_credentials', 'bad_code', 'bad_passkey', 'rate_limited'];

export const countedLogins =
  (metrics: Metrics, recent: RecentFailures) =>
  (result: LoginResult): void => {
    metrics.logins.add(1, result);
    if (FAILURES.includes(result)) recent.noteLoginFailure();
  };

/** The limiter of logins, whose clauses are known by their place in the configuration. */
export const countedLimiter = (limiter: LoginLimiter, clauses: readonly Clause[], metrics: Metrics): LoginLimiter => ({
  ...limiter,
  async reserve(address, isKnown, attempt) {
    const place = await limiter.reserve(address, isKnown, attempt);
    if (place.kind === 'limited') {
      // The clauses of a network have the same windows.
      const clause = clauses.findIndex(({ windowSeconds }) => windowSeconds === place.clause.windowSeconds);
      metrics.rateLimitHits.add(1, 'ip', String(clause));
    }
    return place;
  },
});

/** Counts from audit entries: they hold the verdict and the address together. */
export function countedAudit(audit: Audit, trustedProxies: readonly string[], metrics: Metrics): Audit {
  const near = createTrustedNetworks([...PRIVATE, ...trustedProxies]);
  return (entry) => {
    const { what, reason, from } = entry;
    if (what === 'login' && isGuess(reason) && near.ok && isTrustedPeer(from, near.value)) metrics.proxyFailures.add(1);
    audit(entry);
  };
}

const GUESSES: readonly (string | undefined)[] = ['bad-credentials', 'bad-token'];
const isGuess = (reason: string | undefined): boolean => GUESSES.includes(reason);

/** RFC 1918, RFC 4193, link-local and loopback. */
// biome-ignore format: a table
const PRIVATE: readonly string[] = [
  '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '127.0.0.0/8', 'fc00::/7', 'fe80::/10', '::1/128',
];
