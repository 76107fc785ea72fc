/** What holds under one configuration, its services and its gate: a reload makes the next generation and swaps the reference (SPEC 1). */
import { randomUUID } from 'node:crypto';
import type { OwnConfig } from '../access/nvr-adapter.ts';
import { passkeyParty } from '../accounts/passkeys/passkeys.ts';
import type { HouseSettings } from '../accounts/settings/house-settings.ts';
import type { Settings } from '../config/schema/schema.ts';
import type { ServiceConfig } from '../config/service-config.ts';
import { mapMaybe } from '../domain/async.ts';
import type { Caller } from '../domain/caller.ts';
import { type CustomRoles, toScope, visibleCameras } from '../domain/camera-scope.ts';
import { actualSender, credentialName } from '../domain/credentials.ts';
import type { CameraName } from '../domain/names.ts';
import { singleHeader } from '../domain/request.ts';
import type { ActiveFeature } from '../features/feature.ts';
import type { Client } from '../gateway/decision/request-facts.ts';
import { createHandlers } from '../gateway/entry/app.ts';
import { createAsker, questionFor } from '../gateway/forward/nvr-questions.ts';
import type { Gate } from '../gateway/gate.ts';
import { partsUnder, serviceStatus } from '../gateway/readiness.ts';
import { refusalRules } from '../gateway/response/error-responses.ts';
import { createAuthorizer } from '../gateway/rules.ts';
import { createStartPage } from '../gateway/start-page.ts';
import { askText } from '../outbound/ask-upstream.ts';
import { openApiDocument } from '../routes/document.ts';
import type { BoundRoute, RouteContext } from '../routes/own-route.ts';
import { readinessOf } from '../telemetry/readiness.ts';
import { postInvitation } from '../ui/invitation-page.ts';
import { leadToConsole } from '../ui/serve-ui.ts';
import type { UiOptions } from '../ui/ui-options.ts';
import { boundRoutes, CORE_ROUTES } from './own-routes.ts';
import { type Components, openComponents, replacedComponents } from './resources/components.ts';
import type { Runtime } from './runtime.ts';
import type { AccountServices, Services } from './services.ts';

/** A request stays with the generation that it found: nothing in it changes with the next. */
export type Generation = ReturnType<typeof generationUnder>;

/** What a generation is made from beside its configuration. */
export interface GenerationDeps {
  readonly runtime: Runtime;
  readonly warnings: () => readonly string[];
  readonly house: HouseSettings;
}

/** Changes nothing that holds now. Rejects with a sentence, and nothing new open, when it could not hold. */
export async function openGeneration(
  config: ServiceConfig,
  deps: GenerationDeps,
  before?: Generation,
): Promise<Generation> {
  const { accounts, counters } = deps.runtime;
  const { roleRegistry, publishCameras } = accounts;
  const around = { ...deps.runtime, roles: roleRegistry.current, publishCameras, metrics: counters.metrics };
  const components = await openComponents(config, around, before?.components);
  try {
    return generationUnder(config, deps, components);
  } catch (fault) {
    for (const { close } of replacedComponents(components, before?.components)) await close();
    throw fault;
  }
}

function generationUnder(config: ServiceConfig, { runtime, warnings, house }: GenerationDeps, components: Components) {
  const { settings } = config;
  const { clock, counters } = runtime;
  const accounts = runtime.accounts.under(settings);
  const authorizer = createAuthorizer(
    config,
    accounts,
    { eventsBackend: components.events.it?.upstream, layout: components.cameras.it.layout },
    runtime,
  );
  const hasProxyKeys = !settings.auth.enabled && settings.proxy.jwt;
  const providers = [
    ...accounts.providers.list,
    ...(hasProxyKeys ? [{ name: 'proxy.jwt', fault: authorizer.proxyKeysFault }] : []),
  ];
  const { events, cameras } = components;
  const parts = {
    ...runtime.parts,
    ...partsUnder(config, events.it, cameras.it.fault, providers, counters.metrics),
  };
  const readiness = () => readinessOf(parts);
  const status = serviceStatus(config, readiness, warnings, accounts, runtime);
  const services = servicesUnder(config, accounts, authorizer, components, runtime, {
    status,
    house,
    features: () => features,
  });
  const features: readonly ActiveFeature[] = runtime.features.under({
    config,
    services,
    layout: cameras.it.layout,
    camerasOf: authorizer.camerasOf,
    destinations: authorizer.destinations,
    rules: authorizer.uncounted,
    faults: () => runtime.features.faults(settings, clock),
  });
  const gate = createGate(services, authorizer, components, features, {
    ...runtime,
    watch: counters.watch,
    onCaller(caller, { address }, request) {
      const sender = actualSender(caller);
      accounts.seenSessions.note(sender, { address, agent: singleHeader(request, 'user-agent') });
      if (sender !== caller) runtime.features.note(viewedAs(sender, caller, address));
    },
  });
  const gates = { external: createHandlers('external', gate), internal: createHandlers('internal', gate) };
  /** `rules`: for checking open streams again; nothing of it is counted. */
  return { config, settings, accounts, components, gates, rules: authorizer.uncounted, parts, readiness, status };
}

/** Noted with each request: sightings that follow each other are one record. */
const viewedAs = (sender: Caller, { name: user }: Caller, from: string) =>
  ({
    what: 'viewed-as',
    who: sender.name,
    from,
    credential: credentialName(sender.credential),
    verdict: 'allowed',
    user,
  }) as const;

type Authorizer = ReturnType<typeof createAuthorizer>;

/** What is known where requests are judged and pages are made is added to the accounts. */
function servicesUnder(
  { settings, tableHead, policy }: ServiceConfig,
  accounts: AccountServices,
  authorizer: Authorizer,
  { cameras: { it: cameras }, events }: Components,
  { pages: built, version }: Pick<Runtime, 'pages' | 'version'>,
  { features, ...given }: Pick<Services, 'status' | 'house'> & { readonly features: () => readonly ActiveFeature[] },
): Services {
  const { auth, ui, nvr } = settings;
  const { uncounted: rules, seen } = authorizer;
  const friendlyNameOf = (camera: string): string | undefined => cameras.layout()?.friendly?.get(camera as CameraName);
  const { custom_roles_since: since } = tableHead;

  let description: string | undefined; // made for the first who asks: it is long, and few do
  const services = {
    ...accounts,
    ...given,
    explain: authorizer.explain,
    hasEventsBackend: events.it !== undefined,
    surroundings: () => authorizer.rules().surroundings(),
    apiDescription: () =>
      (description ??= JSON.stringify(
        openApiDocument(version, [...CORE_ROUTES, ...features().flatMap(({ routes = [] }) => routes)]),
      )),
    inProfile: async (ctx: RouteContext, caller: Caller) =>
      Object.assign({}, ...(await Promise.all(features().map((one) => one.inProfile?.(ctx, caller))))),
    knownCameras: () => cameras.current() ?? [],
    visibleCameras: seen,
    friendlyNameOf,
    knowsCustomRoles: async () => since === undefined || !(await authorizer.isNvrOlder(since)),
  };
  const { providers } = accounts;
  const party = passkeyParty(settings);
  const pages: UiOptions = {
    pages: built,
    name: ui.name,
    loginPage: ui.login,
    hasNvr: nvr.url !== undefined,
    still: (nvr.url && tableHead.still) ?? null,
    live: (nvr.url && tableHead.live) ?? null,
    startPageOf: createStartPage({ settings, tableHead, policy }, rules),
    eventsBy: services.hasEventsBackend ? 'backend' : 'nvr',
    hasOwnLogin: auth.enabled,
    providers: providers.list,
    onLoginPage: (...shown) => Promise.all(features().map((one) => one.onLoginPage?.(...shown))),
    hasPasswords: auth.password_login !== 'none' || providers.list.length === 0,
    shortestPassword: auth.password_min_length,
    passkeyOrigin: party.ok ? party.value.origin : '',
    hasOtherNvrs: accounts.store.hasOtherNvrs,
    frameAncestors: ui.frame_ancestors,
    accounts,
    timeZone: auth.timezone ?? undefined,
    invitations: services,
    bodySeconds: accounts.bodySeconds,
  };
  return {
    ...services,
    ui: pages,
    invitationForm: (ctx) => postInvitation(ctx, pages),
  };
}

type MadeWith = Pick<Gate, 'openStreams' | 'clientLimits' | 'upstreamSlots' | 'onCaller' | 'unknownRoutes' | 'watch'>;

function createGate(
  services: Services,
  authorizer: Authorizer,
  { cameras: { it: cameras }, transports }: Components,
  features: readonly ActiveFeature[],
  made: MadeWith,
): Gate {
  const { settings, sessions, ui } = services;
  const cookieWith = (token: string | undefined, { encrypted: clientEncrypted, basePath }: Client) =>
    token === undefined ? undefined : sessions.cookieFor(token, { clientEncrypted, basePath });
  const renewed = (token: (caller: Caller) => ReturnType<typeof sessions.renew>) => (caller: Caller, client: Client) =>
    mapMaybe(token(caller), (text) => cookieWith(text, client));
  const toConsole: BoundRoute = { route: 'GET /', access: 'public', handler: (ctx) => leadToConsole(ctx, ui) };
  return {
    ...made,
    rules: authorizer.rules,
    headers: authorizer.headers,
    destinations: authorizer.destinations,
    refusals: refusalRules(settings, ui.pages),
    ...transports.it,
    ownRoutes: [
      ...boundRoutes(services),
      ...features.flatMap(({ routes = [] }) => routes),
      ...(ui.hasNvr ? [] : [toConsole]),
    ],
    renewal: renewed(sessions.renewalFor),
    refresh: renewed(sessions.renew),
    recheck: services.recheck,
    async enter(...visit) {
      for (const enter of features.flatMap((one) => one.enter ?? [])) {
        const reason = await enter(...visit);
        if (reason !== undefined) return reason;
      }
      return undefined;
    },
    viewings: features.find(({ viewings }) => viewings)?.viewings,
    visitorFault: features.find(({ visitorFault }) => visitorFault)?.visitorFault,
    pushHosts: settings.nvr.push_endpoints,
    bodySeconds: services.bodySeconds(),
    ask: createAsker(settings),
    askText: async (upstream, path, sharer) => askText(await questionFor(settings, upstream, path, sharer)),
    ownConfig: async () => ownConfigOf(settings, await services.roleRegistry.latest(), cameras.current() ?? []),
    onConfigRead: cameras.learn,
    newRequestId: randomUUID,
  };
}

/** A role that has no camera at all. */
const NO_CAMERA = ['none'];

/** The configuration in the form that the NVR's pages read. */
function ownConfigOf({ auth, proxy }: Settings, roles: CustomRoles, known: readonly CameraName[]): OwnConfig {
  const listed = [...roles].map(([role, entries]) => {
    const cameras = visibleCameras(toScope(entries), known);
    // An empty list means all cameras there: a role whose cameras are gone is shown with its list as it is written.
    return [role, cameras.length > 0 ? cameras : entries.length > 0 ? entries : NO_CAMERA];
  });
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
