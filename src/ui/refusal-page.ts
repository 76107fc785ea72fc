/** The page for a refused navigation: what happened, and the next step (SPEC 5). */
import { type RefusalReason, type RefusedCameras, type Reopening, refusalKind } from '../domain/refusal.ts';
import type { ServerTexts } from '../locales/texts.ts';
import { buttonTo, cardPage, type Html, html, toHtml } from './html.ts';
import { languageFor, momentIn } from './page.ts';

export interface RefusalPage {
  readonly status: number;
  readonly reason: RefusalReason;
  /** When the refusal ends by itself. */
  readonly opens?: Pick<Reopening, 'at' | 'timeZone'> | undefined;
  /** The refused cameras that the request names. */
  readonly cameras?: RefusedCameras | undefined;
  /** Who is refused; undefined for an unknown caller. `mayChange`: whether a logout leads to another login. */
  readonly person?: { readonly name: string; readonly role: string; readonly mayChange: boolean } | undefined;
  readonly requestId: string;
  /** What `wishedLanguages` tells. */
  readonly wishes: string;
  /** `ui.name`. */
  readonly name: string;
  /** A path from the root, or an http(s) URL; anything else is left out. */
  readonly startPage: string;
  /** Ends the session and leads to the login; a path from the root. */
  readonly logoutPath?: string | undefined;
  /** Path of the built stylesheet, base path included; undefined when the pages are not built. */
  readonly stylesheet: string | undefined;
}

export function renderRefusalPage(page: RefusalPage): string {
  const { tag, locale, words } = languageFor(page.wishes);
  const { refusals } = words;
  const titles: Readonly<Record<number, string>> = refusals.titles;
  const title = titles[page.status] ?? refusals.anyTitle;
  const person = refusalKind(page.reason) === 'of-person' ? page.person : undefined;
  const way = (href: string | false | undefined, text: string) => href && isSafeTarget(href) && buttonTo(href, text);
  const toStart = way(page.startPage, refusals.toStart);
  const other = way(person?.mayChange === true && page.logoutPath, refusals.otherAccount);
  const card = html`<p class="refusal-status">${page.status}</p>
<h1 class="lone-title">${bidi(title)}</h1>
<p class="refusal-message">${bidi(refusalMessage(page, locale, words))}</p>
${person && html`<p class="refusal-person">${toHtml(refusals.person, { name: bidi(person.name), role: bidi(person.role) })}</p>\n`}${(toStart || other) && html`<p class="row refusal-links">${toStart}${other}</p>\n`}<p class="refusal-request">${refusals.requestId} <code>${bidi(page.requestId)}</code>${TECHNICAL.has(page.reason) && html`<br>${words.problems[page.reason]}`}</p>
`;
  return cardPage({ tag, title, name: page.name, stylesheet: page.stylesheet, card });
}

/** What means nothing to a guest: it stands beside the id of the request, for the administrator who is asked. */
const TECHNICAL = new Set<RefusalReason>(['route-unlisted', 'field-admin-only', 'not-narrowable']);

function refusalMessage({ reason, opens, cameras }: RefusalPage, locale: string, words: ServerTexts): string {
  const { problems, refusals } = words;
  if (reason === 'camera-not-in-role' && cameras) {
    const { foreign, unknown } = cameras;
    const { camera } = refusals;
    return foreign.length > 0
      ? camera.foreign({ cameras: foreign.join(', ') })
      : camera.unknown({ cameras: unknown.join(', ') });
  }
  if (TECHNICAL.has(reason)) return refusals.mayNotSee;
  if (!opens) return problems[reason];
  return `${problems[reason]} ${refusals.opens({ time: momentIn(opens.at, locale, opens.timeZone) })}`;
}

const bidi = (text: string): Html => html`<bdi>${text}</bdi>`;

/** `javascript:` and similar schemes never get into a link; `//host` and `/\host` lead to another host. */
const isSafeTarget = (href: string): boolean => /^(?:https?:\/\/|\/(?![/\\]))[\x21-\x7e]*$/.test(href);
