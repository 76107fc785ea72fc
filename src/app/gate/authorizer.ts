/** The rules of the gate, with the counters around them, by the trusted headers of this moment. */
import { sightOf } from '../../access/review/who-sees.ts';
import { holdersIn } from '../../accounts/tokens/holders.ts';
import { withTimeLimit } from '../../domain/async.ts';
import { type Clock, type Remembering, unixSeconds } from '../../domain/clock.ts';
import { compareReleases } from '../../domain/policy.ts';
import { maskSecrets } from '../../domain/text.ts';
import type { Rules } from '../../gateway/decision/admit.ts';
import type { CameraAccess } from '../../gateway/explain/explain-route.ts';
import { nvrVersion } from '../../gateway/forward/nvr-questions.ts';
import { type OpenRules, openRules, type TableConfig } from '../../gateway/rules.ts';
import type { Trace } from '../../identity/identity-trace.ts';
import type { TrustedHeaderList } from '../../identity/trusted-headers-file.ts';
import type { Store } from '../../store/open-store.ts';
import { type Logs, levelOf } from '../../telemetry/logs/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { ActiveAccounts } from '../accounts/active-accounts.ts';
import type { Credentials } from '../accounts/credentials.ts';
import type { Components } from '../resources/components.ts';
import { logRules } from '../resources/logs.ts';
import { steadyNow } from '../resources/steady-clock.ts';
import type { TrustedHeaders } from '../resources/trusted-headers.ts';
import { countedRole, countedSecretCheck, countedVerify } from '../telemetry/counting.ts';
import { type AnswerWatch, watchAnswers } from '../telemetry/readiness.ts';

export interface AuthorizerDeps {
  readonly config: TableConfig;
  readonly accounts: ActiveAccounts;
  readonly components: Components;
  readonly credentials: Pick<Credentials, 'roleRegistry' | 'tokenVerifier' | 'tokens' | 'curtain' | 'behindCurtain'>;
  readonly trustedHeaders: Pick<TrustedHeaders, 'current'>;
  readonly store: Pick<Store, 'accounts' | 'grants'>;
  /** How long an identity is remembered on its connection. */
  readonly remembering: Remembering;
  readonly clock: Clock;
  readonly logs: Logs;
  readonly metrics: Metrics;
}

export interface Authorizer extends Omit<OpenRules, 'rules'> {
  readonly rules: () => Rules;
  /** The same without counters, for questions that are not requests of a client. */
  readonly uncounted: () => Rules;
  /** Why the keys of `proxy.jwt` could not be read when they were last asked for. */
  readonly proxyKeysFault: () => string | undefined;
  readonly whoSees: () => Promise<CameraAccess>;
  readonly nvrRelease: NvrRelease;
}

export function createAuthorizer(deps: AuthorizerDeps): Authorizer {
  const { config, accounts, components, trustedHeaders, store, clock, logs, metrics } = deps;
  const { roleRegistry, tokenVerifier, tokens } = deps.credentials;
  const { links, screens, sessions } = accounts;
  const cameras = components.cameras.it;
  const proxyKeys = watchKeys(logs, metrics);
  const nvrRelease = createNvrRelease({ ask: () => nvrVersion(config), now: steadyNow });
  const opened = openRules({
    config,
    eventsBackend: components.events.it?.upstream,
    verifySession: sessions.verify,
    verifyApiToken: tokens.verify,
    verifyLink: links.verify,
    verifyScreen: screens.verify,
    sharedBy: links.sharedFrom,
    findViewed: accounts.findViewed,
    behindCurtain: deps.credentials.behindCurtain,
    isNvrOlder: nvrRelease.isOlderThan,
    roleRegistry,
    now: () => unixSeconds(clock),
    layout: cameras.layout,
    findUser: (name) => store.accounts.findUser(name),
    allowlist: () => trustedHeaders.current().names,
    onProxyKeys: proxyKeys.onAnswer,
  });
  const counting = {
    verifySession: countedVerify(sessions.verify, metrics),
    verifyApiToken: countedVerify(tokenVerifier.verify, metrics),
    verifyLink: links.verifyFrom,
    verifyScreen: screens.verifyFrom,
    trace: isTraced(config) ? identityTrace(logs) : undefined,
    onRole: countedRole(metrics),
    onUntrustedHeaders: () => metrics.untrustedHeaders.add(1),
    onUntrustedDescription: warningOfDescription(logs),
    onIncompleteDescription: warningOfMissingHeader(logs),
    onConflictingDescription: warningOfConflict(logs),
    remembering: deps.remembering,
  };
  const decide = (list: TrustedHeaderList) => {
    const rules = opened.rules(counting);
    const carriesProxySecret = countedSecretCheck(rules.carriesProxySecret, metrics);
    return { list, headers: opened.headers(), rules: { ...rules, carriesProxySecret } };
  };
  let decided = decide(trustedHeaders.current());
  const upToDate = () => {
    if (decided.list !== trustedHeaders.current()) decided = decide(trustedHeaders.current());
    return decided;
  };
  return {
    ...opened,
    nvrRelease,
    proxyKeysFault: proxyKeys.fault,
    rules: () => upToDate().rules,
    uncounted: () => opened.rules(),
    headers: () => upToDate().headers,
    async whoSees() {
      const known = cameras.current() ?? [];
      const { auth } = config.settings;
      const [roles, curtain] = await Promise.all([roleRegistry.active(), deps.credentials.curtain.latest()]);
      const holders = await holdersIn({ store, auth, roles, curtain, now: unixSeconds(clock) });
      return { cameras: known, holders: holders.map((holder) => sightOf(holder, known)) };
    },
  };
}

/** Said when the keys go away, and when they are back. */
const watchKeys = (logs: Logs, metrics: Metrics): AnswerWatch => {
  const log = logs.named('service.gate');
  return watchAnswers((answer, wasDown) => {
    metrics.proxyKeysUp.set(answer.kind === 'up' ? 1 : 0);
    if (answer.kind === 'down')
      log.error(
        { cause: answer.why },
        'the keys at proxy.jwt.jwks_url cannot be read: known ones are used for an hour, then nobody is let in',
      );
    else if (wasDown) log.info('the keys at proxy.jwt.jwks_url can be read again');
  });
};

const TRACED = 'service.api.auth';

/** A line for each request at debug; nothing is gathered for it at other levels (interface 2.5). */
const isTraced = ({ settings }: AuthorizerDeps['config']): boolean =>
  ['debug', 'trace'].includes(levelOf(TRACED, logRules(settings)));

const LONGEST_LOGGED_PATH = 512;

function identityTrace(logs: Logs): Trace {
  const log = logs.named(TRACED);
  return (entry, { method, target, peer }) => {
    const path = maskSecrets(target.split('?', 1)[0]?.slice(0, LONGEST_LOGGED_PATH) ?? '');
    log.debug({ ...entry, peer, method, path }, 'identified');
  };
}

/** Logged once, because any client can send such headers. A proxy that is not trusted would admit every request. */
function warningOfDescription(logs: Logs): (peer: string) => void {
  const log = logs.named('service.gate');
  let isSaid = false;
  return (peer) => {
    if (isSaid) return;
    isSaid = true;
    log.warn(
      { peer },
      'forward-auth headers of an untrusted peer were ignored, so /auth judged its own request: if the peer is your proxy, add its address to auth.trusted_proxies',
    );
  };
}

/** Once for each header: the proxy asks for every request. */
function warningOfMissingHeader(logs: Logs): (missing: string) => void {
  const log = logs.named('service.gate');
  const told = new Set<string>();
  return (missing) => {
    if (told.has(missing)) return;
    told.add(missing);
    log.warn(
      { missing },
      `/auth refused a request that a trusted proxy described without the header ${missing}: set it in the proxy (nginx: proxy_set_header X-Original-Method $request_method)`,
    );
  };
}

/** A client can cause it, by a header of its own: one line a minute. */
const CONFLICT_TOLD_AGAIN_MS = 60_000;

function warningOfConflict(logs: Logs): (one: string, other: string) => void {
  const log = logs.named('service.gate');
  let toldAt = Number.NEGATIVE_INFINITY;
  return (one, other) => {
    if (steadyNow() - toldAt < CONFLICT_TOLD_AGAIN_MS) return;
    toldAt = steadyNow();
    log.warn(
      { one: maskSecrets(one), other: maskSecrets(other) },
      '/auth refused a request that a trusted proxy described in two ways that differ: let the proxy send one of them, and clear the headers of the other that a client may send',
    );
  };
}

/** The release of the NVR, as far as it is known: pages of some releases know the roles admin and viewer only, and some pictures are found by a name since another (SPEC 5, 11). */
interface NvrRelease {
  /** Whether it is known to be older than that. Never rejects. */
  isOlderThan(release: string): Promise<boolean>;
}

/** Milliseconds. */
const FRESH = 60_000;
const LONGEST_WAIT = 2000;

interface NvrReleaseOptions {
  /** The version as the NVR says it; null without an answer. */
  readonly ask: () => Promise<string | null>;
  /** Milliseconds of a steady clock. */
  readonly now: () => number;
  /** Milliseconds that the first answer is waited for. */
  readonly longestWait?: number;
}

export function createNvrRelease({ ask, now, longestWait = LONGEST_WAIT }: NvrReleaseOptions): NvrRelease {
  let known: { readonly version: string | undefined; readonly at: number } | undefined;
  let asking: Promise<void> | undefined;

  function refresh(): Promise<void> {
    asking ??= ask()
      .catch(() => null)
      .then((version) => {
        // What was known stays, while the NVR says nothing.
        known = { version: version ?? known?.version, at: now() };
      })
      .finally(() => {
        asking = undefined;
      });
    return asking;
  }

  return {
    async isOlderThan(release) {
      const isFresh = known !== undefined && now() - known.at < FRESH;
      const refreshing = isFresh ? undefined : refresh();
      // A page waits for it: only the first answer is waited for, and not for long.
      if (refreshing && known?.version === undefined) await withTimeLimit(refreshing, longestWait, () => undefined);
      return compareReleases(known?.version, release) < 0;
    },
  };
}
