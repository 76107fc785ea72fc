/** `/login`: the page in the browser's language, and the response to its form when it is sent without JavaScript (SPEC 4.1, 8). */
import { Refused, whileCounted } from '../accounts/http/kernel.ts';
import { loginFailed } from '../accounts/login/login.ts';
import { attemptLogin, attemptSecondStep, unlessDisabled, unlessUnfit } from '../accounts/login/post-login.ts';
import { STEP_COOKIE, TICKET_SECONDS } from '../accounts/second-factor/sealing.ts';
import { cookieLine, digestSecrets } from '../accounts/sessions/session-jwt.ts';
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

/** The form as it is shown again, or in its second step. */
interface LoginForm {
  readonly isSecond?: boolean;
  readonly user?: string;
  readonly problem?: string;
  /** The problem is about the field that gets the focus. */
  readonly isFieldWrong?: boolean;
}

export async function getLogin(ctx: RouteContext, ui: UiOptions): Promise<void> {
  // The first step was taken at a provider: the form works without script, and its cookie says whose step it was.
  if (ui.hasOwnLogin) return show(ctx, ui, { isSecond: ctx.query['step'] === 'code' });
  const { words } = pageLanguage(ctx);
  const fault: RouteState['credentialFault'] = ctx.state['credentialFault'];
  // A user that the proxy has signed in gains nothing by signing in again: the page says what is missing.
  await show(ctx, ui, { problem: fault ? words.problems[fault] : words.login.form.noPasswords });
  if (fault) ctx.set('Cache-Control', 'no-store');
}

export async function postLogin(ctx: RouteContext, ui: UiOptions): Promise<void> {
  const words = asTemplates(pageLanguage(ctx).words.login.form);
  const refuse = async (status: number, form: LoginForm): Promise<void> => {
    ctx.status = status;
    await show(ctx, ui, form);
    ctx.set('Cache-Control', 'no-store');
    if (!ctx.req.complete) ctx.set('Connection', 'close');
  };
  // admit() has refused requests that say they come from another site; a form must also say that it comes from this one.
  if (ctx.get('Sec-Fetch-Site') !== 'same-origin' && ctx.get('Origin') === '')
    return refuse(403, { problem: words.otherWebsite });
  const form = await readForm(ctx.req, { bytes: BODY_LIMITS.credentials, seconds: ui.bodySeconds() });
  if (form.kind !== 'read') return refuse(BODY_STATUS[form.kind], { problem: words.notUnderstood });
  const field = (name: string): string => form.fields.get(name) ?? '';
  const [user, password, code] = [field('user'), field('password'), field('code')];
  const isSecond = user === '' && password === '' && code !== '';
  if (!isSecond && (user === '' || password === '')) return refuse(422, { user, problem: words.fillIn });
  try {
    unlessDisabled(undefined, ui.accounts);
    if (!isSecond) unlessUnfit(password);
    const cookie = await (isSecond
      ? takeCode(code, ctx, ui.accounts)
      : whileCounted(ui.accounts, () => attemptLogin({ user, password }, ctx, ui.accounts)));
    const endedStep = stepCookieIn(ctx) === undefined ? [] : [stepCookie('', 0, ctx)];
    ctx.set({ 'Set-Cookie': [cookie, ...endedStep], 'Cache-Control': 'no-store' });
    moveTo(ctx, 303, wantedPage(ctx));
  } catch (fault) {
    if (!(fault instanceof Refused)) throw fault;
    if (fault.told === 'code-asked' && fault.user) ctx.set('Set-Cookie', ticketCookie(fault.user, ctx, ui.accounts));
    ctx.set({ ...fault.headers });
    await refuse(fault.status, formAfter(fault, isSecond ? { isSecond } : { user }, words, pageLanguage(ctx).locale));
  }
}

/** Finishes a login with the code alone: the browser's cookie says whose password was right. */
async function takeCode(code: string, ctx: RouteContext, deps: AccountServices): Promise<string> {
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

/** What the page says of a refusal, by what programs are told. */
// biome-ignore format: a table
const WORDS: Readonly<Record<string, keyof LoginWords>> = {
  'wrong-code': 'wrongCode', 'fields-invalid': 'notUnderstood', 'login-off': 'noPasswords',
};

/** `sent`: the form as it was sent. */
function formAfter(
  { status, told, headers, facts: { opens } }: Refused,
  sent: LoginForm,
  words: LoginWords,
  locale: string,
) {
  if (status === 403) {
    const until = opens && momentIn(opens.at, locale, opens.timeZone);
    return { ...sent, problem: closedText(words, told as ClosedReason, until) };
  }
  if (status === 429 || status === 503) {
    const time = formatSeconds(Number(headers['Retry-After']));
    const reason = status === 503 ? words.busy : words.tooMany;
    return { ...sent, problem: `${reason} ${words.again.replace('{time}', time)}.` };
  }
  // The ticket of the first step is worth nothing (any more).
  if (told === undefined && sent.isSecond) return { problem: words.stepOver };
  const word = told === undefined ? 'wrong' : WORDS[String(told)];
  const isSecond = told === 'code-asked' || told === 'wrong-code';
  const isFieldWrong = told === undefined || told === 'wrong-code';
  return { ...(isSecond ? { isSecond } : sent), problem: word ? words[word] : '', isFieldWrong };
}

async function show(ctx: RouteContext, ui: UiOptions, form: LoginForm): Promise<void> {
  const { isSecond = false, user = '', problem = '', isFieldWrong = false } = form;
  const { name, hasOwnLogin, hasPasswords, hasNvr, passkeyOrigin: passkeys } = ui;
  const language = pageLanguage(ctx);
  const { tag, words } = language;
  const pieces = html`${!isSecond && (await ui.onLoginPage(ctx, wantedPage(ctx)))}`;
  /** `is-elsewhere`: there is no password to ask for. */
  const ownState = hasOwnLogin ? (hasPasswords ? '' : 'is-elsewhere') : 'is-closed';
  const [other, next] = isSecond ? ['first-step', 'code'] : ['second-step', user === '' ? 'user' : 'password'];
  const blanks = {
    ...asWords(words.login.page),
    ...{ name, passkeys, pieces, problem },
    formState: isSecond ? 'is-second' : ownState,
    language: words.ui.menu.language,
    consoleLink: html`${hasOwnLogin && hasNvr && linkToConsole(ctx, language)}`,
    words: JSON.stringify(asTemplates(words.login.form)),
    enteredUser: user,
  };
  showBuilt(ctx, ui, 'loginPage', (page) =>
    fillPage(
      page
        // Fields of the other step are disabled: a browser neither asks for them nor sends them.
        .replace(`id="${other}"`, '$& disabled')
        .replace('id="first-time"', hasOwnLogin && ui.accounts.firstTimeLogin.isAwaited() ? '$&' : '$& hidden')
        // The focus is in the next empty field, without JavaScript too.
        .replace(`id="${next}"`, isFieldWrong ? '$& autofocus aria-invalid="true"' : '$& autofocus'),
      tag,
      blanks,
    ),
  );
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
