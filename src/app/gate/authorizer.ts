/** Builds the authorization rules from configuration, accounts and the route table, with the counters around them (SPEC 3 to 5). */
import type { ServiceConfig } from '../../config/service-config.ts';
import { type CameraScope, visibleCameras } from '../../domain/camera-scope.ts';
import { type Clock, unixSeconds } from '../../domain/clock.ts';
import type { CameraName } from '../../domain/names.ts';
import type { Remembering } from '../../domain/remembering.ts';
import { maskSecrets } from '../../domain/text/mask-secrets.ts';
import type { Rules } from '../../gateway/decision/admit.ts';
import type { DestinationRules } from '../../gateway/decision/destinations.ts';
import type { OwnerCameras } from '../../gateway/decision/owner-lookup.ts';
import type { HeaderRules } from '../../gateway/forward/rewrite-headers.ts';
import type { Trace } from '../../identity/identity-trace.ts';
import type { TrustedHeaderList } from '../../identity/trusted-headers-file.ts';
import type { Store } from '../../store/open-store.ts';
import { type Logs, levelOf } from '../../telemetry/logs/log.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { ActiveAccounts } from '../accounts/active-accounts.ts';
import type { Credentials } from '../accounts/credentials.ts';
import type { Components } from '../resources/components.ts';
import { logRules } from '../resources/logs.ts';
import type { TrustedHeaders } from '../resources/trusted-headers.ts';
import { askerOf } from '../resources/upstreams.ts';
import { countedRole, countedSecretCheck, countedVerify } from '../telemetry/counting.ts';
import { createExplainer, type Explainer } from './explain.ts';
import { decisionRules, destinationRules, headerRules, ownerLookup, routeTable } from './rules.ts';

export interface AuthorizerDeps {
  readonly config: Pick<ServiceConfig, 'settings' | 'policy'>;
  readonly accounts: ActiveAccounts;
  readonly components: Components;
  readonly credentials: Pick<Credentials, 'roleRegistry' | 'tokenVerifier' | 'tokens'>;
  readonly trustedHeaders: Pick<TrustedHeaders, 'current'>;
  readonly store: Pick<Store, 'accounts'>;
  /** How long an identity is remembered on its connection. */
  readonly remembering: Remembering;
  readonly clock: Clock;
  readonly logs: Logs;
  readonly metrics: Metrics;
}

export interface Authorizer {
  readonly destinations: DestinationRules;
  readonly rules: () => Rules;
  /** The same without counters, for questions that are not requests of a client. */
  readonly uncounted: () => Rules;
  readonly headers: () => HeaderRules;
  readonly explain: Explainer;
  /** The cameras of an id; the answers are remembered with those for the rules. */
  readonly camerasOf: OwnerCameras;
  /** The names of the cameras that a scope sees. */
  readonly seen: (scope: CameraScope) => readonly CameraName[];
}

export function createAuthorizer(deps: AuthorizerDeps): Authorizer {
  const { config, accounts, components, trustedHeaders, store, clock, logs, metrics } = deps;
  const { settings, policy } = config;
  const { roleRegistry, tokenVerifier, tokens } = deps.credentials;
  const { links } = accounts;
  const cameras = components.cameras.it;
  const destinations = destinationRules(settings, components.events.it?.upstream);
  const owners = ownerLookup(destinations, askerOf(settings));
  const authorizer = {
    settings,
    routes: routeTable(policy, settings),
    destinations,
    verifySession: accounts.sessions.verify,
    verifyApiToken: tokenVerifier.verify,
    verifyLink: links.verifyFrom,
    sharedBy: links.sharedFrom,
    roleRegistry,
    now: () => unixSeconds(clock),
    layout: cameras.layout,
    owners,
  };
  const trace = isTraced(config) ? identityTrace(logs) : undefined;
  const onUntrustedDescription = warningOfDescription(logs);
  const onIncompleteDescription = warningOfMissingHeader(logs);
  const decide = (list: TrustedHeaderList) => {
    const rules = decisionRules({
      ...authorizer,
      verifySession: countedVerify(authorizer.verifySession, metrics),
      verifyApiToken: countedVerify(authorizer.verifyApiToken, metrics),
      allowlist: list.names,
      trace,
      onRole: countedRole(metrics),
      onUntrustedHeaders: () => metrics.untrustedHeaders.add(1),
      onUntrustedDescription,
      onIncompleteDescription,
      remembering: deps.remembering,
    });
    const carriesProxySecret = countedSecretCheck(rules.carriesProxySecret, metrics);
    return { list, headers: headerRules(settings, list.names), rules: { ...rules, carriesProxySecret } };
  };
  let decided = decide(trustedHeaders.current());
  const upToDate = () => {
    if (decided.list !== trustedHeaders.current()) decided = decide(trustedHeaders.current());
    return decided;
  };
  const seen = (scope: CameraScope) => visibleCameras(scope, cameras.current() ?? []);
  const uncounted = (trace?: Trace): Rules =>
    decisionRules({
      ...authorizer,
      verifyApiToken: tokens.verify,
      verifyLink: links.verify,
      allowlist: upToDate().list.names,
      trace,
    });
  const explain = createExplainer({
    settings,
    roles: roleRegistry.active,
    now: () => unixSeconds(clock),
    findUser: (name) => store.accounts.findUser(name),
    destinations,
    headers: () => upToDate().headers,
    camerasOf: seen,
    rules: uncounted,
  });
  return {
    destinations,
    rules: () => upToDate().rules,
    uncounted,
    headers: () => upToDate().headers,
    explain,
    camerasOf: owners.camerasOf,
    seen,
  };
}

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
