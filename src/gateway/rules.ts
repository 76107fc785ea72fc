/** The rules of the decision, built from the configuration: for the gate, and for commands and `explain`, which judge without a server (SPEC 3 to 5). */
import type { Surroundings } from '../access/access-verdict.ts';
import type { NvrAdapter } from '../access/nvr-adapter.ts';
import { compileRouteTable, type RouteTable } from '../access/route-table.ts';
import type { AccountServices } from '../app/services.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import type { User } from '../domain/accounts/account.ts';
import { trustedNetworks, type Upstream } from '../domain/addresses.ts';
import { type MaybePromise, mapMaybe, type Sharer } from '../domain/async.ts';
import { type CameraScope, visibleCameras } from '../domain/camera-scope.ts';
import { createReminder, steadyNow, unixSeconds } from '../domain/clock.ts';
import { LOGIN_PATH } from '../domain/page-paths.ts';
import { headerLines, normalizedHeaderName, type RequestFacts, type RequestTarget } from '../domain/request.ts';
import { maskSecrets } from '../domain/text.ts';
import type { Trace } from '../identity/identity-trace.ts';
import { createProxySecretCheck } from '../identity/proxy-header-source.ts';
import { openProxyKeys } from '../identity/proxy-jwt-source.ts';
import type { RoleVerdict } from '../identity/role-mapping.ts';
import { identitySources, type SourceDeps, type Verifiers } from '../identity/sources.ts';
import type { TrustedHeaders } from '../identity/trusted-headers.ts';
import { adapterNamed } from '../nvr/adapters.ts';
import { type Logs, loggerLevel, logRules } from '../telemetry/logs/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { watchFault } from '../telemetry/readiness.ts';
import type { DescriptionFault, Rules, StandsFor } from './decision/admit.ts';
import { type DestinationRules, eventPaths, findDestination } from './decision/destinations.ts';
import { createOwnerLookup } from './decision/owner-lookup.ts';
import { tooMuchIn } from './decision/query-bounds.ts';
import { createExplainer } from './explain/explain.ts';
import type { HeaderRules } from './forward/judged-request.ts';
import { createAsker, createReleaseCheck, nvrVersion } from './forward/nvr-questions.ts';

/** What rules are built from. */
export interface RulePlace {
  readonly config: TableConfig;
  /** What credentials are worth; nothing of it is counted. */
  readonly identities: Verifiers &
    Pick<SourceDeps, 'roleRegistry' | 'clock' | 'slotted'> &
    Required<Pick<Rules, 'subtract' | 'findViewed'>> & {
      readonly standsFor?: ((isNoted?: boolean) => StandsFor) | undefined;
    };
  readonly eventsBackend: Upstream | undefined;
  /** The names of trusted headers. */
  readonly allowlist: () => ReadonlySet<string>;
  readonly layout: () => Surroundings['layout'];
  readonly findUser: (name: string) => Promise<User | undefined>;
  readonly isNvrOlder?: Rules['isNvrOlder'];
  /** Called each time that the keys of `proxy.jwt` were asked for. */
  readonly onProxyKeys?: Parameters<typeof openProxyKeys>[1];
}

/** What is noted and counted of requests, by verifiers that count, too; it changes no verdict. */
export type Noting = Partial<
  Verifiers &
    Pick<SourceDeps, 'trace' | 'isNoted' | 'remembering' | 'onRole' | 'onUntrustedHeaders'> &
    Pick<Rules, 'onDescription'>
>;

export function openRules(place: RulePlace) {
  const { config, identities, allowlist, layout, isNvrOlder } = place;
  const { standsFor, findViewed, subtract, clock } = identities;
  const { settings, tableHead } = config;
  const { auth, nvr, events, proxy, server } = settings;
  const routes = routeTable(config);
  const { queries } = routes.nvr;
  const destinations: DestinationRules = {
    eventsBackend: place.eventsBackend,
    eventPaths: eventPaths(routes.nvr.events.atNvr),
    hasNvrPictures: events.source === 'nvr-database',
    nvr: nvr.url,
    routes: nvr.routes,
  };
  const owners = ownerLookup(destinations, createAsker(settings), routes.nvr);
  const proxyKeys = openProxyKeys(settings, place.onProxyKeys);
  const secrets = proxy.auth_secret;
  const carriesProxySecret = secrets.length > 0 ? createProxySecretCheck(secrets) : undefined;
  const malformedIn = (target: RequestTarget) => tooMuchIn(target, queries);
  /** Takes the headers that are trusted now. */
  const rules = ({ onDescription, ...noting }: Noting = {}): Rules => ({
    trusted: trustedNetworks(auth.trusted_proxies),
    routes,
    sources: identitySources({
      ...identities,
      settings,
      proxyKeys,
      carriesProxySecret,
      allowlist: allowlist(),
      ...noting,
    }),
    carriesProxySecret,
    internalHosts: server.internal_hosts,
    basePath: server.base_path,
    surroundings: () => ({ layout: layout(), now: unixSeconds(clock) }),
    owners,
    standsFor: standsFor?.(noting.isNoted),
    findViewed,
    subtract,
    // The events backend checks the parameters itself, and says which one it is.
    harmfulIn: (method, target) =>
      findDestination(method, target, destinations)?.kind === 'nvr' ? malformedIn(target) : undefined,
    malformedIn,
    isNvrOlder,
    onDescription,
    publicOrigin: server.public_url?.origin,
  });
  const headers = (): HeaderRules => ({
    // A signed token would open the service behind to each program that reads it there.
    identityHeaders: new Set([...allowlist(), ...(proxy.jwt?.headers ?? [])].map(normalizedHeaderName)),
    nvrSecret: nvr.auth_secret,
    cookieName: auth.cookie_name,
    dropsAuthorization: tableHead.authorization === 'dropped',
  });
  /** The names of the cameras that a scope sees. */
  const seen = (scope: CameraScope) => visibleCameras(scope, layout()?.cameras ?? []);
  const explain = createExplainer({ ...place, ...identities, rules, destinations, headers, seen });
  /** `camerasOf`: the cameras of an id; the answers are remembered with those for the rules. */
  return { destinations, rules, headers, explain, camerasOf: owners.camerasOf, seen };
}

/** The route table. With `ui.login: nvr` the login page is the NVR's own: Postern has none to answer with. */
const routeTable = ({ settings: { ui }, policy, tableHead }: TableConfig): RouteTable =>
  compileRouteTable(
    ui.login === 'postern'
      ? policy
      : policy.map((row) => (row.path === LOGIN_PATH ? { ...row, forwarded: true } : row)),
    adapterNamed(tableHead.adapter),
  );

/** The route table as it was read. */
export type TableConfig = Pick<ServiceConfig, 'settings' | 'policy' | 'tableHead'>;

/** An event's camera is asked of the upstream that will serve the event: the backend may know other events than the NVR. */
function ownerLookup(destinations: DestinationRules, ask: ReturnType<typeof createAsker>, nvr: NvrAdapter) {
  const nvrOnly = { ...destinations, eventsBackend: undefined };
  const askNvr = async (path: string, sharer: Sharer | undefined): Promise<unknown> => {
    const target = { path, segments: path.slice(1).split('/'), query: '' };
    const owner = findDestination('GET', target, nvrOnly);
    if (!owner) throw new Error('no NVR is configured');
    return ask(owner.upstream, path, sharer);
  };
  return createOwnerLookup(({ method, target, sharer }) => {
    const served = findDestination(method, target, destinations);
    if (served?.kind !== 'events-backend') return { name: 'nvr', ask: (path) => askNvr(path, sharer) };
    return { name: served.kind, ask: (path) => ask(served.upstream, path, sharer) };
  }, nvr);
}

/** The rules of the gate, with the counters around them, by the trusted headers of this moment. */
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
    allowlist: () => trustedHeaders.current.names,
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
    return { list: trustedHeaders.current, headers: opened.headers(), rules: { ...rules, carriesProxySecret } };
  };
  let decided = decide();
  const upToDate = () => {
    if (decided.list !== trustedHeaders.current) decided = decide();
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
