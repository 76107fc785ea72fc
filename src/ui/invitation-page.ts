/** `/invitation/{token}`: the page on which a person with a link sets a password, or by script a passkey (SPEC 8, 12). */
import type { Context, ParameterizedContext } from 'koa';
import { BODY_LIMITS } from '../domain/body-limits.ts';
import { LOGIN_PATH } from '../domain/login-path.ts';
import type { RouteState } from '../domain/verdict.ts';
import { escapeHtml } from './escape-html.ts';
import { asJson } from './fill-page.ts';
import { lonePage } from './lone-page.ts';
import { type PageLanguage, pageLanguage } from './page-language.ts';
import { invitationWords } from './pages/invitation/invitation-words.ts';
import { formatSeconds } from './pages/login/login-outcome.ts';
import { readForm } from './read-form.ts';

export type InvitationContext = ParameterizedContext<RouteState>;

interface Holder {
  readonly user: string;
  /** Not beside a second factor: a new passkey would be a way around it. */
  readonly mayUsePasskey: boolean;
}

/** What became of a visit, or of a form. `message`: which rule the password breaks. */
export type InvitationVisit =
  | (Holder & { readonly kind: 'holds' | 'busy' })
  | (Holder & { readonly kind: 'password-unfit'; readonly message: string })
  | { readonly kind: 'accepted'; readonly user: string }
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
  /** The same of the script, which the page can do without. */
  readonly scriptOf: (ctx: Context) => string | undefined;
  /** The address that passkeys are made for; '' without passkeys. */
  readonly passkeyOrigin: string;
  readonly bodySeconds: () => number;
  readonly basePathOf: (ctx: Context) => string;
}

type Shown = InvitationVisit | (Holder & { readonly kind: 'differ' });

// biome-ignore format: a table
const STATUS: Readonly<Record<Shown['kind'], number>> = {
  holds: 200, accepted: 200, void: 404, 'no-passwords': 404, 'password-unfit': 400, differ: 400, busy: 503, limited: 429,
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
      script: deps.scriptOf(ctx as Context),
      passkeyOrigin: deps.passkeyOrigin,
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
      show(ctx, visit.kind === 'holds' ? { ...visit, kind: 'differ' } : visit);
    },
  };
}

interface Places {
  readonly stylesheet: string | undefined;
  readonly script: string | undefined;
  readonly login: string;
  readonly shortestPassword: number;
  readonly passkeyOrigin: string;
}

function render(shown: Shown, language: PageLanguage, places: Places): string {
  const { tag, words } = language;
  const text = words.invitationPage;
  const isForm = 'user' in shown && shown.kind !== 'accepted';
  const title = isForm ? text.title : shown.kind === 'accepted' ? text.doneTitle : text.voidTitle;
  const content = isForm ? renderForm(shown, language, places) : renderEnd(shown, language, places);
  const card = `<h1 class="lone-title">${escapeHtml(title)}</h1>\n${content}`;
  return lonePage({ tag, title, stylesheet: places.stylesheet, script: isForm ? places.script : undefined, card });
}

type FormShown = Exclude<Extract<Shown, { readonly user: string }>, { readonly kind: 'accepted' }>;

/** The script reads its words and addresses from the form. */
function renderForm(shown: FormShown, { words }: PageLanguage, places: Places): string {
  const { shortestPassword, login } = places;
  const text = words.invitationPage;
  const field = (name: string, label: string, rest: string, more = ''): string =>
    `<div class="field"><label for="${name}">${escapeHtml(label)}</label><input id="${name}" name="${name}" ${rest}>${more}</div>\n`;
  const rules = escapeHtml(text.rules.replace('{count}', String(shortestPassword)));
  const help = `<p id="rules" class="field-help">${rules}</p><p id="strength" class="strength" role="status"></p>`;
  const secret = `type="password" autocomplete="new-password" minlength="${shortestPassword}" maxlength="1024" required`;
  const user = field(
    'user',
    text.user,
    `type="text" autocomplete="username" value="${escapeHtml(shown.user)}" readonly`,
  );
  const password = field('password', text.password, `${secret} autofocus aria-describedby="rules"`, help);
  const passkeys = shown.mayUsePasskey ? places.passkeyOrigin : '';
  const forScript = `data-words="${asJson(invitationWords(words, shortestPassword))}" data-login="${escapeHtml(login)}" data-passkeys="${escapeHtml(passkeys)}"`;
  return `<p class="lone-lead">${escapeHtml(text.lead)}</p>
<form class="login-form" method="post" ${forScript}>
<div id="problem" class="notice notice-bad" role="alert">${escapeHtml(problemOf(shown, text))}</div>
${user}${password}${field('again', text.again, secret)}<button class="button button-strong button-wide" type="submit">${escapeHtml(text.submit)}</button>
<div id="passkey-offer" hidden><button class="button button-wide" type="button" aria-describedby="passkey-help">${escapeHtml(text.passkey)}</button>
<p id="passkey-help" class="field-help">${escapeHtml(text.passkeyHelp)}</p></div>
</form>
`;
}

function problemOf(shown: Shown, text: PageLanguage['words']['invitationPage']): string {
  switch (shown.kind) {
    case 'password-unfit':
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
