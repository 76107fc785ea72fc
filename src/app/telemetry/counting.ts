/** Wrappers that count what accounts and identity sources do; the wrapped thing behaves as before (SPEC 9). */
import type { Audit, AuditEntry } from '../../accounts/audit.ts';
import type { LoginLimiter } from '../../accounts/login/login-limiter.ts';
import type { LoginResult } from '../../accounts/login/login-response.ts';
import type { PasskeyCheck, PasskeyOutcome } from '../../accounts/passkeys/passkey-check.ts';
import type { SecondFactor } from '../../accounts/second-factor/second-factor.ts';
import type { Sessions } from '../../accounts/sessions/sessions.ts';
import { type MaybePromise, mapMaybe } from '../../domain/async/maybe-promise.ts';
import type { Clause } from '../../domain/rate-limit.ts';
import { headerLines, type RequestFacts } from '../../domain/request.ts';
import { createTrustedNetworks, isTrustedPeer } from '../../gateway/decision/client-address.ts';
import type { RoleVerdict } from '../../identity/role-mapping.ts';
import type { EvictionState, InvitationResult, LinkResult, ScreenResult } from '../../telemetry/metric-labels.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { RecentFailures } from '../../telemetry/recent-failures.ts';
import { steadyNow } from '../resources/steady-clock.ts';

const FAILURES: readonly LoginResult[] = ['bad_credentials', 'bad_code', 'bad_passkey', 'rate_limited'];

export function countedLogins(metrics: Metrics, recent: RecentFailures): () => (result: LoginResult) => void {
  return () => {
    const since = steadyNow();
    return (result) => {
      metrics.logins.add(1, result);
      if (FAILURES.includes(result)) recent.noteLoginFailure();
      metrics.loginDuration.observe((steadyNow() - since) / 1000, result);
    };
  };
}

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

/** Codes that were checked, by kind. */
export const countedFactor = (secondFactor: SecondFactor, metrics: Metrics): SecondFactor => ({
  ...secondFactor,
  async checkCode(user, code) {
    const outcome = await secondFactor.checkCode(user, code);
    metrics.secondFactors.add(1, outcome.by, outcome.kind);
    return outcome;
  },
});

export function countedPasskeys(passkeys: PasskeyCheck, metrics: Metrics): PasskeyCheck {
  const counted = (outcome: PasskeyOutcome): PasskeyOutcome => {
    if (outcome.kind !== 'over') metrics.secondFactors.add(1, 'passkey', outcome.kind);
    return outcome;
  };
  return {
    ...passkeys,
    check: async (...asked) => counted(await passkeys.check(...asked)),
    prove: async (...asked) => counted(await passkeys.prove(...asked)),
  };
}

/** Logins. Renewed tokens are counted where they are signed: each is sent many times. */
export function countedSessions(sessions: Sessions, metrics: Metrics): Sessions {
  const counted = (token: string): string => {
    metrics.tokensIssued.add(1, 'login');
    return token;
  };
  return {
    ...sessions,
    issue: async (user, origin) => counted(await sessions.issue(user, origin)),
    issueForToken: async (caller) => counted(await sessions.issueForToken(caller)),
  };
}

/** Counts from audit entries: they hold the verdict and the address together. */
export function countedAudit(audit: Audit, trustedProxies: readonly string[], metrics: Metrics): Audit {
  const near = createTrustedNetworks([...PRIVATE, ...trustedProxies]);
  return (entry) => {
    const { what, verdict, reason, from } = entry;
    if (what === 'token-created' && verdict === 'allowed') metrics.tokensIssued.add(1, 'api_token');
    if (what === 'limit-lifted' && verdict === 'allowed') metrics.rateLimitLifts.add(1);
    const invitation = invitationResult(what, verdict);
    if (invitation) metrics.invitations.add(1, invitation);
    const link = linkResult(what, verdict);
    if (link) metrics.links.add(1, link);
    const screen = screenResult(what, verdict);
    if (screen) metrics.screens.add(1, screen);
    if (what === 'login' && isGuess(reason) && near.ok && isTrustedPeer(from, near.value)) metrics.proxyFailures.add(1);
    audit(entry);
  };
}

const GUESSES: readonly (string | undefined)[] = ['bad-credentials', 'bad-token'];
const isGuess = (reason: string | undefined): boolean => GUESSES.includes(reason);

function invitationResult(what: AuditEntry['what'], verdict: AuditEntry['verdict']): InvitationResult | undefined {
  if (what === 'invitation-used') return verdict === 'allowed' ? 'used' : 'refused';
  if (verdict === 'refused') return undefined;
  if (what === 'invitation-made') return 'made';
  return what === 'invitation-revoked' ? 'revoked' : undefined;
}

function linkResult(what: AuditEntry['what'], verdict: AuditEntry['verdict']): LinkResult | undefined {
  if (what === 'link-pin') return verdict === 'allowed' ? 'pin_right' : 'pin_wrong';
  if (verdict === 'refused') return undefined;
  if (what === 'link-opened' || what === 'link-first-opened') return 'opened';
  if (what === 'link-created') return 'created';
  return what === 'link-revoked' ? 'revoked' : undefined;
}

const SCREEN_RESULT: Readonly<Partial<Record<AuditEntry['what'], ScreenResult>>> = {
  'screen-paired': 'paired',
  'screen-denied': 'denied',
  'screen-changed': 'changed',
  'screen-revoked': 'revoked',
};

const screenResult = (what: AuditEntry['what'], verdict: AuditEntry['verdict']): ScreenResult | undefined =>
  SCREEN_RESULT[what] && (verdict === 'refused' ? 'refused' : SCREEN_RESULT[what]);

/** RFC 1918, RFC 4193, link-local and loopback. */
// biome-ignore format: a table
const PRIVATE: readonly string[] = [
  '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '127.0.0.0/8', 'fc00::/7', 'fe80::/10', '::1/128',
];

/** Clients that a limiter drops because its table is full. */
export const countedEvictions =
  (scope: 'ip' | 'apikey', metrics: Metrics) =>
  (state: EvictionState): void =>
    metrics.rateLimitEvictions.add(1, scope, state);

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
