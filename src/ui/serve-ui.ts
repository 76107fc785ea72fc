/** `/login`, the console at `/postern/` and their assets: GET and HEAD, from memory (SPEC 8). */
import type { Context, Next } from 'koa';
import Router from 'koa-router';
import type { Asset, BuiltPages } from './built-pages.ts';
import { escapeHtml } from './escape-html.ts';
import { ASSET_HEADERS, PAGE_HEADERS } from './page-headers.ts';

export interface UiOptions {
  readonly pages: BuiltPages;
  /** `ui.login`: with `nvr`, `/login` is left to whoever comes next. */
  readonly loginPage: 'postern' | 'nvr';
  /** With no NVR there is nothing else to show at `/`. */
  readonly consoleAtRoot: boolean;
  /** The prefix that was cut from this request's path (`server.base_path` or `X-Ingress-Path`); '' for none. */
  readonly basePathOf: (ctx: Context) => string;
}

/** A path of the console's own router: plain segments, none of which begins with a dot. */
const CLIENT_ROUTE = /^(?:[\w-][\w.-]*(?:\/[\w-][\w.-]*)*\/?)?$/;

const NOT_BUILT = 'The pages of Postern are not built yet: run "npm run build", then start again.\n';

/** The assets' names change with their content, so a copy is good for ever. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Where the pages keep their assets, relative to the base path. */
export const ASSETS_PATH = '/postern/assets/';

export function createUiRoutes(options: UiOptions): Router {
  const { pages, basePathOf } = options;
  const router = new Router({ strict: true });
  const serve = (page: 'loginPage' | 'consolePage') => (ctx: Context) =>
    pages.kind === 'built' ? servePage(ctx, pages[page], basePathOf(ctx)) : refuseUnbuilt(ctx);

  if (options.loginPage === 'postern') router.get('/login', serve('loginPage'));
  if (options.consoleAtRoot) router.get('/', (ctx) => moveTo(ctx, 302, `${basePathOf(ctx)}/postern/`));
  router.get('/postern', (ctx) => moveTo(ctx, 301, `${basePathOf(ctx)}/postern/${ctx.search}`));
  router.get(`${ASSETS_PATH}:name`, (ctx) => serveAsset(ctx, pages, ctx.params['name'] ?? ''));
  router.get('/postern/{*route}', onlyClientRoutes, serve('consolePage'));
  return router;
}

/** The pages name their assets `./assets/…`; a page may stand at any depth, so that becomes a path from the root. */
function servePage(ctx: Context, html: string, basePath: string): void {
  ctx.set(PAGE_HEADERS);
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = html.replaceAll('"./assets/', `"${escapeHtml(basePath)}${ASSETS_PATH}`);
}

function serveAsset(ctx: Context, pages: BuiltPages, name: string): void {
  const asset = pages.kind === 'built' ? pages.assets.get(name) : undefined;
  if (asset) sendAsset(ctx, asset);
  else sayNotFound(ctx);
}

function sendAsset(ctx: Context, asset: Asset): void {
  const encoding = bestEncoding(ctx, asset);
  ctx.set({ ...ASSET_HEADERS, 'Cache-Control': IMMUTABLE, Vary: 'Accept-Encoding' });
  ctx.type = asset.type;
  ctx.etag = `${asset.etag}-${encoding}`;
  ctx.status = 200;
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
  ctx.body = asset.encodings.get(encoding);
}

/** The smallest that the client takes: browsers list `br` last, at the same weight as the others. */
const bestEncoding = (ctx: Context, asset: Asset): string =>
  [...asset.encodings.keys()].find((encoding) => ctx.acceptsEncodings(encoding)) ?? 'identity';

async function onlyClientRoutes(ctx: Context, next: Next): Promise<void> {
  const route = ctx.path.slice('/postern/'.length);
  if (CLIENT_ROUTE.test(route) && !/^assets(?:\/|$)/.test(route)) await next();
  else sayNotFound(ctx);
}

function sayNotFound(ctx: Context): void {
  ctx.set(PAGE_HEADERS);
  ctx.status = 404;
  ctx.type = 'text/plain; charset=utf-8';
  ctx.body = 'There is nothing at this path.\n';
}

function refuseUnbuilt(ctx: Context): void {
  ctx.set(PAGE_HEADERS);
  ctx.status = 503;
  ctx.type = 'text/plain; charset=utf-8';
  ctx.body = NOT_BUILT;
}

function moveTo(ctx: Context, status: 301 | 302, location: string): void {
  ctx.set(PAGE_HEADERS);
  ctx.redirect(location);
  ctx.status = status;
}
