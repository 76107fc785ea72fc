/** The small page that a person sees when a navigation is refused: what happened, and the next step (SPEC 5). */
import { escapeHtml } from './escape-html.ts';

export interface RefusalLink {
  /** A path from the root, or an http(s) URL; anything else is left out. */
  readonly href: string;
  readonly text: string;
}

export interface RefusalPage {
  readonly status: number;
  /** Left out: the title of the status. */
  readonly title?: string;
  /** What is wrong, and the next step. */
  readonly message: string;
  readonly requestId: string;
  readonly links: readonly RefusalLink[];
  /** Path of the built stylesheet, base path included; undefined when the pages are not built. */
  readonly stylesheet: string | undefined;
}

// biome-ignore format: a table
const TITLES: Readonly<Record<number, string>> = {
  400: 'That request cannot be understood',
  401: 'Please log in',
  403: 'You may not see this',
  404: 'There is nothing here',
  405: 'That is not possible here',
  413: 'That is too large',
  429: 'Too many tries',
  500: 'Something went wrong here',
  502: 'The recorder does not answer',
  503: 'Not ready yet',
  504: 'The recorder took too long',
};

/** Complete and self-sufficient: no script, no inline style. Send it with PAGE_HEADERS. */
export function renderRefusalPage(page: RefusalPage): string {
  const title = escapeHtml(page.title ?? TITLES[page.status] ?? 'That did not work');
  const stylesheet = page.stylesheet ? `<link rel="stylesheet" href="${escapeHtml(page.stylesheet)}">\n` : '';
  return `<!doctype html>
<html lang="en">
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
<p class="refusal-message"><bdi>${escapeHtml(page.message)}</bdi></p>
${renderLinks(page.links)}<p class="refusal-request">Request id <code><bdi>${escapeHtml(page.requestId)}</bdi></code></p>
</main>
</body>
</html>
`;
}

function renderLinks(links: readonly RefusalLink[]): string {
  const safe = links.filter((link) => isSafeTarget(link.href));
  if (safe.length === 0) return '';
  const items = safe.map(({ href, text }) => `<a class="button" href="${escapeHtml(href)}">${escapeHtml(text)}</a>`);
  return `<p class="refusal-links">${items.join('\n')}</p>\n`;
}

/** `javascript:` and the like never get into a link; `//host` and `/\host` are another site in disguise. */
const isSafeTarget = (href: string): boolean => /^(?:https?:\/\/|\/(?![/\\]))[\x21-\x7e]*$/.test(href);
