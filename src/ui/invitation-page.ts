/** `/invitation/{token}`: the page on which a person with a link sets a password, or by script a passkey (SPEC 8, 12). */
import { Refused } from '../accounts/http/kernel.ts';
import {
  acceptByPassword,
  findInvitation,
  type HeldInvitation,
  lookAtInvitation,
} from '../accounts/invitations/invitations.ts';
import { MAKERS_WITHOUT_ACCOUNT } from '../domain/accounts/grant.ts';
import { scopeOfRole, unionOfScopes } from '../domain/camera-scope.ts';
import { INVITATION_PATH, LOGIN_PATH } from '../domain/page-paths.ts';
import { heldBy } from '../domain/rights.ts';
import type { ServerTexts } from '../locales/texts.ts';
import type { RouteContext } from '../routes/own-route.ts';
import { BODY_LIMITS, readForm } from '../routes/read-body.ts';
import { assetPath } from './built-pages.ts';
import { asTemplates, buttonTo, type Html, html, paragraph, toHtml } from './html.ts';
import { BODY_STATUS, momentIn, moveTo, pageHeaders, pageLanguage, readBasePath, sendCard } from './page.ts';
import { invitationWords } from './pages/invitation/invitation-words.ts';
import { formatSeconds } from './pages/login/login-outcome.ts';
import type { InvitationPageServices, UiOptions } from './ui-options.ts';

type PageText = ServerTexts['invitations']['page'];

/** What a visit or a form leads to: the form, or a sentence. */
interface Shown {
  readonly status: number;
  readonly title: string;
  readonly content: Html;
  readonly hasScript?: true;
  /** Seconds. */
  readonly retryAfter?: number;
}

/**
 * The address holds the secret, so no Referer tells more of it than the host. (With `no-referrer` browsers would send
 * `Origin: null` with the form, and it could not be told from one of another origin.)
 */
const REFERRER = {
  'Referrer-Policy': 'strict-origin',
  'Cache-Control': 'no-store',
  Vary: 'Accept-Language, Cookie',
} as const;

const BUSY_RETRY_SECONDS = 5;

const tokenIn = (ctx: RouteContext): string => ctx.params['token'] ?? '';
const textFor = (ctx: RouteContext): PageText => pageLanguage(ctx).words.invitations.page;

export const getInvitation = (ctx: RouteContext, ui: UiOptions): Promise<void> =>
  answer(ctx, ui, () => look(ctx, ui, 'holds'));

export async function postInvitation(ctx: RouteContext, ui: UiOptions): Promise<void> {
  const form = await readForm(ctx.req, { bytes: BODY_LIMITS.credentials, seconds: ui.bodySeconds() });
  if (form.kind !== 'read') return show(ctx, ui, voidLink(ctx, BODY_STATUS[form.kind]));
  const password = form.fields.get('password') ?? '';
  const isSame = form.fields.get('again') === password;
  await answer(ctx, ui, () => (isSame ? accept(password, ctx, ui) : look(ctx, ui, 'differ')));
}

/** `page`: undefined where the browser is led on. */
async function answer(ctx: RouteContext, ui: UiOptions, page: () => Promise<Shown | undefined>): Promise<void> {
  const { words } = pageLanguage(ctx);
  if (!ui.invitations.settings.auth.enabled)
    return show(ctx, ui, sentence(ctx, 404, paragraph(words.login.form.noPasswords)));
  const shown = await page().catch((fault) => refused(fault, ctx, ui));
  if (shown) show(ctx, ui, shown);
}

/** Unknown, used, over or revoked: all alike. */
const voidLink = (ctx: RouteContext, status = 404): Shown =>
  sentence(ctx, status, html`${paragraph(textFor(ctx).void)}${linkToLogin(ctx)}`);

const sentence = (ctx: RouteContext, status: number, content: Html): Shown => ({
  status,
  title: textFor(ctx).voidTitle,
  content,
});

async function look(ctx: RouteContext, ui: UiOptions, state: 'holds' | 'differ'): Promise<Shown> {
  const form = await lookAtInvitation(tokenIn(ctx), ctx, ui.invitations, (held) =>
    renderForm(held, { state }, ctx, ui),
  );
  return form ?? voidLink(ctx);
}

async function accept(password: string, ctx: RouteContext, ui: UiOptions): Promise<Shown | undefined> {
  const { hasSession, opensAt } = await acceptByPassword({ token: tokenIn(ctx), password }, ctx, ui.invitations);
  if (hasSession) {
    ctx.set(REFERRER);
    return void moveTo(ctx, 303, `${readBasePath(ctx)}/postern/`);
  }
  const text = textFor(ctx);
  const content = html`${paragraph(doneText(shownTime(opensAt, ctx, ui), text, text.done))}${linkToLogin(ctx)}`;
  return { status: 200, title: text.doneTitle, content, hasScript: true };
}

/** A refusal of the routes, as the page shows it. */
async function refused(fault: unknown, ctx: RouteContext, ui: UiOptions): Promise<Shown> {
  if (!(fault instanceof Refused)) throw fault;
  const { recorded: state, told, headers } = fault;
  if (state === 'rate-limited') {
    const retryAfter = Number(headers['Retry-After']);
    const time = formatSeconds(retryAfter);
    return { ...sentence(ctx, 429, paragraph(textFor(ctx).limited({ time }))), retryAfter };
  }
  const held = await findInvitation(tokenIn(ctx), ui.invitations);
  if (!held || (state !== 'busy' && state !== 'password-unfit')) return voidLink(ctx);
  return renderForm(held, { state, told }, ctx, ui);
}

/** What a person who gets an account is told before anything is typed. */
async function guestOf({ invitation: { madeBy }, owner }: HeldInvitation, services: InvitationPageServices) {
  const { roleRegistry, subtract, visibleCameras, friendlyNameOf } = services;
  const known = await roleRegistry.latest();
  const roles = heldBy(owner);
  const all = { role: owner.role, roles, scope: unionOfScopes(roles.map((role) => scopeOfRole(role, known))) };
  const { scope } = await subtract(all);
  const names = scope.kind === 'all' ? undefined : await visibleCameras(scope);
  return {
    /** The name of the admin; undefined when the invitation was made at the machine. */
    by: Object.values<string>(MAKERS_WITHOUT_ACCOUNT).includes(madeBy) ? undefined : madeBy,
    /** The names, as people call them, of the cameras that the user will see; undefined: all of them. */
    cameras: names?.map((name) => friendlyNameOf(name) ?? name),
    /** Unix seconds: the end of the account. */
    until: owner.validUntil,
  };
}

function show(ctx: RouteContext, ui: UiOptions, { status, title, content, hasScript, retryAfter }: Shown): void {
  ctx.set({ ...pageHeaders(ui), ...REFERRER });
  if (retryAfter !== undefined) ctx.set('Retry-After', String(retryAfter));
  const icon = assetPath(ui.pages, readBasePath(ctx), 'icon-192', 'png');
  const mark = icon !== undefined && html`<img class="lone-mark" src="${icon}" alt="" width="44" height="44">\n`;
  const card = html`${mark}<h1 class="lone-title">${title}</h1>\n${content}`;
  sendCard(ctx, ui, status, { title, card, ...(hasScript && { script: 'invitation' }) });
}

/** `told`: which rule the password breaks. */
type FormState = { readonly state: keyof typeof STATUS; readonly told?: Refused['told'] };

const STATUS = { holds: 200, differ: 400, busy: 503, 'password-unfit': 400 } as const;

/** The script reads its words and addresses from the form. */
async function renderForm(held: HeldInvitation, shown: FormState, ctx: RouteContext, ui: UiOptions): Promise<Shown> {
  const { state } = shown;
  const { shortestPassword, providers, invitations: services } = ui;
  const { name, hasNoPassword, hasFactor } = held.owner;
  // For an account that had a password the link is for a new one.
  const guest = hasNoPassword ? await guestOf(held, services) : undefined;
  // Of an account that is closed and can be used later.
  const opens = shownTime((await services.closedOf(held.owner))?.opens?.at, ctx, ui);
  const { words } = pageLanguage(ctx);
  const base = readBasePath(ctx);
  const text = words.invitations.page;
  const hasDiffered = state === 'differ';
  const fault = html` aria-invalid="true"`;
  const field = (name: string, label: string, rest: Html, more?: Html): Html =>
    html`<div class="field"><label for="${name}">${label}</label><div class="password-box"><input id="${name}" name="${name}" ${rest}><button class="reveal" type="button" aria-controls="${name}" hidden></button></div>${more}</div>\n`;
  const help = html`<p id="rules" class="field-help">${text.rules({ count: shortestPassword })}</p><p id="strength" class="strength" role="status"></p>`;
  const secret = html`type="password" autocomplete="new-password" minlength="${shortestPassword}" maxlength="1024" required`;
  // The title of a guest's page says the name: the field is for password managers.
  const user = html`type="text" autocomplete="username" value="${name}" readonly${guest && html` tabindex="-1"`}`;
  const isWrong = state === 'password-unfit' || hasDiffered;
  const password = html`${secret} autofocus aria-describedby="problem rules strength"${isWrong && fault}`;
  const again = html`${secret} aria-describedby="problem fault"${hasDiffered && fault}`;
  const scriptWords = invitationWords(words, asTemplates(words.problems), shortestPassword);
  // Not beside a second factor: a new passkey would be a way around it.
  const forScript = html`data-words="${JSON.stringify(scriptWords)}" data-passkeys="${!hasFactor && ui.passkeyOrigin}"`;
  // A form for each provider: in the query of a link the secret would stand in logs.
  const forms = providers.map(
    ({ name, label }) =>
      html`<form method="post" action="${base}${INVITATION_PATH}/${encodeURIComponent(tokenIn(ctx))}/sign-in/${name}"><button class="button button-wide" type="submit"><bdi>${label}</bdi></button></form>\n`,
  );
  const done = html`${paragraph(doneText(opens, text, text.donePasskey))}${linkToLogin(ctx)}`;
  const content = html`<template id="done"><h1 class="lone-title">${text.doneTitlePasskey}</h1>\n${done}</template>
<p class="lone-lead"><bdi>${guest?.by === undefined ? text.lead : text.invitedBy({ name: guest.by })}</bdi></p>
${guest && renderGuest(guest, opens, ctx, ui)}<form class="login-form" method="post" ${forScript}>
<div id="problem" class="notice notice-bad" role="alert">${problemOf(shown, words)}</div>
<div class="field${guest && ' out-of-sight'}"><label for="user">${text.user}</label><input id="user" name="user" ${user}></div>
${field('password', text.password, password, help)}${field('again', text.again, again, html`<p id="fault" role="alert"></p>`)}<button class="button button-strong button-wide" type="submit">${text.submit}</button>
<div id="passkey-offer" hidden><button class="button button-wide" type="button" aria-describedby="passkey-help">${text.passkey}</button>
<p id="passkey-help" class="field-help">${text.passkeyHelp}</p></div>
</form>
${forms.length > 0 && html`<div class="lone-providers">${forms}</div>\n`}`;
  const title = guest ? text.welcome({ name }) : text.title;
  const retry = state === 'busy' && { retryAfter: BUSY_RETRY_SECONDS };
  return { status: STATUS[state], title, content, hasScript: true, ...retry };
}

/** The names of more cameras are folded: they would push the form off the screen. */
const MOST_SHOWN = 6;

function renderGuest(
  { cameras, until }: Awaited<ReturnType<typeof guestOf>>,
  opens: Html | undefined,
  ctx: RouteContext,
  ui: UiOptions,
): Html | undefined {
  const text = textFor(ctx);
  const ends = shownTime(until, ctx, ui);
  const seen = cameras?.join(', ') ?? text.allCameras;
  const isFolded = cameras !== undefined && cameras.length > MOST_SHOWN;
  const said = [
    seen === '' || isFolded ? undefined : html`${text.sees({ cameras: seen })}`,
    opens && toHtml(text.opens, { time: opens }),
    ends && toHtml(text.validUntil, { time: ends }),
  ].map((sentence) => sentence && html`<p><bdi>${sentence}</bdi></p>`);
  const folded =
    isFolded &&
    html`<details class="more-fields"><summary>${text.seesMany({ number: cameras.length })}</summary><p><bdi>${seen}</bdi></p></details>`;
  return seen === '' && !opens && !ends ? undefined : html`<div class="notice">${folded}${said}</div>\n`;
}

/** The moment in the time zone of the house; the script shows that of the reader. */
const shownTime = (seconds: number | undefined, ctx: RouteContext, { timeZone }: UiOptions): Html | undefined =>
  seconds === undefined
    ? undefined
    : html`<time datetime="${new Date(seconds * 1000).toISOString()}">${momentIn(seconds, pageLanguage(ctx).locale, timeZone)}</time>`;

const doneText = (opens: Html | undefined, text: PageText, atOnce: string): string | Html =>
  opens === undefined ? atOnce : toHtml(text.doneLater, { time: opens });

function problemOf({ state, told }: FormState, { problems, invitations: { page: text } }: ServerTexts): string {
  if (state === 'password-unfit' && typeof told === 'object' && told[0] === 'password-unfit')
    return `${text.unfit} ${problems['password-unfit'](told[1])}`;
  return state === 'differ' || state === 'busy' ? text[state] : '';
}

const linkToLogin = (ctx: RouteContext): Html =>
  html`<p class="row refusal-links">${buttonTo(`${readBasePath(ctx)}${LOGIN_PATH}`, textFor(ctx).toLogin)}</p>\n`;
