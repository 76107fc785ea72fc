/** What a sign-in with a provider shows, and where it leads: pages for people, JSON for programs (SPEC 16). */
import { refuseFor } from '../../accounts/http/responses.ts';
import { beginAttempt, type OidcServices } from '../../accounts/oidc/oidc-routes.ts';
import type { Settings } from '../../config/schema/schema.ts';
import { REFUSALS } from '../../domain/refusal.ts';
import type { RefusalRules } from '../../gateway/response/error-responses.ts';
import { assetPath, type BuiltPages } from '../../ui/built-pages.ts';
import { buttonTo, cardPage, html, paragraph } from '../../ui/html.ts';
import { basePathOf, pageHeaders, pageLanguage, sendPage } from '../../ui/page.ts';
import { nextPage } from '../../ui/pages/login/next-page.ts';
import { isNavigation } from '../../ui/serve-ui.ts';
import type { Services } from '../services.ts';
import type { StartPage } from './start-page.ts';

/** Characters of an address to come back to: the cookies of five attempts, which hold it, fit into one request. */
const LONGEST_PAGE = 1000;

export function signInPages(
  { ui }: Settings,
  { home }: Pick<StartPage, 'home'>,
  built: BuiltPages | undefined,
  { renderPage }: RefusalRules,
): Pick<Services, 'pages' | 'pageOf'> {
  const headers = pageHeaders({ frameAncestors: ui.frame_ancestors });
  return {
    pageOf({ state: { basePath = '' } }, wanted) {
      const pageFor = (next: string): string =>
        nextPage({
          page: `http://postern/?${new URLSearchParams({ next })}`,
          referrer: '',
          basePath: `${basePath}/`,
          home,
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
        const stylesheet = assetPath(built, basePathOf(ctx), 'login', 'css');
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

/** Asks the person again at the provider, and comes back to the page that asked. */
export const atProvider =
  (deps: OidcServices): Services['askAtProvider'] =>
  (ctx, { user: { name: user }, session }, { name: provider, returnTo }) =>
    beginAttempt(ctx, deps, {
      provider,
      purpose: { kind: 'prove', user, session },
      returnTo: deps.pageOf(ctx, returnTo),
    });
