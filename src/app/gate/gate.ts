/** Builds what the gate works with: rules, destinations, error pages and Postern's own routes. */
import { randomUUID } from 'node:crypto';
import { authorize } from '../../access/authorize.ts';
import { viewOf } from '../../access/camera-view.ts';
import { fillParameters, pageAddress } from '../../access/fill-parameters.ts';
import type { OwnConfig } from '../../access/nvr-adapter.ts';
import { refuseFor } from '../../accounts/http/responses.ts';
import { beginAttempt, type OidcServices } from '../../accounts/oidc/oidc-routes.ts';
import type { CookieClient } from '../../accounts/sessions/session-cookie.ts';
import type { HouseSettings } from '../../accounts/settings/setting-routes.ts';
import type { Settings } from '../../config/schema/schema.ts';
import type { User } from '../../domain/accounts/account.ts';
import { mapMaybe } from '../../domain/async.ts';
import type { Caller } from '../../domain/caller.ts';
import { type CustomRoles, scopeOf, scopeOfRole, unionOfScopes, visibleCameras } from '../../domain/camera-scope.ts';
import type { Remembering } from '../../domain/clock.ts';
import type { CameraName } from '../../domain/names.ts';
import type { PolicyRow, TableHead } from '../../domain/policy.ts';
import { REFUSALS } from '../../domain/refusal.ts';
import { heldBy } from '../../domain/rights.ts';
import type { ServiceStatus } from '../../domain/status.ts';
import type { Rules } from '../../gateway/decision/admit.ts';
import { parseTarget } from '../../gateway/decision/strict-target.ts';
import { askerOf, questionFor } from '../../gateway/forward/nvr-questions.ts';
import type { Gate } from '../../gateway/gate.ts';
import { type RefusalRules, refusalRules } from '../../gateway/response/error-responses.ts';
import { askText } from '../../outbound/ask-upstream.ts';
import { openApiDocument } from '../../routes/document.ts';
import type { BoundRoute } from '../../routes/own-route.ts';
import { assetPath, type BuiltPages } from '../../ui/built-pages.ts';
import { buttonTo, cardPage, html, paragraph } from '../../ui/html.ts';
import { postInvitation } from '../../ui/invitation-page.ts';
import { postLink } from '../../ui/link-page.ts';
import { basePathOf, pageHeaders, pageLanguage, sendPage } from '../../ui/page.ts';
import { nextPage } from '../../ui/pages/shared/where-to-go.ts';
import { isNavigation, leadToConsole } from '../../ui/serve-ui.ts';
import type { UiOptions } from '../../ui/ui-options.ts';
import type { ActiveAccounts } from '../accounts/active-accounts.ts';
import type { Components } from '../resources/components.ts';
import type { Services } from '../services.ts';
import type { Authorizer } from './authorizer.ts';
import { formLogIn } from './form-login.ts';
import { invitationService } from './invitation-service.ts';
import { type LinkJudgeWithFacts, linkJudge, linkService } from './link-judge.ts';
import { boundRoutes, CORE_ROUTES } from './own-routes.ts';

export interface GateSources {
  readonly settings: Settings;
  readonly tableHead: TableHead;
  /** The rows of the route table. */
  readonly rows: readonly PolicyRow[];
  readonly authorizer: Authorizer;
  readonly accounts: ActiveAccounts;
  readonly components: Components;
  readonly pages: BuiltPages | undefined;
  readonly openStreams: Gate['openStreams'];
  readonly clientLimits: Gate['clientLimits'];
  readonly upstreamSlots: Gate['upstreamSlots'];
  /** Remembers the renewed cookie of `/auth`: the same memory as for identity. */
  readonly remembering: Remembering;
  readonly onCaller: Gate['onCaller'];
  readonly unknownRoutes: Gate['unknownRoutes'];
  readonly watch: Gate['watch'];
  readonly viewings: Gate['viewings'];
  readonly status: () => Promise<ServiceStatus>;
  /** Those of the features. */
  readonly featureRoutes: readonly BoundRoute[];
  readonly house: HouseSettings;
  readonly version: string;
}

export function createGate(deps: GateSources): Gate {
  const { settings, authorizer, accounts, components } = deps;
  const cameras = components.cameras.it;
  const startPage = createStartPage({ settings, rows: deps.rows, rules: authorizer.uncounted });
  const refusals = refusalRules(settings, startPage.home, deps.pages);
  const { sessions } = accounts;
  const judge = linkJudge({ settings, destinations: authorizer.destinations, rules: authorizer.uncounted });
  const cookieWith = (token: string | undefined, client: CookieClient): string | undefined =>
    token === undefined ? undefined : sessions.cookieFor(token, client);
  return {
    rules: authorizer.rules,
    headers: authorizer.headers,
    destinations: authorizer.destinations,
    refusals,
    ...components.transports.it,
    ownRoutes: ownRoutes(deps, judge, startPage, refusals),
    renewal: (caller, client) => mapMaybe(sessions.renewalFor(caller), (token) => cookieWith(token, client)),
    refresh: (caller, client) => mapMaybe(sessions.renew(caller), (token) => cookieWith(token, client)),
    recheck: accounts.recheck,
    enter: accounts.links.enter,
    visitorFault: async ({ credential }, path, reason) =>
      credential.kind === 'link' ? judge.faultOf(credential.thing, path, reason) : reason,
    pushHosts: settings.nvr.push_endpoints,
    bodySeconds: accounts.services.bodySeconds(),
    ask: askerOf(settings),
    askText: async (upstream, path, sharer) => askText(await questionFor(settings, upstream, path, sharer)),
    ownConfig: async () => ownConfigOf(settings, await accounts.roles(), cameras.current() ?? []),
    onConfigRead: cameras.learn,
    openStreams: deps.openStreams,
    clientLimits: deps.clientLimits,
    upstreamSlots: deps.upstreamSlots,
    onCaller: deps.onCaller,
    unknownRoutes: deps.unknownRoutes,
    newRequestId: randomUUID,
    watch: deps.watch,
    viewings: deps.viewings,
  };
}

function ownRoutes(
  {
    settings,
    tableHead,
    authorizer,
    accounts,
    components,
    pages: built,
    status,
    featureRoutes,
    house,
    version,
  }: GateSources,
  judge: LinkJudgeWithFacts,
  startPage: StartPage,
  refusals: RefusalRules,
): readonly BoundRoute[] {
  const { auth, nvr, ui } = settings;
  const hasNvr = nvr.url !== undefined;
  const hasEventsBackend = authorizer.destinations.eventsBackend !== undefined;
  const { seen, explain, whoSees } = authorizer;
  const { invitations, links, ...groups } = accounts.groups;
  const { bodySeconds, passkeys, providers } = accounts.services;
  const visits = { ...links, judge };
  const knownCameras = (): readonly CameraName[] => components.cameras.it.current() ?? [];
  const friendlyNameOf = (camera: string): string | undefined =>
    components.cameras.it.layout()?.friendly?.get(camera as CameraName);
  const camerasOf = async (user: User): Promise<readonly string[] | undefined> => {
    const known = await accounts.roles();
    const roles = heldBy(user);
    const all = { role: user.role, roles, scope: unionOfScopes(roles.map((role) => scopeOfRole(role, known))) };
    const { scope } = await accounts.behindCurtain(all);
    return scope.kind === 'all' ? undefined : seen(scope).map((name) => friendlyNameOf(name) ?? name);
  };
  const pages: UiOptions = {
    pages: built,
    loginPage: ui.login,
    hasNvr,
    home: startPage.home,
    still: tableHead.still,
    live: tableHead.live,
    startPageOf: startPage.pageOf,
    eventsBy: hasEventsBackend ? 'backend' : 'nvr',
    hasOwnLogin: auth.enabled,
    providers: [...providers.values()].map(({ provider }) => provider.settings),
    hasPasswords: auth.password_login !== 'none' || providers.size === 0,
    shortestPassword: auth.password_min_length,
    passkeyOrigin: passkeys.site.ok ? passkeys.site.value.origin : '',
    hasSites: settings.server.site !== undefined,
    frameAncestors: ui.frame_ancestors,
    logIn: formLogIn(accounts.services),
    invitations: invitationService({ invitations, camerasOf, timeZone: auth.timezone ?? undefined }),
    links: linkService({
      ...visits,
      hasNvr,
      friendlyNameOf,
      timeZone: auth.timezone ?? undefined,
    }),
    bodySeconds,
  };
  const { custom_roles_since: since } = tableHead;
  let description: string | undefined; // made for the first who asks: it is long, and few do
  const oidc: OidcServices = {
    ...accounts.services,
    ...signInPages(settings, startPage, built, refusals),
    house,
    knownCameras,
    visibleCameras: seen,
    friendlyNameOf,
    knowsCustomRoles: async () => since === undefined || !(await authorizer.nvrRelease.isOlderThan(since)),
  };
  const declared = [...CORE_ROUTES, ...featureRoutes];
  const routes = boundRoutes(
    { ...oidc, askAtProvider: atProvider(oidc) },
    {
      ...groups,
      pages,
      invitations: { ...invitations, byForm: (ctx) => postInvitation(ctx, pages) },
      links: { ...visits, byForm: (ctx) => postLink(ctx, pages) },
      events: { hasEventsBackend, surroundings: () => authorizer.rules().surroundings() },
      explain: { explain, whoSees },
      status,
      openapi: { description: () => (description ??= JSON.stringify(openApiDocument(version, declared))) },
    },
  );
  const all = [...routes, ...featureRoutes];
  return hasNvr ? all : [...all, { route: 'GET /', access: 'public', handler: (ctx) => leadToConsole(ctx, pages) }];
}

/** A role that has no camera at all. */
const NO_CAMERA = ['none'];

/** The configuration in the form that the NVR's pages read. */
export function ownConfigOf({ auth, proxy }: Settings, roles: CustomRoles, known: readonly CameraName[]): OwnConfig {
  const listed = [...roles].map(([role, entries]) => {
    const cameras = visibleCameras(scopeOf(entries), known);
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

/** Characters of an address to come back to: the cookies of five attempts, which hold it, fit into one request. */
const LONGEST_PAGE = 1000;

function signInPages(
  { ui }: Settings,
  { home }: Pick<StartPage, 'home'>,
  built: BuiltPages | undefined,
  { renderPage }: RefusalRules,
): Pick<Services, 'pages' | 'pageOf'> {
  const headers = pageHeaders({ frameAncestors: ui.frame_ancestors });
  return {
    pageOf({ state: { basePath = '' } }, wanted) {
      const pageFor = (next: string): string =>
        nextPage({
          page: `http://postern/?${new URLSearchParams({ next })}`,
          referrer: '',
          basePath: `${basePath}/`,
          home,
        });
      const page = pageFor(wanted);
      return page.length > LONGEST_PAGE ? pageFor('') : page;
    },
    pages: {
      // A redirect would keep the other site as the one that leads here, and a policy for forms would stop it on the way out.
      goOn(ctx, address) {
        const { tag, words } = pageLanguage(ctx);
        const { goingOn: title, goOn } = words.login.page;
        const card = html`${paragraph(title)}<p class="refusal-links">${buttonTo(address, goOn)}</p>\n`;
        ctx.set({ ...headers, 'Cache-Control': 'no-store', Refresh: `0; url=${address}` });
        const stylesheet = assetPath(built, basePathOf(ctx), 'login', 'css');
        sendPage(ctx, 200, cardPage({ tag, title, stylesheet, card }));
      },
      refuse(ctx, reason) {
        if (!isNavigation(ctx)) return refuseFor(ctx, reason);
        const { status, message } = REFUSALS[reason];
        const { basePath = '', requestId } = ctx.state;
        const [acceptLanguage, cookie] = [ctx.get('Accept-Language'), ctx.get('Cookie')];
        const page = renderPage({ reason, status, message, requestId, basePath, acceptLanguage, cookie });
        ctx.set({ ...page.headers });
        ctx.status = status;
        ctx.body = page.body;
      },
    },
  };
}

/** Asks the person again at the provider, and comes back to the page that asked. */
const atProvider =
  (deps: OidcServices): Services['askAtProvider'] =>
  (ctx, { user: { name: user }, session }, { name: provider, returnTo }) =>
    beginAttempt(ctx, deps, {
      provider,
      purpose: { kind: 'prove', user, session },
      returnTo: deps.pageOf(ctx, returnTo),
    });

/** The path below the base path that leads each person to the own start page. */
const START_PATH = 'postern/start';

interface StartPageDeps {
  readonly settings: Pick<Settings, 'nvr' | 'ui'>;
  readonly rows: readonly PolicyRow[];
  /** The active rules, without counters. */
  readonly rules: () => Rules;
}

/** `home`: the path of the start page below the base path, the same for all; `pageOf`: a path from the root, which the caller may open. */
function createStartPage({ settings: { nvr, ui }, rows, rules }: StartPageDeps) {
  const pages = rows.filter(({ page, own }) => page && !own);
  const isByCaller = ui.start_page !== undefined || pages.length > 0;
  return {
    home: isByCaller ? START_PATH : nvr.url === undefined ? CONSOLE : '',
    pageOf(caller: Caller): string {
      const { routes, surroundings } = rules();
      const around = surroundings();
      const [camera] = viewOf(caller, around.now, around.layout).cameras;
      const mayOpen = (address: string): boolean => {
        const target = parseTarget(address);
        return (
          target !== undefined &&
          authorize(caller, routes.match('GET', target.segments), target, around).kind === 'allowed'
        );
      };
      const candidates = [
        ui.start_page && configured(ui.start_page, camera),
        ...(pages.length > 0 ? pages.map((row) => pageAddress(row, camera)) : ['/']),
      ];
      // The console is open for every person, so that no page leads back to one that is refused.
      return candidates.find((address) => address !== undefined && mayOpen(address)) ?? `/${CONSOLE}`;
    },
  };
}

const CONSOLE = 'postern/';

const configured = (address: string, camera: string | undefined): string | undefined =>
  camera === undefined && address.includes('{') ? undefined : fillParameters(address, () => camera ?? '');

type StartPage = ReturnType<typeof createStartPage>;
