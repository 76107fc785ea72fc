/** The rules of the decision, built from the configuration: for the gate, and for commands and `explain`, which judge without a server (SPEC 3 to 5). */
import type { Surroundings } from '../access/access-verdict.ts';
import type { NvrAdapter } from '../access/nvr-adapter.ts';
import { compileRouteTable, type RouteTable } from '../access/route-table.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import type { User } from '../domain/accounts/account.ts';
import { trustedNetworks, type Upstream } from '../domain/addresses.ts';
import type { Sharer } from '../domain/async.ts';
import { type CameraScope, visibleCameras } from '../domain/camera-scope.ts';
import { LOGIN_PATH } from '../domain/page-paths.ts';
import { normalizedHeaderName, type RequestTarget } from '../domain/request.ts';
import { createProxySecretCheck } from '../identity/proxy-header-source.ts';
import { openProxyKeys } from '../identity/proxy-jwt-source.ts';
import { identitySources, type SourceDeps, type Verifiers } from '../identity/sources.ts';
import { adapterNamed } from '../nvr/adapters.ts';
import type { Rules, StandsFor } from './decision/admit.ts';
import { type DestinationRules, eventPaths, findDestination } from './decision/destinations.ts';
import { createOwnerLookup } from './decision/owner-lookup.ts';
import { tooMuchIn } from './decision/query-bounds.ts';
import { createExplainer } from './explain/explain.ts';
import type { HeaderRules } from './forward/judged-request.ts';
import { createAsker } from './forward/nvr-questions.ts';

/** What rules are built from. */
export interface RulePlace {
  readonly config: TableConfig;
  /** What credentials are worth; nothing of it is counted. */
  readonly identities: Verifiers &
    Pick<SourceDeps, 'roleRegistry' | 'now' | 'slotted'> &
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
  const { standsFor, findViewed, subtract } = identities;
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
    surroundings: () => ({ layout: layout(), now: identities.now() }),
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
