/** `/s/{secret}`: the page of a link. It needs no account and no script, and asks for the PIN where there is one (SPEC 8, 13). */
import { BODY_LIMITS } from '../domain/read-body.ts';
import { readForm } from '../domain/read-form.ts';
import { LINK_PATH } from '../domain/shared-thing.ts';
import type { RouteContext } from '../routes/own-route.ts';
import {
  type ClosedLinkPage,
  type LinkPageVisit,
  type LinkPlaces,
  renderLinkPage,
  type ShownPage,
  type WrongPin,
} from './link-page-html.ts';
import { pageLanguage } from './page-language.ts';

export interface LinkService {
  visit(secret: string, ctx: RouteContext): Promise<LinkPageVisit>;
  givePin(
    given: { readonly secret: string; readonly pin: string },
    ctx: RouteContext,
  ): Promise<ClosedLinkPage | WrongPin | { readonly kind: 'right'; readonly cookie: string }>;
}

export interface LinkPageDeps {
  readonly service: LinkService;
  readonly stylesheetOf: (ctx: RouteContext) => string | undefined;
  readonly bodySeconds: () => number;
  readonly basePathOf: (ctx: RouteContext) => string;
}

// biome-ignore format: a table
const STATUS: Readonly<Record<ShownPage['kind'], number>> = {
  shown: 200, pin: 200, wrong: 403, over: 404, busy: 503, limited: 429,
};
const BODY_STATUS = { 'not-a-form': 415, 'too-large': 413, 'too-slow': 408, gone: 408 } as const;

/** Nothing but the link's own files (and the empty icon), no script, and in no frame of any page. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "media-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
  Vary: 'Accept-Language, Cookie',
} as const;

/**
 * The address holds the secret, so no Referer tells it. The page of the form tells the host alone: with `no-referrer`
 * browsers would send `Origin: null` with the form, and it could not be told from a form of another site.
 */
const REFERRER = { form: 'strict-origin', other: 'no-referrer' } as const;
const BUSY_RETRY_SECONDS = 5;

export function createLinkPage({ service, stylesheetOf, bodySeconds, basePathOf }: LinkPageDeps) {
  const secretOf = (ctx: RouteContext): string => ctx.params['secret'] ?? '';
  const placesOf = (ctx: RouteContext): LinkPlaces => ({
    stylesheet: stylesheetOf(ctx),
    link: `${basePathOf(ctx)}${LINK_PATH}/${secretOf(ctx)}`,
  });
  const show = (ctx: RouteContext, page: ShownPage, status: number = STATUS[page.kind]): void => {
    const isForm = page.kind === 'pin' || page.kind === 'wrong';
    ctx.set({ ...HEADERS, 'Referrer-Policy': isForm ? REFERRER.form : REFERRER.other });
    if (page.kind === 'limited') ctx.set('Retry-After', String(page.seconds));
    if (page.kind === 'busy') ctx.set('Retry-After', String(BUSY_RETRY_SECONDS));
    if (page.kind === 'shown' && page.cookie !== undefined) ctx.append('Set-Cookie', page.cookie);
    if (!ctx.req.complete) ctx.set('Connection', 'close');
    ctx.status = status;
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = renderLinkPage(page, pageLanguage(ctx), placesOf(ctx));
  };
  return {
    get: async (ctx: RouteContext): Promise<void> => show(ctx, await service.visit(secretOf(ctx), ctx)),
    async post(ctx: RouteContext): Promise<void> {
      const form = await readForm(ctx.req, { bytes: BODY_LIMITS.credentials, seconds: bodySeconds() });
      if (form.kind !== 'read') return show(ctx, { kind: 'over' }, BODY_STATUS[form.kind]);
      const outcome = await service.givePin({ secret: secretOf(ctx), pin: form.fields.get('pin') ?? '' }, ctx);
      if (outcome.kind !== 'right') return show(ctx, outcome);
      ctx.set({ ...HEADERS, 'Referrer-Policy': REFERRER.other });
      ctx.append('Set-Cookie', outcome.cookie);
      ctx.redirect(placesOf(ctx).link);
      ctx.status = 303;
    },
  };
}
