/** What all pages of the server have: their settings, language, headers, paths, and the way they are sent (SPEC 8). */
import type { Context } from 'koa';
import { textsIn } from '../locales/catalogs.ts';
import { LANGUAGES } from '../locales/languages.ts';
import type { ServerTexts } from '../locales/texts.ts';
import type { RouteContext } from '../routes/own-route.ts';
import type { readForm } from '../routes/read-body.ts';
import { ASSETS_PATH, assetPath, MANIFEST_PATH } from './built-pages.ts';
import { type CardPage, cardPage, html } from './html.ts';
import { unbroken } from './pages/shared/spelling.ts';
import type { UiOptions } from './ui-options.ts';

/** `tag`: BCP 47, for `<html lang>`: the scripts read it from there. `locale`: with the region, for times. */
export type PageLanguage = { readonly tag: string; readonly locale: string; readonly words: ServerTexts };

export const pageLanguage = (ctx: Pick<Context, 'get'>): PageLanguage =>
  languageFor(wishedLanguages(ctx.get('Accept-Language'), ctx.get('Cookie')));

/** Set by `shared/browser.ts` of the pages. */
const LANGUAGE_CHOICE = /(?:^|;\s*)postern_language=(?<tag>[a-z]{2})(?:;|$)/;

/** What a person has chosen in this browser comes before the browser's own preference. It only chooses among texts. */
export const wishedLanguages = (acceptLanguage: string | undefined, cookie: string | undefined): string =>
  [LANGUAGE_CHOICE.exec(cookie ?? '')?.groups?.['tag'], acceptLanguage].filter(Boolean).join(',');

/** The language by the header Accept-Language (RFC 9110, 12.5.4): `de-AT,de;q=0.9,en;q=0.5`; `*` is no preference. */
export function languageFor(acceptLanguage: string): PageLanguage {
  const wishes = acceptLanguage.split(',').map(readWish);
  const liked = wishes.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
  const [tag = 'en'] = liked.flatMap(({ language }) => LANGUAGES.find(([known]) => known === language) ?? []);
  const locale = liked.find(({ language, region }) => language === tag && region !== undefined)?.region ?? tag;
  return { tag, locale, words: textsIn(tag) };
}

/** Nothing but a language and a country: a wish could name another calendar too. */
const REGION = /^[a-z]{2}-[a-z]{2}$/;

function readWish(wish: string) {
  const [tag = '', ...parameters] = wish.split(';').map((part) => part.trim().toLowerCase());
  const [, weight] = parameters.map((parameter) => /^q\s*=\s*(.*)$/.exec(parameter)).find(Boolean) ?? [];
  const region = REGION.test(tag) ? tag : undefined;
  return { language: tag.split('-')[0] ?? '', region, weight: weight === undefined ? 1 : Number(weight) };
}

const MINUTES = {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
} as const;

/**
 * Unix seconds as `Wednesday, November 15, 2023 at 7:13 AM GMT+9`. `locale`: as BCP 47. `timeZone`: undefined is that of the
 * machine.
 */
export const momentIn = (seconds: number, locale: string, timeZone: string | undefined): string =>
  unbroken(new Intl.DateTimeFormat(locale, { ...MINUTES, timeZone }).format(seconds * 1000));

/** `data:` pictures are the thumbnails that come inside an event record (interface 2.4), `blob:` media the live streams of a wall. */
const contentSecurityPolicy = (frameAncestors: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors}`,
  ].join('; ');

/** The headers of assets: opened directly, an asset is a page. */
export const assetHeaders = ({ frameAncestors }: Pick<UiOptions, 'frameAncestors'>) => ({
  'Content-Security-Policy': contentSecurityPolicy(frameAncestors),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
});

export const pageHeaders = (ui: Pick<UiOptions, 'frameAncestors'>) => ({
  ...assetHeaders(ui),
  'Cache-Control': 'no-cache',
});

/** The prefix that was cut from this request's path (`server.base_path` or `X-Ingress-Path`); '' for none. */
export const readBasePath = ({ state: { basePath = '' } }: RouteContext): string => basePath;

/** What a form that could not be read is answered with. */
export const BODY_STATUS: Readonly<Record<Exclude<Awaited<ReturnType<typeof readForm>>['kind'], 'read'>, number>> = {
  'not-a-form': 415,
  'too-large': 413,
  'too-slow': 408,
  gone: 408,
};

/** A form that was not read to its end ends the connection. */
export function sendPage(ctx: RouteContext, status: number, page: string): void {
  if (ctx.method === 'POST' && !ctx.req.complete) ctx.set('Connection', 'close');
  ctx.status = status;
  ctx.type = 'text/html; charset=utf-8';
  ctx.body = page;
}

type SentCard = Omit<CardPage, 'tag' | 'name' | 'stylesheet' | 'script'> & { readonly script?: string };

/** A page with one card. `script`: the name of a built one. */
export function sendCard(ctx: RouteContext, ui: UiOptions, status: number, { script, ...card }: SentCard): void {
  const base = readBasePath(ctx);
  const built = {
    stylesheet: assetPath(ui.pages, base, 'login', 'css'),
    script: script && assetPath(ui.pages, base, script, 'js'),
  };
  sendPage(ctx, status, cardPage({ ...card, ...built, tag: pageLanguage(ctx).tag, name: ui.name }));
}

export function moveTo(ctx: RouteContext, status: 301 | 302 | 303, location: string): void {
  ctx.redirect(location);
  ctx.status = status;
}

export const refuseUnbuilt = (ctx: RouteContext, ui: UiOptions): void =>
  sendText(ctx, ui, 503, 'The pages of Postern are not built yet: run "npm run build", then start again.\n');

export function sendText(ctx: RouteContext, ui: UiOptions, status: number, text: string): void {
  ctx.set(pageHeaders(ui));
  ctx.status = status;
  ctx.type = 'text/plain; charset=utf-8';
  ctx.body = text;
}

/** The pages name their assets `./assets/…` and the manifest; a page may stand at any depth, so that becomes a path from the root. */
export function showBuilt(
  ctx: RouteContext,
  ui: UiOptions,
  page: 'loginPage' | 'consolePage',
  fill: (page: string) => string,
): unknown {
  if (!ui.pages) return refuseUnbuilt(ctx, ui);
  ctx.set({ ...pageHeaders(ui), Vary: 'Accept-Language, Cookie' });
  ctx.type = 'text/html; charset=utf-8';
  // A function: in a replacement string, `$&` would have a meaning.
  const base = html`${readBasePath(ctx)}`.markup;
  ctx.body = fill(ui.pages[page])
    .replaceAll('"./assets/', () => `"${base}${ASSETS_PATH}`)
    .replace('"./manifest"', () => `"${base}${MANIFEST_PATH}"`);
}
