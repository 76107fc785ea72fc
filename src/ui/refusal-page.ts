/** The page for a refused navigation: what happened, and the next step (SPEC 5). */
import type { RefusalReason } from '../domain/refusal.ts';
import { escapeHtml } from './escape-html.ts';
import { languageFor } from './page-language.ts';

export interface RefusalPage {
  readonly status: number;
  readonly reason: RefusalReason;
  /** What is wrong, and the next step; used when the page's language has no text for the reason. */
  readonly message: string;
  readonly requestId: string;
  /** The header of that name. */
  readonly acceptLanguage: string | undefined;
  /** A path from the root, or an http(s) URL; anything else is left out. */
  readonly startPage: string;
  /** Path of the built stylesheet, base path included; undefined when the pages are not built. */
  readonly stylesheet: string | undefined;
}

/** Complete and self-sufficient: no script, no inline style. Send it with PAGE_HEADERS. */
export function renderRefusalPage(page: RefusalPage): string {
  const { tag, refusals } = languageFor(page.acceptLanguage);
  const title = escapeHtml(refusals.titles[page.status] ?? refusals.anyTitle);
  const message = escapeHtml(refusals.messages[page.reason] ?? page.message);
  const stylesheet = page.stylesheet ? `<link rel="stylesheet" href="${escapeHtml(page.stylesheet)}">\n` : '';
  return `<!doctype html>
<html lang="${tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} · Postern</title>
<link rel="icon" href="data:,">
${stylesheet}</head>
<body class="lone">
<main class="lone-card">
<p class="refusal-status">${escapeHtml(String(page.status))}</p>
<h1 class="lone-title"><bdi>${title}</bdi></h1>
<p class="refusal-message"><bdi>${message}</bdi></p>
${renderLink(page.startPage, refusals.toStart)}<p class="refusal-request">${escapeHtml(refusals.requestId)} <code><bdi>${escapeHtml(page.requestId)}</bdi></code></p>
</main>
</body>
</html>
`;
}

const renderLink = (href: string, text: string): string =>
  isSafeTarget(href)
    ? `<p class="refusal-links"><a class="button" href="${escapeHtml(href)}">${escapeHtml(text)}</a></p>\n`
    : '';

/** `javascript:` and similar schemes never get into a link; `//host` and `/\host` lead to another site. */
const isSafeTarget = (href: string): boolean => /^(?:https?:\/\/|\/(?![/\\]))[\x21-\x7e]*$/.test(href);
