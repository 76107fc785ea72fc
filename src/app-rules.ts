/** What the corridor judges by, made from the settings: for the gate, and for `explain`, which must judge the same. */
import type { Surroundings } from './access/authorize.ts';
import { compileRouteTable, type RouteTable } from './access/route-table.ts';
import { loadPolicy } from './config/load-policy.ts';
import { formatProblem } from './config/problems.ts';
import type { Settings } from './config/schema.ts';
import type { CustomRoles } from './domain/camera-scope.ts';
import { normalizedHeaderName } from './domain/header-names.ts';
import { headerLines, type PlainTarget, type RequestFacts } from './domain/request.ts';
import type { Result } from './domain/result.ts';
import type { Upstream } from './domain/socket-address.ts';
import type { ApiTokenVerdict, IdentitySource, SessionVerdict } from './domain/verdict.ts';
import type { Rules } from './gateway/admit.ts';
import { clientAddress, createTrustedNetworks, isTrustedPeer, type TrustedNetworks } from './gateway/client-address.ts';
import { type DestinationRules, destinationOf } from './gateway/destinations.ts';
import { createOwnerLookup, type OwnerLookup } from './gateway/owner-lookup.ts';
import { asksTooMuch } from './gateway/query-bounds.ts';
import type { HeaderRules } from './gateway/rewrite-headers.ts';
import { createApiTokenSource } from './identity/api-token-source.ts';
import type { Trace } from './identity/identity-trace.ts';
import { internalSource } from './identity/internal-source.ts';
import { createProxyHeaderSource } from './identity/proxy-header-source.ts';
import { createProxySecretCheck } from './identity/proxy-secret.ts';
import type { RoleVerdict } from './identity/role-mapping.ts';
import { createSessionSource } from './identity/session-source.ts';

export interface RuleParts {
  readonly settings: Settings;
  readonly routes: RouteTable;
  readonly destinations: DestinationRules;
  /** Header names that may carry an identity, lower-case. */
  readonly allowlist: ReadonlySet<string>;
  readonly verifySession: (token: string, carriedBy: 'cookie' | 'bearer') => Promise<SessionVerdict>;
  readonly verifyApiToken: (token: string, carriedBy: 'bearer' | 'basic', address: string) => Promise<ApiTokenVerdict>;
  /** As last read, and as they are now. */
  readonly roleBook: { current(): CustomRoles; latest(): Promise<CustomRoles> };
  readonly layout: () => Surroundings['layout'];
  readonly owners: OwnerLookup;
  readonly trace?: Trace | undefined;
  readonly onRole?: (role: RoleVerdict) => void;
  readonly onUntrustedHeaders?: () => void;
}

export function corridorRules(parts: RuleParts): Rules {
  const { settings, routes, destinations, layout, owners } = parts;
  const secrets = settings.proxy.auth_secret;
  const carriesProxySecret = secrets.length > 0 ? createProxySecretCheck(secrets) : undefined;
  return {
    trusted: networks(settings.auth.trusted_proxies),
    routes,
    sources: {
      internal: [internalSource],
      external: [apiTokenSource(parts), externalSource(parts, carriesProxySecret)],
    },
    carriesProxySecret,
    internalHosts: settings.server.internal_hosts,
    basePath: settings.server.base_path,
    surroundings: () => ({
      layout: layout(),
      isDenied: (role, verb) => settings.auth.denied.get(role)?.includes(verb) ?? false,
    }),
    owners,
    // The events backend checks the parameters itself, and says which one it is.
    isHarmful: (method, target) =>
      destinationOf(method, target, destinations).kind === 'nvr' && asksTooMuch(target, settings.events.max_limit),
  };
}

/** Asks in the service's own name, with an admin's rights. */
type Ask = (upstream: Upstream, path: string) => Promise<unknown>;

/** An event's owner is asked where the event's answer will come from: the backend may know other events than the NVR. */
export function ownerLookup(destinations: DestinationRules, ask: Ask): OwnerLookup {
  const nvrOnly = { ...destinations, eventsBackend: undefined };
  const askNvr = async (path: string): Promise<unknown> => {
    const owner = destinationOf('GET', plainPath(path), nvrOnly);
    if (owner.kind === 'nobody') throw new Error('no NVR is configured');
    return ask(owner.upstream, path);
  };
  return createOwnerLookup((method, target) => {
    const served = destinationOf(method, target, destinations);
    if (served.kind !== 'events-backend') return { name: 'nvr', ask: askNvr };
    return { name: served.kind, ask: (path) => ask(served.upstream, path) };
  });
}

const plainPath = (path: string): PlainTarget => ({ path, segments: path.slice(1).split('/'), query: '' });

/** A credential of its own, whoever else may come in (SPEC 3). */
function apiTokenSource({ settings, verifyApiToken: verify, trace }: RuleParts): IdentitySource {
  const trusted = networks(settings.auth.trusted_proxies);
  const addressOf = (request: RequestFacts): string =>
    clientAddress(request.peer, headerLines(request, 'x-forwarded-for'), trusted);
  return createApiTokenSource({ verify, addressOf, trace });
}

/** Interface 5.5.1: the service's own accounts, or the headers of a proxy in front; never both. */
function externalSource(parts: RuleParts, carriesProxySecret: Rules['carriesProxySecret']): IdentitySource {
  const { allowlist, verifySession, roleBook, trace, onRole, onUntrustedHeaders } = parts;
  const { auth, proxy } = parts.settings;
  if (auth.enabled) return createSessionSource({ cookieName: auth.cookie_name, verify: verifySession, trace });
  const peers = trustedPeersOf(parts.settings);
  const trusted = networks(peers);
  const source = createProxyHeaderSource({
    headerMap: proxy.header_map,
    allowlist,
    trustsPeer: (peer) => peers.length === 0 || isTrustedPeer(peer, trusted),
    separator: proxy.separator,
    roleMap: proxy.role_map,
    defaultRole: proxy.default_role,
    customRoles: roleBook.current,
    carriesProxySecret,
    trace,
    onRole,
    onUntrustedHeaders,
  });
  return {
    name: source.name,
    async identify(request) {
      await roleBook.latest();
      return source.identify(request);
    },
  };
}

/** Whose identity headers are believed; with nobody named, everybody's (SPEC 11). */
export const trustedPeersOf = ({ auth, proxy }: Settings): readonly string[] =>
  proxy.trusted_peers.length > 0 ? proxy.trusted_peers : auth.trusted_proxies;

export const headerRules = ({ nvr, auth }: Settings, allowlist: ReadonlySet<string>): HeaderRules => ({
  identityHeaders: new Set([...allowlist].map(normalizedHeaderName)),
  userHeader: nvr.user_header,
  roleHeader: nvr.role_header,
  nvrSecret: nvr.auth_secret,
  cookieName: auth.cookie_name,
});

/** Rejects with every problem of the table. */
export async function readRouteTable({ nvr }: Settings, directory: string): Promise<RouteTable> {
  const policy = await loadPolicy(nvr.policy, directory);
  if (policy.kind === 'loaded') return compileRouteTable(policy.rows);
  throw new Error(policy.problems.map((problem) => formatProblem(nvr.policy, problem)).join('\n'));
}

const networks = (cidrs: readonly string[]): TrustedNetworks => mustBeGood(createTrustedNetworks(cidrs));

function mustBeGood<Value>(result: Result<Value, string>): Value {
  if (!result.ok) throw new Error(result.error);
  return result.value;
}
