/** `/postern/screen`: the page that a display opens, to be paired and then to show its cameras (SPEC 18). */
import type { Services } from '../../app/services.ts';
import type { OwnRoute, RouteContext } from '../../routes/own-route.ts';
import { assetPath } from '../../ui/built-pages.ts';
import { asTemplates, html, lonePage, stylesheetLink } from '../../ui/html.ts';
import { moveTo, pageHeaders, pageLanguage, readBasePath, refuseUnbuilt, sendPage } from '../../ui/page.ts';
import type { ScreenFacts } from './page/screen-facts.ts';

/** The page by which a display is paired, and on which it then shows its cameras. */
export const SCREEN_PATH = '/postern/screen';

// biome-ignore format: a table
export const SCREEN_PAGE_ROUTES: readonly OwnRoute<Pick<Services, 'ui'>>[] = [
  { route: `GET ${SCREEN_PATH}`, access: 'public', summary: 'The page of a display', yes: [200], no: [302], type: 'text/html', handler: (ctx, { ui }) => (ui.pages ? showScreen(ctx, ui) : refuseUnbuilt(ctx, ui)) },
];

/** Letters as a QR code has them. Anything else in their place is for the display's page, which passes it over. */
const CODE = /^[A-Za-z]{4}-?[A-Za-z]{4}$/;

function showScreen(ctx: RouteContext, ui: Services['ui']): unknown {
  const basePath = readBasePath(ctx);
  ctx.set(pageHeaders(ui));
  const code = ctx.query['code'];
  if (typeof code === 'string' && CODE.test(code))
    return moveTo(ctx, 302, `${basePath}/postern/settings/screens?code=${code}`);
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
