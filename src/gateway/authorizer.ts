/** The rules of the gate, with the counters around them, by the trusted headers of this moment. */

import type { AccountServices } from '../app/services.ts';
import { type MaybePromise, mapMaybe } from '../domain/async.ts';
import { createReminder, steadyNow, unixSeconds } from '../domain/clock.ts';
import { headerLines, type RequestFacts } from '../domain/request.ts';
import { maskSecrets } from '../domain/text.ts';
import type { Trace } from '../identity/identity-trace.ts';
import type { RoleVerdict } from '../identity/role-mapping.ts';
import type { TrustedHeaders } from '../identity/trusted-headers.ts';
import { type Logs, loggerLevel, logRules } from '../telemetry/logs/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { watchFault } from '../telemetry/readiness.ts';
import type { DescriptionFault } from './decision/admit.ts';
import { createReleaseCheck, nvrVersion } from './forward/nvr-questions.ts';
import { type Noting, openRules, type RulePlace, type TableConfig } from './rules.ts';

export function createAuthorizer(
  config: TableConfig,
  accounts: AccountServices,
  { eventsBackend, layout }: Pick<RulePlace, 'eventsBackend' | 'layout'>,
  { trustedHeaders, logs }: { readonly trustedHeaders: TrustedHeaders; readonly logs: Logs },
) {
  const { identities, tokenVerifier, store, clock, metrics } = accounts;
  const proxyKeys = watchKeys(logs, metrics);
  const isNvrOlder = createReleaseCheck(() => nvrVersion(config), steadyNow);
  const opened = openRules({
    config,
    identities,
    eventsBackend,
    isNvrOlder,
    layout,
    findUser: store.accounts.findUser,
    allowlist: () => trustedHeaders.current().names,
    onProxyKeys: proxyKeys.found,
  });
  const remembering = { version: store.version, now: () => unixSeconds(clock) };
  const noting: Noting = {
    isNoted: true,
    verifySession: countedVerify(identities.verifySession, metrics),
    verifyApiToken: countedVerify(tokenVerifier.verify, metrics),
    trace: isTraced(config) ? identityTrace(logs) : undefined,
    onRole: countedRole(metrics),
    onUntrustedHeaders: () => metrics.untrustedHeaders.add(1),
    onDescription: warningOfDescription(logs),
    remembering,
  };
  const decide = () => {
    const rules = opened.rules(noting);
    const carriesProxySecret = countedSecretCheck(rules.carriesProxySecret, metrics);
    return { list: trustedHeaders.current(), headers: opened.headers(), rules: { ...rules, carriesProxySecret } };
  };
  let decided = decide();
  const upToDate = () => {
    if (decided.list !== trustedHeaders.current()) decided = decide();
    return decided;
  };
  return {
    ...opened,
    isNvrOlder,
    /** Remembers identities on their connections. */
    remembering,
    /** Why the keys of `proxy.jwt` could not be read when they were last asked for. */
    proxyKeysFault: proxyKeys.fault,
    rules: () => upToDate().rules,
    /** The same without counters, for questions that are not requests of a client. */
    uncounted: () => opened.rules(),
    headers: () => upToDate().headers,
  };
}

/** Said when the keys go away, and when they are back. */
const watchKeys = (logs: Logs, metrics: Metrics) => {
  const log = logs.named('service.gate');
  return watchFault<string>({
    up: metrics.proxyKeysUp,
    onFault: (cause) =>
      log.error(
        { cause },
        'the keys at proxy.jwt.jwks_url cannot be read: known ones are used for an hour, then every request is refused',
      ),
    onReturn: () => log.info('the keys at proxy.jwt.jwks_url can be read again'),
  });
};

const TRACED = 'service.api.auth';

/** A line for each request at debug; nothing is gathered for it at other levels (interface 2.5). */
const isTraced = ({ settings }: TableConfig): boolean =>
  ['debug', 'trace'].includes(loggerLevel(TRACED, logRules(settings)));

const LONGEST_LOGGED_PATH = 512;

function identityTrace(logs: Logs): Trace {
  const log = logs.named(TRACED);
  return (entry, { method, target, peer }) => {
    const path = maskSecrets(target.split('?', 1)[0]?.slice(0, LONGEST_LOGGED_PATH) ?? '');
    log.debug({ ...entry, peer, method, path }, 'identified');
  };
}

/**
 * Any client can send such headers, and a proxy asks for every request: an untrusted peer is told of once, each missing header
 * once.
 */
function warningOfDescription(logs: Logs): (fault: DescriptionFault) => void {
  const log = logs.named('service.gate');
  const told = new Set<string>();
  const isDue = createReminder();
  return (fault) => {
    const about = fault.kind === 'incomplete' ? `incomplete ${fault.missing}` : fault.kind;
    // A client can cause a conflict, by a header of its own: one line a minute.
    if (fault.kind === 'conflicting' ? !isDue(about) : told.has(about)) return;
    told.add(about);
    switch (fault.kind) {
      case 'untrusted':
        return log.warn(
          { peer: fault.peer },
          'forward-auth headers of an untrusted peer were ignored, so /auth judged its own request: if the peer is your proxy, add its address to auth.trusted_proxies',
        );
      case 'incomplete':
        return log.warn(
          { missing: fault.missing },
          `/auth refused a request that a trusted proxy described without the header ${fault.missing}: set it in the proxy (nginx: proxy_set_header X-Original-Method $request_method)`,
        );
      case 'conflicting':
        return log.warn(
          { one: maskSecrets(fault.one), other: maskSecrets(fault.other) },
          '/auth refused a request that a trusted proxy described in two ways that differ: let the proxy send one of them, and clear the headers of the other that a client may send',
        );
    }
  };
}

type Verdict = { readonly kind: string; readonly reason?: string };

/** Tokens that are refused, by why. */
const countedVerify =
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
const countedSecretCheck = (check: SecretCheck, metrics: Metrics): SecretCheck =>
  check &&
  ((request) => {
    const isRight = check(request);
    const isSent = headerLines(request, 'x-proxy-secret').length > 0;
    metrics.proxySecrets.add(1, isRight ? 'ok' : isSent ? 'mismatch' : 'missing');
    return isRight;
  });

const SOURCE_OF = { role_map: 'map', 'role-name': 'direct', default_role: 'default' } as const;

const countedRole =
  (metrics: Metrics) =>
  (verdict: RoleVerdict): void =>
    verdict.kind === 'denied'
      ? metrics.proxyRoles.add(1, 'denied', 'other')
      : metrics.proxyRoles.add(1, SOURCE_OF[verdict.matches[0].by], verdict.matches[0].role);
