/** `/postern/screen`: the page that a display opens, to be paired and then to show its cameras (SPEC 18). */
import type { Services } from '../../app/services.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { assetPath } from '../../ui/built-pages.ts';
import { asTemplates, html, lonePage, stylesheetLink } from '../../ui/html.ts';
import { moveTo, pageHeaders, pageLanguage, readBasePath, refuseUnbuilt, sendPage } from '../../ui/page.ts';
import type { ScreenFacts } from './page/screen-facts.ts';

/** Short enough to be typed: leads a person with a phone to the entry of the letters. */
export const PAIR_PATH = '/pair';

// biome-ignore format: a table
export const SCREEN_PAGE_ROUTES: readonly OwnRoute<Pick<Services, 'ui'>>[] = [
  { route: 'GET /postern/screen', access: 'public', summary: 'The page of a display', yes: [200], type: 'text/html', handler: (ctx, { ui }) => (ui.pages ? showScreen(ctx, ui) : refuseUnbuilt(ctx, ui)) },
  { route: `GET ${PAIR_PATH}`, access: 'public', summary: 'Leads to the page where the letters of a display are typed', yes: [302], type: 'text/html', handler: (ctx, { ui }) => leadToEntry(ctx, ui) },
];

/** Letters as a QR code has them. */
const CODE = /^[A-Za-z]{4}-?[A-Za-z]{4}$/;

/** `code` may be empty: the page then asks for the letters. */
function leadToEntry(ctx: RouteContext, ui: Services['ui']): unknown {
  ctx.set(pageHeaders(ui));
  const letters = CODE.exec(String(ctx.query['code']))?.[0] ?? '';
  return moveTo(ctx, 302, `${readBasePath(ctx)}/postern/settings/screens?code=${letters}`);
}

function showScreen(ctx: RouteContext, ui: Services['ui']): void {
  const basePath = readBasePath(ctx);
  ctx.set(pageHeaders(ui));
  const { tag, words } = pageLanguage(ctx);
  const text = words.screens.page;
  const facts: ScreenFacts = { basePath, still: ui.still, live: ui.live, words: asTemplates(text) };
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
