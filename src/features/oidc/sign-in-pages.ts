/** What pages show of a sign-in: that it goes on at the provider, and why it ended (SPEC 8, 16). */
import { refuseFor } from '../../accounts/http/responses.ts';
import type { Services } from '../../app/services.ts';
import { REFUSALS, type RefusalReason } from '../../domain/refusal.ts';
import { refusalRules } from '../../gateway/response/error-responses.ts';
import type { RouteContext } from '../../routes/own-route.ts';
import { assetPath } from '../../ui/built-pages.ts';
import { buttonTo, cardPage, html, paragraph } from '../../ui/html.ts';
import { pageHeaders, pageLanguage, readBasePath, sendPage } from '../../ui/page.ts';
import { nextPage } from '../../ui/pages/shared/where-to-go.ts';
import { isNavigation } from '../../ui/serve-ui.ts';

/** Characters of an address to come back to: the cookies of five attempts, which hold it, fit into one request. */
const LONGEST_PAGE = 1000;

export interface SignInPages {
  /** The page that is wanted if it is one of this service, else the start page; base path included. */
  pageOf(ctx: RouteContext, wanted: string): string;
  readonly pages: {
    refuse(ctx: RouteContext, reason: RefusalReason): void;
    /** Leads on by a page, where a redirect would not bring the cookies along, or may not follow a form. */
    goOn(ctx: RouteContext, address: string): void;
  };
}

export function signInPages({ settings, ui }: Pick<Services, 'settings' | 'ui'>): SignInPages {
  const { pages: built } = ui;
  const { renderPage } = refusalRules(settings, built);
  const headers = pageHeaders(ui);
  return {
    pageOf({ state: { basePath = '' } }, wanted) {
      const pageFor = (next: string): string =>
        nextPage({
          page: `http://postern/?${new URLSearchParams({ next })}`,
          referrer: '',
          basePath: `${basePath}/`,
        });
      const page = pageFor(wanted);
      return page.length > LONGEST_PAGE ? pageFor('') : page;
    },
    pages: {
      // A redirect would keep the other site as the one that leads here, and a policy for forms would stop it on the way out.
      goOn(ctx, address) {
        const { tag, words } = pageLanguage(ctx);
        const { goingOn: title, goOn } = words.login.page;
        const card = html`${paragraph(title)}<p class="refusal-links">${buttonTo(address, goOn)}</p>\n`;
        ctx.set({ ...headers, 'Cache-Control': 'no-store', Refresh: `0; url=${address}` });
        const stylesheet = assetPath(built, readBasePath(ctx), 'login', 'css');
        sendPage(ctx, 200, cardPage({ tag, title, stylesheet, card }));
      },
      refuse(ctx, reason) {
        if (!isNavigation(ctx)) return refuseFor(ctx, reason);
        const { status, message } = REFUSALS[reason];
        const { basePath = '', requestId } = ctx.state;
        const [acceptLanguage, cookie] = [ctx.get('Accept-Language'), ctx.get('Cookie')];
        const page = renderPage({ reason, status, message, requestId, basePath, acceptLanguage, cookie });
        ctx.set({ ...page.headers });
        ctx.status = status;
        ctx.body = page.body;
      },
    },
  };
}
