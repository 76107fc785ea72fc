/** The card of the page behind an invitation: the form, what became of it, or why the link does not hold (SPEC 12). */

import type { Texts } from '../locales/texts.ts';
import { cardPage } from './card-page.ts';
import { escapeHtml } from './escape-html.ts';
import { asJson } from './fill-page.ts';
import { momentsIn } from './moment.ts';
import type { PageLanguage } from './page-language.ts';
import { invitationWords } from './pages/invitation/invitation-words.ts';
import { formatSeconds } from './pages/login/login-outcome.ts';

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

export type InvitationCard = InvitationVisit | (InvitationHolder & { readonly kind: 'differ' });

export interface InvitationPlaces {
  readonly stylesheet: string | undefined;
  readonly script: string | undefined;
  readonly login: string;
  readonly shortestPassword: number;
  readonly passkeyOrigin: string;
  /** The addresses at which the invitation is accepted by a provider instead, with what people call each. */
  readonly providers: readonly { readonly label: string; readonly action: string }[];
}

export function renderInvitation(shown: InvitationCard, language: PageLanguage, places: InvitationPlaces): string {
  const { tag, words } = language;
  const text = words.invitations.page;
  const isForm = 'user' in shown && shown.kind !== 'accepted';
  const title = isForm ? text.title : shown.kind === 'accepted' ? text.doneTitle : text.voidTitle;
  const content = isForm ? renderForm(shown, language, places) : renderEnd(shown, language, places);
  const card = `<h1 class="lone-title">${escapeHtml(title)}</h1>\n${content}`;
  return cardPage({ tag, title, stylesheet: places.stylesheet, script: isForm ? places.script : undefined, card });
}

type FormShown = Exclude<Extract<InvitationCard, { readonly user: string }>, { readonly kind: 'accepted' }>;

/** The script reads its words and addresses from the form. */
function renderForm(shown: FormShown, { tag, words }: PageLanguage, places: InvitationPlaces): string {
  const { shortestPassword, login } = places;
  const text = words.invitations.page;
  const isWrong = shown.kind === 'password-unfit' || shown.kind === 'differ';
  const fault = isWrong ? ' aria-invalid="true"' : '';
  const field = (name: string, label: string, rest: string, more = ''): string =>
    `<div class="field"><label for="${name}">${escapeHtml(label)}</label><input id="${name}" name="${name}" ${rest}>${more}</div>\n`;
  const rules = escapeHtml(text.rules({ count: shortestPassword }));
  const help = `<p id="rules" class="field-help">${rules}</p><p id="strength" class="strength" role="status"></p>`;
  const secret = `type="password" autocomplete="new-password" minlength="${shortestPassword}" maxlength="1024" required`;
  const user = field(
    'user',
    text.user,
    `type="text" autocomplete="username" value="${escapeHtml(shown.user)}" readonly`,
  );
  const password = field(
    'password',
    text.password,
    `${secret} autofocus aria-describedby="problem rules"${fault}`,
    help,
  );
  const passkeys = shown.mayUsePasskey ? places.passkeyOrigin : '';
  const scriptWords = {
    ...invitationWords(words, shortestPassword),
    done: doneText(shown.opens, tag, text, text.donePasskey),
  };
  const forScript = `data-words="${asJson(scriptWords)}" data-login="${escapeHtml(login)}" data-passkeys="${escapeHtml(passkeys)}"`;
  return `<p class="lone-lead">${escapeHtml(text.lead)}</p>
${shown.guest ? renderGuest(shown.guest, shown.opens, tag, text) : ''}<form class="login-form" method="post" ${forScript}>
<div id="problem" class="notice notice-bad" role="alert">${escapeHtml(problemOf(shown, text))}</div>
${user}${password}${field('again', text.again, `${secret} aria-describedby="problem"${shown.kind === 'differ' ? fault : ''}`)}<button class="button button-strong button-wide" type="submit">${escapeHtml(text.submit)}</button>
<div id="passkey-offer" hidden><button class="button button-wide" type="button" aria-describedby="passkey-help">${escapeHtml(text.passkey)}</button>
<p id="passkey-help" class="field-help">${escapeHtml(text.passkeyHelp)}</p></div>
</form>
${renderProviders(places)}`;
}

function renderGuest(
  { by, cameras, until, timeZone }: InvitedGuest,
  opens: Opening | undefined,
  tag: string,
  text: Texts['invitations']['page'],
): string {
  const seen = cameras === undefined ? text.allCameras : cameras.join(', ');
  const sentences = [
    by === undefined ? undefined : text.invitedBy({ name: by }),
    seen === '' ? undefined : text.sees({ cameras: seen }),
    opens && text.opens({ time: momentsIn(tag, timeZone)(opens.at) }),
    until === undefined ? undefined : text.validUntil({ time: momentsIn(tag, timeZone)(until) }),
  ];
  const told = sentences.flatMap((sentence) => (sentence === undefined ? [] : [`<bdi>${escapeHtml(sentence)}</bdi>`]));
  return told.length === 0 ? '' : `<p class="notice">${told.join('<br>')}</p>\n`;
}

/** A form each: in the query of a link the secret would stand in logs. */
function renderProviders({ providers }: InvitationPlaces): string {
  if (providers.length === 0) return '';
  const forms = providers.map(
    ({ label, action }) =>
      `<form method="post" action="${escapeHtml(action)}"><button class="button button-wide" type="submit"><bdi>${escapeHtml(label)}</bdi></button></form>\n`,
  );
  return `<div class="lone-providers">${forms.join('')}</div>\n`;
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

function renderEnd(shown: InvitationCard, { tag, words }: PageLanguage, { login }: InvitationPlaces): string {
  const text = words.invitations.page;
  const link = `<p class="refusal-links"><a class="button" href="${escapeHtml(login)}">${escapeHtml(text.toLogin)}</a></p>\n`;
  const paragraph = (sentence: string): string => `<p class="refusal-message">${escapeHtml(sentence)}</p>\n`;
  switch (shown.kind) {
    case 'accepted':
      return paragraph(doneText(shown.opens, tag, text, text.done)) + link;
    case 'limited':
      return paragraph(text.limited({ time: formatSeconds(shown.seconds) }));
    case 'no-passwords':
      return paragraph(words.login.form.noPasswords);
    default:
      return paragraph(text.void) + link;
  }
}
