/** `/login`, the console at `/postern/` and their assets: from memory, in the browser's language (SPEC 8). */

import type { Caller } from '../domain/caller.ts';
import { INVITATION_PATH, LOGIN_PATH, SCREEN_PATH } from '../domain/login-path.ts';
import { LINK_PATH } from '../domain/shared-thing.ts';
import type { RouteState } from '../domain/verdict.ts';
import type { OwnRoute, RouteContext } from '../routes/own-route.ts';
import type { BuiltPages } from './built-pages.ts';
import { assetHeaders, type PageHeaders, pageHeaders } from './content-security-policy.ts';
import { fillPage, html } from './html.ts';
import { createInvitationPage, type InvitationService } from './invitation-page.ts';
import { createLinkPage, type LinkService } from './link-page.ts';
import { createLoginPage, type LogIn, type SignInButton } from './login-page.ts';
import { MANIFEST_PATH, manifestOf } from './manifest.ts';
import { pageLanguage } from './page-language.ts';
import { createScreenPage } from './screen-page.ts';
import { sendAsset } from './send-asset.ts';

export interface UiOptions {
  readonly pages: BuiltPages;
  /** `ui.login`: with `nvr`, `/login` is left to the NVR, and the console's own login is at `/postern/login`. */
  readonly loginPage: 'postern' | 'nvr';
  /** Whether there is an NVR: without one there are no clips to link to. */
  readonly hasNvr: boolean;
  /** Where people begin, below the base path: `''`, `postern/`, or a path that leads each to the own start page. */
  readonly home: string;
  /** The address of a camera's still image, as the route table writes it; undefined where it has none. */
  readonly still: string | undefined;
  /** Likewise that of its live stream. */
  readonly live: string | undefined;
  /** The start page of a caller: a path from the root, without the base path. */
  readonly startPageOf: (caller: Caller) => string;
  /** Who answers for events, and so tells the console of new ones. */
  readonly eventsBy: 'nvr' | 'backend';
  /** False when an authentication proxy in front handles the login. */
  readonly hasOwnLogin: boolean;
  /** The providers that people can sign in with. */
  readonly providers: readonly SignInButton[];
  /** False where people sign in with a provider or a passkey alone. */
  readonly hasPasswords: boolean;
  /** The address that passkeys are made for; '' without passkeys. */
  readonly passkeyOrigin: string;
  /** `server.site` is set. */
  readonly hasSites: boolean;
  /** `auth.password_min_length`, for the forms of the console. */
  readonly shortestPassword: number;
  /** `ui.frame_ancestors` as the Content-Security-Policy spells it. */
  readonly frameAncestors: string;
  /** Logs in by a form that is sent without a script. */
  readonly logIn: LogIn;
  readonly invitations: InvitationService;
  readonly links: LinkService;
  /** Seconds in which the body of a login must arrive. */
  readonly bodySeconds: () => number;
  /** The prefix that was cut from this request's path (`server.base_path` or `X-Ingress-Path`); '' for none. */
  readonly basePathOf: (ctx: RouteContext) => string;
}

/** A path of the console's own router: plain segments, none of which begins with a dot. */
const CLIENT_ROUTE = /^(?:[\w-][\w.-]*(?:\/[\w-][\w.-]*)*\/?)?$/;

const NOT_BUILT = 'The pages of Postern are not built yet: run "npm run build", then start again.\n';

/** The console's own login page, where `/login` is the NVR's: that page leads only to the NVR's pages. */
const CONSOLE_LOGIN = 'postern/login';

/** Where the pages keep their assets, relative to the base path. */
export const ASSETS_PATH = '/postern/assets/';
const ASSET = /^\/postern\/assets\/(?<name>[^/]+)$/;

export type Pages = ReturnType<typeof createPages>;

/** Public because there is nothing to protect: pages without data. The form of the login page presents credentials. */
// biome-ignore format: a table
export const PAGE_ROUTES: readonly OwnRoute<Pages>[] = [
  { route: `GET ${LOGIN_PATH}`, access: 'public', summary: 'The login page', yes: [200], type: 'text/html', handler: (ctx, { login }, next) => (login.isHere ? login.get(ctx) : next()) },
  { route: `POST ${LOGIN_PATH}`, access: 'public', secret: true, summary: 'The form of the login page, sent without JavaScript', yes: [303], no: [401, 403, 404, 413, 415, 422, 429], type: 'text/html', handler: (ctx, { login }, next) => (login.isHere ? login.post(ctx) : next()) },
  { route: `GET ${INVITATION_PATH}/{token}`, access: 'public', summary: 'The page behind a link', yes: [200], no: [404, 429], type: 'text/html', handler: (ctx, { invitation }) => invitation.get(ctx) },
  { route: `GET ${LINK_PATH}/{secret}`, access: 'public', summary: 'The page of a link', yes: [200], no: [404, 429], type: 'text/html', handler: (ctx, { link }) => link.get(ctx) },
  { route: 'GET /postern', access: 'public', summary: 'The console', yes: [301], handler: (ctx, pages) => pages.moved(ctx) },
  { route: `GET ${SCREEN_PATH}`, access: 'public', summary: 'The page of a display', yes: [200], no: [302], type: 'text/html', handler: (ctx, { screen }) => screen(ctx) },
  { route: 'GET /postern/start', access: 'any', enrolment: true, summary: 'Leads to the page where the caller begins', yes: [302], type: 'text/html', handler: (ctx, pages) => pages.toStart(ctx) },
  { route: 'GET /postern/{rest...}', access: 'public', summary: 'Pages and assets of the console', yes: [200], no: [404], type: 'text/html', handler: (ctx, pages) => pages.below(ctx) },
];

export function createPages(options: UiOptions) {
  const { pages, basePathOf } = options;
  const headers = { page: pageHeaders(options.frameAncestors), asset: assetHeaders(options.frameAncestors) };
  const show = (kind: 'loginPage' | 'consolePage') => (ctx: RouteContext, fill: (page: string) => string) =>
    pages.kind === 'built'
      ? servePage(ctx, fill(pages[kind]), basePathOf(ctx), headers.page)
      : refuseUnbuilt(ctx, headers.page);
  const showConsole = show('consolePage');
  const isHere = options.loginPage === 'postern';
  const login = { ...createLoginPage({ ...options, show: show('loginPage') }), isHere };
  const moveTo = (ctx: RouteContext, status: 301 | 302, location: string): void => {
    ctx.set(headers.page);
    ctx.redirect(location);
    ctx.status = status;
  };
  const assetOf = (
    ctx: RouteContext,
    kind: 'stylesheet' | 'invitationScript' | 'screenScript' | 'screenStyle',
  ): string | undefined =>
    pages.kind === 'built' && pages[kind] ? `${basePathOf(ctx)}${ASSETS_PATH}${pages[kind]}` : undefined;
  const stylesheetOf = (ctx: RouteContext) => assetOf(ctx, 'stylesheet');
  return {
    login,
    invitation: createInvitationPage({
      ...options,
      service: options.invitations,
      headers: headers.page,
      stylesheetOf,
      scriptOf: (ctx) => assetOf(ctx, 'invitationScript'),
    }),
    screen: createScreenPage({
      still: options.still,
      live: options.live,
      headers: headers.page,
      assetOf,
      basePathOf,
      refuseUnbuilt: (ctx) => refuseUnbuilt(ctx, headers.page),
    }),
    link: createLinkPage({ ...options, service: options.links, stylesheetOf }),
    /** The response at `/` where no NVR has a page. */
    start: (ctx: RouteContext) => moveTo(ctx, 302, `${basePathOf(ctx)}/postern/`),
    /** No cache may keep it: another person begins elsewhere, and rights change. */
    toStart(ctx: RouteContext): void {
      const { caller }: Partial<RouteState> = ctx.state;
      moveTo(ctx, 302, `${basePathOf(ctx)}${caller ? options.startPageOf(caller) : '/postern/'}`);
      ctx.set('Cache-Control', 'no-store');
    },
    moved: (ctx: RouteContext) => moveTo(ctx, 301, `${basePathOf(ctx)}/postern/${ctx.search}`),
    below(ctx: RouteContext): unknown {
      if (ctx.path === MANIFEST_PATH) return serveManifest(ctx, pages, headers.page);
      if (ctx.path === `/${CONSOLE_LOGIN}` && !isHere) return login.get(ctx);
      const asset = ASSET.exec(ctx.path)?.groups?.['name'];
      if (asset !== undefined) return serveAsset(ctx, asset, pages, headers);
      const route = ctx.path.slice('/postern/'.length);
      if (!CLIENT_ROUTE.test(route) || /^assets(?:\/|$)/.test(route)) return notFoundText(ctx, headers.page);
      const place = loginFor(ctx, options);
      if (place === undefined) {
        ctx.set('Link', earlyRequests(ctx, pages, basePathOf(ctx)));
        return showConsole(ctx, (page) => fillConsolePage(page, ctx, options));
      }
      moveTo(ctx, 302, place);
      ctx.set('Cache-Control', 'no-store');
    },
  };
}

/**
 * Where a person who opens a page without a session logs in, and comes back afterwards; undefined for all other requests
 * (SPEC 5). While the store fails it is not known who has a session: the page itself says what is wrong.
 */
function loginFor(ctx: RouteContext, { hasOwnLogin, loginPage, basePathOf }: UiOptions): string | undefined {
  const { caller, credentialFault }: Partial<RouteState> = ctx.state;
  if (!hasOwnLogin || caller || credentialFault === 'store-unavailable' || !isNavigation(ctx)) return undefined;
  const [base, login] = [basePathOf(ctx), loginPage === 'postern' ? LOGIN_PATH : `/${CONSOLE_LOGIN}`];
  return `${base}${login}?next=${encodeURIComponent(`${base}${ctx.url}`)}`;
}

const isNavigation = (ctx: RouteContext): boolean =>
  ctx.get('Sec-Fetch-Mode') === 'navigate' || ctx.get('Accept').includes('text/html');

/** What the console's script asks for first: on a slow line a round trip is saved when it is known with the page (RFC 8288, W3C Preload). */
function earlyRequests(ctx: RouteContext, pages: BuiltPages, basePath: string): string[] {
  const words = pages.kind === 'built' ? pages.languages.get(pageLanguage(ctx).tag) : undefined;
  const base = encodeURI(basePath);
  return [
    `<${base}/api/profile>; rel=preload; as=fetch; crossorigin`,
    ...(words === undefined ? [] : [`<${base}${ASSETS_PATH}${words}>; rel=modulepreload`]),
  ];
}

/** Facts that the console needs before its first request. */
function fillConsolePage(
  page: string,
  ctx: RouteContext,
  { hasNvr, home, eventsBy, hasOwnLogin, loginPage, shortestPassword, passkeyOrigin, hasSites, ...options }: UiOptions,
): string {
  const { tag, words } = pageLanguage(ctx);
  const loginPath = loginPage === 'postern' ? 'login' : CONSOLE_LOGIN;
  const providers = options.providers.map(({ name, label }) => ({ name, label }));
  const facts = JSON.stringify({
    hasNvr,
    home,
    eventsBy,
    hasOwnLogin,
    loginPath,
    shortestPassword,
    passkeyOrigin,
    hasSites,
    providers,
  });
  return fillPage(page, tag, { noScript: words.ui.page.noScript, facts });
}

/** The pages name their assets `./assets/…` and the manifest; a page may stand at any depth, so that becomes a path from the root. */
function servePage(ctx: RouteContext, page: string, basePath: string, headers: PageHeaders): void {
  ctx.set({ ...headers, Vary: 'Accept-Language, Cookie' });
  ctx.type = 'text/html; charset=utf-8';
  // A function: in a replacement string, `$&` would have a meaning.
  const base = html`${basePath}`.markup;
  ctx.body = page
    .replaceAll('"./assets/', () => `"${base}${ASSETS_PATH}`)
    .replace('"./manifest"', () => `"${base}${MANIFEST_PATH}"`);
}

interface HeaderSets {
  readonly page: PageHeaders;
  readonly asset: PageHeaders;
}

function serveAsset(ctx: RouteContext, name: string, pages: BuiltPages, headers: HeaderSets): void {
  const asset = pages.kind === 'built' ? pages.assets.get(name) : undefined;
  if (asset) sendAsset(ctx, asset, headers.asset);
  else notFoundText(ctx, headers.page);
}

function serveManifest(ctx: RouteContext, pages: BuiltPages, headers: PageHeaders): void {
  if (pages.kind !== 'built') {
    refuseUnbuilt(ctx, headers);
    return;
  }
  ctx.set(headers);
  ctx.type = 'application/manifest+json';
  ctx.body = manifestOf(pages);
}

function notFoundText(ctx: RouteContext, headers: PageHeaders): void {
  ctx.set(headers);
  ctx.status = 404;
  ctx.type = 'text/plain; charset=utf-8';
  ctx.body = 'There is nothing at this path.\n';
}

function refuseUnbuilt(ctx: RouteContext, headers: PageHeaders): void {
  ctx.set(headers);
  ctx.status = 503;
  ctx.type = 'text/plain; charset=utf-8';
  ctx.body = NOT_BUILT;
}
