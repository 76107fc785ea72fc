/** `/login`, the console at `/postern/` and their assets: from memory, in the browser's language (SPEC 8). */
import type { Context, Next } from 'koa';
import Router from 'koa-router';
import { INVITATION_PATH, LOGIN_PATH } from '../domain/login-path.ts';
import { LINK_PATH } from '../domain/shared-thing.ts';
import type { RouteState } from '../domain/verdict.ts';
import type { BuiltPages } from './built-pages.ts';
import { assetHeaders, type PageHeaders, pageHeaders } from './content-security-policy.ts';
import { escapeHtml } from './escape-html.ts';
import { asJson, asText, fillPage } from './fill-page.ts';
import { createInvitationPage, type InvitationContext, type InvitationService } from './invitation-page.ts';
import { createLinkPage, type LinkContext, type LinkService } from './link-page.ts';
import { createLoginPage, type LogIn } from './login-page.ts';
import { MANIFEST_PATH, manifestOf } from './manifest.ts';
import { pageLanguage } from './page-language.ts';
import { sendAsset } from './send-asset.ts';

export interface UiOptions {
  readonly pages: BuiltPages;
  /** `ui.login`: with `nvr`, `/login` is left to the NVR, and the console's own login is at `/postern/login`. */
  readonly loginPage: 'postern' | 'nvr';
  /** Whether there is an NVR: without one there is nothing else to show at `/`, and there are no clips to link to. */
  readonly hasNvr: boolean;
  /** Who answers for events, and so tells the console of new ones. */
  readonly eventsBy: 'nvr' | 'backend';
  /** False when an authentication proxy in front handles the login. */
  readonly hasOwnLogin: boolean;
  /** The address that passkeys are made for; '' without passkeys. */
  readonly passkeyOrigin: string;
  /** `auth.password_min_length`, for the forms of the console. */
  readonly shortestPassword: number;
  /** `ui.frame_ancestors` as the Content-Security-Policy spells it. */
  readonly frameAncestors: string;
  /** Logs in by a form that is sent without a script. */
  readonly logIn: LogIn;
  readonly invitations: InvitationService;
  readonly links: LinkService;
  /** `server.timeout_login_body`. */
  readonly bodySeconds: () => number;
  /** The prefix that was cut from this request's path (`server.base_path` or `X-Ingress-Path`); '' for none. */
  readonly basePathOf: (ctx: Context) => string;
}

/** A path of the console's own router: plain segments, none of which begins with a dot. */
const CLIENT_ROUTE = /^(?:[\w-][\w.-]*(?:\/[\w-][\w.-]*)*\/?)?$/;

const NOT_BUILT = 'The pages of Postern are not built yet: run "npm run build", then start again.\n';

/** The console's own login page, where `/login` is the NVR's: that page leads only to the NVR's pages. */
const CONSOLE_LOGIN = 'postern/login';

/** Where the pages keep their assets, relative to the base path. */
export const ASSETS_PATH = '/postern/assets/';

export function createUiRoutes(options: UiOptions): Router {
  const { pages, basePathOf } = options;
  const headers = { page: pageHeaders(options.frameAncestors), asset: assetHeaders(options.frameAncestors) };
  const show = (page: 'loginPage' | 'consolePage') => (ctx: Context, fill: (html: string) => string) =>
    pages.kind === 'built'
      ? servePage(ctx, fill(pages[page]), basePathOf(ctx), headers.page)
      : refuseUnbuilt(ctx, headers.page);
  const showConsole = show('consolePage');
  const login = createLoginPage({ ...options, show: show('loginPage') });
  const moveTo = (ctx: Context, status: 301 | 302, location: string): void => {
    ctx.set(headers.page);
    ctx.redirect(location);
    ctx.status = status;
  };

  // Exact: admit() judges `/LOGIN` as another path.
  const router = new Router({ strict: true, sensitive: true });
  if (options.loginPage === 'postern') router.get(LOGIN_PATH, login.get).post(LOGIN_PATH, login.post);
  else router.get(`/${CONSOLE_LOGIN}`, login.get);
  const assetOf = (ctx: Context, kind: 'stylesheet' | 'invitationScript'): string | undefined =>
    pages.kind === 'built' && pages[kind] ? `${basePathOf(ctx)}${ASSETS_PATH}${pages[kind]}` : undefined;
  const invitation = createInvitationPage({
    ...options,
    service: options.invitations,
    headers: headers.page,
    stylesheetOf: (ctx) => assetOf(ctx, 'stylesheet'),
    scriptOf: (ctx) => assetOf(ctx, 'invitationScript'),
  });
  router.get(`${INVITATION_PATH}/:token`, (ctx) => invitation.get(ctx as InvitationContext));
  router.post(`${INVITATION_PATH}/:token`, (ctx) => invitation.post(ctx as InvitationContext));
  const link = createLinkPage({
    ...options,
    service: options.links,
    stylesheetOf: (ctx) => assetOf(ctx, 'stylesheet'),
  });
  router.get(`${LINK_PATH}/:secret`, (ctx) => link.get(ctx as LinkContext));
  router.post(`${LINK_PATH}/:secret`, (ctx) => link.post(ctx as LinkContext));
  if (!options.hasNvr) router.get('/', (ctx) => moveTo(ctx, 302, `${basePathOf(ctx)}/postern/`));
  router.get('/postern', (ctx) => moveTo(ctx, 301, `${basePathOf(ctx)}/postern/${ctx.search}`));
  router.get(MANIFEST_PATH, (ctx) => serveManifest(ctx, pages, headers.page));
  router.get(`${ASSETS_PATH}:name`, (ctx) => serveAsset(ctx, pages, headers));
  router.get(
    '/postern/{*route}',
    (ctx, next) => onlyClientRoutes(ctx, next, headers.page),
    (ctx) => {
      const login = loginFor(ctx, options);
      if (login === undefined) return showConsole(ctx, (html) => fillConsolePage(html, ctx, options));
      moveTo(ctx, 302, login);
      ctx.set('Cache-Control', 'no-store');
    },
  );
  return router;
}

/**
 * Where a person who opens a page without a session logs in, and comes back afterwards; undefined for all other requests
 * (SPEC 5). While the store fails it is not known who has a session: the page itself says what is wrong.
 */
function loginFor(ctx: Context, { hasOwnLogin, loginPage, basePathOf }: UiOptions): string | undefined {
  const { caller, credentialFault }: Partial<RouteState> = ctx.state;
  if (!hasOwnLogin || caller || credentialFault === 'store-unavailable' || !isNavigation(ctx)) return undefined;
  const [base, login] = [basePathOf(ctx), loginPage === 'postern' ? LOGIN_PATH : `/${CONSOLE_LOGIN}`];
  return `${base}${login}?next=${encodeURIComponent(`${base}${ctx.url}`)}`;
}

const isNavigation = (ctx: Context): boolean =>
  ctx.get('Sec-Fetch-Mode') === 'navigate' || ctx.get('Accept').includes('text/html');

/** Facts that the console needs before its first request. */
function fillConsolePage(
  html: string,
  ctx: Context,
  { hasNvr, eventsBy, hasOwnLogin, loginPage, shortestPassword, passkeyOrigin }: UiOptions,
): string {
  const { tag, words } = pageLanguage(ctx);
  const loginPath = loginPage === 'postern' ? 'login' : CONSOLE_LOGIN;
  const facts = asJson({ hasNvr, eventsBy, hasOwnLogin, loginPath, shortestPassword, passkeyOrigin });
  return fillPage(html, tag, { noScript: asText(words.consolePage.noScript), facts });
}

/** The pages name their assets `./assets/…` and the manifest; a page may stand at any depth, so that becomes a path from the root. */
function servePage(ctx: Context, html: string, basePath: string, headers: PageHeaders): void {
  ctx.set({ ...headers, Vary: 'Accept-Language, Cookie' });
  ctx.type = 'text/html; charset=utf-8';
  // A function: in a replacement string, `$&` would have a meaning.
  const base = escapeHtml(basePath);
  ctx.body = html
    .replaceAll('"./assets/', () => `"${base}${ASSETS_PATH}`)
    .replace('"./manifest"', () => `"${base}${MANIFEST_PATH}"`);
}

interface HeaderSets {
  readonly page: PageHeaders;
  readonly asset: PageHeaders;
}

function serveAsset(ctx: Context, pages: BuiltPages, headers: HeaderSets): void {
  const asset = pages.kind === 'built' ? pages.assets.get(ctx['params']['name'] ?? '') : undefined;
  if (asset) sendAsset(ctx, asset, headers.asset);
  else notFoundText(ctx, headers.page);
}

function serveManifest(ctx: Context, pages: BuiltPages, headers: PageHeaders): void {
  if (pages.kind !== 'built') {
    refuseUnbuilt(ctx, headers);
    return;
  }
  ctx.set(headers);
  ctx.type = 'application/manifest+json';
  ctx.body = manifestOf(pages);
}

async function onlyClientRoutes(ctx: Context, next: Next, headers: PageHeaders): Promise<void> {
  const route = ctx.path.slice('/postern/'.length);
  if (CLIENT_ROUTE.test(route) && !/^assets(?:\/|$)/.test(route)) await next();
  else notFoundText(ctx, headers);
}

function notFoundText(ctx: Context, headers: PageHeaders): void {
  ctx.set(headers);
  ctx.status = 404;
  ctx.type = 'text/plain; charset=utf-8';
  ctx.body = 'There is nothing at this path.\n';
}

function refuseUnbuilt(ctx: Context, headers: PageHeaders): void {
  ctx.set(headers);
  ctx.status = 503;
  ctx.type = 'text/plain; charset=utf-8';
  ctx.body = NOT_BUILT;
}
