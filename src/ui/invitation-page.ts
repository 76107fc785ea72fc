/** `/invitation/{token}`: the page on which a person with a link sets a password, or by script a passkey (SPEC 8, 12). */

import { INVITATION_PATH, LOGIN_PATH } from '../domain/login-path.ts';
import { BODY_LIMITS } from '../domain/read-body.ts';
import { readForm } from '../domain/read-form.ts';
import { said } from '../locales/texts.ts';
import type { RouteContext } from '../routes/own-route.ts';
import { type InvitationCard, type InvitationVisit, renderInvitation } from './invitation-card.ts';
import type { SignInButton } from './login-page.ts';
import { type PageLanguage, pageLanguage } from './page-language.ts';
import { COMMON, isUnfit, strengthOf } from './pages/shared/account/password-strength.ts';

export type { InvitationVisit };

export interface InvitationService {
  look(token: string, ctx: RouteContext): Promise<InvitationVisit>;
  accept(given: { readonly token: string; readonly password: string }, ctx: RouteContext): Promise<InvitationVisit>;
}

export interface InvitationPageDeps {
  readonly service: InvitationService;
  readonly headers: Readonly<Record<string, string>>;
  /** `auth.password_min_length`. */
  readonly shortestPassword: number;
  /** The stylesheet's path from the root of the site; undefined while the pages are not built. */
  readonly stylesheetOf: (ctx: RouteContext) => string | undefined;
  /** The same of the script, which the page can do without. */
  readonly scriptOf: (ctx: RouteContext) => string | undefined;
  /** The address that passkeys are made for; '' without passkeys. */
  readonly passkeyOrigin: string;
  readonly providers: readonly SignInButton[];
  readonly bodySeconds: () => number;
  readonly basePathOf: (ctx: RouteContext) => string;
}

// biome-ignore format: a table
const STATUS: Readonly<Record<InvitationCard['kind'], number>> = {
  holds: 200, accepted: 200, void: 404, 'no-passwords': 404, 'password-unfit': 400, differ: 400, busy: 503, limited: 429,
};
const BODY_STATUS = { 'not-a-form': 415, 'too-large': 413, 'too-slow': 408, gone: 408 } as const;

/**
 * The address holds the secret, so no Referer tells more of it than the host. (With `no-referrer` browsers would send
 * `Origin: null` with the form, and it could not be told from one of another site.)
 */
const REFERRER = {
  'Referrer-Policy': 'strict-origin',
  'Cache-Control': 'no-store',
  Vary: 'Accept-Language, Cookie',
} as const;

export function createInvitationPage(deps: InvitationPageDeps) {
  const { service, headers } = deps;
  const show = (ctx: RouteContext, shown: InvitationCard, status: number = STATUS[shown.kind]): void => {
    ctx.set({ ...headers, ...REFERRER });
    if (shown.kind === 'limited') ctx.set('Retry-After', String(shown.seconds));
    if (shown.kind === 'busy') ctx.set('Retry-After', '5');
    if (!ctx.req.complete) ctx.set('Connection', 'close');
    ctx.status = status;
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = renderInvitation(shown, pageLanguage(ctx), {
      stylesheet: deps.stylesheetOf(ctx),
      script: deps.scriptOf(ctx),
      passkeyOrigin: deps.passkeyOrigin,
      login: `${deps.basePathOf(ctx)}${LOGIN_PATH}`,
      shortestPassword: deps.shortestPassword,
      providers: deps.providers.map(({ name, label }) => ({
        label,
        action: `${deps.basePathOf(ctx)}${INVITATION_PATH}/${encodeURIComponent(tokenOf(ctx))}/sign-in/${name}`,
      })),
    });
  };
  const tokenOf = (ctx: RouteContext): string => ctx.params['token'] ?? '';
  return {
    get: async (ctx: RouteContext): Promise<void> => show(ctx, await service.look(tokenOf(ctx), ctx)),
    async post(ctx: RouteContext): Promise<void> {
      const token = tokenOf(ctx);
      const form = await readForm(ctx.req, { bytes: BODY_LIMITS.credentials, seconds: deps.bodySeconds() });
      if (form.kind !== 'read') return show(ctx, { kind: 'void' }, BODY_STATUS[form.kind]);
      const password = form.fields.get('password') ?? '';
      if (form.fields.get('again') === password) {
        const visit = await service.accept({ token, password }, ctx);
        if (visit.kind === 'accepted' && visit.hasSession) return toConsole(ctx, deps.basePathOf(ctx));
        return show(ctx, visit.kind === 'password-unfit' ? inWords(visit, password, pageLanguage(ctx), deps) : visit);
      }
      const visit = await service.look(token, ctx);
      show(ctx, visit.kind === 'holds' ? { ...visit, kind: 'differ' } : visit);
    },
  };
}

/** The person is logged in already. */
function toConsole(ctx: RouteContext, basePath: string): void {
  ctx.set(REFERRER);
  ctx.redirect(`${basePath}/postern/`);
  ctx.status = 303;
}

type UnfitPassword = Extract<InvitationVisit, { readonly kind: 'password-unfit' }>;

/** The server's own sentence is for programs: people get it in their language, where the page knows the rule. */
function inWords(
  visit: UnfitPassword,
  password: string,
  { words }: PageLanguage,
  { shortestPassword }: Pick<InvitationPageDeps, 'shortestPassword'>,
): UnfitPassword {
  const { rules } = words.passwords;
  const strength = strengthOf(password, visit.user, shortestPassword);
  if (isUnfit(strength)) return { ...visit, message: said(rules.faults[strength], { shortest: shortestPassword }) };
  return COMMON.test(visit.message) ? { ...visit, message: rules.common } : visit;
}
