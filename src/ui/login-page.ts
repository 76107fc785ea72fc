/** `/login`: the page in the browser's language, and the response to its form when it is sent without JavaScript (SPEC 4.1, 8). */
import { Refused, whileCounted } from '../accounts/http/kernel.ts';
import { loginFailed } from '../accounts/login/login.ts';
import { attemptLogin, attemptSecondStep, unlessDisabled, unlessUnfit } from '../accounts/login/post-login.ts';
import { STEP_COOKIE, TICKET_SECONDS } from '../accounts/second-factor/sealing.ts';
import { cookieLine } from '../accounts/sessions/session-cookie.ts';
import { digestSecrets } from '../accounts/sessions/session-state.ts';
import type { AccountServices } from '../app/services.ts';
import type { User } from '../domain/accounts/account.ts';
import type { RouteState } from '../domain/caller.ts';
import { unixSeconds } from '../domain/clock.ts';
import { START_PATH } from '../domain/page-paths.ts';
import { cookieValues } from '../domain/sent-credentials.ts';
import type { Templates, Texts } from '../locales/texts.ts';
import type { RouteContext } from '../routes/own-route.ts';
import { BODY_LIMITS, readForm } from '../routes/read-body.ts';
import { asTemplates, asWords, fillPage, type Html, html } from './html.ts';
import { BODY_STATUS, momentIn, moveTo, type PageLanguage, pageLanguage, readBasePath, showBuilt } from './page.ts';
import { type ClosedReason, closedText, formatSeconds } from './pages/login/login-outcome.ts';
import { nextPage } from './pages/shared/where-to-go.ts';
import type { UiOptions } from './ui-options.ts';

type LoginWords = Templates<Texts['login']['form']>;

interface LoginPageState {
  /** `is-second`: the code is asked for; `is-elsewhere`: there is no password to ask for. */
  readonly formState?: 'is-closed' | 'is-second' | 'is-elsewhere' | '';
  readonly user?: string;
  readonly problem?: string;
  /** The problem is about the field that gets the focus. */
  readonly isFieldWrong?: boolean;
  readonly consoleLink?: Html | undefined;
  readonly pieces?: Html;
  readonly passkeys?: string;
  readonly name?: string;
}

export async function getLogin(ctx: RouteContext, ui: UiOptions): Promise<void> {
  // The first step was taken at a provider: the form works without script, and its cookie says whose step it was.
  if (ui.hasOwnLogin) return show(ctx, ui, ctx.query['step'] === 'code' ? { formState: 'is-second' } : {});
  const { words } = pageLanguage(ctx);
  const fault: RouteState['credentialFault'] = ctx.state['credentialFault'];
  // A user that the proxy has signed in gains nothing by signing in again: the page says what is missing.
  await show(ctx, ui, { problem: fault ? words.problems[fault] : words.login.form.noPasswords });
  if (fault) ctx.set('Cache-Control', 'no-store');
}

export async function postLogin(ctx: RouteContext, ui: UiOptions): Promise<void> {
  const refuse: Refuse = async (status, problem, shown = {}) => {
    ctx.status = status;
    await show(ctx, ui, { ...shown, problem: problem(asTemplates(pageLanguage(ctx).words.login.form)) });
    ctx.set('Cache-Control', 'no-store');
    if (!ctx.req.complete) ctx.set('Connection', 'close');
  };
  // admit() has refused requests that say they come from another site; a form must also say that it comes from this one.
  if (ctx.get('Sec-Fetch-Site') !== 'same-origin' && ctx.get('Origin') === '')
    return refuse(403, (words) => words.otherSite);
  const form = await readForm(ctx.req, { bytes: BODY_LIMITS.credentials, seconds: ui.bodySeconds() });
  if (form.kind !== 'read') return refuse(BODY_STATUS[form.kind], (words) => words.notUnderstood);
  const field = (name: string): string => form.fields.get(name) ?? '';
  const [user, password, code] = [field('user'), field('password'), field('code')];
  const isSecond = user === '' && password === '' && code !== '';
  if (!isSecond && (user === '' || password === '')) return refuse(422, (words) => words.fillIn, { user });
  try {
    const cookie = await (isSecond ? takeCode(code, ctx, ui.accounts) : logIn({ user, password }, ctx, ui.accounts));
    const endedStep = stepCookieIn(ctx) === undefined ? [] : [stepCookie('', 0, ctx)];
    ctx.set({ 'Set-Cookie': [cookie, ...endedStep], 'Cache-Control': 'no-store' });
    moveTo(ctx, 303, wantedPage(ctx));
  } catch (fault) {
    if (!(fault instanceof Refused)) throw fault;
    if (fault.told === 'code-asked' && fault.user) ctx.set('Set-Cookie', ticketCookie(fault.user, ctx, ui.accounts));
    await refuseLogin(ctx, fault, isSecond ? { formState: 'is-second' } : { user }, refuse);
  }
}

async function logIn(
  given: { readonly user: string; readonly password: string },
  ctx: RouteContext,
  deps: AccountServices,
): Promise<string> {
  unlessDisabled(given, deps);
  unlessUnfit(given.password);
  return whileCounted(deps, () => attemptLogin(given, ctx, deps));
}

/** Finishes a login with the code alone: the browser's cookie says whose password was right. */
async function takeCode(code: string, ctx: RouteContext, deps: AccountServices): Promise<string> {
  unlessDisabled(code, deps);
  const ticket = deps.tickets.read(stepCookieIn(ctx) ?? '', unixSeconds(deps.clock));
  if (!ticket) throw loginFailed(undefined);
  const { expiresAt: _, ...step } = ticket;
  return whileCounted(deps, () => attemptSecondStep({ ...step, code }, ctx, deps));
}

const stepCookieIn = (ctx: RouteContext): string | undefined => cookieValues(ctx.get('Cookie'), STEP_COOKIE.name)[0];

const stepCookie = (text: string, seconds: number, ctx: RouteContext): string =>
  cookieLine(STEP_COOKIE, text, seconds, ctx.state);

/** Remembers for the second step that the password was right. */
function ticketCookie(user: User, ctx: RouteContext, { tickets, clock }: AccountServices): string {
  const expiresAt = unixSeconds(clock) + TICKET_SECONDS;
  const ticket = tickets.sign({ user: user.name, secretsDigest: digestSecrets(user), expiresAt });
  return stepCookie(ticket, TICKET_SECONDS, ctx);
}

async function show(ctx: RouteContext, ui: UiOptions, shown: LoginPageState): Promise<void> {
  const { hasOwnLogin, hasPasswords } = ui;
  const language = pageLanguage(ctx);
  const state: LoginPageState = {
    formState: hasOwnLogin ? (hasPasswords ? '' : 'is-elsewhere') : 'is-closed',
    consoleLink: hasOwnLogin && ui.hasNvr ? linkToConsole(ctx, language) : undefined,
    pieces: html`${shown.formState !== 'is-second' && (await ui.onLoginPage(ctx, wantedPage(ctx)))}`,
    passkeys: ui.passkeyOrigin,
    name: ui.name,
  };
  showBuilt(ctx, ui, 'loginPage', (page) => fillLoginPage(page, language, { ...state, ...shown }));
}

type Refuse = (status: number, problem: (words: LoginWords) => string, shown?: LoginPageState) => Promise<void>;

/** What the page says of a refusal, by what programs are told. */
// biome-ignore format: a table
const WORDS: Readonly<Record<string, keyof LoginWords>> = {
  'wrong-code': 'wrongCode', 'fields-invalid': 'notUnderstood', 'login-off': 'noPasswords',
};

/** `shown`: the form as it was sent. */
function refuseLogin(
  ctx: RouteContext,
  { status, told, headers, facts }: Refused,
  shown: LoginPageState,
  refuse: Refuse,
) {
  ctx.set({ ...headers });
  if (status === 403) {
    const { opens } = facts;
    const until = opens && momentIn(opens.at, pageLanguage(ctx).tag, opens.timeZone);
    return refuse(403, (words) => closedText(words, told as ClosedReason, until), shown);
  }
  if (status === 429 || status === 503) {
    const time = formatSeconds(Number(headers['Retry-After']));
    const reason = (words: LoginWords): string => (status === 503 ? words.busy : words.tooMany);
    return refuse(status, (words) => `${reason(words)} ${words.again.replace('{time}', time)}.`, shown);
  }
  // The ticket of the first step is worth nothing (any more).
  if (told === undefined && shown.formState) return refuse(status, (words) => words.stepOver);
  const word = told === undefined ? 'wrong' : WORDS[String(told)];
  const isSecond = told === 'code-asked' || told === 'wrong-code';
  const isFieldWrong = told === undefined || told === 'wrong-code';
  const form = isSecond ? ({ formState: 'is-second' } as const) : shown;
  return refuse(status, (words) => (word ? words[word] : ''), { ...form, isFieldWrong });
}

function fillLoginPage(
  page: string,
  { tag, words }: PageLanguage,
  { user = '', isFieldWrong = false, formState = '', consoleLink, pieces, ...shown }: LoginPageState,
): string {
  const [other, next] =
    formState === 'is-second' ? ['first-step', 'code'] : ['second-step', user === '' ? 'user' : 'password'];
  const form = page
    // Fields of the other step are disabled: a browser neither asks for them nor sends them.
    .replace(`id="${other}"`, '$& disabled')
    // The focus is in the next empty field, without JavaScript too.
    .replace(`id="${next}"`, isFieldWrong ? '$& autofocus aria-invalid="true"' : '$& autofocus');
  return fillPage(form, tag, {
    formState,
    ...asWords(words.login.page),
    ...shown,
    language: words.ui.menu.language,
    consoleLink: html`${consoleLink}`,
    pieces: html`${pieces}`,
    words: JSON.stringify(asTemplates(words.login.form)),
    enteredUser: user,
  });
}

/** Only the path of the wanted address is used, never its host. */
const wantedPage = (ctx: RouteContext): string =>
  nextPage({ page: new URL(ctx.url, 'http://postern').href, referrer: '', basePath: `${readBasePath(ctx)}/` });

/** None when the login leads to the console anyway. */
function linkToConsole(ctx: RouteContext, { words }: PageLanguage): Html | undefined {
  const target = `${readBasePath(ctx)}/postern/`;
  const wanted = wantedPage(ctx);
  if (wanted.startsWith(target) && !wanted.endsWith(START_PATH)) return undefined;
  const address = `?${new URLSearchParams({ next: target })}`;
  return html`<p class="lone-more"><a href="${address}">${words.login.page.toConsole}</a></p>`;
}
