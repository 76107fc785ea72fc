/** Introduces the gate to everything that it decides by: who calls, what they may, and what is the service's own. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { OwnConfig } from './access/narrow-config.ts';
import { createConfigSetRoute } from './accounts/config-set-route.ts';
import { createLoginRoutes } from './accounts/login-routes.ts';
import { createRoleRoutes } from './accounts/role-routes.ts';
import { createSessionRoutes } from './accounts/session-routes.ts';
import { createTokenRoutes } from './accounts/token-routes.ts';
import { createUserRoutes } from './accounts/user-routes.ts';
import type { Accounts } from './app-accounts.ts';
import { countedRole, countedSecretCheck, countedVerify } from './app-counted.ts';
import type { EventsBackend } from './app-events.ts';
import { createExplainer } from './app-explain.ts';
import { formLogIn } from './app-form-login.ts';
import { corridorRules, headerRules, ownerLookup, readRouteTable } from './app-rules.ts';
import type { TrustedHeaders } from './app-trusted-headers.ts';
import { askerOf } from './app-upstreams.ts';
import type { Settings } from './config/schema.ts';
import { type CustomRoles, scopeOf, visibleCameras } from './domain/camera-scope.ts';
import type { Clock } from './domain/clock.ts';
import type { CameraName } from './domain/names.ts';
import { singleHeader } from './domain/request.ts';
import type { ServiceStatus } from './domain/status.ts';
import { createExplainRoutes } from './gateway/explain-route.ts';
import type { Forwarder } from './gateway/forward.ts';
import type { GateParts } from './gateway/gate.ts';
import type { GateWatch } from './gateway/gate-watch.ts';
import type { KnownCameraList } from './gateway/known-cameras.ts';
import type { MessageRelay } from './gateway/message-relay.ts';
import type { OpenStreams } from './gateway/open-streams.ts';
import type { PageFacts } from './gateway/refuse.ts';
import { createStatusRoutes } from './gateway/status-route.ts';
import { createUnknownRoutes, type UnknownRoutes } from './gateway/unknown-routes.ts';
import type { Trace } from './identity/identity-trace.ts';
import type { TrustedHeaderList } from './identity/trusted-headers-file.ts';
import type { Logs } from './telemetry/log.ts';
import type { Metrics } from './telemetry/metrics.ts';
import { readBuiltPages } from './ui/built-pages.ts';
import { pageHeaders } from './ui/page-headers.ts';
import { renderRefusalPage } from './ui/refusal-page.ts';
import { ASSETS_PATH, createUiRoutes } from './ui/serve-ui.ts';

export interface GateNeighbours {
  readonly settings: Settings;
  readonly directory: string;
  readonly trustedHeaders: TrustedHeaders;
  readonly accounts: Accounts;
  readonly backend: EventsBackend | undefined;
  readonly cameras: KnownCameraList;
  readonly forwarder: Forwarder;
  readonly relay: MessageRelay;
  readonly openStreams: OpenStreams;
  readonly logs: Logs;
  readonly metrics: Metrics;
  readonly watch: GateWatch;
  readonly clock: Clock;
  /** What the status page tells. */
  readonly status: (unknownRoutes: UnknownRoutes) => () => Promise<ServiceStatus>;
}

const PAGES = join(import.meta.dirname, '../dist/ui');
const LOGIN_PATH = '/login';

export async function gateParts(neighbours: GateNeighbours): Promise<GateParts> {
  const {
    settings,
    directory,
    trustedHeaders,
    accounts,
    backend,
    cameras,
    forwarder,
    relay,
    openStreams,
    logs,
    metrics,
  } = neighbours;
  const { auth, nvr } = settings;
  const destinations = { eventsBackend: backend?.upstream, nvr: nvr.url, routes: nvr.routes };
  const routes = await readRouteTable(settings, directory);
  const ask = askerOf(settings);
  const judging = {
    settings,
    routes,
    destinations,
    verifySession: accounts.sessions.verify,
    verifyApiToken: accounts.guardedTokens.verify,
    roleBook: accounts.roleBook,
    layout: cameras.layout,
    owners: ownerLookup(destinations, ask),
  };
  const onUntrustedDescription = warningOfDescription(logs);
  const decide = (list: TrustedHeaderList) => {
    const rules = corridorRules({
      ...judging,
      verifySession: countedVerify(judging.verifySession, metrics),
      verifyApiToken: countedVerify(judging.verifyApiToken, metrics),
      allowlist: list.names,
      trace: identityTrace(logs),
      onRole: countedRole(metrics),
      onUntrustedHeaders: () => metrics.untrustedHeaders.add(1),
      onUntrustedDescription,
    });
    const carriesProxySecret = countedSecretCheck(rules.carriesProxySecret, metrics);
    return { list, headers: headerRules(settings, list.names), rules: { ...rules, carriesProxySecret } };
  };
  let decided = decide(trustedHeaders.current());
  const upToDate = () => {
    if (decided.list !== trustedHeaders.current()) decided = decide(trustedHeaders.current());
    return decided;
  };
  const pages = readBuiltPages(PAGES);
  const stylesheet = pages.kind === 'built' && pages.stylesheet ? `${ASSETS_PATH}${pages.stylesheet}` : undefined;
  const refusals = {
    loginPath: auth.enabled ? LOGIN_PATH : undefined,
    renderPage: ({ basePath, ...page }: PageFacts) => ({
      headers: {
        ...pageHeaders(settings.ui.frame_ancestors),
        'Content-Type': 'text/html; charset=utf-8',
        'Cache-Control': 'no-store',
      },
      body: renderRefusalPage({
        ...page,
        links: [{ href: `${basePath}/`, text: 'To the start page' }],
        stylesheet: stylesheet && `${basePath}${stylesheet}`,
      }),
    }),
  };
  const seen = (scope: Parameters<typeof visibleCameras>[0]) => visibleCameras(scope, cameras.current() ?? []);
  const explain = createExplainer({
    settings,
    roles: accounts.routeParts.roles,
    findUser: (name) => accounts.routeParts.store.findUser(name),
    destinations,
    headers: () => upToDate().headers,
    camerasOf: seen,
    rules: (trace) =>
      corridorRules({ ...judging, verifyApiToken: accounts.tokens.verify, allowlist: upToDate().list.names, trace }),
  });
  const unknownRoutes = createUnknownRoutes(neighbours.clock);
  const ui = createUiRoutes({
    pages,
    loginPage: settings.ui.login,
    hasNvr: nvr.url !== undefined,
    hasOwnLogin: auth.enabled,
    frameAncestors: settings.ui.frame_ancestors,
    logIn: formLogIn(accounts.routeParts),
    bodySeconds: accounts.routeParts.bodySeconds,
    basePathOf: (ctx) => ctx.state['basePath'] ?? '',
  });
  return {
    rules: () => upToDate().rules,
    destinations: () => destinations,
    headers: () => upToDate().headers,
    refusals: () => refusals,
    forwarder,
    ownRoutes: [
      createLoginRoutes({ ...accounts.routeParts, visibleCameras: seen }),
      createUserRoutes({ ...accounts.routeParts, sessions: accounts.sessionsAfterPasswordChange }),
      createRoleRoutes({ ...accounts.routeParts, knownCameras: () => cameras.current() ?? [] }),
      createConfigSetRoute(accounts.routeParts),
      createSessionRoutes(accounts.routeParts),
      createTokenRoutes(accounts.routeParts),
      createExplainRoutes({ explain }),
      createStatusRoutes(neighbours.status(unknownRoutes)),
      ui,
    ],
    renewal: async (caller, client) => {
      const token = await accounts.sessions.renewalFor(caller);
      return token === undefined ? undefined : accounts.sessions.cookieFor(token, client);
    },
    desk: {
      ask,
      ownConfig: async () => ownConfigOf(settings, await accounts.routeParts.roles(), cameras.current() ?? []),
      onConfigRead: cameras.learn,
    },
    relay,
    openStreams,
    onCaller: (caller, { address }, request) =>
      accounts.seenSessions.note(caller, { address, agent: singleHeader(request, 'user-agent') }),
    unknownRoutes,
    newRequestId: randomUUID,
    watch: neighbours.watch,
  };
}

/** As the NVR's pages read it. */
function ownConfigOf({ auth, proxy }: Settings, roles: CustomRoles, known: readonly CameraName[]): OwnConfig {
  const listed = [...roles].map(([role, entries]) => [role, visibleCameras(scopeOf(entries), known)]);
  const { enabled, refresh_time, session_length, cookie_name } = auth;
  return {
    auth: {
      enabled,
      roles: { ...Object.fromEntries(listed), admin: [], viewer: [] },
      refresh_time,
      session_length,
      cookie_name,
    },
    proxy: { logout_url: proxy.logout_url },
  };
}

const LONGEST_LOGGED_PATH = 512;

/** A line for each request at debug; nothing is gathered for it at other levels (interface 2.5). */
function identityTrace(logs: Logs): Trace | undefined {
  const log = logs.named('service.api.auth');
  if (!log.isLevelEnabled('debug')) return undefined;
  return (entry, { method, target, peer }) => {
    const path = target.split('?', 1)[0]?.slice(0, LONGEST_LOGGED_PATH);
    log.debug({ ...entry, peer, method, path }, 'identified');
  };
}

/** Said once, for any client can send such headers. A proxy that asks in vain would let everybody do everything. */
function warningOfDescription(logs: Logs): (peer: string) => void {
  const log = logs.named('service.gate');
  let isSaid = false;
  return (peer) => {
    if (isSaid) return;
    isSaid = true;
    log.warn(
      { peer },
      '/auth was asked about another request by a peer that is not trusted, and answered for itself: if that is your proxy, list its address in auth.trusted_proxies',
    );
  };
}
