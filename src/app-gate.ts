/** Introduces the gate to everything that it decides by: who calls, what they may, and what is the service's own. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compileRouteTable } from './access/route-table.ts';
import { createLoginRoutes } from './accounts/login-routes.ts';
import { createUserRoutes } from './accounts/user-routes.ts';
import type { Accounts } from './app-accounts.ts';
import type { EventsBackend } from './app-upstreams.ts';
import { loadPolicy } from './config/load-policy.ts';
import { formatProblem } from './config/problems.ts';
import type { Settings } from './config/schema.ts';
import { visibleCameras } from './domain/camera-scope.ts';
import { normalizedHeaderName } from './domain/header-names.ts';
import type { Result } from './domain/result.ts';
import type { IdentitySource } from './domain/verdict.ts';
import type { Rules } from './gateway/admit.ts';
import { createTrustedNetworks, isTrustedPeer, type TrustedNetworks } from './gateway/client-address.ts';
import type { Forwarder } from './gateway/forward.ts';
import type { GateParts } from './gateway/gate.ts';
import type { KnownCameraList } from './gateway/known-cameras.ts';
import { internalSource } from './identity/internal-source.ts';
import { createProxyHeaderSource } from './identity/proxy-header-source.ts';
import { createProxySecretCheck } from './identity/proxy-secret.ts';
import { createSessionSource } from './identity/session-source.ts';
import { parseTrustedHeaders } from './identity/trusted-headers.ts';
import type { Logs } from './telemetry/log.ts';
import type { Metrics } from './telemetry/metrics.ts';
import { watchGate } from './telemetry/watch-gate.ts';
import { readBuiltPages } from './ui/built-pages.ts';
import { PAGE_HEADERS } from './ui/page-headers.ts';
import { renderRefusalPage } from './ui/refusal-page.ts';
import { ASSETS_PATH, createUiRoutes } from './ui/serve-ui.ts';

export interface GateNeighbours {
  readonly settings: Settings;
  readonly directory: string;
  readonly accounts: Accounts;
  readonly backend: EventsBackend | undefined;
  readonly cameras: KnownCameraList;
  readonly forwarder: Forwarder;
  readonly logs: Logs;
  readonly metrics: Metrics;
}

const PAGES = join(import.meta.dirname, '../dist/ui');
const LOGIN_PATH = '/login';

export async function gateParts(neighbours: GateNeighbours): Promise<GateParts> {
  const { settings, accounts, backend, cameras, forwarder, logs, metrics } = neighbours;
  const { auth, nvr } = settings;
  const allowlist = await readTrustedHeaders();
  const rules = await corridorRules(neighbours, allowlist);
  const pages = readBuiltPages(PAGES);
  const stylesheet = pages.kind === 'built' && pages.stylesheet ? `${ASSETS_PATH}${pages.stylesheet}` : undefined;
  const destinations = { eventsBackend: backend?.upstream, nvr: nvr.url, routes: nvr.routes };
  const headers = {
    identityHeaders: new Set([...allowlist].map(normalizedHeaderName)),
    userHeader: nvr.user_header,
    roleHeader: nvr.role_header,
    nvrSecret: nvr.auth_secret,
    cookieName: auth.cookie_name,
  };
  const refusals = {
    loginPath: auth.enabled ? LOGIN_PATH : undefined,
    renderPage: (page: { status: number; message: string; requestId: string }) => ({
      headers: { ...PAGE_HEADERS, 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
      body: renderRefusalPage({ ...page, links: [{ href: '/', text: 'To the start page' }], stylesheet }),
    }),
  };
  const seen = (scope: Parameters<typeof visibleCameras>[0]) => visibleCameras(scope, cameras.current() ?? []);
  const ui = createUiRoutes({ pages, loginPage: settings.ui.login, consoleAtRoot: !nvr.url, basePathOf: () => '' });
  return {
    rules: () => rules,
    destinations: () => destinations,
    headers: () => headers,
    refusals: () => refusals,
    forwarder,
    ownRoutes: [
      createLoginRoutes({ ...accounts.routeParts, visibleCameras: seen }),
      createUserRoutes(accounts.routeParts),
      ui,
    ],
    renewal: async (caller, client) => {
      const token = await accounts.sessions.renewalFor(caller);
      return token === undefined ? undefined : accounts.sessions.cookieFor(token, client);
    },
    newRequestId: randomUUID,
    watch: watchGate(metrics, logs),
  };
}

async function corridorRules(neighbours: GateNeighbours, allowlist: ReadonlySet<string>): Promise<Rules> {
  const { settings, directory, cameras } = neighbours;
  const policy = await loadPolicy(settings.nvr.policy, directory);
  if (policy.kind === 'invalid') {
    throw new Error(policy.problems.map((problem) => formatProblem(settings.nvr.policy, problem)).join('\n'));
  }
  const secrets = settings.proxy.auth_secret;
  return {
    trusted: networks(settings.auth.trusted_proxies),
    routes: compileRouteTable(policy.rows),
    sources: { internal: [internalSource], external: [externalSource(neighbours, allowlist)] },
    carriesProxySecret: secrets.length > 0 ? createProxySecretCheck(secrets) : undefined,
    internalHosts: settings.server.internal_hosts,
    knownCameras: () => cameras.current(),
  };
}

/** Interface 5.5.1: the service's own accounts, or the headers of a proxy in front; never both. */
function externalSource({ settings, accounts, logs }: GateNeighbours, allowlist: ReadonlySet<string>): IdentitySource {
  const { auth, proxy } = settings;
  const log = logs.named('service.api.auth');
  const trace = log.isLevelEnabled('debug') ? (entry: object) => log.debug(entry, 'identified') : undefined;
  if (auth.enabled)
    return createSessionSource({ cookieName: auth.cookie_name, verify: accounts.sessions.verify, trace });
  const trustedPeers = proxy.trusted_peers.length > 0 ? proxy.trusted_peers : auth.trusted_proxies;
  const trusted = networks(trustedPeers);
  return createProxyHeaderSource({
    headerMap: proxy.header_map,
    allowlist,
    trustsPeer: (peer) => trustedPeers.length === 0 || isTrustedPeer(peer, trusted),
    separator: proxy.separator,
    roleMap: proxy.role_map,
    defaultRole: proxy.default_role,
    customRoles: () => auth.roles,
    trace,
  });
}

const networks = (cidrs: readonly string[]): TrustedNetworks => mustBeGood(createTrustedNetworks(cidrs));

function mustBeGood<Value>(result: Result<Value, string>): Value {
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

/** Interface 5.5.7: a file that is mounted there takes the place of the one that is shipped. */
const MOUNTED_LIST = '/usr/local/nginx/conf/proxy_trusted_headers.conf';
const SHIPPED_LIST = join(import.meta.dirname, '../trusted-headers/proxy_trusted_headers.conf');

async function readTrustedHeaders(): Promise<ReadonlySet<string>> {
  const mounted = await readFile(MOUNTED_LIST, 'utf8').catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT') return undefined;
    throw new Error(`${MOUNTED_LIST} cannot be read: make it readable for this user`, { cause: fault });
  });
  const [file, text] =
    mounted === undefined ? [SHIPPED_LIST, await readFile(SHIPPED_LIST, 'utf8')] : [MOUNTED_LIST, mounted];
  const names = parseTrustedHeaders(text);
  if (!names.ok) throw new Error(`${file}:${names.error.line}: ${names.error.message}`);
  return names.value;
}
