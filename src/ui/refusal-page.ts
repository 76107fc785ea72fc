/** The page for a refused navigation: what happened, and the next step (SPEC 5). */
import type { RefusalReason } from '../domain/refusal.ts';
import { escapeHtml } from './escape-html.ts';
import { lonePage } from './lone-page.ts';
import { languageFor } from './page-language.ts';
import type { RefusalWords } from './pages/words/en.ts';

export interface RefusalPage {
  readonly status: number;
  readonly reason: RefusalReason;
  /** What is wrong, and the next step; used when the page's language has no text for the reason. */
  readonly message: string;
  /** When the refusal ends by itself, as text. */
  readonly opensAt?: string | undefined;
  readonly requestId: string;
  /** The header of that name. */
  readonly acceptLanguage: string | undefined;
  /** A path from the root, or an http(s) URL; anything else is left out. */
  readonly startPage: string;
  /** Path of the built stylesheet, base path included; undefined when the pages are not built. */
  readonly stylesheet: string | undefined;
}

export function renderRefusalPage(page: RefusalPage): string {
  const { tag, refusals } = languageFor(page.acceptLanguage);
  const title = refusals.titles[page.status] ?? refusals.anyTitle;
  const message = escapeHtml(messageOf(page, refusals));
  const card = `<p class="refusal-status">${escapeHtml(String(page.status))}</p>
<h1 class="lone-title"><bdi>${escapeHtml(title)}</bdi></h1>
<p class="refusal-message"><bdi>${message}</bdi></p>
${renderLink(page.startPage, refusals.toStart)}<p class="refusal-request">${escapeHtml(refusals.requestId)} <code><bdi>${escapeHtml(page.requestId)}</bdi></code></p>
`;
  return lonePage({ tag, title, stylesheet: page.stylesheet, card });
}

/** The message of programs says by itself when the refusal ends. */
function messageOf({ reason, message, opensAt }: RefusalPage, { messages, opens }: RefusalWords): string {
  const known = messages[reason];
  if (known === undefined) return message;
  return opensAt === undefined ? known : `${known} ${opens.replace('{time}', opensAt)}`;
}

const renderLink = (href: string, text: string): string =>
  isSafeTarget(href)
    ? `<p class="refusal-links"><a class="button" href="${escapeHtml(href)}">${escapeHtml(text)}</a></p>\n`
    : '';

/** `javascript:` and similar schemes never get into a link; `//host` and `/\host` lead to another site. */
const isSafeTarget = (href: string): boolean => /^(?:https?:\/\/|\/(?![/\\]))[\x21-\x7e]*$/.test(href);
