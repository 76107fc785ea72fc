/** The page for a refused navigation: what happened, and the next step (SPEC 5). */
import { type RefusalReason, type RefusedCameras, type Reopening, refusalKind } from '../domain/refusal.ts';
import type { Texts } from '../locales/texts.ts';
import { buttonTo, cardPage, type Html, html, toHtml } from './html.ts';
import { languageFor, momentIn } from './page.ts';

type RefusalWords = Texts['refusals'];

export interface RefusalPage {
  readonly status: number;
  readonly reason: RefusalReason;
  /** When the refusal ends by itself. */
  readonly opens?: Pick<Reopening, 'at' | 'timeZone'> | undefined;
  /** The refused cameras that the request names. */
  readonly cameras?: RefusedCameras | undefined;
  /** Who is refused; undefined for an unknown caller. */
  readonly person?: RefusedPerson | undefined;
  readonly requestId: string;
  /** The header of that name. */
  readonly acceptLanguage: string | undefined;
  /** `ui.name`. */
  readonly name: string;
  /** A path from the root, or an http(s) URL; anything else is left out. */
  readonly startPage: string;
  /** Ends the session and leads to the login; a path from the root. */
  readonly logoutPath?: string | undefined;
  /** Path of the built stylesheet, base path included; undefined when the pages are not built. */
  readonly stylesheet: string | undefined;
}

/** `mayChange`: whether a logout leads to another login. */
type RefusedPerson = { readonly name: string; readonly role: string; readonly mayChange: boolean };

export function renderRefusalPage(page: RefusalPage): string {
  const { tag, words } = languageFor(page.acceptLanguage);
  const { refusals } = words;
  const titles: Readonly<Record<number, string>> = refusals.titles;
  const title = titles[page.status] ?? refusals.anyTitle;
  const card = html`<p class="refusal-status">${page.status}</p>
<h1 class="lone-title">${bidi(title)}</h1>
<p class="refusal-message">${bidi(refusalMessage(page, tag, words))}</p>
${renderPerson(page, refusals)}${renderLinks(page, refusals)}<p class="refusal-request">${refusals.requestId} <code>${bidi(page.requestId)}</code></p>
`;
  return cardPage({ tag, title, name: page.name, stylesheet: page.stylesheet, card });
}

function refusalMessage({ reason, opens, cameras }: RefusalPage, tag: string, words: Texts): string {
  const { problems, refusals } = words;
  if (reason === 'camera-not-in-role' && cameras) return cameraMessage(cameras, refusals);
  if (!opens) return problems[reason];
  return `${problems[reason]} ${refusals.opens({ time: momentIn(opens.at, tag, opens.timeZone) })}`;
}

const cameraMessage = ({ foreign, unknown }: RefusedCameras, { camera }: RefusalWords): string =>
  foreign.length > 0
    ? camera.foreign({ cameras: foreign.join(', ') })
    : camera.unknown({ cameras: unknown.join(', ') });

const isAboutPerson = ({ reason, person }: RefusalPage): boolean =>
  person !== undefined && refusalKind(reason) === 'of-person';

function renderPerson(page: RefusalPage, words: RefusalWords): Html | undefined {
  const { person } = page;
  if (!person || !isAboutPerson(page)) return undefined;
  const sentence = toHtml(words.person, { name: bidi(person.name), role: bidi(person.role) });
  return html`<p class="refusal-person">${sentence}</p>\n`;
}

const bidi = (text: string): Html => html`<bdi>${text}</bdi>`;

function renderLinks(page: RefusalPage, words: RefusalWords): Html | undefined {
  const mayChange = isAboutPerson(page) && page.person?.mayChange === true;
  const places = [
    [page.startPage, words.toStart],
    [mayChange ? page.logoutPath : undefined, words.otherAccount],
  ] as const;
  const links = places.flatMap(([href, text]) =>
    href !== undefined && isSafeTarget(href) ? [buttonTo(href, text)] : [],
  );
  return links.length === 0 ? undefined : html`<p class="row refusal-links">${links}</p>\n`;
}

/** `javascript:` and similar schemes never get into a link; `//host` and `/\host` lead to another site. */
const isSafeTarget = (href: string): boolean => /^(?:https?:\/\/|\/(?![/\\]))[\x21-\x7e]*$/.test(href);
