/** A page with one card, complete in itself: refusals and invitations (SPEC 5, 12). It works without the built pages. */
import { escapeHtml } from './escape-html.ts';

export interface CardPage {
  /** BCP 47. */
  readonly tag: string;
  readonly title: string;
  /** Path from the root of the site, base path included; undefined when the pages are not built. */
  readonly stylesheet: string | undefined;
  /** The same, of a script that the page can do without. */
  readonly script?: string | undefined;
  /** Markup. */
  readonly card: string;
}

/** Nothing inline: no script, no style. Send it with PAGE_HEADERS. */
export function cardPage({ tag, title, stylesheet, script, card }: CardPage): string {
  const style = stylesheet ? `<link rel="stylesheet" href="${escapeHtml(stylesheet)}">\n` : '';
  // Before the first paint: a theme that was chosen by hand is set by the script.
  const module = script ? `<script blocking="render" type="module" src="${escapeHtml(script)}"></script>\n` : '';
  return `<!doctype html>
<html lang="${tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} · Postern</title>
<link rel="icon" href="data:,">
${style}${module}</head>
<body class="lone">
<main class="lone-card">
${card}</main>
</body>
</html>
`;
}
