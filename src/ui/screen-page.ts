/** `/postern/screen`: the page of a display, and where a person with a phone is led who has its code (SPEC 18). */
import type { RouteContext } from '../routes/own-route.ts';
import { asTemplates, html, lonePage, sendPage, stylesheetLink } from './html.ts';
import { pageLanguage } from './page-language.ts';
import type { ScreenFacts } from './pages/screen/screen-words.ts';

export interface ScreenPageDeps {
  readonly headers: Readonly<Record<string, string>>;
  /** The address of a camera's still image, as the route table writes it; undefined where it has none. */
  readonly still: string | undefined;
  /** Likewise that of its live stream. */
  readonly live: string | undefined;
  /** Paths from the root of the site; undefined while the pages are not built. */
  readonly assetOf: (ctx: RouteContext, kind: 'screenScript' | 'screenStyle') => string | undefined;
  readonly basePathOf: (ctx: RouteContext) => string;
  readonly refuseUnbuilt: (ctx: RouteContext) => void;
}

/** Letters as a QR code has them. Anything else in their place is for the display's page, which passes it over. */
const CODE = /^[A-Za-z]{4}-?[A-Za-z]{4}$/;

export function createScreenPage({ headers, still, live, assetOf, basePathOf, refuseUnbuilt }: ScreenPageDeps) {
  return (ctx: RouteContext) => {
    const [script, style] = [assetOf(ctx, 'screenScript'), assetOf(ctx, 'screenStyle')];
    if (script === undefined || style === undefined) return refuseUnbuilt(ctx);
    ctx.set(headers);
    const code = ctx.query['code'];
    if (typeof code === 'string' && CODE.test(code)) {
      ctx.redirect(`${basePathOf(ctx)}/postern/settings/screens?code=${code}`);
      return;
    }
    const { tag, words } = pageLanguage(ctx);
    const text = words.screens.page;
    const facts: ScreenFacts = {
      basePath: basePathOf(ctx),
      still: still ?? null,
      live: live ?? null,
      words: asTemplates(text),
    };
    ctx.set('Vary', 'Accept-Language, Cookie');
    // The script stands behind the body that it fills: browsers of televisions know no modules.
    const body = html`<body class="screen" data-facts="${JSON.stringify(facts)}">
<p class="screen-message">${text.connecting}</p>
<noscript><p class="screen-message">${text.noScript}</p></noscript>
<script src="${script}"></script>
</body>`;
    sendPage(ctx, 200, lonePage({ tag, title: text.pageTitle, head: stylesheetLink(style), body }));
  };
}
