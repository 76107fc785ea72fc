/** `/login`: the page in the browser's language, and the response to its form when it is sent without JavaScript (SPEC 4.1, 8). */

import type { Barred } from '../domain/caller.ts';
import { BODY_LIMITS } from '../domain/read-body.ts';
import { readForm } from '../domain/read-form.ts';
import { REFUSALS, type RefusalReason } from '../domain/refusal.ts';
import type { RouteState } from '../domain/verdict.ts';
import type { Templates, Texts } from '../locales/texts.ts';
import type { RouteContext } from '../routes/own-route.ts';
import { asTemplates, asWords, BODY_STATUS, fillPage, type Html, html } from './html.ts';
import { momentsIn, type PageLanguage, pageLanguage } from './page-language.ts';
import { closedText, formatSeconds } from './pages/login/login-outcome.ts';
import { nextPage } from './pages/login/next-page.ts';

type LoginWords = Templates<Texts['login']['form']>;

/** Outcome of a login attempt. */
export type FormLogin =
  | { readonly kind: 'logged-in'; readonly cookies: readonly string[] }
  /** The password was right: the cookie remembers that for the second step. */
  | { readonly kind: 'code-asked'; readonly cookie: string }
  | { readonly kind: 'code-wrong' | 'step-over' }
  | { readonly kind: 'wrong-credentials' | 'unfit' | 'no-passwords' }
  /** Everything was right; the account, its role or a password may not be used now. */
  | ({ readonly kind: 'closed' } & Barred)
  | { readonly kind: 'wait'; readonly why: 'too-many-tries' | 'busy'; readonly seconds: number };

export interface LogIn {
  logIn(attempt: { readonly user: string; readonly password: string }, ctx: RouteContext): Promise<FormLogin>;
  /** Finishes a login with the code alone: the browser's cookie says whose password was right. */
  secondStep(code: string, ctx: RouteContext): Promise<FormLogin>;
}

export interface LoginPageDeps {
  /** Shows the login page with its blanks filled in. */
  readonly show: (ctx: RouteContext, fill: (page: string) => string) => void;
  readonly logIn: LogIn;
  /** False when an authentication proxy in front handles the login. */
  readonly hasOwnLogin: boolean;
  /** The providers that people can sign in with: a button each. */
  readonly providers: readonly SignInButton[];
  /** False where people sign in with a provider or a passkey alone. */
  readonly hasPasswords: boolean;
  /** Whether there is an NVR: without a wanted page, a login leads to its pages. */
  readonly hasNvr: boolean;
  /** Where a login leads when no page was wanted, below the base path. */
  readonly home: string;
  /** The address that passkeys are made for; '' without passkeys. */
  readonly passkeyOrigin: string;
  readonly bodySeconds: () => number;
  readonly basePathOf: (ctx: RouteContext) => string;
}

export interface SignInButton {
  readonly name: string;
  readonly label: string;
}

interface LoginPageState {
  /** `is-second`: the code is asked for; `is-elsewhere`: there is no password to ask for. */
  readonly formState?: 'is-closed' | 'is-second' | 'is-elsewhere' | '';
  readonly user?: string;
  readonly problem?: string;
  /** The problem is about the field that gets the focus. */
  readonly isFieldWrong?: boolean;
  readonly home?: string;
  readonly consoleLink?: Html | undefined;
  readonly providers?: Html | undefined;
  readonly passkeys?: string;
}

/** The console's path below the base path. */
const CONSOLE = 'postern/';

export function createLoginPage(deps: LoginPageDeps) {
  const { hasOwnLogin, hasNvr, home, hasPasswords, basePathOf } = deps;
  const show = (ctx: RouteContext, language: PageLanguage, shown: LoginPageState): void => {
    const consoleLink = hasOwnLogin && hasNvr ? linkToConsole(ctx, basePathOf(ctx), language) : undefined;
    const formState = hasOwnLogin ? (hasPasswords ? '' : 'is-elsewhere') : 'is-closed';
    const providers =
      shown.formState === 'is-second' ? undefined : buttonsOf(ctx, basePathOf(ctx), home, deps.providers);
    const state = { formState, home, consoleLink, providers, passkeys: deps.passkeyOrigin } as const;
    deps.show(ctx, (page) => fillLoginPage(page, language, { ...state, ...shown }));
  };

  const refuse: Refuse = (ctx, status, problem, shown = {}): void => {
    const language = pageLanguage(ctx);
    ctx.status = status;
    show(ctx, language, { ...shown, problem: problem(asTemplates(language.words.login.form)) });
    ctx.set('Cache-Control', 'no-store');
    if (!ctx.req.complete) ctx.set('Connection', 'close');
  };

  return {
    get(ctx: RouteContext): void {
      const language = pageLanguage(ctx);
      // The first step was taken at a provider: the form works without script, and its cookie says whose step it was.
      if (hasOwnLogin) return void show(ctx, language, ctx.query['step'] === 'code' ? { formState: 'is-second' } : {});
      const fault: RouteState['credentialFault'] = ctx.state['credentialFault'];
      show(ctx, language, { problem: fault ? refusalText(fault, language) : language.words.login.form.noPasswords });
      if (fault) ctx.set('Cache-Control', 'no-store');
    },
    async post(ctx: RouteContext): Promise<void> {
      // admit() has refused requests that say they come from another site; a form must also say that it comes from this one.
      if (!saysWhereItComesFrom(ctx)) return refuse(ctx, 403, (words) => words.otherSite);
      const form = await readForm(ctx.req, { bytes: BODY_LIMITS.credentials, seconds: deps.bodySeconds() });
      if (form.kind !== 'read') return refuse(ctx, BODY_STATUS[form.kind], (words) => words.notUnderstood);
      const field = (name: string): string => form.fields.get(name) ?? '';
      const [user, password, code] = [field('user'), field('password'), field('code')];
      const isSecond = user === '' && password === '' && code !== '';
      if (!isSecond && (user === '' || password === '')) return refuse(ctx, 422, (words) => words.fillIn, { user });
      const outcome = isSecond
        ? await deps.logIn.secondStep(code, ctx)
        : await deps.logIn.logIn({ user, password }, ctx);
      if (outcome.kind !== 'logged-in') {
        if (outcome.kind === 'code-asked') ctx.set('Set-Cookie', outcome.cookie);
        return refuseLogin(ctx, outcome, isSecond ? { formState: 'is-second' } : { user }, refuse);
      }
      ctx.set({ 'Set-Cookie': [...outcome.cookies], 'Cache-Control': 'no-store' });
      ctx.redirect(wantedPage(ctx, basePathOf(ctx), home));
      ctx.status = 303;
    },
  };
}

/** A user that the proxy has signed in gains nothing by signing in again: the page says what is missing. */
function refusalText(reason: RefusalReason, { words }: PageLanguage): string {
  const messages: Readonly<Partial<Record<RefusalReason, string>>> = words.refusals.messages;
  return messages[reason] ?? REFUSALS[reason].message;
}

const saysWhereItComesFrom = (ctx: RouteContext): boolean =>
  ctx.get('Sec-Fetch-Site') === 'same-origin' || ctx.get('Origin') !== '';

type Refuse = (
  ctx: RouteContext,
  status: number,
  problem: (words: LoginWords) => string,
  shown?: LoginPageState,
) => void;

function refuseLogin(
  ctx: RouteContext,
  outcome: Exclude<FormLogin, { kind: 'logged-in' }>,
  shown: LoginPageState,
  refuse: Refuse,
) {
  switch (outcome.kind) {
    case 'wrong-credentials':
      return refuse(ctx, 401, (words) => words.wrong, { ...shown, isFieldWrong: true });
    case 'code-asked':
      return refuse(ctx, 401, () => '', { formState: 'is-second' });
    case 'code-wrong':
      return refuse(ctx, 401, (words) => words.wrongCode, { formState: 'is-second', isFieldWrong: true });
    case 'step-over':
      return refuse(ctx, 401, (words) => words.stepOver);
    case 'closed': {
      const { reason, opens } = outcome;
      if (opens) ctx.set('Retry-After', String(opens.inSeconds));
      const until = opens && momentsIn(pageLanguage(ctx).tag, opens.timeZone)(opens.at);
      return refuse(ctx, 403, (words) => closedText(words, reason, until), shown);
    }
    case 'unfit':
      return refuse(ctx, 422, (words) => words.notUnderstood, shown);
    case 'no-passwords':
      return refuse(ctx, 404, (words) => words.noPasswords, shown);
    case 'wait': {
      const { why, seconds } = outcome;
      ctx.set('Retry-After', String(seconds));
      const reason = (words: LoginWords): string => (why === 'busy' ? words.busy : words.tooMany);
      const again = (words: LoginWords): string => words.again.replace('{time}', formatSeconds(seconds));
      return refuse(ctx, why === 'busy' ? 503 : 429, (words) => `${reason(words)} ${again(words)}.`, shown);
    }
  }
}

const fillLoginPage = (
  page: string,
  { tag, words }: PageLanguage,
  { user = '', isFieldWrong = false, formState = '', consoleLink, providers, ...shown }: LoginPageState,
): string =>
  fillPage(withFocus(forStep(page, formState), focusOf(formState, user), isFieldWrong), tag, {
    formState,
    ...asWords(words.login.page),
    ...shown,
    language: words.ui.menu.language,
    consoleLink: html`${consoleLink}`,
    providers: html`${providers}`,
    words: JSON.stringify(asTemplates(words.login.form)),
    enteredUser: user,
  });

/** Fields of the other step are disabled: a browser neither asks for them nor sends them. */
const forStep = (page: string, formState: string): string =>
  page.replace(formState === 'is-second' ? 'id="first-step"' : 'id="second-step"', '$& disabled');

const focusOf = (formState: string, user: string): string => {
  if (formState === 'is-second') return 'code';
  return user === '' ? 'user' : 'password';
};

/** The page with the focus in the next empty field, without JavaScript too. */
const withFocus = (page: string, id: string, isWrong: boolean): string =>
  page.replace(`id="${id}"`, isWrong ? '$& autofocus aria-invalid="true"' : '$& autofocus');

/** Only the path of the wanted address is used, never its host. */
const wantedPage = (ctx: RouteContext, basePath: string, home: string): string =>
  nextPage({ page: new URL(ctx.url, 'http://postern').href, referrer: '', basePath: `${basePath}/`, home });

/** A link each: it works without script, and no policy for forms stops it. */
function buttonsOf(
  ctx: RouteContext,
  basePath: string,
  home: string,
  providers: LoginPageDeps['providers'],
): Html | undefined {
  const query = new URLSearchParams({ return_to: wantedPage(ctx, basePath, home) });
  const links = providers.map(({ name, label }) => {
    const address = `${basePath}/api/login/oidc/${name}?${query}`;
    return html`<a class="button button-wide" href="${address}"><bdi>${label}</bdi></a>`;
  });
  return links.length === 0 ? undefined : html`<p class="lone-providers">${links}</p>`;
}

/** None when the login leads to the console anyway. */
function linkToConsole(ctx: RouteContext, basePath: string, { words }: PageLanguage): Html | undefined {
  const target = `${basePath}/${CONSOLE}`;
  if (wantedPage(ctx, basePath, '').startsWith(target)) return undefined;
  const address = `?${new URLSearchParams({ next: target })}`;
  return html`<p class="lone-more"><a href="${address}">${words.login.page.toConsole}</a></p>`;
}
