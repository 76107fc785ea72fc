/** `/invitation/{token}`: the page on which a person with a link sets the own password; it needs no script (SPEC 8, 12). */
import type { Context, ParameterizedContext } from 'koa';
import { BODY_LIMITS } from '../domain/body-limits.ts';
import { LOGIN_PATH } from '../domain/login-path.ts';
import type { RouteState } from '../domain/verdict.ts';
import { escapeHtml } from './escape-html.ts';
import { type PageLanguage, pageLanguage } from './page-language.ts';
import { formatSeconds } from './pages/login/login-outcome.ts';
import { readForm } from './read-form.ts';

export type InvitationContext = ParameterizedContext<RouteState>;

/** What became of a visit, or of a form. `message`: which rule the password breaks. */
export type InvitationVisit =
  | { readonly kind: 'holds' | 'accepted' | 'busy'; readonly user: string }
  | { readonly kind: 'unfit'; readonly user: string; readonly message: string }
  /** Unknown, used, over or revoked: all alike. */
  | { readonly kind: 'void' | 'no-passwords' }
  | { readonly kind: 'limited'; readonly seconds: number };

export interface InvitationDesk {
  look(token: string, ctx: InvitationContext): Promise<InvitationVisit>;
  accept(
    given: { readonly token: string; readonly password: string },
    ctx: InvitationContext,
  ): Promise<InvitationVisit>;
}

export interface InvitationPageDeps {
  readonly desk: InvitationDesk;
  readonly headers: Readonly<Record<string, string>>;
  /** `auth.password_min_length`. */
  readonly shortestPassword: number;
  /** From the root of the site; undefined while the pages are not built. */
  readonly stylesheetOf: (ctx: Context) => string | undefined;
  readonly bodySeconds: () => number;
  readonly basePathOf: (ctx: Context) => string;
}

type Shown = InvitationVisit | { readonly kind: 'differ'; readonly user: string };

// biome-ignore format: a table
const STATUS: Readonly<Record<Shown['kind'], number>> = {
  holds: 200, accepted: 200, void: 404, 'no-passwords': 404, unfit: 400, differ: 400, busy: 503, limited: 429,
};
const BODY_STATUS = { 'not-a-form': 415, 'too-large': 413, 'too-slow': 408, gone: 408 } as const;

/**
 * The address holds the secret, so no Referer tells more of it than the host. (With `no-referrer` browsers would send
 * `Origin: null` with the form, and it could not be told from one of another site.)
 */
const REFERRER = { 'Referrer-Policy': 'strict-origin', 'Cache-Control': 'no-store', Vary: 'Accept-Language' } as const;

export function createInvitationPage(deps: InvitationPageDeps) {
  const { desk, headers } = deps;
  const show = (ctx: InvitationContext, shown: Shown, status: number = STATUS[shown.kind]): void => {
    ctx.set({ ...headers, ...REFERRER });
    if (shown.kind === 'limited') ctx.set('Retry-After', String(shown.seconds));
    if (shown.kind === 'busy') ctx.set('Retry-After', '5');
    if (!ctx.req.complete) ctx.set('Connection', 'close');
    ctx.status = status;
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = render(shown, pageLanguage(ctx), {
      stylesheet: deps.stylesheetOf(ctx as Context),
      login: `${deps.basePathOf(ctx as Context)}${LOGIN_PATH}`,
      shortestPassword: deps.shortestPassword,
    });
  };
  const tokenOf = (ctx: InvitationContext): string => (ctx as Context)['params']['token'] ?? '';
  return {
    get: async (ctx: InvitationContext): Promise<void> => show(ctx, await desk.look(tokenOf(ctx), ctx)),
    async post(ctx: InvitationContext): Promise<void> {
      const token = tokenOf(ctx);
      const form = await readForm(ctx.req, { bytes: BODY_LIMITS.credentials, seconds: deps.bodySeconds() });
      if (form.kind !== 'read') return show(ctx, { kind: 'void' }, BODY_STATUS[form.kind]);
      const password = form.fields.get('password') ?? '';
      if (form.fields.get('again') === password) return show(ctx, await desk.accept({ token, password }, ctx));
      const visit = await desk.look(token, ctx);
      show(ctx, visit.kind === 'holds' ? { kind: 'differ', user: visit.user } : visit);
    },
  };
}

interface Places {
  readonly stylesheet: string | undefined;
  readonly login: string;
  readonly shortestPassword: number;
}

/** Complete and self-sufficient: no script, no inline style. */
function render(shown: Shown, language: PageLanguage, places: Places): string {
  const { tag, words } = language;
  const text = words.invitationPage;
  const stylesheet = places.stylesheet ? `<link rel="stylesheet" href="${escapeHtml(places.stylesheet)}">\n` : '';
  const isForm = 'user' in shown && shown.kind !== 'accepted';
  const title = escapeHtml(isForm ? text.title : shown.kind === 'accepted' ? text.doneTitle : text.voidTitle);
  return `<!doctype html>
<html lang="${tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Postern</title>
<link rel="icon" href="data:,">
${stylesheet}</head>
<body class="lone">
<main class="lone-card">
<h1 class="lone-title">${title}</h1>
${isForm ? renderForm(shown, language, places) : renderEnd(shown, language, places)}</main>
</body>
</html>
`;
}

function renderForm(shown: Shown & { readonly user: string }, { words }: PageLanguage, { shortestPassword }: Places) {
  const text = words.invitationPage;
  const problem = problemOf(shown, words.invitationPage);
  const alert = problem === '' ? '' : `<div class="notice notice-bad" role="alert">${escapeHtml(problem)}</div>\n`;
  const field = (name: string, label: string, rest: string): string =>
    `<div class="field"><label for="${name}">${escapeHtml(label)}</label><input id="${name}" name="${name}" ${rest}></div>\n`;
  const rules = text.rules.replace('{count}', String(shortestPassword));
  const secret = `type="password" autocomplete="new-password" minlength="${shortestPassword}" maxlength="1024" required`;
  return `<p class="lone-lead">${escapeHtml(text.lead)}</p>
<form class="login-form" method="post">
${alert}${field('user', text.user, `type="text" autocomplete="username" value="${escapeHtml(shown.user)}" readonly`)}${field('password', text.password, `${secret} autofocus aria-describedby="rules"`)}${field('again', text.again, secret)}<p id="rules" class="field-hint">${escapeHtml(rules)}</p>
<button class="button button-strong button-wide" type="submit">${escapeHtml(text.submit)}</button>
</form>
`;
}

function problemOf(shown: Shown, text: PageLanguage['words']['invitationPage']): string {
  switch (shown.kind) {
    case 'unfit':
      return `${text.unfit} ${shown.message}`;
    case 'differ':
      return text.differ;
    case 'busy':
      return text.busy;
    default:
      return '';
  }
}

function renderEnd(shown: Shown, { words }: PageLanguage, { login }: Places): string {
  const text = words.invitationPage;
  const link = `<p class="refusal-links"><a class="button" href="${escapeHtml(login)}">${escapeHtml(text.toLogin)}</a></p>\n`;
  const paragraph = (sentence: string): string => `<p class="refusal-message">${escapeHtml(sentence)}</p>\n`;
  switch (shown.kind) {
    case 'accepted':
      return paragraph(text.done) + link;
    case 'limited':
      return paragraph(text.limited.replace('{time}', formatSeconds(shown.seconds)));
    case 'no-passwords':
      return paragraph(words.login.noPasswords);
    default:
      return paragraph(text.void) + link;
  }
}
