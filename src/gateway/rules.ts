/** The rules of the decision, built from the configuration: for the gate with its links, and for commands and `explain`, which judge without a server (SPEC 3 to 5). */

import type { Surroundings } from '../access/access-verdict.ts';
import type { EventRules, NvrAdapter } from '../access/nvr-adapter.ts';
import { compileRouteTable, type RouteTable } from '../access/route-table.ts';
import type { Settings } from '../config/schema/schema.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import type { User } from '../domain/accounts/account.ts';
import { trustedNetworks, type Upstream } from '../domain/addresses.ts';
import type { Sharer } from '../domain/async.ts';
import { type CameraScope, visibleCameras } from '../domain/camera-scope.ts';
import { normalizedHeaderName } from '../domain/header-names.ts';
import { LOGIN_PATH } from '../domain/login-path.ts';
import type { TableHead } from '../domain/policy.ts';
import type { RequestTarget } from '../domain/request.ts';
import { tracingHeaders } from '../identity/header-traces.ts';
import type { Trace } from '../identity/identity-trace.ts';
import { internalSource } from '../identity/internal-source.ts';
import { type KeyAnswer, proxyKeysOf } from '../identity/key-set.ts';
import { createProxySecretCheck } from '../identity/proxy-secret.ts';
import { apiTokenSource, externalSource, linkSource, type SourceDeps, screenSources } from '../identity/sources.ts';
import { adapterNamed } from '../nvr/adapters.ts';
import type { Rules } from './decision/admit.ts';
import { type DestinationRules, destinationOf, eventPaths } from './decision/destinations.ts';
import { createOwnerLookup } from './decision/owner-lookup.ts';
import { tooMuchIn } from './decision/query-bounds.ts';
import { createExplainer } from './explain/explainer.ts';
import { askerOf } from './forward/nvr-questions.ts';
import type { HeaderRules } from './forward/rewrite-headers.ts';

/** What rules are built from. The verifiers count nothing. */
export interface RuleSources
  extends Omit<SourceDeps, 'settings' | 'allowlist' | 'proxyKeys' | 'trace'>,
    Pick<Rules, 'sharedBy' | 'findViewed' | 'behindCurtain' | 'isNvrOlder'> {
  readonly config: TableConfig;
  readonly eventsBackend: Upstream | undefined;
  /** The names of trusted headers. */
  readonly allowlist: () => ReadonlySet<string>;
  readonly layout: () => Surroundings['layout'];
  readonly findUser: (name: string) => Promise<User | undefined>;
  /** Called each time that the keys of `proxy.jwt` were asked for. */
  readonly onProxyKeys?: (answer: KeyAnswer) => void;
}

/** Counters, and verifiers that count. */
export type CountedSources = Partial<Omit<SourceDeps, 'trace'> & Rules & { readonly trace: Trace | undefined }>;

export type OpenRules = ReturnType<typeof openRules>;

export function openRules(sources: RuleSources) {
  const { config, allowlist, layout } = sources;
  const { settings, tableHead } = config;
  const routes = routeTable(config);
  const destinations = destinationRules(settings, sources.eventsBackend, routes.nvr.events);
  const owners = ownerLookup(destinations, askerOf(settings), routes.nvr);
  const proxyKeys = proxyKeysOf(settings, sources.onProxyKeys);
  const { queries } = routes.nvr;
  const malformedIn = (target: RequestTarget) => tooMuchIn(target, queries);
  /** Takes the headers that are trusted now. */
  const rules = (more: CountedSources = {}): Rules => {
    const trace = more.trace && tracingHeaders(more.trace, allowlist());
    const deps = { ...sources, settings, proxyKeys, ...more, allowlist: allowlist(), trace };
    const secrets = settings.proxy.auth_secret;
    const carriesProxySecret = secrets.length > 0 ? createProxySecretCheck(secrets) : undefined;
    const { sharedBy, findViewed, behindCurtain, isNvrOlder } = sources;
    return {
      trusted: trustedNetworks(settings.auth.trusted_proxies),
      routes,
      sources: {
        internal: [linkSource(deps), internalSource],
        external: [
          linkSource(deps),
          apiTokenSource(deps),
          externalSource(deps, carriesProxySecret),
          ...screenSources(deps),
        ],
      },
      carriesProxySecret,
      internalHosts: settings.server.internal_hosts,
      basePath: settings.server.base_path,
      surroundings: () => ({ layout: layout(), now: deps.now() }),
      owners,
      sharedBy,
      findViewed,
      behindCurtain,
      // The events backend checks the parameters itself, and says which one it is.
      harmfulIn: (method, target) =>
        destinationOf(method, target, destinations).kind === 'nvr' ? malformedIn(target) : undefined,
      malformedIn,
      isNvrOlder,
      onUntrustedDescription: more.onUntrustedDescription,
      onIncompleteDescription: more.onIncompleteDescription,
      onConflictingDescription: more.onConflictingDescription,
      publicOrigin: settings.server.public_url?.origin,
    };
  };
  const headers = (): HeaderRules => headerRules(settings, tableHead, allowlist());
  /** The names of the cameras that a scope sees. */
  const seen = (scope: CameraScope) => visibleCameras(scope, layout()?.cameras ?? []);
  const explain = createExplainer({ ...sources, rules, destinations, headers, seen });
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

const destinationRules = (
  { nvr, events }: Settings,
  eventsBackend: Upstream | undefined,
  { atNvr }: EventRules,
): DestinationRules => ({
  eventsBackend,
  eventPaths: eventPaths(atNvr),
  hasNvrPictures: events.source === 'nvr-database',
  nvr: nvr.url,
  routes: nvr.routes,
});

/** Asks in Postern's own name, with an admin's rights. */
type AskUpstream = (upstream: Upstream, path: string, sharer?: Sharer) => Promise<unknown>;

/** An event's camera is asked of the upstream that will serve the event: the backend may know other events than the NVR. */
function ownerLookup(
  destinations: DestinationRules,
  ask: AskUpstream,
  nvr: NvrAdapter,
): ReturnType<typeof createOwnerLookup> {
  const nvrOnly = { ...destinations, eventsBackend: undefined };
  const askNvr = async (path: string, sharer: Sharer | undefined): Promise<unknown> => {
    const owner = destinationOf('GET', plainPath(path), nvrOnly);
    if (owner.kind === 'none') throw new Error('no NVR is configured');
    return ask(owner.upstream, path, sharer);
  };
  return createOwnerLookup(({ method, target, sharer }) => {
    const served = destinationOf(method, target, destinations);
    if (served.kind !== 'events-backend') return { name: 'nvr', ask: (path) => askNvr(path, sharer) };
    return { name: served.kind, ask: (path) => ask(served.upstream, path, sharer) };
  }, nvr);
}

const plainPath = (path: string): RequestTarget => ({ path, segments: path.slice(1).split('/'), query: '' });

const headerRules = (
  { nvr, auth, proxy }: Settings,
  { authorization }: TableHead,
  allowlist: ReadonlySet<string>,
): HeaderRules => ({
  // A signed token would open the service behind to each program that reads it there.
  identityHeaders: new Set([...allowlist, ...(proxy.jwt?.headers ?? [])].map(normalizedHeaderName)),
  nvrSecret: nvr.auth_secret,
  cookieName: auth.cookie_name,
  dropsAuthorization: authorization === 'dropped',
});
