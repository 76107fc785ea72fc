/** `/invitation/{token}`: the page on which a person with a link sets a password, or by script a passkey (SPEC 8, 12). */

import { INVITATION_PATH, LOGIN_PATH } from '../domain/login-path.ts';
import { BODY_LIMITS } from '../domain/read-body.ts';
import { readForm } from '../domain/read-form.ts';
import { said, type Texts } from '../locales/texts.ts';
import type { RouteContext } from '../routes/own-route.ts';
import { BODY_STATUS, buttonTo, cardPage, type Html, html, paragraph, sendPage } from './html.ts';
import type { SignInButton } from './login-page.ts';
import { momentsIn, type PageLanguage, pageLanguage } from './page-language.ts';
import { invitationWords } from './pages/invitation/invitation-words.ts';
import { formatSeconds } from './pages/login/login-outcome.ts';
import { COMMON, isUnfit, strengthOf } from './pages/shared/account/password-strength.ts';

/** What a person who gets an account is told before anything is typed. */
export interface InvitedGuest {
  /** The name of the admin; undefined when the invitation was made at the machine. */
  readonly by: string | undefined;
  /** Undefined: all of them. */
  readonly cameras: readonly string[] | undefined;
  /** Unix seconds: the end of the account. */
  readonly until: number | undefined;
  readonly timeZone: string | undefined;
}

/** When an account that is closed can be used. `at`: Unix seconds. */
interface Opening {
  readonly at: number;
  readonly timeZone: string | undefined;
}

interface InvitationHolder {
  readonly user: string;
  /** Absent: it can be used at once, or is closed for good. */
  readonly opens?: Opening;
  /** Absent for an account that had a password: the link is for a new one. */
  readonly guest?: InvitedGuest;
  /** Not beside a second factor: a new passkey would be a way around it. */
  readonly mayUsePasskey: boolean;
}

/** What became of a visit, or of a form. `message`: which rule the password breaks. */
export type InvitationVisit =
  | (InvitationHolder & { readonly kind: 'holds' | 'busy' })
  | (InvitationHolder & { readonly kind: 'password-unfit'; readonly message: string })
  | { readonly kind: 'accepted'; readonly user: string; readonly hasSession?: true; readonly opens?: Opening }
  /** Unknown, used, over or revoked: all alike. */
  | { readonly kind: 'void' | 'no-passwords' }
  | { readonly kind: 'limited'; readonly seconds: number };

type InvitationCard = InvitationVisit | (InvitationHolder & { readonly kind: 'differ' });

interface InvitationPlaces {
  readonly stylesheet: string | undefined;
  readonly script: string | undefined;
  readonly login: string;
  readonly shortestPassword: number;
  readonly passkeyOrigin: string;
  /** The addresses at which the invitation is accepted by a provider instead, with what people call each. */
  readonly providers: readonly { readonly label: string; readonly action: string }[];
}

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
    const page = renderInvitation(shown, pageLanguage(ctx), {
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
    sendPage(ctx, status, page);
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

function renderInvitation(shown: InvitationCard, language: PageLanguage, places: InvitationPlaces): string {
  const { tag, words } = language;
  const text = words.invitations.page;
  const isForm = 'user' in shown && shown.kind !== 'accepted';
  const title = isForm ? text.title : shown.kind === 'accepted' ? text.doneTitle : text.voidTitle;
  const content = isForm ? renderForm(shown, language, places) : renderEnd(shown, language, places);
  const card = html`<h1 class="lone-title">${title}</h1>\n${content}`;
  return cardPage({ tag, title, stylesheet: places.stylesheet, script: isForm ? places.script : undefined, card });
}

type FormShown = Exclude<Extract<InvitationCard, { readonly user: string }>, { readonly kind: 'accepted' }>;

/** The script reads its words and addresses from the form. */
function renderForm(shown: FormShown, { tag, words }: PageLanguage, places: InvitationPlaces): Html {
  const { shortestPassword, login, providers } = places;
  const text = words.invitations.page;
  const hasDiffered = shown.kind === 'differ';
  const fault = html` aria-invalid="true"`;
  const field = (name: string, label: string, rest: Html, more?: Html): Html =>
    html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" ${rest}>${more}</div>\n`;
  const help = html`<p id="rules" class="field-help">${text.rules({ count: shortestPassword })}</p><p id="strength" class="strength" role="status"></p>`;
  const secret = html`type="password" autocomplete="new-password" minlength="${shortestPassword}" maxlength="1024" required`;
  const user = html`type="text" autocomplete="username" value="${shown.user}" readonly`;
  const isWrong = shown.kind === 'password-unfit' || hasDiffered;
  const password = html`${secret} autofocus aria-describedby="problem rules"${isWrong && fault}`;
  const again = html`${secret} aria-describedby="problem"${hasDiffered && fault}`;
  const scriptWords = {
    ...invitationWords(words, shortestPassword),
    done: doneText(shown.opens, tag, text, text.donePasskey),
  };
  const forScript = html`data-words="${JSON.stringify(scriptWords)}" data-login="${login}" data-passkeys="${shown.mayUsePasskey && places.passkeyOrigin}"`;
  // A form for each provider: in the query of a link the secret would stand in logs.
  const forms = providers.map(
    ({ label, action }) =>
      html`<form method="post" action="${action}"><button class="button button-wide" type="submit"><bdi>${label}</bdi></button></form>\n`,
  );
  return html`<p class="lone-lead">${text.lead}</p>
${shown.guest && renderGuest(shown.guest, shown.opens, tag, text)}<form class="login-form" method="post" ${forScript}>
<div id="problem" class="notice notice-bad" role="alert">${problemOf(shown, text)}</div>
${field('user', text.user, user)}${field('password', text.password, password, help)}${field('again', text.again, again)}<button class="button button-strong button-wide" type="submit">${text.submit}</button>
<div id="passkey-offer" hidden><button class="button button-wide" type="button" aria-describedby="passkey-help">${text.passkey}</button>
<p id="passkey-help" class="field-help">${text.passkeyHelp}</p></div>
</form>
${forms.length > 0 && html`<div class="lone-providers">${forms}</div>\n`}`;
}

function renderGuest(
  { by, cameras, until, timeZone }: InvitedGuest,
  opens: Opening | undefined,
  tag: string,
  text: Texts['invitations']['page'],
): Html | undefined {
  const seen = cameras === undefined ? text.allCameras : cameras.join(', ');
  const sentences = [
    by === undefined ? undefined : text.invitedBy({ name: by }),
    seen === '' ? undefined : text.sees({ cameras: seen }),
    opens && text.opens({ time: momentsIn(tag, timeZone)(opens.at) }),
    until === undefined ? undefined : text.validUntil({ time: momentsIn(tag, timeZone)(until) }),
  ].filter((sentence) => sentence !== undefined);
  const lines = sentences.map((sentence, at) => html`${at > 0 && html`<br>`}<bdi>${sentence}</bdi>`);
  return lines.length === 0 ? undefined : html`<p class="notice">${lines}</p>\n`;
}

/** The person is told when the account begins, or the hours of its role. */
const doneText = (
  opens: Opening | undefined,
  tag: string,
  text: Texts['invitations']['page'],
  atOnce: string,
): string => (opens ? text.doneLater({ time: momentsIn(tag, opens.timeZone)(opens.at) }) : atOnce);

function problemOf(shown: InvitationCard, text: Texts['invitations']['page']): string {
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

function renderEnd(shown: InvitationCard, { tag, words }: PageLanguage, { login }: InvitationPlaces): Html {
  const text = words.invitations.page;
  const link = html`<p class="refusal-links">${buttonTo(login, text.toLogin)}</p>\n`;
  switch (shown.kind) {
    case 'accepted':
      return html`${paragraph(doneText(shown.opens, tag, text, text.done))}${link}`;
    case 'limited':
      return paragraph(text.limited({ time: formatSeconds(shown.seconds) }));
    case 'no-passwords':
      return paragraph(words.login.form.noPasswords);
    default:
      return html`${paragraph(text.void)}${link}`;
  }
}
