/** Wrappers that count what accounts and identity sources do; the wrapped thing behaves as before (SPEC 9). */
import type { Audit } from '../../accounts/audit.ts';
import type { LoginResult } from '../../accounts/http/kernel.ts';
import type { LoginLimiter } from '../../accounts/login/login-limiter.ts';
import { createTrustedNetworks, isTrustedPeer } from '../../domain/addresses.ts';
import { type MaybePromise, mapMaybe } from '../../domain/async.ts';
import type { Clause } from '../../domain/rate-limit.ts';
import { headerLines, type RequestFacts } from '../../domain/request.ts';
import type { RoleVerdict } from '../../identity/role-mapping.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { RecentFailures } from '../../telemetry/recent-failures.ts';

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

type Verdict = { readonly kind: string; readonly reason?: string };

/** Tokens that are refused, by why. */
export const countedVerify =
  <Arguments extends readonly unknown[], Outcome extends Verdict>(
    verify: (...given: Arguments) => MaybePromise<Outcome>,
    metrics: Metrics,
  ) =>
  (...given: Arguments): MaybePromise<Outcome> =>
    mapMaybe(verify(...given), (verdict) => {
      if (verdict.reason !== undefined) metrics.tokensRejected.add(1, verdict.reason.replaceAll('-', '_'));
      if (verdict.reason === 'limited') metrics.rateLimitHits.add(1, 'apikey', '0');
      return verdict;
    });

type SecretCheck = ((request: RequestFacts) => boolean) | undefined;

/** Whether proxies show their secret. */
export const countedSecretCheck = (check: SecretCheck, metrics: Metrics): SecretCheck =>
  check &&
  ((request) => {
    const isRight = check(request);
    const isSent = headerLines(request, 'x-proxy-secret').length > 0;
    metrics.proxySecrets.add(1, isRight ? 'ok' : isSent ? 'mismatch' : 'missing');
    return isRight;
  });

const SOURCE_OF = { role_map: 'map', 'role-name': 'direct', default_role: 'default' } as const;

export const countedRole =
  (metrics: Metrics) =>
  (verdict: RoleVerdict): void =>
    verdict.kind === 'denied'
      ? metrics.proxyRoles.add(1, 'denied', 'other')
      : metrics.proxyRoles.add(1, SOURCE_OF[verdict.rule.by], verdict.role);
