/** `/invitation/{token}`: the page on which a person with a link sets a password, or by script a passkey (SPEC 8, 12). */
import { Refused } from '../accounts/http/kernel.ts';
import {
  type Accepted,
  acceptByPassword,
  findInvitation,
  type HeldInvitation,
  lookAtInvitation,
} from '../accounts/invitations/invitations.ts';
import type { User } from '../domain/accounts/account.ts';
import { MAKERS_WITHOUT_ACCOUNT } from '../domain/accounts/grant.ts';
import { scopeOfRole, unionOfScopes } from '../domain/camera-scope.ts';
import { INVITATION_PATH, LOGIN_PATH } from '../domain/page-paths.ts';
import { heldBy } from '../domain/rights.ts';
import type { Texts } from '../locales/texts.ts';
import type { RouteContext } from '../routes/own-route.ts';
import { BODY_LIMITS, readForm } from '../routes/read-body.ts';
import { assetPath } from './built-pages.ts';
import { asTemplates, buttonTo, cardPage, type Html, html, paragraph } from './html.ts';
import { BODY_STATUS, momentIn, moveTo, pageHeaders, pageLanguage, readBasePath, sendPage } from './page.ts';
import { invitationWords } from './pages/invitation/invitation-words.ts';
import { formatSeconds } from './pages/login/login-outcome.ts';
import type { InvitationPageServices, UiOptions } from './ui-options.ts';

type InvitedGuest = Awaited<ReturnType<typeof guestOf>>;

/** `guest`: absent for an account that had a password: the link is for a new one. */
type InvitationHolder = Awaited<ReturnType<typeof holderOf>> & { readonly guest?: InvitedGuest };

/** What a visit or a form leads to. `told`: which rule the password breaks. */
type InvitationCard =
  | (InvitationHolder & { readonly kind: 'holds' | 'busy' | 'differ' })
  | (InvitationHolder & { readonly kind: 'password-unfit'; readonly told: Refused['told'] })
  | (Accepted & { readonly kind: 'accepted' })
  /** Unknown, used, over or revoked: all alike. */
  | { readonly kind: 'void' | 'no-passwords' }
  | { readonly kind: 'limited'; readonly retryAfterSeconds: number };

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

const tokenIn = (ctx: RouteContext): string => ctx.params['token'] ?? '';

export const getInvitation = async (ctx: RouteContext, ui: UiOptions): Promise<void> =>
  show(ctx, ui, await look(tokenIn(ctx), ctx, ui.invitations));

export async function postInvitation(ctx: RouteContext, ui: UiOptions): Promise<void> {
  const token = tokenIn(ctx);
  const form = await readForm(ctx.req, { bytes: BODY_LIMITS.credentials, seconds: ui.bodySeconds() });
  if (form.kind !== 'read') return show(ctx, ui, { kind: 'void' }, BODY_STATUS[form.kind]);
  const password = form.fields.get('password') ?? '';
  if (form.fields.get('again') !== password) {
    const visit = await look(token, ctx, ui.invitations);
    return show(ctx, ui, visit.kind === 'holds' ? { ...visit, kind: 'differ' } : visit);
  }
  const visit = await accept({ token, password }, ctx, ui.invitations);
  if (visit.kind === 'accepted' && visit.hasSession) {
    ctx.set(REFERRER);
    return moveTo(ctx, 303, `${readBasePath(ctx)}/postern/`);
  }
  show(ctx, ui, visit);
}

async function look(token: string, ctx: RouteContext, services: InvitationPageServices): Promise<InvitationCard> {
  if (!services.settings.auth.enabled) return { kind: 'no-passwords' };
  const seeing = lookAtInvitation(token, ctx, services, async (held): Promise<InvitationCard> => {
    const guest = held.owner.hasNoPassword && { guest: await guestOf(held, services) };
    return { kind: 'holds', ...(await holderOf(held.owner, services)), ...guest };
  });
  return seeing.then(
    (card) => card ?? { kind: 'void' },
    (fault) => refusedCard(fault, token, services),
  );
}

async function accept(
  given: { readonly token: string; readonly password: string },
  ctx: RouteContext,
  services: InvitationPageServices,
): Promise<InvitationCard> {
  if (!services.settings.auth.enabled) return { kind: 'no-passwords' };
  return acceptByPassword(given, ctx, services).then(
    (accepted) => ({ kind: 'accepted', ...accepted }),
    (fault) => refusedCard(fault, given.token, services),
  );
}

/** A refusal of the routes, as the page shows it. */
async function refusedCard(fault: unknown, token: string, services: InvitationPageServices): Promise<InvitationCard> {
  if (!(fault instanceof Refused)) throw fault;
  const { recorded: kind, told, headers } = fault;
  if (kind === 'rate-limited') return { kind: 'limited', retryAfterSeconds: Number(headers['Retry-After']) };
  const held = await findInvitation(token, services);
  if (!held || (kind !== 'busy' && kind !== 'password-unfit')) return { kind: 'void' };
  return { kind, told, ...(await holderOf(held.owner, services)) };
}

const holderOf = async (owner: User, { closedOf }: InvitationPageServices) => ({
  user: owner.name,
  /** Not beside a second factor: a new passkey would be a way around it. */
  mayUsePasskey: !owner.hasFactor,
  /** Unix seconds: when an account that is closed can be used. Undefined: it can be used at once, or is closed for good. */
  opensAt: (await closedOf(owner))?.opens?.at,
});

const MAKERS: readonly string[] = Object.values(MAKERS_WITHOUT_ACCOUNT);

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
    by: MAKERS.includes(madeBy) ? undefined : madeBy,
    /** The names, as people call them, of the cameras that the user will see; undefined: all of them. */
    cameras: names?.map((name) => friendlyNameOf(name) ?? name),
    /** Unix seconds: the end of the account. */
    until: owner.validUntil,
  };
}

function show(ctx: RouteContext, ui: UiOptions, shown: InvitationCard, status: number = STATUS[shown.kind]): void {
  ctx.set({ ...pageHeaders(ui), ...REFERRER });
  if (shown.kind === 'limited') ctx.set('Retry-After', String(shown.retryAfterSeconds));
  if (shown.kind === 'busy') ctx.set('Retry-After', '5');
  const { tag, words } = pageLanguage(ctx);
  const text = words.invitations.page;
  const isForm = 'user' in shown && shown.kind !== 'accepted';
  const title = isForm ? text.title : shown.kind === 'accepted' ? text.doneTitle : text.voidTitle;
  const content = isForm ? renderForm(shown, ctx, ui) : renderEnd(shown, ctx, ui);
  const card = html`<h1 class="lone-title">${title}</h1>\n${content}`;
  const stylesheet = assetPath(ui.pages, readBasePath(ctx), 'login', 'css');
  const script = isForm ? assetPath(ui.pages, readBasePath(ctx), 'invitation', 'js') : undefined;
  sendPage(ctx, status, cardPage({ tag, title, name: ui.name, stylesheet, script, card }));
}

type FormShown = Exclude<Extract<InvitationCard, { readonly user: string }>, { readonly kind: 'accepted' }>;

/** The script reads its words and addresses from the form. */
function renderForm(shown: FormShown, ctx: RouteContext, ui: UiOptions): Html {
  const { shortestPassword, providers } = ui;
  const { tag, words } = pageLanguage(ctx);
  const base = readBasePath(ctx);
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
  const opens = openingText(shown.opensAt, tag, ui);
  const scriptWords = invitationWords(words, asTemplates(words.problems), shortestPassword);
  const forScript = html`data-words="${JSON.stringify(scriptWords)}" data-passkeys="${shown.mayUsePasskey && ui.passkeyOrigin}"`;
  // A form for each provider: in the query of a link the secret would stand in logs.
  const forms = providers.map(
    ({ name, label }) =>
      html`<form method="post" action="${base}${INVITATION_PATH}/${encodeURIComponent(tokenIn(ctx))}/sign-in/${name}"><button class="button button-wide" type="submit"><bdi>${label}</bdi></button></form>\n`,
  );
  const done = html`${paragraph(doneText(opens, text, text.donePasskey))}${linkToLogin(ctx, text)}`;
  return html`<template id="done"><h1 class="lone-title">${text.doneTitlePasskey}</h1>\n${done}</template>
<p class="lone-lead">${text.lead}</p>
${shown.guest && renderGuest(shown.guest, opens, tag, text, ui)}<form class="login-form" method="post" ${forScript}>
<div id="problem" class="notice notice-bad" role="alert">${problemOf(shown, words)}</div>
${field('user', text.user, user)}${field('password', text.password, password, help)}${field('again', text.again, again)}<button class="button button-strong button-wide" type="submit">${text.submit}</button>
<div id="passkey-offer" hidden><button class="button button-wide" type="button" aria-describedby="passkey-help">${text.passkey}</button>
<p id="passkey-help" class="field-help">${text.passkeyHelp}</p></div>
</form>
${forms.length > 0 && html`<div class="lone-providers">${forms}</div>\n`}`;
}

function renderGuest(
  { by, cameras, until }: InvitedGuest,
  opens: string | undefined,
  tag: string,
  text: Texts['invitations']['page'],
  { timeZone }: UiOptions,
): Html | undefined {
  const seen = cameras === undefined ? text.allCameras : cameras.join(', ');
  const sentences = [
    by === undefined ? undefined : text.invitedBy({ name: by }),
    seen === '' ? undefined : text.sees({ cameras: seen }),
    opens && text.opens({ time: opens }),
    until === undefined ? undefined : text.validUntil({ time: momentIn(until, tag, timeZone) }),
  ].filter((sentence) => sentence !== undefined);
  const lines = sentences.map((sentence, at) => html`${at > 0 && html`<br>`}<bdi>${sentence}</bdi>`);
  return lines.length === 0 ? undefined : html`<p class="notice">${lines}</p>\n`;
}

/** When the account begins, or the hours of its role. */
const openingText = (opensAt: number | undefined, tag: string, { timeZone }: UiOptions): string | undefined =>
  opensAt === undefined ? undefined : momentIn(opensAt, tag, timeZone);

const doneText = (opens: string | undefined, text: Texts['invitations']['page'], atOnce: string): string =>
  opens === undefined ? atOnce : text.doneLater({ time: opens });

function problemOf(shown: InvitationCard, { problems, invitations: { page: text } }: Texts): string {
  if (shown.kind === 'password-unfit' && typeof shown.told === 'object' && shown.told[0] === 'password-unfit')
    return `${text.unfit} ${problems['password-unfit'](shown.told[1])}`;
  return shown.kind === 'differ' || shown.kind === 'busy' ? text[shown.kind] : '';
}

const linkToLogin = (ctx: RouteContext, text: Texts['invitations']['page']): Html =>
  html`<p class="row refusal-links">${buttonTo(`${readBasePath(ctx)}${LOGIN_PATH}`, text.toLogin)}</p>\n`;

function renderEnd(shown: InvitationCard, ctx: RouteContext, ui: UiOptions): Html {
  const { tag, words } = pageLanguage(ctx);
  const text = words.invitations.page;
  const link = linkToLogin(ctx, text);
  switch (shown.kind) {
    case 'accepted':
      return html`${paragraph(doneText(openingText(shown.opensAt, tag, ui), text, text.done))}${link}`;
    case 'limited':
      return paragraph(text.limited({ time: formatSeconds(shown.retryAfterSeconds) }));
    case 'no-passwords':
      return paragraph(words.login.form.noPasswords);
    default:
      return html`${paragraph(text.void)}${link}`;
  }
}
