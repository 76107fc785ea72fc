/** `/postern/screen`: the page of a display, and where a person with a phone is led who has its code (SPEC 18). */
import type { RouteContext } from '../routes/own-route.ts';
import { assetPath } from './built-pages.ts';
import { asTemplates, html, lonePage, stylesheetLink } from './html.ts';
import { basePathOf, moveTo, pageHeaders, pageLanguage, sendPage } from './page.ts';
import type { ScreenFacts } from './pages/screen/screen-facts.ts';
import type { UiOptions } from './ui-options.ts';

/** Letters as a QR code has them. Anything else in their place is for the display's page, which passes it over. */
const CODE = /^[A-Za-z]{4}-?[A-Za-z]{4}$/;

export function showScreen(ctx: RouteContext, ui: UiOptions): unknown {
  const basePath = basePathOf(ctx);
  ctx.set(pageHeaders(ui));
  const code = ctx.query['code'];
  if (typeof code === 'string' && CODE.test(code))
    return moveTo(ctx, 302, `${basePath}/postern/settings/screens?code=${code}`);
  const { tag, words } = pageLanguage(ctx);
  const text = words.screens.page;
  const facts: ScreenFacts = { basePath, still: ui.still ?? null, live: ui.live ?? null, words: asTemplates(text) };
  ctx.set('Vary', 'Accept-Language, Cookie');
  // The script stands behind the body that it fills: browsers of televisions know no modules.
  const body = html`<body class="screen" data-facts="${JSON.stringify(facts)}">
<p class="screen-message">${text.connecting}</p>
<noscript><p class="screen-message">${text.noScript}</p></noscript>
<script src="${assetPath(ui.pages, basePath, 'screen', 'js')}"></script>
</body>`;
  const head = stylesheetLink(assetPath(ui.pages, basePath, 'screen', 'css'));
  sendPage(ctx, 200, lonePage({ tag, title: text.pageTitle, head, body }));
}
