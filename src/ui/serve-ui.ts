/** `/login`, the console at `/postern/` and their assets: from memory, in the browser's language (SPEC 8). */

import type { RouteState } from '../domain/caller.ts';
import { INVITATION_PATH, LOGIN_PATH, START_PATH } from '../domain/page-paths.ts';
import type { OwnRoute, RouteContext } from '../routes/own-route.ts';
import { ASSETS_PATH, assetPath, findManifest, MANIFEST_PATH, sendAsset } from './built-pages.ts';
import { fillPage } from './html.ts';
import { getInvitation } from './invitation-page.ts';
import { getLogin, postLogin } from './login-page.ts';
import {
  assetHeaders,
  moveTo,
  pageHeaders,
  pageLanguage,
  readBasePath,
  refuseUnbuilt,
  sendText,
  showBuilt,
} from './page.ts';
import type { PageFacts } from './pages/shared/page-facts.ts';
import type { UiOptions } from './ui-options.ts';

/** A path of the console's own router: plain segments, none of which begins with a dot. */
const CLIENT_ROUTE = /^(?:[\w-][\w.-]*(?:\/[\w-][\w.-]*)*\/?)?$/;

/** The console's own login page, where `/login` is the NVR's: that page leads only to the NVR's pages. */
const CONSOLE_LOGIN = 'postern/login';

const ASSET = new RegExp(`^${ASSETS_PATH}(?<name>[^/]+)$`);

const isHere = ({ loginPage }: UiOptions): boolean => loginPage === 'postern';

/** Public because there is nothing to protect: pages without data. The form of the login page presents credentials. */
// biome-ignore format: a table
export const PAGE_ROUTES: readonly OwnRoute<UiOptions>[] = [
  { route: `GET ${LOGIN_PATH}`, access: 'public', summary: 'The login page', yes: [200], type: 'text/html', handler: (ctx, ui, next) => (isHere(ui) ? getLogin(ctx, ui) : next()) },
  { route: `POST ${LOGIN_PATH}`, access: 'public', secret: true, summary: 'The form of the login page, sent without JavaScript', yes: [303], no: [401, 403, 404, 413, 415, 422, 429], type: 'text/html', handler: (ctx, ui, next) => (isHere(ui) ? postLogin(ctx, ui) : next()) },
  { route: `GET ${INVITATION_PATH}/{token}`, access: 'public', summary: 'The page behind a link', yes: [200], no: [404, 429], type: 'text/html', handler: getInvitation },
  { route: 'GET /postern', access: 'public', summary: 'The console', yes: [301], handler: (ctx, ui) => lead(ctx, ui, 301, `/postern/${ctx.search}`) },
  { route: `GET ${START_PATH}`, access: 'any', enrolment: true, summary: 'Leads to the page where the caller begins', yes: [302], type: 'text/html', handler: leadToStart },
  { route: 'GET /postern/{rest...}', access: 'public', summary: 'Pages and assets of the console', yes: [200], no: [404], type: 'text/html', handler: serveBelow },
];

/** The response at `/` where no NVR has a page. */
export const leadToConsole = (ctx: RouteContext, ui: UiOptions): void => lead(ctx, ui, 302, '/postern/');

function lead(ctx: RouteContext, ui: UiOptions, status: 301 | 302, path: string): void {
  ctx.set(pageHeaders(ui));
  moveTo(ctx, status, `${readBasePath(ctx)}${path}`);
}

/** No cache may keep it: another person begins elsewhere, and rights change. */
function leadToStart(ctx: RouteContext, ui: UiOptions): void {
  const { caller }: Partial<RouteState> = ctx.state;
  lead(ctx, ui, 302, caller ? ui.startPageOf(caller, 'cameras' in ctx.query) : '/postern/');
  ctx.set('Cache-Control', 'no-store');
}

function serveBelow(ctx: RouteContext, ui: UiOptions): unknown {
  if (ctx.path === MANIFEST_PATH) return serveManifest(ctx, ui);
  if (ctx.path === `/${CONSOLE_LOGIN}` && !isHere(ui)) return getLogin(ctx, ui);
  const asset = ui.pages?.assets.get(ASSET.exec(ctx.path)?.groups?.['name'] ?? '');
  if (asset) return sendAsset(ctx, asset, assetHeaders(ui));
  const route = ctx.path.slice('/postern/'.length);
  if (!CLIENT_ROUTE.test(route) || /^assets(?:\/|$)/.test(route))
    return sendText(ctx, ui, 404, 'There is nothing at this path.\n');
  const login = loginFor(ctx, ui);
  if (login === undefined) {
    ctx.set('Link', earlyRequests(ctx, ui, route.split('/')[0] || 'live'));
    return showBuilt(ctx, ui, 'consolePage', (page) => fillConsolePage(page, ctx, ui));
  }
  lead(ctx, ui, 302, login);
  ctx.set('Cache-Control', 'no-store');
}

function serveManifest(ctx: RouteContext, ui: UiOptions): unknown {
  if (!ui.pages) return refuseUnbuilt(ctx, ui);
  ctx.set(pageHeaders(ui));
  ctx.type = 'application/manifest+json';
  ctx.body = findManifest(ui.pages, ui.name);
}

const loginPath = (ui: UiOptions): string => (isHere(ui) ? LOGIN_PATH.slice(1) : CONSOLE_LOGIN);

/**
 * Where a person who opens a page without a session logs in, and comes back afterwards; undefined for all other requests
 * (SPEC 5). While the store fails it is not known who has a session: the page itself says what is wrong.
 */
function loginFor(ctx: RouteContext, ui: UiOptions): string | undefined {
  const { caller, credentialFault }: Partial<RouteState> = ctx.state;
  if (!ui.hasOwnLogin || caller || credentialFault === 'store-unavailable' || !isNavigation(ctx)) return undefined;
  return `/${loginPath(ui)}?next=${encodeURIComponent(`${readBasePath(ctx)}${ctx.url}`)}`;
}

export const isNavigation = (ctx: RouteContext): boolean =>
  ctx.get('Sec-Fetch-Mode') === 'navigate' || ctx.get('Accept').includes('text/html');

/** What the console's script asks for first, the texts and the page among it: on a slow line a round trip is saved when it is known with the page (RFC 8288, W3C Preload). */
function earlyRequests(ctx: RouteContext, { pages }: UiOptions, page: string): string[] {
  const base = encodeURI(readBasePath(ctx));
  const { tag } = pageLanguage(ctx);
  const modules = [tag, `${tag}.${page}`, page].flatMap((name) => assetPath(pages, base, name, 'js') ?? []);
  const profile = `<${base}/api/profile>; rel=preload; as=fetch; crossorigin`;
  return [profile, ...modules.map((path) => `<${path}>; rel=modulepreload`)];
}

/** The console gets the facts that it needs before its first request, and nothing else of the settings. */
function fillConsolePage(page: string, ctx: RouteContext, ui: UiOptions): string {
  const { tag, words } = pageLanguage(ctx);
  const { name, hasNvr, still, live, eventsBy, hasOwnLogin, shortestPassword, passkeyOrigin, hasOtherNvrs } = ui;
  const own = { name, hasNvr, still, live, eventsBy, hasOwnLogin, shortestPassword, passkeyOrigin, hasOtherNvrs };
  const providers = ui.providers.map(({ name, label }) => ({ name, label }));
  const facts: PageFacts = { ...own, loginPath: loginPath(ui), providers };
  return fillPage(page, tag, { name, noScript: words.ui.page.noScript, facts: JSON.stringify(facts) });
}
